/** Writes a statement's lines as a CSV file. */
import { formatBaht, parseBaht } from '../../core/money.ts';
import { statementColumns } from '../../reconcile/rules/statement.ts';
import { columnPlaces, type StatementCells } from './lines.ts';
import type { StatementTable } from './table.ts';

const linesPerChunk = 500;
const byteOrderMark = '\uFEFF';

const special = /[",\r\n]/;

const quote = (text: string): string => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Separator that occurs in no valid cell, so that one search covers a line. */
const betweenCells = '\u001F';

/** Joins cells without the CSV package, which takes several times as long for a statement of a million lines. */
function joinCells(cells: readonly string[]): string {
  const hasSpecial = special.test(cells.join(betweenCells));
  return (hasSpecial ? cells.map(quote) : cells).join(',');
}

const amountPlaces = [columnPlaces['AMOUNT'], columnPlaces['FEE'], columnPlaces['NET AMOUNT']];

/** "1234.50" as "1,234.50"; any other text unchanged. */
function separateThousands(text: string): string {
  const amount = parseBaht(text);
  return amount === undefined ? text : formatBaht(amount).replaceAll(/\B(?=(\d{3})+\.)/g, ',');
}

function writeLine(cells: StatementCells, place: number, { thousands }: StatementTable): string {
  const written = [...cells];
  if (written[0] === '') written[0] = String(place);
  if (thousands) {
    for (const at of amountPlaces) written[at] = separateThousands(written[at] ?? '');
  }
  return joinCells(written);
}

/** Difference between a Thai letter's code point and its TIS-620 byte. */
const thaiShift = 0x0e_01 - 0xa1;

/** Encodes ASCII and Thai as windows-874; other characters become question marks. */
function encodeWindows874(text: string): Buffer {
  const toByte = (letter: string): string =>
    /[\u0E01-\u0E5B]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) - thaiShift) : '?';
  return Buffer.from(text.replaceAll(/[\u0080-\uFFFF]/g, toByte), 'latin1');
}

/**
 * Writes header and lines in chunks, without keeping them.
 * @param word the scheme's word in capitals, which replaces PROXY in the columns
 */
export function* writeStatement(
  lines: Iterable<StatementCells>,
  word: string,
  table: StatementTable,
): Generator<Buffer> {
  const encode = (text: string): Buffer =>
    table.encoding === 'utf-8' ? Buffer.from(text) : encodeWindows874(text);
  const lineEnd = table.lineEnd === 'crlf' ? '\r\n' : '\n';
  const header = joinCells(statementColumns.map((column) => column.replace(/^PROXY\b/, word)));
  let chunk = [`${table.bom ? byteOrderMark : ''}${header}`];
  let place = 0;
  for (const cells of lines) {
    place += 1;
    chunk.push(writeLine(cells, place, table));
    if (chunk.length < linesPerChunk) continue;
    yield encode(`${chunk.join(lineEnd)}${lineEnd}`);
    chunk = [];
  }
  if (chunk.length > 0) yield encode(`${chunk.join(lineEnd)}${lineEnd}`);
}
