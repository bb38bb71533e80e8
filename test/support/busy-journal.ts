/** A journal that was stopped in the middle of its day: something of everything is in it. */
import type { ReviewContext } from '../../src/review/context.ts';
import { check } from '../../src/review/review.ts';
import { fileOf, noticeOf } from './store-fixtures.ts';
import {
  applied,
  firstBatchId,
  firstReady,
  holdOf,
  ingest,
  ingestAs,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  payer,
  secondBatchId,
  why,
} from './journal-fixtures.ts';
import { Users } from './persons.ts';
import { lineFor, openDayOf } from './reconcile-kit.ts';
import { fillRegistrations } from './registration-journal.ts';
import { propose } from './review.ts';
import { makeSqliteStore, type SqliteStore } from './sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';

const reviewOf = (journal: Store): ReviewContext => ({
  journal,
  clock: { now: () => noonMs },
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
});

async function decide(store: Store): Promise<void> {
  const users = new Users(store);
  await users.add('mali', 'admin', null);
  await users.add('nok', 'checker', await users.find('mali'));
  await users.add('dao', 'maker', await users.find('mali'));
  const [mali, nok] = await Promise.all(['mali', 'nok'].map((name) => users.find(name)));
  const [held] = await store.findPayouts('INV-8');
  if (held === undefined || mali === undefined || nok === undefined) throw new Error('nobody is there');
  const target = { kind: 'payout', key: String(held.row.seq), version: String(held.row.version) } as const;
  const context = reviewOf(store);
  const deciderOf = ({ personId, name }: typeof mali) => ({ personId, name });
  const wish = { decision: 'go-on', targets: [target], note: 'twice', evidence: null } as const;
  const first = await propose(context, wish, deciderOf(mali));
  if (first.kind !== 'waiting') throw new Error('nothing was proposed');
  await check(context, first.proposal.proposalId, 'send-back', deciderOf(nok), { note: 'it is right' });
  await propose(context, { ...wish, note: "ไม่ใช่ 'this'\\" }, deciderOf(mali));
}

/** One row in each state, a statement with breaks, an alarm, a hold, and a second batch that has not begun. */
async function pay({ store, path }: SqliteStore): Promise<void> {
  const rows = [...makeRows(9), makeBadRow(10), ...makeRows(40, 11)];
  const statuses = ['paid', 'failed', 'unresolved', 'submitted', 'paid', 'cancelled', 'unpayable'] as const;
  await ingestAs(store, statuses, rows, { fileName: 'ส่งเงิน "พฤศจิกายน".csv' });
  await applied(store, holdOf(await firstReady(store), 'name'));
  await ingest(store, [makeRow(1, { payoutId: 'B-1', extras: ["it's", 'a\\b', '{"x"}', ''] })], {
    batchId: secondBatchId,
  });
  await using stack = new AsyncDisposableStack();
  await using day = await openDayOf(store, path, stack.move());
  const [, failed, unresolved] = day.attempts;
  const strange = lineFor(day.attempts[0], { transRefNo: 'PDSTRANGER0000000001', sysRefNo: 'SYS7' });
  await day.reconcile([lineFor(failed), lineFor(unresolved), strange]);
}

async function watch(store: Store): Promise<void> {
  await store.startIntake(fileOf('a', firstBatchId));
  await store.addNotice(noticeOf('one'), ['webhook', 'command']);
  await store.recordDailyJob('heads', '20261120');
  await store.recordPayerHalt({
    companyId: payer.companyId,
    payerAccount: '0000999999',
    ...why,
    sinceMs: noonMs,
  });
}

/** A journal with all of this; its owner closes it. */
export async function makeBusyJournal(): Promise<SqliteStore> {
  await using stack = new AsyncDisposableStack();
  const opened = stack.use(await makeSqliteStore());
  await pay(opened);
  await decide(opened.store);
  await fillRegistrations(opened.store, payer.companyId, noonMs);
  await watch(opened.store);
  const owned = stack.move();
  return { ...opened, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
