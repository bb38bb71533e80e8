/** How many letters may differ before a word is no longer taken for a slip of the known one. */
const slipsMax = 3;

/** The number of letters to insert, drop, replace or swap with their neighbour to turn one word into the other. */
function countSlips(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[to.length] ?? 0;
}

/** The known word that `word` was most likely meant to be; undefined when none is near enough. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let fewest = Math.min(slipsMax, Math.floor(word.length / 2)) + 1;
  for (const candidate of known) {
    const slips = countSlips(word.toLowerCase(), candidate.toLowerCase());
    if (slips < fewest) [nearest, fewest] = [candidate, slips];
  }
  return nearest;
}
