/** Passwords that will not do, and what wrong ones cost. */
import { expect, test } from 'vitest';
import { loadGuessedPasswords } from '../../../src/review/sign-in.ts';
import {
  complainAboutPassword,
  decideTry,
  isOneTimeOver,
  lockTries,
  type PasswordTries,
} from '../../../src/review/rules/password.ts';
import { inWords } from '../../support/in-words.ts';

const mali = { name: 'mali.srisuk@firm.example', displayName: 'มะลิ ศรีสุข' };

const guessed = await loadGuessedPasswords();

test.each([
  ['', 'at least 12'],
  ['elevenchars', 'at least 12'],
  ['x'.repeat(300), 'at most 256'],
  ['aaaabbbbaaaabbbb', 'different characters'],
  ['948305718264', 'more than digits'],
  ['948-305-718-264', 'more than digits'],
  // In the list as it is, in another case, and with what stands for its letters.
  ['qazwsxedcrfv', 'attackers try first'],
  ['Password1234', 'attackers try first'],
  ['P@$$w0rd-1234', 'attackers try first'],
  ['5up3rn@tur4l', 'attackers try first'],
  // With digits and signs behind it or before it.
  ['liverpool2026', 'attackers try first'],
  ['!!Liverp00l26', 'attackers try first'],
  ['2026-Dragon-2027', 'attackers try first'],
  // Again and again.
  ['letmeinletmein', 'attackers try first'],
  ['monkeymonkey99', 'attackers try first'],
  // The user's own name, whole or in part, with what stands for its letters, and digits behind it.
  ['mali.srisuk12', 'own name'],
  ['Mali.Srisuk@firm.example!', 'own name'],
  ['มะลิ ศรีสุข22', 'own name'],
  ['mali12345678', 'own name'],
  ['Srisuk-2026-2027', 'own name'],
  ['m@li5r1suk201', 'own name'],
  ['ศรีสุข๒๕๖๙1234', 'own name'],
  ['malimalimali1', 'own name'],
])('%j will not do', (password, why) => {
  expect(inWords(complainAboutPassword(password, mali, guessed))).toContain(why);
});

test.each(
  // Those that the program knew before it had a list.
  `123456789012 1234567890123 1234567890ab 1q2w3e4r5t6y 1qaz2wsx3edc abcdefghijkl adminadminadmin administrator
   changemeplease changeme12345 iloveyou1234 letmeinletmein paydroppaydrop password1234 password12345 password123456
   passwordpassword p@ssw0rd1234 qazwsxedcrfv qwerty123456 qwerty1234567 qwertyqwerty qwertyuiop12 qwertyuiop123
   sawasdee1234 thailand1234 welcome12345 Sawatdee-2569 paydrop2026!`.split(/\s+/),
)('%s will not do either', (password) => {
  expect(complainAboutPassword(password, mali, guessed)).toBeDefined();
});

test.each([
  'green tea at noon',
  'ชาเขียวตอนเที่ยงวัน',
  'mali.srisuk drinks green tea',
  'x9#Lq2!vB7w_',
  'dragon monkey at 7',
  'srisuk and tea',
])('%j will do', (password) => {
  expect(complainAboutPassword(password, mali, guessed)).toBeUndefined();
});

test('a long one is looked at in no time', () => {
  const before = process.cpuUsage();
  const ends = '1a2b3c'.repeat(3) + '1'.repeat(100);
  for (const password of [`${'1'.repeat(120)}ab${'1'.repeat(120)}`, ends, 'ab1'.repeat(85), '(1'.repeat(128)])
    complainAboutPassword(password, mali, guessed);
  // Time of the processor, because the time on the wall depends on what else the machine does.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  expect(
    inWords(complainAboutPassword(`${'12'.repeat(40)}password${'34'.repeat(40)}`, mali, guessed)),
  ).toContain('first');
});

test('the list has its ten thousands, and each of 12 characters and more is refused', async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const all = dictionary['passwords-common'];
  expect(all.length).toBeGreaterThan(10_000);
  const long = all.filter((password) => password.length >= 12);
  expect(long.length).toBeGreaterThan(300);
  expect(long.filter((one) => complainAboutPassword(one, mali, guessed) === undefined)).toEqual([]);
});

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
