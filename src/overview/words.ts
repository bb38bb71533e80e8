/** Words of these views in both languages, besides those that all views share. */
import type { PersonEventKind } from '../review/rules/chain.ts';
import type { ProvedVisit } from '../review/web/view.ts';
import type { Language, Word } from '../review/web/words.ts';
import { payeesWords } from './words/payees.ts';
import { personEventWords } from '../review/rules/person-words.ts';
import { userWords } from './words/people.ts';
import { registrationWords } from './words/registrations.ts';
import { reconciliationWords } from './words/reconciliation.ts';
import { todayWords } from './words/today.ts';
import { uploadWords } from './words/upload.ts';

const words = {
  ...todayWords,
  ...payeesWords,
  ...userWords,
  ...reconciliationWords,
  ...uploadWords,
  ...registrationWords,
} as const;

type OwnWord = keyof typeof words;
export type OverviewWord = Word | OwnWord;

/** A visit with the additional words. */
export interface OverviewVisit extends ProvedVisit {
  readonly say: (word: OverviewWord) => string;
}

const place = (language: Language): 0 | 1 => (language === 'th' ? 1 : 0);

const isOwn = (word: OverviewWord): word is OwnWord => Object.hasOwn(words, word);

export const withWords = (visit: ProvedVisit): OverviewVisit => ({
  ...visit,
  say: (word) => (isOwn(word) ? words[word][place(visit.language)] : visit.say(word)),
});

export const sayPersonEvent = (language: Language, kind: PersonEventKind): string =>
  personEventWords[kind][place(language)];
