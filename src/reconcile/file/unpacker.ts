/**
 * Opens the bank's file: plain text directly, gzip and ZIP into a temporary file. The limits apply to the bytes as they
 * are unpacked, whatever the archive declares.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createGunzip } from 'node:zlib';
import { message } from '../../core/message.ts';
import { FileRejected, openRegularFile } from '../../platform/csv/open.ts';
import { failWith } from '../../platform/durable-file.ts';
import type { StatementRefused } from '../ports.ts';
import { addToHead, asRefused, findForm, formBytes, type StatementForm } from './form.ts';
import type { PackedFile } from './zip.ts';

/** Unpacks a file and returns its name in the archive; empty for none. */
type Unpack = (file: PackedFile, unpacked: Unpacked) => Promise<string>;

const unpackGzip: Unpack = async ({ path }, unpacked) => {
  const packed = createReadStream(path);
  const gunzip = createGunzip();
  packed.on('error', (error) => gunzip.destroy(error));
  packed.pipe(gunzip);
  try {
    for await (const block of gunzip as AsyncIterable<Buffer>) await unpacked.write(block);
  } catch (error) {
    if (unpacked.fault !== undefined) throw unpacked.fault;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('Z_')) throw failWith('read', path, error);
    const why = code === 'Z_BUF_ERROR' ? 'statement-file.gzip-cut-short' : 'statement-file.gzip-damaged';
    throw new FileRejected('gzip-damaged', message(why));
  } finally {
    packed.destroy();
  }
  return '';
};

/** The archive library is loaded when there is an archive to open. */
const unpackZip: Unpack = async (file, unpacked) => {
  const { unzip } = await import('./zip.ts');
  return unzip(file, unpacked);
};

/** A statement in plain text; closing it removes the unpacked file. */
interface OpenedStatement extends AsyncDisposable {
  readonly kind: 'opened';
  readonly path: string;
  readonly form: StatementForm;
  /** Name of the file in the archive; empty without one. */
  readonly name: string;
}

/** Unpacks into a temporary file, which closing the opened statement removes. */
async function unpackInto(
  file: PackedFile,
  form: 'gzip' | 'zip',
  options: UnpackerOptions,
): Promise<OpenedStatement> {
  const path = join(options.folder, `.statement.opened.${randomBytes(6).toString('hex')}.tmp`);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(path, { force: true }));
  const created = open(path, 'wx', 0o600).catch((error: unknown) => {
    throw failWith('create', path, error);
  });
  const handle = stack.use(await created);
  const unpacked = makeSink(handle, path, options, file.sizeBytes);
  const name = await (form === 'gzip' ? unpackGzip : unpackZip)(file, unpacked);
  unpacked.requireText();
  await handle.close();
  const owned = stack.move();
  return { kind: 'opened', path, form, name, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function openFile(
  path: string,
  key: string | null,
  options: UnpackerOptions,
): Promise<OpenedStatement> {
  const { handle, sizeBytes } = await openRegularFile(path);
  await using file = handle;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(formBytes), 0, formBytes, 0);
  const { form, what, cure = message('statement-file.by-hand') } = findForm(buffer.subarray(0, bytesRead));
  if (form === 'other')
    throw new FileRejected('form-unknown', message('statement-file.form-unknown', { what, cure }));
  if (form !== 'plain') return await unpackInto({ path, handle, sizeBytes, key }, form, options);
  if (sizeBytes > options.bytesMax) throwTooLarge(options.bytesMax);
  return { kind: 'opened', path, form, name: '', [Symbol.asyncDispose]: () => Promise.resolve() };
}

export type StatementUnpacker = ReturnType<typeof makeStatementUnpacker>;

/** Makes an opener of statements; a failing disk throws OutputFileError. */
export function makeStatementUnpacker(options: UnpackerOptions) {
  return {
    /** @param key the bank's unZipKey, for an encrypted ZIP */
    open: (path: string, key: string | null): Promise<OpenedStatement | StatementRefused> =>
      openFile(resolve(path), key, options).catch(asRefused),
  };
}

interface UnpackerOptions {
  /** Folder for unpacked files. */
  readonly folder: string;
  /** Most bytes of the plain text. */
  readonly bytesMax: number;
  /** Largest ratio of unpacked to packed size, beyond `ratioFromBytes`; left out: 200 beyond 10 MiB. */
  readonly ratioMax?: number;
  readonly ratioFromBytes?: number;
}

/** Similar lines shrink to a fiftieth at most, a bomb to a thousandth. */
const usualRatioMax = 200;
const usualRatioFromBytes = 10_485_760;

const throwTooLarge = (bytesMax: number): never => {
  throw new FileRejected('statement-too-large', message('statement-file.too-large', { most: bytesMax }));
};

type Unpacked = ReturnType<typeof makeSink>;

/** Writes the unpacked bytes, and counts them. */
function makeSink(handle: FileHandle, path: string, options: UnpackerOptions, packedBytes: number) {
  const { bytesMax, ratioMax = usualRatioMax, ratioFromBytes = usualRatioFromBytes } = options;
  let sizeBytes = 0;
  let head: Buffer = Buffer.alloc(0);
  const weigh = (bytes: Uint8Array): void => {
    sizeBytes += bytes.length;
    if (sizeBytes > bytesMax) throwTooLarge(bytesMax);
    if (sizeBytes > ratioFromBytes && sizeBytes > packedBytes * ratioMax) {
      throw new FileRejected('archive-bomb', message('statement-file.bomb', { most: ratioMax }));
    }
    head = addToHead(head, bytes);
  };
  const sink = {
    /** Our own reason for ending the unpacking; the library may have wrapped it. */
    fault: undefined as Error | undefined,
    write: async (bytes: Uint8Array): Promise<void> => {
      try {
        weigh(bytes);
        await handle.writeFile(bytes);
      } catch (error) {
        sink.fault = error instanceof FileRejected ? error : failWith('write', path, error);
        throw sink.fault;
      }
    },
    /** @throws FileRejected when the unpacked file is not text */
    requireText: (): void => {
      const { form, what } = findForm(head);
      if (form !== 'plain')
        throw new FileRejected('archive-content', message('statement-file.no-text', { what }));
    },
  };
  return sink;
}
