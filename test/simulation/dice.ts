/** The one source of chance of a run: the same seed gives the same run. */

/** A generator of 32 bits (mulberry32), seeded through a mixer so that neighbouring seeds have nothing in common. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
    this.#state = (mixed ^ (mixed >>> 16) ^ Math.floor(seed / 2 ** 32)) >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(share: number): boolean {
    return share > 0 && this.next() < share;
  }

  /** Whole, at least `from`, at most `to`. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** Whole, at least `from`, at most `to`, every order of magnitude as likely as another. */
  wide(from: number, to: number): number {
    return Math.round(from * (to / from) ** this.next());
  }

  pick<One>(list: readonly One[]): One {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[Math.floor(this.next() * list.length)] as One;
  }

  shuffle<One>(list: readonly One[]): One[] {
    const shuffled = [...list];
    for (let place = shuffled.length - 1; place > 0; place -= 1) {
      const other = this.whole(0, place);
      [shuffled[place], shuffled[other]] = [shuffled[other] as One, shuffled[place] as One];
    }
    return shuffled;
  }
}
