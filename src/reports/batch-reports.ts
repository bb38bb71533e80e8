/**
 * The files that a batch leaves in the outbox: each is whole, written once and never changed. All kinds of batches share
 * this code; their forms give columns and figures.
 *
 * The bytes of one snapshot of the journal go to temporary names and are made durable; one commit records each due file
 * (name, hash, temporary name, latest event shown); only then does each file get its own name.
 * A crash before the commit leaves only temporary files, which the next start removes and writes anew;
 * a crash after it leaves the final bytes, which the next start publishes.
 */
import { join } from 'node:path';
import { inBoth, sayCode } from '../core/message.ts';
import { lookAt } from '../platform/disk.ts';
import { countOf } from '../core/figures.ts';
import { isSealed } from '../core/payout.ts';
import type { Batch, Report, ReportKind } from '../core/ports.ts';
import type { TableDraft } from '../platform/csv/table-writer.ts';
import { OutputFileError, type PreparedFile, type PublishedState } from '../platform/durable-file.ts';
import { makeWorkbook } from '../platform/workbook/writer.ts';
import { withoutSteering } from './outbox.ts';
import type { PresentOutbox, ReportOutbox, ReportRecords, TableStyle } from './ports.ts';
import type { SheetTable } from './rules/column-words.ts';
import { computeReportName } from './rules/report-names.ts';
import type { ReportTables } from './rules/report-tables.ts';
import type { SummaryFile } from './rules/summary.ts';
import {
  type BookTally,
  describeMaking,
  type Fact,
  makeHowToSheet,
  makeListsSheet,
  makeSummarySheet,
  makeTableSheet,
} from './rules/workbook.ts';

// ---------------------------------------------------------------- the parts that differ by kind

type ReportedBatch = Pick<Batch, 'batchId' | 'fileName' | 'status' | 'rows' | 'extraColumns'>;

interface ReportedRow {
  readonly rowNo: number;
}

/** A consistent view of one moment of the journal; the caller closes it. */
interface ReportSnapshot<Row, Kept> extends AsyncDisposable {
  /** Number of the latest event in this view. */
  readonly eventSeq: number;
  batch(batchId: string): Promise<Kept | undefined>;
  /** Rows in input order, in pages; with `changedSince`, only those changed after that event. */
  resultRows(batchId: string, changedSince?: number): AsyncIterable<readonly Row[]>;
}

/** A table that a batch leaves in the outbox. */
interface TablePlan<Row> {
  readonly kind: ReportKind;
  readonly style: TableStyle;
  readonly header: readonly string[];
  /** Undefined for a row outside the table. */
  readonly render: (row: Row) => readonly string[] | undefined;
}

/** Counts the rows of one batch as they go into its result. */
export interface RowTally<Row, Figures> {
  add(row: Row): void;
  /** The figures; they add up only where these rows agree with them. */
  hold(counted: Figures): Figures;
}

/** Contents of the files of one kind of batch. */
export interface ReportForm<Kept extends ReportedBatch, Row, Snapshot, Figures, Asked> {
  readonly tables: ReportTables<Row>;
  /** The batch in figures, as the journal adds it up. */
  readonly summarise: (snapshot: Snapshot, batch: Kept, asked: Asked) => Promise<Figures>;
  /** True for a changed row that the exceptions of an update show. */
  readonly isNewException: (row: Row) => boolean;
  readonly openTally: () => RowTally<Row, Figures>;
  /** True when the sums add up, as the workbook states. */
  readonly addsUp: (figures: Figures) => boolean;
  readonly renderSummary: (figures: Figures, files: readonly SummaryFile[], asked: Asked) => object;
}

/** Options of every report. */
export interface ReportAsked {
  readonly isSandbox: boolean;
  /** Time of writing. */
  readonly nowMs: number;
  /** Puts an apostrophe before each formula in a result. */
  readonly guardFormulas: boolean;
  /** Most rows of a batch for which a workbook is written; 0, or left out, means none. */
  readonly workbookRowsMax?: number;
}

// ---------------------------------------------------------------- the files that exist

/** A file that the batch has, or once had, in the outbox. @forTests */
export interface ReportedFile extends Report {
  readonly state: PublishedState;
}

