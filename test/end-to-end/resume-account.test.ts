/** A payer account that halts over several files, and is resumed with real processes: the bank's book has each row once. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sumSatang, toSatang } from '../../src/core/money.ts';
import { header } from '../support/rehearsal.ts';
import { tamper } from '../support/store-fixtures.ts';
import { openScene, type Scene, until } from './harness.ts';
import { addPeople } from './scene-people.ts';

const rows = (name: string, count: number): string =>
  Array.from({ length: count }, (_, place) => {
    const no = String(place + 1).padStart(2, '0');
    return `${name}${no},MSISDN,08123456${no},,${1 + place}.25,R-${name}${no},\n`;
  }).join('');

/** The bank has no money to give for one transfer, and pays all others. */
const poor = { behaviours: [{ match: { amount: '3.25' }, times: 1, money: 'untouched', code: 'EM053' }] };

/** Three files: the first is refused at its third row, the second waits behind it, the third is halted by itself. */
async function haltThree(scene: Scene) {
  const files = {
    refused: await scene.addFile('a.csv', `${header}\n${rows('A', 6)}`),
    behind: await scene.addFile('b.csv', `${header}\n${rows('B', 4)}`),
    own: await scene.addFile('c.csv', `${header}\n${rows('C', 2)}`),
  };
  for (const file of Object.values(files)) expect(await scene.run('run', file)).toEndWith(6);
  tamper(
    join(scene.dataDir, 'journal.db'),
    `update batch set is_halted_with_payer = 0, reason_code = 'batch-too-old' where file_name = 'c.csv'`,
  );
  return files;
}

/** The rows that the bank has paid, and its payments. */
async function readBook({ bank }: Scene) {
  const paid = (await bank.ledger()).entries.filter(({ status }) => status === '010004');
  return { ids: new Set(paid.map(({ reference1 }) => reference1)), count: paid.length };
}

const satangOf = (id: string): bigint => BigInt(Number(id.slice(-2)) * 100 + 25);

/** Counts in the words of a command: "8 payouts, 29.50 baht of 2 files are sent at once". */
function readSentence(text: string) {
  const [, count, amount, files] =
    /(\d+) payouts?, ([\d,.]+) baht of (\d+) files? (?:is|are) sent at once/.exec(text) ?? [];
  return {
    rows: Number(count),
    satang: BigInt((amount ?? '').replaceAll(/[,.]/g, '')),
    files: Number(files),
  };
}

/** The rows that are new in the book add up to what was said. */
async function expectSent(scene: Scene, before: ReadonlySet<string>, said: ReturnType<typeof readSentence>) {
  const { ids, count } = await readBook(scene);
  const sent = [...ids].filter((id) => !before.has(id));
  expect(count).toBe(ids.size);
  expect(sent).toHaveLength(said.rows);
  expect(sumSatang(sent.map((id) => toSatang(satangOf(id))))).toBe(said.satang);
  expect(sent.some((id) => id.includes('C'))).toBe(false);
}

test('the shell says what an account that goes on sends, and sends that of the files it alone has halted', async () => {
  await using scene = await openScene({ sandbox: poor, transfer: { concurrency: 1 } });
  const files = await haltThree(scene);
  const before = (await readBook(scene)).ids;
  const lifted = await scene.run('halt', '--lift', '--note', 'the account is funded');
  expect(lifted).toEndWith(0);
  const said = readSentence(lifted.stdout);
  expect(said.files).toBe(2);
  expect(await scene.run('run', files.refused)).toEndWith(0);
  expect(await scene.run('run', files.behind)).toEndWith(0);
  expect(await scene.run('run', files.own)).toEndWith(6);
  await expectSent(scene, before, said);
});

test('two people resume it beside a watcher, which is killed and sends the rest once', async () => {
  await using scene = await openScene({ sandbox: poor, transfer: { concurrency: 1 } });
  await haltThree(scene);
  const become = await addPeople(scene);
  const before = (await readBook(scene)).ids;
  await become('mali');
  const proposed = await scene.run('halt', '--lift', '--note', 'the account is funded', '--json');
  expect(proposed).toEndWith(0);
  const [end] = (
    JSON.parse(proposed.stdout) as { proposals: { proposalId: number; rows: number; amount: string }[] }
  ).proposals;
  if (end === undefined) throw new Error(proposed.stdout);
  const watching = scene.start('watch');
  await become('nok');
  const approvals = await Promise.all([
    scene.run('approve', String(end.proposalId)),
    scene.run('approve', String(end.proposalId)),
  ]);
  expect(new Set(approvals.map(({ code }) => code))).toEqual(new Set([0, 2]));
  await until(async () => (await readBook(scene)).ids.size > before.size);
  watching.kill('SIGKILL');
  await watching.ended;
  const again = scene.start('watch');
  const readStatuses = async () => {
    const lines = JSON.parse((await scene.run('status', '--json')).stdout) as {
      file?: string;
      status?: string;
    }[];
    return Object.fromEntries(
      lines.flatMap(({ file, status }) => (file === undefined ? [] : [[file, status]])),
    );
  };
  await until(async () => {
    const statuses = await readStatuses();
    return statuses['a.csv'] === 'done' && statuses['b.csv'] === 'done';
  });
  expect(await readStatuses()).toEqual({ 'a.csv': 'done', 'b.csv': 'done', 'c.csv': 'halted' });
  again.kill('SIGTERM');
  await again.ended;
  await expectSent(scene, before, {
    rows: end.rows,
    satang: BigInt(end.amount.replaceAll(/[,.]/g, '')),
    files: 2,
  });
});
