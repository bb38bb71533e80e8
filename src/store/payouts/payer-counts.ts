/** Counts by payer account that a transaction makes, for a brake that several machines have in common. */
import type { PayerHalt, PayerKey } from '../../payout/ports.ts';
import type { CountedEnds } from '../../payout/rules/brake.ts';

export interface PayerCount {
  readonly payer: PayerKey;
  /** The counts as the transaction found them. */
  readonly before: CountedEnds;
  readonly counted: CountedEnds;
  /** The halt to be recorded with the counts. */
  readonly halt: PayerHalt | undefined;
}

/** The counts by company and account. */
export type PayerCounts = Map<string, PayerCount>;
