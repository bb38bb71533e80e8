/**
 * Benchmark (f): `paydrop reconcile` of a statement of a million lines against a million journalled payouts, in a process
 * of its own, beside csv-parse that only splits the same file, and beside the join that a user would write for the
 * `sqlite3` shell. Some lines differ, one of each kind in ten thousand. `node test/bench/statement.ts [rows]`
 */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { formatBaht, toSatang } from '../../src/core/money.ts';
import { computeTransRefNo } from '../../src/core/reference.ts';
import { statementColumns } from '../../src/reconcile/rules/statement.ts';
import { openJournal } from '../../src/store/open.ts';
import { paydropPath, runProgram, type Usage } from './processes.ts';
import { openFolder, writePaydropSettings } from './rehearsal.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const date = '20261120';
const splitPath = fileURLToPath(new URL('./split-alone.ts', import.meta.url));

interface Payer {
  readonly companyId: string;
  readonly payerAccount: string;
  readonly channelId: string;
}

interface PaidRow {
  readonly seq: number;
  readonly payoutId: string;
  readonly transRefNo: string;
  readonly proxyNo: string;
  readonly amountSatang: bigint;
}

function makeRow({ companyId }: Payer, seq: number): PaidRow {
  const payoutId = `BENCH-${String(seq).padStart(8, '0')}`;
  const proxyNo = `08${String((seq * 7_919) % 100_000_000).padStart(8, '0')}`;
  const amountSatang = BigInt((100 + (seq % 5_000)) * 100 + (seq % 100));
  return { seq, payoutId, transRefNo: computeTransRefNo(companyId, payoutId, 1), proxyNo, amountSatang };
}

/** What a statement says of a row; one row in ten thousand is missing, one altered, one doubled. */
function formatLines({ companyId, payerAccount, channelId }: Payer, row: PaidRow, firstNo: number): string[] {
  const { seq, transRefNo, proxyNo, amountSatang } = row;
  const place = seq % 10_000;
  if (place === 1) return [];
  const amount = formatBaht(toSatang(place === 2 ? amountSatang + 1n : amountSatang));
  const from = `${date},${transRefNo},SB${seq},${channelId},${payerAccount},MSISDN,${proxyNo},Somchai Jaidee,สมชาย ใจดี`;
  const rest = `INV${seq},,${amount},5.00,${amount},010004,IC000,Fund transfer executed successfully,PARTNER001,app,${companyId},Our,12:00:01`;
  const copies = place === 3 ? 2 : 1;
  return Array.from({ length: copies }, (_, copy) => `${firstNo + copy},${from},${rest}\r\n`);
}

/** Writes journal and statement; by SQL, since paying a million takes an hour. */
async function writeDay(dataDir: string, statementPath: string, payer: Payer): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const { companyId } = payer;
  const stamp = { bankAddress: 'http://127.0.0.1:9', companyId, isSandbox: false };
  await (await openJournal({ dataDir, stamp, access: 'own' }))[Symbol.asyncDispose]();
  using db = new DatabaseSync(join(dataDir, 'journal.db'));
  const insert = prepareInserts(db, payer);
  const file = openSync(statementPath, 'w');
  let text = `${statementColumns.join(',')}\r\n`;
  let no = 1;
  for (let seq = 1; seq <= rows; seq += 1) {
    const row = makeRow(payer, seq);
    insert(row);
    const lines = formatLines(payer, row, no);
    no += lines.length;
    text += lines.join('');
    if (seq % 1_000 !== 0) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, text);
  closeSync(file);
  db.exec('commit; pragma wal_checkpoint(truncate)');
}

