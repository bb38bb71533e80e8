/** Checks a payout file without sending anything: every issue of every row, and the outcome of each row. */
import { message, type Message } from '../core/message.ts';
import { dayMs } from '../core/bangkok-time.ts';
import { showCell } from '../core/cell-text.ts';
import type { Inspection, Issue, SealTotals, StagedRow } from '../core/payout-file.ts';
import type { Instruction } from '../core/payout.ts';
import type { ClaimOwner, EarlierPayment, RowTotal } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { FileReader, PayoutFileReader, RejectedFile } from '../intake/ports.ts';
import { DuplicateIndex } from '../intake/rules/duplicates.ts';
import type { ClaimReader } from '../payout/ports.ts';
import type { LimitsAhead } from '../payout/limits-ahead.ts';
import type { LimitFinding } from '../payout/rules/limits.ts';
import {
  adviseClaimed,
  computeSimilarKey,
  type FileLikeness,
  findLikeFile,
  likeFileCodes,
} from '../payout/rules/similar.ts';
import { describeLimits } from './rules/forecast.ts';
import { RowMarks } from './rules/row-marks.ts';
import { RowTally, sumTotals } from './rules/row-tally.ts';

export interface RowIssue {
  readonly rowNo: number;
  readonly issue: Issue;
}

/** Searches a journal by payee and amount; undefined when there is no search. */
type FindLike = ((instruction: Instruction) => Promise<EarlierPayment | undefined>) | undefined;

/**
 * Makes a search for payments of the same amount to the same payee by other rows.
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

/** Totals by outcome; the three add up to `all`. */
export interface CheckTotals {
  readonly all: RowTotal;
  readonly ready: RowTotal;
  readonly held: RowTotal;
  readonly rejected: RowTotal;
}

export interface CheckedFile {
  readonly kind: 'checked';
  readonly inspection: Inspection;
  /** The batch of these bytes, run or not. */
  readonly batchId: string;
  readonly totals: CheckTotals;
  /** Reason why the whole file would be held; undefined when it would not. */
  readonly likeReason: Message | undefined;
  /** Rows whose payee and amount another file has within limits.likeFileDays. */
  readonly likeRows: number;
  /** Rows passed on as good that a later row has contradicted since. */
  readonly conflictingRowNos: readonly number[];
  /** Rows whose payoutId differs little from another one, here or in the journal; a run holds them. */
  readonly similarRows: Pick<RowMarks, 'has'>;
}

export type CheckOutcome = RejectedFile | CheckedFile;

interface CheckOptions {
  /** Called with the issues of a stretch of rows; the reading waits for it. Conflicting first rows come last. */
  onIssues(issues: readonly RowIssue[]): void | Promise<void>;
  /** Called with every stretch of rows after the check, rejected ones included. */
  onRows?(rows: readonly StagedRow[]): void | Promise<void>;
  /** Called with rows that would be held, with their holds; first rows that a later one resembles come last. */
  onHeld?(rows: readonly StagedRow[]): void | Promise<void>;
  /** Finds the holders of payoutIds in the journal; left out when there is none yet. */
  claimHolders?(payoutIds: readonly string[]): Promise<readonly ClaimOwner[]>;
  /** Finds the holders of payoutIds that differ little from this one; left out when there is no journal yet. */
  similarHolders?(payoutId: string): Promise<readonly ClaimOwner[]>;
  readonly findLike?: FindLike;
  /** Forecasts the limits over time; left out: no forecast. */
  foreseeLimits?(batchId: string): Promise<LimitsAhead>;
}

type RowOutcome = 'ready' | 'held' | 'rejected';

type Tallies = Readonly<Record<RowOutcome, RowTally>>;

function outcomeOf(row: StagedRow): RowOutcome {
  if (row.instruction === null) return 'rejected';
  return row.holds.length > 0 ? 'held' : 'ready';
}

