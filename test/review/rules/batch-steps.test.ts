import { describe, expect, test } from 'vitest';
import { type BatchStatus, type PayoutStatus } from '../../../src/core/payout.ts';
import { toSatang } from '../../../src/core/money.ts';
import { computeBatchSteps } from '../../../src/review/rules/batch-steps.ts';

const totalsOf = (rows: Partial<Record<PayoutStatus, number>>) =>
  Object.entries(rows).map(([status, count]) => ({
    status: status as PayoutStatus,
    rows: count,
    amountSatang: toSatang(BigInt(count)),
    unreadableAmounts: 0,
    alarmRows: 0,
  }));

const waiting = { people: 2, waitingRows: 3, given: 1 } as const;

describe('how far a batch is', () => {
  test.each<[string, BatchStatus, Partial<Record<PayoutStatus, number>>, typeof waiting | undefined, string]>(
    [
      [
        'being read',
        'ingesting',
        { staged: 2 },
        undefined,
        'sealed now, checked later, paying later 0/2, result later',
      ],
      ['refused', 'rejected', {}, undefined, 'sealed stopped, checked later, paying later 0/0, result later'],
      [
        'waits for approval',
        'paused',
        { held: 3 },
        waiting,
        'sealed done, checked later, approval stopped 1/2, paying stopped 0/3, result later',
      ],
      [
        'paying',
        'running',
        { paid: 3, ready: 1, rejected: 2 },
        undefined,
        'sealed done, checked done, paying now 3/4, result later',
      ],
      [
        'in doubt',
        'running',
        { paid: 3, submitted: 1 },
        undefined,
        'sealed done, checked done, paying now 4/4, result later',
      ],
      [
        'halted',
        'halted',
        { paid: 1, ready: 1 },
        undefined,
        'sealed done, checked done, paying stopped 1/2, result later',
      ],
      [
        'through',
        'done',
        { paid: 1, failed: 1, cancelled: 1 },
        undefined,
        'sealed done, checked done, paying done 2/2, result later',
      ],
    ],
  )('%s', (_name, status, rows, approval, expected) => {
    const steps = computeBatchSteps({
      batch: { status },
      totals: totalsOf(rows),
      approval,
      hasResult: false,
    });
    const told = steps.map(
      ({ step, state, done, of }) => `${step} ${state}${of === undefined ? '' : ` ${done}/${of}`}`,
    );
    expect(told.join(', ')).toBe(expected);
  });

  test.each<[string, Partial<Record<PayoutStatus, number>>, string]>([
    ['a row is in doubt', { paid: 3, submitted: 1 }, 'now'],
    ['a row is held', { paid: 3, held: 1 }, 'now'],
    ['no row is open', { paid: 3, failed: 1 }, 'done'],
  ])('a result while %s', (_name, rows, state) => {
    const steps = computeBatchSteps({
      batch: { status: 'running' },
      totals: totalsOf(rows),
      approval: undefined,
      hasResult: true,
    });
    expect(steps.at(-1)).toEqual({ step: 'result', state });
  });
});
