/** The open exceptions of one batch or of all, as they stand: a table for people to fill in. */
import { countOf } from '../core/figures.ts';
import { isSealed } from '../core/payout.ts';
import type { Batch, Snapshot } from '../core/ports.ts';
import { makeWorkbook } from '../platform/workbook/writer.ts';
import { formatExceptionRecords, withoutSteering } from './outbox.ts';
import type { PresentOutbox } from './ports.ts';
import {
  exceptionColumns,
  countExceptions,
  isException,
  addThaiRemedy,
  renderException,
  renderExceptionHeader,
  uniteCarried,
} from './rules/report-rows.ts';
import {
  describeMaking,
  type Fact,
  makeHowToSheet,
  makeListsSheet,
  makeSummarySheet,
  makeTableSheet,
  StatusTally,
} from './rules/workbook.ts';

/** The exceptions of one moment. */
export interface OpenExceptions {
  /** Those that have any, the oldest first. */
  readonly batches: readonly Batch[];
  readonly rows: number;
  readonly header: readonly string[];
  /** Records as the header has them, in pages; @param tally counts them @param forWorkbook cells as a workbook has them */
  readonly read: (
    tally?: StatusTally,
    forWorkbook?: boolean,
  ) => AsyncIterable<readonly (readonly string[])[]>;
}

/**
 * Looks which batches have exceptions; the rows are read when they are asked for.
 * @param batches the newest first
 */
export async function findExceptions(snapshot: Snapshot, batches: readonly Batch[]): Promise<OpenExceptions> {
  const found: Batch[] = [];
  let rows = 0;
  for (const { batchId } of batches.toReversed()) {
    const batch = await snapshot.batch(batchId);
    if (batch === undefined || !isSealed(batch.status)) continue;
    const count = countExceptions(await snapshot.totals(batchId));
    rows += count;
    if (count > 0) found.push(batch);
  }
  const carried = uniteCarried(found);
  const read = async function* (
    tally?: StatusTally,
    forWorkbook = false,
  ): AsyncGenerator<readonly (readonly string[])[]> {
    for (const { batchId } of found)
      for await (const page of snapshot.resultRows(batchId)) {
        const open = page.filter(isException);
        for (const row of open) tally?.add(row);
        yield open.map((row) => {
          const cells = renderException(batchId, { ...row, extras: carried.arrange(batchId, row.extras) });
          return forWorkbook ? addThaiRemedy(withoutSteering(cells), row) : cells;
        });
      }
  };
  return { batches: found, rows, header: renderExceptionHeader(carried.columns), read };
}

/** What a workbook says of its making. */
export interface WorkbookContext {
  readonly isSandbox: boolean;
  readonly nowMs: number;
}

/** As CSV for a program that reads on: lines without their ends, in pages; the header is the first. */
export async function* formatExceptions(open: OpenExceptions): AsyncGenerator<readonly string[]> {
  const lines = (records: readonly (readonly string[])[]): readonly string[] =>
    // No cell holds a line end: what breaks a line is a blank in this table.
    formatExceptionRecords(records).split('\r\n').slice(0, -1);
  yield lines([open.header]);
  for await (const page of open.read()) if (page.length > 0) yield lines(page);
}

/** As a CSV file for a spreadsheet. @throws OutputFileError */
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

/** As a workbook, whose rows are all in memory while it is made. @throws OutputFileError */
export async function writeExceptionsWorkbook(
  outbox: PresentOutbox,
  name: string,
  open: OpenExceptions,
  { isSandbox, nowMs }: WorkbookContext,
): Promise<void> {
  const tally = new StatusTally();
  const records = (await Array.fromAsync(open.read(tally, true))).flat();
  const facts: readonly Fact[] = [
    ...describeMaking(isSandbox, nowMs),
    ...open.batches.map(
      ({ batchId, fileName, rows }) =>
        [`batch ${batchId}\nชุดจ่ายเงิน`, `${fileName} (${countOf(rows, 'row')})`] as const,
    ),
  ];
  const bytes = await makeWorkbook([
    makeTableSheet('Exceptions', open.header, exceptionColumns.length, records),
    makeSummarySheet(facts, tally),
    makeListsSheet(),
    makeHowToSheet(),
  ]);
  await outbox.publish(await outbox.writeWhole(name, bytes));
}
