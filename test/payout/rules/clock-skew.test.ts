import { inEnglish } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideClockAlarm } from '../../../src/payout/rules/clock-skew.ts';

const minute = 60_000;

describe('the two clocks', () => {
  test.each([
    ['are close', undefined, 2_000, 0, undefined],
    ['are far apart from the first reply on', undefined, 6 * minute, 0, 'differs'],
    ['stay as far apart as was told', 6 * minute, 6 * minute + 900, 6 * minute, undefined],
    ['are further apart than was told', 6 * minute, 9 * minute, 6 * minute, 'differs'],
    ['are hours apart the other way', 0, -300 * minute, 0, 'differs'],
    ['come together again', 6 * minute, 0, 6 * minute, 'agrees'],
    ['jump a little', 0, 3 * minute, 0, 'jumped'],
    ['drift', 50_000, 55_000, 0, undefined],
  ] as const)('%s', (_name, before, now, told, kind) => {
    expect(decideClockAlarm(before, now, told)?.kind).toBe(kind);
  });

  test('are told of in words: which way, and how far', () => {
    const said = (offsetMs: number) => {
      const alarm = decideClockAlarm(undefined, offsetMs, 0);
      return alarm && inEnglish(alarm.text);
    };
    expect(said(7 * 60 * minute)).toContain('7 hours behind');
    expect(said(-10 * minute)).toContain('10 minutes ahead of');
  });

  test('are not told of again and again while nothing changes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 8), max: 10 ** 8 }), (offset) => {
        const first = decideClockAlarm(undefined, offset, 0);
        const told = first === undefined ? 0 : offset;
        expect(decideClockAlarm(offset, offset, told)).toBeUndefined();
      }),
    );
  });
});
