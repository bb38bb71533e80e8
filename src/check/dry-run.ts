/** The dry run: what a run would do with each row of a file. Sends payee checks and nothing else, and records nothing. */
import { dayMs } from '../core/bangkok-time.ts';
import { type HoldReason, holdReasons } from '../core/payout.ts';
import type { Batch, BatchReader, BatchReason, Clock } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { Inspection, PayoutFileReader, StagedRow } from '../intake/ports.ts';
import { makeDuplicateIndex } from '../intake/rules/duplicates.ts';
import type { Issue } from '../intake/rules/row.ts';
import { haltOf } from '../payout/breaker-stop.ts';
import type { DeskStop, PayeeDesk } from '../payout/payee-checker.ts';
import type { ClaimReader, PayerBreakerReader } from '../payout/ports.ts';
import { findTooOld } from '../payout/rules/batch-age.ts';
import { type BrakePolicy, decideLine, openLine } from '../payout/rules/circuit-breaker.ts';
import { computeSimilarKey } from '../payout/rules/similar.ts';
import { checkInspected, type RejectedFile, type RowIssue } from './check.ts';
import {
  type AnswerPolicy,
  type GoodRow,
  holdLike,
  predictEarlierRow,
  type PredictedOutcome,
  predictedOutcomes,
  type Prediction,
  predictRow,
} from './rules/forecast.ts';
import { RowTally, type RowTotal, sumTotals } from './rules/row-tally.ts';

/** What a dry run asks of a journal. */
type ReadJournal = BatchReader & ClaimReader & PayerBreakerReader;

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
class Tallies {
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

// ---- The first reading of a dry run: every row that needs no question to the bank, and which rows are left to ask about.

/** What the first reading has left open. */
export interface Outline {
  readonly batchId: string;
  /** An earlier run has read these very bytes: its batch would be continued. */
  readonly isKnown: boolean;
  /** Rows that a run would send, or hold, as far as file and journal tell. */
  readonly open: RowMarks;
  /** Those rows, as long as nobody has said more about them. */
  readonly openTally: RowTally;
  /** Rows of a new file that another of its rows resembles. */
  readonly similar: RowMarks;
  /** Why a run would send nothing at all. */
  readonly lineStop: BatchReason | undefined;
}

/** Reads the batch that the bytes are, or else the file. */
async function outlineRows(
  context: PredictContext,
  inspection: Inspection,
  tallies: Tallies,
): Promise<Outline | RejectedFile> {
  const batch = await context.journal?.batch(computeBatchId(inspection.sha256));
  const isRead = batch !== undefined && batch.status !== 'ingesting' && batch.status !== 'rejected';
  return isRead ? outlineBatch(context, batch, tallies) : outlineFile(context, inspection, tallies);
}

async function findLineStop(
  { journal, companyId, payerAccount, batchMaxAgeHours, clock }: PredictContext,
  batch: Batch | undefined,
): Promise<BatchReason | undefined> {
  // A corrected account holds for what a known batch has still to send, so it is the settings' that counts.
  const stop = await journal?.lineStop(companyId, payerAccount);
  if (stop !== undefined) return { code: stop.code, reason: stop.reason, remedy: stop.remedy };
  if (batch?.status === 'halted') return haltOf(batch);
  return batch === undefined ? undefined : findTooOld(batch, batchMaxAgeHours, clock.now());
}

/** A batch that an earlier run has read goes on from the journal, whatever the rules would say today. */
async function outlineBatch(context: PredictContext, batch: Batch, tallies: Tallies): Promise<Outline> {
  const open = new RowMarks();
  const openTally = new RowTally();
  const { batchId } = batch;
  const lineStop = await findLineStop(context, batch);
  await using snapshot = await context.journal?.snapshot();
  let found: RowIssue[] = [];
  for await (const row of snapshot?.resultRows(batchId) ?? []) {
    const prediction = predictEarlierRow(row);
    if (prediction === 'ask') {
      open.add(row.rowNo);
      openTally.add(row.amountSatang);
      continue;
    }
    tallies.count(prediction, row.amountSatang);
    found.push(...prediction.issues.map((issue) => ({ rowNo: row.rowNo, issue })));
    if (found.length < stretchRows) continue;
    await context.onIssues(found);
    found = [];
  }
  await context.onIssues(found);
  return { batchId, isKnown: true, open, openTally, similar: new RowMarks(), lineStop };
}

/** Issues that are handed on together. */
const stretchRows = 1_000;

async function outlineFile(
  context: PredictContext,
  inspection: Inspection,
  tallies: Tallies,
): Promise<Outline | RejectedFile> {
  const { journal, companyId } = context;
  const open = new RowMarks();
  const similar = new SimilarRows(context);
  const checked = await checkInspected(context.reader, inspection, {
    onIssues: (issues) => context.onIssues(issues),
    onRows: async (rows) => {
      for (const row of rows) {
        if (row.instruction === null) continue;
        open.add(row.rowNo);
        await similar.see(row, row.instruction.payoutId);
      }
    },
    ...(journal === undefined
      ? {}
      : { claimHolders: (payoutIds: readonly string[]) => journal.claimHolders(companyId, payoutIds) }),
  });
  if (checked.kind === 'rejected') return checked;
  for (const rowNo of checked.conflictingRowNos) open.remove(rowNo);
  const { batchId, totals } = checked;
  tallies.outcomes.rejected = new RowTally(totals.rejected);
  const openTally = new RowTally(sumTotals([totals.ready, totals.held]));
  const lineStop = await findLineStop(context, undefined);
  return { batchId, isKnown: false, open, openTally, similar: similar.close(), lineStop };
}

/** Finds rows whose payoutIds differ from another's only in case or leading zeros, in little memory. */
class SimilarRows {
  readonly #index = makeDuplicateIndex();
  readonly #marks = new RowMarks();
  readonly #context: Pick<PredictContext, 'journal' | 'companyId'>;

