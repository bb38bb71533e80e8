/** How the content of a cell is shown to people, and the traces that a spreadsheet leaves in one. */
import { unseenCharacters } from './characters.ts';
import { maskCellNumbers } from './outgoing-text.ts';
import { maskDigits } from './proxy-id.ts';

/** Characters of a cell that an issue shows. */
const shownCharactersMax = 40;

function escapeCharacter(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

/** A cell's content for an issue: long runs of digits masked, cut to about 40 characters, control characters escaped. */
export function showCell(text: string): string {
  // Twice the length is masked before it is cut: a run that the cut shortens must still be seen as long.
  const masked = maskCellNumbers(text.slice(0, shownCharactersMax * 2));
  const cut = masked.length > shownCharactersMax ? `${masked.slice(0, shownCharactersMax)}…` : masked;
  return cut.replaceAll(unseenCharacters, escapeCharacter);
}

/** A proxy ID's cell for an issue: all but its last four characters hidden, whatever they are. */
export function showProxy(text: string): string {
  return maskDigits(text.slice(-shownCharactersMax)).replaceAll(unseenCharacters, escapeCharacter);
}

/** True for a text that a spreadsheet would run: it starts with =, + or @, whatever apostrophes stand before it. */
export function isFormula(text: string): boolean {
  let place = 0;
  while (text.charCodeAt(place) === 39) place += 1;
  const first = text.charCodeAt(place);
  return first === 61 || first === 43 || first === 64;
}

const exponentPattern = /^'?\d+([.,]\d+)?e\+\d+$/i;
const errorPattern = /^#(?:#+|REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/;

/** What a spreadsheet has made of a cell, for a message; undefined when nothing shows. */
export function findSpreadsheetDamage(text: string): string | undefined {
  if (text.startsWith('#') && errorPattern.test(text))
    return 'a spreadsheet shows an error here instead of a value';
  if (text.includes('+') && exponentPattern.test(text)) {
    return 'a spreadsheet has turned this number into an exponent, its digits are lost';
  }
  return undefined;
}

/** Breaks of a line, whatever they are called; and what steers a screen or turns the text around it. */
const lineBreaks = /(?:\r\n|[\t\n\v\f\r\u0085\p{Zl}\p{Zp}])+/gu;
const steeringCharacters = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const steeringOrBreak = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** True when a cell of the record holds a character that does not belong into a table for people. */
export const isSteering = (record: readonly string[]): boolean => steeringOrBreak.test(record.join(''));

/** A cell for a table: on one line, and without what steers a screen; all that can be read stays. */
export const tableCell = (text: string): string =>
  text.replaceAll(lineBreaks, ' ').replaceAll(steeringCharacters, '?');
