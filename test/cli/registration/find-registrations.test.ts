/** Registrations in a journal, and every way to see them from the shell. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRegisteredJournal, registeredBatchId } from '../../support/registration-journal.ts';
import { noonMs } from '../../support/report-fixtures.ts';
import { callPaydrop } from '../call-paydrop.ts';

const config = join(import.meta.dirname, '../../../config/sandbox.yaml');
/** Digits of an account or of a customer, whole. */
const wholeNumber = /00123456\d\d|0099999999|9000000000004/;
let folder = '';
const call = (...args: readonly string[]) => callPaydrop(...args, '--config', config, '--data-dir', folder);
const parseLines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-registered-'));
  await makeRegisteredJournal(config, folder, noonMs);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('status', () => {
  test('has a section of registrations: what stands still, what is awaited, who called, batch by batch', async () => {
    const { code, stdout } = await call('status');
    expect(code).toBe(0);
    expect(stdout).toContain('Registrations\n');
    expect(stdout).toContain(
      'All registrations are paused until 2026-11-21 15:03:05, and then go on by themselves (0429: Too many requests)',
    );
    expect(stdout).toMatch(
      /2 registrations wait for the bank's callback; the first counts as unanswered from 2026-11-22/,
    );
    expect(stdout).toContain('1 registration was never answered');
    expect(stdout).toMatch(
      /1 callback is about no registration.*\n +2026-11-21 14:03:06 +registered +V001\/COMP01/,
    );
    expect(stdout).toContain(
      '9 registrations: 1 rejected, 1 held, 1 in-doubt, 1 acknowledged, 1 unanswered, 1 registered',
    );
    expect(stdout).toContain('ALARM: 1 row contradicts what was called ended');
    expect(stdout).not.toMatch(wholeNumber);
  });

  test('of one batch, by its id in any case', async () => {
    const { code, stdout } = await call('status', registeredBatchId.toLowerCase(), '--json');
    expect(code).toBe(0);
    const [batch] = JSON.parse(stdout);
    expect(batch).toMatchObject({
      kind: 'registrations',
      batchId: registeredBatchId,
      status: 'paused',
      byStatus: { registered: { rows: 1 }, held: { rows: 1 } },
      holds: { paused: 1 },
      awaited: 2,
      alarms: 1,
    });
    expect(batch.next.map(({ command }: { command: string }) => command.replace(/ --config .*/, ''))).toEqual(
      [
        'paydrop callbacks',
        `paydrop list --registrations --batch ${registeredBatchId} --status rejected held unanswered refused failed contradicted`,
        `paydrop list --registrations --batch ${registeredBatchId} --alarms`,
      ],
    );
    expect(await call('status', 'XXXXXXXXXX')).toEndWith(2);
  });

  test('--registrations for a program', async () => {
    const { stdout } = await call('status', '--registrations', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      halts: [],
      pause: { until: '2026-11-21T15:03:05+07:00', reasonCode: '0429' },
      awaited: 2,
      unanswered: 1,
      unknownCallbacks: 1,
      latestUnknown: [{ accountNo: '******9999', outcome: 'registered' }],
      batches: [{ batchId: registeredBatchId }],
    });
    expect(stdout).not.toMatch(wholeNumber);
  });
});

describe('show', () => {
  test('tells the whole history of one, with its callbacks and what to do', async () => {
    const { code, stdout } = await call('show', 'REG-7');
    expect(code).toBe(0);
    expect(stdout).toContain('REG-7  registration of account ******5607');
    expect(stdout).toContain('ALARM: the bank contradicts what was called ended');
    expect(stdout).toMatch(/remedy: Rely on neither/);
    expect(stdout).toMatch(
      /attempt 1: 00000000-0000-4000-8000-000000000007, answered 0 \(Success\), ddrOapiSeqId DDR/,
    );
    expect(stdout.match(/ callback of 2026-11-21 14:03:06: (?:registered|refused)/g)).toHaveLength(2);
    expect(stdout).toMatch(/registered -> contradicted {2}contradicted/);
    expect(stdout).not.toMatch(wholeNumber);
  });

  test.each([
    ['requestUID', '00000000-0000-4000-8000-000000000001'],
    ['ddrOapiSeqId', 'DDR000000001'],
  ])('finds it by its %s', async (_, name) => {
    const { stdout } = await call('show', name, '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      {
        kind: 'registration',
        registrationId: 'REG-1',
        status: 'registered',
        settledBy: 'callback',
        next: [],
      },
    ]);
  });

  test('says what to type next', async () => {
    expect((await call('show', 'REG-2')).stdout).toMatch(/What to type next\n {2}paydrop retry REG-2 /);
  });

  test('says where else the name occurs', async () => {
    const { code, stderr } = await call('show', 'POLICY-3');
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      '"paydrop list --registrations --reference POLICY-3" lists the rows',
    );
  });
});

