/** A journal with registrations in most of their states, as the commands beside the sender find them. */
import { verbatim } from '../../src/core/message.ts';
import { formatBangkokDateTime } from '../../src/core/bangkok-time.ts';
import { loadSettings, type LoadedSettings } from '../../src/settings/settings.ts';
import { openJournal } from '../../src/store/open.ts';
import { describeIdentity } from '../../src/app/open-store.ts';
import type { RegistrationChange } from '../../src/registration/rules/change.ts';
import { afterRegistrationChange, moveRegistration } from '../../src/registration/rules/change.ts';
import {
  callbackKey,
  decideCallback,
  type RegistrationCallback,
} from '../../src/registration/rules/callback.ts';
import { decideIntent, servicePayer } from '../../src/registration/rules/intent.ts';
import type { RegistrationFileRow } from '../../src/registration/rules/registration-file.ts';
import { parseRegistrationRow } from '../../src/registration/rules/registration-row.ts';
import type { Registration, RegistrationAttempt } from '../../src/registration/rules/registration.ts';
import type { Store } from '../../src/store/store.ts';

export const registeredBatchId = '7B3KQ0M9ZX';

/** Of a row: what it is called, and what becomes of it. */
const rows = [
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

const makeCallback = (
  { instruction: { vendorId, companyId, accountNo, refs } }: Pick<RegistrationAttempt, 'instruction'>,
  outcome: RegistrationCallback['outcome'],
  atMs: number,
): RegistrationCallback => ({
  identity: { vendorId, companyId, accountNo, refs },
  outcome,
  respCode: outcome === 'registered' ? 'I0000' : 'I0001',
  respDesc: outcome === 'registered' ? 'Success' : 'Reject',
  applyDtm: formatBangkokDateTime(atMs).slice(0, 19).replace('T', ' '),
  appliedAtMs: atMs - (atMs % 1000),
  requestUid: `bank-${atMs}`,
});

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
    const callback = makeCallback(attempt, outcome, this.#nowMs + registration.version);
    const decision = decideCallback(registration.status, outcome, true);
    if (decision === undefined) throw new Error('the callback says nothing new');
    const { to, cause, isAlarm } = decision;
    const { respCode, respDesc, applyDtm } = callback;
    const told = { respCode, respDesc, applyDtm, reasonCode: respCode, reason: verbatim(respDesc) };
    const patch = { status: to, isAlarm, ...told, ...this.#settled('callback') };
    const change = moveRegistration({
      registration,
      patch,
      cause,
      nowMs: this.#nowMs + 1000,
      detail: { respCode },
    });
    return this.apply({ ...change, callback: this.record(callback) });
  }

  record(callback: RegistrationCallback) {
    const header = { requestUID: callback.requestUid };
    const key = callbackKey(callback);
    const { vendorId, companyId, accountNo, refs } = callback.identity;
    const [ref1, ref2, ref3, ref4] = refs;
    const { respCode, respDesc, applyDtm } = callback;
    const said = { vendorId, companyId, accountNo, ref1, ref2, ref3, ref4, respCode, respDesc, applyDtm };
    return {
      key,
      callback,
      body: JSON.stringify(said),
      header,
      fromAddress: '127.0.0.1',
      receivedAtMs: this.#nowMs + 1000,
    };
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
    rows.map(([id, status], place) => makeFileRow(id, place + 1, status === 'rejected')),
  );
  await intake.seal(registeredBatchId, { rows: rows.length, conflictingRowNos: [] }, nowMs);
  await store.moveRegistrationBatch(registeredBatchId, 'running', null, nowMs);
  const filler = new Filler(store, nowMs);
  for (const registration of await store.readyRegistrations(registeredBatchId, 0, 100)) {
    const wanted = rows[registration.rowNo - 1]?.[1] ?? 'held';
    await settle(filler, registration, wanted, companyId);
  }
  const why = { code: '0429', reason: 'Too many requests', remedy: 'Goes on by itself an hour later' };
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
  const identity = { ...defaults, accountNo: '0099999999', refs: ['STRANGER', null, null, null] } as const;
  const unknown = makeCallback(
    { instruction: { ...identity, registrationId: '', customerId: '' } },
    'registered',
    nowMs,
  );
  await store.keepCallback(filler.record({ ...unknown, identity }), null);
}
