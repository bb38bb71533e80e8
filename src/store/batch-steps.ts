/** Steps that the tables of both kinds of batches share: the reading of a file, moves and reports. */
import type { Batch, BatchReason, Report } from '../core/ports.ts';
import { encodeMessage, type Message } from '../core/message.ts';
import { type BatchStatus, canMoveBatch } from '../core/payout.ts';
import type { BatchStanding } from '../payout/ports.ts';
import { toColumns } from '../platform/record-rows.ts';
import { type Body, change, query, type Reading, select } from './statements.ts';

type BatchTable = 'batch' | 'registration_batch';
type ReportTable = 'report' | 'registration_report';

/** The batch whose file is being read. @throws Error when it is not */
export function requireReading<Kept extends Pick<Batch, 'status'>>(
  batchId: string,
  batch: Kept | undefined,
): Kept {
  if (batch?.status === 'ingesting') return batch;
  throw new Error(`batch ${batchId} is ${batch?.status ?? 'not there'}: its file is not being read`);
}

const dropRows = (table: BatchTable, batchId: string): Body<number> =>
  change(query.deleteFrom(table === 'batch' ? 'payout' : 'registration').where('batch_id', '=', batchId));

/** The columns of a batch as its reading begins, apart from those of its kind. */
export const beginningOf = (start: {
  readonly sha256: string;
  readonly fileName: string;
  readonly companyId: string;
  readonly extraColumns: readonly string[];
  readonly nowMs: number;
}) =>
  ({
    sha256: start.sha256,
    file_name: start.fileName,
    company_id: start.companyId,
    status: 'ingesting',
    reason_code: null,
    reason: null,
    remedy: null,
    rows: 0,
    extra_columns: JSON.stringify(start.extraColumns),
    started_at_ms: start.nowMs,
    sealed_at_ms: null,
    rested_at_ms: null,
  }) as const;

/** Lets the reading of a file begin, or begin again. @throws Error when the batch was sealed before */
export function* clearForReading(
  table: BatchTable,
  { batchId, sha256 }: Pick<Batch, 'batchId' | 'sha256'>,
  known: Pick<Batch, 'sha256' | 'status'> | undefined,
): Body<void> {
  if (known !== undefined && known.sha256 !== sha256)
    throw new Error(`two files share the batch id ${batchId}`);
  if (known !== undefined && known.status !== 'ingesting' && !canMoveBatch(known.status, 'ingesting'))
    throw new Error(`batch ${batchId} is ${known.status}: its file is not read again`);
  yield* dropRows(table, batchId);
}

/** Ends the reading of a file that is rejected as a whole. */
export function* rejectReading(
  table: BatchTable,
  batchId: string,
  code: string,
  reason: Message,
  nowMs: number,
): Body<void> {
  yield* dropRows(table, batchId);
  const rejected = {
    status: 'rejected',
    reason_code: code,
    reason: encodeMessage(reason),
    remedy: null,
    rested_at_ms: nowMs,
  } as const;
  yield* change(query.updateTable(table).set(rejected).where('batch_id', '=', batchId));
}

// ---------------------------------------------------------------- moves

/** Statuses that only reading a file leads to; each has a function of its own. */
const readingStatuses: readonly BatchStatus[] = ['ingesting', 'sealed', 'rejected'];

/** True of the statuses in which nothing of a batch goes on. */
export const isConcluded = (status: BatchStatus): boolean => ['done', 'halted', 'paused'].includes(status);

/**
 * Moves a batch on.
 * @param found as it stands
 * @param seen as its reader saw it; undefined: however it stands
 * @param rest the columns of when it comes to rest, if it does
 * @returns false where it stands otherwise, or may not move there
 */
export function* moveKept(
  table: BatchTable,
  batchId: string,
  found: BatchStanding | undefined,
  to: BatchStatus,
  why: BatchReason | null,
  seen: BatchStanding | undefined,
  rest: object,
): Body<boolean> {
  if (readingStatuses.includes(to)) throw new Error(`a batch becomes ${to} only when its file is read`);
  if (found === undefined || !canMoveBatch(found.status, to)) return false;
  if (seen !== undefined && (found.status !== seen.status || found.reasonCode !== seen.reasonCode))
    return false;
  const reason = {
    reason_code: why?.code ?? null,
    reason: why && encodeMessage(why.reason),
    remedy: why && encodeMessage(why.remedy),
  };
  const moved = query.updateTable(table).set({ status: to, ...reason, ...rest });
  yield* change(moved.where('batch_id', '=', batchId));
  return true;
}

// ---------------------------------------------------------------- reports

/** The reports of a batch that are recorded, in their order. */
export const readReports = (table: ReportTable, batchId: string): Reading<Report[]> =>
  select(
    query
      .selectFrom(table)
      .select(['batch_id as batchId', 'kind', 'number', 'path', 'temporary_path as temporaryPath', 'sha256'])
      .select(['event_seq as eventSeq', 'at_ms as atMs'])
      .where('batch_id', '=', batchId)
      .orderBy('number')
      .orderBy('kind'),
  );

/** @throws Error when one of this kind and number was recorded before: none is recorded then */
export function* keepReports(table: ReportTable, reports: readonly Report[]): Body<void> {
  for (const report of reports) yield* change(query.insertInto(table).values(toColumns(report)));
}
