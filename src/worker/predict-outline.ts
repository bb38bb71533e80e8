/** The first reading of a dry run: every row that needs no question to the bank, and which rows are left to ask about. */
import { findTooOld } from '../core/batch-age.ts';
import { makeDuplicateIndex } from '../core/duplicates.ts';
import { predictEarlierRow } from '../core/predict.ts';
import type { Batch, BatchReason, Inspection, StagedRow } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import { computeSimilarKey } from '../core/similar-id.ts';
import { checkInspected, type RejectedFile, type RowIssue } from './check.ts';
import { haltOf } from './line-stop.ts';
import type { PredictContext, Tallies } from './predict.ts';
import { RowMarks } from './row-marks.ts';
import { RowTally, sumTotals } from './row-tally.ts';

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
export async function outlineRows(
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
