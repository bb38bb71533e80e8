/** Reasons of the rules in the reader's language. */
// until every reason is a message
import type { Language } from '../../core/language.ts';
import { inEnglish, isPlainCode, isTranslated, type Message, say, sayCode } from '../../core/message.ts';
import { catalogue } from '../../core/messages/catalogue.ts';
import { bankStatuses } from '../../core/status-codes.ts';
import { breakRemedyPairs } from '../../reconcile/rules/break-remedies.ts';
import {
  englishRemedies as englishRegistrationRemedies,
  thaiRemedies as thaiRegistrationRemedies,
} from '../../registration/rules/remedy-texts.ts';
import { registrationWhyPairs } from '../../registration/rules/words.ts';
import { englishRemedies } from '../../reports/rules/remedy-texts.ts';
import { thaiRemedies } from '../../reports/rules/remedy-texts-th.ts';
import { whyPairs } from '../../reports/rules/why-texts.ts';

/** Translates each part of a separated list into Thai; undefined where a part has no Thai. */
function eachInThai(
  text: string,
  parted: string,
  inThai: (one: string) => string | undefined,
): string | undefined {
  const said = text.split(parted).map(inThai);
  return said.includes(undefined) ? undefined : said.join(parted === ' or ' ? 'หรือ' : ', ');
}

const ownOf = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
/** The Thai of a code of a subject; undefined for no code. */
function thaiOf(subject: string, name: string): string | undefined {
  const code = `${subject}.${name}`;
  return isPlainCode(code) ? sayCode('th', code) : undefined;
}

/** The Thai of each word of some subjects, by its English. */
const thaiBy = (subjects: readonly string[]): Map<string, string> =>
  new Map(
    Object.entries(catalogue)
      .filter(([code]) => subjects.some((subject) => code.startsWith(`${subject}.`)))
      .map(([, [english, thai]]) => [english, thai]),
  );

const sayRoleName = (role: string): string | undefined => thaiOf('role', role.replace(/^an? /, ''));

const breaksByWords = thaiBy(['break']);
const labels = thaiBy(['decision', 'registration-decision']);
const outcomes = thaiBy(['decision-outcome', 'registration-outcome']);

/** Translators for the text in braces, by its name. Undefined means no Thai, so that the sentence does not match. */
const blanks: Readonly<Record<string, (text: string) => string | undefined>> = {
  status: (text) => thaiOf('payout-status', text) ?? thaiOf('batch-status', text),
  state: (text) => thaiOf('registration-status', text),
  role: sayRoleName,
  roles: (text) => eachInThai(text, ' or ', sayRoleName),
  holds: (text) => eachInThai(text, ', ', (hold) => ownOf(thaiRemedies.holdReasons, hold)),
  break: (text) => breaksByWords.get(text),
  decision: (text) => labels.get(text),
  effect: (text) => outcomes.get(text) ?? text,
  why: (text) => sayInThai(text),
  // Translates several reasons one by one; a reason without Thai stays as it is.
  whys: (text) =>
    text
      .split('; ')
      .map((one) => sayInThai(one) ?? one)
      .join(' '),
};

/** The blanks that stand for one word; others stand for any text. */
const oneWord =
  /^(?:code|column|name|id|ref|row|rows|batch|count|number|status|state|hours|account|from|to|digest|day)$/;

interface Sentence {
  readonly pattern: RegExp;
  /** The names of its blanks, in their order; repeated ones have a number. */
  readonly names: readonly string[];
  readonly thai: string;
  readonly letters: number;
}

function readSentence([english, thai]: readonly [string, string]): Sentence {
  const names: string[] = [];
  const source = english
    .split(/\{(\w+)\}/)
    .map((part, at) => {
      if (at % 2 === 0) return RegExp.escape(part);
      names.push(part);
      return oneWord.test(part.replace(/\d$/, '')) ? String.raw`(\S+)` : '(.+?)';
    })
    .join('');
  const letters = english.replaceAll(/\{\w+\}/g, '').length;
  return { pattern: new RegExp(`^${source}$`, 's'), names, thai, letters };
}

/** Sorts the sentences so that those with the most letters of their own are tried first. */
const sentences: readonly Sentence[] = [...whyPairs, ...registrationWhyPairs, ...breakRemedyPairs]
  .map(readSentence)
  .toSorted((one, other) => other.letters - one.letters);

/** Whole texts that have both languages in other tables, by their English. */
const wholes: ReadonlyMap<string, string> = new Map([
  ...bankStatuses.map(({ remedy }) => [inEnglish(remedy), say('th', remedy)] as const),
  ...(['statuses', 'holds', 'holdReasons', 'codes', 'alarms'] as const).flatMap((part) =>
    Object.entries<string>(englishRemedies[part]).map(
      ([code, english]) => [english, ownOf(thaiRemedies[part], code) ?? english] as const,
    ),
  ),
]);

/** Remedies of registrations, by their English. */
const registrationWholes: ReadonlyMap<string, string> = new Map(
  (['statuses', 'holds', 'holdReasons', 'rejections'] as const).flatMap((part) =>
    Object.entries<string>(englishRegistrationRemedies[part]).map(
      ([code, english]) => [english, ownOf(thaiRegistrationRemedies[part], code) ?? english] as const,
    ),
  ),
);

/** The length of the longest sentence of paydrop. */
const sentenceLengthMax = 600;

/** Translates a text of the rules into Thai; undefined for others, such as those of the bank, a file or a person. */
function sayInThai(english: string): string | undefined {
  if (english.length > sentenceLengthMax) return undefined;
  const whole = wholes.get(english) ?? registrationWholes.get(english);
  if (whole !== undefined) return whole;
  for (const { pattern, names, thai } of sentences) {
    const found = pattern.exec(english);
    if (found === null) continue;
    const said = names.map((name, at) => {
      const text = found[at + 1] ?? '';
      const blank = blanks[name.replace(/\d$/, '')];
      return blank === undefined ? text : blank(text);
    });
    if (said.includes(undefined)) continue;
    return thai.replaceAll(/\{(\w+)\}/g, (_, name: string) => said[names.indexOf(name)] ?? '');
  }
  return undefined;
}

/** A reason in the reader's language, with the language that it is in; texts without Thai stay as they are. */
export function sayWhy(
  language: Language,
  why: Message | string,
): { readonly text: string; readonly language: Language } {
  if (typeof why === 'object' && isTranslated(why)) return { text: say(language, why), language };
  if (typeof why === 'object') return sayWhy(language, inEnglish(why)); // until every reason is a message
  const thai = language === 'th' ? sayInThai(why) : undefined;
  return thai === undefined ? { text: why, language: 'en' } : { text: thai, language: 'th' };
}
