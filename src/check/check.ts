/** Checks a payout file without sending anything: every issue of every row, and what its rows would become. */
import { showCell } from '../core/cell-text.ts';
import type { Inspection, Issue, SealTotals, StagedRow } from '../core/payout-file.ts';
import type { ClaimOwner, RowTotal } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { PayoutFileReader, RejectedFile } from '../intake/ports.ts';
import { RowTally, sumTotals } from './rules/row-tally.ts';

export interface RowIssue {
  readonly rowNo: number;
  readonly issue: Issue;
}

/** Totals by what the rows would become; the three add up to `all`. */
export interface CheckTotals {
  readonly all: RowTotal;
  readonly ready: RowTotal;
  readonly held: RowTotal;
  readonly rejected: RowTotal;
}

export interface CheckedFile {
  readonly kind: 'checked';
  readonly inspection: Inspection;
  /** The batch that these bytes are, run or not. */
  readonly batchId: string;
  readonly totals: CheckTotals;
  /** Rows that were handed on as good, and that a later row has contradicted since. */
  readonly conflictingRowNos: readonly number[];
}

export type CheckOutcome = RejectedFile | CheckedFile;

export interface CheckOptions {
  /** Called with the issues of a stretch of rows; the reading waits for it. Conflicting first rows come last. */
  onIssues(issues: readonly RowIssue[]): void | Promise<void>;
  /** Called with every stretch of rows as they stand after the check, rejected ones included. */
  onRows?(rows: readonly StagedRow[]): void | Promise<void>;
  /** Who holds these payoutIds in the journal; leave it out where there is none yet. */
  claimHolders?(payoutIds: readonly string[]): Promise<readonly ClaimOwner[]>;
}

type RowOutcome = 'ready' | 'held' | 'rejected';

type Tallies = Readonly<Record<RowOutcome, RowTally>>;

function outcomeOf(row: StagedRow): RowOutcome {
  if (row.instruction === null) return 'rejected';
  return row.holds.length > 0 ? 'held' : 'ready';
}

function reject(row: StagedRow, code: string, message: string): StagedRow {
  const value = showCell(row.cells.payoutId.trim());
  const issue: Issue = { line: row.line, column: 'payoutId', code, value, message };
  return { ...row, instruction: null, holds: [], issues: [...row.issues, issue] };
}

function explainHolder(holder: ClaimOwner): string {
  return (
    `row ${holder.rowNo} of batch ${holder.batchId} (${holder.fileName}) has this payoutId and is ${holder.status}: ` +
    'remove the row, or give the payout a payoutId of its own'
  );
}

/** What both readings of one file work with. */
interface Check {
  readonly reader: PayoutFileReader;
  readonly inspection: Inspection;
  readonly batchId: string;
  readonly tallies: Tallies;
  readonly options: CheckOptions;
}

/** Rejects the rows whose payoutId another batch holds; the file's own batch is no other. */
async function rejectClaimed(
  { batchId, options }: Check,
  rows: readonly StagedRow[],
): Promise<readonly StagedRow[]> {
  if (options.claimHolders === undefined) return rows;
  const payoutIds = rows.flatMap((row) => (row.instruction === null ? [] : [row.instruction.payoutId]));
  if (payoutIds.length === 0) return rows;
  const holders = new Map<string, ClaimOwner>();
  for (const holder of await options.claimHolders(payoutIds)) {
    if (holder.batchId !== batchId) holders.set(holder.payoutId, holder);
  }
  if (holders.size === 0) return rows;
  return rows.map((row) => {
    const holder = row.instruction === null ? undefined : holders.get(row.instruction.payoutId);
    return holder === undefined ? row : reject(row, 'payout-id-claimed', explainHolder(holder));
  });
}

async function reportIssues({ options }: Check, rows: readonly StagedRow[]): Promise<void> {
  const issues = rows.flatMap((row) => row.issues.map((issue) => ({ rowNo: row.rowNo, issue })));
  if (issues.length > 0) await options.onIssues(issues);
}

async function readAll(
  { reader, inspection }: Check,
  take: (rows: readonly StagedRow[]) => Promise<void>,
): Promise<SealTotals | RejectedFile> {
  for await (const part of reader.read(inspection)) {
    switch (part.kind) {
      case 'header':
        break;
      case 'rows':
        await take(part.rows);
        break;
      case 'summary':
        return part.totals;
      case 'rejected':
        return part;
    }
  }
  throw new Error(`reading ${inspection.path} ended without totals`);
}

/** The second reading, only where it is needed: rows that were good until a later one contradicted them. */
async function reportConflicts(check: Check, rowNos: ReadonlySet<number>): ReturnType<typeof readAll> {
  const { tallies } = check;
  return readAll(check, async (rows) => {
    const conflicting = rows.filter((row) => rowNos.has(row.rowNo));
    const rejected: StagedRow[] = [];
    for (const row of await rejectClaimed(check, conflicting)) {
      // A row that another batch holds is rejected and reported already.
      if (row.instruction === null) continue;
      tallies[outcomeOf(row)].remove(row.amountSatang);
      tallies.rejected.add(row.amountSatang);
      const message =
        'a later row has the same payoutId and other cells: all such rows are rejected, give each payout a payoutId of its own';
      rejected.push(reject(row, 'duplicate-differs', message));
    }
    await reportIssues(check, rejected);
  });
}

/** Reads the whole file and reports every issue; memory stays flat, since issues are handed on as they are found. */
export async function checkFile(
  reader: PayoutFileReader,
  path: string,
  options: CheckOptions,
): Promise<CheckOutcome> {
  const inspected = await reader.inspect(path);
  if (inspected.kind === 'rejected') return inspected;
  return checkInspected(reader, inspected.inspection, options);
}

/** The same for a file that has been inspected. */
export async function checkInspected(
  reader: PayoutFileReader,
  inspection: Inspection,
  options: CheckOptions,
): Promise<CheckOutcome> {
  const batchId = computeBatchId(inspection.sha256);
  const tallies: Tallies = { ready: new RowTally(), held: new RowTally(), rejected: new RowTally() };
  const check: Check = { reader, inspection, batchId, tallies, options };
  let end = await readAll(check, async (read) => {
    const rows = await rejectClaimed(check, read);
    for (const row of rows) tallies[outcomeOf(row)].add(row.amountSatang);
    await reportIssues(check, rows);
    await options.onRows?.(rows);
  });
  if ('kind' in end) return end;
  const { conflictingRowNos } = end;
  if (conflictingRowNos.length > 0) end = await reportConflicts(check, new Set(conflictingRowNos));
  if ('kind' in end) return end;
  const totals = { ...tallies, all: sumTotals(Object.values(tallies)) };
  return { kind: 'checked', inspection, batchId, totals, conflictingRowNos };
}
