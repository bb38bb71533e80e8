/**
 * Benchmark (q): how long the queue takes, on the page and in the shell, while very many payouts wait for a person, and
 * with them whatever waits and is no payout. Ends with 1 where a view takes longer on the server than a person notices.
 * `node test/bench/queue.ts [payouts that wait] [postgres]`: the second moves the journal to PostgreSQL before it looks.
 */
import { verbatim } from '../../src/core/message.ts';
import { DatabaseSync } from 'node:sqlite';
import { readAttention } from '../../src/attention/attention-list.ts';
import { readItems } from '../../src/attention/items.ts';
import { countKinds } from '../../src/attention/rules/entry.ts';
import type { AttemptStatus, PayoutStatus } from '../../src/core/payout.ts';
import { toSatang } from '../../src/core/money.ts';
import { recordOpen } from '../../src/store/payouts/open-payouts.ts';
import { makePostgresEngine } from '../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../src/store/postgres/journal.ts';
import { drive } from '../../src/store/statements.ts';
import type { Store } from '../../src/store/store.ts';
import { holdBits } from '../../src/store/schema.ts';
import { nothingCounted, sumFigures } from '../../src/review/rules/proposal-figures.ts';
import { ingest, makeRow, noonMs, payer, why } from '../support/journal-fixtures.ts';
import { openDayOf } from '../support/reconcile-kit.ts';
import { Browser } from '../support/browser.ts';
import { moveJournal } from '../support/moves.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { openTestPage, type OpenTestPage, pageOptionsOf, servePage } from '../support/review-page.ts';
import { date } from '../support/statement-fixtures.ts';
import { openPostgresServer } from './peers/postgres-server.ts';

/** A refusal that is of the whole file. */
const noPlace = { line: null, column: null };

const waiting = Number(process.argv[2] ?? 100_000);
/** Beside those that wait. */
const paid = 200_000;
const rowsOfFile = 5_000;
const takesMsMax = 150;
/** The limit for a search of everything: by a part of a name or a number it goes through all payouts, paid ones too. */
const searchMsMax = 500;
/** The limit for a list of all rows that are decided on at once, each of which is judged. */
const freezeMsMax = 1_000;
const [breaks, refusedFiles, proposals, itemsOfProposal, notes] = [3_000, 1_000, 50, 40, 5_000];
const dayMs = 86_400_000;
const sentMs = noonMs - dayMs;
const dayBefore = '20261120';

interface FileKind {
  readonly status: PayoutStatus;
  readonly holds: number;
  readonly isAlarm: boolean;
}

const fileOf = (status: PayoutStatus, holds = 0, isAlarm = false): FileKind => ({ status, holds, isAlarm });

/** Of every ten files that wait; the first three as a whole, by what holds all of their rows. */
const waits: readonly FileKind[] = [
  fileOf('held', holdBits.approval),
  fileOf('held', holdBits.approval),
  fileOf('held', holdBits.similar),
  fileOf('held', holdBits.unavailable),
  fileOf('failed'),
  fileOf('failed'),
  fileOf('rejected'),
  fileOf('unpayable'),
  fileOf('unresolved'),
  fileOf('disputed', 0, true),
];
await using page = await openTestPage({}, { boon: 'maker', nok: 'checker' });
const { store, users, sqlite } = page;
using db = new DatabaseSync(sqlite.path);

const attemptOf: Readonly<Partial<Record<PayoutStatus, AttemptStatus>>> = {
  paid: 'paid',
  failed: 'failed',
  unresolved: 'unresolved',
  submitted: 'sent',
};

/** A name in letters alone: the search finds no digits of a name. */
const nameOf = (no: number): string =>
  `Payee ${String(no).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')}`;

/** Takes a file in, and leaves its rows as a run would have, without the time that it takes. */
async function addFile(fileNo: number, rows: number, kind: FileKind, tranDate = dayBefore): Promise<string> {
  const batchId = String(1_000_000_000 + fileNo);
  const all = Array.from({ length: rows }, (_, place) => {
    const no = fileNo * rowsOfFile + place;
    const row = makeRow(no, { payoutId: `P-${no}`, rowNo: place + 1, amountSatang: toSatang(10_000n) });
    return row.instruction === null
      ? row
      : { ...row, instruction: { ...row.instruction, payeeName: nameOf(no) } };
  });
  await ingest(store, all, { batchId, fileName: `${batchId}.csv` });
  await store.moveBatch(batchId, 'running', null, sentMs);
  const { status, holds, isAlarm } = kind;
  const attempt = attemptOf[status];
  if (attempt !== undefined) addAttempts(batchId, attempt, tranDate);
  const [attemptNo, atMs] = attempt === undefined ? [0, null] : [1, sentMs];
  db.prepare(
    'update payout set status = ?, holds = ?, is_alarm = ?, attempt_no = ?, submitted_at_ms = ? where batch_id = ?',
  ).run(status, holds, Number(isAlarm), attemptNo, atMs, batchId);
  drive(db, recordOpen(batchId));
  return batchId;
}

