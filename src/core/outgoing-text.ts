/**
 * The one gate for texts that leave: screens, logs, JSON, notices, health. What others wrote (files, the bank, the
 * system) must neither steer a terminal, nor forge a line, nor carry a whole number of a person or an account out.
 */
import { maskDigits } from './proxy-id.ts';

// ---------------------------------------------------------------- characters

/** Control characters (C0, DEL, C1), marks that turn or hide text, line separators, and what is no character. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

declare const passedGate: unique symbol;

/** A text that went through the gate: a raw one is no such text, and nothing else is written to a screen. */
export type PrintableText = string & { readonly [passedGate]: true };

/** A file's name, or the bank's words, on one line: they must not break it or steer the terminal. */
export const printable = (text: string): PrintableText => text.replaceAll(unprintable, '?') as PrintableText;

/** Our lines, in which others' words may stand: a line end among those words begins no line. */
export const toLines = (lines: readonly string[]): PrintableText => joinLines(lines.map(printable));

export const joinLines = (texts: readonly PrintableText[], separator: '\n' | '\n\n' = '\n'): PrintableText =>
  texts.join(separator) as PrintableText;

/**
 * A message of several lines whose words are not all ours, such as an error's: the lines below the first are
 * indented, so that none of them can pass for one of ours.
 */
export const toMessage = (message: string): PrintableText =>
  toLines(
    maskNumbers(message)
      .split('\n')
      .map((line, place) => (place === 0 || /^( |$)/.test(line) ? line : `  ${line}`)),
  );

/** JSON on one line, or indented; says the same, with everything that cannot be printed as `\uXXXX`. */
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

/** Any digit, Thai and full-width ones too, that begins no date: "2026-11-21 10:30" is no number of anybody. */
const digit = String.raw`(?!20\d\d-[01]\d-[0-3]\d(?!\p{Nd}))\p{Nd}`;
/** One hyphen or blank of any kind may stand between two digits. */
const separator = String.raw`[\p{Pd}\p{Zs}\u2212]?`;
/** Amounts have two decimals. */
const noAmount = String.raw`(?!\.\d\d(?![\dA-Za-z]))`;

/** A moment in a file's name (20261121103000, 20261121-103000): 14 digits are nobody's number. */
const noMoment = String.raw`(?!20\d\d[01]\d[0-3]\d-?[0-2]\d[0-5]\d[0-5]\d(?!-?\p{Nd}))`;

/** 10 to 16 digits that stand alone: mobile numbers, accounts, citizen and tax IDs, cards. */
const plainNumber = new RegExp(
  String.raw`(?<![\p{Nd}A-Za-z])${noMoment}\p{Nd}{10,16}(?![\p{Nd}A-Za-z])${noAmount}`,
  'gu',
);
/** The same written in groups; our own ids and file names have letters before their hyphens. */
const groupedNumber = new RegExp(
  String.raw`(?<![\p{Nd}A-Za-z][\p{Pd}\u2212]?)${noMoment}${digit}(?:${separator}${digit}){9,15}(?![\p{Pd}\u2212]?[\p{Nd}A-Za-z])${noAmount}`,
  'gu',
);

/** A record's name of 32 hexadecimal digits in five groups is nobody's number, though some of its groups look like one. */
const uuid = /((?<![\p{Nd}A-Za-z])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\p{Nd}A-Za-z]))/iu;

/** Masks what matches, but for UUIDs, which `split` leaves at the odd places. */
const maskBetweenUuids = (text: string, numbers: RegExp): string =>
  text
    .split(uuid)
    .map((part, place) => (place % 2 === 1 ? part : part.replaceAll(numbers, maskDigits)))
    .join('');

/** Masks what may be the number of a person or an account: texts of rules, of the bank and of the system may name one. */
export const maskNumbers = (text: string): string =>
  maskBetweenUuids(maskBetweenUuids(text, plainNumber), groupedNumber);

/** In the bank's own words shorter runs may be a number, too, wherever they stand: 7 digits and more. */
const foreignNumber = new RegExp(String.raw`\p{Nd}(?:[\p{Pd}\p{Zs}\u2212]*\p{Nd}){6,}`, 'gu');

/** Hides digit runs that could be an account, a citizen ID or a mobile number in a text of the bank's. */
export const maskForeignNumbers = (text: string): string => text.replaceAll(foreignNumber, maskDigits);

/** Longest text of the bank's that is kept; the interface allows 256 (§2.5). */
const bankTextLengthMax = 256;

/** A text of the bank's as it is kept: cut, and with no number of anybody's. */
export const keepBankText = (text: string): string => maskForeignNumbers(text.slice(0, bankTextLengthMax));

/** In a cell of a file, whose amounts must stay readable: 9 digits and more. */
const cellNumber = new RegExp(String.raw`\p{Nd}(?:[\p{Pd}\p{Zs}\u2212.]?\p{Nd}){8,}`, 'gu');

export const maskCellNumbers = (text: string): string => maskBetweenUuids(text, cellNumber);

/** A text that may hold others' words, for a notice or a health reason: on one line, numbers masked. */
export const showText = (text: string): PrintableText => printable(maskNumbers(text));

/** The same where there may be none. */
export const showTextIfAny = (text: string | null): PrintableText | null =>
  text === null ? null : showText(text);
