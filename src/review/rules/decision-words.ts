/** The names of decisions about a payout or a registration in an exceptions file, in both languages. */
import { sayCode } from '../../core/message.ts';
import { sortByNearness } from '../../core/nearest.ts';
import { type Decision, nameOfDecision, payoutDecisions, registrationDecisions } from './terms.ts';

/** Code, English and Thai of each decision. */
type DecisionWords<Name extends string> = readonly (readonly [code: Name, label: string, labelTh: string])[];

const wordsOf = <Name extends Decision>(
  codes: readonly Name[],
  kind: 'payout' | 'registration',
): DecisionWords<Name> =>
  codes.map((code) => {
    const name = nameOfDecision(code, kind);
    return [code, sayCode('en', name), sayCode('th', name)];
  });

/** The words in the order of the list that a spreadsheet offers. */
export const decisionWords = wordsOf(payoutDecisions, 'payout');
export const registrationDecisionWords = wordsOf(registrationDecisions, 'registration');

export type DecisionWord<Name extends string> =
  | { readonly kind: 'known'; readonly decision: Name }
  /** The codes nearest to the written text, the nearest first. */
  | { readonly kind: 'unknown'; readonly nearest: readonly Name[] };

const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');

/** The number of suggestions in a message. */
const nearestMax = 2;

/** The length of the longest cell that is compared with the words. */
const wordCharactersMax = 60;

/** Reads a decision by its code or by its name in English or Thai, ignoring case, blanks and hyphens. */
function makeReader<Name extends string>(
  words: DecisionWords<Name>,
): (written: string) => DecisionWord<Name> {
  const byWord = new Map(
    words.flatMap(([code, ...labels]) => [code, ...labels].map((word) => [squeeze(word), code])),
  );
  return (written) => {
    const word = squeeze(written.slice(0, wordCharactersMax));
    const decision = written.length > wordCharactersMax ? undefined : byWord.get(word);
    if (decision !== undefined) return { kind: 'known', decision };
    const nearest = sortByNearness(word, [...byWord.keys()]).flatMap((known) => byWord.get(known) ?? []);
    return { kind: 'unknown', nearest: [...new Set(nearest)].slice(0, nearestMax) };
  };
}

export const readDecision = makeReader(decisionWords);
export const readRegistrationDecision = makeReader(registrationDecisionWords);
