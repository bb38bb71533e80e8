/**
 * The dry run: what a run would do with each row of a file. It sends payee checks and nothing else, and records nothing.
 *
 * It reads the file twice. The first pass settles every row that needs no question to the bank and marks the others;
 * the second asks about those. So nobody is asked about until the whole file has been read: one that would be rejected
 * as a whole, or a row that would be, costs the bank no question.
 */
import { dayMs } from '../core/bangkok-time.ts';
import type { Inspection, Issue, StagedRow } from '../core/payout-file.ts';
import { type HoldReason, holdReasons } from '../core/payout.ts';
import type { Batch, BatchReader, BatchReason, Clock } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { PayoutFileReader } from '../intake/ports.ts';
import { DuplicateIndex } from '../intake/rules/duplicates.ts';
import { haltOf } from '../payout/circuit-breaker.ts';
import type { ClaimReader, PayerBreakerReader } from '../payout/ports.ts';
import { findTooOld } from '../payout/rules/batch-age.ts';
import type { BrakePolicy } from '../payout/rules/circuit-breaker.ts';
import { computeSimilarKey } from '../payout/rules/similar.ts';
import { checkInspected, type RejectedFile, type RowIssue } from './check.ts';
import type { CheckerStop, PayeeChecker } from './payee-checker.ts';
import {
  type AnswerPolicy,
  BrakeForecast,
  type BrakeStop,
  forecastEarlierRow,
  forecastLike,
  type ForecastOutcome,
  forecastOutcomes,
  forecastRow,
  type GoodRow,
  type RowForecast,
} from './rules/forecast.ts';
import { RowTally, type RowTotal, sumTotals } from './rules/row-tally.ts';

/** What a dry run asks of a journal. */
type ReadJournal = BatchReader & ClaimReader & PayerBreakerReader;

/** The settings that a run would go by. */
export interface DryRunPolicy {
  /** Who pays. */
  readonly bank: { readonly companyId: string; readonly payerAccount: string };
  readonly verify: AnswerPolicy;
  readonly brake: BrakePolicy;
  /** 0 means none. */
  readonly limits: { readonly similarDays: number; readonly batchMaxAgeHours: number };
}

export interface DryRunContext {
  readonly reader: PayoutFileReader;
  readonly checker: PayeeChecker;
  /** Read and never written; undefined where there is none yet. */
  readonly journal: ReadJournal | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly policy: DryRunPolicy;
  /** Called with the issues of a stretch of rows; the reading waits for it. */
  onIssues(issues: readonly RowIssue[]): void | Promise<void>;
  /** The same for what is worth knowing of rows that would be paid. */
  onNotes(notes: readonly RowIssue[]): void | Promise<void>;
}

/** What a run of the whole file would do. The outcomes add up to `all`. */
export interface FileForecast {
  readonly kind: 'predicted';
  readonly batchId: string;
  /** An earlier run has read these very bytes: its batch would be continued. */
  readonly isKnown: boolean;
  readonly all: RowTotal;
  readonly outcomes: Readonly<Record<ForecastOutcome, RowTotal>>;
  /** Of the held rows; one with two holds counts under both. */
  readonly holds: Readonly<Record<HoldReason, RowTotal>>;
  /** Rows that a run would ask about before it sends them. */
  readonly checks: number;
  /** Why a run would send nothing at all. */
  readonly halt: BatchReason | undefined;
  readonly brakeStop: BrakeStop | undefined;
  /** Why the asking ended before its end. */
  readonly stop: CheckerStop | undefined;
}

/** @returns what a run would do with the file, or why the whole file would be rejected */
export async function dryRun(context: DryRunContext, path: string): Promise<FileForecast | RejectedFile> {
  const inspected = await context.reader.inspect(path);
  if (inspected.kind === 'rejected') return inspected;
  const { inspection } = inspected;
  const tallies = new Tallies();
  const lookalikes = new Lookalikes(context);
  const outline = await outlineRows(context, inspection, tallies, lookalikes);
  if ('kind' in outline) return outline;
  const brake = new BrakeForecast(context.policy.brake);
  const rejected = await askOpenRows(context, inspection, { ...outline, tallies, lookalikes, brake });
  if (rejected !== undefined) return rejected;
  const { batchId, isKnown, halt } = outline;
  const { checks, stop: brakeStop } = brake;
  return {
    kind: 'predicted',
    batchId,
    isKnown,
    ...tallies.close(),
    checks,
    halt,
    brakeStop,
    stop: context.checker.stop,
  };
}

/** What is known of the rows so far: counts, and nothing a row. */
class Tallies {
  /** Rows that the first pass has left open, as long as nobody has said more about them. */
  open = new RowTally();
  readonly outcomes = tallyEach(forecastOutcomes);
  readonly #holds = tallyEach(holdReasons);

