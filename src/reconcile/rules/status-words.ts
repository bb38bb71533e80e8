/** The words of STATUS that the settings add: what they may not say, and the words that are read in the end. */
import { findBankStatus, readStatusCode } from '../../core/status-codes.ts';
import { bankWords, commonStatementWords, type StatementWords } from './statement.ts';

const wordKinds = ['complete', 'failed', 'inProcess'] as const satisfies (keyof StatementWords)[];
type WordKind = (typeof wordKinds)[number];

/** A word as words are compared. */
const toWord = (text: string): string => text.trim().toUpperCase();

const kindsOfMeanings = { paid: 'complete', failed: 'failed', open: 'inProcess' } as const;

/** In which of the lists a word stands, or would by the codes of §7.3. */
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

/** A word of the settings that cannot mean what they say. */
export interface WordTrouble {
  readonly kind: WordKind;
  /** From 0. */
  readonly place: number;
  readonly why: string;
}

/**
 * Words that the bank calls the contrary, or that stand in two places. What paydrop alone takes for an outcome may be put
 * under `inProcess`: nothing is paid or failed by it.
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

/** The words of the settings, and the common ones that they do not name. */
export function combineWords(own: StatementWords): StatementWords {
  const named = new Set(wordKinds.flatMap((kind) => own[kind].map(toWord)));
  const combine = (kind: WordKind): readonly string[] => [
    ...commonStatementWords[kind].filter((word) => !named.has(word)),
    ...own[kind],
  ];
  return { complete: combine('complete'), failed: combine('failed'), inProcess: combine('inProcess') };
}
