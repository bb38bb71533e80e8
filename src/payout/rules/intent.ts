/** The intent to pay: an attempt with everything that will be sent, durable before a byte leaves. */
import { formatBangkokDate, formatBangkokTime } from '../../core/bangkok-time.ts';
import { move } from '../../core/change.ts';
import { formatBaht } from '../../core/money.ts';
import { nameForBank } from '../../core/payee-name.ts';
import type { SendContent } from '../../core/attempt-numbers.ts';
import type { Attempt, Payout, TransferOrder } from '../../core/payout.ts';
import type { Change, DayLimits, PaymentLikeness } from '../../core/ports.ts';
import { computeOrderHash, computeTransRefNo } from '../../core/reference.ts';
import type { ClockReading } from './clock-skew.ts';
import type { SettlePolicy } from './resend.ts';

/** The bank's identifiers of the payer (§2.4). */
export type PayerSetup = Pick<TransferOrder, 'channelId' | 'termId' | 'companyId' | 'payerAccount'>;

/** The bank's names of the payee; both null when no check was made. */
export interface BankNames {
  readonly payeeName: string | null;
  readonly payeeNameTh: string | null;
}

export const noBankNames: BankNames = { payeeName: null, payeeNameTh: null };

/** A change that records an intent, with its new attempt. */
interface Intent {
  readonly change: Change;
  readonly attempt: Attempt;
}

/** Facts for an intent, with our time and the bank's if known. */
interface IntentInput extends Partial<ClockReading> {
  readonly payout: Payout;
  /** Attempts recorded for the payoutId, over all files. */
  readonly attemptsRecorded: number;
  /** Attempt number of the reference (`decideNextNumber`). */
  readonly number: number;
  /** Earlier attempts, freshly inquired, oldest first: the bank shows only failed items, or does not find them. */
  readonly cleared: readonly Attempt[];
  readonly names: BankNames;
  readonly payer: PayerSetup;
  readonly policy: SettlePolicy;
  /** Limits of the day, this payout included. */
  readonly limits?: DayLimits | undefined;
  /** The payment to compare with like ones; left out: no search. */
  readonly likeness?: PaymentLikeness | undefined;
  readonly nowMs: number;
}

/** Composes the intent to pay a ready payout. Bytes may have left from here on, so the first send is counted now. */
export function decideIntent(input: IntentInput): Intent {
  const { payout, cleared, names, limits, likeness, nowMs } = input;
  const attempt = composeAttempt(input);
  const change = move({
    payout,
    patch: {
      status: 'submitted',
      attemptNo: attempt.attemptNo,
      submittedAtMs: nowMs,
      reasonCode: null,
      reason: null,
      bankPayeeName: names.payeeName,
      bankPayeeNameTh: names.payeeNameTh,
      // A person's decision to reuse the number covers one send.
      acceptedHolds: payout.acceptedHolds.filter((hold) => hold !== 'resend'),
    },
    cause: 'intent-recorded',
    nowMs,
    attempt,
    detail: {
      transRefNo: attempt.order.transRefNo,
      orderHash: attempt.orderHash,
      ...noteOn(cleared, attempt),
    },
  });
  const guards = { ...(limits && { limits }), ...(likeness && { likeness }) };
  const failedItems = cleared
    .filter(({ hasFailedItem }) => hasFailedItem)
    .map(({ payoutSeq, attemptNo }) => ({ payoutSeq, attemptNo }));
  return { change: { ...change, isIntent: true, failedItems, ...guards }, attempt };
}

/** Notes for the history of a further attempt: its basis, and its differences from the one before. */
function noteOn(cleared: readonly Attempt[], { order }: Attempt): object {
  const before = cleared.at(-1)?.order;
  if (before === undefined) return {};
  const clearedRefs = cleared.map((attempt) => attempt.order.transRefNo);
  const changed = [
    ...(before.amountText === order.amountText ? [] : ['amount']),
    ...(before.proxyType === order.proxyType && before.proxyNo === order.proxyNo ? [] : ['payee']),
  ];
  return changed.length === 0 ? { clearedRefs } : { clearedRefs, changed };
}

function composeAttempt(input: IntentInput): Attempt {
  const { payout, attemptsRecorded, payer, number, policy, nowMs, bankNowMs = null } = input;
  const transRefNo = computeTransRefNo(payer.companyId, payout.instruction.payoutId, number);
  const order = { ...composeContent(input), transRefNo };
  return {
    payoutSeq: payout.seq,
    attemptNo: attemptsRecorded + 1,
    status: 'recorded',
    order,
    orderHash: computeOrderHash(order),
    intentAtMs: nowMs,
    sends: 1,
    lastSentAtMs: nowMs,
    lastSentBankMs: bankNowMs,
    refusals: 0,
    unprovenRefusals: 0,
    refusalCode: null,
    uncountedSends: 0,
    hasFailedItem: false,
    acknowledged: false,
    referenceConflict: false,
    inquiries: 0,
    lastInquiryAtMs: null,
    lastFinding: null,
    nextInquiryAtMs: nowMs + policy.firstDelayMs,
    sysRefNo: null,
    feeText: null,
  };
}

/** The content that a payout would be sent with now: everything but the reference. */
export function composeContent({
  payout: { instruction },
  payer,
  nowMs,
}: Pick<IntentInput, 'payout' | 'payer' | 'nowMs'>): SendContent {
  return {
    ...payer,
    tranDate: formatBangkokDate(nowMs),
    tranTime: formatBangkokTime(nowMs),
    proxyType: instruction.proxyType,
    proxyNo: instruction.proxyNo,
    proxyName: nameForBank(instruction.payeeName),
    amountText: formatBaht(instruction.amountSatang),
    reference1: instruction.reference1,
    reference2: instruction.reference2,
  };
}
