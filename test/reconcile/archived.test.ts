import { describe, expect, test } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import type { AttemptFacts } from '../../src/reconcile/rules/types.ts';
import { firstBatchId, noonMs, payer } from '../support/journal-fixtures.ts';
import { dayMs, lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { tamper } from '../support/store-fixtures.ts';

const daysLater = 40;
const laterMs = noonMs + daysLater * dayMs;

/** A day that was reconciled, and whose batch may be moved into an archive since. */
async function openOldDay(lines = clean): Promise<ReconcileDay> {
  const day = await openDay(['paid', 'failed', 'paid']);
  await day.store.moveBatch(firstBatchId, 'done', null, noonMs + 20);
  await day.reconcile(lines(day));
  tamper(day.path, 'update batch set reported_event_seq = 1000000; delete from statement_report');
  day.daysLater = daysLater;
  return day;
}

async function moveAway({ store }: ReconcileDay): Promise<void> {
  const policy = { beforeMs: laterMs, quietSinceMs: laterMs };
  const archive = await store.makeArchive(laterMs);
  expect(await store.archiveBatch(firstBatchId, archive, policy, laterMs)).toBe(true);
}

/** And was. */
async function openArchivedDay(lines = clean): Promise<ReconcileDay> {
  const day = await openOldDay(lines);
  await moveAway(day);
  return day;
}

const failedLine = (attempt: AttemptFacts | undefined) => lineFor(attempt, { status: 'failed' });
const clean = ({ attempts: [first, second, third] }: ReconcileDay) => [
  lineFor(first),
  failedLine(second),
  lineFor(third),
];

const archivedBatches = async ({ store }: ReconcileDay) =>
  (await store.archives()).reduce((sum, { batches }) => sum + batches, 0);

describe('a statement of transfers that stand in an archive', () => {
  test('the same again, and a later version that says the same, find nothing', async () => {
    await using day = await openArchivedDay();
    expect((await day.reconcile(clean(day))).isRepeat).toBe(true);
    const later = clean(day).toReversed();
    expect((await day.reconcile(later)).statement.version).toBe(2);
    expect(await openKinds(day)).toEqual([]);
  });

  test('a later version in which a failed one is complete is recorded, as an alarm', async () => {
    await using day = await openArchivedDay();
    const [first, second, third] = day.attempts;
    await day.reconcile([lineFor(first), lineFor(second), lineFor(third)]);
    expect(await day.store.payout(second?.payoutSeq ?? 0)).toMatchObject({ status: 'paid', isAlarm: true });
    expect(await day.store.claimHolders(payer.companyId, ['INV-2'])).toMatchObject([{ status: 'paid' }]);
    // It bears an alarm now: it stays in the journal.
    expect(await archivedBatches(day)).toBe(0);
  });

  test('one that contradicts opens its breaks, and a line twice is seen', async () => {
    await using day = await openArchivedDay();
    const [first, second, third] = day.attempts;
    await day.reconcile([failedLine(first), failedLine(second), lineFor(third), lineFor(third)]);
    expect(await openKinds(day)).toEqual(expect.arrayContaining(['duplicate-line', 'status-mismatch']));
  });

  test('one that lacks them all finds each of them missing', async () => {
    // Nothing that was kept of the day names one of them but as agreed.
    await using day = await openArchivedDay(({ attempts: [first, , third] }) => [
      lineFor(first),
      lineFor(third),
    ]);
    await day.reconcile([]);
    expect(await openKinds(day)).toEqual(['missing-at-bank', 'missing-at-bank']);
  });

  test('one that is read while they are moved finds them missing, too', async () => {
    await using day = await openOldDay(({ attempts: [first, , third] }) => [lineFor(first), lineFor(third)]);
    const { store } = day;
    let isMoved = false;
    const recall: typeof store.recall = async (...asked) => {
      const recalled = await store.recall(...asked);
      if (!isMoved) await moveAway(day);
      isMoved = true;
      return recalled;
    };
    await day.reconcile([], { through: { ...store, recall } });
    expect(await openKinds(day)).toEqual(['missing-at-bank', 'missing-at-bank']);
    expect(await archivedBatches(day)).toBe(0);
  });

  test('a line of another day is known for ours, and only what nobody made is not', async () => {
    await using day = await openArchivedDay();
    const on = formatBangkokDate(noonMs + 30 * dayMs);
    const changes = { effectiveDate: on, transRefNo: 'PDAAAAAAAAAAAAAAAA01' };
    const strange = lineFor(day.attempts[2], changes);
    expect(await archivedBatches(day)).toBe(1);
    await day.reconcile([lineFor(day.attempts[0]), strange], { on });
    expect(await openKinds(day, on)).toEqual(
      expect.arrayContaining(['unmatched-bank-line', 'duplicate-line']),
    );
    expect(await day.store.countOpenBreaks(on)).toEqual(
      new Map([
        ['unmatched-bank-line', 1],
        ['duplicate-line', 1],
      ]),
    );
  });
});
