/** The dry run: what a run would do with each row of a file. Sends payee checks and nothing else, and records nothing. */
import { decideLine, openLine, type BrakePolicy } from '../core/line.ts';
import { holdReasons, type HoldReason } from '../core/payout.ts';
import {
  predictedOutcomes,
  holdLike,
  predictRow,
  type AnswerPolicy,
  type GoodRow,
  type PredictedOutcome,
  type Prediction,
} from '../core/predict.ts';
import type { BatchReason, Clock, Inspection, Journal, PayoutFileReader, StagedRow } from '../core/ports.ts';
import type { Issue } from '../core/row-rules.ts';
import type { RejectedFile, RowIssue } from './check.ts';
import type { DeskStop, PayeeDesk } from './payee-desk.ts';
import { outlineRows, type Outline } from './predict-outline.ts';
import { LikePayments } from './predict-likeness.ts';
import { RowTally, sumTotals, type RowTotal } from './row-tally.ts';

/** What a dry run asks of a journal. */
type ReadJournal = Pick<
  Journal,
  'batch' | 'claimHolders' | 'lineStop' | 'similarHolders' | 'similarPayment' | 'snapshot'
>;

export interface PredictContext {
  readonly reader: PayoutFileReader;
  readonly desk: PayeeDesk;
  /** Read and never written; undefined where there is none yet. */
  readonly journal: ReadJournal | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly companyId: string;
  readonly payerAccount: string;
  readonly verify: AnswerPolicy;
  readonly brake: BrakePolicy;
  /** limits.similarDays and limits.batchMaxAgeHours; 0 means none. */
  readonly similarDays: number;
  readonly batchMaxAgeHours: number;
  /** Called with the issues of a stretch of rows; the reading waits for it. */
  onIssues(issues: readonly RowIssue[]): void | Promise<void>;
  /** The same for what is worth knowing of rows that would be paid. */
  onNotes(notes: readonly RowIssue[]): void | Promise<void>;
}

/** Where the brake would stop a run. */
export interface BrakeStop extends BatchReason {
  readonly rowNo: number;
}

/** What a run of the whole file would do. The outcomes add up to `all`. */
export interface FilePrediction {
  readonly kind: 'predicted';
  readonly batchId: string;
  /** An earlier run has read these very bytes: its batch would be continued. */
  readonly isKnown: boolean;
  readonly all: RowTotal;
  readonly outcomes: Readonly<Record<PredictedOutcome, RowTotal>>;
  /** Of the held rows; one with two holds counts under both. */
  readonly holds: Readonly<Record<HoldReason, RowTotal>>;
  /** Rows that a run would ask about before it sends them. */
  readonly checks: number;
  /** Why a run would send nothing at all. */
  readonly lineStop: BatchReason | undefined;
  readonly brakeStop: BrakeStop | undefined;
  /** Why the asking ended before its end. */
  readonly stop: DeskStop | undefined;
}

const tallyAll = <Name extends string>(names: readonly Name[]): Record<Name, RowTally> =>
  Object.fromEntries(names.map((name) => [name, new RowTally()])) as Record<Name, RowTally>;

const closeAll = <Name extends string>(tallies: Record<Name, RowTally>): Record<Name, RowTotal> =>
  Object.fromEntries(Object.entries<RowTally>(tallies).map(([name, tally]) => [name, tally.total])) as Record<
    Name,
    RowTotal
  >;

/** What is known of the rows so far: counts, and nothing a row. */
export class Tallies {
  readonly outcomes = tallyAll(predictedOutcomes);
  readonly holds = tallyAll(holdReasons);

  count({ outcome, holds }: Prediction, amountSatang: StagedRow['amountSatang']): void {
    this.outcomes[outcome].add(amountSatang);
    for (const hold of holds) this.holds[hold].add(amountSatang);
  }
}

/**
 * Predicts what a run would do with a file. Nobody is asked about until the whole file has been read: one that would
 * be rejected as a whole, or a row that would be, costs the bank no question.
 */
export async function predictFile(
  context: PredictContext,
  path: string,
): Promise<FilePrediction | RejectedFile> {
  const inspected = await context.reader.inspect(path);
  if (inspected.kind === 'rejected') return inspected;
  const tallies = new Tallies();
  const outline = await outlineRows(context, inspected.inspection, tallies);
  if ('kind' in outline) return outline;
  const asking: Asking = {
    ...outline,
    tallies,
    brake: new BrakeWatch(context.brake),
    likeness: new LikePayments(context),
  };
  const rejected = await askOpenRows(context, inspected.inspection, asking);
  return rejected ?? conclude(context, asking);
}

