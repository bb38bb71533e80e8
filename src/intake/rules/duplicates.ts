/**
 * Duplicate names of rows (payoutId, registrationId) in one file: identical rows count once and the repeats are
 * rejected; differing rows are all rejected. Rows are compared by fingerprints of 64 bits, about 30 bytes a row, so
 * that a file of a million rows does not fill the memory. Two names with one fingerprint count as one, which can reject
 * a row but never send one twice.
 */

/** `repeat`: the first row with this name has the same cells; `differs`: it or a row in between has others. */
type DuplicateVerdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'repeat' | 'differs'; readonly firstRowNo: number; readonly firstLine: number };

interface SeenRow {
  readonly rowNo: number;
  readonly line: number;
  /** The name of the row, trimmed. */
  readonly id: string;
  /** All cells unchanged, in the file's order. */
  readonly cells: readonly string[];
  /** The rules have found no issue in the row. */
  readonly isValid: boolean;
}

const isNew: DuplicateVerdict = { kind: 'new' };

/** Two independent lanes of 32 bits, reused for every row to avoid allocation. */
type Lanes = Int32Array<ArrayBuffer>;

function mixText(lanes: Lanes, text: string): void {
  let first = lanes[0] ?? 0;
  let second = lanes[1] ?? 0;
  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    first = Math.imul(first ^ unit, 0x9e3779b1);
    second = Math.imul(second ^ unit, 0x5f356495);
    second ^= second >>> 15;
  }
  // The length closes the text, so that cells cannot flow into each other.
  lanes[0] = Math.imul(first ^ text.length, 0x85ebca6b);
  lanes[1] = Math.imul(second ^ text.length, 0xc2b2ae35);
}

function spreadBits(lanes: Lanes): void {
  let first = lanes[0] ?? 0;
  let second = lanes[1] ?? 0;
  first = Math.imul(first ^ (first >>> 16), 0x85ebca6b) ^ Math.imul(second ^ (second >>> 13), 0xc2b2ae35);
  second = Math.imul(second ^ (second >>> 16), 0x27d4eb2f) ^ Math.imul(first ^ (first >>> 13), 0x165667b1);
  lanes[0] = first ^ (first >>> 15);
  lanes[1] = second ^ (second >>> 14);
}

function fingerprint(lanes: Lanes, texts: readonly string[]): void {
  lanes[0] = 0x6a09e667;
  lanes[1] = 0x3c6ef372;
  for (const text of texts) mixText(lanes, text);
  spreadBits(lanes);
}

const segmentBits = 14;
const entriesPerSegment = 2 ** segmentBits;
const placeMask = entriesPerSegment - 1;
/** The number of 32-bit words of an entry: fingerprints of name and cells (two words each), row number, line, state. */
const entryWords = 7;
const rowNoWord = 4;
const lineWord = 5;
const stateWord = 6;

const stateInvalid = 0;
const stateValid = 1;
/** A later row differs. */
const stateConflicting = 2;

const slotsAtFirst = 4_096;

/** Entries in segments, found through a table of slots (open addressing) that doubles when it is half full. */
export class DuplicateIndex {
  /** Valid first rows whose name a later row repeats with other cells, in the order found. */
  readonly conflictingRowNos: number[] = [];
  readonly #segments: Int32Array<ArrayBuffer>[] = [];
  readonly #id: Lanes = new Int32Array(2);
  readonly #cells: Lanes = new Int32Array(2);
  /** Entry numbers plus one; 0 is empty. */
  #slots = new Int32Array(slotsAtFirst);
  #entries = 0;

  /** Adds a row and compares it with the earlier ones. */
  add(row: SeenRow): DuplicateVerdict {
    fingerprint(this.#id, [row.id]);
    fingerprint(this.#cells, row.cells);
    const slot = this.#findSlot(this.#id[0] ?? 0, this.#id[1] ?? 0);
    const entry = (this.#slots[slot] ?? 0) - 1;
    if (entry >= 0) return this.#compare(entry);
    this.#append(row, slot);
    return isNew;
  }

  /** True when a row with this name was added. */
  has(id: string): boolean {
    fingerprint(this.#id, [id]);
    return (this.#slots[this.#findSlot(this.#id[0] ?? 0, this.#id[1] ?? 0)] ?? 0) > 0;
  }

  #word(entry: number, word: number): number {
    const segment = this.#segments[entry >>> segmentBits];
    return segment?.[(entry & placeMask) * entryWords + word] ?? 0;
  }

  /** The slot of this fingerprint, or the empty one for it. */
  #findSlot(first: number, second: number): number {
    const last = this.#slots.length - 1;
    for (let slot = first & last; ; slot = (slot + 1) & last) {
      const entry = (this.#slots[slot] ?? 0) - 1;
      if (entry < 0 || (this.#word(entry, 0) === first && this.#word(entry, 1) === second)) return slot;
    }
  }

  #compare(entry: number): DuplicateVerdict {
    const firstRowNo = this.#word(entry, rowNoWord);
    const firstLine = this.#word(entry, lineWord);
    const isSame = this.#word(entry, 2) === this.#cells[0] && this.#word(entry, 3) === this.#cells[1];
    const state = this.#word(entry, stateWord);
    if (isSame && state !== stateConflicting) return { kind: 'repeat', firstRowNo, firstLine };
    if (state === stateValid) this.conflictingRowNos.push(firstRowNo);
    const segment = this.#segments[entry >>> segmentBits];
    segment?.set([stateConflicting], (entry & placeMask) * entryWords + stateWord);
    return { kind: 'differs', firstRowNo, firstLine };
  }

  #append(row: SeenRow, slot: number): void {
    const at = (this.#entries & placeMask) * entryWords;
    if (at === 0) this.#segments.push(new Int32Array(entriesPerSegment * entryWords));
    const segment = this.#segments.at(-1) ?? new Int32Array(0);
    segment[at] = this.#id[0] ?? 0;
    segment[at + 1] = this.#id[1] ?? 0;
    segment[at + 2] = this.#cells[0] ?? 0;
    segment[at + 3] = this.#cells[1] ?? 0;
    segment[at + rowNoWord] = row.rowNo;
    segment[at + lineWord] = row.line;
    segment[at + stateWord] = row.isValid ? stateValid : stateInvalid;
    this.#entries += 1;
    this.#slots[slot] = this.#entries;
    if (this.#entries * 2 > this.#slots.length) this.#grow();
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let entry = 0; entry < this.#entries; entry += 1) {
      this.#slots[this.#findSlot(this.#word(entry, 0), this.#word(entry, 1))] = entry + 1;
    }
  }
}
