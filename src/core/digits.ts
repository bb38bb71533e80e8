/** Fields of digits only, and the damage that spreadsheets and keyboards do to them. */
import { describeCharacter } from './characters.ts';

const exponentPattern = /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i;
const decimalsPattern = /^\d+[.,]0+$/;

/** Apostrophes by which spreadsheets, and our exceptions files, keep a number as text. */
const textMarkPattern = /^['’]/;

/** Why a text is not a number, for a message. */
interface NumberFault {
  /** Second part of an issue's code, after the prefix. */
  readonly kind: 'apostrophe' | 'damaged' | 'thai-digits' | 'characters';
  readonly message: string;
}

/** Damage done to a number on its way; undefined when there is no sign of any. */
export function findNumberDamage(text: string): NumberFault | undefined {
  if (textMarkPattern.test(text)) {
    return {
      kind: 'apostrophe',
      message:
        'an apostrophe stands before this number, as in files for a spreadsheet: write the digits alone',
    };
  }
  if (exponentPattern.test(text)) {
    return {
      kind: 'damaged',
      message:
        'a spreadsheet has turned this number into an exponent, its digits are lost: format the column as text and write it again',
    };
  }
  if (decimalsPattern.test(text)) {
    return {
      kind: 'damaged',
      message: 'a spreadsheet has given this number decimals: format the column as text and write it again',
    };
  }
  return undefined;
}

/**
 * Why a text that does not consist of digits is not a number.
 * @param besides what may stand beside the digits
 */
export function explainNoDigits(text: string, besides: string): NumberFault {
  const damage = findNumberDamage(text);
  if (damage !== undefined) return damage;
  if (/[๐-๙]/.test(text))
    return { kind: 'thai-digits', message: 'Thai digits cannot be sent: write the number with 0-9' };
  const [letter] = /\p{L}/u.exec(text) ?? [];
  if (letter !== undefined) {
    const message = `letters stand in this number, the first is "${letter}": only the digits 0-9 can`;
    return { kind: 'characters', message };
  }
  const rule = `only the digits 0-9 can stand here, ${besides}`;
  const [other] = /[^0-9 +-]/u.exec(text) ?? [];
  return { kind: 'characters', message: other === undefined ? rule : `${explainOther(other)}: ${rule}` };
}

/** Describes a character that no number has; one that looks like a plain one, or is invisible, by its number. */
function explainOther(character: string): string {
  if (/^[!-~]$/.test(character)) return `"${character}" stands in this number`;
  return `${describeCharacter(character)} stands in this number, type it again`;
}

/** Removes single hyphens or spaces between digits. */
export const joinDigitGroups = (text: string): string => text.replaceAll(/(?<=\d)[- ](?=\d)/g, '');
