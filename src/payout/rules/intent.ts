/**
 * What follows from an observation: pure functions from (payout, attempt, finding, now) to a guarded change.
 * The worker only carries these changes to the journal and these requests to the bank.
 */
import { formatBangkokDate, formatBangkokTime } from '../../core/bangkok-time.ts';
import { decideHold, move, type PayoutPatch, reasonPatch, settled } from '../../core/change.ts';
import { formatBaht } from '../../core/money.ts';
import { nameForBank } from '../../core/payee-name.ts';
import type { Attempt, Payout, TransferOrder } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { computeOrderHash, computeTransRefNo } from '../../core/reference.ts';
import type { Reason } from './read-reply.ts';
import type { ClockReading, SettlePolicy } from './resend.ts';

/** The bank's names for the side that pays (§2.4). */
export interface PayerSetup {
  readonly channelId: string;
  readonly termId: string;
  readonly companyId: string;
  readonly payerAccount: string;
}

/** What the bank calls the payee; both null when it was not asked. */
export interface BankNames {
  readonly payeeName: string | null;
  readonly payeeNameTh: string | null;
}

export const noBankNames: BankNames = { payeeName: null, payeeNameTh: null };

/** Ends a payout whose payee cannot be paid. */
export function decideUnpayable(payout: Payout, reason: Reason, nowMs: number): Change {
  return move({
    payout,
    patch: { status: 'unpayable', ...reasonPatch(reason), ...settled('check', nowMs) },
    cause: 'payee-check-refused',
    nowMs,
    detail: { code: reason.code },
  });
}

/** Holds a payout whose payee the bank calls by another Thai name. */
export function decideNameHold(payout: Payout, names: BankNames, nowMs: number): Change {
  const change = decideHold(
    payout,
    'name',
    {
      code: 'thai-name-differs',
      text: 'the Thai name in the file differs from the name that the bank holds',
    },
    nowMs,
  );
  return {
    ...change,
    after: { ...change.after, bankPayeeName: names.payeeName, bankPayeeNameTh: names.payeeNameTh },
  };
}

function composeOrder(payout: Payout, attemptNo: number, payer: PayerSetup, nowMs: number): TransferOrder {
  const { instruction } = payout;
  return {
    ...payer,
    transRefNo: computeTransRefNo(payer.companyId, instruction.payoutId, attemptNo),
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

/** A change that records an intent, with the attempt that it makes. */
export interface Intent {
  readonly change: Change;
  readonly attempt: Attempt;
}

/** What an intent is made of. */
export interface IntentInput {
  readonly payout: Payout;
  /** Attempts ever recorded for the payoutId, over all files. */
  readonly attemptsRecorded: number;
  /** Earlier attempts that were inquired just now and showed nothing but failed or not found, oldest first. */
  readonly cleared: readonly Attempt[];
  readonly names: BankNames;
  readonly payer: PayerSetup;
  readonly policy: SettlePolicy;
  readonly nowMs: number;
  /** The bank's time, as far as it has told it. */
  readonly bankNowMs?: number | undefined;
}

/**
 * The intent to pay: an attempt with everything that will be sent, to be durable before a byte leaves.
 * From here on bytes may have left, so the first send is counted now.
 * @throws RangeError for a hundredth attempt (`attemptsMax`); the caller holds such a payout instead
 */
export function decideIntent({
  payout,
  attemptsRecorded,
  cleared,
  names,
  payer,
  policy,
  nowMs,
  bankNowMs,
}: IntentInput): Intent {
  const clock = { nowMs, bankNowMs };
  const attempt = composeAttempt(payout, attemptsRecorded + 1, payer, policy, clock);
  const patch: PayoutPatch = {
    status: 'submitted',
    attemptNo: attempt.attemptNo,
    submittedAtMs: nowMs,
    reasonCode: null,
    reason: null,
    bankPayeeName: names.payeeName,
    bankPayeeNameTh: names.payeeNameTh,
  };
  const detail = {
    transRefNo: attempt.order.transRefNo,
    orderHash: attempt.orderHash,
    ...noteOn(cleared, attempt),
  };
  const change = move({ payout, patch, cause: 'intent-recorded', nowMs, detail, attempt });
  return { change: { ...change, isIntent: true }, attempt };
}

/** What the history says of a further attempt: what it rests on, and what it does otherwise than the one before. */
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

function composeAttempt(
  payout: Payout,
  attemptNo: number,
  payer: PayerSetup,
  policy: SettlePolicy,
  { nowMs, bankNowMs }: ClockReading,
): Attempt {
  const order = composeOrder(payout, attemptNo, payer, nowMs);
  return {
    payoutSeq: payout.seq,
    attemptNo,
    status: 'recorded',
    order,
    orderHash: computeOrderHash(order),
    intentAtMs: nowMs,
    sends: 1,
    lastSentAtMs: nowMs,
    lastSentBankMs: bankNowMs ?? null,
    turnedAway: 0,
    acknowledged: false,
    contested: false,
    inquiries: 0,
    lastInquiryAtMs: null,
    lastFinding: null,
    nextInquiryAtMs: nowMs + policy.firstDelayMs,
    sysRefNo: null,
    feeText: null,
  };
}
