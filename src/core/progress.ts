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
const categories = { unheard: 0, unsent: 1, inDoubt: 2, paid: 3, ended: 4 } as const;
type RowCategory = (typeof categories)[keyof typeof categories];

function categoryOf(status: PayoutStatus): RowCategory {
  switch (status) {
    case 'staged':
    case 'ready':
      return categories.unsent;
    case 'submitted':
      return categories.inDoubt;
    case 'paid':
      return categories.paid;
    case 'rejected':
    case 'held':
    case 'cancelled':
    case 'unpayable':
    case 'failed':
    case 'unresolved':
    case 'disputed':
      return categories.ended;
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
  const categoryOfRow = new Uint8Array(rowsTotal + 1);
  const counts = Object.values(categories).map(() => 0);
  const countOf = (category: number): number => counts[category] ?? 0;
  const add = (category: number, rows: number): void => void (counts[category] = countOf(category) + rows);
  for (const { status, rows } of totals)
    add(status === 'held' ? categories.unsent : categoryOf(status), rows);
  /** Category in which a row was counted before its first report. */
  const findFirst = (): RowCategory =>
    [categories.unsent, categories.inDoubt, categories.ended].find((category) => countOf(category) > 0) ??
    categories.paid;
  const move = (rowNo: number, category: RowCategory): void => {
    const known = categoryOfRow[rowNo] as RowCategory;
    const before = known === categories.unheard ? findFirst() : known;
    categoryOfRow[rowNo] = category;
    add(before, -1);
    add(category, 1);
  };
  return (row) => {
    if (row !== undefined) move(row.rowNo, categoryOf(row.status));
    const paid = countOf(categories.paid);
    return { rowsDone: paid + countOf(categories.ended), paid, inDoubt: countOf(categories.inDoubt) };
  };
}
