/**
 * The first pass over a file: its kind, its encoding, and its SHA-256. It reads the whole file: UTF-8 that is damaged
 * in its last line must not count as windows-874, nor a windows-874 file as UTF-8 because its first names are in Latin
 * letters.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type FileHandle, lstat } from 'node:fs/promises';
import { inEnglish, message, type Message, type PlainCode } from '../../core/message.ts';
import type { FileEncoding, FileRejection, Inspection } from '../../core/payout-file.ts';
import { openPlainly, printContent } from '../disk.ts';
import { errorCode } from '../durable-file.ts';

const blockBytes = 262_144;

type EncodingSetting = 'auto' | FileEncoding;

interface InspectOptions {
  readonly encoding: EncodingSetting;
  /** Null: no limit. */
  readonly bytesMax: number | null;
}

/** A regular file, open for reading, with an identity that changes when the file is replaced or written to. */
export interface OpenedFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  readonly identity: string;
}

const openingCodes: Readonly<Record<string, readonly [code: string, why: PlainCode]>> = {
  ENOENT: ['file-missing', 'file.missing'],
  ENOTDIR: ['file-missing', 'file.missing-folder'],
  ENAMETOOLONG: ['file-missing', 'file.missing-long-name'],
  ELOOP: ['file-link', 'file.is-link'],
  EACCES: ['file-unreadable', 'file.not-allowed'],
  EPERM: ['file-unreadable', 'file.not-allowed'],
};

function asRejection(error: unknown, path: string): Error {
  const [code, why] = openingCodes[errorCode(error)] ?? [];
  return code === undefined || why === undefined
    ? new Error(`cannot open ${path}`, { cause: error })
    : new FileRejected(code, message(why));
}

async function requireRegularFile(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isDirectory()) throw new FileRejected('file-directory', message('file.is-folder'));
  if (stats.isSymbolicLink()) throw new FileRejected('file-link', message('file.is-link'));
  if (!stats.isFile()) throw new FileRejected('file-special', message('file.is-device'));
}

/**
 * Opens a regular file, never a link.
 * @throws FileRejected when it is missing, unreadable, or not a regular file
 */
