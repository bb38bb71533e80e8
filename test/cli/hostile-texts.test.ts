/** What others wrote, on every screen: it steers no terminal, forges no line and carries no whole number out. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { payer } from '../support/core-fixtures.ts';
import { type Ended, runPaydrop } from './run-paydrop.ts';

const hostile = '\u001b[31m\u009b2J\u202e\u2028\nFORGED all paid';
const fileName = `pay${hostile}.csv`;
const person = '9-1000-00000-01-1';
/** Everything but the line end, which each line of ours has. */
const steering = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u;

let folder = '';
const call = (...args: readonly string[]): Promise<Ended> => runPaydrop(args, { cwd: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-hostile-'));
  const bank = { ...payer, baseUrl: 'sandbox' };
  await writeFile(join(folder, 'paydrop.yaml'), stringify({ bank, watch: { listen: '' } }));
  const header = `payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2,"note${hostile} ${person}"`;
  const rows = [
    `A,MSISDN,0810000001,,10,,,x`,
    `"B${hostile}",MSISDN,"0810000002 ${person}",,"1${hostile}",,,x`,
  ];
  await writeFile(join(folder, fileName), `${[header, ...rows].join('\n')}\n`);
  await writeFile(join(folder, 'statement.csv'), `"LINE${hostile} ${person}",${person}\n`);
  await call('run', fileName, '--wait', '5');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('no screen shows raw what others wrote', () => {
  test.each([
    ['run', [fileName, '--wait', '5']],
    ['run', [`none${hostile}.csv`]],
    ['check', [fileName]],
    ['check', [fileName, '--payees', '--wait', '5']],
    ['check', [`none${hostile}.csv`]],
    ['status', []],
    ['status', [`NONE${hostile} ${person}`]],
    ['show', ['A']],
    ['show', [`NONE${hostile} ${person}`]],
    ['list', []],
    ['resume', [`NONE${hostile} ${person}`]],
    ['reconcile', ['--file', 'statement.csv']],
    ['reconcile', ['--file', `none${hostile}.csv`]],
    ['reconcile', ['--date', `${hostile} ${person}`]],
    ['config', ['--config', `none${hostile} ${person}.yaml`]],
    ['config', [`--${hostile}`]],
  ])('%s %j', async (command, args) => {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await call(command, ...args, ...more);
      expect(`${stdout}${stderr}`).not.toBe('');
      expect(`${stdout}${stderr}`).not.toMatch(steering);
      expect(`${stdout}${stderr}`).not.toMatch(/^FORGED/m);
      expect(`${stdout}${stderr}`).not.toContain(person);
    }
  });
});

test('an unknown payout is told how payouts are found', async () => {
  expect((await call('show', 'NOPE')).stderr).toContain('"paydrop list"');
});
