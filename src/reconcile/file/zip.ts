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
import { FileRejected } from '../../platform/csv/open.ts';
import { failWith } from '../../platform/durable-file.ts';
import { byHand } from './form.ts';

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
      throw new FileRejected('zip-damaged', `the ZIP's table of contents is far too long: ${byHand}`);
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

const wrongKey = `the bank's key does not open the ZIP: fetch the statement again for a new key, or ${byHand}`;
const damaged = `the ZIP is damaged: fetch the statement again, or ${byHand}`;
const keyOrDamage = `the ZIP is damaged, or the bank's key is not the one it was made with: fetch the statement again, or ${byHand}`;
const unknownPacking = `the ZIP is packed in a way that we do not know: ${byHand}`;
const unknownEncryption = `the ZIP is encrypted in a way that we do not know: ${byHand}`;
const pathInName = `the file in the ZIP has a path in its name: look at it, then ${byHand}`;
const disagrees = `the ZIP's records contradict each other about its content: look at it, then ${byHand}`;
const cutShort = 'the ZIP is cut short: fetch the statement again';

/** Meaning of the library's messages; any other one means damage. */
const faults: Readonly<Record<string, readonly [code: string, message: string]>> = {
  [ERR_ENCRYPTED]: [
    'zip-key-missing',
    `the ZIP is encrypted and there is no key: with --file give it by --key-file FILE or PAYDROP_UNZIP_KEY, or ${byHand}`,
  ],
  [ERR_INVALID_PASSWORD]: ['zip-key-wrong', wrongKey],
  [ERR_INVALID_AUTHENTICATION_CODE]: ['zip-key-wrong', keyOrDamage],
  [ERR_UNSUPPORTED_COMPRESSION]: ['zip-method', unknownPacking],
  [ERR_RESERVED_COMPRESSION_METHOD]: ['zip-method', unknownPacking],
  [ERR_UNSUPPORTED_ENCRYPTION]: ['zip-method', unknownEncryption],
  [ERR_UNSAFE_FILENAME]: ['zip-path', pathInName],
  [ERR_AMBIGUOUS_ARCHIVE]: ['zip-disagrees', disagrees],
  [ERR_OVERLAPPING_ENTRY]: ['zip-disagrees', disagrees],
  [ERR_SPLIT_ZIP_FILE]: ['zip-split', `the ZIP is one part of several: ${byHand}`],
  [ERR_EOCDR_NOT_FOUND]: ['zip-truncated', cutShort],
  [ERR_BAD_FORMAT]: ['zip-truncated', cutShort],
  [ERR_ENTRY_DATA_OUT_OF_BOUNDS]: ['zip-truncated', cutShort],
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
  if (known !== undefined) return new FileRejected(...known);
  return isEncrypted && nonsense.has(error.message)
    ? new FileRejected('zip-key-wrong', keyOrDamage)
    : new FileRejected('zip-damaged', damaged);
}

/** @throws FileRejected unless the archive has exactly one file, whose name has no path */
async function findOnlyFile(zip: ZipReader<unknown>): Promise<FileEntry> {
  const entries: Entry[] = [];
  for await (const entry of zip.getEntriesGenerator()) {
    entries.push(entry);
    if (entries.length > 1) break;
  }
  const [first, second] = entries;
  if (first === undefined) throw new FileRejected('zip-entries', `the ZIP holds no file: ${byHand}`);
  const name = showCell(first.filename);
  if (second !== undefined) {
    const message = `the ZIP holds more than one file (${name}, ${showCell(second.filename)}), so that it is unclear which is the statement: ${byHand}`;
    throw new FileRejected('zip-entries', message);
  }
  if (first.directory) throw new FileRejected('zip-entries', `the ZIP holds a folder and no file: ${byHand}`);
  if (/[/\\]|^\.\.?$/.test(first.filename))
    throw new FileRejected('zip-path', `the file in the ZIP has a path in its name (${name}): ${byHand}`);
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
