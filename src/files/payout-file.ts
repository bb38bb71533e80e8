/**
 * Payout files in: a first pass says what the file is (inspect.ts), a second reads its rows and must meet the same
 * bytes. Neither keeps more than a block of the file in memory.
 */
import { createHash } from 'node:crypto';
import { readControlFile, type ControlTotals } from '../core/control-totals.ts';
import type { Satang } from '../core/money.ts';
import type {
  FileEncoding,
  Inspection,
  PayoutFileReader,
  ReadPart,
  SealTotals,
  StagedRow,
} from '../core/ports.ts';
import type { FileRecord } from './payout-file-records.ts';
import { identify, inspectFile, openRegularFile, rejectChanged, type OpenedFile } from './inspect.ts';
import { readHeader, type HeaderOptions } from './payout-file-header.ts';
import { RecordReader } from './payout-file-records.ts';
import { FileRejected } from './payout-file-rejected.ts';
import { RowTaker } from './payout-file-rows.ts';
import { cutIntoStretches, decodeBlocks, gatherHead } from './text-blocks.ts';

/** The settings' `input` and `limits`, in the units that the reader needs. */
export interface PayoutFileOptions extends HeaderOptions {
  readonly encoding: 'auto' | FileEncoding;
  readonly control: 'none' | 'trailer' | 'sidecar';
  readonly trailerMark: string;
  readonly finalLineEnd: 'required' | 'optional';
  readonly limits: PayoutFileLimits;
}

/** Null stands for no limit. */
export interface PayoutFileLimits {
  readonly rowsMax: number | null;
  readonly bytesMax: number | null;
  /** Larger payouts are held. */
  readonly payoutSatangMax: Satang | null;
  /** A larger total rejects the file. */
  readonly fileSatangMax: Satang | null;
}

/** A control file holds two numbers. */
const controlFileBytesMax = 65_536;

/** The control file that belongs to a payout file. */
function controlFilePath(path: string): string {
  return `${path}.control.json`;
}

async function readSidecar(path: string): Promise<ControlTotals> {
  const sidecarPath = controlFilePath(path);
  const about = (message: string): string => `${sidecarPath}: ${message}`;
  let file: OpenedFile;
  try {
    file = await openRegularFile(sidecarPath);
  } catch (error) {
    if (!(error instanceof FileRejected)) throw error;
    throw new FileRejected('control-missing', about(error.rejection.message));
  }
  try {
    if (file.sizeBytes > controlFileBytesMax)
      throw new FileRejected('control-unreadable', about('too large for a control file'));
    const text = await file.handle.readFile('utf8');
    const reading = readControlFile(text.replace(/^\ufeff/, ''));
    if (!reading.ok) throw new FileRejected(reading.code, about(reading.message));
    return reading.totals;
  } finally {
    await file.handle.close();
  }
}

async function* readOpened(
  file: OpenedFile,
  inspection: Inspection,
  options: PayoutFileOptions,
  take: (bytes: Buffer) => void,
): AsyncGenerator<ReadPart, SealTotals> {
  const sidecar = options.control === 'sidecar' ? await readSidecar(inspection.path) : null;
  const blocks = decodeBlocks(file, inspection, take);
  const { head, isWhole } = await gatherHead(blocks);
  const header = readHeader(head, isWhole, options);
  yield { kind: 'header', extraColumns: header.extraColumns };
  const records = new RecordReader(header.delimiter, header.cellCount, header.nextLine);
  const taker = new RowTaker(header, { ...options, ...options.limits });
  const takeAll = (found: readonly FileRecord[]): ReadPart => {
    const rows: StagedRow[] = [];
    for (const record of found) {
      const row = taker.take(record);
      if (row !== undefined) rows.push(row);
    }
    return { kind: 'rows', rows };
  };
  for (const bytes of cutIntoStretches(head.subarray(header.endOffset))) yield takeAll(records.read(bytes));
  for await (const block of blocks) {
    for (const bytes of cutIntoStretches(block)) yield takeAll(records.read(bytes));
  }
  const last = takeAll(records.end());
  const totals = taker.finish(sidecar);
  if (options.control === 'none' && options.finalLineEnd === 'required' && !inspection.endsWithLineEnd) {
    const message =
      'the last line has no line end, so its last cell may be cut short: have the file written again, ' +
      'use control totals, or set input.finalLineEnd to optional';
    throw new FileRejected('line-end-missing', message, records.lastLine);
  }
  yield last;
  return totals;
}

/** Says that the file has changed, whatever else was found in it. */
async function requireUnchanged(file: OpenedFile, inspection: Inspection): Promise<void> {
  if ((await identify(file.handle)).identity !== inspection.identity) throw rejectChanged();
}

async function* readPayoutFile(inspection: Inspection, options: PayoutFileOptions): AsyncGenerator<ReadPart> {
  const file = await openRegularFile(inspection.path);
  try {
    await requireUnchanged(file, inspection);
    const hash = createHash('sha256');
    const parts = readOpened(file, inspection, options, (bytes) => hash.update(bytes));
    const totals = yield* parts;
    await requireUnchanged(file, inspection);
    if (hash.digest('hex') !== inspection.sha256) throw rejectChanged();
    yield { kind: 'summary', totals };
  } catch (error) {
    if (error instanceof FileRejected) await requireUnchanged(file, inspection);
    throw error;
  } finally {
    await file.handle.close();
  }
}

/** A reader of payout files under these settings. */
export function makePayoutFileReader(options: PayoutFileOptions): PayoutFileReader {
  return {
    async inspect(path) {
      try {
        const inspection = await inspectFile(path, {
          encoding: options.encoding,
          bytesMax: options.limits.bytesMax,
        });
        return { kind: 'inspected', inspection };
      } catch (error) {
        if (error instanceof FileRejected) return { kind: 'rejected', rejection: error.rejection };
        throw error;
      }
    },
    async *read(inspection) {
      try {
        yield* readPayoutFile(inspection, options);
      } catch (error) {
        if (!(error instanceof FileRejected)) throw error;
        yield { kind: 'rejected', rejection: error.rejection };
      }
    },
  };
}
