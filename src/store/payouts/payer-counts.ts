/** Counts by payer account that a transaction makes, for a brake that several machines have in common. */
import type { PayerHalt, PayerKey } from '../../payout/ports.ts';
import type { CountedEnds } from '../../payout/rules/brake.ts';

export interface PayerCount {
  readonly payer: PayerKey;
  /** As the transaction found it. */
  readonly before: CountedEnds;
  readonly counted: CountedEnds;
  /** To be recorded with what was counted. */
  readonly halt: PayerHalt | undefined;
}

/** By company and account. */
export type PayerCounts = Map<string, PayerCount>;
