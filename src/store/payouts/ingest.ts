/** Takes the rows of a file in, chunk by chunk; nothing of it can be sent before the seal. */
import { encodeMessage, joined } from '../../core/message.ts';
import { sql } from 'kysely';
import type { StagedRow } from '../../core/payout-file.ts';
import { canMoveBatch } from '../../core/payout.ts';
import type { Batch } from '../../core/ports.ts';
import { computeInstructionDigest } from '../../core/reference.ts';
import type { BatchStart } from '../../intake/ports.ts';
import { computeSimilarKey } from '../../payout/rules/similar.ts';
import { encodeHolds } from '../schema.ts';
import type { StagedPayout, Tables } from '../schema.ts';
import { type Body, change, define, query, type Reading } from '../statements.ts';
import { batchReads } from './batches.ts';
import { makeSalt, makeSalts } from './chain.ts';
import { encodeCells, encodeList } from './rows.ts';

/** The batch whose file is being read. @throws Error when it is not */
export function* requireIngesting(batchId: string): Reading<Batch> {
  const batch = yield* batchReads.batch(batchId);
  if (batch?.status === 'ingesting') return batch;
  throw new Error(`batch ${batchId} is ${batch?.status ?? 'not there'}: its file is not being read`);
}

const dropRows = (batchId: string): Body<number> =>
  change(query.deleteFrom('payout').where('batch_id', '=', batchId));

/** Begins the reading of a file, or begins it again. @throws Error when the batch was sealed before */
export function* startIngest(start: BatchStart): Body<void> {
  const { batchId, sha256 } = start;
  const batch = {
    sha256,
    file_name: start.fileName,
    company_id: start.companyId,
    payer_account: start.payerAccount,
    status: 'ingesting',
    reason_code: null,
    reason: null,
    remedy: null,
    rows: 0,
    total_satang: '0',
    unreadable_amounts: 0,
    extra_columns: JSON.stringify(start.extraColumns),
    started_at_ms: start.nowMs,
    age_from_ms: start.droppedAtMs ?? start.nowMs,
    sealed_at_ms: null,
    rested_at_ms: null,
  } as const;
  const known = yield* batchReads.batch(batchId);
  if (known !== undefined && known.sha256 !== sha256)
    throw new Error(`two files share the batch id ${batchId}`);
  if (known !== undefined && known.status !== 'ingesting' && !canMoveBatch(known.status, 'ingesting')) {
    throw new Error(`batch ${batchId} is ${known.status}: its file is not read again`);
  }
  yield* dropRows(batchId);
  const insert = query.insertInto('batch').values({ batch_id: batchId, ...batch });
  yield* change(insert.onConflict((conflict) => conflict.column('batch_id').doUpdateSet(batch)));
}

/** Ends the reading of a file that is rejected as a whole. */
export function* rejectBatch(batchId: string, code: string, reason: string, nowMs: number): Body<void> {
  yield* requireIngesting(batchId);
  yield* dropRows(batchId);
  const rejected = {
    status: 'rejected',
    reason_code: code,
    reason,
    remedy: null,
    rested_at_ms: nowMs,
  } as const;
  yield* change(query.updateTable('batch').set(rejected).where('batch_id', '=', batchId));
}

/** Columns that are the same in every new row, in the text of the statement: values that are bound cost more. */
const newPayout = {
  version: sql.lit(1),
  attempt_no: sql.lit(0),
  bank_payee_name: sql.lit(null),
  bank_payee_name_th: sql.lit(null),
  submitted_at_ms: sql.lit(null),
  last_event_seq: sql.lit(0),
};

function toStagedPayout(
  seq: number,
  batchId: string,
  row: StagedRow,
  startedAtMs: number,
): Omit<StagedPayout, keyof typeof newPayout> {
  const isRejected = row.issues.length > 0 || row.instruction === null;
  return {
    seq,
    batch_id: batchId,
    row_no: row.rowNo,
    amount_satang: row.amountSatang,
    status: isRejected ? 'rejected' : 'staged',
    holds: isRejected ? 0 : encodeHolds(row.holds),
    reason_code: row.issues[0]?.code ?? row.holds[0] ?? null,
    reason: isRejected ? encodeMessage(joined(row.issues.map(({ message }) => message))) : null,
    issues: encodeList(row.issues),
    settled_at_ms: isRejected ? startedAtMs : null,
    settled_by: isRejected ? 'rules' : null,
  };
}

type NewRow = Omit<Tables['payout_row'], 'commitment'>;

function toPayoutRow(seq: number, { companyId, batchId }: Batch, row: StagedRow, salt: string): NewRow {
  const { rowNo, instruction } = row;
  const payoutId = instruction?.payoutId ?? row.cells.payoutId.trim();
  return {
    seq,
    payout_id: payoutId === '' ? null : payoutId,
    similar_key: payoutId === '' ? null : computeSimilarKey(payoutId),
    line: row.line,
    cells: encodeCells(row.cells),
    extras: encodeList(row.extras),
    proxy_type: instruction?.proxyType ?? null,
    proxy_no: instruction?.proxyNo ?? null,
    payee_name: instruction?.payeeName ?? null,
    reference1: instruction?.reference1 ?? null,
    reference2: instruction?.reference2 ?? null,
    digest: instruction && computeInstructionDigest({ companyId, batchId, rowNo }, instruction),
    salt: instruction && salt,
  };
}

const latestSeq = define((_values: object) =>
  query.selectNoFrom(
    sql<number>`max(
      coalesce((select max(seq) from payout), 0),
      coalesce((select last_seq from archived_rows order by first_seq desc limit 1), 0))`.as('seq'),
  ),
);

/** A row of a file as the tables have it. */
interface NewRecords {
  readonly payout: ReturnType<typeof toStagedPayout>;
  readonly row: NewRow;
}

/** Returns a function that makes the records of rows, by their places, of a batch that is being read. */
export function* makeRecorder(
  batchId: string,
  rows: number,
): Reading<(row: StagedRow, place: number) => NewRecords> {
  const batch = yield* requireIngesting(batchId);
  const last = (yield* latestSeq.get({}))?.seq ?? 0;
  const salts = makeSalts(rows);
  return (row, place) => {
    const seq = last + 1 + place;
    return {
      payout: toStagedPayout(seq, batchId, row, batch.startedAtMs),
      row: toPayoutRow(seq, batch, row, salts[place] ?? makeSalt()),
    };
  };
}

const insertPayout = define((values: NewRecords['payout']) =>
  query.insertInto('payout').values({ ...values, ...newPayout }),
);

const insertRow = define((values: NewRow) => query.insertInto('payout_row').values(values));

/** Adds rows to a batch that is being read. */
export function* stage(batchId: string, rows: readonly StagedRow[]): Body<void> {
  const recordsOf = yield* makeRecorder(batchId, rows.length);
  for (const [place, staged] of rows.entries()) {
    const { payout, row } = recordsOf(staged, place);
    yield* insertPayout.run(payout);
    yield* insertRow.run(row);
  }
}
