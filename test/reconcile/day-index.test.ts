import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AttemptStatus } from '../../src/core/payout.ts';
import { DayIndex } from '../../src/reconcile/day-index.ts';

const reference = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom('A', 'B', '0', '1', 'é') });
const status = fc.constantFrom<AttemptStatus>('paid', 'sent', 'failed');

test('finds what was added and nothing else, with its marks, as a map would', () => {
  const days = fc.uniqueArray(fc.tuple(reference, status), { selector: ([text]) => text, maxLength: 200 });
  fc.assert(
    fc.property(days, fc.array(reference), (attempts, others) => {
      const index = new DayIndex();
      for (const [place, [text, is]] of attempts.entries())
        index.add(text, { payoutSeq: place * 3, attemptNo: 1 }, is);
      const missed = new Set<number>();
      for (const [place, [text, is]] of attempts.entries()) {
        const entry = index.find(text) ?? -1;
        expect(index.keyOf(entry)).toEqual({ payoutSeq: place * 3, attemptNo: 1 });
        if (place % 2 === 0) index.noteLine(entry, place + 1);
        else if (is !== 'failed') missed.add(place * 3);
        expect([index.isSeen(entry), index.countedLineOf(entry)]).toEqual(
          place % 2 === 0 ? [true, place + 1] : [false, 0],
        );
      }
      expect(new Set([...index.missed()].map(({ payoutSeq }) => payoutSeq))).toEqual(missed);
      for (const text of others)
        expect(index.find(text) !== undefined).toBe(attempts.some(([known]) => known === text));
    }),
  );
});

test('grows to a day of many thousands', () => {
  const index = new DayIndex();
  for (let seq = 0; seq < 20_000; seq += 1) index.add(`R${seq}`, { payoutSeq: seq, attemptNo: 1 }, 'paid');
  expect([...index.missed()]).toHaveLength(20_000);
  for (let seq = 0; seq < 20_000; seq += 37)
    expect(index.keyOf(index.find(`R${seq}`) ?? -1).payoutSeq).toBe(seq);
  expect(index.find('R20000')).toBeUndefined();
});
