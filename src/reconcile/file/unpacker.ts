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
import type { OpenedStatement, StatementOpener, StatementRefused } from '../ports.ts';
import { findForm, formBytes, type FormFinding } from './form.ts';
import { openTemporary } from './originals.ts';
import { byHand, type OpenerOptions, type PackedFile, throwTooLarge, Unpacked } from './unpacked.ts';

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
  options: OpenerOptions,
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

async function openFile(path: string, key: string | null, options: OpenerOptions): Promise<OpenedStatement> {
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
export function makeStatementOpener(options: OpenerOptions): StatementOpener {
  return { open: (path, key) => openFile(resolve(path), key, options).catch(asRefused) };
}
