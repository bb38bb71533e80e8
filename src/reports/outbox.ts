/** The outbox folder: result, exceptions and summary as files. */
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { isSteering, tableCell } from '../core/cell-text.ts';
import {
  byteOrderMark,
  escapeAmountCell,
  escapeSpreadsheetCell,
  guardFormula,
} from '../platform/csv/spreadsheet-cells.ts';
import { lookAt } from '../platform/disk.ts';
import { probeFolders } from '../platform/disk-probe.ts';
import { openTable, type TableForm } from '../platform/csv/table-writer.ts';
import {
  AtomicFile,
  failWith,
  NamesTakenError,
  OutputFileError,
  publishFile,
  type ReadingGroup,
  readTemporaryName,
} from '../platform/durable-file.ts';
import type { PresentOutbox, TableStyle } from './ports.ts';
import { payoutLines } from './rules/report-rows.ts';

const amountIndex = payoutLines.exceptionColumns.indexOf('amount');

/** Replaces control characters from a file or the bank, which would steer the terminal of a reader of the table. */
export const withoutSteering = (record: readonly string[]): readonly string[] =>
  isSteering(record) ? record.map(tableCell) : record;

/** Records as lines of an exceptions file, for a spreadsheet; the file begins with `byteOrderMark`. */
export function formatExceptionRecords(records: readonly (readonly string[])[]): string {
  const escaped = records
    .map(withoutSteering)
    .map((record) =>
      record.map((cell, index) =>
        index === amountIndex ? escapeAmountCell(cell) : escapeSpreadsheetCell(cell),
      ),
    );
  return stringify(escaped, { record_delimiter: '\r\n' });
}

/**
 * Records as lines of a result file: plain CSV for the partner's programs, which get their own values back as written,
 * except for control characters. So no cell is escaped and there is no BOM; people open the exceptions file.
 * @forTests
 */
export function formatResultRecords(records: readonly (readonly string[])[]): string {
  return stringify(records.map(withoutSteering), { record_delimiter: '\n' });
}

/** Place of the row's own id, for payouts and registrations alike: programs compare it unchanged. */
const idIndex = payoutLines.resultColumns.indexOf('payoutId');

/** The same, with an apostrophe before each cell that a spreadsheet would run; the row's id never gets one. */
function formatGuardedRecords(records: readonly (readonly string[])[]): string {
  const guarded = records
    .map(withoutSteering)
    .map((record) => record.map((cell, index) => (index === idIndex ? cell : guardFormula(cell))));
  return stringify(guarded, { record_delimiter: '\n' });
}

const formats = {
  guarded: { start: '', format: formatGuardedRecords, recordsPerWrite: 100 },
  program: { start: '', format: formatResultRecords, recordsPerWrite: 100 },
  spreadsheet: { start: byteOrderMark, format: formatExceptionRecords, recordsPerWrite: 100 },
} as const satisfies Record<TableStyle, TableForm>;

const reportEndings =
  /\.(?:(?:result|exceptions|summary|(?:result|exceptions)-update-\d+)\.(?:csv|json)|workbook\.xlsx)$/;
const batchIdEnding = /\.([0-9A-HJKMNP-TV-Z]{10})$/;

/** The batch of a report's temporary file; undefined for any other name. */
function readBatchId(name: string): string | undefined {
  return batchIdEnding.exec(readTemporaryName(name)?.replace(reportEndings, '') ?? '')?.[1];
}

/** Temporary names of reports in the outbox, by batch: read once, since there may be hundreds of thousands of files. */
class Temporaries {
  readonly #folder: string;
  readonly #isEntitled: () => boolean;
  /** Files made since the start, or found at the first look, with the batch of each. */
  readonly #batchIds = new Map<string, string>();
  /** Files made through this outbox and not published, of a batch or not. */
  readonly #own = new Set<string>();
  #isSwept = false;

  constructor(folder: string, isEntitled: () => boolean) {
    this.#folder = folder;
    this.#isEntitled = isEntitled;
  }

  /** Files made through this outbox and not published. */
  get own(): Iterable<string> {
    return this.#own;
  }

  /** Notes a temporary file that is being written. */
  noteOwn(path: string): void {
    this.#own.add(path);
    this.#note(path);
  }

