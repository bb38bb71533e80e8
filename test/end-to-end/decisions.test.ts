/** What people decide in the shell, each with a token of his own; the bank's ledger judges. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { findPaidTwice } from './as-bank.ts';
import { openScene } from './harness.ts';
import { addPeople } from './scene-people.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const csvOf = (...rows: readonly (readonly [id: string, payee: string, baht: string])[]): string =>
  `${[header, ...rows.map(([id, payee, baht]) => `${id},MSISDN,08100000${payee},,${baht},INV-${id},`)].join('\n')}\n`;

/** A bank that fails two payouts, the first of them once, and a file with a row that cannot be read; filled in. */
async function openReviewed() {
  const scene = await openScene({
    sandbox: {
      behaviours: [
        { match: { amount: '1001.25' }, times: 1, money: 'fails', code: 'EM003' },
        { match: { amount: '1002.25' }, money: 'fails', code: 'EM003' },
      ],
    },
  });
  const file = await scene.addFile(
    'a.csv',
    csvOf(['P1', '01', '1001.25'], ['P2', '02', '1002.25'], ['P3', '03', '1003.25'], ['P4', '04', 'abc']),
  );
  expect(await scene.run('run', file)).toEndWith(3);
  const out = join(scene.folder, 'review.csv');
  expect(await scene.run('exceptions', '--out', out)).toEndWith(0);
  const decided = await fillIn(out, {
    P1: { decision: 'retry', note: 'the payee has mended it' },
    P2: { decision: 'แก้ไขแล้วส่งจ่ายใหม่', newAmount: '900', note: 'wrong amount in the file' },
    P4: { decision: 'acknowledge', note: 'comes in a new file' },
  });
  return { scene, file, decided, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

test('a filled-in exceptions file is proposed by one, approved by another, and paid once', async () => {
  await using reviewed = await openReviewed();
  const { scene, file, decided } = reviewed;
  // Nobody has proved who he is.
  expect(await scene.run('decide', decided)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('paydrop user add'),
  });
  const become = await addPeople(scene);

  await become('nok');
  expect(await scene.run('decide', decided)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a checker may not propose'),
  });
  await become('mali');
  const proposed = await scene.run('decide', decided);
  expect([proposed.code, proposed.stderr]).toEqual([0, '']);
  expect(proposed.stdout).toContain('"paydrop approve 1" by another person');
  expect(proposed.stdout).toContain('Acknowledge: 1 payout: it leaves the queue');
  // Once more is refused whole: two of them wait, and one is done.
  expect(await scene.run('decide', decided)).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('Nothing was decided'),
  });
  expect(await scene.run('approve', '1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a maker may not check'),
  });
  await become('ann');
  const waiting = await scene.run('proposals', '--json');
  expect((JSON.parse(waiting.stdout) as { decision: string }[]).map(({ decision }) => decision)).toEqual([
    'retry-corrected',
    'retry',
  ]);
  expect((await scene.run('proposals', '2')).stdout).toMatch(
    /Retry corrected: 1 payout, 900\.00 baht\n[^]*P2 \(row 2 of batch .*\): 1002\.25 baht -> 900\.00 baht: wrong amount in the file\n {5}[\d,.]+ baht to \*{6}\d{4}, now \w+\n/,
  );

  await become('nok');
  expect(await scene.run('approve', '1')).toEndWith(0);
  expect(await scene.run('approve', '1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('it was applied'),
  });
  expect(await scene.run('approve', '2')).toEndWith(0);
  const again = await scene.run('run', file);
  expect(again).toEndWith(3);
  expect(again.stdout).toContain('adds up to the file and its corrections (-102.25)');
  const ledger = await scene.bank.ledger();
  expect(findPaidTwice(ledger)).toEqual([]);
  expect(ledger.totals).toMatchObject({ count: 3, amount: '2904.50' });
  // What was taken note of is no exception any more.
  expect((await scene.run('exceptions')).stdout.trim().split('\n')).toHaveLength(1);
});

test('from the first user on, resume, cancel and retry are decisions, too', async () => {
  await using scene = await openScene({
    sandbox: { behaviours: [{ match: { amount: '1001.25' }, times: 1, money: 'fails', code: 'EM003' }] },
  });
  const file = await scene.addFile('a.csv', csvOf(['P1', '01', '1001.25'], ['P2', '02', '1002.25']));
  await scene.run('run', file);
  const become = await addPeople(scene);
  expect(await scene.run('retry', 'P1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot be read'),
  });
  await become('mali');
  expect(await scene.run('retry', 'P1')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('by another person'),
  });
  const letter = await scene.addFile('letter.pdf', 'a letter');
  const confirm = ['confirm', 'P2', '--failed', '--note', 'x'];
  expect(await scene.run(...confirm, '--evidence-file', letter)).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('it is paid'),
  });
  expect(await readdir(join(scene.dataDir, 'evidence')).catch(() => [])).toEqual([]);
  expect(await scene.run(...confirm, '--evidence-file', `${letter}.gone`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no such file'),
  });
  const { parts } = JSON.parse((await scene.run('audit', '--json')).stdout) as {
    readonly parts: readonly { readonly part: string; readonly broken: number }[];
  };
  expect(parts.filter(({ broken }) => broken > 0)).toEqual([]);
  // Who looks it up learns that it is decided on already.
  expect((await scene.run('show', 'P1')).stdout).toMatch(
    /What to type next\n {2}paydrop proposals 1 --config \S+ +proposal 1 about it waits for another person\n$/,
  );
  await become('nok');
  expect(await scene.run('approve', '1', '--send-back', '--note', 'ask the payee first')).toMatchObject({
    code: 0,
  });
  await become('mali');
  expect(await scene.run('retry', 'P1')).toEndWith(0);
  await become('ann');
  expect(await scene.run('approve', '2')).toEndWith(0);
  expect(await scene.run('run', file)).toEndWith(0);
  expect((await scene.bank.ledger()).totals.count).toBe(2);
});

/** The file with some cells filled in by payoutId, as a spreadsheet writes it back. */
async function fillIn(
  path: string,
  cells: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<string> {
  const records = parse<Record<string, string>>(await readFile(path), { bom: true, columns: true });
  const filled = records.map((record) => ({
    ...record,
    ...cells[record['payoutId']?.replace(/^'/, '') ?? ''],
  }));
  const decided = path.replace('.csv', '.decided.csv');
  await writeFile(
    decided,
    stringify(filled, { header: true, delimiter: ';', record_delimiter: 'windows', bom: true }),
  );
  return decided;
}
