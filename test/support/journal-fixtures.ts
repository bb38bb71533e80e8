/** Invented files, payouts and attempts for the tests of the journal. */
import { verbatim } from '../../src/core/message.ts';
import { afterChange, move } from '../../src/core/change.ts';
import { formatBaht, type Satang, toSatang } from '../../src/core/money.ts';
import type { StagedRow } from '../../src/core/payout-file.ts';
import type { Attempt, HoldReason, Payout, PayoutStatus } from '../../src/core/payout.ts';
import type { Batch, BatchReason, Change, ResultRow } from '../../src/core/ports.ts';
import { decideIntent, noBankNames, type PayerSetup } from '../../src/payout/rules/intent.ts';
import type { ApprovalPolicy } from '../../src/review/rules/approval.ts';
import type { Journal } from '../../src/store/store.ts';
import { noonMs, payer, policy } from './core-fixtures.ts';

export { noonMs, payer };

export const why: BatchReason = {
  code: 'EM053',
  reason: verbatim('Insufficient funds'),
  remedy: verbatim('Fund the payer account'),
};

/** A valid row of 100.00 baht and more, or of the amount given. */
export function makeRow(rowNo: number, changes: Partial<StagedRow> & { payoutId?: string } = {}): StagedRow {
  const { payoutId = `INV-${rowNo}`, ...others } = changes;
  const amountSatang = changes.amountSatang ?? toSatang(10_000n + BigInt(rowNo));
  const proxyNo = `08${String(10_000_000 + rowNo)}`;
  const amount = formatBaht(amountSatang);
  const names = { payeeName: 'Somchai Jaidee', reference1: `ref ${rowNo}` };
  return {
    rowNo,
    line: rowNo + 1,
    cells: { payoutId, proxyType: '', proxyNo, amount, reference2: '', ...names },
    instruction: { payoutId, proxyType: 'MSISDN', proxyNo, amountSatang, reference2: null, ...names },
    amountSatang,
    holds: [],
    issues: [],
    extras: [],
    ...others,
  };
}

/** A row that the rules have rejected because its amount cannot be read. */
export function makeBadRow(rowNo: number): StagedRow {
  const row = makeRow(rowNo);
  const issues = [
    { line: rowNo + 1, column: 'amount', code: 'amount-text', value: 'abc', message: verbatim('no amount') },
    {
      line: rowNo + 1,
      column: 'proxyNo',
      code: 'proxy-letters',
      value: '••23',
      message: verbatim('no number'),
    },
  ];
  return { ...row, cells: { ...row.cells, amount: 'abc' }, instruction: null, amountSatang: null, issues };
}

export function makeRows(count: number, from = 1): StagedRow[] {
  return Array.from({ length: count }, (_, place) => makeRow(from + place));
}

export function totalsOf(rows: readonly StagedRow[], conflictingRowNos: readonly number[] = []) {
  let totalSatang = 0n;
  for (const row of rows) totalSatang += row.amountSatang ?? 0n;
  return {
    rows: rows.length,
    totalSatang: toSatang(totalSatang),
    unreadableAmounts: rows.filter((row) => row.amountSatang === null).length,
    conflictingRowNos,
  };
}

export interface FileOfRows {
  readonly batchId?: string;
  readonly fileName?: string;
  readonly companyId?: string;
  readonly conflictingRowNos?: readonly number[];
  readonly likeFileDays?: number;
  readonly sealedAtMs?: number;
  readonly approval?: ApprovalPolicy;
}

export const firstBatchId = '0123456789';
export const secondBatchId = 'ABCDEFGHJK';

export async function start(journal: Journal, file: FileOfRows = {}, nowMs = noonMs): Promise<string> {
  const { batchId = firstBatchId, fileName = 'payouts.csv', companyId = payer.companyId } = file;
  const { payerAccount } = payer;
  const sha256 = batchId.padEnd(64, '0');
  await journal.startIngest({
    batchId,
    sha256,
    fileName,
    companyId,
    payerAccount,
    extraColumns: ['note'],
    nowMs,
  });
  return batchId;
}

/** Takes a file in and seals it. */
export async function ingest(
  journal: Journal,
  rows: readonly StagedRow[],
  file: FileOfRows = {},
): Promise<Batch> {
  const batchId = await start(journal, file);
  await journal.stage(batchId, rows);
  const { sealedAtMs = noonMs + 1, likeFileDays, approval } = file;
  return journal.seal(batchId, totalsOf(rows, file.conflictingRowNos), sealedAtMs, likeFileDays, approval);
}

/** Takes a file in and lets its batch run. */
export async function ingestRunning(
  journal: Journal,
  rows: readonly StagedRow[],
  file: FileOfRows = {},
): Promise<Batch> {
  const batch = await ingest(journal, rows, file);
  await journal.moveBatch(batch.batchId, 'running', null, noonMs + 2);
  return batch;
}

export async function readyOf(journal: Journal, batchId = firstBatchId): Promise<Payout[]> {
  return (await journal.readyPage(batchId, 0, 1_000)).map(({ payout }) => payout);
}

