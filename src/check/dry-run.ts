/**
 * The dry run: forecasts a run's outcome for each row of a file. It sends only payee checks, and records nothing. It
 * reads the file twice: the first pass decides every row that needs no question to the bank and marks the others, the
 * second asks about those. No question is asked before the whole file has been read, so a file that would be rejected
 * as a whole, or a rejected row, costs the bank no question.
 */
import { dayMs } from '../core/bangkok-time.ts';
import type { Inspection, Issue, StagedRow } from '../core/payout-file.ts';
import { type HoldReason, holdReasons, isSealed } from '../core/payout.ts';
import type { Batch, BatchReader, BatchReason, Clock, RowTotal } from '../core/ports.ts';
import type { Progress } from '../core/progress.ts';
import { computeBatchId } from '../core/reference.ts';
import type { PayoutFileReader, RejectedFile } from '../intake/ports.ts';
import { haltOf } from '../payout/circuit-breaker.ts';
import { foreseeLimits, type LimitsAhead } from '../payout/limits-ahead.ts';
import type { ClaimReader, LimitReader, PayerBreakerReader } from '../payout/ports.ts';
import { findTooOld } from '../payout/rules/batch-age.ts';
import type { BrakePolicy } from '../payout/rules/brake.ts';
import type { TimeLimits } from '../payout/rules/limits.ts';
import type { PayeeVerdict } from '../payout/rules/payee.ts';
import { type CheckedFile, checkInspected, makeFindLike, type RowIssue } from './check.ts';
import type { CheckerStop, PayeeChecker } from './payee-checker.ts';
import {
  addLikeness,
  addLimits,
  type AnswerPolicy,
  BrakeForecast,
  type BrakeStop,
  forecastEarlierRow,
  type ForecastOutcome,
  forecastOutcomes,
  forecastRow,
  type GoodRow,
  type RowForecast,
} from './rules/forecast.ts';
import { type Likeness, LikePayments } from './rules/like-payments.ts';
import { RowMarks } from './rules/row-marks.ts';
import { RowTally, sumTotals } from './rules/row-tally.ts';

/** The journal as a dry run needs it. */
type ReadJournal = BatchReader & ClaimReader & PayerBreakerReader & LimitReader;

/** The settings that a run would use. */
interface DryRunPolicy {
  /** The payer. */
  readonly bank: { readonly companyId: string; readonly payerAccount: string };
  readonly verify: AnswerPolicy;
  readonly brake: BrakePolicy;
  /** Limits; 0 turns one off. */
  readonly limits: {
    readonly similarDays: number;
    readonly likeFileDays: number;
    readonly batchMaxAgeHours: number;
    readonly overTime?: TimeLimits | undefined;
  };
}

interface DryRunContext {
  readonly reader: PayoutFileReader;
  readonly checker: PayeeChecker;
  /** The journal, read-only; undefined when there is none yet. */
  readonly journal: ReadJournal | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly policy: DryRunPolicy;
  /** Called with the issues of a stretch of rows; the reading waits for it. */
  readonly onIssues: (issues: readonly RowIssue[]) => void | Promise<void>;
  /** Called with remarks on rows that would be paid. */
  readonly onNotes: (notes: readonly RowIssue[]) => void | Promise<void>;
  /** Progress display. */
  readonly progress?: Pick<Progress, 'show'> | undefined;
}

/** The forecast for a run of the whole file. The outcomes add up to `all`. */
export interface FileForecast {
  readonly kind: 'predicted';
  readonly batchId: string;
  /** True when an earlier run has read these same bytes: its batch would be continued. */
  readonly isKnown: boolean;
  readonly all: RowTotal;
  readonly outcomes: Readonly<Record<ForecastOutcome, RowTotal>>;
  /** Held rows by hold; a row with two holds counts under both. */
  readonly holds: Readonly<Record<HoldReason, RowTotal>>;
  /** Rows that a run would ask about before sending. */
  readonly checks: number;
  /** Reason why a run would send nothing at all. */
  readonly halt: BatchReason | undefined;
  readonly brakeStop: BrakeStop | undefined;
  /** Reason why the questions ended early. */
  readonly stop: CheckerStop | undefined;
}

/** @returns the forecast of a run, or why the whole file would be rejected */
export async function dryRun(context: DryRunContext, path: string): Promise<FileForecast | RejectedFile> {
  const inspected = await context.reader.inspect(path);
  if (inspected.kind === 'rejected') return inspected;
  return new DryRun(context, inspected.inspection).run();
}

const tallyEach = <Name extends string>(names: readonly Name[]): Record<Name, RowTally> =>
  Object.fromEntries(names.map((name) => [name, new RowTally()])) as Record<Name, RowTally>;

