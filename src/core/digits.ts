/** Fields of digits only, and the damage that spreadsheets and keyboards do to them. */
import { message, type Message } from './message.ts';
import { describeCharacter } from './characters.ts';

const exponentPattern = /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i;
const decimalsPattern = /^\d+[.,]0+$/;

/** Apostrophes by which spreadsheets, and our exceptions files, keep a number as text. */
const textMarkPattern = /^['’]/;

/** Why a text is not a number, for a message. */
interface NumberFault {
  /** Second part of an issue's code, after the prefix. */
  readonly kind: 'apostrophe' | 'damaged' | 'thai-digits' | 'characters';
  readonly message: Message;
}

/** Damage done to a number on its way; undefined when there is no sign of any. */
export function findNumberDamage(text: string): NumberFault | undefined {
  if (textMarkPattern.test(text)) return { kind: 'apostrophe', message: message('issue.number-apostrophe') };
  if (exponentPattern.test(text)) return { kind: 'damaged', message: message('issue.number-exponent') };
  if (decimalsPattern.test(text)) return { kind: 'damaged', message: message('issue.number-decimals') };
  return undefined;
}

/**
 * Why a text that does not consist of digits is not a number.
 * @param besides what may stand beside the digits
 */
export function explainNoDigits(text: string, besides: 'groups' | 'plus'): NumberFault {
  const damage = findNumberDamage(text);
  if (damage !== undefined) return damage;
  if (/[๐-๙]/.test(text)) return { kind: 'thai-digits', message: message('issue.number-thai-digits') };
  const [letter] = /\p{L}/u.exec(text) ?? [];
  if (letter !== undefined)
    return { kind: 'characters', message: message('issue.number-letters', { letter }) };
  const rule = message(`number-rule.${besides}`);
  const [other] = /[^0-9 +-]/u.exec(text) ?? [];
  return { kind: 'characters', message: other === undefined ? rule : explainOther(other, rule) };
}

/** Describes a character that no number has; one that looks like a plain one, or is invisible, by its number. */
function explainOther(character: string, rule: Message): Message {
  if (/^[!-~]$/.test(character)) return message('issue.number-sign', { character, rule });
  return message('issue.number-character', { character: describeCharacter(character), rule });
}

/** Removes single hyphens or spaces between digits. */
export const joinDigitGroups = (text: string): string => text.replaceAll(/(?<=\d)[- ](?=\d)/g, '');
