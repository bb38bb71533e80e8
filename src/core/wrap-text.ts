/** Breaks what is longer than a line of a terminal between words; the terminal would break it within one. */

/** Lines below the first begin so much further in. */
const hangingIndent = 2;

/** Colours take no column. */
// oxlint-disable-next-line no-control-regex
const colours = /\u001B\[[\d;]*m/g;

/** Columns that a text takes; the scripts of East Asia take two a character. */
export const widthOf = (text: string): number => {
  const plain = text.replaceAll(colours, '');
  return plain.length + (plain.match(/[\u1100-\uFFFF]/g)?.length ?? 0);
};

function wrapLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const [indent = ''] = /^ */.exec(line) ?? [];
  const below = ' '.repeat(indent.length + hangingIndent);
  const lines: string[] = [];
  let last = indent;
  // Blanks stay with the word before them, so that columns stay columns.
  for (const word of line.slice(indent.length).match(/\S+ */g) ?? []) {
    const isFull = widthOf(`${last}${word.trimEnd()}`) > columns;
    if (!isFull || last.trim() === '') {
      last += word;
      continue;
    }
    lines.push(last.trimEnd());
    last = `${below}${word}`;
  }
  return [...lines, last.trimEnd()].join('\n');
}

/** @param columns of the terminal; undefined where there is none, and nothing is broken */
export const wrapText = <Text extends string>(text: Text, columns: number | undefined): Text =>
  columns === undefined
    ? text
    : (text
        .split('\n')
        .map((line) => wrapLine(line, columns))
        .join('\n') as Text);
