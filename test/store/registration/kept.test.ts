/** What is kept of registrations for ever, what of it nobody can change, and who sees it: others, and after a restart. */
import { verbatim } from '../../../src/core/message.ts';
import { copyFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { backUpJournal } from '../../../src/app/backup.ts';
import { auditRegistration } from '../../../src/evidence/rules/audit.ts';
import { tamper as tamperWith } from '../../support/store-fixtures.ts';
import { openConnection } from '../../../src/store/connection.ts';
import { bindKeptCallbacks, takeCallback } from '../../../src/registration/take-callback.ts';
import { readHighWaterMark } from '../../../src/store/high-water-mark.ts';
import { openJournal } from '../../../src/store/open.ts';
import { decideRenewal } from '../../../src/registration/rules/intent.ts';
import type { RegistrationAttempt } from '../../../src/registration/rules/registration.ts';
import { noonMs } from '../../support/journal-fixtures.ts';
import { testOnEngines } from '../../support/registration-engines.ts';
import {
  applyOne,
  attemptOf,
  calledBack,
  callbackOf,
  changeOf,
  identityOf,
  intentOf,
  makeInstruction,
  makeRegistrationRow,
  present,
  registrationBatchId,
  type Registrations,
  runRegistrations,
} from '../../support/registration-journal.ts';
import { makeFolder, makeSqliteStore, openingIn } from '../../support/sqlite-store.ts';

async function sendTwo(store: Registrations) {
  const [first, second] = await runRegistrations(store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
  if (first === undefined || second === undefined) throw new Error('two are not ready');
  await store.applyRegistrations([intentOf(first), intentOf(second)]);
  return { first: await present(store, first), second: await present(store, second) };
}

const why = { code: 'x', reason: verbatim('y'), remedy: verbatim('z') };

test('the events of each registration are a chain', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, path } = sqlite;
  const { first } = await sendTwo(store);
  await store.applyRegistrations([
    { ...calledBack(first), event: { cause: 'called-back', atMs: noonMs, detail: { by: 'somebody' } } },
  ]);
  const audit = async () => {
    await using reader = await store.openAudit();
    const registrations = (await Array.fromAsync(reader.registrations())).flat();
    return registrations.map((kept) => auditRegistration(kept)?.place);
  };
  expect(await audit()).toEqual([undefined, undefined]);
  expect((await store.registrationHistory(1))?.events.at(-1)?.detail).toEqual({ by: 'somebody' });
  // Whatever is changed by hand is found, and named.
  tamperWith(
    path,
    'drop trigger registration_event_never_changes; update registration_event set at_ms = 1 where seq = 3',
  );
  tamperWith(path, `update registration set status = 'registered' where seq = 2`);
  const place = `row 1 of batch ${registrationBatchId}: event 3`;
  expect((await audit())[0]).toBe(`registration R1, ${place}`);
  expect((await audit())[1]).toContain('registration R2');
});

testOnEngines('only people end an alarm', async ({ store }) => {
  const { first } = await sendTwo(store);
  const ended = (await applyOne(store, calledBack(first))).now;
  const alarming = changeOf(ended, 'contradicted', { status: 'contradicted', isAlarm: true });
  const { now } = await applyOne(store, alarming);
  const again = (await applyOne(store, changeOf(now, 'contradicted', { isAlarm: false }))).now;
  expect(again.isAlarm).toBe(true);
  const decided = changeOf(again, 'decided', { status: 'registered', isAlarm: false });
  expect((await applyOne(store, decided)).now.isAlarm).toBe(false);
});

testOnEngines('a request that goes again is found by both of its numbers from then on', async ({ store }) => {
  const { first } = await sendTwo(store);
  const sent = attemptOf({ ...first, attemptNo: 0 });
  const renewal = decideRenewal(first, sent, 'again', noonMs);
  const { now } = await applyOne(store, renewal!);
  // Answered, or left in doubt: both numbers stay.
  const attempt = { ...sent, bankOffsetMs: -65_000 };
  await applyOne(store, changeOf(now, 'acknowledged', { status: 'acknowledged' }, { attempt }));
  for (const reference of [sent.requestUid, 'again']) {
    const [found] = await store.findRegistrations(reference);
    expect(found?.attempts).toMatchObject([
      { requestUid: sent.requestUid, renewedUid: 'again', bankOffsetMs: -65_000 },
    ]);
    expect(found?.row.attempt).toEqual(found?.attempts[0]);
    expect(await store.searchRegistrations({ reference }, Number.MAX_SAFE_INTEGER, 9)).toHaveLength(1);
  }
  const [other] = await store.findRegistrations('uid-2-1');
  expect(other?.attempts).toMatchObject([{ requestUid: 'uid-2-1', renewedUid: null, bankOffsetMs: null }]);
});