/** The state of the rows so far: counts, and a bit for each row. */
class DryRun {
  readonly #context: DryRunContext;
  readonly #inspection: Inspection;
  readonly #lookalikes: Lookalikes;
  readonly #brake: BrakeForecast;
  readonly #outcomes = tallyEach(forecastOutcomes);
  readonly #holds = tallyEach(holdReasons);
  /** Rows that a run would send or hold, by file and journal; the first pass leaves them open. */
  readonly #open = new RowMarks();
  /** Issues common to all rows that have been reported. */
  readonly #mentioned = new Set<string>();
  #limits: LimitsAhead | undefined;
  /** Undefined for a known batch: the journal has its holds. */
  #similarRows: CheckedFile['similarRows'] | undefined;
  /** True when the whole file would be held, since it may repeat another one. */
  #isLikeFile = false;
  /** Open rows without a further finding. */
  #openTally = new RowTally();

  constructor(context: DryRunContext, inspection: Inspection) {
    this.#context = context;
    this.#inspection = inspection;
    this.#lookalikes = new Lookalikes(context);
    this.#brake = new BrakeForecast(context.policy.brake);
  }

  async run(): Promise<FileForecast | RejectedFile> {
    const { journal, checker } = this.#context;
    const batchId = computeBatchId(this.#inspection.sha256);
    const found = await journal?.batch(batchId);
    const batch = found !== undefined && isSealed(found.status) ? found : undefined;
    const isKnown = batch !== undefined;
    const rejected = isKnown ? await this.#outlineBatch(batch) : await this.#outlineFile();
    if (rejected !== undefined) return rejected;
    const halt = await this.#findHalt(batch);
    this.#limits = await this.#foreseeLimits(batchId);
    const rejectedLate = await this.#askOpenRows(isKnown, halt !== undefined);
    if (rejectedLate !== undefined) return rejectedLate;
    const outcomes = {
      ...this.#outcomes,
      notAsked: sumTotals([this.#outcomes.notAsked, this.#openTally]),
    };
    const all = sumTotals(Object.values(outcomes));
    const { checks, stop: brakeStop } = this.#brake;
    const { stop } = checker;
    return {
      kind: 'predicted',
      batchId,
      isKnown,
      all,
      outcomes,
      holds: this.#holds,
      checks,
      halt,
      brakeStop,
      stop,
    };
  }

  /** Reason why a run would send nothing at all. */
  async #findHalt(batch: Batch | undefined): Promise<BatchReason | undefined> {
    const { journal, policy, clock } = this.#context;
    const { companyId, payerAccount } = policy.bank;
    // The account of the settings counts, since a corrected account also applies to the unsent rows of a known batch.
    const stop = await journal?.payerHalt(companyId, payerAccount);
    if (stop !== undefined) return { code: stop.code, reason: stop.reason, remedy: stop.remedy };
    if (batch?.status === 'halted') return haltOf(batch);
    return batch === undefined ? undefined : findTooOld(batch, policy.limits.batchMaxAgeHours, clock.now());
  }

  async #foreseeLimits(batchId: string): Promise<LimitsAhead | undefined> {
    const { journal, policy, clock } = this.#context;
    const { companyId } = policy.bank;
    const { overTime } = policy.limits;
    return overTime && foreseeLimits(journal, overTime, { companyId, batchId }, clock.now());
  }

  #count({ outcome, holds }: RowForecast, amountSatang: StagedRow['amountSatang']): void {
    this.#outcomes[outcome].add(amountSatang);
    for (const hold of holds) this.#holds[hold].add(amountSatang);
  }

