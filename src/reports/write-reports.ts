/**
 * The files that a batch leaves in the outbox, each of them whole, written once and never changed.
 *
 * From one snapshot of the journal the bytes go to temporary names and are made durable; one commit records
 * what is due (name, hash, temporary name, latest event shown); only then is each file given its own name.
 * A crash before the commit leaves nothing but temporary files, which the next start removes and writes anew;
 * a crash after it leaves the very bytes, which the next start publishes.
 */
import { countOf } from '../core/figures.ts';
import type { ExitOptions } from '../core/exit-code.ts';
import { isSealed } from '../core/payout.ts';
import type { Batch, OtherReferences, Report, ReportKind, ResultRow, Snapshot } from '../core/ports.ts';
import type { TableDraft } from '../platform/csv/table-writer.ts';
import type { PreparedFile, PublishedState } from '../platform/durable-file.ts';
import type { PresentOutbox, ReportOutbox, ReportStore, TableStyle } from './ports.ts';
import { withoutSteering } from './outbox.ts';
import { makeWorkbook } from '../platform/workbook/writer.ts';
import type { SheetTable } from './rules/column-words.ts';
import {
  describeMaking,
  type Fact,
  makeHowToSheet,
  makeListsSheet,
  makeSummarySheet,
  makeTableSheet,
  StatusTally,
} from './rules/workbook.ts';
import { computeReportName } from './rules/report-names.ts';
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

export interface ReportContext extends Omit<SummaryContext, 'otherReferences'>, ExitOptions {
  /** limits.similarDays; 0 means none. */
  readonly similarDays: number;
  /** A workbook is written of a batch with so many rows or fewer; 0, or left out, means none. */
  readonly workbookRowsMax?: number;
}

/** A file that the batch has, or once had, in the outbox. */
export interface ReportedFile extends Report {
  readonly state: PublishedState;
}