const refused = [
  `update registration_event set detail = '{}'`,
  'delete from registration_event',
  'delete from registration',
  `update registration_row set cells = '[]'`,
  'delete from registration_attempt',
  `update registration_attempt set request_uid = 'x'`,
  `update registration_attempt set instruction = '{}'`,
  `update registration_attempt set renewed_uid = 'y' where registration_seq = 1`,
  'delete from registration_claim',
  'delete from registration_callback',
  ...['body', 'header', 'from_address', 'key', 'callback', 'outcome'].map(
    (column) => `update registration_callback set ${column} = 'x'`,
  ),
  'update registration_callback set received_at_ms = 1',
  'update registration_callback set repeats = -1',
  'update registration_callback set registration_seq = 2',
  'update registration_callback set registration_seq = null',
  `insert into registration_attempt (registration_seq, attempt_no, identity_key, instruction, request_uid, ip_address, intent_at_ms)
     values (2, 9, '', '{}', 'uid-1-1', '', 1)`,
];

testOnEngines(
  'nothing that was kept is changed or removed, by whatever statement',
  async ({ store, tamper }) => {
    const { first } = await sendTwo(store);
    await store.applyRegistrations([calledBack(first)]);
    await tamper(`update registration_attempt set renewed_uid = 'x' where registration_seq = 1`);
    for (const statement of refused) await expect(tamper(statement)).rejects.toThrow(/never|kept|unique/i);
  },
);

testOnEngines(
  'a callback is kept once however often it is told, and bound when its registration turns up',
  async ({ store }) => {
    const early = callbackOf(makeInstruction(1), 'registered', noonMs + 60_000);
    const strange = callbackOf(makeInstruction(77));
    expect(await store.callbackReceivedAtMs(early.key)).toBeUndefined();
    expect(await Promise.all([store.keepCallback(early, null), store.keepCallback(strange, null)])).toEqual([
      true,
      true,
    ]);
    expect(await store.keepCallback(early, null)).toBe(false);
    expect(await store.callbackReceivedAtMs(early.key)).toBe(early.receivedAtMs);
    expect(await store.unboundCallbacks(10)).toEqual([]);
    expect((await store.unknownCallbacks(10)).map(({ key, repeats }) => [key, repeats])).toEqual([
      [strange.key, 0],
      [early.key, 1],
    ]);
    const ready = await runRegistrations(store, [makeRegistrationRow(1)]);
    expect(ready).toEqual([]);
    await store.liftRegistrationHolds(null, ['called-back'], noonMs);
    const { now } = await applyOne(store, intentOf(await present(store, { seq: 1 })));
    const [unbound] = await store.unboundCallbacks(10);
    expect(unbound).toMatchObject({
      key: early.key,
      body: early.body,
      header: early.header,
      registrationSeq: null,
    });
    expect((await applyOne(store, calledBack(now, 'registered', 'called-back', unbound))).isApplied).toBe(
      true,
    );
    expect(await store.unboundCallbacks(10)).toEqual([]);
    expect(await store.countUnknownCallbacks()).toBe(1);
    // What is told of one that it does not change is its own all the same; bound once, it only counts.
    expect(await store.keepCallback(strange, 1)).toBe(false);
    expect(await store.countUnknownCallbacks()).toBe(0);
    await store.keepCallback(early, 1);
    const history = await store.registrationHistory(1);
    expect(history?.callbacks.map(({ key, repeats }) => [key, repeats])).toEqual([
      [early.key, 2],
      [strange.key, 0],
    ]);
  },
);

