/** The decisions about a payout as a person writes them into an exceptions file, in the words of both languages. */
import { sortByNearness } from '../../core/nearest.ts';
import { decisionTerms, type PayoutDecision, payoutDecisions } from './terms.ts';

/** Code, English, Thai; in the order of the list that a spreadsheet offers. */
export const decisionWords = payoutDecisions.map((code) => {
  const { label, labelTh } = decisionTerms[code];
  return [code, label, labelTh] as const;
});

export type DecisionWord =
  | { readonly kind: 'known'; readonly decision: PayoutDecision }
  /** The codes that come nearest to what was written, the nearest first. */
  | { readonly kind: 'unknown'; readonly nearest: readonly PayoutDecision[] };

const squeeze = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');

const byWord: ReadonlyMap<string, PayoutDecision> = new Map(
  decisionWords.flatMap(([code, ...labels]) => [code, ...labels].map((word) => [squeeze(word), code])),
);

/** As many as a message names. */
const nearestMax = 2;

/** Longer cells are no slip of any word. */
const wordCharactersMax = 60;

/** Reads a decision by its code or by its name in English or Thai, whatever case, blanks and hyphens. */
export function readDecision(written: string): DecisionWord {
  const word = squeeze(written.slice(0, wordCharactersMax));
  const decision = written.length > wordCharactersMax ? undefined : byWord.get(word);
  if (decision !== undefined) return { kind: 'known', decision };
  const nearest = sortByNearness(word, [...byWord.keys()]).flatMap((known) => byWord.get(known) ?? []);
  return { kind: 'unknown', nearest: [...new Set(nearest)].slice(0, nearestMax) };
}
