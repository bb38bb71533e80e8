/** The open exceptions of one batch or of all, as they stand: a table for people to fill in. */
import { countOf } from '../core/figures.ts';
import { sayCode } from '../core/message.ts';
import { isSealed } from '../core/payout.ts';
import type { Batch } from '../core/ports.ts';
import { makeWorkbook } from '../platform/workbook/writer.ts';
import { formatExceptionRecords, withoutSteering } from './outbox.ts';
import type { PresentOutbox } from './ports.ts';
import { uniteCarried } from './rules/report-rows.ts';
import type { ReportTables } from './rules/report-tables.ts';
import {
  type BookTally,
  type BookWords,
  describeMaking,
  type Fact,
  makeHowToSheet,
  makeListsSheet,
  makeSummarySheet,
  makeTableSheet,
} from './rules/workbook.ts';

type Records = readonly (readonly string[])[];
type ExceptionBatch = Pick<Batch, 'batchId' | 'fileName' | 'status' | 'rows' | 'extraColumns'>;

/** The exceptions as of one moment. */
export interface OpenExceptions {
  /** Batches with exceptions, the oldest first. */
  readonly batches: readonly ExceptionBatch[];
  readonly rows: number;
  readonly header: readonly string[];
  /** Number of paydrop's own columns in the header. */
  readonly ownColumns: number;
  readonly words: BookWords<never>;
  /** Records in the order of the header, in pages. */
  readonly read: () => AsyncIterable<Records>;
  /** All records, with cells for a workbook, and their sums. */
  readonly readBook: () => Promise<{
    readonly records: Records;
    readonly tally: Pick<BookTally<never>, 'table'>;
  }>;
}

/** A view of one moment, for the exceptions of rows of one kind. */
export interface ExceptionSource<Row> {
  readonly tables: ReportTables<Row>;
  batch(batchId: string): Promise<ExceptionBatch | undefined>;
  countExceptions(batchId: string): Promise<number>;
  resultRows(batchId: string): AsyncIterable<readonly Row[]>;
}

/**
 * Finds the batches with exceptions; their rows are read on demand.
 * @param batches the newest first
 */
export async function findExceptions<Row extends { readonly extras: readonly string[] }>(
  source: ExceptionSource<Row>,
  batches: readonly Pick<ExceptionBatch, 'batchId'>[],
): Promise<OpenExceptions> {
  const { tables } = source;
  const found: ExceptionBatch[] = [];
  let rows = 0;
  for (const { batchId } of batches.toReversed()) {
    const batch = await source.batch(batchId);
    if (batch === undefined || !isSealed(batch.status)) continue;
    const count = await source.countExceptions(batchId);
    rows += count;
    if (count > 0) found.push(batch);
  }
  const carried = uniteCarried(found);
  const readRows = async function* () {
    for (const { batchId } of found)
      for await (const page of source.resultRows(batchId))
        yield page.filter(tables.isException).map((row) => {
          const arranged = { ...row, extras: carried.arrange(batchId, row.extras) };
          return { row, cells: tables.renderException(batchId, arranged) };
        });
  };
  return {
    batches: found,
    rows,
    header: tables.renderExceptionHeader(carried.columns),
    ownColumns: tables.exceptionColumns.length,
    words: tables.book,
    async *read() {
      for await (const page of readRows()) yield page.map(({ cells }) => cells);
    },
    readBook: async () => {
      const tally = tables.book.openTally();
      const records: (readonly string[])[] = [];
      for await (const page of readRows())
        for (const { row, cells } of page) {
          tally.add(row);
          records.push(tables.addThaiRemedy(withoutSteering(cells), row));
        }
      return { records, tally };
    },
  };
}

/** Facts about its making that a workbook states. */
interface WorkbookContext {
  readonly isSandbox: boolean;
  readonly nowMs: number;
}

/** CSV for a program: lines without line ends, in pages, the header first. */
export async function* formatExceptions(open: OpenExceptions): AsyncGenerator<readonly string[]> {
  const lines = (records: Records): readonly string[] =>
    // No cell holds a line end: this table replaces line breaks by blanks.
    formatExceptionRecords(records).split('\r\n').slice(0, -1);
  yield lines([open.header]);
  for await (const page of open.read()) if (page.length > 0) yield lines(page);
}

/** Writes CSV for a spreadsheet. @throws OutputFileError */
export async function writeExceptionsCsv(
  outbox: PresentOutbox,
  name: string,
  open: OpenExceptions,
): Promise<void> {
  await using table = await outbox.openTable(name, 'spreadsheet');
  await table.add(open.header);
  for await (const page of open.read()) for (const record of page) await table.add(record);
  await outbox.publish(await table.finish());
}

/** Writes a workbook, whose rows are all in memory while it is made. @throws OutputFileError */
export async function writeExceptionsWorkbook(
  outbox: PresentOutbox,
  name: string,
  open: OpenExceptions,
  { isSandbox, nowMs }: WorkbookContext,
): Promise<void> {
  const { words, header, ownColumns } = open;
  const { records, tally } = await open.readBook();
  const facts: readonly Fact[] = [
    ...describeMaking(isSandbox, nowMs),
    ...open.batches.map(
      ({ batchId, fileName, rows }) =>
        [`batch ${batchId}\n${sayCode('th', words.batch)}`, `${fileName} (${countOf(rows, 'row')})`] as const,
    ),
  ];
  const bytes = await makeWorkbook([
    makeTableSheet(words, 'Exceptions', header, ownColumns, records),
    makeSummarySheet(facts, tally),
    makeListsSheet(words),
    makeHowToSheet(words),
  ]);
  await outbox.publish(await outbox.writeWhole(name, bytes));
}
