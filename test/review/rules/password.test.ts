/** Passwords that will not do, and what wrong ones cost. */
import { expect, test } from 'vitest';
import {
  complainAboutPassword,
  decideTry,
  isOneTimeOver,
  lockTries,
  type PasswordTries,
} from '../../../src/review/rules/password.ts';

const mali = { name: 'mali.srisuk@firm.example', displayName: 'มะลิ ศรีสุข' };

test.each([
  ['', 'at least 12'],
  ['elevenchars', 'at least 12'],
  ['x'.repeat(300), 'at most 256'],
  ['aaaabbbbaaaabbbb', 'different characters'],
  ['Password1234', 'tries first'],
  ['mali.srisuk12', 'own name'],
  ['Mali.Srisuk@firm.example!', 'own name'],
  ['มะลิ ศรีสุข22', 'own name'],
])('%j will not do', (password, why) => {
  expect(complainAboutPassword(password, mali)).toContain(why);
});

test.each(['green tea at noon', 'ชาเขียวตอนเที่ยงวัน', 'mali.srisuk drinks green tea', 'x9#Lq2!vB7w_'])(
  '%j will do',
  (password) => {
    expect(complainAboutPassword(password, mali)).toBeUndefined();
  },
);

test('a few wrong ones cost nothing, then each twice as long as the one before, then a day', () => {
  let tries: PasswordTries = { failedTries: 0, lockedUntilMs: 0 };
  const delays: number[] = [];
  const locks: number[] = [];
  for (let nowMs = 0, count = 1; count <= 14; count += 1) {
    const verdict = decideTry(tries, nowMs);
    if (verdict.kind !== 'counts') throw new Error('it has waited long enough');
    delays.push(Math.max(0, verdict.after.lockedUntilMs - nowMs) / 1_000);
    if (verdict.isLockedNow) locks.push(count);
    tries = verdict.after;
    if (tries.lockedUntilMs > nowMs)
      expect(decideTry(tries, tries.lockedUntilMs - 1)).toEqual({ kind: 'locked' });
    nowMs = Math.max(nowMs, tries.lockedUntilMs);
  }
  expect(delays).toEqual([0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 960, 86_400, 86_400, 86_400]);
  // Told once.
  expect(locks).toEqual([lockTries]);
});

test('a one-time password lasts a week', () => {
  expect([6.99, 7].map((days) => isOneTimeOver(0, days * 86_400_000))).toEqual([false, true]);
});