/** The first ready row. */
export async function firstReady(journal: Journal, batchId = firstBatchId): Promise<Payout> {
  const [payout] = await readyOf(journal, batchId);
  if (payout === undefined) throw new Error('no row is ready');
  return payout;
}

/** The intent of the next attempt, each of those before having shown a failed item. */
export function intentOf(payout: Payout, attemptsRecorded = 0, changes: Partial<PayerSetup> = {}) {
  const setup = { ...payer, ...changes };
  const names = noBankNames;
  return decideIntent({
    payout,
    attemptsRecorded,
    number: attemptsRecorded + 1,
    cleared: [],
    names,
    payer: setup,
    policy,
    nowMs: noonMs,
  });
}

export interface Submitted {
  readonly payout: Payout;
  readonly attempt: Attempt;
}

/** Records the intent to pay a row. */
export async function submit(journal: Journal, payout: Payout, attemptsRecorded = 0): Promise<Submitted> {
  const { change, attempt } = intentOf(payout, attemptsRecorded);
  const [isApplied] = await journal.apply([change]);
  if (isApplied !== true) throw new Error('the intent was refused');
  return { payout: afterChange(change), attempt };
}

const endings = {
  paid: { attempt: 'paid', cause: 'proved' },
  failed: { attempt: 'failed', cause: 'refused-for-payout' },
  unresolved: { attempt: 'unresolved', cause: 'given-up' },
} as const;

/** How a submitted payout ends. */
export function endOf({ payout, attempt }: Submitted, status: keyof typeof endings): Change {
  const ending = endings[status];
  return move({
    payout,
    patch: { status, settledAtMs: noonMs + 9, settledBy: 'reply' },
    cause: ending.cause,
    nowMs: noonMs + 9,
    attempt: {
      ...attempt,
      status: ending.attempt,
      ...(status === 'failed' && { hasFailedItem: true, lastFinding: 'failed' as const }),
      nextInquiryAtMs: null,
    },
    detail: { code: 'X' },
  });
}

/** Where `bringTo` can bring a ready row. */
export type ReachableStatus = 'ready' | 'cancelled' | 'unpayable' | 'submitted' | keyof typeof endings;

/** Brings the first ready row of a batch into a status, as the worker would. */
export async function bringTo(
  journal: Journal,
  status: ReachableStatus,
  batchId = firstBatchId,
  attemptsRecorded = 0,
): Promise<Payout> {
  const payout = await firstReady(journal, batchId);
  switch (status) {
    case 'ready':
      return payout;
    case 'cancelled':
      return applied(journal, move({ payout, patch: { status }, cause: 'cancelled', nowMs: noonMs }));
    case 'unpayable':
      return applied(
        journal,
        move({ payout, patch: { status }, cause: 'payee-check-refused', nowMs: noonMs }),
      );
    case 'submitted':
      return (await submit(journal, payout, attemptsRecorded)).payout;
    case 'paid':
    case 'failed':
    case 'unresolved':
      return applied(journal, endOf(await submit(journal, payout, attemptsRecorded), status));
  }
}

/** Takes a file in, lets its batch run, and brings its first rows into these statuses, in their order. */
export async function ingestAs(
  journal: Journal,
  statuses: readonly ReachableStatus[],
  rows: readonly StagedRow[] = makeRows(statuses.length),
  file: FileOfRows = {},
): Promise<Batch> {
  const batch = await ingestRunning(journal, rows, file);
  for (const status of statuses) await bringTo(journal, status, batch.batchId);
  return batch;
}

/** The same, and ends the batch: no row may be left to send. */
export async function ingestDone(
  journal: Journal,
  batchId = firstBatchId,
  from = 1,
  statuses: readonly ReachableStatus[] = ['paid'],
): Promise<Batch> {
  const batch = await ingestAs(journal, statuses, makeRows(statuses.length, from), { batchId });
  await endBatch(journal, batchId);
  return batch;
}

/** Ends a batch. @throws Error when a row is still to be sent */
export async function endBatch(journal: Journal, batchId: string): Promise<void> {
  if ((await readyOf(journal, batchId)).length > 0) throw new Error('a row is still ready');
  await journal.moveBatch(batchId, 'done', null, noonMs + 20);
}

/** Applies one change that must hold. */
export async function applied(journal: Journal, change: Change): Promise<Payout> {
  const [isApplied] = await journal.apply([change]);
  if (isApplied !== true) throw new Error('the change was refused');
  return afterChange(change);
}

export function holdOf(payout: Payout, hold: HoldReason): Change {
  const holds = [...payout.holds, hold];
  return move({
    payout,
    patch: { status: 'held', holds },
    cause: 'hold-added',
    nowMs: noonMs,
    detail: { hold },
  });
}

export async function resultRows(
  journal: Journal,
  batchId = firstBatchId,
  changedSince?: number,
): Promise<ResultRow[]> {
  await using snapshot = await journal.snapshot();
  return (await Array.fromAsync(snapshot.resultRows(batchId, changedSince))).flat();
}

export async function statusesOf(journal: Journal, batchId = firstBatchId): Promise<PayoutStatus[]> {
  return (await resultRows(journal, batchId)).map((row) => row.status);
}

export const satang = (amount: bigint): Satang => toSatang(amount);