export interface PreparedReport extends PreparedFile {
  readonly kind: ReportKind;
  readonly number: number;
  readonly rows: number;
}

const firstKinds: readonly ReportKind[] = ['result', 'exceptions', 'summary', 'workbook'];
const updateKinds: readonly ReportKind[] = ['result-update', 'exceptions-update'];
const kindsInOrder = [...firstKinds, ...updateKinds];

const compareReports = (one: Report, other: Report): number =>
  one.number - other.number || kindsInOrder.indexOf(one.kind) - kindsInOrder.indexOf(other.kind);

/**
 * Publishes the recorded files whose bytes are still under their temporary names, now or after a crash, and removes
 * temporary files without a record. A recorded file that exists under neither name was published and taken away since
 * (`gone`); it is not written again: the whole present result can be asked for at any time.
 */
export async function finishReports(
  journal: Pick<ReportRecords<unknown>, 'reports'>,
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

/** 0 for the first reports, which show every row; else the number of the next update. */
function nextNumber(recorded: readonly Pick<Report, 'kind'>[]): number {
  if (!recorded.some(({ kind }) => kind === 'result')) return 0;
  return 1 + recorded.filter(({ kind }) => kind === 'result-update').length;
}

/**
 * Checks, before any row of a batch is sent or asked about, that it can be reported on afterwards: publishes due files,
 * and finds files with the names of the next reports, as after a loss of the journal that recorded them.
 * @param workbookRowsMax as for writing the reports
 * @throws OutputFileError naming the files in the way, and the cure
 */
export async function requireReportable(
  journal: Pick<ReportRecords<unknown>, 'reports'>,
  outbox: ReportOutbox,
  { batchId, fileName, rows }: NamedBatch,
  workbookRowsMax: number,
): Promise<void> {
  const recorded = await finishReports(journal, outbox, batchId);
  await outbox.requireRoom(listNextNames(recorded, { batchId, fileName, rows }, workbookRowsMax));
}

type NamedBatch = Pick<ReportedBatch, 'batchId' | 'fileName' | 'rows'>;

function listNextNames(
  recorded: readonly Pick<Report, 'kind'>[],
  { batchId, fileName, rows }: NamedBatch,
  workbookRowsMax: number,
): readonly string[] {
  const number = nextNumber(recorded);
  const kinds = number === 0 ? firstKinds : updateKinds;
  const written = rows <= workbookRowsMax ? kinds : kinds.filter((kind) => kind !== 'workbook');
  return written.map((kind) => computeReportName(fileName, batchId, kind, number));
}

/**
 * Finds, for another process, the files that keep a batch from being reported, and so from being sent: those that have the
 * names of its next reports. Nothing is written.
 * @param folder the outbox
 */
export async function findNamesTaken(
  recorded: readonly Report[],
  folder: string,
  batch: NamedBatch,
  workbookRowsMax: number,
): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const name of listNextNames(recorded, batch, workbookRowsMax)) {
    const path = join(folder, name);
    if ((await lookAt(path).catch(() => undefined)) !== undefined) taken.push(path);
  }
  return taken;
}

/** Removes a batch's temporary files without a record, as far as the outbox does. */
export async function removeUnrecorded(
  journal: Pick<ReportRecords<unknown>, 'reports'>,
  outbox: Pick<ReportOutbox, 'removeLeftovers'>,
  batchId: string,
): Promise<void> {
  await outbox.removeLeftovers(batchId, temporaryPathsOf(await journal.reports(batchId)));
}

const temporaryPathsOf = (files: readonly Report[]): string[] =>
  files.map(({ temporaryPath }) => temporaryPath);

// ---------------------------------------------------------------- writing

/** The reports written for a batch, and its standing. */
export interface WrittenFiles {
  /** Every file of the batch, the oldest first. */
  readonly files: readonly ReportedFile[];
  /** Number of new files. */
  readonly filesWritten: number;
}

interface Written<Figures> extends WrittenFiles {
  readonly figures: Figures;
}

/** Writes the reports of one kind of batch. */
export class ReportWriter<
  Kept extends ReportedBatch,
  Row extends ReportedRow,
  Snapshot extends ReportSnapshot<Row, Kept>,
  Figures,
  Asked extends ReportAsked,
