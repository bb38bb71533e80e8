/** Reads overviews of many payouts. */
import type { Satang } from '../core/money.ts';
import type { ProxyType } from '../core/payout.ts';
import type { PayeeWanted } from '../payout/rules/search.ts';
import type { BankEvent } from './rules/bank-answers.ts';
import type { MoneyRows, SendsSeen, UnknownRows } from './rules/today.ts';

/** The journal's facts about a payee; archived ones are left out. */
export interface PayeeSeen {
  readonly proxyType: ProxyType;
  readonly proxyNo: string;
  /** The latest row that names the payee: pages name the payee by it, since it reveals no number. */
  readonly latestSeq: number;
  /** Payable rows of all files with the payee. */
  readonly payouts: number;
  /** Number and total of paid transfers. */
  readonly paid: number;
  readonly paidSatang: Satang;
  /** Times of the first and the last of them; null before any. */
  readonly firstPaidMs: number | null;
  readonly lastPaidMs: number | null;
  /** Transfers that failed or were refused, and payouts whose payee check said no. */
  readonly failures: number;
  /** Names from files and from the bank, each once. */
  readonly names: readonly string[];
}

export interface PayeesFound {
  /** Payees, last named first. */
  readonly payees: readonly PayeeSeen[];
  /** Number of the row from which older rows are still unread; undefined when all were read. */
  readonly beforeSeq: number | undefined;
}

/** The order of payees who were paid, the largest first. */
export type PayeeOrder = 'sum' | 'failures' | 'last';

/** Reads overviews of many payouts. */
export interface OverviewReader {
  /** Sends by batch, among the latest `eventsMax` events. */
  latestSends(eventsMax: number): Promise<readonly SendsSeen[]>;
  /** The rows of batches under way, and of those that came to rest later; archived ones are left out. */
  moneySince(sinceMs: number): Promise<readonly MoneyRows[]>;
  /** All rows whose outcome is unknown, however old their batch is. @param ages the borders between classes, in ms */
  unknownByAge(nowMs: number, ages: readonly [number, number, number]): Promise<readonly UnknownRows[]>;
  /** Sends and what they came to, among the latest `eventsMax` events, in their order. */
  bankEvents(sinceMs: number, eventsMax: number): Promise<readonly BankEvent[]>;
  /**
   * Reads a bounded number of rows, newest first.
   * @param wanted left out: all payees
   */
  payees(wanted: PayeeWanted | undefined, beforeSeq: number, limit: number): Promise<PayeesFound>;
  /** Payees who were never paid, as in `payees`. */
  unpaidPayees(beforeSeq: number, limit: number): Promise<PayeesFound>;
  /** Payees who were paid, in order: those of the newest rows, a bounded number. */
  paidPayees(order: PayeeOrder, offset: number, limit: number): Promise<readonly PayeeSeen[]>;
}