  /** Outlines a batch that an earlier run has read: it continues from the journal, whatever the rules say today. */
  async #outlineBatch({ batchId }: Batch): Promise<RejectedFile | undefined> {
    const { journal, onIssues } = this.#context;
    await using snapshot = await journal?.snapshot();
    for await (const rows of snapshot?.resultRows(batchId) ?? []) {
      const found: RowIssue[] = [];
      for (const row of rows) {
        const forecast = forecastEarlierRow(row);
        if (forecast === 'ask') {
          this.#open.add(row.rowNo);
          this.#openTally.add(row.amountSatang);
          continue;
        }
        this.#count(forecast, row.amountSatang);
        found.push(...atRow(row, forecast.issues));
      }
      await onIssues(found);
    }
    return undefined;
  }

  async #outlineFile(): Promise<RejectedFile | undefined> {
    const { reader, journal, clock, policy, onIssues, progress } = this.#context;
    let rowsDone = 0;
    const { companyId } = policy.bank;
    const checked = await checkInspected(reader, this.#inspection, {
      onIssues,
      onRows: (rows) => {
        rowsDone += rows.length;
        progress?.show({ phase: 'reading', rowsDone, rowsTotal: undefined, inDoubt: 0 });
        for (const row of rows) {
          if (row.instruction !== null) this.#open.add(row.rowNo);
        }
      },
      findLike: makeFindLike(journal, companyId, policy.limits.likeFileDays, clock.now()),
      ...(journal === undefined
        ? {}
        : {
            claimHolders: (ids: readonly string[]) => journal.claimHolders(companyId, ids),
            similarHolders: (id: string) => journal.similarHolders(companyId, id),
          }),
    });
    if (checked.kind === 'rejected') return checked;
    this.#isLikeFile = checked.likeReason !== undefined;
    this.#similarRows = checked.similarRows;
    for (const rowNo of checked.conflictingRowNos) this.#open.remove(rowNo);
    const { ready, held, rejected } = checked.totals;
    this.#outcomes.rejected = sumTotals([rejected]);
    this.#openTally = sumTotals([ready, held]);
    return undefined;
  }

  /** The second pass: asks about the open rows, one stretch after another. */
  async #askOpenRows(isKnown: boolean, isHalted: boolean): Promise<RejectedFile | undefined> {
    const { reader, checker, progress } = this.#context;
    const asked = { phase: 'asking', rowsDone: 0, rowsTotal: this.#openTally.rows, inDoubt: 0, refused: 0 };
    const count = ({ kind }: PayeeVerdict): void => {
      if (kind === 'stopped') return;
      asked.rowsDone += 1;
      if (kind === 'unpayable') asked.refused += 1;
      progress?.show({ ...asked });
    };
    for await (const part of reader.read(this.#inspection)) {
      if (checker.stop !== undefined) return undefined;
      if (part.kind === 'rejected') return part;
      if (part.kind !== 'rows') continue;
      const rows = part.rows.flatMap((row) => this.#findOpen(row, isKnown));
      if (rows.length > 0) await this.#askStretch(rows, isHalted, count);
    }
    return undefined;
  }

  /** The row with its holds, if it is to be asked about. */
  #findOpen({ rowNo, line, instruction, holds }: StagedRow, isKnown: boolean): OpenRow[] {
    if (instruction === null || !this.#open.has(rowNo)) return [];
    // Holds of a known batch's row are in the journal, and an operator may have lifted them since.
    const fromFile = isKnown ? [] : holds;
    const isSimilar = this.#isLikeFile || this.#similarRows?.has(rowNo) === true;
    const isNewlySimilar = isSimilar && !fromFile.includes('similar');
    return [{ rowNo, line, instruction, holds: isNewlySimilar ? [...fromFile, 'similar'] : fromFile }];
  }

  async #askStretch(
    rows: readonly OpenRow[],
    isHalted: boolean,
    count: (verdict: PayeeVerdict) => void,
  ): Promise<void> {
    const { checker, policy, onIssues, onNotes } = this.#context;
    const payees = rows.map(({ instruction }) => instruction);
    const verdicts = await checker.ask(payees, count);
    const issues: RowIssue[] = [];
    const notes: RowIssue[] = [];
    for (const [place, row] of rows.entries()) {
      const verdict = verdicts[place];
      if (verdict === undefined) throw new Error(`row ${row.rowNo} got no verdict`);
      const alone = forecastRow(row, verdict, policy.verify, isHalted);
      const likeness = alone.outcome === 'toPay' ? await this.#lookalikes.compare(row) : 'none';
      const alike = addLikeness(row, alone, likeness);
      const { instruction } = row;
      const isLeft = alike.outcome === 'toPay';
      const found = isLeft ? await this.#limits?.look({ instruction, acceptedHolds: [] }) : undefined;
      const forecast = addLimits(row, alike, found ?? [], this.#mentioned);
      this.#openTally.remove(row.instruction.amountSatang);
      this.#count(forecast, row.instruction.amountSatang);
      if (row.holds.length === 0) this.#brake.observe(forecast, row.rowNo);
      issues.push(...atRow(row, forecast.issues));
      notes.push(...atRow(row, forecast.notes));
    }
    if (issues.length > 0) await onIssues(issues);
    if (notes.length > 0) await onNotes(notes);
  }
}

type OpenRow = GoodRow & Pick<StagedRow, 'rowNo'>;

/** Finds payments that a run would hold as similar; uses about 30 bytes a row. */
class Lookalikes {
  readonly #context: DryRunContext;
  readonly #payments = new LikePayments();

  constructor(context: DryRunContext) {
    this.#context = context;
  }

  /** Compares a row with payments of the journal, and of earlier rows that would be paid (limits.similarDays). */
  async compare(row: OpenRow): Promise<Likeness> {
    const { journal, policy, clock } = this.#context;
    const { similarDays } = policy.limits;
    if (similarDays === 0) return 'none';
    const inFile = this.#payments.add(row);
    if (inFile === 'same-payment' || journal === undefined) return inFile;
    const { companyId } = policy.bank;
    const { payoutId, proxyType, proxyNo, amountSatang, reference1 } = row.instruction;
    const payment = { companyId, payoutId, proxyType, proxyNo, amountSatang };
    const likeness = { ...payment, sinceMs: clock.now() - similarDays * dayMs };
    if ((await journal.similarPayment({ ...likeness, reference1 })) !== undefined) return 'same-payment';
    if (inFile !== 'none' || reference1 === null) return inFile;
    const isAny = (await journal.similarPayment({ ...likeness, reference1: null })) !== undefined;
    return isAny ? 'other-reference' : 'none';
  }
}

const atRow = ({ rowNo }: { readonly rowNo: number }, issues: readonly Issue[]): RowIssue[] =>
  issues.map((issue) => ({ rowNo, issue }));
