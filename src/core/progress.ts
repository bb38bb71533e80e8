import type { Payout, PayoutStatus } from './payout.ts';

/** Progress of a batch, for display. */
export interface ProgressFigures {
  /** The activity: "reading", "paying", "settling", "paying a.csv". May contain a file's name. */
  readonly phase: string;
  readonly rowsDone: number;
  /** Undefined while unknown. */
  readonly rowsTotal: number | undefined;
  /** Left out when the batch pays no one. */
  readonly paid?: number;
  /** Registrations that the bank has registered, and those that wait for a callback. */
  readonly registered?: number;
  readonly awaited?: number;
  readonly inDoubt: number;
  /** Rows that a run would not pay, among those checked so far; left out when no forecast is made. */
  readonly refused?: number;
  /** Transfers at once, now and at most by the settings; left out when nothing is sent. */
  readonly pace?: { readonly limit: number; readonly ceiling: number };
}

/**
 * Kinds of wait: for the next inquiry, an answer of the bank, its callback, the end of a pause, its opening, midnight,
 * both clocks on the same day, or the bank's readiness to answer about transfers of a lost journal.
 */
export type WaitKind =
  'inquiry' | 'answer' | 'callback' | 'pause' | 'opening' | 'midnight' | 'clocks' | 'recovery';

/** The wait of a run in which no row makes progress. Times count from the call, so no clock is needed. */
export interface Wait {
  readonly kind: WaitKind;
  /** Time until the wait ends or is checked again; undefined when unknown. */
  readonly dueInMs: number | undefined;
  /** Time until the run gives up if nothing happens; undefined when it never does. */
  readonly givesUpInMs: number | undefined;
  /** Reason of a pause, in words that may include the bank's. */
  readonly why: string | undefined;
}

/** Shows progress; calls may be as frequent as changes. */
export interface Progress {
  /** @param figures undefined while no batch is in work */
  show(figures: ProgressFigures | undefined): void;
  /** Shows the present wait; undefined while rows make progress. */
  showWait?(wait: Wait | undefined): void;
  close(): void;
}

/** Category under which a row counts; 0 for a row that has not been reported. */
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
 * Counts the rows of one batch. A row may change again after it has ended (held and released, unresolved and paid); it
 * still counts once, at the cost of one byte per row. Without a row, returns the present counts.
 * @param totals counts at the start; rows held then are tried again
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
  /** Category in which a row was counted before its first report. */
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
