/** Days that are typed on the command line. */
import { describe, expect, test } from 'vitest';
import { callPaydrop } from './call-paydrop.ts';

/** Past the reading of its day, each command finds no settings. */
const call = (args: readonly string[]) => callPaydrop(...args, '--config', '/nowhere/paydrop.yaml');
const noSettings = '/nowhere/paydrop.yaml';

const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Bangkok' }).format(Date.now());
const buddhist = `${Number(today.slice(0, 4)) + 543}${today.slice(4)}`;

describe.each([
  ['--since', (day: string) => ['list', '--since', day]],
  ['--until', (day: string) => ['list', '--until', day]],
  ['--since', (day: string) => ['list', '--registrations', '--since', day]],
  ['--since', (day: string) => ['audit', '--since', day]],
  ['--before', (day: string) => ['archive', '--before', day]],
  ['--since', (day: string) => ['run', 'payouts.csv', '--journal-lost', '--since', day]],
  ['--since', (day: string) => ['restore', 'backup.db', '--since', day]],
  ['--date', (day: string) => ['reconcile', '--date', day]],
  ['--date', (day: string) => ['reconcile', '--file', 'statement.csv', '--date', day]],
  ['the day', (day: string) => ['accept', day, '--all', '--note', 'seen']],
])('%s', (option, argsWith) => {
  test(`"${argsWith('DAY').join(' ')}" refuses a day of the Buddhist era with the day to type`, async () => {
    const refused = await call(argsWith(buddhist));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`${option}: "${buddhist}" is of the Buddhist era: write ${today}\n`);
    const [, cure = ''] = /write (\S+)\n/.exec(refused.stderr) ?? [];
    const taken = await call(argsWith(cure));
    expect(taken.code).toBe(2);
    expect(taken.stderr).toContain(noSettings);
  });
});
