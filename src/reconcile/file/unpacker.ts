/**
 * Opens what the bank packed: plain text as it is, gzip and ZIP into a temporary file, within limits that are held
 * against the bytes as they come out, whatever the archive says of itself.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createGunzip } from 'node:zlib';
import { FileRejected, openRegularFile } from '../../platform/csv/open.ts';
import { failWith } from '../../platform/durable-file.ts';
import type { OpenedStatement, StatementRefused, StatementUnpacker } from '../ports.ts';
import { byHand, findForm, formBytes, type FormFinding } from './form.ts';
import { openTemporary } from './originals.ts';
import type { PackedFile, PlainSink } from './zip.ts';

type Unpack = (file: PackedFile, unpacked: Unpacked) => Promise<void>;

const gzipFaults: Readonly<Record<string, string>> = {
  Z_BUF_ERROR: 'the gzip file is cut short: fetch the statement again',
};

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
    const message = gzipFaults[code] ?? `the gzip file is damaged: fetch the statement again, or ${byHand}`;
    throw new FileRejected('gzip-damaged', message);
  } finally {
    packed.destroy();
  }
};

/** The archive library is loaded when there is an archive to open. */
const unpackZip: Unpack = async (file, unpacked) => {
  const { unzip } = await import('./zip.ts');
  await unzip(file, unpacked);
};

async function readForm(handle: FileHandle): Promise<Pick<FormFinding, 'form' | 'what' | 'cure'>> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(formBytes), 0, formBytes, 0);
  return findForm(buffer.subarray(0, bytesRead));
}

/** Unpacks into a temporary file, which the opened statement removes when it is closed. */
async function unpackInto(
  file: PackedFile,
  form: 'gzip' | 'zip',
  options: UnpackerOptions,
): Promise<OpenedStatement> {
  const { path, handle } = await openTemporary(options.folder, 'statement.opened');
  try {
    const unpacked = new Unpacked(handle, path, options, file.sizeBytes);
    await (form === 'gzip' ? unpackGzip : unpackZip)(file, unpacked);
    unpacked.requireText();
    await handle.close();
    return { kind: 'opened', path, form, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

async function openFile(
  path: string,
  key: string | null,
  options: UnpackerOptions,
): Promise<OpenedStatement> {
  const { handle, sizeBytes } = await openRegularFile(path);
  try {
    const { form, what, cure = byHand } = await readForm(handle);
    if (form === 'other') throw new FileRejected('form-unknown', `the file is ${what}: ${cure}`);
    if (form !== 'plain') return await unpackInto({ path, handle, sizeBytes, key }, form, options);
    if (sizeBytes > options.bytesMax) throwTooLarge(options.bytesMax);
    return { kind: 'opened', path, form, [Symbol.asyncDispose]: () => Promise.resolve() };
  } finally {
    await handle.close();
  }
}

const asRefused = (error: unknown): StatementRefused => {
  if (error instanceof FileRejected) return { kind: 'refused', refusal: error.rejection };
  throw error;
};

/** Opens statements; a broken disk throws OutputFileError. */
export function makeStatementUnpacker(options: UnpackerOptions): StatementUnpacker {
  return { open: (path, key) => openFile(resolve(path), key, options).catch(asRefused) };
}

export interface UnpackerOptions {
  /** Where archives are unpacked. */
  readonly folder: string;
  /** Of the plain text. */
  readonly bytesMax: number;
  /** How many times its own size an archive may hold, beyond `ratioFromBytes`: 200 beyond 10 MiB when left out. */
  readonly ratioMax?: number;
  readonly ratioFromBytes?: number;
}

/** A list of like lines shrinks to a fiftieth at most; a bomb to a thousandth. */
const usualRatioMax = 200;
const usualRatioFromBytes = 10_485_760;

const throwTooLarge = (bytesMax: number): never => {
  throw new FileRejected(
    'statement-too-large',
    `the statement has more than ${bytesMax} bytes: raise reconcile.maxBytes`,
  );
};

/** Writes what comes out of an archive, and counts it. */
class Unpacked implements PlainSink {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #options: UnpackerOptions;
  readonly #packedBytes: number;
  #sizeBytes = 0;
  #head = Buffer.alloc(0);
  /** What ended the unpacking on our side; a library in between may have wrapped it. */
  fault: Error | undefined;

  constructor(handle: FileHandle, path: string, options: UnpackerOptions, packedBytes: number) {
    this.#handle = handle;
    this.#path = path;
    this.#options = options;
    this.#packedBytes = packedBytes;
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      this.#weigh(bytes);
      await this.#handle.writeFile(bytes).catch((error: unknown) => {
        throw failWith('write', this.#path, error);
      });
    } catch (error) {
      this.fault = error as Error;
      throw error;
    }
  }

  #weigh(bytes: Uint8Array): void {
    const { bytesMax, ratioMax = usualRatioMax, ratioFromBytes = usualRatioFromBytes } = this.#options;
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > bytesMax) throwTooLarge(bytesMax);
    if (this.#sizeBytes > ratioFromBytes && this.#sizeBytes > this.#packedBytes * ratioMax) {
      const message = `the archive unpacks to more than ${ratioMax} times its size, as no statement does: look at it, then ${byHand}`;
      throw new FileRejected('archive-bomb', message);
    }
    const wanted = formBytes - this.#head.length;
    if (wanted > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, wanted)]);
  }

  /** @throws FileRejected when what came out is no text */
  requireText(): void {
    const { form, what } = findForm(this.#head);
    if (form !== 'plain')
      throw new FileRejected('archive-content', `the archive holds no text: it is ${what}; ${byHand}`);
  }
}
