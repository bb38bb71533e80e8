/** The reports of a batch of payouts. */
import { countOf } from '../core/figures.ts';
import type { ExitOptions } from '../core/exit-code.ts';
import type { Batch, OtherReferences, ReportKind, ResultRow, Snapshot } from '../core/ports.ts';
import { makeWorkbook } from '../platform/workbook/writer.ts';
import {
  type PreparedReport,
  type ReportedFile,
  type ReportForm,
  ReportWriter,
  type RowBook,
  type RowTally,
  type TablePlan,
} from './batch-reports.ts';
import { withoutSteering } from './outbox.ts';
import type { PresentOutbox, ReportOutbox, ReportStore } from './ports.ts';
import type { SheetTable } from './rules/column-words.ts';
import {
  exceptionColumns,
  isException,
  addThaiRemedy,
  renderException,
  renderExceptionHeader,
  renderResultHeader,
  renderResultRow,
  resultColumns,
} from './rules/report-rows.ts';
import { type BatchSummary, renderSummary, summariseBatch, type SummaryContext } from './rules/summary.ts';
import {
  describeMaking,
  type Fact,
  makeHowToSheet,
  makeListsSheet,
  makeSummarySheet,
  makeTableSheet,
  StatusTally,
} from './rules/workbook.ts';

export interface ReportContext extends Omit<SummaryContext, 'otherReferences'>, ExitOptions {
  /** limits.similarDays; 0 means none. */
  readonly similarDays: number;
  /** A workbook is written of a batch with so many rows or fewer; 0, or left out, means none. */
  readonly workbookRowsMax?: number;
}

interface PayoutFigures {
  /** The batch as it stands. */
  readonly summary: BatchSummary;
  readonly otherReferences: OtherReferences;
}

export interface WrittenReports extends PayoutFigures {
  /** Every file of the batch, the oldest first. */
  readonly files: readonly ReportedFile[];
  /** How many of them are new. */
  readonly filesWritten: number;
}

/** How a batch stands at a moment that an operator has chosen. */
export interface PresentReports {
  readonly summary: BatchSummary;
  /** Of the moment that the files show. */
  readonly context: SummaryContext;
  readonly files: readonly PreparedReport[];
}

/** Writes what is due, as `ReportWriter.writeDue` does. */
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

/** The rows one by one come to the same as the journal's own sums, or nothing adds up. */
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

function listTables({ batchId, extraColumns }: Batch, isFirst: boolean): readonly TablePlan<ResultRow>[] {
  const needsReview = isFirst ? isException : ({ isAlarm }: ResultRow): boolean => isAlarm;
  return [
    {
      kind: isFirst ? 'result' : 'result-update',
      style: 'program',
      header: renderResultHeader(extraColumns),
      render: (row) => renderResultRow(row, extraColumns.length),
    },
    {
      kind: isFirst ? 'exceptions' : 'exceptions-update',
      style: 'spreadsheet',
      header: renderExceptionHeader(extraColumns),
      render: (row) => (needsReview(row) ? renderException(batchId, row, extraColumns.length) : undefined),
    },
  ];
}

function openBook(batch: Batch, { isSandbox, nowMs, workbookRowsMax = 0 }: ReportContext) {
  return batch.rows <= workbookRowsMax ? new BatchBook(batch, describeMaking(isSandbox, nowMs)) : undefined;
}

class BatchBook implements RowBook<ResultRow, PayoutFigures> {
  readonly #tally = new StatusTally();
  readonly #kept = new Map<ReportKind, (readonly string[])[]>();
  readonly #batch: Batch;
  readonly #making: readonly Fact[];

  constructor(batch: Batch, making: readonly Fact[]) {
    this.#batch = batch;
    this.#making = making;
  }

  count(row: ResultRow): void {
    this.#tally.add(row);
  }

  keep(kind: ReportKind, cells: readonly string[], row: ResultRow): void {
    const kept = this.#kept.get(kind) ?? [];
    const safe = withoutSteering(cells);
    kept.push(kind === 'exceptions' ? addThaiRemedy(safe, row) : safe);
    this.#kept.set(kind, kept);
  }

  async make({ summary: { addsUp } }: PayoutFigures): Promise<Uint8Array> {
    const { batchId, fileName, status, rows, extraColumns } = this.#batch;
    const sheetOf = (name: string, kind: ReportKind, header: string[], own: readonly string[]): SheetTable =>
      makeTableSheet(name, header, own.length, this.#kept.get(kind) ?? []);
    const facts: readonly Fact[] = [
      ...this.#making,
      [`batch ${batchId}\nชุดจ่ายเงิน`, `${fileName} (${countOf(rows, 'row')})`],
      ['state\nสถานะชุดจ่ายเงิน', status],
      ['adds up to the file\nยอดรวมตรงกับไฟล์', addsUp ? 'yes\nตรง' : 'NO\nไม่ตรง'],
    ];
    return makeWorkbook([
      makeSummarySheet(facts, this.#tally),
      sheetOf('Exceptions', 'exceptions', renderExceptionHeader(extraColumns), exceptionColumns),
      sheetOf('Result', 'result', renderResultHeader(extraColumns), resultColumns),
      makeListsSheet(),
      makeHowToSheet(),
    ]);
  }
}

const payoutForm: ReportForm<Batch, ResultRow, Snapshot, PayoutFigures, ReportContext> = {
  summarise,
  listTables,
  openTally,
  openBook,
  renderSummary: ({ summary, otherReferences }, files, context) =>
    renderSummary(summary, files, { ...context, otherReferences }),
};

const writer = new ReportWriter(payoutForm);
