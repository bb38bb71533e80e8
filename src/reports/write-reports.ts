/** The reports of a batch of payouts. */
import type { ExitOptions } from '../core/exit-code.ts';
import type { Batch, OtherReferences, ReportKind, ResultRow, Snapshot } from '../core/ports.ts';
import {
  type PreparedReport,
  type ReportAsked,
  type ReportForm,
  ReportWriter,
  type RowTally,
  type WrittenFiles,
} from './batch-reports.ts';
import type { PresentOutbox, ReportOutbox, ReportStore } from './ports.ts';
import { payoutTables } from './rules/payout-tables.ts';
import { isException } from './rules/report-rows.ts';
import { type BatchSummary, renderSummary, summariseBatch, type SummaryContext } from './rules/summary.ts';

interface ReportContext extends Omit<SummaryContext, 'otherReferences'>, ExitOptions, ReportAsked {
  /** limits.similarDays; 0 means none. */
  readonly similarDays: number;
}

interface PayoutFigures {
  /** The batch as it stands. */
  readonly summary: BatchSummary;
  readonly otherReferences: OtherReferences;
}

export interface WrittenReports extends PayoutFigures, WrittenFiles {}

/** A batch as it stands at a moment that an operator has chosen. */
export interface PresentReports {
  readonly summary: BatchSummary;
  /** Context of the moment that the files show. */
  readonly context: SummaryContext;
  readonly files: readonly PreparedReport[];
}

/** Writes due reports, as `ReportWriter.writeDue` does. */
export async function writeReports(
  journal: ReportStore,
  outbox: ReportOutbox,
  batchId: string,
  context: ReportContext,
): Promise<WrittenReports> {
  const { figures, ...written } = await writer.writeDue(journal, outbox, batchId, context);
  return { ...figures, ...written };
}

/** Writes the batch as it stands now, as `ReportWriter.writePresent` does. */
export async function writePresent(
  journal: Pick<ReportStore, 'snapshot'>,
  outbox: PresentOutbox,
  batchId: string,
  nameOf: (kind: ReportKind) => string,
  context: ReportContext,
): Promise<PresentReports | undefined> {
  const written = await writer.writePresent(journal, outbox, batchId, nameOf, context);
  if (written === undefined) return undefined;
  const { summary, otherReferences } = written.figures;
  return { summary, context: { ...context, otherReferences }, files: written.files };
}

async function summarise(snapshot: Snapshot, batch: Batch, context: ReportContext): Promise<PayoutFigures> {
  const { batchId } = batch;
  const totals = await snapshot.totals(batchId);
  const summary = summariseBatch(batch, totals, await snapshot.holdTotals(batchId), context);
  return { summary, otherReferences: await snapshot.otherReferences(batchId, context.similarDays) };
}

/** Counts rows one by one; unless they match the journal's own sums, the batch does not add up. */
function openTally(): RowTally<ResultRow, PayoutFigures> {
  let [exceptionRows, amountSatang] = [0, 0n];
  return {
    add: (row) => {
      exceptionRows += isException(row) ? 1 : 0;
      amountSatang += row.amountSatang ?? 0n;
    },
    hold: ({ summary, otherReferences }) => {
      const agrees = exceptionRows === summary.exceptionRows && amountSatang === summary.amountSatang;
      return { summary: { ...summary, addsUp: summary.addsUp && agrees }, otherReferences };
    },
  };
}

const payoutForm: ReportForm<Batch, ResultRow, Snapshot, PayoutFigures, ReportContext> = {
  tables: payoutTables,
  summarise,
  isNewException: ({ isAlarm }) => isAlarm,
  openTally,
  addsUp: ({ summary }) => summary.addsUp,
  renderSummary: ({ summary, otherReferences }, files, context) =>
    renderSummary(summary, files, { ...context, otherReferences }),
};

const writer = new ReportWriter(payoutForm);
