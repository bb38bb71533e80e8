import type { Payout, PayoutStatus } from './payout.ts';

/** How far a batch has come, for somebody who watches. */
export interface ProgressFigures {
  /** What is being done, in a word: "reading", "paying", "settling". */
  readonly phase: string;
  readonly rowsDone: number;
  /** Undefined while it is not known. */
  readonly rowsTotal: number | undefined;
  readonly paid: number;
  readonly inDoubt: number;
  /** Transfers at once, and what the settings allow; left out where nothing is sent. */
  readonly pace?: { readonly limit: number; readonly ceiling: number };
}

/** Shows progress; may be called as often as something changes. */
export interface Progress {
  show(figures: ProgressFigures): void;
  close(): void;
}

/** What a row counts as; 0 says that nothing was heard of it. */
const places = { unheard: 0, unsent: 1, inDoubt: 2, paid: 3, ended: 4 } as const;
type Place = (typeof places)[keyof typeof places];

function placeOf(status: PayoutStatus): Place {
  switch (status) {
    case 'staged':
    case 'ready':
      return places.unsent;
    case 'submitted':
      return places.inDoubt;
    case 'paid':
      return places.paid;
    case 'rejected':
    case 'held':
    case 'cancelled':
    case 'unpayable':
    case 'failed':
    case 'unresolved':
    case 'disputed':
      return places.ended;
  }
}

/**
 * Counts the rows of one batch. A row may change again after it has ended (held and let go, unresolved and paid): it
 * counts once all the same, at the price of a byte a row.
 * @param totals where they stand at the start; what is held then is tried again
 */
export function makeRowCounter(
  rowsTotal: number,
  totals: readonly { readonly status: PayoutStatus; readonly rows: number }[],
): (row: Pick<Payout, 'rowNo' | 'status'>) => Pick<ProgressFigures, 'rowsDone' | 'paid' | 'inDoubt'> {
  const placeOfRow = new Uint8Array(rowsTotal + 1);
  const counts = Object.values(places).map(() => 0);
  const countOf = (place: number): number => counts[place] ?? 0;
  const add = (place: number, rows: number): void => void (counts[place] = countOf(place) + rows);
  for (const { status, rows } of totals) add(status === 'held' ? places.unsent : placeOf(status), rows);
  /** Where a row that is heard of for the first time was counted. */
  const findFirst = (): Place =>
    [places.unsent, places.inDoubt, places.ended].find((place) => countOf(place) > 0) ?? places.paid;
  return ({ rowNo, status }) => {
    const place = placeOf(status);
    const known = placeOfRow[rowNo] as Place;
    const before = known === places.unheard ? findFirst() : known;
    placeOfRow[rowNo] = place;
    add(before, -1);
    add(place, 1);
    const paid = countOf(places.paid);
    return { rowsDone: paid + countOf(places.ended), paid, inDoubt: countOf(places.inDoubt) };
  };
}
