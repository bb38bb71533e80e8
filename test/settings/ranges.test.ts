/** What each number of the settings may be: the least, the most and why, and that the message of a refusal cures it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { SettingsError } from '../../src/settings/secrets.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { settings } from '../docs/settings-page.ts';

const root = mkdtempSync(join(tmpdir(), 'paydrop-ranges-'));
afterAll(() => rmSync(root, { recursive: true }));

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const timerMs = 2_147_483_647;

type Range = readonly [key: string, least: number | 'none', most: number, tooLow: string, tooHigh: string];

/** Where 0 stands for none: the least besides it. */
const leastBesides: Readonly<Record<string, number>> = {
  'bank.requestsPerSecond': 0.1,
  'settle.intentMaxAgeMs': 60_000,
};

const ranges: readonly Range[] = [
  ['bank.timeoutMs', 1_000, 300_000, 'leave every transfer in doubt', 'hold every request'],
  ['bank.requestsPerSecond', 'none', 10_000, 'wait for minutes', '0 sets no limit'],
  ['verify.concurrency', 1, 1_000, 'verify.enabled: false', 'attack'],
  ['transfer.concurrency', 1, 1_000, 'nothing would be sent', 'attack'],
  ['settle.firstDelayMs', 100, hourMs, 'again and again', 'not be asked about'],
  ['settle.maxDelayMs', 100, dayMs, 'again and again', 'less than once a day'],
  ['settle.giveUpAfterMs', 1_000, timerMs, 'given up before', '24 days'],
  ['settle.notFoundTrustMs', 100, dayMs, 'on its way', 'own day'],
  ['settle.resendsMax', 0, 100, 'nothing again', 'needs a person'],
  ['settle.intentMaxAgeMs', 'none', dayMs, 'too old to be sent', 'own day'],
  ['brake.consecutiveFailures', 1, 1_000_000, '1000000 never acts', 'never acts'],
  ['brake.failureShare', 0.01, 1, 'a few failures', 'half of the rows are 0.5'],
  ['brake.window', 1, 1_000_000, 'rows to look back on', 'never act'],
  ['brake.inDoubtMax', 1, 1_000_000, '1000000 never acts', 'never acts'],
  ['limits.rowsPerFile', 0, 1_000_000_000, '0 sets no limit', '0 sets no limit'],
  ['limits.bytesPerFile', 0, 2 ** 40, '0 sets no limit', '0 sets no limit'],
  ['limits.batchMaxAgeHours', 0, 8_784, '0 sets no limit', 'last year'],
  ['limits.similarDays', 0, 366, 'compares with nothing', 'more than a year'],
  ['limits.likeFileDays', 0, 366, 'compares with nothing', 'more than a year'],
  ['limits.filesPerDay', 0, 1_000_000, '0 sets no limit', '0 sets no limit'],
  ['watch.filesAtOnce', 1, 100, 'nothing would be sent', 'in memory'],
  ['watch.stillMs', 50, hourMs, 'still written', 'before it is paid'],
  ['watch.pollMs', 50, hourMs, 'all the time', 'not be seen'],
  ['watch.rescanMs', 100, hourMs, 'all the time', 'not be seen'],
  ['watch.waitMs', 0, dayMs, 'not negative', 'on the day of its file'],
  ['watch.graceMs', 1_000, hourMs, 'leave in doubt', 'does not wait so long'],
  ['watch.probeMs', 100, hourMs, 'all the time', 'not be noticed'],
  ['notices.inDoubtAfterMs', 0, 7 * dayMs, 'not negative', 'a week'],
  ['notices.notReadyAfterMs', 0, dayMs, 'not negative', 'a day'],
  ['reconcile.maxBytes', 1_024, 2 ** 40, 'every statement', 'fill the disk'],
  ['reconcile.timeoutMs', 1_000, dayMs, 'every download', 'next day'],
  ['output.workbookRows', 1, 30_000, 'output.workbook: false', 'in memory'],
  ['review.expireDays', 1, 90, 'before it is read', 'too much has changed'],
  ['review.doubtAfterMs', 0, 7 * dayMs, 'not negative', 'a week'],
  ['registration.concurrency', 1, 1_000, 'nothing would be sent', 'attack'],
  ['registration.answerWithinMs', 1_000, timerMs, 'unanswered', '24 days'],
  ['registration.callbacks.port', 0, 65_535, '0 listens nowhere', 'no port is higher'],
  ['registration.callbacks.bodyBytesMax', 1_024, 2 ** 20, 'refused', 'in memory'],
  ['registration.callbacks.requestTimeoutMs', 100, 300_000, 'cut off', 'hold every connection'],
  ['registration.callbacks.connectionsMax', 1, 100_000, 'no callback', 'in memory'],
];

