import { inEnglish, message, verbatim } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countEnd,
  type CountedEnds,
  formatBlocks,
  mayHalt,
  noEnds,
  parseCounted,
} from '../../../src/payout/rules/brake.ts';
import type { BrakeLimits } from '../../../src/core/ports.ts';
import { endOf } from '../../../src/payout/rules/circuit-breaker.ts';
import type { BreakerSignal } from '../../../src/payout/rules/read-reply.ts';

const limits = { consecutiveFailures: 4, failureShare: 0.5, window: 6 };

/** Counts ends one after the other. @returns the last count, and after how many ends it first halts */
function countAll(ends: Iterable<boolean>, under: BrakeLimits) {
  let [counted, place]: [CountedEnds, number] = [noEnds, 0];
  for (const isPaid of ends) {
    const step = countEnd(counted, isPaid, under);
    counted = step.counted;
    place += 1;
    if (step.why !== undefined) return { counted, haltsAfter: place };
  }
  return { counted, haltsAfter: undefined };
}

/** `p` for paid, `f` for ended otherwise. @returns after how many ends it halts, and by which code */
function play(ends: string): string {
  let counted: CountedEnds = noEnds;
  for (const [place, end] of [...ends].entries()) {
    const step = countEnd(counted, end === 'p', limits);
    counted = step.counted;
    if (step.why !== undefined) return `${place + 1} ${step.why.code}`;
  }
  return `goes on, ${counted.consecutiveFailures} in a row, ${counted.ends} kept`;
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
    const { counted: three } = countAll([false, false, false], limits);
    const say = (things: 'payout' | 'registration') => {
      const { why } = countEnd(three, false, limits, things);
      return why && inEnglish(why.reason);
    };
    expect(say('payout')).toBe('4 payouts in a row ended otherwise than paid');
    expect(say('registration')).toBe(
      '4 registrations in a row were turned down or left in doubt by the bank',
    );
  });
});

describe('a window of any size', () => {
  const never = { consecutiveFailures: 1_000_000, failureShare: 1 };

  test('takes no more room, and so no more time a payout, for being large', () => {
    const ends = Array.from({ length: 30_000 }, (_, place) => place % 3 === 0);
    const kept = (window: number): number => {
      const { counted, haltsAfter } = countAll(ends, { ...never, window });
      expect(haltsAfter).toBeUndefined();
      return JSON.stringify(counted).length;
    };
    expect(kept(1_000_000)).toBeLessThan(2 * kept(1_000));
  });

  test.each([1_000, 5_000, 12_345])('of %i halts with the first end that makes the share', (window) => {
    const half = { ...never, failureShare: 0.5, window };
    const ends = Array.from({ length: window }, (_, place) => place % 2 === 0);
    const last = ends.length % 2 === 0 ? window : window + 1;
    expect(countAll([...ends, false], half).haltsAfter).toBe(last);
    const calm = Array.from({ length: 3 * window }, (_, place) => place % 3 > 0);
    expect(countAll(calm, half).haltsAfter).toBeUndefined();
  });

  test('law: counts as looking back on the whole row of ends does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 300 }),
        fc.record({
          consecutiveFailures: fc.integer({ min: 1, max: 20 }),
          failureShare: fc.double({ min: 0.01, max: 1, noNaN: true }),
          window: fc.integer({ min: 1, max: 120 }),
        }),
        (ends, under) => {
          const halts = ends.findIndex((isPaid, place) => {
            const seen = ends.slice(0, place + 1);
            const last = seen.slice(-under.window);
            const inARow = place - seen.lastIndexOf(true);
            const failures = last.filter((one) => !one).length;
            const isShare = last.length === under.window && failures >= under.failureShare * under.window;
            return !isPaid && (inARow >= under.consecutiveFailures || isShare);
          });
          expect(countAll(ends, under).haltsAfter).toBe(halts < 0 ? undefined : halts + 1);
        },
      ),
    );
  });

  test('law: a journal reads what it has written, and counts on', () => {
    const window = fc.constantFrom(7, 100, 1_000, 1_001, 4_500);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), window, (ends, size) => {
        const { counted } = countAll(ends, { ...never, window: size });
        expect(parseCounted(counted.consecutiveFailures, formatBlocks(counted.blocks))).toEqual(counted);
      }),
    );
  });

  test('forgets the oldest when it is made smaller between two ends', () => {
    const { counted } = countAll([false, false, false, ...Array.from({ length: 20 }, () => true)], {
      ...never,
      window: 40,
    });
    const small = { consecutiveFailures: 5, failureShare: 0.1, window: 10 };
    expect(countEnd(counted, true, small).counted).toMatchObject({ ends: 10, failures: 0 });
  });
});

const reason = { code: 'EM053', text: verbatim('Insufficient funds') };

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
    why: { code: 'EM053', remedy: message('bank-remedy.EM053') },
  });
});
