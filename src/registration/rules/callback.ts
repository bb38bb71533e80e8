/**
 * The bank's callback (§2.3, §6): the check of every field, the registration that it means, and its effect.
 * Pure; it never throws, whatever arrives.
 */
import { type DayFault, readDay } from '../../core/bangkok-time.ts';
import type {
  RegistrationAttempt,
  RegistrationCause,
  RegistrationInstruction,
  RegistrationStatus,
} from './registration.ts';
import { isOpenRegistration } from './registration.ts';

/** The fields that identify a registration in a callback, which bears no number of paydrop's. */
export type RegistrationIdentity = Pick<
  RegistrationInstruction,
  'vendorId' | 'companyId' | 'accountNo' | 'refs'
>;

export type RegistrationOutcome = 'registered' | 'refused';

/** A callback whose fields all follow §2.3. */
export interface RegistrationCallback {
  readonly identity: RegistrationIdentity;
  readonly outcome: RegistrationOutcome;
  readonly respCode: string;
  readonly respDesc: string;
  /** The text as received, in either shape of §6. */
  readonly applyDtm: string;
  readonly appliedAtMs: number;
  /** Number of the call; a repeated call has a new one. */
  readonly requestUid: string;
}

/** A field and its fault; never its content. */
interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** All faults of a callback, in the order of its fields. */
export interface FaultyReading {
  readonly ok: false;
  readonly faults: readonly FieldFault[];
}

type CallbackReading = { readonly ok: true; readonly callback: RegistrationCallback } | FaultyReading;