  #note(path: string): void {
    const batchId = readBatchId(basename(path));
    if (batchId !== undefined) this.#batchIds.set(path, batchId);
  }

  /** Forgets a temporary name once the file has its own name. */
  forget(path: string): void {
    this.#batchIds.delete(path);
    this.#own.delete(path);
  }

  /** Batches that have temporary files, whole or half, recorded or not. */
  async find(): Promise<readonly string[]> {
    await this.#sweep();
    return [...new Set(this.#batchIds.values())];
  }

  async #sweep(): Promise<void> {
    try {
      for (const name of await readdir(this.#folder)) this.#note(join(this.#folder, name));
      this.#isSwept = true;
    } catch (error) {
      throw failWith('read', this.#folder, error);
    }
  }

  async remove(batchId: string, recorded: readonly string[]): Promise<void> {
    if (!this.#isSwept) await this.#sweep();
    try {
      for (const [path, owner] of this.#batchIds) {
        if (owner !== batchId || recorded.includes(path)) continue;
        // A process that has the right to send by now may be writing it.
        if (!this.#own.has(path) && !this.#isEntitled()) continue;
        await rm(path, { force: true });
        this.forget(path);
      }
    } catch (error) {
      throw failWith('clean up', this.#folder, error);
    }
  }
}

/** @throws NamesTakenError where something has one of the names */
async function requireFree(paths: readonly string[]): Promise<void> {
  const taken: string[] = [];
  for (const path of paths) {
    const found = await lookAt(path).catch((error: unknown) => {
      throw failWith('read', path, error);
    });
    if (found !== undefined) taken.push(path);
  }
  if (taken.length > 0) throw new NamesTakenError(taken);
}

/** Mode bits: the group may read and enter the folder, and owns every file made in it. */
const sharedFolderBits = 0o2050;

/**
 * Lets the group of a folder read it, and all files written into it from now on.
 * @returns that group
 * @throws OutputFileError where this user may not give files to that group
 */
async function shareFolder(root: string): Promise<ReadingGroup> {
  try {
    const { gid, uid, mode } = await stat(root);
    const ownId = process.geteuid?.();
    // Systems without groups share nothing.
    if (ownId === undefined) return undefined;
    const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
    const isOpen = (mode & sharedFolderBits) === sharedFolderBits;
    if (!isOpen && (ownId === 0 || ownId === uid) && (ownId === 0 || groups.includes(gid)))
      await chmod(root, (mode & 0o7777) | sharedFolderBits);
    const shared = await stat(root);
    if ((shared.mode & sharedFolderBits) === sharedFolderBits) return gid;
    throw new OutputFileError(
      `cannot let the group of ${root} read it (output.groupReadable): run chgrp GROUP ${root} with a group that this user is in, ` +
        `then chmod g+rxs ${root}`,
    );
  } catch (error) {
    throw failWith('share', root, error);
  }
}

/**
 * The outbox in a folder, which is created (for its owner only) when it is not there.
 * Opens the outbox in a folder, which is created (for its owner only) when it does not exist.
 * @param isShared output.groupReadable: the folder's group may read the files
 * @param isEntitled true while other processes' temporary files are leftovers: no other process may write any then
 */
export async function openOutbox(
  folder: string,
  isShared = false,
  isEntitled: () => boolean = () => true,
): Promise<PresentOutbox> {
  const root = resolve(folder);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failWith('create', root, error);
  }
  const group = isShared ? await shareFolder(root) : undefined;
  const temporaries = new Temporaries(root, isEntitled);
  const open = async (fileName: string): Promise<AtomicFile> => {
    const file = await AtomicFile.open(join(root, fileName), group);
    temporaries.noteOwn(file.temporaryPath);
    return file;
  };
  return {
    requireRoom: async (fileNames) => {
      // First, so that a share that is gone is reported and not waited for.
      const trouble = await probeFolders([root]);
      if (trouble !== undefined) throw new OutputFileError(`${trouble.why}, and run it again`);
      await requireFree(fileNames.map((name) => join(root, name)));
      const longest = fileNames.toSorted((one, other) => one.length - other.length).at(-1);
      if (longest === undefined) return;
      // Checks that no name is too long for the file system, and that the group may have the file.
      const file = await AtomicFile.open(join(root, longest), group);
      await file[Symbol.asyncDispose]();
    },
    openTable: async (fileName, style) => openTable(await open(fileName), formats[style]),
    writeWhole: async (fileName, content) => {
      await using file = await open(fileName);
      await file.write(content);
      return await file.finish();
    },
    publish: async (recorded) => {
      const state = await publishFile(recorded);
      temporaries.forget(recorded.temporaryPath);
      return state;
    },
    findLeftovers: () => temporaries.find(),
    removeLeftovers: (batchId, recorded) => temporaries.remove(batchId, recorded),
    discardUnpublished: async () => {
      for (const path of temporaries.own) await rm(path, { force: true });
    },
  };
}