> {
  readonly #form: ReportForm<Kept, Row, Snapshot, Figures, Asked>;

  constructor(form: ReportForm<Kept, Row, Snapshot, Figures, Asked>) {
    this.#form = form;
  }

  /**
   * Writes the due reports of a batch at rest: result, exceptions and summary the first time; later one update with the
   * rows that have changed since, or nothing when none has.
   * Only the holder of the right to send calls it: two at once would take each other's files for leftovers.
   */
  async writeDue(
    journal: ReportRecords<Snapshot>,
    outbox: ReportOutbox,
    batchId: string,
    asked: Asked,
  ): Promise<Written<Figures>> {
    const earlier = await finishReports(journal, outbox, batchId);
    const { figures, eventSeq, prepared } = await this.#prepareDue(journal, outbox, batchId, earlier, asked)
      // After a failure on the way (a full disk) no file is left, whole or half.
      .catch(async (error: unknown) => {
        await outbox.removeLeftovers(batchId, temporaryPathsOf(earlier)).catch(() => undefined);
        throw error;
      });
    if (prepared.length === 0) return { figures, files: earlier, filesWritten: 0 };
    const due = prepared.map(({ kind, number, path, temporaryPath, sha256 }): Report => {
      return { batchId, kind, number, path, temporaryPath, sha256, eventSeq, atMs: asked.nowMs };
    });
    await journal.recordReports(due);
    const written: ReportedFile[] = [];
    for (const report of due) written.push({ ...report, state: await outbox.publish(report) });
    const lost = written.find(({ state }) => state === 'gone');
    // The file is recorded, so it is not written again: the error reports its loss.
    if (lost !== undefined)
      throw new OutputFileError(
        `${lost.path} was taken away before it had its name, or since: if it cannot be found, write how the batch stands now with "paydrop result ${batchId}"`,
      );
    return { figures, files: [...earlier, ...written], filesWritten: written.length };
  }

  /** Prepares the due files; the snapshot is closed before anything is recorded. */
  async #prepareDue(
    journal: Pick<ReportRecords<Snapshot>, 'snapshot'>,
    outbox: ReportOutbox,
    batchId: string,
    recorded: readonly Report[],
    asked: Asked,
  ): Promise<Preparation<Figures> & { readonly eventSeq: number }> {
    await using snapshot = await journal.snapshot();
    const { eventSeq } = snapshot;
    const batch = await snapshot.batch(batchId);
    if (batch === undefined) throw new Error(`the journal has no batch ${batchId} to report on`);
    const figures = await this.#form.summarise(snapshot, batch, asked);
    if (!isSealed(batch.status)) return { eventSeq, figures, prepared: [] };
    const sourceOf = (number: number): ReportSource<Kept, Snapshot> => {
      const nameOf = (kind: ReportKind): string => computeReportName(batch.fileName, batchId, kind, number);
      return { snapshot, outbox, batch, nameOf };
    };
    const number = nextNumber(recorded);
    if (number === 0) return { eventSeq, ...(await this.#prepareWhole(sourceOf(0), figures, asked)) };
    // The rows that changed after the last report, and the alarms among them; no file at all when none did.
    const changedSince = Math.max(...recorded.map((report) => report.eventSeq));
    const pages = snapshot.resultRows(batchId, changedSince);
    return { eventSeq, figures, prepared: await this.#writeTables(sourceOf(number), pages, number, asked) };
  }

  /**
   * Writes result, exceptions and summary as the batch stands now, alongside the sender. The journal does not record them:
   * due reports stay due.
   * @param nameOf gives names that no file has yet
   * @returns undefined when there is no such batch; no file for a batch without rows, since it is not sealed
   */
  async writePresent(
    journal: Pick<ReportRecords<Snapshot>, 'snapshot'>,
    outbox: PresentOutbox,
    batchId: string,
    nameOf: (kind: ReportKind) => string,
    asked: Asked,
  ): Promise<{ readonly figures: Figures; readonly files: readonly PreparedReport[] } | undefined> {
    await using snapshot = await journal.snapshot();
    const batch = await snapshot.batch(batchId);
    if (batch === undefined) return undefined;
    const counted = await this.#form.summarise(snapshot, batch, asked);
    if (!isSealed(batch.status)) return { figures: counted, files: [] };
    try {
      const source = { snapshot, outbox, batch, nameOf };
      const { figures, prepared } = await this.#prepareWhole(source, counted, asked);
      for (const report of prepared) await outbox.publish(report);
      return { figures, files: prepared };
    } catch (error) {
      await outbox.discardUnpublished().catch(() => undefined);
      throw error;
    }
  }

  /** Prepares result and exceptions in one pass over the rows, and the summary of both. */
  async #prepareWhole(
    source: ReportSource<Kept, Snapshot>,
    counted: Figures,
    asked: Asked,
  ): Promise<Preparation<Figures>> {
    const { snapshot, outbox, batch, nameOf } = source;
    const { batchId } = batch;
    const form = this.#form;
    const seen = { rows: 0, lastRowNo: 0 };
    const tally = form.openTally();
    const isBook = batch.rows <= (asked.workbookRowsMax ?? 0);
    const book = isBook ? new BatchBook(form.tables, batch, asked) : undefined;
    const pages = checkOrder(snapshot.resultRows(batchId), seen, (row) => tally.add(row));
    const tables = await this.#writeTables(source, pages, 0, asked, book);
    // Each row of the file is in the result once: a result that misses one is never published.
    if (seen.rows !== batch.rows) {
      throw new Error(
        `batch ${batchId} has ${countOf(batch.rows, 'row')} but the journal gave ${seen.rows}: no report is written`,
      );
    }
    const figures = tally.hold(counted);
    const workbook = await book?.make(form.addsUp(figures));
    const files =
      workbook === undefined
        ? tables
        : [...tables, await writeWhole(source, 'workbook', workbook, batch.rows)];
    const named = files.map(({ kind, rows, sha256 }) => {
      return { kind, name: nameOf(kind), rows, sha256 };
    });
    const text = `${JSON.stringify(form.renderSummary(figures, named, asked), null, 2)}\n`;
    return { figures, prepared: [...files, await writeWhole({ outbox, nameOf }, 'summary', text, 0)] };
  }

  /** Writes tables in one pass over the rows, each under its temporary name; an update without rows makes no file. */
  async #writeTables(
    { outbox, batch, nameOf }: ReportSource<Kept, Snapshot>,
    pages: AsyncIterable<readonly Row[]>,
    number: number,
    { guardFormulas }: ReportAsked,
    book?: BatchBook<Row>,
  ): Promise<PreparedReport[]> {
    await using drafts = new AsyncDisposableStack();
    const open = async ({ kind, style, header }: TablePlan<Row>): Promise<TableDraft> => {
      const draft = drafts.use(await outbox.openTable(nameOf(kind), style));
      await draft.add(header);
      return draft;
    };
    const isFirst = number === 0;
    const resultStyle = guardFormulas ? 'guarded' : 'program';
    const plans = listTables(this.#form, batch, isFirst, resultStyle);
    const tables = plans.map((plan): OpenTable<Row> => ({ plan, rows: 0 }));
    if (isFirst) for (const table of tables) table.draft = await open(table.plan);
    for await (const rows of pages) {
      for (const row of rows) {
        book?.count(row);
        for (const table of tables) {
          const cells = table.plan.render(row);
          if (cells === undefined) continue;
          book?.keep(table.plan.kind, cells, row);
          table.draft ??= await open(table.plan);
          table.rows += 1;
          await table.draft.add(cells);
        }
      }
    }
    const prepared: PreparedReport[] = [];
    for (const { plan, draft, rows } of tables)
      if (draft !== undefined) prepared.push({ ...(await draft.finish()), kind: plan.kind, number, rows });
    return prepared;
  }
}

/** The first report shows every row and exception; an update shows changed rows, and the new exceptions among them. */
function listTables<Row>(
  {
    tables,
    isNewException,
  }: Pick<ReportForm<ReportedBatch, Row, unknown, unknown, unknown>, 'tables' | 'isNewException'>,
  { batchId, extraColumns }: ReportedBatch,
  isFirst: boolean,
  resultStyle: TableStyle,
): readonly TablePlan<Row>[] {
  const needsReview = isFirst ? tables.isException : isNewException;
  const extras = extraColumns.length;
  return [
    {
      kind: isFirst ? 'result' : 'result-update',
      style: resultStyle,
      header: tables.renderResultHeader(extraColumns),
      render: (row) => tables.renderResult(row, extras),
    },
    {
      kind: isFirst ? 'exceptions' : 'exceptions-update',
      style: 'spreadsheet',
      header: tables.renderExceptionHeader(extraColumns),
      render: (row) => (needsReview(row) ? tables.renderException(batchId, row, extras) : undefined),
    },
  ];
}

interface Preparation<Figures> {
  readonly figures: Figures;
  readonly prepared: readonly PreparedReport[];
}

/** Source and destination of the files of one batch. */
interface ReportSource<Kept, Snapshot> {
  readonly snapshot: Snapshot;
  readonly outbox: ReportOutbox;
  readonly batch: Kept;
  readonly nameOf: (kind: ReportKind) => string;
}

interface OpenTable<Row> {
  readonly plan: TablePlan<Row>;
  rows: number;
  draft?: TableDraft;
}

async function writeWhole(
  { outbox, nameOf }: Pick<ReportSource<unknown, unknown>, 'outbox' | 'nameOf'>,
  kind: ReportKind,
  content: string | Uint8Array,
  rows: number,
): Promise<PreparedReport> {
  return { ...(await outbox.writeWhole(nameOf(kind), content)), kind, number: 0, rows };
}

/** Passes on rows, and checks that they come in the order of their file, each counted. */
async function* checkOrder<Row extends ReportedRow>(
  pages: AsyncIterable<readonly Row[]>,
  seen: { rows: number; lastRowNo: number },
  add: (row: Row) => void,
): AsyncIterable<readonly Row[]> {
  for await (const rows of pages) {
    for (const row of rows) {
      if (row.rowNo <= seen.lastRowNo) {
        throw new Error(
          `the journal gave row ${row.rowNo} after row ${seen.lastRowNo}: no report is written`,
        );
      }
      seen.lastRowNo = row.rowNo;
      seen.rows += 1;
      add(row);
    }
    yield rows;
  }
}

// ---------------------------------------------------------------- the workbook

/** The rows of one batch, kept while its tables are written: a workbook is made of all of them at once. */
class BatchBook<Row> {
  readonly #kept = new Map<ReportKind, (readonly string[])[]>();
  readonly #tables: ReportTables<Row>;
  readonly #tally: BookTally<Row>;
  readonly #batch: ReportedBatch;
  readonly #making: readonly Fact[];

  constructor(tables: ReportTables<Row>, batch: ReportedBatch, { isSandbox, nowMs }: ReportAsked) {
    this.#tables = tables;
    this.#tally = tables.book.openTally();
    this.#batch = batch;
    this.#making = describeMaking(isSandbox, nowMs);
  }

  count(row: Row): void {
    this.#tally.add(row);
  }

  keep(kind: ReportKind, cells: readonly string[], row: Row): void {
    const kept = this.#kept.get(kind) ?? [];
    const safe = withoutSteering(cells);
    kept.push(kind === 'exceptions' ? this.#tables.addThaiRemedy(safe, row) : safe);
    this.#kept.set(kind, kept);
  }

  /** The bytes of the workbook. */
  async make(addsUp: boolean): Promise<Uint8Array> {
    const { batchId, fileName, status, rows, extraColumns } = this.#batch;
    const { book, ...tables } = this.#tables;
    const sheetOf = (name: string, kind: ReportKind, header: string[], own: readonly string[]): SheetTable =>
      makeTableSheet(book, name, header, own.length, this.#kept.get(kind) ?? []);
    const facts: readonly Fact[] = [
      ...this.#making,
      [`batch ${batchId}\n${sayCode('th', book.batch)}`, `${fileName} (${countOf(rows, 'row')})`],
      [inBoth('sheet.state'), status],
      [inBoth('sheet.adds-up'), inBoth(addsUp ? 'sheet.yes' : 'sheet.no')],
    ];
    return makeWorkbook([
      makeSummarySheet(facts, this.#tally),
      sheetOf(
        'Exceptions',
        'exceptions',
        tables.renderExceptionHeader(extraColumns),
        tables.exceptionColumns,
      ),
      sheetOf('Result', 'result', tables.renderResultHeader(extraColumns), tables.resultColumns),
      makeListsSheet(book),
      makeHowToSheet(book),
    ]);
  }
}
