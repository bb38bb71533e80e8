/** A statement that had failed one attempt of a row is withdrawn, and the row has others. */
import { describe, expect, test } from 'vitest';
import { move } from '../../src/core/change.ts';
import type { Payout } from '../../src/core/payout.ts';
import { applied, bringTo, firstBatchId } from '../support/journal-fixtures.ts';
import { lineFor, openDay, type ReconcileDay } from '../support/reconcile-kit.ts';
import { noonMs } from '../support/core-fixtures.ts';

async function payoutOf({ store, attempts: [one] }: ReconcileDay): Promise<Payout> {
  const payout = await store.payout(one?.payoutSeq ?? 0);
  if (payout === undefined) throw new Error('there is no such payout');
  return payout;
}

/** The statuses of its attempts, first to last, after that of the row. */
async function statusesOf(day: ReconcileDay): Promise<readonly string[]> {
  const { companyId } = day.attempts[0]?.order ?? { companyId: '' };
  const payout = await payoutOf(day);
  const attempts = await day.store.attemptsOf(companyId, payout.instruction.payoutId);
  return [payout.status, ...attempts.map(({ status }) => status)];
}

async function tryAgain(day: ReconcileDay): Promise<Payout> {
  const payout = await payoutOf(day);
  return applied(
    day.store,
    move({ payout, patch: { status: 'ready', holds: [] }, cause: 'tried-again', nowMs: noonMs }),
  );
}

/** A row whose only attempt a statement has called failed, with what takes that back. */
async function openFailed(): Promise<{
  readonly day: ReconcileDay;
  readonly withdraw: () => Promise<unknown>;
}> {
  const day = await openDay(['unresolved', 'paid']);
  const [one, two] = day.attempts;
  await day.reconcile([lineFor(one, { status: 'failed' }), lineFor(two)]);
  return { day, withdraw: () => day.reconcile([lineFor(two)]) };
}

describe('a row that was tried again', () => {
  test('and waits to be sent is in doubt again, so that no next attempt is made', async () => {
    const { day, withdraw } = await openFailed();
    await using opened = day;
    await tryAgain(opened);
    await withdraw();
    expect(await statusesOf(opened)).toEqual(['unresolved', 'unresolved']);
    expect(await payoutOf(opened)).toMatchObject({ isAlarm: true, reasonCode: 'earlier-attempt-open' });
  });

  test.each([
    ['submitted', 'submitted', 'recorded'],
    ['paid', 'paid', 'paid'],
    ['failed', 'unresolved', 'failed'],
  ] as const)(
    'and is %s by its next attempt has an alarm, and its first in doubt',
    async (ending, row, next) => {
      const { day, withdraw } = await openFailed();
      await using opened = day;
      await tryAgain(opened);
      await bringTo(opened.store, ending, firstBatchId, 1);
      await withdraw();
      expect(await statusesOf(opened)).toEqual([row, 'unresolved', next]);
      expect((await payoutOf(opened)).isAlarm).toBe(true);
      await withdraw();
      expect(await statusesOf(opened)).toEqual([row, 'unresolved', next]);
    },
  );
});

test('a row whose latest attempt failed by a reply is not in doubt for it, though a statement failed an earlier one', async () => {
  await using day = await openDay(['failed', 'paid']);
  const [one, two] = day.attempts;
  await tryAgain(day);
  await bringTo(day.store, 'failed', firstBatchId, 1);
  await day.reconcile([lineFor(one, { status: 'in-process' }), lineFor(two)]);
  expect(await statusesOf(day)).toEqual(['unresolved', 'unresolved', 'failed']);
  const failed = [lineFor(one, { status: 'failed' }), lineFor(two)];
  await day.reconcile(failed);
  expect(await statusesOf(day)).toEqual(['failed', 'failed', 'failed']);
  await day.reconcile([...failed, lineFor(two, { transRefNo: 'OTHER', companyId: 'COMP000009' })]);
  expect(await statusesOf(day)).toEqual(['failed', 'failed', 'failed']);
});
