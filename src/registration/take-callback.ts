/** Takes callbacks: each is durable, with its changes, before the bank gets its answer. */
import { maskDigits } from '../core/proxy-id.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { RegistrationStore, SentRegistrationRow } from './ports.ts';
import {
  type CallbackMeaning,
  clockToleranceMs,
  computeEarlyMs,
  findMeant,
  identityKey,
  toleranceOf,
} from './rules/callback.ts';
import { afterRegistrationChange, type CallbackRecord } from './rules/change.ts';
import { isOpenRegistration, type Registration } from './rules/registration.ts';
import { decideTakenCallback } from './rules/take-callback.ts';

/** The journal as the taking of callbacks uses it. */
export type CallbackStore = Pick<
  RegistrationStore,
  | 'sentRegistrations'
  | 'registration'
  | 'applyRegistrations'
  | 'keepCallback'
  | 'unboundCallbacks'
  | 'callbackReceivedAtMs'
>;

export interface CallbackContext {
  readonly journal: CallbackStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** True while the bank may have registrations that this journal does not know: it is new, or a part of it was lost. */
  readonly mayMissAttempts: () => Promise<boolean>;
}

/** Outcome of a callback. */
export type CallbackTaking =
  /** The registration as it is now. */
  | { readonly kind: 'applied'; readonly registration: Registration }
  /** The callback repeats what was known of the registration. */
  | { readonly kind: 'nothing-new'; readonly registration: Registration }
  /** The same callback came before. */
  | { readonly kind: 'repeated'; readonly registration: Registration | undefined }
  /** Kept: no registration is known that it means, or the clocks do not tell which of several. */
  | { readonly kind: 'unknown'; readonly isAmbiguous: boolean };

/** Tries on a registration that keeps changing; after these, the next `bindKeptCallbacks` takes the callback. */
const triesMax = 20;

/**
 * Takes one callback. When it resolves, the callback is in the journal.
 * @throws JournalWriteError when the journal refuses writes: the callback is not taken
 */
export async function takeCallback(
  context: CallbackContext,
  record: CallbackRecord,
): Promise<CallbackTaking> {
  let isAmbiguous = false;
  const taken = await takeSafely(context, record, async () => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const meaning = await readMeaning(context, record);
      isAmbiguous = meaning.kind === 'ambiguous';
      if (meaning.kind !== 'attempt') return undefined;
      const taking = await takeFor(context, record, meaning.sent);
      if (taking !== undefined) return taking;
    }
    return undefined;
  });
  const taking = taken ?? (await keepUnbound(context, record, isAmbiguous));
  reportTaking(context, record, taking);
  return taking;
}

async function readMeaning(
  { journal, mayMissAttempts }: CallbackContext,
  { key, callback: { identity, appliedAtMs, outcome }, receivedAtMs }: CallbackRecord,
): Promise<CallbackMeaning<SentRegistrationRow>> {
  const sent = await journal.sentRegistrations(identityKey(identity));
  // Told again after the request, it may have been told before it.
  const firstAtMs = await journal.callbackReceivedAtMs(key);
  const times = { appliedAtMs, receivedAtMs: firstAtMs ?? receivedAtMs };
  const meaning = findMeant(sent, times);
  if (meaning.kind !== 'attempt' || outcome === 'registered') return meaning;
  // A refusal of the same account that this journal has not asked for says nothing about the one that it has.
  const isEarly = computeEarlyMs(meaning.sent, times) > toleranceOf(meaning.sent);
  return isEarly && (await mayMissAttempts()) ? { kind: 'ambiguous' } : meaning;
}

/** Undefined when the registration has changed meanwhile. */
async function takeFor(
  { journal, clock, log }: CallbackContext,
  record: CallbackRecord,
  meant: SentRegistrationRow,
): Promise<CallbackTaking | undefined> {
  const { registration, isLatest } = meant;
  const change = decideTakenCallback(registration, record, isLatest, clock.now());
  if (change !== undefined) {
    const [isApplied] = await journal.applyRegistrations([change]);
    if (isApplied === true) {
      reportEarly(log, record, meant);
      return { kind: 'applied', registration: afterRegistrationChange(change) };
    }
    const latest = await journal.registration(registration.seq);
    if (latest?.version !== registration.version) return undefined;
    // The row is unchanged, so that the callback's own guard refused the change: it has counted before.
  }
  const isNew = await journal.keepCallback(record, registration.seq);
  if (isNew && change !== undefined)
    log('error', 'a callback was kept and could not be applied', describeCallback(record, registration));
  if (isNew && change === undefined) reportDropped(log, record, meant);
  return { kind: isNew ? 'nothing-new' : 'repeated', registration };
}

