/** Unpacks a statement from a ZIP archive, plain or encrypted (ZipCrypto, AES), which must contain exactly one file. */
import type { FileHandle } from 'node:fs/promises';
import {
  type Entry,
  ERR_AMBIGUOUS_ARCHIVE,
  ERR_BAD_FORMAT,
  ERR_ENCRYPTED,
  ERR_ENTRY_DATA_OUT_OF_BOUNDS,
  ERR_EOCDR_NOT_FOUND,
  ERR_INVALID_AUTHENTICATION_CODE,
  ERR_INVALID_COMPRESSED_DATA,
  ERR_INVALID_CRC32,
  ERR_INVALID_PASSWORD,
  ERR_INVALID_UNCOMPRESSED_SIZE,
  ERR_OVERLAPPING_ENTRY,
  ERR_RESERVED_COMPRESSION_METHOD,
  ERR_SPLIT_ZIP_FILE,
  ERR_UNSAFE_FILENAME,
  ERR_UNSUPPORTED_COMPRESSION,
  ERR_UNSUPPORTED_ENCRYPTION,
  type FileEntry,
  Reader,
  ZipReader,
} from '@zip.js/zip.js';
import { showCell } from '../../core/cell-text.ts';
import { message, type PlainCode } from '../../core/message.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import { failWith } from '../../platform/durable-file.ts';

/** An archive on the disk. */
export interface PackedFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  readonly key: string | null;
}

/** Receives the unpacked bytes. */
interface PlainSink {
  write(bytes: Uint8Array): Promise<void>;
  /** Our own reason for ending the unpacking; the library may have wrapped it. */
  readonly fault: Error | undefined;
}

/** Longest read at once; the directory of an archive with one file has some hundred bytes. */
const pieceBytesMax = 1_048_576;

/** Reads any part of an opened file. */
class HandleReader extends Reader<FileHandle> {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle, sizeBytes: number) {
    super(handle);
    this.#handle = handle;
    this.size = sizeBytes;
  }

  override async readUint8Array(index: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    if (length > pieceBytesMax)
      throw new FileRejected('zip-damaged', message('statement-zip.contents-too-long'));
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, index + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  }
}

/** Meaning of the library's messages; any other one means damage. */
const faults: Readonly<Record<string, readonly [code: string, why: PlainCode]>> = {
  [ERR_ENCRYPTED]: ['zip-key-missing', 'statement-zip.key-missing'],
  [ERR_INVALID_PASSWORD]: ['zip-key-wrong', 'statement-zip.wrong-key'],
  [ERR_INVALID_AUTHENTICATION_CODE]: ['zip-key-wrong', 'statement-zip.key-or-damage'],
  [ERR_UNSUPPORTED_COMPRESSION]: ['zip-method', 'statement-zip.unknown-packing'],
  [ERR_RESERVED_COMPRESSION_METHOD]: ['zip-method', 'statement-zip.unknown-packing'],
  [ERR_UNSUPPORTED_ENCRYPTION]: ['zip-method', 'statement-zip.unknown-encryption'],
  [ERR_UNSAFE_FILENAME]: ['zip-path', 'statement-zip.path-in-name'],
  [ERR_AMBIGUOUS_ARCHIVE]: ['zip-disagrees', 'statement-zip.disagrees'],
  [ERR_OVERLAPPING_ENTRY]: ['zip-disagrees', 'statement-zip.disagrees'],
  [ERR_SPLIT_ZIP_FILE]: ['zip-split', 'statement-zip.split'],
  [ERR_EOCDR_NOT_FOUND]: ['zip-truncated', 'statement-zip.cut-short'],
  [ERR_BAD_FORMAT]: ['zip-truncated', 'statement-zip.cut-short'],
  [ERR_ENTRY_DATA_OUT_OF_BOUNDS]: ['zip-truncated', 'statement-zip.cut-short'],
};

/**
 * Errors that a wrong key may cause: ZipCrypto checks a key by one byte only, so it may show only in the unpacked
 * bytes.
 */
const nonsense: ReadonlySet<string> = new Set([
  ERR_INVALID_COMPRESSED_DATA,
  ERR_INVALID_CRC32,
  ERR_INVALID_UNCOMPRESSED_SIZE,
]);

function asRejection(error: unknown, isEncrypted: boolean, path: string): Error {
  if (!(error instanceof Error)) return new Error('the ZIP library failed', { cause: error });
  if ('syscall' in error) return failWith('read', path, error);
  const known = faults[error.message];
  if (known !== undefined) return new FileRejected(known[0], message(known[1]));
  return isEncrypted && nonsense.has(error.message)
    ? new FileRejected('zip-key-wrong', message('statement-zip.key-or-damage'))
    : new FileRejected('zip-damaged', message('statement-zip.damaged'));
}

/** @throws FileRejected unless the archive has exactly one file, whose name has no path */
async function findOnlyFile(zip: ZipReader<unknown>): Promise<FileEntry> {
  const entries: Entry[] = [];
  for await (const entry of zip.getEntriesGenerator()) {
    entries.push(entry);
    if (entries.length > 1) break;
  }
  const [first, second] = entries;
  if (first === undefined) throw new FileRejected('zip-entries', message('statement-zip.empty'));
  const name = showCell(first.filename);
  if (second !== undefined) {
    const names = { name, second: showCell(second.filename) };
    throw new FileRejected('zip-entries', message('statement-zip.several', names));
  }
  if (first.directory) throw new FileRejected('zip-entries', message('statement-zip.folder'));
  if (/[/\\]|^\.\.?$/.test(first.filename))
    throw new FileRejected('zip-path', message('statement-zip.path-in-this-name', { name }));
  return first;
}

/**
 * Unpacks the archive's only file, and returns its name.
 * @throws FileRejected for anything but one complete file that the key opens
 */
export async function unzip(file: PackedFile, unpacked: PlainSink): Promise<string> {
  const reader = new HandleReader(file.handle, file.sizeBytes);
  const zip = new ZipReader(reader, {
    useWebWorkers: false,
    checkCrc32: true,
    checkAuthenticationCode: true,
    checkOverlappingEntry: true,
    strictness: 'strict',
  });
  let isEncrypted = false;
  try {
    const entry = await findOnlyFile(zip);
    isEncrypted = entry.encrypted;
    const sink = new WritableStream<Uint8Array>({ write: (bytes) => unpacked.write(bytes) });
    await entry.getData(sink, file.key === null ? {} : { password: file.key });
    return entry.filename;
  } catch (error) {
    const own = unpacked.fault ?? error;
    throw own instanceof FileRejected || own === unpacked.fault
      ? own
      : asRejection(error, isEncrypted, file.path);
  } finally {
    await zip.close();
  }
}
