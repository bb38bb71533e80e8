/** What a journal that was carried over answers: as it did where it was, whatever it is asked, and an audit finds it whole. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs } from '../../../src/core/bangkok-time.ts';
import { auditJournal } from '../../../src/evidence/audit.ts';
import { makeDayHeads } from '../../../src/evidence/day-heads.ts';
import { headChains } from '../../../src/evidence/rules/day-head.ts';
import { proposalStatuses } from '../../../src/review/rules/proposal.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../../src/store/postgres/journal.ts';
import type { Store } from '../../../src/store/store.ts';
import { makeBusyJournal } from '../../support/busy-journal.ts';
import { firstBatchId, noonMs } from '../../support/journal-fixtures.ts';
import { moveJournal } from '../../support/moves.ts';
import { describePostgres, makeDatabase } from '../../support/postgres.ts';
import { date, nextDate } from '../../support/statement-fixtures.ts';

const many = 1_000;
const latestMs = noonMs + 100 * dayMs;

const flatten = async <Item>(pages: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> =>
  (await Array.fromAsync(pages)).flat();

const sorted = (items: readonly unknown[]): readonly string[] =>
  items
    .map((item) =>
      JSON.stringify(item, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    )
    .toSorted();

async function readView(store: Store): Promise<unknown> {
  await using view = await store.openStatementView();
  const places = await flatten(view.attemptsOfDay(date));
  const attempts = [];
  for (const place of places) attempts.push(await view.attempt(place));
  const keys = [...places.map(({ transRefNo }) => transRefNo), 'PDSTRANGER0000000001', 'NOBODY'];
  return {
    places,
    attempts,
    days: view.days(),
    none: await flatten(view.attemptsOfDay(nextDate)),
    byReference: await view.byReference(keys),
    inDoubt: await flatten(view.attemptsInDoubt()),
    provedLate: await view.attemptsProvedLate(),
    clean: await view.withCleanLine(date, places),
    lines: await view.linesOf(keys, attempts),
    standing: await view.standingBreaks(keys),
    withBreaks: [await flatten(view.keysWithBreaks()), await flatten(view.keysWithBreaks(date))],
    unclear: await flatten(view.unclearKeysOf(date)),
    withPast: await flatten(view.keysWithPast(date)),
  };
}

async function readStatements(store: Store): Promise<unknown> {
  const version = await store.statement(date);
  const dueRuns = await store.dueReports();
  const [open] = await store.openBreaks(date, 1);
  return {
    version,
    dueRuns,
    versions: await store.statementVersions(date),
    broken: [await store.brokenOff(date, 5), await store.brokenOff(nextDate, 5)],
    files: await store.acceptedFiles(),
    attempts: [await store.hasAttemptsOn(date), await store.hasAttemptsOn(nextDate)],
    days: await store.statementDays(),
    breaks: await store.openBreaks(date, many),
    counts: [await store.countOpenBreaks(date), await store.countAcceptedBreaks(date)],
    accepted: await store.acceptedBreaks(date, many),
    one: open && (await store.openBreak(open)),
    shown: await flatten(store.breaksToShow({ date, runId: dueRuns[0]?.runId ?? '' })),
    missing: await store.daysWithoutStatement([date, nextDate]),
    inPart: await store.daysReadInPart(),
    first: await store.firstDaySent(),
  };
}

const readQueue = async (store: Store): Promise<unknown> => ({
  runnable: await store.runnableBatches(),
  open: await store.countOpenBatches(),
  unreported: [await store.unreportedBatches(), await store.untoldBatches(0)],
  byStatus: sorted([...(await store.countByStatus())]),
  doubt: [await store.oldestInDoubtAtMs(), await store.batchesInDoubtSince(latestMs)],
  intake: [await store.openIntake(), await store.countIntake(), await store.openIntake('registration')],
  notices: [await store.dueNotices(latestMs, many), await store.nextNoticeAtMs(), await store.countNotices()],
  last: await store.lastNotice('one'),
  alarms: [await store.alarmsAfter(0, many), await store.countAlarmRows()],
  breaks: await store.openBreaksBySeverity(),
  heads: await store.lastDailyJob('heads'),
  grown: await store.grownFiles(),
});

const readReview = async (store: Store): Promise<unknown> => ({
  proposals: await store.proposals(proposalStatuses, many, many),
  items: [await store.proposalItems(1, 0, many), await store.proposalItems(2, 0, many)],
  events: await store.proposalEvents(0, many),
  persons: { ...(await store.persons()), heads: sorted((await store.persons()).heads) },
  ofPeople: await store.personEvents(0, many),
  none: [await store.openItems('payout', []), await store.reviewNotes('payout', [])],
  open: await store.openItems('payout', ['1', '8']),
  refused: await store.refusedFiles(many),
  halts: sorted(await store.payerHalts()),
  held: sorted(await store.heldBatches()),
  doubt: sorted(await store.inDoubtByCause(latestMs)),
  mark: await store.changeMark(),
  hands: await store.handsOf(firstBatchId),
});

const readOverview = async (store: Store): Promise<unknown> => ({
  sends: sorted(await store.latestSends(many)),
  money: sorted(await store.moneySince(0)),
  unknown: sorted(await store.unknownByAge(latestMs, [1_000, 3_600_000, 86_400_000])),
  answers: await store.bankEvents(0, many),
  all: await store.payees(undefined, many, 20),
  page: await store.payees(undefined, 20, 3),
  unpaid: await store.unpaidPayees(many, 20),
  paid: await Promise.all(
    (['sum', 'failures', 'last'] as const).map((order) => store.paidPayees(order, 0, 20)),
  ),
  name: await store.payees({ kind: 'name', part: 'SOMCHAI' }, many, 20),
  thai: await store.payees({ kind: 'name', part: 'สม' }, many, 20),
  end: await store.payees({ kind: 'number-end', end: '0003' }, many, 20),
  number: await store.payees({ kind: 'number', proxyNo: '0810000003', end: '810000003' }, many, 20),
});

async function readEvidence(store: Store): Promise<unknown> {
  const before = { payouts: 3, people: 1, proposals: 0 };
  return {
    heads: await store.dayHeads(0, many),
    latest: await store.latestDayHead(),
    ends: [await store.chainEnds(before, latestMs), await store.chainEnds(before, noonMs)],
    first: await store.firstEventMs(before),
    hashes: await Promise.all(headChains.map((chain) => flatten(store.eventHashes(chain, 1, many)))),
  };
}

async function audit(store: Store): Promise<unknown> {
  await using reader = await store.openAudit();
  const audited = await auditJournal(reader, {
    journalId: reader.journalId,
    outside: [],
    findEvidenceFault: () => undefined,
  });
  const since = await auditJournal(reader, {
    journalId: reader.journalId,
    outside: [],
    sinceDate: '20261122',
    findEvidenceFault: () => undefined,
  });
  const payouts = await Array.fromAsync([1, 2, 10, many], (seq) => reader.payout(seq));
  const about = await reader.proposalsAbout(['8'], [firstBatchId]);
  return { audited, since, payouts, about, journalId: reader.journalId };
}

describePostgres('a journal that was carried over', () => {
  const stack = new AsyncDisposableStack();
  let here: Store;
  let there: Store;

  beforeAll(async () => {
    const busy = stack.use(await makeBusyJournal());
    here = busy.store;
    await makeDayHeads(here, here.journalId, noonMs + dayMs);
    const { url } = stack.use(await makeDatabase());
    await moveJournal(busy.path, url);
    const engine = stack.use(makePostgresEngine(url));
    there = stack.use(makePostgresJournal({ engine, journalId: here.journalId }));
  });
  afterAll(() => stack.disposeAsync());

  test.each([
    ['statements hold against it', readView],
    ['is known of statements', readStatements],
    ['a watcher asks', readQueue],
    ['people decide', readReview],
    ['pages show', readOverview],
    ['heads of days stand for', readEvidence],
  ])('answers what %s as before', async (_what, read) => {
    const before = await read(here);
    expect(await read(there)).toEqual(before);
  });

  test('is found whole by an audit, which looks at as much as before', async () => {
    const before = await audit(here);
    expect(before).toMatchObject({ audited: { isWhole: true }, since: { isWhole: true } });
    expect(await audit(there)).toEqual(before);
  });
});
