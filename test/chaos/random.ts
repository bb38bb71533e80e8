/** Chance that can be had again: the same seed gives the same numbers. */
export interface Chance {
  /** At least `from`, below `to`. */
  between(from: number, to: number): number;
  /** The same, whole. */
  whole(from: number, to: number): number;
}

/** A generator of 32 bits (mulberry32). */
export function makeChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + next() * (to - from);
  return { between, whole: (from, to) => Math.floor(between(from, to)) };
}