/** The keys of `msg-hdr` that matter (§2.3), and all that it holds. */
export interface CallbackHeader {
  readonly requestUid: string;
  readonly apiKey: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const outcomes: Readonly<
  Record<string, { readonly outcome: RegistrationOutcome; readonly respDesc: string }>
> = {
  I0000: { outcome: 'registered', respDesc: 'Success' },
  I0001: { outcome: 'refused', respDesc: 'Reject' },
};

/** §2.3: string(36). */
const requestUidLengthMax = 36;
/** Limit of a key, which is compared and not kept; a longer one is never valid. */
const apiKeyLengthMax = 512;
const referenceLengthMax = 20;

/** Printable text on one line: it is shown to people and written into files later. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;

type Fields = Readonly<Record<string, unknown>>;

/** Thrown and caught in this file alone. */
class FieldError extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** RFC 8259 lets a reader skip it. */
const byteOrderMark = '\uFEFF';

function parseObject(text: string, name: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  } catch {
    throw new FieldError(name, 'it is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FieldError(name, 'it is no JSON object');
  return value as Fields;
}

function readText(fields: Fields, field: string, lengthMax: number): string {
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (value === undefined || value === null || value === '') throw new FieldError(field, 'it is required');
  if (typeof value !== 'string') throw new FieldError(field, 'it must be a text');
  if (value.length > lengthMax) throw new FieldError(field, `it is over max length ${lengthMax}`);
  if (!printable.test(value)) throw new FieldError(field, 'it holds characters that cannot be printed');
  return value;
}

/** Absent, null and empty mean the same: no reference. */
function readReference(fields: Fields, field: string): string | null {
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  const isMissing =
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  return isMissing ? null : readText(fields, field, referenceLengthMax).trim();
}

function readAccountNo(fields: Fields): string {
  const accountNo = readText(fields, 'accountNo', 13);
  if (!/^\d+$/.test(accountNo)) throw new FieldError('accountNo', 'it must be numeric');
  return accountNo;
}

const dateTimePattern = /^(\d{4}-?\d{2}-?\d{2}) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/;

type MomentReading = { readonly ok: true; readonly atMs: number } | DayFault;

/** A moment in Bangkok, in either shape of §6: "2026-11-22 14:03:05" or "20261122 14:03:05". */
export function readBankDateTime(text: string): MomentReading {
  const [, day = '', hours, minutes, seconds] = dateTimePattern.exec(text) ?? [];
  const reading = readDay(day);
  if (!reading.ok) return reading;
  const sinceMidnightMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return { ok: true, atMs: reading.startMs + sinceMidnightMs };
}

const timeForms = 'a time is YYYY-MM-DD HH:MM:SS or YYYYMMDD HH:mm:ss, by the Christian era';

function readMoment(fields: Fields, field: string): { readonly text: string; readonly atMs: number } {
  const text = readText(fields, field, 19);
  const moment = readBankDateTime(text);
  if (!moment.ok) throw new FieldError(field, `it ${moment.what}: ${timeForms}`);
  return { text, atMs: moment.atMs };
}

const findOutcome = (respCode: string) =>
  Object.hasOwn(outcomes, respCode) ? outcomes[respCode] : undefined;

function readRespCode(fields: Fields) {
  const respCode = readText(fields, 'respCode', 5);
  const known = findOutcome(respCode);
  if (known === undefined) throw new FieldError('respCode', 'it is neither I0000 nor I0001');
  return { respCode, outcome: known.outcome };
}

/** Refuses a text that contradicts the code: together they prove nothing. */
function readRespDesc(fields: Fields): string {
  const respDesc = readText(fields, 'respDesc', 10);
  const { respCode } = fields;
  const known = typeof respCode === 'string' ? findOutcome(respCode) : undefined;
  if (known !== undefined && respDesc.toLowerCase() !== known.respDesc.toLowerCase())
    throw new FieldError('respDesc', `it must be ${known.respDesc} beside ${String(respCode)}`);
  return respDesc;
}

/** Readers of the body's fields; each returns its field or throws a `FieldError`. */
const fieldReaders = {
  vendorId: (fields: Fields) => readText(fields, 'vendorId', 10),
  companyId: (fields: Fields) => readText(fields, 'companyId', 15),
  accountNo: readAccountNo,
  ref1: (fields: Fields) => readReference(fields, 'ref1'),
  ref2: (fields: Fields) => readReference(fields, 'ref2'),
  ref3: (fields: Fields) => readReference(fields, 'ref3'),
  ref4: (fields: Fields) => readReference(fields, 'ref4'),
  applyDtm: (fields: Fields) => readMoment(fields, 'applyDtm'),
  respCode: readRespCode,
  respDesc: readRespDesc,
} as const;

function readFields(fields: Fields, requestUid: string): RegistrationCallback {
  const { vendorId, companyId, accountNo, ref1, ref2, ref3, ref4 } = fieldReaders;
  const identity = {
    vendorId: vendorId(fields),
    companyId: companyId(fields),
    accountNo: accountNo(fields),
    refs: [ref1(fields), ref2(fields), ref3(fields), ref4(fields)],
  } as const;
  const { text: applyDtm, atMs: appliedAtMs } = fieldReaders.applyDtm(fields);
  const { outcome, respCode } = readRespCode(fields);
  return {
    identity,
    outcome,
    respCode,
    respDesc: readRespDesc(fields),
    applyDtm,
    appliedAtMs,
    requestUid,
  };
}

/** The faults that a reader reports; empty when it succeeds. */
function findFaults(read: () => unknown): readonly FieldFault[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof FieldError) return [{ field: error.field, message: error.message }];
    throw error;
  }
}

/** Reads an object field by field, and names each unreadable field. */
function readAll<Read>(
  { text, name }: { readonly text: string; readonly name: string },
  readers: readonly ((fields: Fields) => unknown)[],
  read: (fields: Fields) => Read,
): Read | FaultyReading {
  let fields: Fields = {};
  const unreadable = findFaults(() => (fields = parseObject(text, name)));
  if (unreadable.length > 0) return { ok: false, faults: unreadable };
  const faults = readers.flatMap((reader) => findFaults(() => reader(fields)));
  return faults.length > 0 ? { ok: false, faults } : read(fields);
}