function addAttempts(batchId: string, status: AttemptStatus, tranDate: string): void {
  db.prepare(
    `insert into attempt (payout_seq, attempt_no, status, trans_ref_no, channel_id, term_id, company_id, payer_account,
      tran_date, tran_time, proxy_type, proxy_no, proxy_name, amount_text, order_hash, intent_at_ms, sends, acknowledged,
      reference_conflict, inquiries, refusals)
    select p.seq, 1, ?, 'BN' || p.seq, 'C', 'T', ?, ?, ?, '120000', r.proxy_type, r.proxy_no, r.payee_name, '100.00', '', ?,
      1, 1, 0, 0, 0
    from payout p join payout_row r on r.seq = p.seq where p.batch_id = ?`,
  ).run(status, payer.companyId, payer.payerAccount, tranDate, sentMs, batchId);
}

/** What waits beside the payouts, through the same ways as ever. */
async function addOthers(batchIds: readonly string[]): Promise<void> {
  for (let no = 0; no < refusedFiles; no += 1) {
    const refusal = {
      ...noPlace,
      code: 'no-header',
      message: verbatim('there is no header'),
      reason: 'text',
      batchId: null,
    };
    const file = { fileName: `bad-${no}.csv`, droppedAtMs: sentMs, refusal };
    await store.endIntake(`item-${no}`, 'rejected', sentMs + no, file);
  }
  await store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
  for (const batchId of batchIds.slice(0, 3)) await store.moveBatch(batchId, 'halted', why, noonMs);
  const maker = { personId: (await users.find('boon')).personId, name: 'boon' };
  for (let no = 0; no < proposals; no += 1) await addProposal(no, maker);
  for (let no = 0; no < notes; no += 1) {
    const at = {
      key: String(1 + no * 7),
      version: '',
      personId: maker.personId,
      person: maker.name,
      note: '',
    };
    await store.addReviewNote({ kind: 'payout', what: 'taken', atMs: noonMs, ...at });
  }
}

async function addProposal(no: number, maker: { readonly personId: number; readonly name: string }) {
  const targets = Array.from({ length: itemsOfProposal }, (_, place) => ({
    kind: 'payout' as const,
    key: String(1 + no * itemsOfProposal + place),
    version: '1',
  }));
  await store.addProposals([
    {
      decision: 'cancel',
      figures: sumFigures([nothingCounted]),
      note: 'sent twice',
      evidence: null,
      people: 2,
      totalSatang: toSatang(10_000n * BigInt(itemsOfProposal)),
      digest: 'ab'.repeat(32),
      maker,
      madeAtMs: noonMs,
      expiresAtMs: noonMs + 7 * dayMs,
      targets,
    },
  ]);
}

/** A statement without any of the paid rows: as many breaks. */
async function addBreaks(): Promise<void> {
  await using day = await openDayOf(store, sqlite.path, new AsyncDisposableStack());
  await day.reconcile([]);
}

async function fill(): Promise<void> {
  const batchIds: string[] = [];
  const files = Math.ceil(waiting / rowsOfFile);
  for (let no = 0; no < files; no += 1) {
    const kind = waits[no % waits.length] ?? fileOf('failed');
    batchIds.push(await addFile(no, Math.min(rowsOfFile, waiting - no * rowsOfFile), kind));
  }
  // In doubt for long; then what is paid, of which the first file has a statement without any of its rows.
  await addFile(files, rowsOfFile, fileOf('submitted'));
  for (let no = 1; no <= paid / rowsOfFile; no += 1)
    await addFile(files + no, no === 1 ? breaks : rowsOfFile, fileOf('paid'), no === 1 ? date : dayBefore);
  await addBreaks();
  await addOthers(batchIds);
}

