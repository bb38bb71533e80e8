/** Finds the known name nearest to a mistyped one. */
import { distance } from 'fastest-levenshtein';

/** Most letters that may differ in a mistyped word. */
const slipsMax = 3;

/** The known word nearest to `word`; undefined when none is near enough. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  const bound = Math.min(slipsMax, Math.floor(word.length / 2));
  const [nearest] = known
    .map((name) => ({ name, slips: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ slips }) => slips <= bound)
    .toSorted((one, other) => one.slips - other.slips);
  return nearest?.name;
}

/** The known words, sorted by the edits that turn them into `word`, fewest first. */
export const sortByNearness = (word: string, known: readonly string[]): readonly string[] =>
  known
    .map((name) => ({ name, slips: distance(word, name) }))
    .toSorted((one, other) => one.slips - other.slips)
    .map(({ name }) => name);
