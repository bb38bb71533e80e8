/** A registration in the journal, from its file to its callback. */
import { describe, expect } from 'vitest';
import type { Registration } from '../../../src/registration/rules/registration.ts';
import { bindKeptCallbacks } from '../../../src/registration/take-callback.ts';
import { noonMs } from '../../support/journal-fixtures.ts';
import { testOnEngines } from '../../support/registration-engines.ts';
import {
  applyOne,
  callbackOf,
  calledBack,
  changeOf,
  identityOf,
  intentOf,
  makeRegistrationRow,
  registrationBatchId,
  type Registrations,
  runRegistrations,
  takeRegistrationsIn,
} from '../../support/registration-journal.ts';

testOnEngines(
  'a registration lives from its file to its callback, and every read knows it',
  async ({ store }) => {
    const [ready] = await runRegistrations(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
    if (ready === undefined) throw new Error('none is ready');
    expect(ready).toMatchObject({ seq: 1, rowNo: 1, status: 'ready', version: 2, attemptNo: 0, holds: [] });
    const sent = await applyOne(store, intentOf(ready));
    expect(sent).toMatchObject({ isApplied: true, now: { status: 'submitted', version: 3, attemptNo: 1 } });
    expect(await store.countAwaitedRegistrations()).toBe(1);
    expect(await store.countAwaitedRegistrations(registrationBatchId)).toBe(1);
    expect(await store.submittedRegistrations(noonMs + 1, 0, 10)).toEqual([sent.now]);
    expect(await store.submittedRegistrations(noonMs, 0, 10)).toEqual([]);
    expect(await store.sentRegistrations(identityOf(ready.instruction))).toEqual([
      {
        registration: sent.now,
        status: 'submitted',
        intentAtMs: noonMs,
        isLatest: true,
        taken: null,
        isOnly: true,
        bankOffsetMs: null,
      },
    ]);
    const ended = await applyOne(store, calledBack(sent.now));
    expect(ended).toMatchObject({ isApplied: true, now: { status: 'registered', version: 4 } });
    const history = await store.registrationHistory(1);
    expect(history?.events.map(({ from, to, cause }) => [from, to, cause])).toEqual([
      ['staged', 'ready', 'sealed'],
      ['ready', 'submitted', 'intent-recorded'],
      ['submitted', 'registered', 'called-back'],
    ]);
    expect(history?.attempts.map(({ requestUid }) => requestUid)).toEqual(['uid-1-1']);
    expect(history?.callbacks.map(({ registrationSeq, repeats }) => [registrationSeq, repeats])).toEqual([
      [1, 0],
    ]);
    for (const name of ['R1', 'uid-1-1']) expect(await store.findRegistrations(name)).toEqual([history]);
    expect(await store.countRegistrations()).toEqual(
      new Map([
        ['ready', 1],
        ['registered', 1],
      ]),
    );
    const found = await store.searchRegistrations({ reference: 'REF-1' }, Number.MAX_SAFE_INTEGER, 10);
    expect(found).toEqual([history?.row]);
    expect(await store.searchRegistrations({ accountNo: '1234560002' }, 10, 10)).toMatchObject([{ seq: 2 }]);
  },
);

describe('a callback about an attempt that another one has followed', () => {
  const hourMs = 3_600_000;
  const log = (): void => undefined;

  /** Sent at noon, never answered, and sent again two hours later. */
  async function sendTwice(store: Registrations): Promise<Registration> {
    const [ready] = await runRegistrations(store, [makeRegistrationRow(1)]);
    if (ready === undefined) throw new Error('none is ready');
    const { now: sent } = await applyOne(store, intentOf(ready));
    const { now: doubted } = await applyOne(
      store,
      changeOf(sent, 'outcome-in-doubt', { status: 'in-doubt' }),
    );
    const unanswered = { status: 'unanswered', awaitedUntilMs: null } as const;
    const { now: overdue } = await applyOne(store, changeOf(doubted, 'time-passed', unanswered));
    const { now: again } = await applyOne(store, changeOf(overdue, 'tried-again', { status: 'ready' }));
    const { isApplied, now } = await applyOne(store, intentOf(again, noonMs + 2 * hourMs));
    expect(isApplied).toBe(true);
    return now;
  }

  const outcomes = [
    ['registered', 'registered'],
    ['refused', 'submitted'],
  ] as const;
  for (const [outcome, status] of outcomes)
    testOnEngines(`that was ${outcome} leaves it ${status}, and is known as its own`, async ({ store }) => {
      const { seq, instruction } = await sendTwice(store);
      if (instruction === null) throw new Error('it asks for nothing');
      expect(await store.sentRegistrations(identityOf(instruction))).toMatchObject([
        { intentAtMs: noonMs, isLatest: false, isOnly: false },
        { intentAtMs: noonMs + 2 * hourMs, isLatest: true, isOnly: false },
      ]);
      const record = callbackOf(instruction, outcome, noonMs + hourMs);
      const context = {
        journal: store,
        clock: { now: () => noonMs + 3 * hourMs },
        log,
        mayMissAttempts: async () => false,
      };
      await store.keepCallback(record, null);
      expect(await bindKeptCallbacks(context)).toHaveLength(1);
      expect(await store.registration(seq)).toMatchObject({ status, isAlarm: false });
      const callbacks = (await store.registrationHistory(seq))?.callbacks;
      expect(callbacks).toMatchObject([{ key: record.key, registrationSeq: seq, repeats: 0 }]);
      expect(await store.countUnknownCallbacks()).toBe(0);
    });
});

testOnEngines(
  'a file is read again from its start, and its seal holds it to what was read',
  async ({ store }) => {
    const { registrationIntake: intake } = store;
    await takeRegistrationsIn(store, [makeRegistrationRow(1)]);
    const batchId = 'REGBBBBBBBBB';
    const start = {
      batchId,
      sha256: 'b',
      fileName: 'b.csv',
      companyId: 'C',
      extraColumns: ['own'],
      nowMs: noonMs,
    };
    await intake.startIngest(start);
    await intake.stage(batchId, [makeRegistrationRow(1, { registrationId: 'B1' })]);
    await intake.startIngest(start);
    await intake.stage(batchId, [makeRegistrationRow(1, { registrationId: 'B1', accountNo: '777' })]);
    await expect(intake.seal(batchId, { rows: 2, conflictingRowNos: [] }, noonMs)).rejects.toThrow(
      '1 row were staged',
    );
    const sealed = await intake.seal(batchId, { rows: 1, conflictingRowNos: [] }, noonMs);
    const { nowMs: _nowMs, ...named } = start;
    const times = { startedAtMs: noonMs, droppedAtMs: noonMs, sealedAtMs: noonMs, restedAtMs: null };
    const why = { reasonCode: null, reason: null, remedy: null };
    expect(sealed).toEqual({ ...named, ...why, ...times, status: 'sealed', rows: 1 });
    await expect(intake.startIngest(start)).rejects.toThrow('not read again');
  },
);
