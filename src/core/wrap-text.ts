/** Wraps text between words at the terminal's width; the terminal itself would break within a word. */

/** Extra indent of the lines below the first. */
const hangingIndent = 2;

/** Colours take no column. */
// oxlint-disable-next-line no-control-regex
const colours = /\u001B\[[\d;]*m/g;

/** Marks above or below a letter, such as Thai vowels and tones, take no column; East Asian characters take two. */
const marks = /\p{Mn}/gu;
const wide = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]/g;

/** Columns that a text takes. */
export const widthOf = (text: string): number => {
  const plain = text.replaceAll(colours, '').replaceAll(marks, '');
  return plain.length + (plain.match(wide)?.length ?? 0);
};

function wrapLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const [indent = ''] = /^ */.exec(line) ?? [];
  const below = ' '.repeat(indent.length + hangingIndent);
  const lines: string[] = [];
  let last = indent;
  // Spaces stay with the word before them, so that columns stay aligned.
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

/**
 * Wraps text.
 * @param columns width of the terminal; undefined without one, which leaves the text as it is
 */
export const wrapText = <Text extends string>(text: Text, columns: number | undefined): Text =>
  columns === undefined
    ? text
    : (text
        .split('\n')
        .map((line) => wrapLine(line, columns))
        .join('\n') as Text);
