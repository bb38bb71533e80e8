/** The name that was probably meant. */
import { distance } from 'fastest-levenshtein';

/** How many letters may differ before a word is no longer taken for a slip of the known one. */
const slipsMax = 3;

/** The known word that `word` was most likely meant to be; undefined when none is near enough. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  const bound = Math.min(slipsMax, Math.floor(word.length / 2));
  const [nearest] = known
    .map((name) => ({ name, slips: distance(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ slips }) => slips <= bound)
    .toSorted((one, other) => one.slips - other.slips);
  return nearest?.name;
}

/** The known words, the one that takes the fewest slips to become `word` first. */
export const sortByNearness = (word: string, known: readonly string[]): readonly string[] =>
  known
    .map((name) => ({ name, slips: distance(word, name) }))
    .toSorted((one, other) => one.slips - other.slips)
    .map(({ name }) => name);
