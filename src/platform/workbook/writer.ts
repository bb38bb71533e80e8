/** Writes workbooks. */
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkbookSheet } from './compose.ts';

/** Cells from which a thread pays off: they take some tenths of a second. */
const cellsOfThread = 20_000;

/** The thread's file has this module's extension, in the sources and in the build. */
const threadUrl = new URL(`./compose-thread${extname(import.meta.filename)}`, import.meta.url);

async function composeInThread(sheets: readonly WorkbookSheet[]): Promise<Uint8Array> {
  const thread = new Worker(threadUrl, { workerData: sheets });
  try {
    const [bytes] = (await once(thread, 'message')) as [Uint8Array];
    return bytes;
  } finally {
    await thread.terminate();
  }
}

/**
 * The bytes of a workbook with these sheets; the same sheets give the same bytes. A large one does not block the event
 * loop.
 */
export async function makeWorkbook(sheets: readonly WorkbookSheet[]): Promise<Uint8Array> {
  let cells = 0;
  for (const { rows, columns } of sheets) cells += rows.length * columns.length;
  if (cells >= cellsOfThread) return await composeInThread(sheets);
  const { composeWorkbook } = await import('./compose.ts');
  return await composeWorkbook(sheets);
}