export interface WrittenReports {
  /** The batch as it stands. */
  readonly summary: BatchSummary;
  readonly otherReferences: OtherReferences;
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

export interface PreparedReport extends PreparedFile {
  readonly kind: ReportKind;
  readonly number: number;
  readonly rows: number;
}

const kindsInOrder: readonly ReportKind[] = [
  'result',
  'exceptions',
  'summary',
  'workbook',
  'result-update',
  'exceptions-update',
];

const compareReports = (one: Report, other: Report): number =>
  one.number - other.number || kindsInOrder.indexOf(one.kind) - kindsInOrder.indexOf(other.kind);

/**
 * Publishes the recorded files whose bytes are still under their temporary names, now or after a crash, and removes
 * temporary files that no record names. A recorded file that is nowhere any more has been published and
 * taken away since (`gone`); it is not written again, the whole present result can be asked for at any time.
 */
export async function finishReports(
  journal: ReportStore,
  outbox: ReportOutbox,
  batchId: string,
): Promise<readonly ReportedFile[]> {
  const files: ReportedFile[] = [];
  const failures: unknown[] = [];
  for (const report of [...(await journal.reports(batchId))].toSorted(compareReports)) {
    try {
      files.push({ ...report, state: await outbox.publish(report) });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  await outbox.removeLeftovers(batchId, temporaryPathsOf(files));
  return files;
}

const temporaryPathsOf = (files: readonly Report[]): string[] =>
  files.map(({ temporaryPath }) => temporaryPath);

/**
 * Writes what is due now that the batch rests: result, exceptions and summary the first time, afterwards one
 * file with the rows that have changed since, or nothing when none has.
 * Only the holder of the right to send calls it: two at once would take each other's files for leftovers.
 */
export async function writeReports(
  journal: ReportStore,
  outbox: ReportOutbox,
  batchId: string,
  context: ReportContext,
): Promise<WrittenReports> {
  const earlier = await finishReports(journal, outbox, batchId);
  const { summary, otherReferences, eventSeq, prepared } = await prepareReports(
    journal,
    outbox,
    batchId,
    earlier,
    context,
  )
    // A failure on the way (a full disk) leaves nothing behind, whole or half.
    .catch(async (error: unknown) => {
      await outbox.removeLeftovers(batchId, temporaryPathsOf(earlier)).catch(() => undefined);
      throw error;
    });
  if (prepared.length === 0) return { summary, otherReferences, files: earlier, filesWritten: 0 };
  const due = prepared.map(({ kind, number, path, temporaryPath, sha256 }): Report => {
    return { batchId, kind, number, path, temporaryPath, sha256, eventSeq, atMs: context.nowMs };
  });
  await journal.recordReports(due);
  for (const report of prepared) await outbox.publish(report);
  const written = due.map((report): ReportedFile => ({ ...report, state: 'published' }));
  return { summary, otherReferences, files: [...earlier, ...written], filesWritten: written.length };
}

interface Preparation {
  readonly summary: BatchSummary;
  readonly otherReferences: OtherReferences;
  readonly eventSeq: number;
  readonly prepared: readonly PreparedReport[];
}

/** The snapshot is closed before anything is recorded. */
async function prepareReports(
  journal: ReportStore,
  outbox: ReportOutbox,
  batchId: string,
  recorded: readonly Report[],
  context: ReportContext,
): Promise<Preparation> {
  await using snapshot = await journal.snapshot();
  const { eventSeq } = snapshot;
  const batch = await snapshot.batch(batchId);
  if (batch === undefined) throw new Error(`the journal has no batch ${batchId} to report on`);
  const totals = await snapshot.totals(batchId);
  const summary = summariseBatch(batch, totals, await snapshot.holdTotals(batchId), context);
  const otherReferences = await snapshot.otherReferences(batchId, context.similarDays);
  const found = { otherReferences, eventSeq };
  if (!isSealed(batch.status)) return { ...found, summary, prepared: [] };
  const sourceOf = (number: number): ReportSource => {
    const nameOf = (kind: ReportKind): string => computeReportName(batch.fileName, batchId, kind, number);
    return { snapshot, outbox, batch, nameOf };
  };
  if (!recorded.some(({ kind }) => kind === 'result'))
    return { ...found, ...(await prepareWhole(sourceOf(0), summary, { ...context, otherReferences })) };
  // The rows that changed after the last report, and the alarms among them; no file at all when none did.
  const number = 1 + recorded.filter(({ kind }) => kind === 'result-update').length;
  const changedSince = Math.max(...recorded.map((report) => report.eventSeq));
  const prepared = await writeTables(sourceOf(number), snapshot.resultRows(batchId, changedSince), number);
  return { ...found, summary, prepared };
}

/** What the files of one batch are written from, and where they go. */
interface ReportSource {
  readonly snapshot: Snapshot;
  readonly outbox: ReportOutbox;
  readonly batch: Batch;
  readonly nameOf: (kind: ReportKind) => string;
}

/**
 * Writes result, exceptions and summary as the batch stands now, beside whoever is sending. The journal knows nothing of
 * them: what is due is due as before.
 * @param nameOf names of their own, which nothing has yet
 * @returns undefined when there is no such batch; no file of one that has no rows, since it is not sealed
 */
export async function writePresent(
  journal: Pick<ReportStore, 'snapshot'>,
  outbox: PresentOutbox,
  batchId: string,
  nameOf: ReportSource['nameOf'],
  context: ReportContext,
): Promise<PresentReports | undefined> {
  await using snapshot = await journal.snapshot();
  const batch = await snapshot.batch(batchId);
  if (batch === undefined) return undefined;
  const totals = await snapshot.totals(batchId);
  const counted = summariseBatch(batch, totals, await snapshot.holdTotals(batchId), context);
  const otherReferences = await snapshot.otherReferences(batchId, context.similarDays);
  const asked = { ...context, otherReferences };
  if (!isSealed(batch.status)) return { summary: counted, context: asked, files: [] };
  try {
    const { summary, prepared } = await prepareWhole({ snapshot, outbox, batch, nameOf }, counted, asked);
    for (const report of prepared) await outbox.publish(report);
    return { summary, context: asked, files: prepared };
  } catch (error) {
    await outbox.discardUnpublished().catch(() => undefined);
    throw error;
  }
}

/** The result and the exceptions in one pass over the rows, and the summary of both. */
async function prepareWhole(
  source: ReportSource,
  counted: BatchSummary,
  context: SummaryContext & Pick<ReportContext, 'workbookRowsMax'>,
): Promise<Pick<Preparation, 'summary' | 'prepared'>> {
  const { snapshot, outbox, batch, nameOf } = source;
  const { batchId } = batch;
  const tally = { rows: 0, exceptionRows: 0, lastRowNo: 0, amountSatang: 0n };
  const book = batch.rows <= (context.workbookRowsMax ?? 0) ? new BatchBook() : undefined;
  const tables = await writeTables(source, tallyRows(snapshot.resultRows(batchId), tally), 0, book);
  // Each row of the file is in the result once: a result that misses one is never published.
  if (tally.rows !== batch.rows) {
    throw new Error(
      `batch ${batchId} has ${countOf(batch.rows, 'row')} but the journal gave ${tally.rows}: no report is written`,
    );
  }
  // The rows one by one come to the same as the journal's own sums.
  const agrees = tally.exceptionRows === counted.exceptionRows && tally.amountSatang === counted.amountSatang;
  const summary = { ...counted, addsUp: counted.addsUp && agrees };
  const workbook = await book?.write(source, summary, context);
  const files = workbook === undefined ? tables : [...tables, workbook];
  const named = files.map(({ kind, rows, sha256 }) => {
    return { kind, name: nameOf(kind), rows, sha256 };
  });
  const text = `${JSON.stringify(renderSummary(summary, named, context), null, 2)}\n`;
  const file = await outbox.writeWhole(nameOf('summary'), text);
  return { summary, prepared: [...files, { ...file, kind: 'summary', number: 0, rows: 0 }] };
}

type ResultPages = AsyncIterable<readonly ResultRow[]>;

/** What has gone into the result file, counted row by row. */
interface Tally {
  rows: number;
  exceptionRows: number;
  lastRowNo: number;
  amountSatang: bigint;
}

async function* tallyRows(pages: ResultPages, tally: Tally): ResultPages {
  for await (const rows of pages) {
    for (const row of rows) {
      if (row.rowNo <= tally.lastRowNo) {
        throw new Error(
          `the journal gave row ${row.rowNo} after row ${tally.lastRowNo}: no report is written`,
        );
      }
      tally.lastRowNo = row.rowNo;
      tally.rows += 1;
      tally.exceptionRows += isException(row) ? 1 : 0;
      tally.amountSatang += row.amountSatang ?? 0n;
    }
    yield rows;
  }
}

// ---------------------------------------------------------------- tables

/** A table that a batch leaves in the outbox. */
interface ReportTable {
  readonly kind: ReportKind;
  readonly style: TableStyle;
  readonly header: readonly string[];
  /** undefined for a row that is not in it. */
  readonly render: (row: ResultRow) => readonly string[] | undefined;
  rows: number;
  draft?: TableDraft;
}

/** The first report shows every row and every exception; an update those that changed, and the alarms among them. */
function listTables({ batchId, extraColumns }: Batch, isFirst: boolean): readonly ReportTable[] {
  const needsReview = isFirst ? isException : ({ isAlarm }: ResultRow): boolean => isAlarm;
  return [
    {
      kind: isFirst ? 'result' : 'result-update',
      style: 'program',
      header: renderResultHeader(extraColumns),
      render: (row) => renderResultRow(row, extraColumns.length),
      rows: 0,
    },
    {
      kind: isFirst ? 'exceptions' : 'exceptions-update',
      style: 'spreadsheet',
      header: renderExceptionHeader(extraColumns),
      render: (row) => (needsReview(row) ? renderException(batchId, row, extraColumns.length) : undefined),
      rows: 0,
    },
  ];
}

/** Writes tables in one pass over the rows, each under its temporary name; an update without rows is no file at all. */
async function writeTables(
  { outbox, batch, nameOf }: ReportSource,
  pages: ResultPages,
  number: number,
  book?: BatchBook,
): Promise<PreparedReport[]> {
  await using drafts = new AsyncDisposableStack();
  const open = async ({ kind, style, header }: ReportTable): Promise<TableDraft> => {
    const draft = drafts.use(await outbox.openTable(nameOf(kind), style));
    await draft.add(header);
    return draft;
  };
  const isFirst = number === 0;
  const tables = listTables(batch, isFirst);
  if (isFirst) for (const table of tables) table.draft = await open(table);
  for await (const rows of pages) {
    for (const row of rows) {
      book?.count(row);
      for (const table of tables) {
        const cells = table.render(row);
        if (cells === undefined) continue;
        book?.keep(table.kind, cells, row);
        table.draft ??= await open(table);
        table.rows += 1;
        await table.draft.add(cells);
      }
    }
  }
  const prepared: PreparedReport[] = [];
  for (const { kind, draft, rows } of tables)
    if (draft !== undefined) prepared.push({ ...(await draft.finish()), kind, number, rows });
  return prepared;
}

// ---------------------------------------------------------------- the workbook

/** The rows of one batch, kept while its tables are written: a workbook is made of all of them at once. */
class BatchBook {
  readonly #tally = new StatusTally();
  readonly #kept = new Map<ReportKind, (readonly string[])[]>();

  count(row: ResultRow): void {
    this.#tally.add(row);
  }

  keep(kind: ReportKind, cells: readonly string[], row: ResultRow): void {
    const kept = this.#kept.get(kind) ?? [];
    const safe = withoutSteering(cells);
    kept.push(kind === 'exceptions' ? addThaiRemedy(safe, row) : safe);
    this.#kept.set(kind, kept);
  }

  async write(
    { outbox, batch, nameOf }: ReportSource,
    { addsUp }: BatchSummary,
    { isSandbox, nowMs }: SummaryContext,
  ): Promise<PreparedReport> {
    const { batchId, fileName, status, extraColumns } = batch;
    const sheetOf = (name: string, kind: ReportKind, header: string[], own: readonly string[]): SheetTable =>
      makeTableSheet(name, header, own.length, this.#kept.get(kind) ?? []);
    const facts: readonly Fact[] = [
      ...describeMaking(isSandbox, nowMs),
      [`batch ${batchId}\nชุดจ่ายเงิน`, `${fileName} (${countOf(batch.rows, 'row')})`],
      ['state\nสถานะชุดจ่ายเงิน', status],
      ['adds up to the file\nยอดรวมตรงกับไฟล์', addsUp ? 'yes\nตรง' : 'NO\nไม่ตรง'],
    ];
    const bytes = await makeWorkbook([
      makeSummarySheet(facts, this.#tally),
      sheetOf('Exceptions', 'exceptions', renderExceptionHeader(extraColumns), exceptionColumns),
      sheetOf('Result', 'result', renderResultHeader(extraColumns), resultColumns),
      makeListsSheet(),
      makeHowToSheet(),
    ]);
    const file = await outbox.writeWhole(nameOf('workbook'), bytes);
    return { ...file, kind: 'workbook', number: 0, rows: batch.rows };
  }
}
