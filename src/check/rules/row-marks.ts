/** A set of row numbers, a bit each: a file of a million rows takes 125 kB. */
export class RowMarks {
  #bits = new Uint8Array(1_024);

  add(rowNo: number): void {
    const place = rowNo >>> 3;
    if (place >= this.#bits.length) {
      const wider = new Uint8Array(Math.max(this.#bits.length * 2, place + 1));
      wider.set(this.#bits);
      this.#bits = wider;
    }
    this.#bits[place] = (this.#bits[place] ?? 0) | (1 << (rowNo & 7));
  }

  remove(rowNo: number): void {
    const place = rowNo >>> 3;
    if (place < this.#bits.length) this.#bits[place] = (this.#bits[place] ?? 0) & ~(1 << (rowNo & 7));
  }

  has(rowNo: number): boolean {
    return ((this.#bits[rowNo >>> 3] ?? 0) & (1 << (rowNo & 7))) !== 0;
  }
}