/** All that the second reading works with. */
interface Asking extends Outline {
  readonly tallies: Tallies;
  readonly brake: BrakeWatch;
  readonly likeness: LikePayments;
}

function conclude({ desk }: PredictContext, asking: Asking): FilePrediction {
  const { batchId, isKnown, openTally, lineStop, tallies, brake } = asking;
  const { ends: checks, stop: brakeStop } = brake;
  const counted = closeAll(tallies.outcomes);
  const outcomes = { ...counted, notAsked: sumTotals([counted.notAsked, openTally.total]) };
  const all = sumTotals(Object.values(outcomes));
  const holds = closeAll(tallies.holds);
  const { stop } = desk;
  return { kind: 'predicted', batchId, isKnown, all, outcomes, holds, checks, lineStop, brakeStop, stop };
}

/** Reads the file once more and asks about the rows that are left, a stretch of them after the other. */
async function askOpenRows(
  context: PredictContext,
  inspection: Inspection,
  asking: Asking,
): Promise<RejectedFile | undefined> {
  for await (const part of context.reader.read(inspection)) {
    if (context.desk.stop !== undefined) return undefined;
    if (part.kind === 'rejected') return { kind: 'rejected', rejection: part.rejection };
    if (part.kind !== 'rows') continue;
    const rows = part.rows.flatMap((row) => findOpen(row, asking));
    if (rows.length > 0) await askStretch(context, rows, asking);
  }
  return undefined;
}

type OpenRow = GoodRow & Pick<StagedRow, 'rowNo'>;

/** The row if it is to be asked about, with the holds that it would have. */
function findOpen(row: StagedRow, { open, similar, isKnown }: Outline): OpenRow[] {
  const { rowNo, line, instruction } = row;
  if (instruction === null || !open.has(rowNo)) return [];
  // What held a row of a known batch is in the journal, and a person may have lifted it since.
  const fromFile = isKnown ? [] : row.holds;
  const isNewlySimilar = similar.has(rowNo) && !fromFile.includes('similar');
  return [{ rowNo, line, instruction, holds: isNewlySimilar ? [...fromFile, 'similar'] : fromFile }];
}

async function askStretch(
  context: PredictContext,
  rows: readonly OpenRow[],
  { lineStop, openTally, tallies, brake, likeness }: Asking,
): Promise<void> {
  const verdicts = await context.desk.ask(rows.map(({ instruction }) => instruction));
  const issues: RowIssue[] = [];
  const notes: RowIssue[] = [];
  for (const [place, row] of rows.entries()) {
    const verdict = verdicts[place];
    if (verdict === undefined) throw new Error(`row ${row.rowNo} got no verdict`);
    const alone = predictRow(row, verdict, context.verify, lineStop !== undefined);
    const prediction = alone.outcome === 'toPay' && (await likeness.has(row)) ? holdLike(row) : alone;
    openTally.remove(row.instruction.amountSatang);
    tallies.count(prediction, row.instruction.amountSatang);
    if (row.holds.length === 0) brake.see(prediction, row.rowNo);
    issues.push(...atRow(row, prediction.issues));
    notes.push(...atRow(row, prediction.notes));
  }
  if (issues.length > 0) await context.onIssues(issues);
  if (notes.length > 0) await context.onNotes(notes);
}

const atRow = ({ rowNo }: OpenRow, issues: readonly Issue[]): RowIssue[] =>
  issues.map((issue) => ({ rowNo, issue }));

/** Foresees the brake: payees that cannot be paid, one after another, stop a run before it comes to the others. */
class BrakeWatch {
  readonly #policy: BrakePolicy;
  #line = openLine;
  #ends = 0;
  #stop: BrakeStop | undefined;

  constructor(policy: BrakePolicy) {
    this.#policy = policy;
  }

  /** Rows that a run asks about. */
  get ends(): number {
    return this.#ends;
  }

  get stop(): BrakeStop | undefined {
    return this.#stop;
  }

  /** A row that a run would have asked about: what is payable is taken to be paid. */
  see({ outcome, holds }: Prediction, rowNo: number): void {
    if (outcome === 'notAsked') return;
    this.#ends += 1;
    const isEndOtherwise = outcome === 'unpayable' || holds.includes('unavailable');
    if (!isEndOtherwise && outcome !== 'toPay') return;
    const signal = { kind: isEndOtherwise ? 'ended-otherwise' : 'paid' } as const;
    this.#line = decideLine(this.#line, signal, this.#policy, 0);
    if (this.#line.status === 'halted' && this.#line.why !== null)
      this.#stop ??= { ...this.#line.why, rowNo };
  }
}
