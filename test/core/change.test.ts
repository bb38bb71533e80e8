import { describe, expect, test } from 'vitest';
import { move, requireAllowed } from '../../src/core/change.ts';
import type { Change } from '../../src/core/ports.ts';
import { decideIntent, noBankNames } from '../../src/payout/rules/intent.ts';
import { makePayout, noonMs, payer, policy } from '../support/core-fixtures.ts';

const { change: intent, attempt } = decideIntent({
  payout: makePayout(),
  attemptsRecorded: 0,
  number: 1,
  cleared: [],
  names: noBankNames,
  payer,
  policy,
  nowMs: noonMs,
});
const found = move({
  payout: makePayout(),
  patch: { status: 'unresolved', attemptNo: 2 },
  cause: 'found-after-loss',
  nowMs: noonMs,
});
const adopted = { ...attempt, attemptNo: 2 };

describe('what no store may apply', () => {
  test.each<[string, Change]>([
    ['cannot become', { ...intent, after: { ...intent.after, status: 'paid' } }],
    ['composed for payout', { ...intent, after: { ...intent.after, seq: 8 } }],
    ['another payout’s', { ...intent, attempt: { ...attempt, payoutSeq: 8 } }],
    ['nothing else, is marked', { ...found, isIntent: true, adopts: [adopted] }],
    ['makes a new attempt', { ...found, attempt, adopts: [adopted] }],
    ['not the payout’s latest', { ...intent, attempt: { ...attempt, attemptNo: 2 } }],
    ['is adopted', found],
    ['is adopted', { ...intent, adopts: [adopted] }],
    ['another payout’s', { ...found, adopts: [{ ...adopted, payoutSeq: 8 }] }],
    ['does not follow', { ...found, adopts: [adopted, adopted] }],
    ['not the payout’s latest', { ...found, adopts: [attempt] }],
  ])('%s', (why, change) => {
    expect(() => requireAllowed(change)).toThrow(why);
  });

  test('is neither an intent nor what was found after a loss, as they are composed', () => {
    requireAllowed(intent);
    requireAllowed({ ...found, adopts: [adopted] });
  });
});