/** Undefined where no more comes of it, a fault of ours included. */
async function takeSafely(
  { log }: CallbackContext,
  record: CallbackRecord,
  take: () => Promise<CallbackTaking | undefined>,
): Promise<CallbackTaking | undefined> {
  try {
    return await take();
  } catch (error) {
    // The journal can keep nothing at all.
    if (error instanceof Error && error.name === 'JournalWriteError') throw error;
    log('error', 'a callback could not be applied: it is kept', { ...describeCallback(record), err: error });
    return undefined;
  }
}

/** Keeps the callback, which is never lost. */
async function keepUnbound(
  { journal }: CallbackContext,
  record: CallbackRecord,
  isAmbiguous: boolean,
): Promise<CallbackTaking> {
  const isNew = await journal.keepCallback(record, null);
  return isNew ? { kind: 'unknown', isAmbiguous } : { kind: 'repeated', registration: undefined };
}

// ---------------------------------------------------------------- callbacks that came before

/** Callbacks read at first. */
const pageSize = 200;

/**
 * Binds kept callbacks to registrations that have turned up since.
 * @returns the bound callbacks, with the outcome of each
 */
export async function bindKeptCallbacks(
  context: CallbackContext,
): Promise<readonly (readonly [CallbackRecord, CallbackTaking])[]> {
  const bound: (readonly [CallbackRecord, CallbackTaking])[] = [];
  // Grows the page: callbacks that stay unbound come again each time, and must not block the others for ever.
  for (let limit = pageSize; ; limit *= 2) {
    const kept = await context.journal.unboundCallbacks(limit);
    for (const record of kept) {
      const taking = await bindOne(context, record);
      if (taking !== undefined) bound.push([record, taking]);
    }
    if (kept.length < limit) return bound;
  }
}

async function bindOne(
  context: CallbackContext,
  record: CallbackRecord,
): Promise<CallbackTaking | undefined> {
  try {
    const meaning = await readMeaning(context, record);
    const taking = meaning.kind === 'attempt' ? await takeFor(context, record, meaning.sent) : undefined;
    if (taking !== undefined) reportTaking(context, record, taking);
    return taking;
  } catch (error) {
    if (error instanceof Error && error.name === 'JournalWriteError') throw error;
    context.log('error', 'a kept callback could not be applied', { ...describeCallback(record), err: error });
    return undefined;
  }
}

// ---------------------------------------------------------------- the log

function describeCallback(
  { callback: { identity, respCode, requestUid }, fromAddress }: CallbackRecord,
  registration?: Registration,
) {
  return {
    registrationId: registration?.instruction?.registrationId,
    batchId: registration?.batchId,
    rowNo: registration?.rowNo,
    companyCode: identity.vendorId,
    accountNo: maskDigits(identity.accountNo),
    respCode,
    requestUid,
    fromAddress,
  };
}

/** Logs an impossible time, whatever the outcome: the next callback may be taken for another attempt's. */
function reportEarly(log: Log, record: CallbackRecord, meant: SentRegistrationRow): void {
  const { appliedAtMs } = record.callback;
  const earlyMs = computeEarlyMs(meant, { appliedAtMs, receivedAtMs: record.receivedAtMs });
  if (earlyMs <= clockToleranceMs) return;
  log('warn', 'the bank calls back with a time before our request: compare the clocks, and the time zone', {
    ...describeCallback(record, meant.registration),
    earlySeconds: Math.round(earlyMs / 1_000),
  });
}

/** A refusal that changes nothing since a later attempt is awaited: were it of the later one, it would be waited for in vain. */
function reportDropped(
  log: Log,
  record: CallbackRecord,
  { registration, isLatest }: SentRegistrationRow,
): void {
  if (isLatest || record.callback.outcome !== 'refused' || !isOpenRegistration(registration.status)) return;
  log('warn', 'a callback refuses an earlier attempt: the later one is awaited as before', {
    status: registration.status,
    ...describeCallback(record, registration),
  });
}

const ambiguousText =
  'a callback is bound to no attempt: by its time it may be about another one; compare the clocks, and ask the bank';

/** Logs loudly what needs a person, and the rest for close readers. */
function reportTaking({ log }: CallbackContext, record: CallbackRecord, taking: CallbackTaking): void {
  const registration = taking.kind === 'unknown' ? undefined : taking.registration;
  const facts = describeCallback(record, registration);
  if (taking.kind === 'unknown')
    log('warn', taking.isAmbiguous ? ambiguousText : 'a callback means no registration that was sent', facts);
  else if (taking.kind !== 'applied') log('debug', 'a callback told nothing new', facts);
  else if (taking.registration.isAlarm)
    log('error', 'a callback contradicts what was known', { status: taking.registration.status, ...facts });
  else log('debug', 'a callback was taken', { status: taking.registration.status, ...facts });
}