function reject(row: StagedRow, code: string, why: Message): StagedRow {
  const value = showCell(row.cells.payoutId.trim());
  const issue: Issue = { line: row.line, column: 'payoutId', code, value, message: why };
  return { ...row, instruction: null, holds: [], issues: [...row.issues, issue] };
}

const explainHolder = ({ rowNo, batchId, fileName, status }: ClaimOwner): Message =>
  message('reason.holder', {
    row: rowNo,
    batch: batchId,
    file: fileName,
    status: message(`payout-is.${status}`),
    advice: adviseClaimed(status),
  });

/** Counts the rows that pay what another file has paid; many of them suggest that the file is a repetition. */
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

  /** Reason why a run would hold the whole file. */
  findReason(): Message | undefined {
    const [other] = [...this.#files.values()].toSorted((one, two) => two.rows - one.rows);
    return other && findLikeFile({ rows: this.#rows, likeRows: this.#likeRows, other });
  }
}

/** Finds payoutIds that differ only by what spreadsheets and people change; uses about 30 bytes a row. */
class SimilarIds {
  readonly #findHolders: CheckOptions['similarHolders'];
  readonly #batchId: string;
  readonly #ids = new DuplicateIndex();
  readonly #marks = new RowMarks();

  constructor({ similarHolders }: CheckOptions, batchId: string) {
    this.#findHolders = similarHolders;
    this.#batchId = batchId;
  }

  /** The row, held if its payoutId resembles that of an earlier row or of another batch. */
  async look(row: StagedRow): Promise<StagedRow> {
    const { rowNo, line, holds, instruction } = row;
    if (instruction === null) return row;
    const { payoutId } = instruction;
    const id = computeSimilarKey(payoutId);
    const { kind } = this.#ids.add({ rowNo, line, id, cells: [payoutId], isValid: true });
    const holders = (await this.#findHolders?.(payoutId)) ?? [];
    if (kind !== 'differs' && holders.every(({ batchId }) => batchId === this.#batchId)) return row;
    this.#marks.add(rowNo);
    return { ...row, holds: [...holds, 'similar'] };
  }

  has(rowNo: number): boolean {
    return this.#marks.has(rowNo);
  }

  /** Rows that a later one resembles, and no earlier one; complete once every row has been seen. */
  findFirsts(): ReadonlySet<number> {
    return new Set(this.#ids.conflictingRowNos.filter((rowNo) => !this.#marks.has(rowNo)));
  }
}

/** The input of both readings of a file. */
interface Check {
  readonly reader: PayoutFileReader;
  readonly inspection: Inspection;
  readonly batchId: string;
  readonly tallies: Tallies;
  readonly likes: LikeRows;
  /** Rows that a limit over time would hold. */
  readonly limited: RowMarks;
  readonly similar: SimilarIds;
  readonly limits: LimitsAhead | undefined;
  readonly options: CheckOptions;
}

/** Rejects the rows whose payoutId another batch holds; the file's own batch does not count. */
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

/** Limits over time that would hold a row without other holds. */
async function findLimits({ limits }: Check, row: StagedRow): Promise<readonly LimitFinding[]> {
  const { instruction } = row;
  if (limits === undefined || instruction === null || row.holds.length > 0) return [];
  return limits.look({ instruction, acceptedHolds: [] });
}

/** An issue of the whole file, placed at its beginning. */
const explainLikeFile = (why: Message): Issue => ({
  line: 1,
  column: null,
  code: likeFileCodes.like,
  value: null,
  message: message('forecast.all-held', { why }),
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

/** Moves a counted row to another outcome. */
function recount({ tallies, limited, similar }: Check, row: StagedRow, to: RowOutcome): void {
  const isHeld = limited.has(row.rowNo) || similar.has(row.rowNo);
  tallies[isHeld ? 'held' : outcomeOf(row)].remove(row.amountSatang);
  tallies[to].add(row.amountSatang);
}

/**
 * The second reading, made only when needed: for rows that were good until a later one contradicted or resembled them.
 */
async function reportLate(
  check: Check,
  conflicting: ReadonlySet<number>,
  resembled: ReadonlySet<number>,
): Promise<SealTotals | RejectedFile> {
  const { likes, options } = check;
  return readAll(check, async (rows) => {
    const late = rows.filter(({ rowNo }) => conflicting.has(rowNo) || resembled.has(rowNo));
    const rejected: StagedRow[] = [];
    const held: StagedRow[] = [];
    for (const row of await rejectClaimed(check, late)) {
      // A row that another batch holds is already rejected and reported.
      if (row.instruction === null) continue;
      if (!conflicting.has(row.rowNo)) {
        recount(check, row, 'held');
        held.push({ ...row, holds: ['similar'] });
        continue;
      }
      recount(check, row, 'rejected');
      await likes.count(row, -1);
      rejected.push(reject(row, 'duplicate-differs', message('reason.later-row-has-other-cells')));
    }
    await reportIssues(check, rejected);
    if (held.length > 0) await options.onHeld?.(held);
  });
}

/**
 * Reads the whole file and reports every issue; memory stays constant, since issues are passed on as they are found.
 */
export async function checkFile(
  reader: PayoutFileReader,
  path: string,
  options: CheckOptions,
): Promise<CheckOutcome> {
  const inspected = await reader.inspect(path);
  if (inspected.kind === 'rejected') return inspected;
  return checkInspected(reader, inspected.inspection, options);
}

/** The same for an inspected file. */
export async function checkInspected(
  reader: PayoutFileReader,
  inspection: Inspection,
  options: CheckOptions,
): Promise<CheckOutcome> {
  const batchId = computeBatchId(inspection.sha256);
  const tallies: Tallies = { ready: new RowTally(), held: new RowTally(), rejected: new RowTally() };
  const likes = new LikeRows(options.findLike, batchId);
  const limited = new RowMarks();
  const similar = new SimilarIds(options, batchId);
  const limits = await options.foreseeLimits?.(batchId);
  const check: Check = { reader, inspection, batchId, tallies, likes, limited, similar, limits, options };
  const mentioned = new Set<string>();
  let end = await readAll(check, async (read) => {
    const rows: StagedRow[] = [];
    for (const row of await rejectClaimed(check, read)) rows.push(await similar.look(row));
    const heldByLimits: RowIssue[] = [];
    for (const row of rows) {
      const found = await findLimits(check, row);
      if (found.length > 0) limited.add(row.rowNo);
      tallies[found.length > 0 ? 'held' : outcomeOf(row)].add(row.amountSatang);
      await likes.count(row, 1);
      const { rowNo, line, holds, instruction } = row;
      if (instruction === null) continue;
      const issues = describeLimits({ line, holds, instruction }, found, mentioned);
      heldByLimits.push(...issues.map((issue) => ({ rowNo, issue })));
    }
    await reportIssues(check, rows);
    if (heldByLimits.length > 0) await options.onIssues(heldByLimits);
    const held = rows.filter((row) => outcomeOf(row) === 'held');
    if (held.length > 0) await options.onHeld?.(held);
    await options.onRows?.(rows);
  });
  if ('kind' in end) return end;
  const { conflictingRowNos } = end;
  const resembled = similar.findFirsts();
  if (conflictingRowNos.length + resembled.size > 0)
    end = await reportLate(check, new Set(conflictingRowNos), resembled);
  if ('kind' in end) return end;
  const likeReason = likes.findReason();
  const totals = { ...tallies, all: sumTotals(Object.values(tallies)) };
  const { likeRows } = likes;
  const similarRows = { has: (rowNo: number) => similar.has(rowNo) || resembled.has(rowNo) };
  const found = { likeReason, likeRows, conflictingRowNos, similarRows };
  const checked = { kind: 'checked', inspection, batchId, ...found } as const;
  if (likeReason === undefined) return { ...checked, totals };
  await options.onIssues([{ rowNo: 1, issue: explainLikeFile(likeReason) }]);
  const held = sumTotals([tallies.ready, tallies.held]);
  return { ...checked, totals: { ...totals, held, ready: new RowTally() } };
}
