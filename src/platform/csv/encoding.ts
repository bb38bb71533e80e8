/**
 * What a file's bytes can mean. The whole file is looked at: UTF-8 that is damaged in its last line must not be taken
 * for windows-874, nor a windows-874 file for UTF-8 because its first names are in Latin letters.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { FileEncoding } from '../../core/payout-file.ts';

const boms: readonly (readonly [encoding: FileEncoding, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

interface Bom {
  readonly encoding: FileEncoding;
  readonly bomBytes: number;
}

function findBom(bytes: Uint8Array): Bom | undefined {
  const found = boms.find(([, mark]) => mark.every((byte, place) => bytes[place] === byte));
  return found === undefined ? undefined : { encoding: found[0], bomBytes: found[1].length };
}

/** What keeps the bytes from being read; `offset` counts from the file's first byte. */
export interface EncodingDefect {
  readonly kind: 'nul' | 'undecodable' | 'contradicting-bom';
  readonly offset: number;
  readonly encoding: FileEncoding;
}

export interface EncodingFindings {
  readonly encoding: FileEncoding;
  readonly bomBytes: number;
  readonly endsWithLineEnd: boolean;
}

/** Bytes that windows-874 leaves unassigned; the decoder would make control characters of some of them. */
const unassignedIn874 = new Uint8Array(256);
for (let byte = 0x80; byte <= 0xff; byte += 1) {
  const isAssigned =
    byte === 0x80 ||
    byte === 0x85 ||
    (byte >= 0x91 && byte <= 0x97) ||
    (byte >= 0xa0 && byte <= 0xda) ||
    (byte >= 0xdf && byte <= 0xfb);
  unassignedIn874[byte] = isAssigned ? 0 : 1;
}

function firstUnassignedIn874(bytes: Uint8Array): number {
  return isAscii(bytes) ? -1 : bytes.findIndex((byte) => unassignedIn874[byte] === 1);
}

/** Bytes at the end that begin a UTF-8 sequence which the next block may complete. */
function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Offset of the first byte that is no UTF-8, in bytes that are known to hold one. */
function firstInvalidUtf8(bytes: Uint8Array): number {
  let sound = 0;
  let broken = bytes.length;
  // The longest sound prefix, by halves; a prefix may end inside a sequence and is cut back to its start.
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2);
    const prefix = bytes.subarray(0, middle);
    if (isUtf8(prefix.subarray(0, middle - incompleteTail(prefix)))) sound = middle;
    else broken = middle;
  }
  return sound - incompleteTail(bytes.subarray(0, sound));
}

/** One way of reading, fed block by block; `offset` is where a defect was found, -1 while there is none. */
interface Reading {
  feed(block: Uint8Array, blockOffset: number): void;
  finish(sizeBytes: number): void;
  readonly offset: number;
}

class Utf8Reading implements Reading {
  offset = -1;
  #tail: Uint8Array = new Uint8Array(0);

  feed(block: Uint8Array, blockOffset: number): void {
    if (this.offset >= 0) return;
    const bytes = this.#tail.length === 0 ? block : Buffer.concat([this.#tail, block]);
    const start = blockOffset - this.#tail.length;
    const body = bytes.subarray(0, bytes.length - incompleteTail(bytes));
    if (!isUtf8(body)) this.offset = start + firstInvalidUtf8(body);
    this.#tail = Uint8Array.from(bytes.subarray(body.length));
  }

  finish(sizeBytes: number): void {
    if (this.offset < 0 && this.#tail.length > 0) this.offset = sizeBytes - this.#tail.length;
  }
}

class Windows874Reading implements Reading {
  offset = -1;

  feed(block: Uint8Array, blockOffset: number): void {
    if (this.offset >= 0) return;
    const found = firstUnassignedIn874(block);
    if (found >= 0) this.offset = blockOffset + found;
  }

  finish(): void {
    // One byte a character: nothing can be left open.
  }
}

class Utf16Reading implements Reading {
  offset = -1;
  nulOffset = -1;
  readonly #highByte: 0 | 1;
  #pendingByte = -1;
  #isAfterHighSurrogate = false;

  constructor(encoding: 'utf-16le' | 'utf-16be') {
    this.#highByte = encoding === 'utf-16le' ? 1 : 0;
  }

