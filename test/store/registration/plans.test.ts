/** What is read again and again is found by an index, however many rows the journal has. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { openConnection } from '../../../src/store/connection.ts';
import type { Store } from '../../../src/store/store.ts';
import { noonMs } from '../../support/journal-fixtures.ts';
import {
  calledBack,
  callbackOf,
  identityOf,
  intentOf,
  makeInstruction,
  makeRegistrationRow,
  present,
  registrationBatchId,
  runRegistrations,
} from '../../support/registration-journal.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';

const last = Number.MAX_SAFE_INTEGER;

/** Whatever is asked in loops, or of every row and callback. */
const asked: Record<string, (store: Store) => Promise<unknown>> = {
  registrationBatch: async (store) => store.registrationBatch(registrationBatchId),
  registrationTotals: async (store) => store.registrationTotals(registrationBatchId),
  runnable: async (store) => store.runnableRegistrationBatches(),
  unreported: async (store) => store.unreportedRegistrationBatches(),
  ready: async (store) => store.readyRegistrations(registrationBatchId, 0, 10),
  registration: async (store) => store.registration(1),
  attempt: async (store) => store.registrationAttempt(1, 1),
  history: async (store) => store.registrationHistory(1),
  find: async (store) => store.findRegistrations('R1'),
  'by reference': async (store) => store.searchRegistrations({ reference: 'REF-1' }, last, 10),
  'by account': async (store) => store.searchRegistrations({ accountNo: '1234560001' }, last, 10),
  'waiting ones': async (store) => store.searchRegistrations({ isWaiting: true }, last, 10),
  'waiting ones of a batch': async (store) =>
    store.searchRegistrations({ isWaiting: true, batchId: registrationBatchId }, last, 10),
  'count of waiting ones': async (store) => store.countFoundRegistrations({ isWaiting: true }),
  'by status': async (store) => store.searchRegistrations({ statuses: ['refused'] }, last, 10),
  alarms: async (store) => store.searchRegistrations({ isAlarm: true }, last, 10),
  submitted: async (store) => store.submittedRegistrations(noonMs, 0, 10),
  overdue: async (store) => store.overdueRegistrations(noonMs, 10),
  nextOverdue: async (store) => store.nextOverdueAtMs(),
  countAwaited: async (store) => store.countAwaitedRegistrations(),
  countAwaitedOfBatch: async (store) => store.countAwaitedRegistrations(registrationBatchId),
  holder: async (store) => store.registrationHolder('C', 'R1'),
  similarHolders: async (store) => store.similarRegistrationHolders('C', 'R1'),
  sent: async (store) => store.sentRegistrations(identityOf(makeInstruction(1))),
  unbound: async (store) => store.unboundCallbacks(10),
  unknown: async (store) => store.unknownCallbacks(10),
  countUnknown: async (store) => store.countUnknownCallbacks(),
  callbackReceivedAtMs: async (store) => store.callbackReceivedAtMs('key'),
  reports: async (store) => store.registrationReports.reports(registrationBatchId),
  intent: async (store) => store.applyRegistrations([intentOf(await present(store, { seq: 1 }))]),
  callback: async (store) => store.applyRegistrations([calledBack(await present(store, { seq: 1 }))]),
  keepCallback: async (store) => store.keepCallback(callbackOf(makeInstruction(9)), null),
};

test('every statement that is run in loops goes by an index, and none sorts what it has found', async () => {
  await using sqlite = await makeSqliteStore();
  await runRegistrations(sqlite.store, [makeRegistrationRow(1), makeRegistrationRow(2)]);
  // A connection that has compiled nothing yet.
  const store = await sqlite.openAnother();
  using explainer = openConnection(sqlite.path);
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  const faults: string[] = [];
  let seen = 0;
  for (const [name, ask] of Object.entries(asked)) {
    prepare.mockClear();
    await ask(store);
    const statements = prepare.mock.calls
      .map(([text]) => text)
      .filter((text) => text.includes('registration'));
    seen += statements.length;
    for (const text of statements) {
      const plan = explainer
        .prepare(`explain query plan ${text}`)
        .all()
        .map(({ detail }) => String(detail));
      faults.push(
        ...plan
          .filter((step) => isFault(step) || goesThroughReady(text, step))
          .map((step) => `${name}: ${step}`),
      );
    }
  }
  prepare.mockRestore();
  expect(faults).toEqual([]);
  expect(seen).toBeGreaterThan(30);
});

/** A scan of a partial index has what it is for alone. */
const allowedScans =
  /^SCAN (?:\w+ )?USING (?:COVERING )?INDEX registration_(?:waiting|alarm|awaited|overdue|attempt_offset|callback_unbound|batch_unreported|batch_open)\b|^SCAN ready$|^SCAN CONSTANT ROW/;

/** Ready rows are many: batches that have any are found without going through them. */
const goesThroughReady = (text: string, step: string): boolean =>
  text.includes('with recursive ready') && step.includes('registration_by_status');

const isFault = (step: string): boolean => step.startsWith('SCAN') && !allowedScans.test(step);