testOnEngines(
  'what was applied before any intent of its identity waits for no registration',
  async ({ store }) => {
    const { first } = await sendTwo(store);
    await store.keepCallback(callbackOf(makeInstruction(1), 'refused', noonMs - 3_600_000), null);
    expect(await store.unboundCallbacks(10)).toEqual([]);
    expect(await store.sentRegistrations(identityOf(first.instruction))).toHaveLength(1);
  },
);

testOnEngines(
  'what was applied 65 s before the only attempt, and came after it, is bound',
  async ({ store }) => {
    const { first } = await sendTwo(store);
    const early = callbackOf(makeInstruction(1), 'refused', noonMs - 65_000);
    await store.keepCallback({ ...early, receivedAtMs: noonMs - 6_000 }, null);
    expect(await store.unboundCallbacks(10)).toEqual([]);
    const late = callbackOf(makeInstruction(1), 'refused', noonMs - 64_000);
    await store.keepCallback({ ...late, receivedAtMs: noonMs + 1 }, null);
    const context = {
      journal: store,
      clock: { now: () => noonMs + 2 },
      log: () => {},
      mayMissAttempts: async () => false,
    };
    expect(await bindKeptCallbacks(context)).toMatchObject([[{ key: late.key }, { kind: 'applied' }]]);
    expect(await present(store, first)).toMatchObject({ status: 'refused' });
  },
);

testOnEngines(
  'an attempt that the bank turned down does not stand beside another one, and its clock counts',
  async ({ store }) => {
    const { first } = await sendTwo(store);
    const attempt = attemptOf({ ...first, attemptNo: 0 });
    const turnedDown = { ...attempt, httpStatus: 429, statusCode: '0429', taken: 'no' } as const;
    const held = { status: 'held', holds: ['paused'], awaitedUntilMs: null } as const;
    await applyOne(store, changeOf(first, 'turned-down-for-all', held, { attempt: turnedDown }));
    await store.liftRegistrationHolds(null, ['paused'], noonMs);
    await applyOne(store, intentOf(await present(store, first), noonMs + 3_600_000));
    const read = () => store.sentRegistrations(identityOf(first.instruction));
    expect((await read()).map(({ isOnly }) => isOnly)).toEqual([false, true]);
    const second = await present(store, first);
    const answered = { ...attemptOf({ ...second, attemptNo: 1 }, noonMs + 3_600_000), bankOffsetMs: -65_000 };
    await applyOne(
      store,
      changeOf(second, 'acknowledged', { status: 'acknowledged' }, { attempt: answered }),
    );
    expect((await read()).map(({ bankOffsetMs }) => bankOffsetMs)).toEqual([-65_000, -65_000]);
  },
);

/** An attempt that was answered so, and a second one an hour later. */
async function sendAgain(store: Registrations, answer: Partial<RegistrationAttempt>) {
  const { first } = await sendTwo(store);
  const attempt = { ...attemptOf({ ...first, attemptNo: 0 }), ...answer };
  const held = { status: 'held', holds: ['paused'], awaitedUntilMs: null } as const;
  await applyOne(store, changeOf(first, 'turned-down-for-all', held, { attempt }));
  await store.liftRegistrationHolds(null, ['paused'], noonMs);
  return applyOne(store, intentOf(await present(store, first), noonMs + 3_600_000));
}

const takeAt = (store: Registrations, appliedAtMs: number, receivedAtMs: number) => {
  const record = { ...callbackOf(makeInstruction(1), 'refused', appliedAtMs), receivedAtMs };
  const mayMissAttempts = async () => false;
  return takeCallback(
    { journal: store, clock: { now: () => receivedAtMs }, log: () => {}, mayMissAttempts },
    record,
  );
};

testOnEngines(
  "the code 0429 in another's answer does not say that the bank has not taken it",
  async ({ store }) => {
    const answer = { httpStatus: 200, statusCode: '0429', bankOffsetMs: 0, taken: null };
    const { now } = await sendAgain(store, answer);
    await takeAt(store, noonMs + 60_000, noonMs + 3_601_000);
    expect(await present(store, now)).toMatchObject({ status: 'submitted' });
  },
);

