/** Holds what is submitted against the limits over time, by what the disk shows: without the rules of the program. */
import { parseBaht } from '../../src/core/money.ts';
import type { SeenEvent, SeenRow } from './disk-view.ts';

/** In the words of the settings; what is left out is no limit. */
export interface PlannedLimits {
  readonly bahtPerDay?: string;
  readonly bahtPerPayeePerDay?: string;
  readonly filesPerDay?: number;
  readonly newPayeeBaht?: string;
  /** YYYY-MM-DD. */
  readonly closedDates?: readonly string[];
}

const satangOf = (baht: string | undefined): bigint => parseBaht(baht ?? '0') ?? 0n;

const countingStatuses: readonly string[] = ['submitted', 'paid', 'unresolved', 'disputed'];

interface Counted {
  /** tranDate of its latest attempt. */
  readonly date: string;
  readonly row: SeenRow;
}

export class LimitWatch {
  readonly #limits: PlannedLimits;
  readonly #counted = new Map<number, Counted>();
  readonly #paidPayees = new Set<string>();
  /** What holds each row that is held. */
  readonly #held = new Map<number, readonly string[]>();
  /** What people have let each row go on in spite of. */
  readonly #letGo = new Map<number, readonly string[]>();

  constructor(limits: PlannedLimits) {
    this.#limits = limits;
  }

  /** A person lets a row go on by name, if it is held. */
  letGo(seq: number): void {
    const holds = [...(this.#letGo.get(seq) ?? []), ...(this.#held.get(seq) ?? [])];
    this.#letGo.set(seq, holds);
  }

  /** @param date tranDate of the row's latest attempt @returns the limit that is broken, in words */
  see({ payoutSeq: seq, to, cause }: SeenEvent, row: SeenRow, date: string | undefined): string | undefined {
    if (to === 'held') this.#held.set(seq, row.holds);
    else this.#held.delete(seq);
    const isCounting = countingStatuses.includes(to) && date !== undefined;
    if (!isCounting) this.#counted.delete(seq);
    else if (!this.#counted.has(seq)) this.#counted.set(seq, { date, row });
    const isIntent = cause === 'intent-recorded' && date !== undefined;
    const broken = isIntent ? this.#judge(row, date, this.#letGo.get(seq) ?? []) : undefined;
    if (to === 'paid') this.#paidPayees.add(row.proxyNo);
    return broken;
  }

  #judge(row: SeenRow, date: string, letGo: readonly string[]): string | undefined {
    const { bahtPerDay, bahtPerPayeePerDay, filesPerDay = 0, newPayeeBaht, closedDates = [] } = this.#limits;
    const ofDay = [...this.#counted]
      .filter(([, one]) => one.date === date)
      .map(([seq, one]) => ({ ...one.row, isLetGo: this.#letGo.get(seq)?.includes('day-limit') === true }));
    const ofPayee = ofDay.filter(({ proxyNo }) => proxyNo === row.proxyNo);
    // What people let go on opens no file for the rest of its rows.
    const files = new Set(ofDay.filter(({ isLetGo }) => !isLetGo).map(({ batchId }) => batchId));
    const isClosed = closedDates.some((closed) => closed.replaceAll('-', '') === date);
    if (!letGo.includes('service-day') && isClosed) return 'closedDates';
    const isNew = isOver([row], newPayeeBaht) && !this.#paidPayees.has(row.proxyNo);
    if (!letGo.includes('new-payee') && isNew) return 'newPayeeBaht';
    if (letGo.includes('day-limit')) return undefined;
    if (isOver(ofDay, bahtPerDay)) return 'bahtPerDay';
    if (isOver(ofPayee, bahtPerPayeePerDay)) return 'bahtPerPayeePerDay';
    if (filesPerDay > 0 && files.size > filesPerDay) return 'filesPerDay';
    return undefined;
  }
}

function isOver(rows: readonly SeenRow[], limit: string | undefined): boolean {
  const most = satangOf(limit);
  return most > 0n && rows.reduce((sum, { amountText }) => sum + satangOf(amountText), 0n) > most;
}
