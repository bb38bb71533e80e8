/** Words of STATUS from the settings: which are refused, and the complete list. */
import { findBankStatus, readStatusCode } from '../../core/status-codes.ts';
import { bankWords, commonStatementWords, type StatementWords } from './statement.ts';

const wordKinds = ['complete', 'failed', 'inProcess'] as const satisfies (keyof StatementWords)[];
type WordKind = (typeof wordKinds)[number];

/** A word in the form used for comparison. */
const toWord = (text: string): string => text.trim().toUpperCase();

const kindsOfMeanings = { paid: 'complete', failed: 'failed', open: 'inProcess' } as const;

/** The list that contains a word, directly or by the codes of §7.3. */
function findKind(word: string, words: StatementWords): WordKind | undefined {
  const listed = wordKinds.find((kind) => words[kind].includes(word));
  if (listed !== undefined || findBankStatus(word) === undefined) return listed;
  return kindsOfMeanings[readStatusCode(word) ?? 'open'];
}

const kindNames: Readonly<Record<WordKind, string>> = {
  complete: 'a completed transfer',
  failed: 'a failed transfer',
  inProcess: 'a transfer in process',
};

/** A word of the settings with an impossible meaning. */
interface WordTrouble {
  readonly kind: WordKind;
  /** Position, from 0. */
  readonly place: number;
  readonly why: string;
}

/**
 * Words with the opposite meaning at the bank, and words in two lists. A word that only paydrop reads as an outcome may
 * be moved to `inProcess`, where it neither pays nor fails anything.
 */
export function findWordTroubles(words: StatementWords): WordTrouble[] {
  const seen = new Map<string, WordKind>();
  const troubles: WordTrouble[] = [];
  for (const kind of wordKinds)
    for (const [place, text] of words[kind].entries()) {
      const word = toWord(text);
      const known = findKind(word, kind === 'inProcess' ? bankWords : commonStatementWords);
      const other = seen.get(word);
      seen.set(word, kind);
      if (other !== undefined) {
        const where = other === kind ? 'here twice' : `in reconcile.words.${other}, too`;
        troubles.push({ kind, place, why: `stands ${where}: take it out of one place` });
      } else if (known !== undefined && known !== kind)
        troubles.push({ kind, place, why: `means ${kindNames[known]}: take it out` });
    }
  return troubles;
}

/** The settings' words, and the common ones that they do not name. */
export function combineWords(own: StatementWords): StatementWords {
  const named = new Set(wordKinds.flatMap((kind) => own[kind].map(toWord)));
  const combine = (kind: WordKind): readonly string[] => [
    ...commonStatementWords[kind].filter((word) => !named.has(word)),
    ...own[kind],
  ];
  return { complete: combine('complete'), failed: combine('failed'), inProcess: combine('inProcess') };
}
