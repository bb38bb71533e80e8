/** Registrations for tests: rows of a file, files taken in, and the changes that a life is made of. */
import type { RegistrationStore } from '../../src/registration/ports.ts';
import type { CallbackRecord, RegistrationChange } from '../../src/registration/rules/change.ts';
import {
  callbackKey,
  identityKey,
  parseCallback,
  type RegistrationCallback,
} from '../../src/registration/rules/callback.ts';
import type { RegistrationFileRow } from '../../src/registration/rules/registration-file.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationCause,
  RegistrationInstruction,
} from '../../src/registration/rules/registration.ts';
import type { Store } from '../../src/store/store.ts';
import { formatBangkokDateTime } from '../../src/core/bangkok-time.ts';
import { noonMs, payer } from './journal-fixtures.ts';

/** All that a journal does with registrations. */
export type Registrations = RegistrationStore & Pick<Store, 'registrationIntake'>;

export const registrationBatchId = 'REGAAAAAAAAA';
export const registrationPayer = { companyId: payer.companyId, payerAccount: 'direct-debit' };

export function makeInstruction(
  rowNo: number,
  own: Partial<RegistrationInstruction> = {},
): RegistrationInstruction {
  return {
    registrationId: `R${rowNo}`,
    customerId: `9${String(rowNo).padStart(12, '0')}`,
    vendorId: 'V001',
    companyId: 'C001',
    accountNo: `123456${String(rowNo).padStart(4, '0')}`,
    refs: [`REF-${rowNo}`, null, null, null],
    ...own,
  };
}

/** A valid row; with `issues` a rejected one. */
export function makeRegistrationRow(
  rowNo: number,
  own: Partial<RegistrationInstruction> = {},
  more: Partial<RegistrationFileRow> = {},
): RegistrationFileRow {
  const instruction = makeInstruction(rowNo, own);
  const { refs, ...cells } = instruction;
  const [ref1, ref2, ref3, ref4] = refs.map((ref) => ref ?? '');
  return {
    rowNo,
    line: rowNo + 1,
    cells: { ...cells, ref1: ref1 ?? '', ref2: ref2 ?? '', ref3: ref3 ?? '', ref4: ref4 ?? '' },
    instruction,
    holds: [],
    issues: [],
    extras: [],
    ...more,
  };
}

interface TakenIn {
  readonly batchId?: string;
  readonly conflictingRowNos?: readonly number[];
  readonly nowMs?: number;
}

/** Takes a file in to its seal. */
export async function takeRegistrationsIn(
  { registrationIntake }: Pick<Registrations, 'registrationIntake'>,
  rows: readonly RegistrationFileRow[],
  { batchId = registrationBatchId, conflictingRowNos = [], nowMs = noonMs }: TakenIn = {},
) {
  const start = { batchId, sha256: `sha of ${batchId}`, fileName: `${batchId}.csv`, extraColumns: [] };
  await registrationIntake.startIngest({ ...start, companyId: payer.companyId, nowMs });
  await registrationIntake.stage(batchId, rows);
  return registrationIntake.seal(batchId, { rows: rows.length, conflictingRowNos }, nowMs);
}

/** Takes a file in and has it running. */
export async function runRegistrations(
  store: Registrations,
  rows: readonly RegistrationFileRow[],
  taken: TakenIn = {},
) {
  const { batchId } = await takeRegistrationsIn(store, rows, taken);
  await store.moveRegistrationBatch(batchId, 'running', null, taken.nowMs ?? noonMs);
  return store.readyRegistrations(batchId, 0, 1_000_000);
}

type More = Omit<RegistrationChange, 'before' | 'after' | 'event'>;

/** A change of one registration. */
export function changeOf(
  before: Registration,
  cause: RegistrationCause,
  patch: Partial<Registration>,
  { atMs = noonMs, ...more }: More & { readonly atMs?: number } = {},
): RegistrationChange {
  return { before, after: { ...before, ...patch }, event: { cause, atMs, detail: {} }, ...more };
}

export function attemptOf(before: Registration, atMs = noonMs): RegistrationAttempt {
  if (before.instruction === null) throw new Error('it asks for nothing');
  const attemptNo = before.attemptNo + 1;
  return {
    registrationSeq: before.seq,
    attemptNo,
    instruction: before.instruction,
    requestUid: `uid-${before.seq}-${attemptNo}`,
    renewedUid: null,
    ipAddress: '192.0.2.1',
    intentAtMs: atMs,
    httpStatus: null,
    statusCode: null,
    statusDesc: null,
    severity: null,
    ddrOapiSeqId: null,
    elapsedMs: null,
    bankOffsetMs: null,
    taken: null,
  };
}

/** The change that records an intent. */
export function intentOf(before: Registration, atMs = noonMs): RegistrationChange {
  const attempt = attemptOf(before, atMs);
  const patch = { status: 'submitted', attemptNo: attempt.attemptNo, submittedAtMs: atMs } as const;
  const intent = { payers: [registrationPayer] };
  return changeOf(
    before,
    'intent-recorded',
    { ...patch, awaitedUntilMs: atMs + 86_400_000 },
    { attempt, intent, atMs },
  );
}

/** What the bank calls back about what a row asks for. */
export function callbackOf(
  { vendorId, companyId, accountNo, refs }: RegistrationInstruction,
  outcome: 'registered' | 'refused' = 'registered',
  appliedAtMs = noonMs + 60_000,
): CallbackRecord {
  const [ref1, ref2, ref3, ref4] = refs;
  const [respCode, respDesc] = outcome === 'registered' ? ['I0000', 'Success'] : ['I0001', 'Reject'];
  const applyDtm = formatBangkokDateTime(appliedAtMs).slice(0, 19).replace('T', ' ');
  const body = JSON.stringify({
    vendorId,
    companyId,
    accountNo,
    ref1,
    ref2,
    ref3,
    ref4,
    respCode,
    respDesc,
    applyDtm,
  });
  const reading = parseCallback(body, 'call-1');
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  const callback: RegistrationCallback = reading.callback;
  const kept = { key: callbackKey(callback), callback, body, header: { requestUID: 'call-1' } };
  return { ...kept, fromAddress: '192.0.2.9', receivedAtMs: appliedAtMs + 1_000 };
}

/** Ends a registration by a callback. */
export function calledBack(
  before: Registration,
  outcome: 'registered' | 'refused' = 'registered',
  cause: RegistrationCause = 'called-back',
  callback: CallbackRecord | undefined = before.instruction === null
    ? undefined
    : callbackOf(before.instruction, outcome),
): RegistrationChange {
  const patch = {
    status: outcome,
    awaitedUntilMs: null,
    settledAtMs: noonMs,
    settledBy: 'callback',
  } as const;
  return changeOf(before, cause, patch, callback === undefined ? {} : { callback });
}

/** The registration as it is now. */
export async function present(
  store: RegistrationStore,
  { seq }: Pick<Registration, 'seq'>,
): Promise<Registration> {
  const registration = await store.registration(seq);
  if (registration === undefined) throw new Error(`there is no registration ${seq}`);
  return registration;
}

/** Applies one change and reads what has become of its registration. */
export async function applyOne(store: RegistrationStore, change: RegistrationChange) {
  const [isApplied] = await store.applyRegistrations([change]);
  return { isApplied, now: await present(store, change.before) };
}

export const identityOf = (instruction: RegistrationInstruction | null): string =>
  instruction === null ? '' : identityKey(instruction);