const readApiKey = (fields: Fields): string => readText(fields, 'x-api-key', apiKeyLengthMax);
const readRequestUid = (fields: Fields): string => readText(fields, 'requestUID', requestUidLengthMax);

const headerOf = (text: string) => ({ text, name: 'msg-hdr' });

/** The key in `msg-hdr`, whatever else is wrong with it; undefined when there is none. */
export function findApiKey(header: string): string | undefined {
  const reading = readAll(headerOf(header), [readApiKey], readApiKey);
  return typeof reading === 'string' ? reading : undefined;
}

/** The number of a call, whatever else is wrong with it; empty when there is none. */
export function findRequestUid(header: string): string {
  const reading = readAll(headerOf(header), [readRequestUid], readRequestUid);
  return typeof reading === 'string' ? reading : '';
}

/** Reads the caller's part of `msg-hdr`; the function's caller compares the key. */
export const parseCallbackHeader = (text: string): (CallbackHeader & { readonly ok: true }) | FaultyReading =>
  readAll(
    headerOf(text),
    [readApiKey, readRequestUid],
    (fields) =>
      ({ ok: true, requestUid: readRequestUid(fields), apiKey: readApiKey(fields), fields }) as const,
  );

/**
 * Reads the body of a callback.
 * @param requestUid of its header
 */
export const parseCallback = (body: string, requestUid: string): CallbackReading =>
  readAll(
    { text: body, name: 'body' },
    Object.values(fieldReaders),
    (fields) => ({ ok: true, callback: readFields(fields, requestUid) }) as const,
  );

/** Text of an identity, by which a callback finds its registration. */
export const identityKey = ({ vendorId, companyId, accountNo, refs }: RegistrationIdentity): string =>
  JSON.stringify([vendorId, companyId, accountNo, ...refs.map((ref) => ref ?? '')]);

/** Key of a callback: equal for a repeat, whatever the number of its call and the shape of its time. */
export const callbackKey = ({ identity, respCode, appliedAtMs }: RegistrationCallback): string =>
  JSON.stringify([identityKey(identity), respCode, appliedAtMs]);

// ---------------------------------------------------------------- which registration it means, and its effect

/** An attempt of a registration, as the match of a callback needs it. */
export interface SentRegistration {
  readonly status: RegistrationStatus;
  readonly intentAtMs: number;
  /** False for an attempt that a later one of its registration follows. */
  readonly isLatest: boolean;
  /** The finding of its answer, as `RegistrationAttempt.taken`. */
  readonly taken: RegistrationAttempt['taken'];
  /** No other attempt of its identity may have been taken by the bank. */
  readonly isOnly: boolean;
  /** The bank's clock less ours: by the answer to it, else by the latest answer of all; null before the first. */
  readonly bankOffsetMs: number | null;
}

/** So far the bank's clock may go behind ours while its offset is unknown. */
export const clockToleranceMs = 60_000;
/** So far it may beyond a known offset: both are told in whole seconds. */
const offsetToleranceMs = 5_000;
/** So far the clock of the machine that receives callbacks may go behind that of the sender. */
export const receiverToleranceMs = 5_000;
/** So far it may where a single attempt can be meant: a time zone is mistaken by less. */
const zoneToleranceMs = 12 * 3_600_000;

/** When a callback was applied, by the bank's clock, and when it came first, by ours. */
interface CallbackTimes {
  readonly appliedAtMs: number;
  readonly receivedAtMs: number;
}

/** How long before the intent a callback was applied, by our clock, its receipt at the latest; 0 or less: after it. */
export const computeEarlyMs = (
  { intentAtMs, bankOffsetMs }: Pick<SentRegistration, 'intentAtMs' | 'bankOffsetMs'>,
  { appliedAtMs, receivedAtMs }: CallbackTimes,
): number => intentAtMs - Math.min(appliedAtMs - (bankOffsetMs ?? 0), receivedAtMs);