function prepareInserts(db: DatabaseSync, payer: Payer): (row: PaidRow) => void {
  const { companyId, payerAccount, channelId } = payer;
  db.exec('pragma synchronous = off; begin');
  db.prepare(
    `insert into batch (batch_id, sha256, file_name, company_id, payer_account, status, rows, total_satang,
       unreadable_amounts, extra_columns, started_at_ms, sealed_at_ms, rested_at_ms)
     values ('BENCH00001', 'x', 'bench.csv', ?, ?, 'done', ?, '0', 0, '[]', 1, 1, 1)`,
  ).run(companyId, payerAccount, rows);
  const payout = db.prepare(
    `insert into payout (seq, batch_id, row_no, amount_satang, status, holds, version, attempt_no, settled_by, last_event_seq)
     values (?, 'BENCH00001', ?, ?, 'paid', 0, 3, 1, 'reply', 0)`,
  );
  const payoutRow = db.prepare(
    `insert into payout_row (seq, payout_id, line, cells, proxy_type, proxy_no) values (?, ?, ?, ?, 'MSISDN', ?)`,
  );
  const attempt = db.prepare(
    `insert into attempt (payout_seq, attempt_no, status, trans_ref_no, channel_id, term_id, company_id, payer_account,
       tran_date, tran_time, proxy_type, proxy_no, proxy_name, amount_text, order_hash, intent_at_ms, sends,
       acknowledged, reference_conflict, inquiries, sys_ref_no, fee_text)
     values (?, 1, 'paid', ?, ?, 'TERM0001', ?, ?, '${date}', '12:00:00', 'MSISDN', ?, 'Somchai Jaidee', ?, ?, 1, 1, 1, 0, 0, ?, '5.00')`,
  );
  const orderHash = 'a'.repeat(64);
  return ({ seq, payoutId, transRefNo, proxyNo, amountSatang }) => {
    const amount = formatBaht(toSatang(amountSatang));
    const cells = JSON.stringify([payoutId, 'MSISDN', proxyNo, 'Somchai Jaidee', amount, '', '']);
    payout.run(seq, seq, amountSatang);
    payoutRow.run(seq, payoutId, seq + 1, cells, proxyNo);
    attempt.run(seq, transRefNo, channelId, companyId, payerAccount, proxyNo, amount, orderHash, `SB${seq}`);
  };
}

/** The join by hand: differences in amount, payee or status, and what either side misses; no state, no remedies. */
const joinByHand = (statementPath: string): string => `
.import --csv "${statementPath}" statement
create index statement_by_reference on statement ("TRANSREF NO");
attach 'journal.db' as journal;
select 'differs', count(*) from statement s join journal.attempt a on a.trans_ref_no = s."TRANSREF NO"
  where a.amount_text <> s."AMOUNT" or a.proxy_no <> s."PROXY NO" or s."STATUS" <> '010004';
select 'missing', count(*) from journal.attempt a where a.tran_date = '${date}'
  and not exists (select 1 from statement s where s."TRANSREF NO" = a.trans_ref_no);
select 'unknown', count(*) from statement s
  where not exists (select 1 from journal.attempt a where a.trans_ref_no = s."TRANSREF NO");
select 'twice', count(*) from (select 1 from statement group by "TRANSREF NO" having count(*) > 1);
`;

/** Seconds of the shell; undefined where it is not installed. */
async function joinInShell(dataDir: string, statementPath: string): Promise<number | undefined> {
  const scriptPath = join(dataDir, 'join.sql');
  await writeFile(scriptPath, joinByHand(statementPath));
  const startMs = performance.now();
  try {
    execFileSync('sqlite3', ['scratch.db', `.read ${scriptPath}`], { cwd: dataDir, stdio: 'ignore' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return (performance.now() - startMs) / 1_000;
}

const showUsage = ({ wallMs, cpuMs, peakBytes }: Usage): string =>
  `${(wallMs / 1_000).toFixed(1)} s (CPU ${(cpuMs / 1_000).toFixed(1)} s), peak ${(peakBytes / 1_048_576).toFixed(0)} MB`;

await using folder = await openFolder();
const settingsPath = await writePaydropSettings(folder.path, 'http://127.0.0.1:9', {
  checks: 1,
  transfers: 1,
});
const { bank: payer } = parse(await readFile(settingsPath, 'utf8')) as { readonly bank: Payer };
const dataDir = join(folder.path, 'data');
const statementPath = join(folder.path, `${date}.csv`);
await writeDay(dataDir, statementPath, payer);
const split = await runProgram(folder.path, splitPath, [statementPath]);
const args = ['reconcile', '--file', statementPath, '--config', settingsPath];
// 3: some lines differ, as they should.
const reconciled = await runProgram(folder.path, paydropPath, args, 3);
const shellSeconds = await joinInShell(dataDir, statementPath);
console.log(
  `(f) reconcile, ${rows.toLocaleString('en')} lines against as many payouts: ${showUsage(reconciled)}; ` +
    `csv-parse alone: ${showUsage(split)}; ` +
    `that is ${(reconciled.wallMs / split.wallMs).toFixed(2)} times as long (CPU ${(reconciled.cpuMs / split.cpuMs).toFixed(2)}); ` +
    `sqlite3's own import and join: ${shellSeconds === undefined ? 'not installed' : `${shellSeconds.toFixed(1)} s`}`,
);
