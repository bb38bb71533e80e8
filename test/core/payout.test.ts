import { describe, expect, test } from 'vitest';
import {
  type AttemptStatus,
  attemptStatuses,
  attemptTransitions,
  type BatchStatus,
  batchStatuses,
  batchTransitions,
  canMoveAttempt,
  canMoveBatch,
  canMovePayout,
  claimReleasingStatuses,
  finalStatuses,
  moneyMoved,
  type PayoutStatus,
  payoutStatuses,
  payoutTransitions,
  sourceStatuses,
} from '../../src/core/payout.ts';

const leadsTo = (from: PayoutStatus): PayoutStatus[] => [
  ...new Set(payoutTransitions.filter((row) => row.from === from && row.to !== from).map((row) => row.to)),
];

describe('where a payout can go from each status', () => {
  test.each<[PayoutStatus, PayoutStatus[]]>([
    ['staged', ['ready', 'held', 'rejected']],
    ['rejected', ['ready', 'held', 'paid']],
    ['ready', ['held', 'cancelled', 'unpayable', 'submitted', 'failed', 'unresolved', 'paid']],
    ['held', ['ready', 'cancelled', 'unresolved', 'failed', 'paid']],
    ['cancelled', ['paid']],
    ['unpayable', ['ready', 'held', 'paid']],
    ['submitted', ['paid', 'failed', 'held', 'unresolved']],
    ['paid', ['disputed']],
    ['failed', ['ready', 'held', 'unresolved', 'paid']],
    ['unresolved', ['failed', 'paid']],
    ['disputed', ['paid']],
  ])('%s', (from, to) => expect(leadsTo(from).toSorted()).toEqual(to.toSorted()));
});

describe('what must never happen to a payout', () => {
  test('nothing is submitted but a ready payout whose intent is recorded', () => {
    const into = payoutTransitions.filter((row) => row.to === 'submitted' && row.from !== 'submitted');
    expect(into).toEqual([{ from: 'ready', to: 'submitted', cause: 'intent-recorded' }]);
  });

  test('a late proof is recorded from any status that believes otherwise', () => {
    const others = payoutStatuses.filter((status) => status !== 'staged' && status !== 'paid');
    expect(others.filter((status) => !leadsTo(status).includes('paid'))).toEqual([]);
  });

  test('a proof is an alarm unless the payout was submitted or unresolved', () => {
    expect(sourceStatuses('paid', 'proved').toSorted()).toEqual(['submitted', 'unresolved']);
    const alarms = ['cancelled', 'disputed', 'failed', 'held', 'ready', 'rejected', 'unpayable'];
    expect(sourceStatuses('paid', 'late-proof').toSorted()).toEqual(alarms);
  });

  test('what may be with the bank is never simply ready again, nor cancelled', () => {
    for (const from of ['submitted', 'unresolved', 'paid', 'disputed'] as const) {
      expect(leadsTo(from)).not.toContain('ready');
      expect(leadsTo(from)).not.toContain('cancelled');
    }
  });

  test('no line stands twice', () => {
    const lines = payoutTransitions.map(({ from, to, cause }) => `${from} ${to} ${cause}`);
    expect(new Set(lines).size).toBe(lines.length);
  });

  test('a move needs its own cause', () => {
    expect(canMovePayout('submitted', 'paid', 'proved')).toBe(true);
    expect(canMovePayout('submitted', 'paid', 'late-proof')).toBe(false);
    expect(canMovePayout('ready', 'paid', 'proved')).toBe(false);
    expect(canMovePayout('paid', 'failed', 'inquiry-failed')).toBe(false);
  });
});

describe('where an attempt can go from each status', () => {
  test.each<[AttemptStatus, AttemptStatus[]]>([
    ['recorded', ['sent', 'refused', 'unresolved', 'failed', 'paid']],
    ['sent', ['failed', 'refused', 'unresolved', 'paid']],
    ['refused', ['sent', 'failed', 'unresolved', 'paid']],
    ['unresolved', ['failed', 'paid']],
    ['failed', ['unresolved', 'paid']],
    ['paid', []],
  ])('%s', (from, to) => {
    expect(attemptTransitions.filter((row) => row.from === from).map((row) => row.to)).toEqual(to);
    const reached = attemptStatuses.filter((status) => canMoveAttempt(from, status));
    expect(reached.toSorted()).toEqual([from, ...to].toSorted());
  });
});

describe('where a batch can go from each status', () => {
  test.each<[BatchStatus, BatchStatus[]]>([
    ['ingesting', ['sealed', 'rejected']],
    ['sealed', ['running', 'halted']],
    ['running', ['paused', 'halted', 'done']],
    ['paused', ['running', 'halted', 'done']],
    ['halted', ['running', 'done']],
    ['done', ['running']],
    ['rejected', ['ingesting']],
  ])('%s', (from, to) => {
    expect(batchTransitions.filter((row) => row.from === from).map((row) => row.to)).toEqual(to);
    expect(batchStatuses.filter((status) => canMoveBatch(from, status)).toSorted()).toEqual(to.toSorted());
  });
});

describe('what each status says', () => {
  test.each<[PayoutStatus, 'no' | 'unknown' | 'yes']>([
    ['staged', 'no'],
    ['rejected', 'no'],
    ['ready', 'no'],
    ['held', 'no'],
    ['cancelled', 'no'],
    ['unpayable', 'no'],
    ['submitted', 'unknown'],
    ['unresolved', 'unknown'],
    ['disputed', 'unknown'],
    ['failed', 'no'],
    ['paid', 'yes'],
  ])('%s: the money moved? %s', (status, moved) => expect(moneyMoved(status)).toBe(moved));

  test('a claim is given back only where no money has moved and none can', () => {
    expect(claimReleasingStatuses.toSorted()).toEqual(['failed', 'rejected', 'unpayable']);
    expect(claimReleasingStatuses.every((status) => moneyMoved(status) === 'no')).toBe(true);
  });

  test('a final status is none that the program itself still works on', () => {
    const open = payoutStatuses.filter((status) => !finalStatuses.includes(status));
    expect(open.toSorted()).toEqual(['held', 'ready', 'staged', 'submitted', 'unresolved']);
  });
});
