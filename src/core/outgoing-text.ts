/**
 * The one gate for outgoing text: screens, logs, JSON, notices, health. Text from files, the bank or the system must
 * not control a terminal, forge a line, or reveal a whole number of a person or an account.
 */
import type { Language } from './language.ts';
import { type Message, say } from './message.ts';
import { maskDigits } from './proxy-id.ts';

// ---------------------------------------------------------------- characters

/** Control characters (C0, DEL, C1), marks that reorder or hide text, line separators, and unassigned characters. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

declare const passedGate: unique symbol;

/** A text that passed the gate. The type keeps raw texts out; only such texts are written to a screen. */
export type PrintableText = string & { readonly [passedGate]: true };

/** A file's name or the bank's words on one line, without characters that break it or control the terminal. */
export const printable = (text: string): PrintableText => text.replaceAll(unprintable, '?') as PrintableText;

/** Joins our lines, which may quote foreign words: a line end within a line starts no new line. */
export const toLines = (lines: readonly string[]): PrintableText => joinLines(lines.map(printable));

export const joinLines = (texts: readonly PrintableText[], separator: '\n' | '\n\n' = '\n'): PrintableText =>
  texts.join(separator) as PrintableText;

/**
 * A message of several lines that quotes foreign words, such as an error's. Lines below the first are indented, so that
 * none of them passes for one of ours.
 */
export const toMessage = (message: string): PrintableText =>
  toLines(
    maskNumbers(message)
      .split('\n')
      .map((line, place) => (place === 0 || /^( |$)/.test(line) ? line : `  ${line}`)),
  );

/** JSON on one line, or indented, with unprintable characters as `\uXXXX`. */
export const encodeJson = (value: unknown, indent?: number): PrintableText =>
  joinLines(JSON.stringify(value, null, indent).split('\n').map(escapeUnprintable));

const escapeUnprintable = (line: string): PrintableText =>
  line.replaceAll(unprintable, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  ) as PrintableText;

// ---------------------------------------------------------------- numbers

/** Any digit, Thai and full-width ones included, unless it begins a date: "2026-11-21 10:30" is no personal number. */
const digit = String.raw`(?!20\d\d-[01]\d-[0-3]\d(?!\p{Nd}))\p{Nd}`;
/** One hyphen or space of any kind, allowed between two digits. */
const separator = String.raw`[\p{Pd}\p{Zs}\u2212]?`;
/** Excludes amounts: they have two decimals. */
const noAmount = String.raw`(?!\.\d\d(?![\dA-Za-z]))`;

/** Excludes a moment in a file's name (20261121103000, 20261121-103000): its 14 digits are no personal number. */
const noMoment = String.raw`(?!20\d\d[01]\d[0-3]\d-?[0-2]\d[0-5]\d[0-5]\d(?!-?\p{Nd}))`;

/** 10 to 16 digits that stand alone: mobile numbers, accounts, citizen and tax IDs, cards. */
const plainNumber = new RegExp(
  String.raw`(?<![\p{Nd}A-Za-z])${noMoment}\p{Nd}{10,16}(?![\p{Nd}A-Za-z])${noAmount}`,
  'gu',
);
/** The same digits in groups; our own ids and file names have letters before their hyphens. */
const groupedNumber = new RegExp(
  String.raw`(?<![\p{Nd}A-Za-z][\p{Pd}\u2212]?)${noMoment}${digit}(?:${separator}${digit}){9,15}(?![\p{Pd}\u2212]?[\p{Nd}A-Za-z])${noAmount}`,
  'gu',
);

/** A UUID: 32 hexadecimal digits in five groups. Some groups look like a personal number but are not. */
const uuid = /((?<![\p{Nd}A-Za-z])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\p{Nd}A-Za-z]))/iu;

/** Masks the matches outside UUIDs, which `split` leaves at the odd positions. */
const maskBetweenUuids = (text: string, numbers: RegExp): string =>
  text
    .split(uuid)
    .map((part, place) => (place % 2 === 1 ? part : part.replaceAll(numbers, maskDigits)))
    .join('');

/** Masks possible numbers of persons and accounts: texts of rules, of the bank and of the system may contain one. */
export const maskNumbers = (text: string): string =>
  maskBetweenUuids(maskBetweenUuids(text, plainNumber), groupedNumber);

/** Number in the bank's own words: 7 digits and more, wherever they stand. */
const foreignNumber = new RegExp(String.raw`\p{Nd}(?:[\p{Pd}\p{Zs}\u2212]*\p{Nd}){6,}`, 'gu');

/** Masks runs of digits in a text of the bank's: they may be an account, a citizen ID or a mobile number. */
export const maskForeignNumbers = (text: string): string => text.replaceAll(foreignNumber, maskDigits);

/** Longest text of the bank's that is stored; the interface allows 256 characters (§2.5). */
const bankTextLengthMax = 256;

/** A text of the bank's for storage: cut, with its numbers masked. */
export const keepBankText = (text: string): string => maskForeignNumbers(text.slice(0, bankTextLengthMax));

/** Number in a cell of a file: 9 digits and more, so that amounts stay readable. */
const cellNumber = new RegExp(String.raw`\p{Nd}(?:[\p{Pd}\p{Zs}\u2212.]?\p{Nd}){8,}`, 'gu');

export const maskCellNumbers = (text: string): string => maskBetweenUuids(text, cellNumber);

/** A text that may quote foreign words, for a notice or a health reason: on one line, numbers masked. */
export const showText = (text: string): PrintableText => printable(maskNumbers(text));

/** The same for a text that may be null. */
export const showTextIfAny = (text: string | null): PrintableText | null =>
  text === null ? null : showText(text);

/** A message in the reader's language, for the same places. */
export const showMessage = (said: Message, language: Language = 'en'): PrintableText =>
  showText(say(language, said));

/** The same for a message that may be null. */
export const showMessageIfAny = (said: Message | null, language: Language = 'en'): PrintableText | null =>
  said === null ? null : showMessage(said, language);
