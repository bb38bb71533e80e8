/** The one source of chance of a run: the same seed gives the same run. */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';

export class Dice {
  readonly #generator: ReturnType<typeof mersenne>;

  constructor(seed: number) {
    // Of pure-rand's generators the one whose neighbouring seeds have nothing in common.
    this.#generator = mersenne(seed);
  }

  /** At least 0, below 1. */
  next(): number {
    return uniformFloat64(this.#generator);
  }

  chance(share: number): boolean {
    return share > 0 && this.next() < share;
  }

  /** At least `from`, below `to`. */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** Whole, at least `from`, at most `to`. */
  whole(from: number, to: number): number {
    return Math.floor(this.between(from, to + 1));
  }

  /** Whole, at least `from`, at most `to`, every order of magnitude as likely as another. */
  wide(from: number, to: number): number {
    return Math.round(from * (to / from) ** this.next());
  }

  pick<One>(list: readonly One[]): One {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[this.whole(0, list.length - 1)] as One;
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
