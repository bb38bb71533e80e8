/** The first pass over a payout file: what it is, whether it can be decoded, and its SHA-256. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import type { FileEncoding, FileRejection, Inspection } from '../../core/payout-file.ts';
import { type EncodingDefect, EncodingProbe } from './encoding.ts';

const blockBytes = 262_144;

export interface InspectOptions {
  readonly encoding: 'auto' | FileEncoding;
  /** Null for no limit. */
  readonly bytesMax: number | null;
}

/** A regular file, open for reading, with what tells it from any other and from itself after a change. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  readonly identity: string;
}

const openingCodes: Readonly<Record<string, readonly [code: string, message: string]>> = {
  ENOENT: ['file-missing', 'there is no such file: check its name'],
  ENOTDIR: ['file-missing', 'there is no such file: a part of its path is no folder'],
  ENAMETOOLONG: ['file-missing', 'there is no such file: its name is too long'],
  ELOOP: ['file-link', 'this is a link: give the file itself'],
  EACCES: ['file-unreadable', 'the file may not be read: give yourself the right to read it'],
  EPERM: ['file-unreadable', 'the file may not be read: give yourself the right to read it'],
};

function asRejection(error: unknown, path: string): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = openingCodes[code];
  return known === undefined
    ? new Error(`cannot open ${path}`, { cause: error })
    : new FileRejected(...known);
}

/** Device, inode, size and time of change. */
export async function identify(handle: FileHandle): Promise<{ identity: string; sizeBytes: number }> {
  const { dev, ino, size, mtimeNs } = await handle.stat({ bigint: true });
  return { identity: `${dev}-${ino}-${size}-${mtimeNs}`, sizeBytes: Number(size) };
}

async function requireRegularFile(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isDirectory()) throw new FileRejected('file-directory', 'this is a folder: give a file');
  if (stats.isSymbolicLink()) throw new FileRejected('file-link', 'this is a link: give the file itself');
  if (!stats.isFile())
    throw new FileRejected('file-special', 'this is a pipe, socket or device: give a regular file');
}

/**
 * Opens a regular file, never a link.
 * @throws FileRejected when it is none, is missing or may not be read
 */
export async function openRegularFile(path: string): Promise<OpenedFile> {
  let handle: FileHandle;
  try {
    await requireRegularFile(path);
    // Without waiting for a pipe's writer, should one have taken the file's place since.
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw error instanceof FileRejected ? error : asRejection(error, path);
  }
  try {
    if (!(await handle.stat()).isFile())
      throw new FileRejected('file-special', 'this is no regular file: give one');
    return { handle, ...(await identify(handle)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The file's blocks from its start; each is valid until the next is asked for. */
export async function* readBlocks(handle: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(blockBytes);
  let position = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, blockBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The line, from 1, in which this byte stands. */
async function findLine(handle: FileHandle, offset: number, encoding: FileEncoding): Promise<number> {
  // In UTF-16 a byte alone says nothing: ช and ญ end in those of a line feed and a carriage return.
  const unitBytes = encoding === 'utf-16le' || encoding === 'utf-16be' ? 2 : 1;
  const lowByte = encoding === 'utf-16be' ? 1 : 0;
  let line = 1;
  let position = 0;
  let last = 0;
  for await (const block of readBlocks(handle)) {
    for (
      let place = 0;
      place < block.length && position < offset;
      place += unitBytes, position += unitBytes
    ) {
      const isAscii = unitBytes === 1 || block[place + 1 - lowByte] === 0;
      const byte = isAscii ? (block[place + lowByte] ?? 0) : 0;
      if (byte === 13 || (byte === 10 && last !== 13)) line += 1;
      last = byte;
    }
    if (position >= offset) return line;
  }
  return line;
}

function explainDefect(
  { kind, offset, encoding }: EncodingDefect,
  setting: 'auto' | FileEncoding,
): [string, string] {
  switch (kind) {
    case 'nul':
      return [
        'nul-bytes',
        `a NUL byte stands at offset ${offset}: the file is no text, was damaged, or is UTF-16 without its mark (then set input.encoding)`,
      ];
    case 'contradicting-bom':
      return [
        'encoding-contradicts',
        `the file starts with the mark of ${encoding} but input.encoding says ${setting}: correct the setting, or set it to auto`,
      ];
    case 'undecodable':
      return [
        'undecodable',
        `the byte at offset ${offset} is no ${encoding}${setting === 'auto' ? ' (nor is the file windows-874)' : ''}: save the file as UTF-8, or set input.encoding`,
      ];
  }
}

function rejectTooLarge(sizeBytes: number, bytesMax: number | null): void {
  if (bytesMax !== null && sizeBytes > bytesMax) {
    const message = `the file has ${sizeBytes} bytes, more than limits.bytesPerFile allows (${bytesMax}): split it`;
    throw new FileRejected('bytes-over-limit', message);
  }
}

async function inspectOpened(path: string, file: OpenedFile, options: InspectOptions): Promise<Inspection> {
  rejectTooLarge(file.sizeBytes, options.bytesMax);
  const hash = createHash('sha256');
  const probe = new EncodingProbe(options.encoding);
  let sizeBytes = 0;
  for await (const block of readBlocks(file.handle)) {
    sizeBytes += block.length;
    rejectTooLarge(sizeBytes, options.bytesMax);
    hash.update(block);
    probe.feed(block);
  }
  if ((await identify(file.handle)).identity !== file.identity) throw rejectChanged();
  const findings = probe.finish();
  if ('kind' in findings) {
    const [code, message] = explainDefect(findings, options.encoding);
    throw new FileRejected(code, message, await findLine(file.handle, findings.offset, findings.encoding));
  }
  if (sizeBytes === findings.bomBytes)
    throw new FileRejected('file-empty', 'the file is empty: have it written again');
  return { path, sha256: hash.digest('hex'), sizeBytes, identity: file.identity, ...findings };
}

/** What is said of a file that somebody still writes to. */
export function rejectChanged(): FileRejected {
  return new FileRejected(
    'file-changed',
    'the file changed while it was read: wait until it is complete, then run it again',
  );
}

/**
 * Reads the whole file once and says what it is.
 * @throws FileRejected when it is no regular file, is empty, too large, cannot be decoded, or changes meanwhile
 */
export async function inspectFile(path: string, options: InspectOptions): Promise<Inspection> {
  const file = await openRegularFile(path);
  try {
    return await inspectOpened(path, file, options);
  } finally {
    await file.handle.close();
  }
}

/** Carries a rejection of the whole file up to the reader's boundary, where it becomes a value. */
export class FileRejected extends Error {
  override readonly name = 'FileRejected';
  readonly rejection: FileRejection;

  constructor(code: string, message: string, line: number | null = null, column: string | null = null) {
    super(message);
    this.rejection = { code, line, column, message };
  }
}
