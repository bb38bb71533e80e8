/** Text in columns. */

/**
 * Lines whose cells stand below each other, two spaces apart.
 * @param right places of the columns whose cells end below each other; in the others they begin below each other
 */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [place, cell] of row.entries()) widths[place] = Math.max(widths[place] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, place) => {
        const width = widths[place] ?? 0;
        if (right.includes(place)) return cell.padStart(width);
        // Nothing follows the last one.
        return place === row.length - 1 ? cell : cell.padEnd(width);
      })
      .join('  '),
  );
}
