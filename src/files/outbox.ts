/** The outbox folder behind the worker's port. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PreparedFile, ReportOutbox, TableStyle } from '../core/report-outbox.ts';
import { AtomicFile, failWith, publishFile, readTemporaryName } from './atomic-file.ts';
import { byteOrderMark, formatExceptionRecords } from './exceptions-file.ts';
import { formatResultRecords } from './result-file.ts';
import { FileTable, type TableForm } from './table-draft.ts';

const formats = {
  program: { start: '', format: formatResultRecords, recordsPerWrite: 100 },
  spreadsheet: { start: byteOrderMark, format: formatExceptionRecords, recordsPerWrite: 100 },
} as const satisfies Record<TableStyle, TableForm>;

const reportEndings = /\.(?:result|exceptions|summary|(?:result|exceptions)-update-\d+)\.(?:csv|json)$/;
const batchIdEnding = /\.([0-9A-HJKMNP-TV-Z]{10})$/;

/** A temporary file that stands for a report of this batch. */
function isLeftover(name: string, batchId: string): boolean {
  const reportName = readTemporaryName(name);
  return reportName?.replace(reportEndings, '').endsWith(`.${batchId}`) === true;
}

/** Batches that have temporary files, whole or half, recorded or not. */
async function findLeftovers(folder: string): Promise<readonly string[]> {
  const found = new Set<string>();
  try {
    for (const name of await readdir(folder)) {
      const stem = readTemporaryName(name)?.replace(reportEndings, '');
      const batchId = batchIdEnding.exec(stem ?? '')?.[1];
      if (batchId !== undefined) found.add(batchId);
    }
  } catch (error) {
    throw failWith('read', folder, error);
  }
  return [...found];
}

async function removeLeftovers(folder: string, batchId: string, recorded: readonly string[]): Promise<void> {
  try {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (isLeftover(name, batchId) && !recorded.includes(path)) await rm(path, { force: true });
    }
  } catch (error) {
    throw failWith('clean up', folder, error);
  }
}

async function writeText(path: string, text: string): Promise<PreparedFile> {
  await using file = await AtomicFile.open(path);
  await file.write(text);
  return await file.finish();
}

/**
 * The outbox in a folder, which is created (for its owner only) when it is not there.
 * @throws OutputFileError here and from every method, naming the path and the cure
 */
export async function openOutbox(folder: string): Promise<ReportOutbox> {
  const root = resolve(folder);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failWith('create', root, error);
  }
  return {
    openTable: async (fileName, style) =>
      new FileTable(await AtomicFile.open(join(root, fileName)), formats[style]),
    writeText: (fileName, text) => writeText(join(root, fileName), text),
    publish: publishFile,
    findLeftovers: () => findLeftovers(root),
    removeLeftovers: (batchId, recorded) => removeLeftovers(root, batchId, recorded),
  };
}
