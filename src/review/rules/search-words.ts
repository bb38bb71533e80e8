/** The search of the page: plain text, narrowed by words such as `hold:approval`. Everything here is pure. */
import { parseBaht, type Satang } from '../../core/money.ts';
import { type HoldReason, holdReasons } from '../../core/payout.ts';

/** A search; a part that was not typed is undefined or false. */
export interface PageSearch {
  /** The rest: a batch, a file, a payout, a reference, a payee, an amount or a day. */
  readonly text: string;
  /** A part of a file's name. */
  readonly file: string | undefined;
  readonly hold: HoldReason | undefined;
  /** A code of the bank. */
  readonly cause: string | undefined;
  /** The sign-in name of a person, or `me`. */
  readonly owner: string | undefined;
  readonly isAlarm: boolean;
  readonly isWaiting: boolean;
  readonly aboveSatang: Satang | undefined;
  readonly belowSatang: Satang | undefined;
}

const nothing: PageSearch = {
  text: '',
  file: undefined,
  hold: undefined,
  cause: undefined,
  owner: undefined,
  isAlarm: false,
  isWaiting: false,
  aboveSatang: undefined,
  belowSatang: undefined,
};

/** Runs without blanks; quotation marks hold several words together. */
const wordPattern = /(?:[^\s"]|"[^"]*")+|"/g;

const unquote = (text: string): string => text.replaceAll('"', '');

/** The part of a search that a word stands for; undefined for plain text. */
function readWord(word: string): Partial<PageSearch> | undefined {
  if (word === 'alarm') return { isAlarm: true };
  if (word === 'waiting') return { isWaiting: true };
  const amount = /^[<>](.+)$/.test(word) ? parseBaht(word.slice(1).replaceAll(',', '')) : undefined;
  if (amount !== undefined) return word.startsWith('>') ? { aboveSatang: amount } : { belowSatang: amount };
  const [, name, value = ''] = /^(file|hold|cause|owner):(.+)$/i.exec(word) ?? [];
  const typed = unquote(value);
  const hold = holdReasons.find((one) => one === typed.toLowerCase());
  const parts: Readonly<Record<string, Partial<PageSearch> | undefined>> = {
    file: { file: typed },
    cause: { cause: typed.toUpperCase() },
    owner: { owner: typed },
    hold: hold && { hold },
  };
  return name === undefined ? undefined : parts[name.toLowerCase()];
}

/** Reads a typed search; a word that means nothing stays plain text. */
export function readSearchWords(typed: string): PageSearch {
  let search = nothing;
  for (const word of typed.match(wordPattern) ?? []) {
    const part = readWord(word) ?? { text: `${search.text} ${unquote(word)}`.trim() };
    search = { ...search, ...part };
  }
  return search;
}

/** True when a word narrows the search to payouts. */
export const isOfPayouts = (search: PageSearch): boolean =>
  search.isAlarm ||
  search.isWaiting ||
  [search.hold, search.cause, search.owner, search.aboveSatang, search.belowSatang].some(
    (one) => one !== undefined,
  );
