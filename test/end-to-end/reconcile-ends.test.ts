/** How `paydrop reconcile` ends when it has more to say than the day's own breaks, or dies before it has said it. */
import { readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { openScene, type Scene } from './harness.ts';

const dayMs = 86_400_000;
const payouts = `payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2
P1,MSISDN,0810000001,,1001.25,,
P2,MSISDN,0810000002,,1002.25,,
`;

/** The Bangkok day of the scene's clock, which stands at noon of the machine's own, and the day after. */
function daysOf({ clocks }: Scene): { readonly date: string; readonly nextDate: string } {
  const nowMs = clocks.readMs();
  return { date: formatBangkokDate(nowMs), nextDate: formatBangkokDate(nowMs + dayMs) };
}

const iso = (date: string): string => date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');

interface Sent {
  readonly transRefNo: string;
  readonly sysRefNo: string;
  readonly proxyNo: string;
  readonly amount: string;
}

function openJournalOf({ dataDir }: Scene): DatabaseSync {
  return new DatabaseSync(join(dataDir, 'journal.db'), { readOnly: true });
}

function readSent(scene: Scene): readonly Sent[] {
  using db = openJournalOf(scene);
  const rows = db.prepare('select * from attempt order by payout_seq').all();
  return rows.map((row) => ({
    transRefNo: String(row['trans_ref_no']),
    sysRefNo: String(row['sys_ref_no'] ?? 'S1'),
    proxyNo: String(row['proxy_no']),
    amount: String(row['amount_text']),
  }));
}

/** The statement of a day in which these transfers are complete. */
async function writeStatement(scene: Scene, day: string, sent: readonly Sent[]): Promise<string> {
  const cells = sent.map(({ transRefNo, sysRefNo, proxyNo, amount }, place) => ({
    NO: String(place + 1),
    'EFFECTIVE DATE': day,
    'TRANSREF NO': transRefNo,
    'SYS REF NO': sysRefNo,
    'CHANNEL ID': 'PAYDROP',
    'PAYER ACCOUNT': '0000345924',
    'PROXY TYPE': 'MSISDN',
    'PROXY NO': proxyNo,
    'PROXY NAME (EN)': '',
    'PROXY NAME (TH)': '',
    REFERENCE1: '',
    REFERENCE2: '',
    AMOUNT: amount,
    FEE: '0.00',
    'NET AMOUNT': amount,
    STATUS: '010004',
    'REASON CODE': '',
    'REASON DESC': '',
    'PARTNER ID': 'PARTNER001',
    'CLIENT ID': 'C',
    'COMPANY ID': 'COMP000001',
    'CHARGE TYPE': 'Our',
    'EFFECTIVE TIME': '120000',
  }));
  const rows = cells.map((row) => Object.values(row).join(','));
  const path = join(scene.folder, `PARTNER001_COMP000001_PROXY_${day}.csv`);
  await writeFile(path, `${[Object.keys(cells[0] ?? {}).join(','), ...rows].join('\r\n')}\r\n`);
  return path;
}

/** As after a power cut, hours ago, before the tables of the day had their own names. */
async function takeNamesAway(scene: Scene, date: string): Promise<readonly string[]> {
  using db = openJournalOf(scene);
  const row = db.prepare('select files from statement_version where date = ?').get(date);
  const files = JSON.parse(String(row?.['files'])) as { path: string; temporaryPath: string }[];
  const longAgo = Date.now() / 1_000 - 7_200;
  for (const { path, temporaryPath } of files) {
    await rename(path, temporaryPath);
    await utimes(temporaryPath, longAgo, longAgo);
  }
  return files.map(({ path }) => path);
}

test('a break of another day is no quiet end; tables that a crash left without a name are published', async () => {
  await using scene = await openScene({ verify: { enabled: false } });
  const { date, nextDate } = daysOf(scene);
  await scene.run('run', await scene.addFile('a.csv', payouts));
  scene.clocks.pass(2 * dayMs);
  const missing = await scene.run('reconcile', '--file', join(scene.folder, 'nope.csv'));
  expect(missing).toMatchObject({ code: 5, stderr: expect.stringContaining('no such file') as string });
  const [one, two] = readSent(scene);
  if (one === undefined || two === undefined) throw new Error('nothing was sent');
  const next = await writeStatement(scene, nextDate, [one]);
  const first = await scene.run('reconcile', '--file', next);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Open breaks: none') as string });
  const file = await writeStatement(scene, date, [one, two]);
  const other = await scene.run('reconcile', '--file', file);
  expect(other).toEndWith(3);
  expect(other.stdout).toContain(
    `Breaks opened on other days: 1\n  ${iso(nextDate)} duplicate-line (high)  P1, 1,001.25 baht: `,
  );
  expect(other.stdout).not.toContain('none');
  const paths = await takeNamesAway(scene, date);
  expect(await scene.run('reconcile', '--file', next, '--json')).toEndWith(3);
  const names = await readdir(join(scene.dataDir, 'statements'));
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  expect(paths).toHaveLength(2);
  for (const path of paths) expect(names.some((name) => path.endsWith(name))).toBe(true);
});

test('the summary is told though a result update cannot be written, and then the error', async () => {
  const sandbox = { behaviours: [{ match: { amount: '1001.25' }, money: 'stuck' }] };
  await using scene = await openScene({
    sandbox,
    settle: { giveUpAfterMs: 1_500 },
    verify: { enabled: false },
  });
  const { date } = daysOf(scene);
  await scene.run('run', await scene.addFile('a.csv', payouts));
  scene.clocks.pass(2 * dayMs);
  const result = (await readdir(scene.outbox)).find((name) => name.endsWith('.result.csv')) ?? '';
  await writeFile(join(scene.outbox, result.replace('.result.', '.result-update-1.')), 'not ours');
  const file = await writeStatement(scene, date, readSent(scene));
  const plain = await scene.run('reconcile', '--file', file);
  expect(plain).toEndWith(1);
  expect(plain.stdout).toContain('Both sides tie out to the satang');
  expect(plain.stdout).toContain('Not every result update could be written');
  expect(plain.stderr).toContain('another file has this name already');
  const again = await scene.run('reconcile', '--file', file, '--json');
  expect(again).toEndWith(1);
  expect(JSON.parse(again.stdout)).toMatchObject({ isRepeat: true, isShortOfUpdates: true });
});

test('a transfer that the bank knows nothing of, in two days and by inquiry, has left no trace; it stays unresolved', async () => {
  const sandbox = {
    statement: { emptyDays: true },
    behaviours: [{ match: { amount: '1001.25' }, money: 'untouched', reply: 'lost' }],
  };
  await using scene = await openScene({
    sandbox,
    settle: { giveUpAfterMs: 1_000, resendsMax: 0 },
    verify: { enabled: false },
  });
  const { date, nextDate } = daysOf(scene);
  expect(await scene.run('run', await scene.addFile('a.csv', payouts))).toEndWith(4);
  scene.clocks.pass(2 * dayMs);
  // Before its day's statement is followed by the next day's, and before inquiry was made after it, it is merely absent.
  const first = await scene.run('reconcile', '--date', iso(date));
  expect(first).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('pending-not-in-statement') as string,
  });
  expect(await scene.run('settle')).toEndWith(4);
  const second = await scene.run('reconcile', '--date', iso(nextDate));
  expect(second).toMatchObject({ code: 3, stdout: expect.stringContaining('no-trace') as string });
  expect(second.stdout).toContain('ask the bank in writing');
  const status = await scene.run('status');
  expect(status.stdout).toContain('1 unresolved');
});
