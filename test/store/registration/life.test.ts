/** A registration in the journal, from its file to its callback. */
import { expect, test } from 'vitest';
import { noonMs } from '../../support/journal-fixtures.ts';
import {
  applyOne,
  calledBack,
  identityOf,
  intentOf,
  makeRegistrationRow,
  registrationBatchId,
  runRegistrations,
  takeRegistrationsIn,
} from '../../support/registration-journal.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';

test('a registration lives from its file to its callback, and every read knows it', async () => {
  await using sqlite = await makeSqliteStore();
  const { store } = sqlite;
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
    { registration: sent.now, status: 'submitted', intentAtMs: noonMs },
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
});

test('a file is read again from its start, and its seal holds it to what was read', async () => {
  await using sqlite = await makeSqliteStore();
  const { store } = sqlite;
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
});
