import { describe, expect, test } from 'vitest';
import { computeExitCode } from '../../src/core/exit-code.ts';
import { batchStatuses, holdReasons, payoutStatuses } from '../../src/core/payout.ts';
import type { BatchStatus, HoldReason, PayoutStatus } from '../../src/core/payout.ts';
import { makeTotal } from '../support/report-fixtures.ts';

function exitCodeOf(
  status: BatchStatus,
  rows: readonly PayoutStatus[],
  holds: readonly HoldReason[] = [],
  exceptionsOk = false,
) {
  return computeExitCode(
    { status },
    rows.map((row) => makeTotal(row)),
    holds.map((hold) => ({ hold, rows: 1 })),
    { exceptionsOk },
  );
}

describe('the exit code', () => {
  test.each<[BatchStatus, PayoutStatus[], HoldReason[], number, number]>([
    // batch, rows, holds, exit, exit with --exceptions-ok
    ['done', ['paid'], [], 0, 0],
    ['done', [], [], 0, 0],
    ['running', ['paid'], [], 0, 0],
    ['done', ['paid', 'rejected'], [], 3, 0],
    ['done', ['failed'], [], 3, 0],
    ['done', ['unpayable'], [], 3, 0],
    ['done', ['disputed'], [], 3, 0],
    ['done', ['cancelled'], [], 3, 0],
    ['done', ['held'], ['name'], 3, 0],
    ['done', ['held'], ['limit', 'similar', 'unavailable'], 3, 0],
    ['done', ['paid', 'submitted'], [], 4, 4],
    ['running', ['unresolved', 'failed'], [], 4, 4],
    ['running', ['ready', 'submitted'], [], 6, 6],
    ['sealed', ['ready'], [], 6, 6],
    ['ingesting', ['staged'], [], 6, 6],
    ['ingesting', [], [], 6, 6],
    ['halted', ['paid'], [], 6, 6],
    ['paused', ['paid'], [], 6, 6],
    ['done', ['held', 'paid'], ['halted'], 6, 6],
    ['done', ['held'], ['paused'], 6, 6],
    ['done', ['held'], ['approval', 'name'], 6, 6],
    ['rejected', [], [], 5, 5],
  ])('of a batch %s with rows %j and holds %j is %i', (status, rows, holds, plain, accepted) => {
    expect(exitCodeOf(status, rows, holds)).toBe(plain);
    expect(exitCodeOf(status, rows, holds, true)).toBe(accepted);
  });

  test('is never 0 while a row is not paid, and the option changes only 3', () => {
    for (const batch of batchStatuses) {
      for (const row of payoutStatuses) {
        for (const hold of holdReasons) {
          const plain = exitCodeOf(batch, [row, 'paid'], row === 'held' ? [hold] : []);
          const accepted = exitCodeOf(batch, [row, 'paid'], row === 'held' ? [hold] : [], true);
          if (row !== 'paid') expect(plain).toBeGreaterThan(0);
          expect(accepted).toBe(plain === 3 ? 0 : plain);
        }
      }
    }
  });

  test('is 3 for an alarm on a paid row, whatever the option says', () => {
    const totals = [{ ...makeTotal('paid', 2), alarmRows: 1 }];
    for (const exceptionsOk of [false, true])
      expect(computeExitCode({ status: 'done' }, totals, [], { exceptionsOk })).toBe(3);
  });

  test('does not count statuses and holds without rows', () => {
    const totals = [
      makeTotal('submitted', 0),
      makeTotal('ready', 0),
      makeTotal('failed', 0),
      makeTotal('paid', 1),
    ];
    expect(
      computeExitCode({ status: 'done' }, totals, [{ hold: 'halted', rows: 0 }], { exceptionsOk: false }),
    ).toBe(0);
  });
});