  count({ outcome, holds }: RowForecast, amountSatang: StagedRow['amountSatang']): void {
    this.outcomes[outcome].add(amountSatang);
    for (const hold of holds) this.#holds[hold].add(amountSatang);
  }

  close(): Pick<FileForecast, 'all' | 'outcomes' | 'holds'> {
    const counted = closeEach(this.outcomes);
    const outcomes = { ...counted, notAsked: sumTotals([counted.notAsked, this.open.total]) };
    return { all: sumTotals(Object.values(outcomes)), outcomes, holds: closeEach(this.#holds) };
  }
}

const tallyEach = <Name extends string>(names: readonly Name[]): Record<Name, RowTally> =>
  Object.fromEntries(names.map((name) => [name, new RowTally()])) as Record<Name, RowTally>;

const closeEach = <Name extends string>(tallies: Record<Name, RowTally>): Record<Name, RowTotal> =>
  Object.fromEntries(Object.entries<RowTally>(tallies).map(([name, tally]) => [name, tally.total])) as Record<
    Name,
    RowTotal
  >;

/** A set of row numbers, a bit each: a file of a million rows takes 125 kB. */
class RowMarks {
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

/** What the first pass has left open. */
interface Outline {
  readonly batchId: string;
  readonly isKnown: boolean;
  /** Rows that a run would send, or hold, as far as file and journal tell. */
  readonly open: RowMarks;
  readonly halt: BatchReason | undefined;
}

/** The first pass: over the batch that the bytes are, or else over the file. */
async function outlineRows(
  context: DryRunContext,
  inspection: Inspection,
  tallies: Tallies,
  lookalikes: Lookalikes,
): Promise<Outline | RejectedFile> {
  const batch = await context.journal?.batch(computeBatchId(inspection.sha256));
  const isRead = batch !== undefined && batch.status !== 'ingesting' && batch.status !== 'rejected';
  return isRead
    ? outlineBatch(context, batch, tallies)
    : outlineFile(context, inspection, tallies, lookalikes);
}

/** Why a run would send nothing at all. */
async function findHalt(
  { journal, policy, clock }: DryRunContext,
  batch?: Batch,
): Promise<BatchReason | undefined> {
  const { companyId, payerAccount } = policy.bank;
  // A corrected account holds for what a known batch has still to send, so it is the settings' that counts.
  const stop = await journal?.payerHalt(companyId, payerAccount);
  if (stop !== undefined) return { code: stop.code, reason: stop.reason, remedy: stop.remedy };
  if (batch?.status === 'halted') return haltOf(batch);
  return batch === undefined ? undefined : findTooOld(batch, policy.limits.batchMaxAgeHours, clock.now());
}

/** A batch that an earlier run has read goes on from the journal, whatever the rules would say today. */
async function outlineBatch(context: DryRunContext, batch: Batch, tallies: Tallies): Promise<Outline> {
  const open = new RowMarks();
  const { batchId } = batch;
  const halt = await findHalt(context, batch);
  await using snapshot = await context.journal?.snapshot();
  for await (const rows of snapshot?.resultRows(batchId) ?? []) {
    const found: RowIssue[] = [];
    for (const row of rows) {
      const forecast = forecastEarlierRow(row);
      if (forecast === 'ask') {
        open.add(row.rowNo);
        tallies.open.add(row.amountSatang);
        continue;
      }
      tallies.count(forecast, row.amountSatang);
      found.push(...atRow(row, forecast.issues));
    }
    await context.onIssues(found);
  }
  return { batchId, isKnown: true, open, halt };
}

async function outlineFile(
  context: DryRunContext,
  inspection: Inspection,
  tallies: Tallies,
  lookalikes: Lookalikes,
): Promise<Outline | RejectedFile> {
  const { journal, policy } = context;
  const open = new RowMarks();
  const checked = await checkInspected(context.reader, inspection, {
    onIssues: (issues) => context.onIssues(issues),
    onRows: async (rows) => {
      for (const row of rows) {
        if (row.instruction === null) continue;
        open.add(row.rowNo);
        await lookalikes.seeId(row, row.instruction.payoutId);
      }
    },
    ...(journal === undefined
      ? {}
      : { claimHolders: (ids: readonly string[]) => journal.claimHolders(policy.bank.companyId, ids) }),
  });
  if (checked.kind === 'rejected') return checked;
  lookalikes.closeIds();
  for (const rowNo of checked.conflictingRowNos) open.remove(rowNo);
  const { batchId, totals } = checked;
  tallies.outcomes.rejected = new RowTally(totals.rejected);
  tallies.open = new RowTally(sumTotals([totals.ready, totals.held]));
  return { batchId, isKnown: false, open, halt: await findHalt(context) };
}

/** Finds what a run would hold as similar, in little memory: about 30 bytes a row. */
class Lookalikes {
  readonly #context: DryRunContext;
  readonly #ids = new DuplicateIndex();
  readonly #marks = new RowMarks();
  readonly #payments = new DuplicateIndex();

  constructor(context: DryRunContext) {
    this.#context = context;
  }

  /** Marks rows whose payoutId differs from another's, here or in the journal, only in case or leading zeros. */
  async seeId({ rowNo, line }: StagedRow, payoutId: string): Promise<void> {
    const { journal, policy } = this.#context;
    const key = computeSimilarKey(payoutId);
    const { kind } = this.#ids.add({ rowNo, line, payoutId: key, cells: [payoutId], isValid: true });
    const others = (await journal?.similarHolders(policy.bank.companyId, payoutId)) ?? [];
    if (kind === 'differs' || others.length > 0) this.#marks.add(rowNo);
  }

  /** Every row has been seen: the first ones that a later one resembles are marked, too. */
  closeIds(): void {
    for (const rowNo of this.#ids.conflictingRowNos) this.#marks.add(rowNo);
  }

  hasSimilarId(rowNo: number): boolean {
    return this.#marks.has(rowNo);
  }

  /** True when the journal, or an earlier row that would be paid, has the same payee and amount (limits.similarDays). */
  async isLikePayment({ rowNo, line, instruction }: OpenRow): Promise<boolean> {
    const { journal, policy, clock } = this.#context;
    const { similarDays } = policy.limits;
    if (similarDays === 0) return false;
    const { companyId } = policy.bank;
    const { payoutId, proxyType, proxyNo, amountSatang } = instruction;
    const sinceMs = clock.now() - similarDays * dayMs;
    const likeness = { companyId, payoutId, proxyType, proxyNo, amountSatang, sinceMs };
    if ((await journal?.similarPayment(likeness)) !== undefined) return true;
    const key = `${proxyType} ${proxyNo} ${amountSatang}`;
    return this.#payments.add({ rowNo, line, payoutId: key, cells: [], isValid: true }).kind !== 'new';
  }
}

/** All that the second pass works with. */
interface Asking extends Outline {
  readonly tallies: Tallies;
  readonly lookalikes: Lookalikes;
  readonly brake: BrakeForecast;
}

/** The second pass: asks about the rows that are left, a stretch of them after the other. */
async function askOpenRows(
  context: DryRunContext,
  inspection: Inspection,
  asking: Asking,
): Promise<RejectedFile | undefined> {
  for await (const part of context.reader.read(inspection)) {
    if (context.checker.stop !== undefined) return undefined;
    if (part.kind === 'rejected') return { kind: 'rejected', rejection: part.rejection };
    if (part.kind !== 'rows') continue;
    const rows = part.rows.flatMap((row) => findOpen(row, asking));
    if (rows.length > 0) await askStretch(context, rows, asking);
  }
  return undefined;
}

type OpenRow = GoodRow & Pick<StagedRow, 'rowNo'>;

/** The row if it is to be asked about, with the holds that it would have. */
function findOpen(row: StagedRow, { open, lookalikes, isKnown }: Asking): OpenRow[] {
  const { rowNo, line, instruction } = row;
  if (instruction === null || !open.has(rowNo)) return [];
  // What held a row of a known batch is in the journal, and an operator may have lifted it since.
  const fromFile = isKnown ? [] : row.holds;
  const isNewlySimilar = lookalikes.hasSimilarId(rowNo) && !fromFile.includes('similar');
  return [{ rowNo, line, instruction, holds: isNewlySimilar ? [...fromFile, 'similar'] : fromFile }];
}

async function askStretch(
  context: DryRunContext,
  rows: readonly OpenRow[],
  { halt, tallies, lookalikes, brake }: Asking,
): Promise<void> {
  const verdicts = await context.checker.ask(rows.map(({ instruction }) => instruction));
  const issues: RowIssue[] = [];
  const notes: RowIssue[] = [];
  for (const [place, row] of rows.entries()) {
    const verdict = verdicts[place];
    if (verdict === undefined) throw new Error(`row ${row.rowNo} got no verdict`);
    const alone = forecastRow(row, verdict, context.policy.verify, halt !== undefined);
    const forecast =
      alone.outcome === 'toPay' && (await lookalikes.isLikePayment(row)) ? forecastLike(row) : alone;
    tallies.open.remove(row.instruction.amountSatang);
    tallies.count(forecast, row.instruction.amountSatang);
    if (row.holds.length === 0) brake.observe(forecast, row.rowNo);
    issues.push(...atRow(row, forecast.issues));
    notes.push(...atRow(row, forecast.notes));
  }
  if (issues.length > 0) await context.onIssues(issues);
  if (notes.length > 0) await context.onNotes(notes);
}

const atRow = ({ rowNo }: { readonly rowNo: number }, issues: readonly Issue[]): RowIssue[] =>
  issues.map((issue) => ({ rowNo, issue }));
