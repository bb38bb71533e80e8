/** What is shown of many payouts at once. */
import type { Satang } from '../core/money.ts';
import type { ProxyType } from '../core/payout.ts';
import type { PayeeWanted } from '../payout/rules/search.ts';
import type { SendsSeen } from './rules/today.ts';

/** What the journal knows of somebody who is paid; not what has left for an archive. */
export interface PayeeSeen {
  readonly proxyType: ProxyType;
  readonly proxyNo: string;
  /** Rows of all files that name the payee and can be paid. */
  readonly payouts: number;
  /** Transfers that were paid, and what they add up to. */
  readonly paid: number;
  readonly paidSatang: Satang;
  /** When the first and the last of them were made; null before any. */
  readonly firstPaidMs: number | null;
  readonly lastPaidMs: number | null;
  /** Transfers that failed or were refused, and payouts for which the check of the payee said no. */
  readonly failures: number;
  /** Those of the files and those that the bank has told, each once. */
  readonly names: readonly string[];
}

export interface PayeesFound {
  /** Whoever was named last comes first. */
  readonly payees: readonly PayeeSeen[];
  /** Older rows are still to be looked at, from this one on; undefined when all have been. */
  readonly beforeSeq: number | undefined;
}

/** What is shown of many payouts at once. */
export interface OverviewReader {
  /** By batch, among so many of the latest events. */
  latestSends(eventsMax: number): Promise<readonly SendsSeen[]>;
  /** Looks at a bounded number of rows, the newest first. @param wanted all payees when it is left out */
  payees(wanted: PayeeWanted | undefined, beforeSeq: number, limit: number): Promise<PayeesFound>;
}