export async function openRegularFile(path: string): Promise<OpenedFile> {
  let handle: FileHandle;
  try {
    await requireRegularFile(path);
    handle = await openPlainly(path);
  } catch (error) {
    throw error instanceof FileRejected ? error : asRejection(error, path);
  }
  try {
    const stats = await handle.stat({ bigint: true });
    // A pipe may have replaced the file meanwhile.
    if (!stats.isFile()) throw new FileRejected('file-special', message('file.not-regular'));
    const identity = printContent(stats);
    return { handle, identity, sizeBytes: Number(stats.size), [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reports that the file has changed, in preference to any other fault. */
export async function requireUnchanged(
  { handle }: OpenedFile,
  { identity }: Pick<OpenedFile, 'identity'>,
): Promise<void> {
  if (printContent(await handle.stat({ bigint: true })) !== identity) throw rejectChanged();
}

/** The file's blocks from its start; each is valid until the next is read. */
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

/** The line, from 1, of a byte. */
async function findLine(handle: FileHandle, offset: number, encoding: FileEncoding): Promise<number> {
  let line = 1;
  let position = 0;
  let last = '';
  for await (const block of readBlocks(handle)) {
    const text = decodeLatin(block.subarray(0, offset - position), encoding);
    line += text.match(/\r\n?|\n/g)?.length ?? 0;
    if (last === '\r' && text.startsWith('\n')) line -= 1;
    last = text.at(-1) ?? '';
    position += block.length;
    if (position >= offset) return line;
  }
  return line;
}

function explainDefect(
  { kind, offset, encoding, unmarked }: EncodingDefect,
  setting: EncodingSetting,
): [code: string, why: Message] {
  switch (kind) {
    case 'nul':
      return [
        'nul-bytes',
        unmarked === undefined
          ? message('file.nul-byte', { offset })
          : message('file.utf16-unmarked', { encoding: unmarked }),
      ];
    case 'contradicting-bom':
      return ['encoding-contradicts', message('file.encoding-contradicts', { encoding, setting })];
    case 'undecodable':
      return [
        'undecodable',
        message(setting === 'auto' ? 'file.undecodable-auto' : 'file.undecodable', { offset, encoding }),
      ];
  }
}

/** @throws FileRejected for a file above limits.bytesPerFile */
export function rejectTooLarge(sizeBytes: number, bytesMax: number | null): void {
  if (bytesMax !== null && sizeBytes > bytesMax) {
    const why = message('file.too-many-bytes', { bytes: sizeBytes, most: bytesMax });
    throw new FileRejected('bytes-over-limit', why);
  }
}

/** The words for a kind of file, and the cure. */
type OtherKind = readonly [
  what: `other-file.${string}` & PlainCode,
  cure: `other-file-cure.${string}` & PlainCode,
];

/* oxlint-disable no-control-regex */
/** First bytes of file kinds that people send instead of a CSV. */
const otherKinds: readonly (readonly [start: RegExp, ...OtherKind])[] = [
  [/^PK\u0003\u0004/, 'other-file.archive', 'other-file-cure.save-as-csv'],
  [/^%PDF-/, 'other-file.pdf', 'other-file-cure.export'],
  [/^\u001F\u008B/, 'other-file.gzip', 'other-file-cure.unpack'],
  [/^7z\u00BC\u00AF'\u001C/, 'other-file.7z', 'other-file-cure.unpack-and-give'],
  [/^Rar!\u001A/, 'other-file.rar', 'other-file-cure.unpack-and-give'],
  [/^-----BEGIN PGP/, 'other-file.pgp', 'other-file-cure.decrypt'],
  [/^version https:\/\/git-lfs\./, 'other-file.lfs', 'other-file-cure.fetch'],
  [/^<(?:!doctype html|html|head|meta|body|table)\b/i, 'other-file.html', 'other-file-cure.open-and-save'],
  [/^<\?xml\b/i, 'other-file.xml', 'other-file-cure.open-and-save'],
  [/^[{[]\s*["{[\]}]/, 'other-file.json', 'other-file-cure.export'],
];
/* oxlint-enable no-control-regex */

/**
 * First bytes of Microsoft's containers: old workbooks and documents, and the wrapper of a workbook with a password.
 */
const containerStart = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const containerSectorBytes = 512;
const directoryBytes = 4_096;
const passwordMark = Buffer.from('EncryptedPackage', 'utf16le');

/** The content of a container, by the names in its directory, which often follows the first block. */
async function explainContainer(handle: FileHandle, head: Buffer): Promise<OtherKind> {
  const sector = head.length < containerSectorBytes ? 0 : head.readUInt32LE(48);
  const directory = Buffer.alloc(directoryBytes);
  await handle.read(directory, 0, directory.length, (sector + 1) * containerSectorBytes);
  return head.includes(passwordMark) || directory.includes(passwordMark)
    ? ['other-file.with-password', 'other-file-cure.without-password']
    : ['other-file.old-office', 'other-file-cure.open-and-save'];
}

/** @throws FileRejected for a file whose first bytes show that it is not text */
async function rejectOtherKind(handle: FileHandle, head: Buffer): Promise<void> {
  const text = head
    .toString('latin1', 0, headCharacters)
    .replace(/^\u00EF\u00BB\u00BF/, '')
    .trimStart();
  const [, ...known] = otherKinds.find(([start]) => start.test(text)) ?? [];
  const isContainer = containerStart.equals(head.subarray(0, containerStart.length));
  const [what, cure] = isContainer ? await explainContainer(handle, head) : known;
  if (what === undefined || cure === undefined) return;
  throw new FileRejected('not-a-csv', message('file.no-csv', { what: message(what), cure: message(cure) }));
}

/** Characters at the start by which the kind of a file is recognised. */
const headCharacters = 512;

/** The rejection of a file that is still being written. */
export function rejectChanged(): FileRejected {
  return new FileRejected('file-changed', message('file.changed'));
}

const rejectEmpty = (): FileRejected => new FileRejected('file-empty', message('file.empty'));

/**
 * Reads the whole file once and describes it.
 * @throws FileRejected when it is not a regular file, is empty, too large, not decodable, or changes meanwhile
 */
export async function inspectFile(path: string, options: InspectOptions): Promise<Inspection> {
  await using file = await openRegularFile(path);
  const { handle } = file;
  rejectTooLarge(file.sizeBytes, options.bytesMax);
  const hash = createHash('sha256');
  let probe: EncodingProbe | undefined;
  let sizeBytes = 0;
  for await (const block of readBlocks(handle)) {
    if (probe === undefined) await rejectOtherKind(handle, block);
    probe ??= new EncodingProbe(options.encoding, block);
    probe.feed(block, sizeBytes);
    sizeBytes += block.length;
    rejectTooLarge(sizeBytes, options.bytesMax);
    hash.update(block);
  }
  await requireUnchanged(file, file);
  if (probe === undefined) throw rejectEmpty();
  const findings = probe.finish(sizeBytes);
  if ('kind' in findings) {
    const [code, why] = explainDefect(findings, options.encoding);
    throw new FileRejected(code, why, await findLine(handle, findings.offset, findings.encoding));
  }
  if (sizeBytes === findings.bomBytes) throw rejectEmpty();
  return { path, sha256: hash.digest('hex'), sizeBytes, identity: file.identity, ...findings };
}

/** Carries a rejection of the whole file to the reader's boundary, which turns it into a value. */
export class FileRejected extends Error {
  override readonly name = 'FileRejected';
  readonly rejection: FileRejection;

  constructor(code: string, why: Message, line: number | null = null, column: string | null = null) {
    super(inEnglish(why));
    this.rejection = { code, line, column, message: why };
  }
}

// ---------------------------------------------------------------- encodings

/** The mark with which DOS ends a text. */
export const endMark = '\u001a';

const boms: readonly (readonly [encoding: FileEncoding, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Fault that makes the bytes undecodable; `offset` counts from the file's first byte. */
interface EncodingDefect {
  readonly kind: 'nul' | 'undecodable' | 'contradicting-bom';
  readonly offset: number;
  readonly encoding: FileEncoding;
  /** The form of UTF-16 that explains the NUL bytes; undefined when none does. */
  readonly unmarked: FileEncoding | undefined;
}

/**
 * Guesses UTF-16 without a byte order mark: every Latin letter at the start has a NUL byte beside it, always on the
 * same side.
 */
function guessUtf16(head: Buffer): FileEncoding | undefined {
  const bytes = head.subarray(0, headCharacters);
  const nuls = [0, 0];
  for (const [place, byte] of bytes.entries()) if (byte === 0) nuls[place % 2] = (nuls[place % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  if (even + odd < bytes.length / 4) return undefined;
  return even === 0 ? 'utf-16le' : odd === 0 ? 'utf-16be' : undefined;
}

/** Bytes that these encodings leave unassigned; the decoder would turn some of them into control characters. */
const unassignedIn874 = /[\x81-\x84\x86-\x90\x98-\x9f\xdb-\xde\xfc-\xff]/;
const unassignedIn1252 = /[\x81\x8d\x8f\x90\x9d]/;

/** Number of bytes at the end that begin an incomplete UTF-8 sequence. */
function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Offset of the first byte that is not UTF-8; the bytes must contain one. */
function firstInvalidUtf8(bytes: Uint8Array): number {
  let sound = 0;
  let broken = bytes.length;
  // Bisects for the longest valid prefix; a prefix that ends inside a sequence is cut back to the sequence's start.
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2);
    const prefix = bytes.subarray(0, middle);
    if (isUtf8(prefix.subarray(0, middle - incompleteTail(prefix)))) sound = middle;
    else broken = middle;
  }
  return sound - incompleteTail(bytes.subarray(0, sound));
}

function decodeUtf16(bytes: Buffer, encoding: FileEncoding): string {
  return (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

/** Decodes a character per unit: right for plain ASCII, wrong for letters of other scripts. */
const decodeLatin = (bytes: Buffer, encoding: FileEncoding): string =>
  encoding.startsWith('utf-16') ? decodeUtf16(bytes, encoding) : bytes.toString('latin1');

/**
 * Number of bytes at the end that are half a unit, or half a surrogate pair, and may be completed by the next block.
 */
function openUtf16(bytes: Buffer, highByte: 0 | 1): number {
  const odd = bytes.length % 2;
  const last = bytes[bytes.length - odd - 2 + highByte] ?? 0;
  return last >= 0xd8 && last <= 0xdb ? odd + 2 : odd;
}

/** Position of the first unpaired surrogate; when its second half is missing, the position after it. */
function findLoneUtf16(text: string): number {
  const place = text.search(/[\ud800-\udfff]/u);
  return text.charCodeAt(place) < 0xdc00 ? place + 1 : place;
}

/** The checks of an encoding, block by block; positions are -1 without a finding. */
interface Check {
  readonly openBytes: (bytes: Buffer) => number;
  readonly findNul: (bytes: Buffer) => number;
  readonly findDefect: (bytes: Buffer) => number;
}

const findZero = (bytes: Buffer): number => bytes.indexOf(0);

const checkSingleBytes = (unassigned: RegExp): Check => ({
  openBytes: () => 0,
  findNul: findZero,
  findDefect: (bytes) => (isAscii(bytes) ? -1 : bytes.toString('latin1').search(unassigned)),
});

const checkUtf16 = (encoding: 'utf-16le' | 'utf-16be'): Check => ({
  openBytes: (bytes) => openUtf16(bytes, encoding === 'utf-16le' ? 1 : 0),
  findNul: (bytes) => decodeUtf16(bytes, encoding).indexOf('\0') * 2,
  findDefect: (bytes) => findLoneUtf16(decodeUtf16(bytes, encoding)) * 2,
});

const checks: Readonly<Record<FileEncoding, Check>> = {
  'utf-8': {
    openBytes: incompleteTail,
    findNul: findZero,
    findDefect: (bytes) => (isUtf8(bytes) ? -1 : firstInvalidUtf8(bytes)),
  },
  'windows-874': checkSingleBytes(unassignedIn874),
  'windows-1252': checkSingleBytes(unassignedIn1252),
  'utf-16le': checkUtf16('utf-16le'),
  'utf-16be': checkUtf16('utf-16be'),
};

/** One possible encoding, checked block by block; the offsets are -1 without a finding. */
class Reading {
  readonly encoding: FileEncoding;
  defectOffset = -1;
  nulOffset = -1;
  #open = Buffer.alloc(0);

  constructor(encoding: FileEncoding) {
    this.encoding = encoding;
  }

  feed(block: Buffer, blockOffset: number): void {
    const { openBytes, findNul, findDefect } = checks[this.encoding];
    const bytes = this.#open.length === 0 ? block : Buffer.concat([this.#open, block]);
    const start = blockOffset - this.#open.length;
    const whole = bytes.subarray(0, bytes.length - openBytes(bytes));
    const nul = this.nulOffset < 0 ? findNul(whole) : -1;
    if (nul >= 0) this.nulOffset = start + nul;
    const defect = this.defectOffset < 0 ? findDefect(whole) : -1;
    if (defect >= 0) this.defectOffset = start + defect;
    this.#open = Buffer.from(bytes.subarray(whole.length));
  }

  finish(sizeBytes: number): void {
    if (this.defectOffset < 0 && this.#open.length > 0) this.defectOffset = sizeBytes - this.#open.length;
  }
}

/** Reads a file's blocks in order, then decides on the encoding, or returns the defect. */
class EncodingProbe {
  readonly #setting: EncodingSetting;
  readonly #bom: (typeof boms)[number] | undefined;
  readonly #readings: readonly Reading[];
  readonly #unmarked: FileEncoding | undefined;
  #lastBytes = Buffer.alloc(0);

  /** @param first the first block, with at least three bytes if the file has as many */
  constructor(setting: EncodingSetting, first: Buffer) {
    this.#setting = setting;
    this.#bom = boms.find(([, mark]) => mark.every((byte, place) => first[place] === byte));
    const named = this.#bom?.[0] ?? setting;
    const encodings: readonly FileEncoding[] = named === 'auto' ? ['utf-8', 'windows-874'] : [named];
    this.#readings = encodings.map((encoding) => new Reading(encoding));
    this.#unmarked = guessUtf16(first);
  }

  /** Checks a block, which may be reused afterwards. */
  feed(block: Buffer, blockOffset: number): void {
    for (const reading of this.#readings) reading.feed(block, blockOffset);
    this.#lastBytes = Buffer.concat([this.#lastBytes, block.subarray(-4)]).subarray(-4);
  }

  finish(sizeBytes: number): Pick<Inspection, 'encoding' | 'bomBytes' | 'endsWithLineEnd'> | EncodingDefect {
    for (const reading of this.#readings) reading.finish(sizeBytes);
    // Damaged UTF-8 has bytes that windows-874 leaves unassigned; the file was meant as UTF-8, whose defect is
    // reported.
    const reading = this.#readings.find(({ defectOffset }) => defectOffset < 0) ?? this.#readings[0];
    if (reading === undefined) throw new Error('a file is read in one way at least');
    const { encoding, nulOffset, defectOffset } = reading;
    const unmarked = this.#unmarked;
    if (this.#bom !== undefined && this.#setting !== 'auto' && this.#setting !== encoding)
      return { kind: 'contradicting-bom', offset: 0, encoding, unmarked };
    if (nulOffset >= 0) return { kind: 'nul', offset: nulOffset, encoding, unmarked };
    if (defectOffset >= 0) return { kind: 'undecodable', offset: defectOffset, encoding, unmarked };
    const end = decodeLatin(this.#lastBytes, encoding);
    const endsWithLineEnd = /[\n\r]$/.test(end.endsWith(endMark) ? end.slice(0, -1) : end);
    return { encoding, bomBytes: this.#bom?.[1].length ?? 0, endsWithLineEnd };
  }
}
