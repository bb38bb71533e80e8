/** Why many rows cannot be decided on so: one reason for all that differ in the names of their rows alone. */

/** A reason, and of how many rows it is one. */
export type CountedWhy = readonly [why: string, rows: number];

/** Without the names by which a reason says which row it means. */
const withoutNames = (why: string): string =>
  why
    .replaceAll(/\bpayout \S+ \(row \d+ of batch \w+\)/g, 'payout … (row … of batch …)')
    .replaceAll(/\brow \d+\b/g, 'row …');

/** The most frequent first; one that is of a single row stays as it is. */
export function countWhys(whys: Iterable<string>): readonly CountedWhy[] {
  const groups = new Map<string, { readonly first: string; rows: number }>();
  for (const why of whys) {
    const known = groups.get(withoutNames(why));
    if (known === undefined) groups.set(withoutNames(why), { first: why, rows: 1 });
    else known.rows += 1;
  }
  return [...groups]
    .map(([general, { first, rows }]) => [rows === 1 ? first : general, rows] as const)
    .toSorted(([, one], [, other]) => other - one);
}
