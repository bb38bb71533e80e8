/**
 * Makes a picture of a terminal for the docs: `tmux capture-pane -p -e` to stdin, an SVG to stdout. What is in it stays
 * text: it can be read, searched and translated.
 * node test/docs/terminal-picture.ts 'A run that waits' < capture.txt > docs/terminal-run.svg
 */
import { text } from 'node:stream/consumers';

const lineHeight = 18;
const charWidth = 8;
const margin = 12;

/** The eight colours of a terminal that our log uses, and bold. */
const classes: Readonly<Record<string, string>> = {
  1: 'b',
  31: 'r',
  32: 'g',
  33: 'y',
  34: 'u',
  36: 'c',
  90: 'd',
};

/** What sets a colour. */
// oxlint-disable-next-line no-control-regex
const colour = /(\u001B\[[\d;]*m)/;

const escapeXml = (cell: string): string =>
  cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One line with its colours as spans. */
function toSpans(line: string): string {
  let current = '';
  return line
    .split(colour)
    .map((part) => {
      const codes = colour.test(part) ? part.slice(2, -1) : undefined;
      if (codes === undefined) {
        const shown = escapeXml(part);
        return current === '' || shown === '' ? shown : `<tspan class="${current}">${shown}</tspan>`;
      }
      current = codes
        .split(';')
        .flatMap((code) => classes[code] ?? [])
        .join(' ');
      return '';
    })
    .join('');
}

const [title = 'A terminal'] = process.argv.slice(2);
const lines = (await text(process.stdin)).trimEnd().split('\n');
const columns = Math.max(
  ...lines.map(
    (line) =>
      line
        .split(colour)
        .filter((_, place) => place % 2 === 0)
        .join('').length,
  ),
);
const [width, height] = [columns * charWidth + 2 * margin, lines.length * lineHeight + 2 * margin];
const rows = lines.map(
  (line, place) =>
    `  <text x="${margin}" y="${margin + (place + 1) * lineHeight - 5}">${toSpans(line)}</text>`,
);
process.stdout
  .write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
  <title id="title">${escapeXml(title)}</title>
  <style>
    text { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #d8dee9; }
    .b { font-weight: 600; } .r { fill: #f28b82; } .g { fill: #a5d6a7; } .y { fill: #ffe082; } .u { fill: #90caf9; } .c { fill: #80deea; } .d { fill: #90a0b0; }
  </style>
  <rect width="${width}" height="${height}" rx="6" fill="#1f2530"/>
${rows.join('\n')}
</svg>
`);