testOnEngines('a callback is not bound to an attempt that never left', async ({ store }) => {
  const { now } = await sendAgain(store, { taken: 'no' });
  // By a clock that is 70 s behind: the only attempt that the bank may have is meant.
  const taking = await takeAt(store, noonMs + 3_600_000 - 70_000, noonMs + 3_601_000);
  expect(taking).toMatchObject({ kind: 'applied' });
  expect(await present(store, now)).toMatchObject({ status: 'refused' });
});

testOnEngines(
  'the offset that an earlier answer has shown counts while the later attempt has no answer',
  async ({ store }) => {
    const { now } = await sendAgain(store, { bankOffsetMs: -90_000, taken: 'yes' });
    const sent = await store.sentRegistrations(identityOf(now.instruction));
    expect(sent.map(({ bankOffsetMs }) => bankOffsetMs)).toEqual([-90_000, -90_000]);
    const taking = await takeAt(store, noonMs + 3_600_500 - 90_000, noonMs + 3_601_000);
    expect(taking).toEqual({ kind: 'unknown', isAmbiguous: true });
  },
);

testOnEngines('a snapshot stands still, and shows what has changed since', async ({ store }) => {
  const { first, second } = await sendTwo(store);
  await using before = await store.registrationReports.snapshot();
  await store.applyRegistrations([calledBack(first)]);
  await store.applyRegistrations([changeOf(second, 'acknowledged-by-person', { isAcknowledged: true })]);
  const rowsOf = async (snapshot: typeof before, since?: number) =>
    (await Array.fromAsync(snapshot.resultRows(registrationBatchId, since))).flat();
  expect((await rowsOf(before)).map(({ status }) => status)).toEqual(['submitted', 'submitted']);
  await using after = await store.registrationReports.snapshot();
  // That somebody has noted it is nothing new in a result.
  expect((await rowsOf(after, before.eventSeq)).map(({ seq, status }) => [seq, status])).toEqual([
    [1, 'registered'],
  ]);
  expect(await after.totals(registrationBatchId)).toEqual([
    { status: 'registered', rows: 1, alarmRows: 0, acknowledgedRows: 0 },
    { status: 'submitted', rows: 1, alarmRows: 0, acknowledgedRows: 1 },
  ]);
  expect((await after.batch(registrationBatchId))?.status).toBe('running');
});

testOnEngines('a batch at rest is reported on again when something has happened since', async ({ store }) => {
  const { first, second } = await sendTwo(store);
  expect(await store.unreportedRegistrationBatches()).toEqual([]);
  expect(await store.moveRegistrationBatch(registrationBatchId, 'done', null, noonMs)).toBe(true);
  expect(await store.moveRegistrationBatch(registrationBatchId, 'paused', null, noonMs)).toBe(false);
  expect(await store.unreportedRegistrationBatches()).toEqual([registrationBatchId]);
  const report = async (number: number) => {
    await using snapshot = await store.registrationReports.snapshot();
    const file = { path: `r${number}`, temporaryPath: `t${number}`, sha256: 's', atMs: noonMs };
    return {
      batchId: registrationBatchId,
      kind: 'result',
      number,
      ...file,
      eventSeq: snapshot.eventSeq,
    } as const;
  };
  await store.registrationReports.recordReports([await report(0)]);
  expect(await store.unreportedRegistrationBatches()).toEqual([]);
  await store.applyRegistrations([changeOf(second, 'acknowledged-by-person', { isAcknowledged: true })]);
  expect(await store.unreportedRegistrationBatches()).toEqual([]);
  await store.applyRegistrations([calledBack(first)]);
  expect(await store.unreportedRegistrationBatches()).toEqual([registrationBatchId]);
  await expect(store.registrationReports.recordReports([await report(1), await report(0)])).rejects.toThrow(
    /unique/i,
  );
  expect(await store.registrationReports.reports(registrationBatchId)).toHaveLength(1);
});

