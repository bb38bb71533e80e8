/** How the content of a cell is shown to people, and the traces that a spreadsheet leaves in one. */
import { maskDigits } from './proxy-id.ts';

/** Control characters, and invisible ones that hide or turn the text around them. */
const unseenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Digits in a row as long as a mobile number without its zero may be a proxy or an account, whatever the column. */
const longDigitRuns = /[\d\u0e50-\u0e59](?:[- .]?[\d\u0e50-\u0e59]){8,}/g;

/** Characters of a cell that an issue shows. */
const shownCharactersMax = 40;

function escapeCharacter(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

/** A cell's content for an issue: long runs of digits masked, cut to about 40 characters, control characters escaped. */
export function showCell(text: string): string {
  // Twice the length is masked before it is cut: a run that the cut shortens must still be seen as long.
  const masked = text.slice(0, shownCharactersMax * 2).replaceAll(longDigitRuns, (run) => maskDigits(run));
  const cut = masked.length > shownCharactersMax ? `${masked.slice(0, shownCharactersMax)}…` : masked;
  return cut.replaceAll(unseenCharacters, escapeCharacter);
}

/** A proxy ID's cell for an issue: all but its last four characters hidden, whatever they are. */
export function showProxy(text: string): string {
  return maskDigits(text.slice(-shownCharactersMax)).replaceAll(unseenCharacters, escapeCharacter);
}

/** A character for a message: `U+00E9 "é"`; one that cannot be seen by its number alone. */
export function describeCharacter(character: string): string {
  const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return character.search(unseenCharacters) === 0 || character.trim() === ''
    ? number
    : `${number} "${character}"`;
}

/** True for a text that a spreadsheet would run: it starts with =, + or @. */
export function isFormula(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 61 || first === 43 || first === 64;
}

const exponentPattern = /^\d+([.,]\d+)?E\+\d+$/;
const errorPattern = /^#(?:#+|REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/;

/** What a spreadsheet has made of a cell, for a message; undefined when nothing shows. */
export function findSpreadsheetDamage(text: string): string | undefined {
  if (text.startsWith('#') && errorPattern.test(text))
    return 'a spreadsheet shows an error here instead of a value';
  if (text.includes('E+') && exponentPattern.test(text)) {
    return 'a spreadsheet has turned this number into an exponent, its digits are lost';
  }
  return undefined;
}

/** A file's name, or the bank's words, on one line: they must not break it or steer the terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