  feed(block: Uint8Array, blockOffset: number): void {
    for (let place = 0; place < block.length && this.offset < 0 && this.nulOffset < 0; place += 1) {
      const byte = block[place] ?? 0;
      if (this.#pendingByte < 0) {
        this.#pendingByte = byte;
        continue;
      }
      const unit = this.#highByte === 1 ? byte * 256 + this.#pendingByte : this.#pendingByte * 256 + byte;
      this.#pendingByte = -1;
      this.#take(unit, blockOffset + place - 1);
    }
  }

  #take(unit: number, offset: number): void {
    if (unit === 0) this.nulOffset = offset;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== this.#isAfterHighSurrogate) this.offset = offset;
    this.#isAfterHighSurrogate = unit >= 0xd800 && unit <= 0xdbff;
  }

  finish(sizeBytes: number): void {
    if (this.offset < 0 && (this.#pendingByte >= 0 || this.#isAfterHighSurrogate))
      this.offset = sizeBytes - 1;
  }
}

/** Takes a file's blocks one after the other, then says how they are to be read, or what keeps them from being. */
export class EncodingProbe {
  readonly #setting: 'auto' | FileEncoding;
  readonly #utf8 = new Utf8Reading();
  readonly #windows874 = new Windows874Reading();
  #utf16: Utf16Reading | undefined;
  #bom: Bom | undefined;
  #nulOffset = -1;
  #sizeBytes = 0;
  #lastBytes: readonly [number, number] = [0, 0];

  constructor(setting: 'auto' | FileEncoding) {
    this.#setting = setting;
  }

  /** The block may be reused afterwards. The first one holds at least three bytes if the file does. */
  feed(block: Uint8Array): void {
    if (block.length === 0) return;
    if (this.#sizeBytes === 0) this.#start(block);
    if (this.#utf16 !== undefined) {
      this.#utf16.feed(block, this.#sizeBytes);
    } else {
      if (this.#nulOffset < 0 && block.includes(0)) this.#nulOffset = this.#sizeBytes + block.indexOf(0);
      if (this.#setting !== 'windows-874') this.#utf8.feed(block, this.#sizeBytes);
      if (this.#setting !== 'utf-8') this.#windows874.feed(block, this.#sizeBytes);
    }
    this.#lastBytes = [block.at(-2) ?? this.#lastBytes[1], block.at(-1) ?? 0];
    this.#sizeBytes += block.length;
  }

  #start(block: Uint8Array): void {
    this.#bom = findBom(block);
    const named = this.#bom?.encoding ?? this.#setting;
    if (named === 'utf-16le' || named === 'utf-16be') this.#utf16 = new Utf16Reading(named);
  }

  finish(): EncodingFindings | EncodingDefect {
    const encoding = this.#encoding();
    const defect = (kind: EncodingDefect['kind'], offset: number): EncodingDefect => ({
      kind,
      offset,
      encoding,
    });
    if (this.#bom !== undefined && this.#setting !== 'auto' && this.#setting !== this.#bom.encoding) {
      return defect('contradicting-bom', 0);
    }
    const nulOffset = this.#utf16?.nulOffset ?? this.#nulOffset;
    if (nulOffset >= 0) return defect('nul', nulOffset);
    const reading = this.#utf16 ?? (encoding === 'windows-874' ? this.#windows874 : this.#utf8);
    reading.finish(this.#sizeBytes);
    if (reading.offset >= 0) return defect('undecodable', reading.offset);
    return { encoding, bomBytes: this.#bom?.bomBytes ?? 0, endsWithLineEnd: this.#endsWithLineEnd(encoding) };
  }

  #encoding(): FileEncoding {
    if (this.#bom !== undefined) return this.#bom.encoding;
    if (this.#setting !== 'auto') return this.#setting;
    this.#utf8.finish(this.#sizeBytes);
    // Damaged UTF-8 has bytes that windows-874 leaves unassigned; then UTF-8 was meant, and its defect is told.
    return this.#utf8.offset >= 0 && this.#windows874.offset < 0 ? 'windows-874' : 'utf-8';
  }

  #endsWithLineEnd(encoding: FileEncoding): boolean {
    const [before, last] = this.#lastBytes;
    if (encoding === 'utf-16le') return last === 0 && (before === 10 || before === 13);
    if (encoding === 'utf-16be') return before === 0 && (last === 10 || last === 13);
    return last === 10 || last === 13;
  }
}
