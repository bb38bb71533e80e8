/** Output of a command: one record, as JSON for a program and as text for an operator. */
import { isAbsolute, parse, relative } from 'node:path';
import { type CommandPlace, placeCommands } from '../../core/command-line.ts';
import { encodeJson, joinLines, type PrintableText, printable, toLines } from '../../core/outgoing-text.ts';
import { widthOf } from '../../core/wrap-text.ts';
import type { ExitCode } from '../exit-codes.ts';
import { printText, printWrapped } from '../output.ts';

/** One thing to show. The text is made of the same fields as the JSON. */
export interface Shown {
  readonly json: object;
  /** Without a last line end. */
  readonly text: PrintableText;
}

/** Output at the end of a piece of work, with its exit code. */
export interface ShownEnd extends Shown {
  readonly exitCode: ExitCode;
}

/** The version of all JSON that commands print (docs/json.md says what may change within it). */
const jsonVersion = 1;

/** JSON of a result: an object, and each element of a list, bears the version. */
export const encodeResult = (json: object, indent?: number): PrintableText =>
  encodeJson(Array.isArray(json) ? json.map(addVersion) : addVersion(json), indent);

const addVersion = (json: object): object => ({ version: jsonVersion, ...json });

export function print({ json, text }: Shown, asJson: boolean): void {
  if (asJson) printText(encodeResult(json));
  else printWrapped(text);
}

/** Members of what is shown that name commands. */
const namesCommands = new Set(['command', 'commands', 'remedy', 'why', 'holdRemedies']);

function placeIn(value: unknown, place: CommandPlace, isOurs: boolean): unknown {
  if (typeof value === 'string') return isOurs ? placeCommands(value, place) : value;
  if (Array.isArray(value)) return value.map((one) => placeIn(one, place, isOurs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      placeIn(one, place, isOurs || namesCommands.has(name)),
    ]),
  );
}

/** The same with the settings in each command; as it is where they are found without an option. */
export function placeShown({ json, text }: Shown, place: CommandPlace | undefined): Shown {
  if (place === undefined) return { json, text };
  return {
    json: placeIn(json, place, false) as object,
    text: joinLines(text.split('\n').map((line) => printable(placeCommands(line, place)))),
  };
}

/** Several of a kind: a list for a program; for an operator one below the other, or that there is none. */
export function showList(shown: readonly Shown[], none: string, separator?: '\n\n'): Shown {
  const texts = shown.map(({ text }) => text);
  const text = texts.length === 0 ? printable(none) : joinLines(texts, separator);
  return { json: shown.map(({ json }) => json), text };
}

/** A path as a person would type it here: relative below this folder, unless this folder is /, as for a scheduler. */
export function showPath(path: string): string {
  const folder = process.cwd();
  if (folder === parse(folder).root) return path;
  const here = relative(folder, path);
  return here === '' || here.startsWith('..') || isAbsolute(here) ? path : here;
}

/** A report's path, and whether it was taken away since. */
export const showReportPath = (path: string, isGone: boolean): string =>
  `${showPath(path)}${isGone ? '  (taken away since)' : ''}`;

/** The first line of output about a rehearsal. */
export const sandboxBanner = '*** SANDBOX: a rehearsal, no real money moves ***';

/** Marks the following output as a rehearsal's; a program learns it from the record itself. */
export function printBanner({ isSandbox }: { readonly isSandbox: boolean }, asJson: boolean): void {
  if (isSandbox && !asJson) printText(toLines([sandboxBanner, '']));
}

/** Cuts a text to at most so many columns, and marks the cut at its end. */
export function cutText(text: string, columnsMax: number): string {
  if (widthOf(text) <= columnsMax) return text;
  let [kept, columns] = ['', 0];
  for (const character of text) {
    columns += widthOf(character);
    if (columns >= columnsMax) break;
    kept += character;
  }
  return `${kept}…`;
}

/**
 * Lines with aligned cells, two spaces apart.
 * @param right places of the columns that are aligned right; the others are aligned left
 * @param least least width of each column
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
  least: readonly number[] = [],
): string[] {
  const widths = [...least];
  for (const row of rows)
    for (const [place, cell] of row.entries()) widths[place] = Math.max(widths[place] ?? 0, widthOf(cell));
  return rows.map((row) =>
    row
      .map((cell, place) => {
        const blanks = ' '.repeat((widths[place] ?? 0) - widthOf(cell));
        if (right.includes(place)) return blanks + cell;
        // No blanks follow the last cell.
        return place === row.length - 1 ? cell : cell + blanks;
      })
      .join('  '),
  );
}
