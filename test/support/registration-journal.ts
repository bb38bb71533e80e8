/** Registrations for tests: rows of a file, files taken in, the changes that a life is made of, and a batch in most states. */
import { verbatim } from '../../src/core/message.ts';
import type { RegistrationStore } from '../../src/registration/ports.ts';
import { describeIdentity } from '../../src/app/open-store.ts';
import {
  afterRegistrationChange,
  type CallbackRecord,
  moveRegistration,
  type RegistrationChange,
} from '../../src/registration/rules/change.ts';
import { decideIntent, servicePayer } from '../../src/registration/rules/intent.ts';
import { parseRegistrationRow } from '../../src/registration/rules/registration-row.ts';
import { loadSettings, type LoadedSettings } from '../../src/settings/settings.ts';
import { openJournal } from '../../src/store/open.ts';
import {
  callbackKey,
  decideCallback,
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

// ---------------------------------------------------------------- a batch in most states

export const registeredBatchId = '7B3KQ0M9ZX';

/** Rows of the batch: the name of each, and its outcome. */
const registeredRows = [
  ['REG-1', 'registered'],
  ['REG-2', 'refused'],
  ['REG-3', 'failed'],
  ['REG-4', 'in-doubt'],
  ['REG-5', 'acknowledged'],
  ['REG-6', 'unanswered'],
  ['REG-7', 'contradicted'],
  ['REG-8', 'rejected'],
  ['REG-9', 'held'],
] as const;

const defaults = { vendorId: 'V001', companyId: 'COMP01' };

function makeFileRow(registrationId: string, rowNo: number, isWrong: boolean): RegistrationFileRow {
  const cells = {
    registrationId,
    customerId: '9000000000004',
    vendorId: '',
    companyId: '',
    accountNo: isWrong ? '12' : `00123456${String(rowNo).padStart(2, '0')}`,
    ref1: `POLICY-${rowNo}`,
    ref2: '',
    ref3: '',
    ref4: '',
  };
  const parsed = parseRegistrationRow(cells, rowNo + 1, defaults);
  return { rowNo, line: rowNo + 1, cells, holds: [], extras: ['BKK'], ...parsed };
}

/** Fills a journal; the moves are those of the rules, told by nobody's bank. */
class Filler {
  readonly #store: Store;
  readonly #nowMs: number;

  constructor(store: Store, nowMs: number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  async apply(change: RegistrationChange): Promise<Registration> {
    const [isApplied] = await this.#store.applyRegistrations([change]);
    if (isApplied !== true) throw new Error('the journal has refused the change');
    return afterRegistrationChange(change);
  }

  async send(registration: Registration, companyId: string) {
    const { instruction } = registration;
    if (instruction === null) throw new Error('a rejected row is not sent');
    const { change, attempt } = decideIntent({
      registration,
      instruction,
      companyId,
      requestUid: `00000000-0000-4000-8000-00000000000${registration.rowNo}`,
      ipAddress: '127.0.0.1',
      answerWithinMs: 86_400_000,
      nowMs: this.#nowMs,
    });
    return { sent: await this.apply(change), attempt };
  }

  /** The bank's answer, or none. */
  async answer(
    registration: Registration,
    attempt: RegistrationAttempt,
    [status, cause, code, text]: readonly [
      Registration['status'],
      RegistrationChange['event']['cause'],
      string,
      string,
    ],
  ): Promise<Registration> {
    const ddrOapiSeqId = code === '0' ? `DDR00000000${registration.rowNo}` : null;
    const answered = { ...attempt, httpStatus: 200, statusCode: code, statusDesc: text, ddrOapiSeqId };
    const reason = code === '0' ? {} : { reasonCode: code, reason: verbatim(text) };
    const patch = { status, ...reason, ...(status === 'failed' ? this.#settled('reply') : {}) };
    return this.apply(
      moveRegistration({
        registration,
        patch,
        cause,
        nowMs: this.#nowMs,
        attempt: answered,
        detail: { statusCode: code },
      }),
    );
  }

  async callBack(
    registration: Registration,
    attempt: RegistrationAttempt,
    outcome: 'registered' | 'refused',
  ) {
    const callback = callbackOf(attempt.instruction, outcome, this.#nowMs + registration.version);
    const decision = decideCallback(registration.status, outcome, true);
    if (decision === undefined) throw new Error('the callback says nothing new');
    const { to, cause, isAlarm } = decision;
    const { respCode, respDesc, applyDtm } = callback.callback;
    const told = { respCode, respDesc, applyDtm, reasonCode: respCode, reason: verbatim(respDesc) };
    const patch = { status: to, isAlarm, ...told, ...this.#settled('callback') };
    const change = moveRegistration({
      registration,
      patch,
      cause,
      nowMs: this.#nowMs + 1000,
      detail: { respCode },
    });
    return this.apply({ ...change, callback });
  }

  async expire(registration: Registration): Promise<Registration> {
    const patch = {
      status: 'unanswered',
      reasonCode: 'no-callback',
      reason: verbatim('never told'),
      ...this.#settled('time'),
    } as const;
    return this.apply(moveRegistration({ registration, patch, cause: 'time-passed', nowMs: this.#nowMs }));
  }

  #settled(settledBy: 'reply' | 'callback' | 'time') {
    return { settledBy, settledAtMs: this.#nowMs + 1000, awaitedUntilMs: null };
  }
}

async function settle(filler: Filler, registration: Registration, wanted: string, companyId: string) {
  if (wanted === 'held' || wanted === 'rejected') return;
  const { sent, attempt } = await filler.send(registration, companyId);
  if (wanted === 'failed')
    return void (await filler.answer(sent, attempt, [
      'failed',
      'turned-down',
      'CBS003',
      'Account is not active',
    ]));
  if (wanted === 'in-doubt')
    return void (await filler.answer(sent, attempt, [
      'in-doubt',
      'outcome-in-doubt',
      'SYS001',
      'System error',
    ]));
  const taken = await filler.answer(sent, attempt, ['acknowledged', 'acknowledged', '0', 'Success']);
  if (wanted === 'unanswered') await filler.expire(taken);
  if (wanted === 'acknowledged' || wanted === 'unanswered') return;
  const told = await filler.callBack(taken, attempt, wanted === 'refused' ? 'refused' : 'registered');
  if (wanted === 'contradicted') await filler.callBack(told, attempt, 'refused');
}

/** Makes the journal in the settings' folder, with one batch of registrations and a callback that nobody knows. */
export async function makeRegisteredJournal(
  configPath: string,
  dataDir: string,
  nowMs: number,
): Promise<void> {
  const loaded: LoadedSettings = loadSettings({ configPath, dataDir, env: {}, cwd: dataDir });
  const { companyId } = loaded.settings.bank;
  await using store = await openJournal({ dataDir, stamp: describeIdentity(loaded), access: 'own', nowMs });
  await fillRegistrations(store, companyId, nowMs);
}

/** One batch of registrations in most of their states, and a callback that nobody knows. */
export async function fillRegistrations(store: Store, companyId: string, nowMs: number): Promise<void> {
  const intake = store.registrationIntake;
  const start = { batchId: registeredBatchId, sha256: 'ab'.repeat(32), fileName: 'november.csv', companyId };
  await intake.startIngest({ ...start, extraColumns: ['branch'], nowMs });
  await intake.stage(
    registeredBatchId,
    registeredRows.map(([id, status], place) => makeFileRow(id, place + 1, status === 'rejected')),
  );
  await intake.seal(registeredBatchId, { rows: registeredRows.length, conflictingRowNos: [] }, nowMs);
  await store.moveRegistrationBatch(registeredBatchId, 'running', null, nowMs);
  const filler = new Filler(store, nowMs);
  for (const registration of await store.readyRegistrations(registeredBatchId, 0, 100)) {
    const wanted = registeredRows[registration.rowNo - 1]?.[1] ?? 'held';
    await settle(filler, registration, wanted, companyId);
  }
  const why = {
    code: '0429',
    reason: verbatim('Too many requests'),
    remedy: verbatim('Goes on by itself an hour later'),
  };
  await store.holdReadyRegistrations(registeredBatchId, 'paused', why, nowMs);
  await store.moveRegistrationBatch(registeredBatchId, 'paused', why, nowMs + 2000);
  const service = servicePayer(companyId);
  const pause = {
    ...service,
    ...why,
    troubles: 1,
    isTransfer: true,
    sinceMs: nowMs,
    untilMs: nowMs + 3_600_000,
  };
  await store.recordPayerPause(pause);
  const unknown = { ...defaults, accountNo: '0099999999', refs: ['STRANGER', null, null, null] } as const;
  await store.keepCallback(
    callbackOf({ ...unknown, registrationId: '', customerId: '' }, 'registered', nowMs),
    null,
  );
}