/** How much earlier than the intent a callback may be applied, the offset taken off. */
export const toleranceOf = ({ bankOffsetMs }: Pick<SentRegistration, 'bankOffsetMs'>): number =>
  bankOffsetMs === null ? clockToleranceMs : offsetToleranceMs;

/** A callback that came before an attempt was made is about something else. */
const mayAnswer = (
  { intentAtMs }: Pick<SentRegistration, 'intentAtMs'>,
  { receivedAtMs }: Pick<CallbackTimes, 'receivedAtMs'>,
): boolean => receivedAtMs >= intentAtMs - receiverToleranceMs;

/** Applied after its receipt: the time, or the offset that was taken off it, is wrong. */
const isOfFuture = (one: SentRegistration, { appliedAtMs, receivedAtMs }: CallbackTimes): boolean =>
  appliedAtMs - (one.bankOffsetMs ?? 0) > receivedAtMs + toleranceOf(one);

/** Which attempt a callback means. `ambiguous`: one of several, and the clocks do not tell which. */
export type CallbackMeaning<Sent extends SentRegistration> =
  { readonly kind: 'attempt'; readonly sent: Sent } | { readonly kind: 'none' | 'ambiguous' };

const toMeaning = <Sent extends SentRegistration>(sent: Sent | undefined): CallbackMeaning<Sent> =>
  sent === undefined ? { kind: 'none' } : { kind: 'attempt', sent };

/** Attempts that the bank has not taken are meant only where no other one of the identity can be. */
function listCandidates<Sent extends SentRegistration>(sent: readonly Sent[]): readonly Sent[] {
  const taken = sent.filter((one) => one.taken !== 'no');
  return taken.length > 0 ? taken : sent;
}

/**
 * Which of the attempts of one identity a callback means: the last one that was made before it was applied, by the bank's
 * clock and by ours alike; the only one even where the clocks differ. `none` and `ambiguous`: it is kept.
 */
export function findMeant<Sent extends SentRegistration>(
  sent: readonly Sent[],
  times: CallbackTimes,
): CallbackMeaning<Sent> {
  const candidates = listCandidates(sent);
  const made = candidates
    .filter((one) => mayAnswer(one, times))
    .toSorted((a, b) => a.intentAtMs - b.intentAtMs);
  if (candidates.length === 1 && candidates[0]?.isOnly === true)
    return toMeaning(made.find((one) => computeEarlyMs(one, times) <= zoneToleranceMs));
  const meant = made.findLast((one) => computeEarlyMs(one, times) <= toleranceOf(one));
  if (made.length > 1) {
    const asTold = made.findLast(
      (one) => computeEarlyMs({ ...one, bankOffsetMs: 0 }, times) <= toleranceOf(one),
    );
    if (asTold !== meant || made.some((one) => isOfFuture(one, times))) return { kind: 'ambiguous' };
  }
  return toMeaning(meant);
}

export interface CallbackDecision {
  readonly to: RegistrationStatus;
  readonly cause: RegistrationCause;
  readonly isAlarm: boolean;
}

const opposite: Readonly<Record<RegistrationOutcome, RegistrationOutcome>> = {
  registered: 'refused',
  refused: 'registered',
};

/**
 * The effect of a callback on the registration that it means; undefined when it tells nothing new.
 * @param isLatest as in `SentRegistration`, of the attempt that it means
 */
export function decideCallback(
  status: RegistrationStatus,
  outcome: RegistrationOutcome,
  isLatest: boolean,
): CallbackDecision | undefined {
  if (status === outcome || status === 'staged' || status === 'rejected') return undefined;
  // The row was sent again: a success counts for either attempt, and a refusal says nothing about the later one.
  if (!isLatest && outcome === 'refused') return undefined;
  if (status === opposite[outcome] || status === 'contradicted')
    return { to: 'contradicted', cause: 'contradicted', isAlarm: true };
  const isAwaited = isOpenRegistration(status) || status === 'unanswered';
  return { to: outcome, cause: isAwaited ? 'called-back' : 'called-back-after-all', isAlarm: !isAwaited };
}
