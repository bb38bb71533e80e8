/** What a payee check says about a payout, whatever becomes of it then: a run acts on it, a dry run tells it. */
import { thaiNamesAgree } from '../../core/payee-name.ts';
import type { BankNames } from './intent.ts';
import type { PayeeFinding, Reason } from './read-reply.ts';

export type PayeeVerdict =
  | { readonly kind: 'payable'; readonly names: BankNames }
  /** The bank holds a Thai name that is not the one of the file. */
  | { readonly kind: 'other-name'; readonly names: BankNames }
  | { readonly kind: 'unpayable'; readonly reason: Reason }
  /** Asked as often as may be, and nothing was said about the payee. */
  | { readonly kind: 'unavailable'; readonly reason: Reason }
  /** Nobody was asked, or the answer stopped the line. */
  | { readonly kind: 'stopped' };

/** The verdict of an answer that speaks of the payee. */
export function judgePayee(
  finding: Extract<PayeeFinding, { kind: 'payable' | 'unpayable' }>,
  payeeName: string | null,
): PayeeVerdict {
  if (finding.kind === 'unpayable') return finding;
  const names: BankNames = { payeeName: finding.payeeName, payeeNameTh: finding.payeeNameTh };
  return { kind: thaiNamesAgree(payeeName, names.payeeNameTh) ? 'payable' : 'other-name', names };
}
