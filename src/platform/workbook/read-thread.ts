/** The thread that reads a workbook: unpacks it, then returns its rows page by page, on request. */
import { parentPort, workerData } from 'node:worker_threads';
import { FileRejected } from '../csv/open.ts';
import type { ReadOrder, ReadReply } from './reader.ts';
import type { SheetRow } from './sheet.ts';
import { showSheet } from './shown-rows.ts';
import { rejectCutShort } from './unpack.ts';

const rowsPerPage = 500;

function* listPages(rows: Iterable<SheetRow>): Generator<readonly SheetRow[]> {
  let page: SheetRow[] = [];
  for (const row of rows) {
    page.push(row);
    if (page.length < rowsPerPage) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** Reports a library's error as a fault of the workbook. */
function describeFailure(error: unknown): ReadReply {
  const { rejection } = error instanceof FileRejected ? error : rejectCutShort();
  return { kind: 'rejected', rejection };
}

async function* work({ bytes, ...choice }: ReadOrder): AsyncGenerator<ReadReply> {
  try {
    const { head, rows } = await showSheet(bytes, choice);
    yield { kind: 'head', head };
    for (const page of listPages(rows)) yield { kind: 'rows', rows: page };
    yield { kind: 'end' };
  } catch (error) {
    yield describeFailure(error);
  }
}

const answers = work(workerData as ReadOrder);
parentPort?.on('message', () => {
  void answers.next().then(({ value }) => parentPort?.postMessage(value, []));
});
