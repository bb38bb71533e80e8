import { describe, expect, test } from 'vitest';
import { countEnd, type CountedEnds, mayHalt, noEnds } from '../../../src/payout/rules/brake.ts';
import { endOf } from '../../../src/payout/rules/circuit-breaker.ts';
import type { BreakerSignal } from '../../../src/payout/rules/read-reply.ts';

const limits = { consecutiveFailures: 4, failureShare: 0.5, window: 6 };

/** `p` for paid, `f` for ended otherwise. @returns after how many ends it halts, and by which code */
function play(ends: string): string {
  let counted: CountedEnds = noEnds;
  for (const [place, end] of [...ends].entries()) {
    const step = countEnd(counted, end === 'p', limits);
    counted = step.counted;
    if (step.why !== undefined) return `${place + 1} ${step.why.code}`;
  }
  return `goes on, ${counted.consecutiveFailures} in a row, ${counted.ends.length} kept`;
}

describe('the brake', () => {
  test.each([
    ['', 'goes on, 0 in a row, 0 kept'],
    ['fff', 'goes on, 3 in a row, 3 kept'],
    ['ffff', '4 brake-consecutive'],
    ['fffpff', '6 brake-share'],
    ['fpfpp', 'goes on, 0 in a row, 5 kept'],
    ['fpfpfp', 'goes on, 0 in a row, 6 kept'],
    ['fpfpfpf', '7 brake-share'],
    ['ppppppppf', 'goes on, 1 in a row, 6 kept'],
    ['ppppppfff', '9 brake-share'],
  ])('after "%s": %s', (ends, course) => {
    expect(play(ends)).toBe(course);
  });

  test('says what it has counted, in the words of what it counts', () => {
    const three = { consecutiveFailures: 3, ends: [false, false, false] };
    expect(countEnd(three, false, limits).why?.reason).toBe('4 payouts in a row ended otherwise than paid');
    const words = { thing: 'registration', endedBadly: 'were rejected' };
    expect(countEnd(three, false, limits, words).why?.reason).toBe('4 registrations in a row were rejected');
  });
});

const reason = { code: 'EM053', text: 'Insufficient funds' };

test.each<readonly [BreakerSignal, string]>([
  [{ kind: 'paid' }, 'counted'],
  [{ kind: 'ended-otherwise' }, 'counted, may halt'],
  [{ kind: 'payer-stop', reason }, 'halts, may halt'],
  [{ kind: 'service-trouble', reason }, 'nothing'],
  [{ kind: 'unanswered', reason }, 'nothing'],
  [{ kind: 'taken' }, 'nothing'],
  [{ kind: 'answered' }, 'nothing'],
  [{ kind: 'nothing' }, 'nothing'],
])('for a journal that counts for all, %j is %s', (signal, said) => {
  const end = endOf(signal, limits);
  const isPaid = end?.kind === 'counted' ? end.isPaid : undefined;
  expect(isPaid ?? false).toBe(signal.kind === 'paid');
  expect(end === undefined ? 'nothing' : `${end.kind}${mayHalt(end) ? ', may halt' : ''}`).toBe(said);
});

test('the payer’s own trouble halts with the bank’s remedy', () => {
  expect(endOf({ kind: 'payer-stop', reason }, limits)).toMatchObject({
    why: { code: 'EM053', remedy: 'Fund the payer account then resume the batch' },
  });
});
