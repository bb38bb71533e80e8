/** Cells as people see them, and the traces that a spreadsheet leaves in a cell. */
import { message, type Message } from './message.ts';
import { unseenCharacters } from './characters.ts';
import { maskCellNumbers } from './outgoing-text.ts';
import { maskDigits } from './proxy-id.ts';

/** Longest part of a cell that an issue shows. */
const shownCharactersMax = 40;

function escapeCharacter(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

/** A cell's content for an issue: long runs of digits masked, cut to about 40 characters, control characters escaped. */
export function showCell(text: string): string {
  // Masks twice the length before the cut: a run that the cut shortens must still count as long.
  const masked = maskCellNumbers(text.slice(0, shownCharactersMax * 2));
  const cut = masked.length > shownCharactersMax ? `${masked.slice(0, shownCharactersMax)}…` : masked;
  return cut.replaceAll(unseenCharacters, escapeCharacter);
}

/** A proxy ID's cell for an issue: all but its last four characters hidden, whatever they are. */
export function showProxy(text: string): string {
  return maskDigits(text.slice(-shownCharactersMax)).replaceAll(unseenCharacters, escapeCharacter);
}

/** True for a text that a spreadsheet would execute: it starts with =, + or @, after any apostrophes. */
export function isFormula(text: string): boolean {
  let place = 0;
  while (text.charCodeAt(place) === 39) place += 1;
  const first = text.charCodeAt(place);
  return first === 61 || first === 43 || first === 64;
}

const exponentPattern = /^'?\d+([.,]\d+)?e\+\d+$/i;
const errorPattern = /^#(?:#+|REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/;

/** Damage that a spreadsheet has done to a cell, for a message; undefined when there is no sign of any. */
export function findSpreadsheetDamage(text: string): Message | undefined {
  if (text.startsWith('#') && errorPattern.test(text)) return message('damage.error');
  if (text.includes('+') && exponentPattern.test(text)) {
    return message('damage.exponent');
  }
  return undefined;
}

/** Line breaks of every kind; and characters that control a screen or reorder the text around them. */
const lineBreaks = /(?:\r\n|[\t\n\v\f\r\u0085\p{Zl}\p{Zp}])+/gu;
const steeringCharacters = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const steeringOrBreak = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** True when a cell of the record holds a character that a table for people must not show. */
export const isSteering = (record: readonly string[]): boolean => steeringOrBreak.test(record.join(''));

/** A cell for a table: on one line, without characters that control a screen; all readable text stays. */
export const tableCell = (text: string): string =>
  text.replaceAll(lineBreaks, ' ').replaceAll(steeringCharacters, '?');