describe('list --registrations', () => {
  const idsOf = async (...args: readonly string[]) => {
    const { code, stdout } = await call('list', '--registrations', '--json', ...args);
    expect(code).toBe(0);
    return stdout.trim() === '' ? [] : parseLines(stdout).map(({ registrationId }) => registrationId);
  };

  test.each([
    [
      ['--status', 'refused', 'failed'],
      ['REG-3', 'REG-2'],
    ],
    [['--hold', 'paused'], ['REG-9']],
    [['--alarms'], ['REG-7']],
    [['--reference', 'POLICY-4'], ['REG-4']],
    [['--reference', '00000000-0000-4000-8000-000000000005'], ['REG-5']],
    [['--account', '5606'], ['REG-6']],
    [['--account', '0012345602'], ['REG-2']],
    [['--since', '2026-11-22'], []],
    [
      ['--batch', registeredBatchId, '--limit', '2'],
      ['REG-9', 'REG-8'],
    ],
  ] as const)('%j', async (args, ids) => {
    expect(await idsOf(...args)).toEqual(ids);
  });

  test('as a table, with accounts masked', async () => {
    const { stdout } = await call('list', '--registrations');
    expect(stdout).toMatch(/RegistrationId +Status +Account/);
    expect(stdout).toMatch(/REG-7 +contradicted +\*{6}5607 .*ALARM/);
    expect(stdout).toContain('9 registrations.');
    expect(stdout).not.toMatch(wholeNumber);
  });

  test.each([
    [['--registrations', '--status', 'paid'], 'no registration has --status paid'],
    [['--registrations', '--amount', '1'], '--amount is not for these rows'],
    [['--registrations', '--account', 'x'], '--account takes the digits'],
    [['--status', 'refused'], 'no payout has --status refused; add --registrations'],
    [['--account', '12'], '--account is not for these rows: add --registrations'],
    [['--registrations', '--batch', 'XXXXXXXXXX'], 'there is no batch XXXXXXXXXX'],
    [['--batch', registeredBatchId], `batch ${registeredBatchId} is of registrations: add --registrations`],
  ] as const)('%j is refused', async (args, message) => {
    const { code, stderr } = await call('list', ...args);
    expect({ code, stderr: stderr.replaceAll(/\s+/g, ' ') }).toMatchObject({ code: 2 });
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(message);
  });
});

test('result writes a batch of registrations as it is now', async () => {
  const out = join(folder, 'now');
  const ended = await call('result', registeredBatchId, '--out', out);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^total +9 {2}adds up to the file$/m);
  expect(ended.stdout).toMatch(/It stopped before every row was sent\./);
  const names = (await readdir(out)).toSorted();
  expect(names.map((name) => name.replaceAll(/\d{8}-\d{6}/g, 'NOW'))).toEqual([
    `november.${registeredBatchId}.exceptions-at-NOW.csv`,
    `november.${registeredBatchId}.result-at-NOW.csv`,
    `november.${registeredBatchId}.summary-at-NOW.json`,
  ]);
  const result = await readFile(join(out, names[1] ?? ''), 'utf8');
  expect(result.trim().split('\n')).toHaveLength(10);
  // Files have numbers whole.
  expect(result).toContain('9000000000004,V001,COMP01,0012345601,POLICY-1');
  const { stdout } = await call('result', registeredBatchId, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'registrations',
    addsUp: true,
    awaited: 2,
    exceptions: 7,
  });
});

describe('exceptions', () => {
  test('of registrations are a table of their own, to be filled in', async () => {
    const { code, stdout } = await call('exceptions', '--registrations');
    expect(code).toBe(0);
    const [head = '', ...lines] = stdout.trim().split('\n');
    expect(head).toMatch(/^batchId,rowNo,version,registrationId,.*,decision,newAccountNo,note,branch$/);
    expect(lines.map((line) => line.split(',')[3])).toEqual([2, 3, 4, 6, 7, 8, 9].map((no) => `REG-${no}`));
    expect((await call('exceptions', '--batch', registeredBatchId)).stdout).toBe(stdout);
    expect((await call('exceptions')).stdout.trim().split('\n')).toHaveLength(1);
  });

  test('go into a workbook', async () => {
    const out = join(folder, 'registrations.xlsx');
    const ended = await call('exceptions', '--registrations', '--out', out, '--json');
    expect(JSON.parse(ended.stdout)).toMatchObject({ path: out, form: 'xlsx', exceptions: 7, batches: 1 });
    expect((await readFile(out)).subarray(0, 2).toString()).toBe('PK');
  });
});
