/**
 * Indexes the attempts of one day in some tens of bytes each: whether a statement has named them, and in which line. A
 * line's attempt is found without a search in the journal, where references are unordered.
 */
import { randomInt } from 'node:crypto';
import type { AttemptStatus } from '../core/payout.ts';
import type { AttemptKey } from '../core/ports.ts';
import type { CleanLine } from './ports.ts';
import { isMissedInSilence } from './rules/evidence.ts';

/** Facts about an attempt of the day, as bits. */
const marks = { missed: 1, past: 2, seen: 4 } as const;

const firstSize = 1 << 10;

/** Two hashes of a text. */
function hashText(text: string, seeds: readonly [number, number]): [number, number] {
  let [one, other] = seeds;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    one = Math.imul(one ^ code, 0x01000193);
    one ^= one >>> 15;
    other = Math.imul(other ^ code, 0x85ebca6b);
    other ^= other >>> 13;
  }
  return [one >>> 0, other >>> 0];
}

/**
 * Finds attempts by two hashes of the reference. The caller must still compare the reference itself: two may have the
 * same hashes, once in a billion days.
 */
export class DayIndex {
  /** Random, so that references with equal hashes cannot be constructed. */
  readonly #seeds: readonly [number, number] = [randomInt(2 ** 32), randomInt(2 ** 32)];
  /** Entry + 1 in each slot; 0 for an empty one. */
  #slots = new Uint32Array(firstSize * 2);
  #ones = new Uint32Array(firstSize);
  #others = new Uint32Array(firstSize);
  #seqs = new Float64Array(firstSize);
  #attemptNos = new Uint32Array(firstSize);
  #marks = new Uint8Array(firstSize);
  #lines = new Uint32Array(firstSize);
  #count = 0;
  /**
   * A line that cannot be read may belong to any attempt: an attempt that no line names may still be in the statement.
   */
  hasUnplacedLine = false;

  /** Adds an attempt and returns its entry. */
  add(transRefNo: string, { payoutSeq, attemptNo }: AttemptKey, status: AttemptStatus): number {
    if (this.#count === this.#ones.length) this.#grow();
    const entry = this.#count;
    this.#count += 1;
    const [one, other] = hashText(transRefNo, this.#seeds);
    this.#ones[entry] = one;
    this.#others[entry] = other;
    this.#seqs[entry] = payoutSeq;
    this.#attemptNos[entry] = attemptNo;
    this.#marks[entry] = isMissedInSilence(status) ? marks.missed : 0;
    this.#place(entry);
    return entry;
  }

  /** The entry of a reference; undefined when the day has none. */
  find(transRefNo: string): number | undefined {
    const [one, other] = hashText(transRefNo, this.#seeds);
    const mask = this.#slots.length - 1;
    for (let slot = one & mask; ; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] ?? 0) - 1;
      if (entry < 0) return undefined;
      if (this.#ones[entry] === one && this.#others[entry] === other) return entry;
    }
  }

  keyOf(entry: number): AttemptKey {
    return { payoutSeq: this.#seqs[entry] ?? 0, attemptNo: this.#attemptNos[entry] ?? 0 };
  }

  /** Records that another statement or a break mentions it. */
  notePast(entry: number): void {
    this.#marks[entry] = (this.#marks[entry] ?? 0) | marks.past;
  }

  hasPast(entry: number): boolean {
    return ((this.#marks[entry] ?? 0) & marks.past) !== 0;
  }

  /**
   * Records that a line names it.
   * @param countedLine the line, when it was counted at first sight; 0 when it was deferred
   */
  noteLine(entry: number, countedLine: number): void {
    this.#marks[entry] = (this.#marks[entry] ?? 0) | marks.seen;
    this.#lines[entry] = countedLine;
  }

  isSeen(entry: number): boolean {
    return ((this.#marks[entry] ?? 0) & marks.seen) !== 0;
  }

  /** The line that was counted at first sight; 0 for none. */
  countedLineOf(entry: number): number {
    return this.#lines[entry] ?? 0;
  }

  /** Attempts that no line names, and whose absence matters, on this day or another. */
  *missed(): Generator<AttemptKey> {
    for (let entry = 0; entry < this.#count; entry += 1) {
      const known = this.#marks[entry] ?? 0;
      const isMissed = (known & (marks.missed | marks.past)) !== 0 && (known & marks.seen) === 0;
      if (isMissed) yield this.keyOf(entry);
    }
  }

  /** Attempts that no line names. */
  *unseen(): Generator<AttemptKey> {
    for (let entry = 0; entry < this.#count; entry += 1) if (!this.isSeen(entry)) yield this.keyOf(entry);
  }

  /** The line that was counted at first sight for an attempt; 0 for none. */
  countedLine(transRefNo: string, { payoutSeq, attemptNo }: AttemptKey): number {
    const entry = this.find(transRefNo);
    if (entry === undefined) return 0;
    const isSame = this.#seqs[entry] === payoutSeq && this.#attemptNos[entry] === attemptNo;
    return isSame ? this.countedLineOf(entry) : 0;
  }

  /** Every line counted at first sight, in the order in which the attempts were made. */
  *countedLines(): Generator<CleanLine> {
    for (let entry = 0; entry < this.#count; entry += 1) {
      const line = this.countedLineOf(entry);
      if (line > 0) yield { ...this.keyOf(entry), line };
    }
  }

  #place(entry: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#ones[entry] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = entry + 1;
  }

  #grow(): void {
    const size = this.#ones.length * 2;
    this.#ones = new Uint32Array(this.#ones.buffer.transfer(size * 4));
    this.#others = new Uint32Array(this.#others.buffer.transfer(size * 4));
    this.#seqs = new Float64Array(this.#seqs.buffer.transfer(size * 8));
    this.#attemptNos = new Uint32Array(this.#attemptNos.buffer.transfer(size * 4));
    this.#marks = new Uint8Array(this.#marks.buffer.transfer(size));
    this.#lines = new Uint32Array(this.#lines.buffer.transfer(size * 4));
    this.#slots = new Uint32Array(size * 2);
    for (let entry = 0; entry < this.#count; entry += 1) this.#place(entry);
  }
}
