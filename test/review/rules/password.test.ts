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

const noTries: PasswordTries = { failedTries: 0, lockedUntilMs: 0 };
const startMs = 1_700_000_000_000;

/** Wrong passwords, each as soon as it counts. */
function* tryAgain(count: number, from = noTries, fromMs = startMs) {
  let [tries, nowMs] = [from, fromMs];
  for (let made = 1; made <= count; made += 1) {
    nowMs = Math.max(nowMs, tries.lockedUntilMs);
    const verdict = decideTry(tries, nowMs);
    if (verdict.kind !== 'counts') throw new Error('it has waited long enough');
    tries = verdict.after;
    yield { ...verdict, nowMs, delayS: (tries.lockedUntilMs - nowMs) / 1_000 };
  }
}

test('a few wrong ones cost nothing, then each twice as long as the one before, then a day; and so again', () => {
  const round = [0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 960, 86_400];
  const made = [...tryAgain(2 * lockTries)];
  expect(made.map(({ delayS }) => delayS)).toEqual([...round, ...round]);
  // Each lock is told.
  const locks = made.flatMap(({ isLockedNow }, place) => (isLockedNow ? [place + 1] : []));
  expect(locks).toEqual([lockTries, 2 * lockTries]);
  for (const { after, nowMs } of made.filter(({ delayS }) => delayS > 0))
    expect([decideTry(after, after.lockedUntilMs - 1).kind, nowMs]).toEqual(['locked', nowMs]);
});

test('one wrong password a day keeps nobody out', () => {
  const locked = [...tryAgain(lockTries)].at(-1)!.after;
  const daily = [...tryAgain(1, locked)].at(-1)!;
  expect(daily).toMatchObject({ after: { failedTries: 1 }, delayS: 0 });
  // Nor does one that an older program has counted beyond its lock.
  const older = { failedTries: lockTries + 5, lockedUntilMs: startMs };
  expect(decideTry(older, startMs)).toMatchObject({ kind: 'counts', after: { failedTries: 1 } });
});

test.each([
  [3, 86_400_000 - 1, 4],
  [3, 86_400_000, 1],
  [8, 86_400_000 - 1, 9],
  [8, 86_400_000, 1],
])('after %i wrong ones, %i ms after the last, the next is number %i', (count, laterMs, failedTries) => {
  const { after, nowMs } = [...tryAgain(count)].at(-1)!;
  expect(decideTry(after, nowMs + laterMs)).toMatchObject({ after: { failedTries } });
});

test('a one-time password lasts a week', () => {
  expect([6.99, 7].map((days) => isOneTimeOver(0, days * 86_400_000))).toEqual([false, true]);
});