  constructor(context: Pick<PredictContext, 'journal' | 'companyId'>) {
    this.#context = context;
  }

  async see({ rowNo, line }: StagedRow, payoutId: string): Promise<void> {
    const { journal, companyId } = this.#context;
    const key = computeSimilarKey(payoutId);
    const { kind } = this.#index.add({ rowNo, line, payoutId: key, cells: [payoutId], isValid: true });
    const holders = (await journal?.similarHolders(companyId, payoutId)) ?? [];
    if (kind === 'differs' || holders.length > 0) this.#marks.add(rowNo);
  }

  close(): RowMarks {
    for (const rowNo of this.#index.conflictingRowNos) this.#marks.add(rowNo);
    return this.#marks;
  }
}

// ---- Foresees the hold for payouts like one that was paid, or may have been (limits.similarDays).

/** Remembers what would be paid of a file, about 30 bytes a row, and only where the setting asks for it. */
class LikePayments {
  readonly #context: PredictContext;
  readonly #index = makeDuplicateIndex();

  constructor(context: PredictContext) {
    this.#context = context;
  }

  /** True when the journal, or an earlier row that would be paid, has the same payee and amount. */
  async has({ rowNo, line, instruction }: GoodRow & { readonly rowNo: number }): Promise<boolean> {
    const { journal, companyId, similarDays, clock } = this.#context;
    if (similarDays === 0) return false;
    const { payoutId, proxyType, proxyNo, amountSatang } = instruction;
    const sinceMs = clock.now() - similarDays * dayMs;
    const likeness = { companyId, payoutId, proxyType, proxyNo, amountSatang, sinceMs };
    if ((await journal?.similarPayment(likeness)) !== undefined) return true;
    const key = `${proxyType} ${proxyNo} ${amountSatang}`;
    return this.#index.add({ rowNo, line, payoutId: key, cells: [], isValid: true }).kind !== 'new';
  }
}

/** A set of row numbers, a bit each: a file of a million rows takes 125 kB. */
export class RowMarks {
  #bits = new Uint8Array(1_024);

  add(rowNo: number): void {
    const place = rowNo >>> 3;
    if (place >= this.#bits.length) {
      const wider = new Uint8Array(Math.max(this.#bits.length * 2, place + 1));
      wider.set(this.#bits);
      this.#bits = wider;
    }
    this.#bits[place] = (this.#bits[place] ?? 0) | (1 << (rowNo & 7));
  }

  remove(rowNo: number): void {
    const place = rowNo >>> 3;
    if (place < this.#bits.length) this.#bits[place] = (this.#bits[place] ?? 0) & ~(1 << (rowNo & 7));
  }

  has(rowNo: number): boolean {
    return ((this.#bits[rowNo >>> 3] ?? 0) & (1 << (rowNo & 7))) !== 0;
  }
}