/** Numbers of which every value that is allowed has a name of its own. */
const listed = ['review.people', 'approval.people'];

const bank = {
  baseUrl: 'sandbox',
  channelId: 'PAYDROP',
  termId: 'TERM0001',
  companyId: 'COMP000001',
  payerAccount: '0000345924',
};

/** Loads the settings with a value under a key, and what else has to stand there for it. */
function loadWith(key: string, value: number): unknown {
  const others = key === 'settle.firstDelayMs' ? { settle: { maxDelayMs: dayMs } } : {};
  const short = key === 'settle.maxDelayMs' ? { settle: { firstDelayMs: 100 } } : {};
  const whole: Record<string, unknown> = { bank, ...others, ...short };
  let section = whole;
  const path = key.split('.');
  for (const name of path.slice(0, -1)) {
    section[name] = { ...(section[name] as object | undefined) };
    section = section[name] as Record<string, unknown>;
  }
  section[path.at(-1) ?? ''] = value;
  writeFileSync(join(root, 'paydrop.yaml'), stringify(whole), { mode: 0o600 });
  let found: unknown = loadSettings({ cwd: root, env: {} }).settings;
  for (const name of path) found = (found as Record<string, unknown>)[name];
  return found;
}

function complain(key: string, value: number): string {
  try {
    loadWith(key, value);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error(`${key}: ${value} was accepted`);
}

test('every number of the settings has a range', () => {
  const numbers = settings.filter(({ described: { type } }) => type === 'integer' || type === 'number');
  const names = numbers.map(({ key }) => key).filter((key) => !listed.includes(key));
  expect(ranges.map(([key]) => key).toSorted()).toEqual(names.toSorted());
});

describe.each(ranges)('%s', (key, least, most, tooLow, tooHigh) => {
  const lowest = least === 'none' ? (leastBesides[key] ?? 0) : least;
  const isFraction = !Number.isInteger(lowest);
  const below = isFraction ? lowest / 2 : lowest - 1;
  const above = isFraction ? most * 1.5 : most + 1;

  test('takes the least and the most', () => {
    expect(loadWith(key, lowest)).toBe(lowest);
    expect(loadWith(key, most)).toBe(most);
    if (least === 'none') expect(loadWith(key, 0)).toBe(0);
    else if (lowest > 0) expect(complain(key, 0)).toContain(tooLow);
  });

  test.each([
    ['less', below, 'least', tooLow],
    ['more', above, 'most', tooHigh],
  ] as const)(
    'refuses %s, with its line, why, and a number that is taken when typed',
    (_, value, word, why) => {
      const message = complain(key, value);
      const [, bound, reason] =
        /paydrop\.yaml: [\w.]+ \(line \d+\): must be at (?:least|most) ([\d.]+), found [-\d.]+: (.+)$/.exec(
          message,
        ) ?? [];
      expect(message).toContain(`${key} (line `);
      expect(message).toContain(`must be at ${word} `);
      expect(reason).toContain(why);
      expect(loadWith(key, Number(bound))).toBe(Number(bound));
    },
  );
});
