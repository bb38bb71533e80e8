/** Meaning of a payee check for a payout: a run acts on it, a dry run reports it. */
import { message } from '../../core/message.ts';
import { decideHold, move, type Reason, reasonPatch, settled } from '../../core/change.ts';
import { thaiNamesAgree } from '../../core/payee-name.ts';
import type { Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { type BankNames, noBankNames } from './intent.ts';
import type { BreakerSignal, PayeeFinding } from './read-reply.ts';

export interface VerifyPolicy {
  readonly enabled: boolean;
  readonly concurrency: number;
  /** Policy for a payout whose payee check gives no answer. */
  readonly whenUnavailable: 'hold' | 'pay';
  readonly onThaiNameMismatch: 'hold' | 'pay';
}

export type PayeeVerdict =
  | { readonly kind: 'payable'; readonly names: BankNames }
  /** The bank's Thai name differs from the file's. */
  | { readonly kind: 'other-name'; readonly names: BankNames }
  | { readonly kind: 'unpayable'; readonly reason: Reason }
  /** All tries were used, without an answer about the payee. */
  | { readonly kind: 'unavailable'; readonly reason: Reason }
  /** No question was sent, or the answer halted the payer account. */
  | { readonly kind: 'stopped' };

/** The verdict of an answer. */
export function judgePayee(finding: PayeeFinding, payeeName: string | null): PayeeVerdict {
  switch (finding.kind) {
    case 'payable': {
      const names: BankNames = { payeeName: finding.payeeName, payeeNameTh: finding.payeeNameTh };
      return { kind: thaiNamesAgree(payeeName, names.payeeNameTh) ? 'payable' : 'other-name', names };
    }
    case 'unpayable':
      return finding;
    case 'halt':
      return { kind: 'stopped' };
    case 'nothing-said':
      return { kind: 'unavailable', reason: finding.reason };
  }
}

/** The result for the row: pay it, record a change instead, or stop, because sending has stopped. */
export type Verified =
  | Extract<PayeeVerdict, { kind: 'payable' | 'stopped' }>
  | { readonly kind: 'change'; readonly change: Change };

/** The result of a verdict for a ready payout. */
export function decidePayee(
  payout: Payout,
  verdict: PayeeVerdict,
  policy: VerifyPolicy,
  nowMs: number,
): Verified {
  switch (verdict.kind) {
    case 'stopped':
    case 'payable':
      return verdict;
    case 'unpayable':
      return { kind: 'change', change: decideUnpayable(payout, verdict.reason, nowMs) };
    case 'other-name': {
      const { names } = verdict;
      // An operator has looked at a row that was held for this same name of the bank's and released.
      const isReviewed = names.payeeNameTh !== null && payout.bankPayeeNameTh === names.payeeNameTh;
      return policy.onThaiNameMismatch === 'pay' || isReviewed
        ? { kind: 'payable', names }
        : { kind: 'change', change: decideNameHold(payout, names, nowMs) };
    }
    case 'unavailable': {
      if (policy.whenUnavailable === 'pay') return { kind: 'payable', names: noBankNames };
      const { code } = verdict.reason;
      const text = message('payee.no-answer', { why: verdict.reason.text });
      return { kind: 'change', change: decideHold(payout, 'unavailable', { code, text }, nowMs) };
    }
  }
}

/** The signal of a change by a payee check, the same as that of the answer. */
export const findCheckSignal = ({ after }: Change): BreakerSignal =>
  after.status === 'unpayable' || after.holds.includes('unavailable')
    ? { kind: 'ended-otherwise' }
    : { kind: 'nothing' };

/** Ends a payout whose payee cannot be paid. */
const decideUnpayable = (payout: Payout, reason: Reason, nowMs: number): Change =>
  move({
    payout,
    patch: { status: 'unpayable', ...reasonPatch(reason), ...settled('check', nowMs) },
    cause: 'payee-check-refused',
    nowMs,
    detail: { code: reason.code },
  });

/** Holds a payout whose payee has another Thai name at the bank. */
function decideNameHold(payout: Payout, names: BankNames, nowMs: number): Change {
  const text = message('payee.other-thai-name');
  const change = decideHold(payout, 'name', { code: 'thai-name-differs', text }, nowMs);
  const { payeeName, payeeNameTh } = names;
  return { ...change, after: { ...change.after, bankPayeeName: payeeName, bankPayeeNameTh: payeeNameTh } };
}
