/** Checks a payout file without sending anything: every issue of every row, and what its rows would become. */
import { dayMs } from '../core/bangkok-time.ts';
import { showCell } from '../core/cell-text.ts';
import type { Inspection, Issue, SealTotals, StagedRow } from '../core/payout-file.ts';
import type { Instruction } from '../core/payout.ts';
import type { ClaimOwner, EarlierPayment, RowTotal } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { FileReader, PayoutFileReader, RejectedFile } from '../intake/ports.ts';
import type { ClaimReader } from '../payout/ports.ts';
import type { LimitsAhead } from '../payout/limits-ahead.ts';
import type { LimitFinding } from '../payout/rules/limits.ts';
import { adviseClaimed, type FileLikeness, findLikeFile, likeFileCodes } from '../payout/rules/similar.ts';
import { describeLimits } from './rules/forecast.ts';
import { RowMarks } from './rules/row-marks.ts';
import { RowTally, sumTotals } from './rules/row-tally.ts';

export interface RowIssue {
  readonly rowNo: number;
  readonly issue: Issue;
}

/** What is asked of a journal about a payee and an amount; undefined while nothing is looked for. */
type FindLike = ((instruction: Instruction) => Promise<EarlierPayment | undefined>) | undefined;

/**
 * Finds what was sent to the same payee, as much, for another row.
 * @param days limits.likeFileDays
 */
export function makeFindLike(
  journal: Pick<ClaimReader, 'similarPayment'> | undefined,
  companyId: string,
  days: number,
  nowMs: number,
): FindLike {
  if (journal === undefined || days === 0) return undefined;
  const sinceMs = nowMs - days * dayMs;
  return async ({ payoutId, proxyType, proxyNo, amountSatang }) =>
    journal.similarPayment({
      companyId,
      payoutId,
      proxyType,
      proxyNo,
      amountSatang,
      reference1: null,
      sinceMs,
    });
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
  /** Why all of it would be held; undefined when it would not. */
  readonly likeReason: string | undefined;
  /** Rows that pay a payee as much as another file has within limits.likeFileDays. */
  readonly likeRows: number;
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
  readonly findLike?: FindLike;
  /** What limits over time would hold; nothing where it is left out. */
  foreseeLimits?(batchId: string): Promise<LimitsAhead>;
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
    `${adviseClaimed(holder.status)}; remove the row`
  );
}

/** Counts the rows that pay what another file has paid: so many may be that file again. */
class LikeRows {
  readonly #findLike: FindLike;
  readonly #batchId: string;
  readonly #files = new Map<string, FileLikeness['other']>();
  #rows = 0;
  #likeRows = 0;

  constructor(findLike: FindLike, batchId: string) {
    this.#findLike = findLike;
    this.#batchId = batchId;
  }

  /** @param by 1, or -1 for a row that is rejected after all */
  async count({ instruction }: StagedRow, by: 1 | -1): Promise<void> {
    if (instruction === null) return;
    this.#rows += by;
    const like = await this.#findLike?.(instruction);
    if (like === undefined || like.batchId === this.#batchId) return;
    this.#likeRows += by;
    const { batchId, fileName } = like;
    const rows = (this.#files.get(batchId)?.rows ?? 0) + by;
    this.#files.set(batchId, { batchId, fileName, rows });
  }

  get likeRows(): number {
    return this.#likeRows;
  }

  /** Why a run would hold all of the file. */
  findReason(): string | undefined {
    const [other] = [...this.#files.values()].toSorted((one, two) => two.rows - one.rows);
    return other && findLikeFile({ rows: this.#rows, likeRows: this.#likeRows, other });
  }
}

/** What both readings of one file work with. */
interface Check {
  readonly reader: PayoutFileReader;
  readonly inspection: Inspection;
  readonly batchId: string;
  readonly tallies: Tallies;
  readonly likes: LikeRows;
  /** Rows that a limit over time would hold. */
  readonly limited: RowMarks;
  readonly limits: LimitsAhead | undefined;
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

/** What a limit over time would hold a row for that nothing else holds. */
async function findLimits({ limits }: Check, row: StagedRow): Promise<readonly LimitFinding[]> {
  const { instruction } = row;
  if (limits === undefined || instruction === null || row.holds.length > 0) return [];
  return limits.look({ instruction, acceptedHolds: [] });
}

/** Of the whole file: it has no place in it but the beginning. */
const explainLikeFile = (reason: string): Issue => ({
  line: 1,
  column: null,
  code: likeFileCodes.like,
  value: null,
  message: `${reason}: a run would hold all of it until an operator resumes its batch`,
});

async function reportIssues({ options }: Check, rows: readonly StagedRow[]): Promise<void> {
  const issues = rows.flatMap((row) => row.issues.map((issue) => ({ rowNo: row.rowNo, issue })));
  if (issues.length > 0) await options.onIssues(issues);
}

/** Reads an inspected file of any kind to its end. */
export async function readAll<Row, Totals extends object>(
  { reader, inspection }: { readonly reader: FileReader<Row, Totals>; readonly inspection: Inspection },
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<Totals | RejectedFile> {
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
async function reportConflicts(
  check: Check,
  rowNos: ReadonlySet<number>,
): Promise<SealTotals | RejectedFile> {
  const { tallies, likes } = check;
  return readAll(check, async (rows) => {
    const conflicting = rows.filter((row) => rowNos.has(row.rowNo));
    const rejected: StagedRow[] = [];
    for (const row of await rejectClaimed(check, conflicting)) {
      // A row that another batch holds is rejected and reported already.
      if (row.instruction === null) continue;
      tallies[check.limited.has(row.rowNo) ? 'held' : outcomeOf(row)].remove(row.amountSatang);
      tallies.rejected.add(row.amountSatang);
      await likes.count(row, -1);
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
  const likes = new LikeRows(options.findLike, batchId);
  const limited = new RowMarks();
  const limits = await options.foreseeLimits?.(batchId);
  const check: Check = { reader, inspection, batchId, tallies, likes, limited, limits, options };
  const told = new Set<string>();
  let end = await readAll(check, async (read) => {
    const rows = await rejectClaimed(check, read);
    const heldByLimits: RowIssue[] = [];
    for (const row of rows) {
      const found = await findLimits(check, row);
      if (found.length > 0) limited.add(row.rowNo);
      tallies[found.length > 0 ? 'held' : outcomeOf(row)].add(row.amountSatang);
      await likes.count(row, 1);
      const { rowNo, line, holds, instruction } = row;
      if (instruction === null) continue;
      const issues = describeLimits({ line, holds, instruction }, found, told);
      heldByLimits.push(...issues.map((issue) => ({ rowNo, issue })));
    }
    await reportIssues(check, rows);
    if (heldByLimits.length > 0) await options.onIssues(heldByLimits);
    await options.onRows?.(rows);
  });
  if ('kind' in end) return end;
  const { conflictingRowNos } = end;
  if (conflictingRowNos.length > 0) end = await reportConflicts(check, new Set(conflictingRowNos));
  if ('kind' in end) return end;
  const likeReason = likes.findReason();
  const totals = { ...tallies, all: sumTotals(Object.values(tallies)) };
  const { likeRows } = likes;
  const checked = { kind: 'checked', inspection, batchId, likeReason, likeRows, conflictingRowNos } as const;
  if (likeReason === undefined) return { ...checked, totals };
  await options.onIssues([{ rowNo: 1, issue: explainLikeFile(likeReason) }]);
  const held = sumTotals([tallies.ready, tallies.held]);
  return { ...checked, totals: { ...totals, held, ready: new RowTally() } };
}
