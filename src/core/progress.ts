import type { Payout, PayoutStatus } from './payout.ts';

/** How far a batch has come, for somebody who watches. */
export interface ProgressFigures {
  /** What is being done: "reading", "paying", "settling", "paying a.csv". It may hold a file's name. */
  readonly phase: string;
  readonly rowsDone: number;
  /** Undefined while it is not known. */
  readonly rowsTotal: number | undefined;
  /** Left out where nobody is paid. */
  readonly paid?: number;
  /** Of registrations: those that the bank has registered, and those whose callback is awaited. */
  readonly registered?: number;
  readonly awaited?: number;
  readonly inDoubt: number;
  /** Rows that a run would not pay, as far as they were asked about; left out where none is foreseen. */
  readonly refused?: number;
  /** Transfers at once, and what the settings allow; left out where nothing is sent. */
  readonly pace?: { readonly limit: number; readonly ceiling: number };
}

/**
 * What is waited for: the next inquiry, an answer of the bank, its callback, the end of a pause, its opening, midnight, the same day by
 * both clocks, or that the bank can be asked about what a lost journal had sent.
 */
export type WaitKind =
  'inquiry' | 'answer' | 'callback' | 'pause' | 'opening' | 'midnight' | 'clocks' | 'recovery';

/** What a run waits for while no row gets on. Times count from when it is told: no clock need be asked. */
export interface Wait {
  readonly kind: WaitKind;
  /** Until it is over, or looked at again; undefined when nobody knows. */
  readonly dueInMs: number | undefined;
  /** Until the run gives up if nothing happens; undefined where it never does. */
  readonly givesUpInMs: number | undefined;
  /** Of a pause, in words that may hold the bank's own. */
  readonly why: string | undefined;
}

/** Shows progress; may be called as often as something changes. */
export interface Progress {
  /** @param figures undefined while nothing is in work */
  show(figures: ProgressFigures | undefined): void;
  /** What is waited for from now on; undefined while rows get on. */
  showWait?(wait: Wait | undefined): void;
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

type RowCounts = Required<Pick<ProgressFigures, 'rowsDone' | 'paid' | 'inDoubt'>>;

/**
 * Counts the rows of one batch. A row may change again after it has ended (held and let go, unresolved and paid): it
 * counts once all the same, at the price of a byte a row. Asked about no row, it says where they stand.
 * @param totals where they stand at the start; what is held then is tried again
 */
export function makeRowCounter(
  rowsTotal: number,
  totals: readonly { readonly status: PayoutStatus; readonly rows: number }[],
): (row?: Pick<Payout, 'rowNo' | 'status'>) => RowCounts {
  const placeOfRow = new Uint8Array(rowsTotal + 1);
  const counts = Object.values(places).map(() => 0);
  const countOf = (place: number): number => counts[place] ?? 0;
  const add = (place: number, rows: number): void => void (counts[place] = countOf(place) + rows);
  for (const { status, rows } of totals) add(status === 'held' ? places.unsent : placeOf(status), rows);
  /** Where a row that is heard of for the first time was counted. */
  const findFirst = (): Place =>
    [places.unsent, places.inDoubt, places.ended].find((place) => countOf(place) > 0) ?? places.paid;
  const move = (rowNo: number, place: Place): void => {
    const known = placeOfRow[rowNo] as Place;
    const before = known === places.unheard ? findFirst() : known;
    placeOfRow[rowNo] = place;
    add(before, -1);
    add(place, 1);
  };
  return (row) => {
    if (row !== undefined) move(row.rowNo, placeOf(row.status));
    const paid = countOf(places.paid);
    return { rowsDone: paid + countOf(places.ended), paid, inDoubt: countOf(places.inDoubt) };
  };
}
