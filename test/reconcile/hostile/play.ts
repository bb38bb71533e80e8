/**
 * A script: hands the hostile statements of the parts that it is given in (every second one, or with
 * HOSTILE_STATEMENTS=all all), one after another, each to a journal as it was before, and writes what came of each as a
 * line of JSON, then, after each part, the most memory that it has used so far.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FetchContext } from '../../../src/reconcile/fetch.ts';
import { takeFile } from '../../../src/reconcile/fetch.ts';
import { openStatementOriginals } from '../../../src/reconcile/file/originals.ts';
import { makeStatementReader } from '../../../src/reconcile/file/reader.ts';
import { openStatementOutbox } from '../../../src/reconcile/file/tables.ts';
import { makeStatementUnpacker } from '../../../src/reconcile/file/unpacker.ts';
import { reconcile } from '../../../src/reconcile/reconcile.ts';
import { commonStatementWords } from '../../../src/reconcile/rules/statement.ts';
import type { AttemptFacts } from '../../../src/reconcile/rules/types.ts';
import { noonMs, payer, toJson } from '../../support/core-fixtures.ts';
import { dayMs, openDay, type ReconcileDay } from '../../support/reconcile-kit.ts';
import { date } from '../../support/statement-fixtures.ts';
import {
  type HostilePart,
  type HostileStatement,
  hostileParts,
  makeHostileStatements,
  type Row,
} from './statements.ts';

const endings = [
  'paid',
  'paid',
  'failed',
  'unresolved',
  'unresolved',
  'submitted',
  'unresolved',
  'submitted',
] as const;
/** Places of rows that the bank has not completed, of which all but the first are in doubt here. */
const unpaid = [2, 5, 6, 7];
const seed = 20_261_121;
const bytesMax = 67_108_864;

const rowOf = ({ order }: AttemptFacts, place: number): Row => ({
  NO: String(place + 1),
  'EFFECTIVE DATE': order.tranDate,
  'TRANSREF NO': order.transRefNo,
  'SYS REF NO': `SYS${place}`,
  'CHANNEL ID': 'PAYDROP',
  'PAYER ACCOUNT': order.payerAccount,
  'PROXY TYPE': order.proxyType,
  'PROXY NO': order.proxyNo,
  'PROXY NAME (EN)': 'SOMCHAI JAIDEE',
  'PROXY NAME (TH)': 'สมชาย ใจดี',
  REFERENCE1: `INV${place}`,
  REFERENCE2: '',
  AMOUNT: order.amountText,
  FEE: '0.00',
  'NET AMOUNT': order.amountText,
  STATUS: unpaid.includes(place) ? (place === 7 ? '010002' : '030003') : '010004',
  'REASON CODE': 'IC000',
  'REASON DESC': '',
  'PARTNER ID': 'P1',
  'CLIENT ID': 'C1',
  'COMPANY ID': order.companyId,
  'CHARGE TYPE': 'Ben',
  'EFFECTIVE TIME': '12:00:00',
});

async function openKit(folder: string): Promise<FetchContext> {
  const nobody = (): never => {
    throw new Error('nothing is fetched here');
  };
  return {
    desk: { request: nobody },
    downloader: { bring: nobody },
    originals: await openStatementOriginals(folder, bytesMax),
    unpacker: makeStatementUnpacker({ folder, bytesMax }),
    reader: makeStatementReader({ scheme: 'proxy', words: commonStatementWords, bytesMax }),
    reading: 'words',
    scope: { companyId: payer.companyId, isOfAllCompanies: false, scheme: 'proxy' },
  };
}

/** Reconciles one file; returns what came of it. */
async function take({ store, folder }: ReconcileDay, path: string, isForced: boolean): Promise<string> {
  const kit = await openKit(folder);
  const fetched = await takeFile(kit, date, path, { user: 'mallory', isForced });
  if (fetched.kind === 'unusable') return fetched.refusal.code;
  if (fetched.kind !== 'fetched') return fetched.kind;
  const clock = { now: () => noonMs + dayMs, elapsedMs: () => 0, sleep: async () => {} };
  const stop = new AbortController().signal;
  const context = { store, clock, companyId: payer.companyId, log: () => {}, stop };
  const done = await reconcile(context, await openStatementOutbox(folder), fetched.source);
  return done.kind === 'refused' ? done.refusal.code : done.kind;
}

/** What a statement may change, in few words: breaks have all lines of their transfer with them. */
async function describe({ store, attempts }: ReconcileDay): Promise<string> {
  const rows = await Promise.all(attempts.map(({ payoutSeq }) => store.payout(payoutSeq)));
  return toJson([await store.statementDays(), rows]);
}

/** Rows that are called paid, by their places. */
async function readPaid({ store, attempts }: ReconcileDay): Promise<number[]> {
  const rows = await Promise.all(attempts.map(({ payoutSeq }) => store.payout(payoutSeq)));
  return rows.flatMap((row, place) => (row?.status === 'paid' ? [place] : []));
}

const folder = await mkdtemp(join(tmpdir(), 'paydrop-hostile-'));
const own = { dataDir: folder };
let day = await openDay(endings);
const sound = { rows: day.attempts.map(rowOf), unpaid };
const isShort = process.env['HOSTILE_STATEMENTS'] !== 'all';

async function takeEach({ name, fileName = 'statement.csv', pieces }: HostileStatement): Promise<void> {
  const path = join(own.dataDir, fileName);
  await pipeline(Readable.from(pieces, { objectMode: true }), createWriteStream(path));
  for (const isForced of [false, true]) {
    const before = await describe(day);
    const outcome = await take(day, path, isForced).catch((error: unknown) => `CRASH ${String(error)}`);
    const falselyPaid = (await readPaid(day)).filter((place) => unpaid.includes(place));
    const isChanged = (await describe(day)) !== before;
    process.stdout.write(`${JSON.stringify({ name, isForced, outcome, falselyPaid, isChanged })}\n`);
    if (!isChanged) continue;
    await day[Symbol.asyncDispose]();
    day = await openDay(endings);
    // Whoever insists on it comes to no more.
    break;
  }
  await rm(path);
}

async function playPart(part: HostilePart): Promise<void> {
  let taken = 0;
  for await (const statement of makeHostileStatements(sound, part, seed)) {
    taken += 1;
    if (!isShort || taken % 2 === 1) await takeEach(statement);
  }
  const maxMemoryMb = Math.round(process.resourceUsage().maxRSS / 1_024);
  process.stdout.write(`${JSON.stringify({ part, maxMemoryMb })}\n`);
}

for (const word of process.argv.slice(2)) {
  const part = hostileParts.find((one) => one === word);
  if (part === undefined) throw new Error(`a part is one of ${hostileParts.join(', ')}, not ${word}`);
  await playPart(part);
}
await day[Symbol.asyncDispose]();
await rm(folder, { recursive: true });
