/**
 * Statements in: a first pass tells whether the bytes are whole and how they are to be read, a second reads the lines
 * and must meet the same file. Neither keeps more than a block of it in memory. One damaged line refuses the file.
 */
import type { Inspection } from '../../intake/ports.ts';
import { cutIntoStretches, decodeBlocks, gatherHead } from '../../platform/csv/decode.ts';
import {
  FileRejected,
  identify,
  inspectFile,
  type OpenedFile,
  openRegularFile,
  rejectChanged,
} from '../../platform/csv/open.ts';
import { type FileRecord, RecordReader } from '../../platform/csv/records.ts';
import type { StatementPart, StatementReader } from '../ports.ts';
import type { StatementLine, StatementWords } from '../rules/statement.ts';
import { readStatementHeader } from './header.ts';
import { fetchAgain, LineTaker } from './lines.ts';

export interface StatementFileOptions {
  /** The scheme's word in the columns' names, in lower case. */
  readonly scheme: string;
  readonly words: StatementWords;
  readonly bytesMax: number;
}

/** What our reading of payout files says for those who write them, in words for a file of the bank. */
const rewordings: Readonly<Record<string, (options: StatementFileOptions) => string>> = {
  'file-empty': () => `the file is empty: ${fetchAgain}`,
  'nul-bytes': () => `a NUL byte stands here, so the file is no text or was damaged: ${fetchAgain}`,
  undecodable: () => `the file is neither UTF-8 nor windows-874, or was damaged here: ${fetchAgain}`,
  'quote-unclosed': () => `a quotation mark opens a cell in this line and is not closed there: ${fetchAgain}`,
  'row-too-long': () => `the line is far too long, or its line end is missing: ${fetchAgain}`,
  'bytes-over-limit': ({ bytesMax }) =>
    `the statement has more than ${bytesMax} bytes: raise reconcile.maxBytes`,
};

async function* readOpened(
  file: OpenedFile,
  inspection: Inspection,
  options: StatementFileOptions,
): AsyncGenerator<StatementPart> {
  const blocks = decodeBlocks(file, inspection);
  const { head, isWhole } = await gatherHead(blocks);
  const header = readStatementHeader(head, isWhole, options.scheme);
  const records = new RecordReader(header.delimiter, header.cellCount, header.nextLine);
  const taker = new LineTaker(header, options.words);
  const takeAll = (found: readonly FileRecord[]): StatementPart => {
    const lines: StatementLine[] = [];
    for (const record of found) lines.push(taker.take(record));
    return { kind: 'lines', lines };
  };
  for (const bytes of cutIntoStretches(head.subarray(header.endOffset))) yield takeAll(records.read(bytes));
  for await (const block of blocks) {
    for (const bytes of cutIntoStretches(block)) yield takeAll(records.read(bytes));
  }
  yield takeAll(records.end());
  if (!inspection.endsWithLineEnd) {
    const message = `the last line has no line end, so that its last cells, or lines after it, may be cut off: ${fetchAgain}`;
    throw new FileRejected('line-end-missing', message, records.lastLine);
  }
  await requireUnchanged(file, inspection);
  const { sha256, sizeBytes } = inspection;
  yield { kind: 'summary', totals: { ...taker.totals(), sha256, sizeBytes } };
}

async function requireUnchanged(file: OpenedFile, inspection: Inspection): Promise<void> {
  if ((await identify(file.handle)).identity !== inspection.identity) throw rejectChanged();
}

async function* readStatement(path: string, options: StatementFileOptions): AsyncGenerator<StatementPart> {
  const inspection = await inspectFile(path, { encoding: 'auto', bytesMax: options.bytesMax });
  const file = await openRegularFile(path);
  try {
    await requireUnchanged(file, inspection);
    yield* readOpened(file, inspection, options);
  } finally {
    await file.handle.close();
  }
}

/** A reader of plain statements; a broken disk throws. */
export function makeStatementReader(options: StatementFileOptions): StatementReader {
  return {
    async *read(path) {
      try {
        yield* readStatement(path, options);
      } catch (error) {
        if (!(error instanceof FileRejected)) throw error;
        const { rejection } = error;
        const message = rewordings[rejection.code]?.(options) ?? rejection.message;
        yield { kind: 'refused', refusal: { ...rejection, message } };
      }
    },
  };
}