testOnEngines(
  'rows are held, let go on and cancelled by the batch, and found by what they wait for',
  async ({ store }) => {
    const rows = Array.from({ length: 1_100 }, (_one, place) => makeRegistrationRow(place + 1));
    await runRegistrations(store, rows);
    expect(await store.holdReadyRegistrations(registrationBatchId, 'paused', why, noonMs)).toBe(1_100);
    expect(await store.holdReadyRegistrations(registrationBatchId, 'halted', why, noonMs)).toBe(0);
    expect(await store.countFoundRegistrations({ hold: 'paused', isWaiting: true })).toBe(1_100);
    expect(await present(store, { seq: 1_100 })).toMatchObject({
      status: 'held',
      holds: ['paused'],
      reasonCode: 'x',
    });
    expect(await store.liftRegistrationHolds(null, ['halted'], noonMs)).toBe(0);
    expect(await store.liftRegistrationHolds(null, ['paused', 'halted'], noonMs)).toBe(1_100);
    expect(await store.runnableRegistrationBatches()).toHaveLength(1);
    await store.moveRegistrationBatch(registrationBatchId, 'done', null, noonMs);
    expect(await store.runnableRegistrationBatches()).toHaveLength(1);
    expect(await store.cancelUnsentRegistrations(registrationBatchId, noonMs)).toBe(1_100);
    expect(await store.runnableRegistrationBatches()).toEqual([]);
    expect(await store.countRegistrations()).toEqual(new Map([['cancelled', 1_100]]));
  },
);

testOnEngines('what is awaited falls due in its order, but for what is being sent', async ({ store }) => {
  const { first, second } = await sendTwo(store);
  expect(await store.nextOverdueAtMs()).toBeUndefined();
  await store.applyRegistrations([
    changeOf(first, 'acknowledged', { status: 'acknowledged', awaitedUntilMs: noonMs + 20 }),
    changeOf(second, 'outcome-in-doubt', { status: 'in-doubt', awaitedUntilMs: noonMs + 10 }),
  ]);
  expect(await store.nextOverdueAtMs()).toBe(noonMs + 10);
  expect((await store.overdueRegistrations(noonMs + 19, 10)).map(({ seq }) => seq)).toEqual([2]);
  expect((await store.overdueRegistrations(noonMs + 20, 10)).map(({ seq }) => seq)).toEqual([2, 1]);
});

testOnEngines(
  'a process beside the sender takes callbacks, and each sees what the other did',
  async ({ store, openAnother }) => {
    const beside = await openAnother();
    const { first, second } = await sendTwo(store);
    const ended = await Promise.all([
      beside.applyRegistrations([calledBack(first)]),
      store.applyRegistrations([changeOf(first, 'acknowledged', { status: 'acknowledged' })]),
      beside.applyRegistrations([calledBack(second)]),
    ]);
    // Of two that decided on the same version one comes through.
    expect([ended[0], ended[1]].flat().filter(Boolean)).toEqual([true]);
    expect(ended[2]).toEqual([true]);
    expect(await store.registration(2)).toEqual(await beside.registration(2));
    const history = await store.registrationHistory(2);
    expect(history?.events.map(({ cause }) => cause)).toEqual(['sealed', 'intent-recorded', 'called-back']);
  },
);

test('an older copy without what was registered since is refused, and a backup has it', async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  {
    await using store = await openJournal(openingIn(folder.path));
    await runRegistrations(store, [makeRegistrationRow(1)]);
  }
  await copyFile(path, `${folder.path}/older.db`);
  {
    await using store = await openJournal(openingIn(folder.path));
    await store.applyRegistrations([intentOf(await present(store, { seq: 1 }))]);
    backUpJournal(folder.path, `${folder.path}/backup.db`, noonMs);
  }
  using copied = openConnection(`${folder.path}/backup.db`);
  expect(copied.prepare('select status from registration').get()?.['status']).toBe('submitted');
  await copyFile(`${folder.path}/older.db`, path);
  await expect(openJournal(openingIn(folder.path))).rejects.toThrow(
    'it has 1 event of registrations, 2 were recorded',
  );
});

test('the mark moves on with every commit, before anybody could send on the strength of it', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, dataDir } = sqlite;
  const { first } = await sendTwo(store);
  const { latestRegistrationEventSeq: before } = readHighWaterMark(dataDir) ?? {};
  await store.applyRegistrations([calledBack(first)]);
  expect([before, readHighWaterMark(dataDir)?.latestRegistrationEventSeq]).toEqual([4, 5]);
});