let isSlow = false;
async function measure(what: string, read: () => Promise<unknown>, msMax = takesMsMax): Promise<void> {
  const took: (readonly [wallMs: number, cpuMs: number])[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
    await read();
    const { user, system } = process.cpuUsage(startCpu);
    took.push([performance.now() - startMs, (user + system) / 1_000]);
  }
  // The first of all compiles what the others use.
  const medianOf = (side: 0 | 1): number =>
    took
      .slice(1)
      .map((one) => one[side])
      .toSorted((one, other) => one - other)[2] ?? NaN;
  const [wallMs, cpuMs] = [medianOf(0), medianOf(1)];
  isSlow ||= wallMs > msMax;
  console.log(`${what}: ${Math.round(wallMs)} ms, ${Math.round(cpuMs)} ms of processor time`);
}

async function measureShown(
  what: string,
  read: OpenTestPage['browser']['get'],
  path: string,
  has: string,
  msMax = takesMsMax,
) {
  const { text } = await read(path);
  if (!text.includes(has)) throw new Error(`${what}: the page does not say ${has}`);
  await measure(what, () => read(path), msMax);
}

/** The page on the journal in its file, or on the same journal moved to PostgreSQL. */
async function openWhereAsked(
  stack: AsyncDisposableStack,
): Promise<{ readonly journal: Store; readonly open: OpenTestPage['open'] }> {
  if (process.argv[3] !== 'postgres') return { journal: await sqlite.openAnother(), open: page.open };
  const server = await openPostgresServer();
  if ('why' in server) throw new Error(server.why);
  const { url } = stack.use(await stack.use(server).createDatabase());
  await moveJournal(sqlite.path, url);
  const engine = stack.use(makePostgresEngine(url));
  const own = { workerId: 1, noteRefused: () => {} };
  const journal = stack.use(makePostgresJournal({ engine, journalId: 'journal', own }));
  const there = new Users(journal);
  there.clock.ms = users.clock.ms;
  const listen = { host: '127.0.0.1', port: 0 };
  const { origin } = stack.use(await servePage({ listen, ...pageOptionsOf(journal, there) }));
  const open = async (name: string): Promise<Browser> => {
    const browser = new Browser(origin);
    await browser.signIn(name, passwordOf(name));
    return browser;
  };
  return { journal, open };
}

await fill();
await using stack = new AsyncDisposableStack();
const { journal: shell, open } = await openWhereAsked(stack);
console.log(`${waiting} payouts wait`);
const browser = await open('boon');
const post =
  (fields: Record<string, string>): OpenTestPage['browser']['get'] =>
  (path) =>
    browser.post(path, fields);
const context = { journal: shell, clock: users.clock, doubtAfterMs: 3_600_000, lateAtMs: 0 };
await measure('the list itself', () => readAttention(context));
await measureShown('page, first', (path) => browser.get(path), '/queue', 'class="q"');
await measureShown('page, kept fresh', (path) => browser.getLive(path), '/queue', 'class="q"');
const checker = await open('nok');
await measureShown('page, first, of a checker', (path) => checker.get(path), '/queue', 'class="q"');
for (const path of ['/today', '/proposals'])
  await measureShown(`page, ${path} of a checker`, (at) => checker.get(at), path, '<h1');
await measureShown(
  'list of 5,000 rows, frozen',
  post({ group: 'not-paid.', decision: 'retry' }),
  '/decide',
  '5,000',
  freezeMsMax,
);
// One group of each code.
const links = (await browser.get('/queue')).text.matchAll(/href="(\/queue\/([\w-]+)\.[^"?]*)"/g);
for (const path of new Map(Array.from(links, ([, at = '', code]) => [code, at])).values())
  for (const order of ['age', 'amount', 'payee'])
    await measureShown(
      `page, ${path} by ${order}`,
      (at) => browser.get(at),
      `${path}?sort=${order}`,
      'class="q"',
    );
const searches: readonly (readonly [what: string, search: string, has: string])[] = [
  ['a payoutId', 'P-77', '>P-77<'],
  ['a part of a name', 'payee hh', '>P-77'],
  ['a name of nobody', 'nobody', 'hold:approval'],
  ['the end of a number', '0077', '>P-'],
  ['an amount', '100.00', '1,000+'],
  ['a day', '2026-11-20', '1,000+'],
  ['the name of a file', 'file:1000000003', '>P-'],
  ['alarms', 'alarm waiting >50', '>P-'],
];
for (const [what, search, has] of searches)
  await measureShown(`search, ${what}`, post({ search }), '/search', has, searchMsMax);
const { entries } = await readAttention(context);
await measure('shell, what is no payout', () => readItems(context));
await measure('shell, payouts', () => shell.searchPayouts({ isWaiting: true }, Number.MAX_SAFE_INTEGER, 100));
console.log(
  countKinds(entries)
    .map(({ kind, items }) => `${kind} ${items}`)
    .join(', '),
);
if (isSlow) process.exitCode = 1;
