/**
 * Benchmark (p): how long the page's views take over many payouts, of which nine in ten are paid. Says so in figures, and
 * ends with 1 where one takes longer than a person waits. `node test/bench/overview.ts [rows]`
 */
import { DatabaseSync } from 'node:sqlite';
import { toSatang } from '../../src/core/money.ts';
import { parsePayee } from '../../src/payout/rules/search.ts';
import { makeRow } from '../support/journal-fixtures.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const [batchRows, stageRows, payees] = [100_000, 5_000, 200_000];
const takesMsMax = 1_000;

/** The same payees in every few files, each under a name of its own. */
function makePayout(place: number) {
  const row = makeRow(1 + (place % payees), { payoutId: `P-${place}`, amountSatang: toSatang(10_000n) });
  const payeeName = `Payee ${place % payees}`;
  return {
    ...row,
    rowNo: 1 + (place % batchRows),
    cells: { ...row.cells, payeeName },
    instruction: row.instruction && { ...row.instruction, payeeName },
  };
}

await using sqlite = await makeSqliteStore();
const { store, path } = sqlite;
for (let first = 0; first < rows; first += batchRows) {
  const batchId = String(1_000_000_000 + first);
  const count = Math.min(batchRows, rows - first);
  const all = Array.from({ length: count }, (_, place) => makePayout(first + place));
  await store.startIngest({
    batchId,
    sha256: batchId.padEnd(64, '0'),
    fileName: `${batchId}.csv`,
    companyId: 'COMP000001',
    payerAccount: '0000345924',
    extraColumns: [],
    nowMs: 1_795_000_000_000 + first,
  });
  for (let from = 0; from < count; from += stageRows)
    await store.stage(batchId, all.slice(from, from + stageRows));
  const totals = {
    rows: count,
    totalSatang: toSatang(10_000n * BigInt(count)),
    unreadableAmounts: 0,
    conflictingRowNos: [],
  };
  await store.seal(batchId, totals, 1_795_000_000_001 + first);
  await store.moveBatch(batchId, 'running', null, 1_795_000_000_002 + first);
}

/** As a run would leave them, without the time that it takes. */
using db = new DatabaseSync(path);
db.exec(`insert into attempt (payout_seq, attempt_no, status, trans_ref_no, channel_id, term_id, company_id, payer_account,
    tran_date, tran_time, proxy_type, proxy_no, proxy_name, amount_text, order_hash, intent_at_ms, sends, acknowledged,
    reference_conflict, inquiries, refusals)
  select p.seq, 1, 'paid', 'BN' || p.seq, 'C', 'T', 'COMP000001', '0000345924', '20261121', '120000', r.proxy_type, r.proxy_no,
    r.payee_name, '100.00', '', 1795000000000 + p.seq, 1, 1, 0, 0, 0
  from payout p join payout_row r on r.seq = p.seq where p.seq % 10 <> 0;
  update payout set status = 'paid', attempt_no = 1, submitted_at_ms = 1795000000000 - (seq % 14) * 86400000
    where seq % 10 <> 0;
  update payout set status = 'submitted', attempt_no = 1, submitted_at_ms = 1795000000000 where seq % 100 = 0;
  insert into event (seq, payout_seq, from_status, to_status, cause, at_ms, attempt_no, detail, hash)
  select 10000000 + 2 * p.seq, p.seq, 'ready', 'submitted', 'intent-recorded', 1795000000000 + p.seq % 3600000, 1, '{}', ''
  from payout p where p.seq % 10 <> 0;
  insert into event (seq, payout_seq, from_status, to_status, cause, at_ms, attempt_no, detail, hash)
  select 10000001 + 2 * p.seq, p.seq, 'submitted', 'paid', 'proved', 1795000000400 + p.seq % 3600000, 1, '{}', ''
  from payout p where p.seq % 10 <> 0;`);

const end = Number.MAX_SAFE_INTEGER;
let worstMs = 0;
async function measure(what: string, read: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const startMs = performance.now();
    await read();
    took.push(performance.now() - startMs);
  }
  worstMs = Math.max(worstMs, ...took.slice(1));
  console.log(`${what}: ${took.map((ms) => `${Math.round(ms)} ms`).join(', ')}`);
}

console.log(`${rows} payouts`);
await measure('payees, first page', () => store.payees(undefined, end, 50));
await measure('payees never paid', () => store.unpaidPayees(end, 50));
await measure('payees by sum', () => store.paidPayees('sum', 0, 50));
await measure('payee by number', () => store.payees(parsePayee(makePayout(777).cells.proxyNo), end, 50));
await measure('payees by the end of a number', () => store.payees(parsePayee('0777'), end, 50));
await measure('payees by a name of many', () => store.payees(parsePayee('payee 7'), end, 50));
await measure('payees by a name of nobody', () => store.payees(parsePayee('nobody'), end, 50));
await measure('sends of late', () => store.latestSends(20_000));
await measure('money of 14 days', () => store.moneySince(1_795_000_000_000 - 14 * 86_400_000));
await measure('unknown money by age', () =>
  store.unknownByAge(1_795_000_100_000, [3_600_000, 86_400_000, 259_200_000]),
);
await measure('answers of the bank', () => store.bankEvents(1_795_000_000_000, 20_000));
await measure('batches', () => store.batches());
await measure('days without a statement', () =>
  store.daysWithoutStatement(['20261121', '20261122', '20261123']),
);
await measure('waiting payouts', () => store.waitingTotals({}));
await measure('totals of one batch', () => store.totals('1000000000'));
if (worstMs > takesMsMax) process.exitCode = 1;
