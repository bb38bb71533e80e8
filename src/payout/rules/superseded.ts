/**
 * Decisions on a superseded attempt, one that a later attempt follows or will follow. The bank is asked about it before
 * the next attempt is made, and again afterwards, since a late proof can always come (I4).
 */
import { message } from '../../core/message.ts';
import { isOpenAttempt } from '../../core/attempt-numbers.ts';
import { decideHold, move, type Reason, reasonPatch, settled } from '../../core/change.ts';
import type { Attempt, Payout, PayoutStatus } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import {
  type Case,
  hasOtherContent,
  isInDoubt,
  isOfUnknownSend,
  sentByAnother,
  twoContents,
  withInquiry,
} from './case.ts';
import { isSameSend, isShownFailed } from './inquiry-items.ts';
import type { InquiryReading, TransferFinding } from './read-reply.ts';
import type { ClockReading } from './clock-skew.ts';
import { computeTrustAtMs, countDelivered, type SettlePolicy } from './resend.ts';

/**
 * True when an earlier attempt, freshly inquired, permits the next one: it has definitely ended, and the bank shows it
 * as failed or does not find it (`isTrusted`).
 */
export function isCleared({ attempt }: Case, reading: InquiryReading): boolean {
  // Adopted as failed after a loss: it moved no money, no matter which journal made it.
  const hasReferenceConflict = attempt.referenceConflict && attempt.status !== 'failed';
  if (isOpenAttempt(attempt) || hasReferenceConflict) return false;
  return reading.kind === 'not-found' || reading.kind === 'failed';
}

/** True when "not found" about a closed attempt proves that the bank did nothing under its reference. */
export const isTrusted = (
  attempt: Attempt,
  policy: Pick<SettlePolicy, 'notFoundTrustMs'>,
  clocks: ClockReading,
): boolean => attempt.hasFailedItem || clocks.nowMs >= computeTrustAtMs(attempt, policy, clocks);

/**
 * Holds a ready payout whose superseded attempt is not cleared.
 * @param known the superseded attempt, with the payout that made it
 */
export function holdForSuperseded(
  payout: Payout,
  { attempt, nowMs }: Case,
  finding: InquiryReading['kind'],
): Change {
  const { transRefNo } = attempt.order;
  const isPaid = attempt.status === 'paid';
  const paid = {
    code: 'paid-by-earlier-attempt',
    text: message('attempt.earlier-paid', { ref: transRefNo }),
  };
  return decideHold(payout, 'unavailable', isPaid ? paid : notSettled(transRefNo, finding), nowMs);
}

const notSettled = (ref: string, finding: InquiryReading['kind']): Reason => ({
  code: 'earlier-attempt-open',
  text: message('attempt.earlier-says', { ref, finding: message(`inquiry-says.${finding}`) }),
});

/** True for a change by which an attempt that had come alive again has failed. */
export const hasEnded = ({ attempt }: Change): boolean => attempt?.status === 'failed';

/** True for a change that calls the row paid by a proof for one of its attempts. */
export const provesPaid = ({ after, attempt }: Change): boolean =>
  after.status === 'paid' && attempt?.status === 'paid';

/**
 * True while the journal does not know the outcome of an attempt: its payout is in doubt, or was paid by another
 * attempt.
 */
export const isOutcomeOpen = (payout: Payout, { status }: Attempt): boolean =>
  isInDoubt(payout) || (payout.status === 'paid' && status !== 'paid');

/**
 * Keeps a row in doubt whose attempt has ended while the bank may still complete another one: the decision about the
 * attempt stands, and the row becomes failed or unsent only when the other one has ended as well.
 */
export function keepInDoubt(change: Change, open: Attempt): Change {
  const { before, after, event } = change;
  if (after.status !== 'failed' && after.status !== 'held') return change;
  const { transRefNo } = open.order;
  const { holds, settledAtMs, settledBy } = before;
  const text = message('attempt.earlier-open-later-ended', { ref: transRefNo });
  const doubt = { status: 'unresolved', holds, settledAtMs, settledBy } as const;
  return {
    ...change,
    after: { ...after, ...doubt, ...reasonPatch({ code: 'earlier-attempt-open', text }) },
    event: {
      ...event,
      cause: before.status === 'unresolved' ? 'inquired' : 'given-up',
      detail: { ...event.detail, open: transRefNo },
    },
  };
}

/** Statuses that count as ended, and are reopened when the bank works on one of their attempts. */
const reopenedStatuses: readonly PayoutStatus[] = ['ready', 'held', 'failed'];

/**
 * True when the bank's answer about a closed attempt may concern another attempt under its reference, which is in doubt
 * or paid, and the item's day and time do not tell them apart.
 */
function isAnothers({ attempt, sameReference }: Case, reading: InquiryReading): boolean {
  const open = sameReference.filter(isOpenAttempt);
  if (reading.kind === 'complete' && reading.isTwice && open.some(({ status }) => status === 'paid'))
    return false;
  const item = reading.kind === 'complete' ? reading.send : null;
  const isOfDay = ({ order }: Attempt): boolean => item?.tranDate === order.tranDate;
  const isOfTime = ({ order }: Attempt): boolean => item !== null && isSameSend(item, order);
  if (isOfTime(attempt) && !open.some(isOfTime)) return false;
  return open.length > 0 && !(isOfDay(attempt) && !open.some(isOfDay));
}

/**
 * Decides on an inquiry about a closed attempt. Undefined when it does not contradict us.
 * @param known with the payout that made the attempt, in its present status
 * @param mayReopen false when another row has the claim by now: an ended row can then only get the alarm
 */
export function decideSuperseded(known: Case, reading: InquiryReading, mayReopen = true): Change | undefined {
  if (reading.kind === 'failed') return endAgain(known, reading);
  if (isAnothers(known, reading)) return undefined;
  const isKnown = reading.kind === 'complete' || reading.kind === 'in-process';
  if (!isKnown || known.attempt.status === 'paid') return undefined;
  const attempt = withInquiry(known, reading);
  const isElsewhere = isOfUnknownSend(known, reading);
  const isOfTwo = reading.kind === 'complete' && hasOtherContent(known);
  const open = notSettled(attempt.order.transRefNo, reading.kind);
  if (reading.kind === 'in-process' || attempt.referenceConflict || isElsewhere || isOfTwo)
    return reopen(known, attempt, isElsewhere ? sentByAnother : isOfTwo ? twoContents : open, mayReopen);
  const sysRefNo = reading.sysRefNo ?? attempt.sysRefNo;
  return proveLate({ ...known, attempt: { ...attempt, sysRefNo } }, 'inquiry');
}

/**
 * Ends an attempt that was reopened and has failed in the end: no further attempt waits for it, and a row in doubt is
 * settled by it.
 */
function endAgain(known: Case, reading: InquiryReading): Change | undefined {
  const { payout, attempt } = known;
  if (!isShownFailed(reading, attempt.order)) return undefined;
  if (attempt.status !== 'unresolved' || attempt.referenceConflict || payout.status === 'unresolved')
    return undefined;
  return move({
    ...known,
    patch: {},
    cause: 'inquired',
    attempt: {
      ...withInquiry(known, reading),
      referenceConflict: false,
      status: 'failed',
      nextInquiryAtMs: null,
    },
    detail: { transRefNo: attempt.order.transRefNo, finding: reading.kind },
  });
}

/**
 * Reopens an attempt that counted as ended: the bank works on it, or completed a transfer that only a statement can
 * prove to be ours.
 */
function reopen(known: Case, asked: Attempt, why: Reason, mayReopen: boolean): Change | undefined {
  const { payout } = known;
  const { transRefNo } = asked.order;
  const finding = asked.lastFinding;
  const attempt: Attempt = { ...asked, status: 'unresolved', hasFailedItem: false, nextInquiryAtMs: null };
  const detail = { alarm: true, transRefNo, finding };
  if (mayReopen && reopenedStatuses.includes(payout.status)) {
    const patch = { status: 'unresolved', holds: [], isAlarm: true, ...reasonPatch(why) } as const;
    return move({ ...known, patch, cause: 'earlier-attempt-alive', attempt, detail });
  }
  // Raised once: a known unresolved attempt is not new.
  if (known.attempt.status === 'unresolved' && payout.isAlarm) return undefined;
  return move({ ...known, patch: { isAlarm: true }, cause: 'alarm-raised', attempt, detail });
}

/** Records, with an alarm, that the bank completed a closed attempt, whatever the row's status. */
function proveLate(known: Case, by: 'inquiry' | 'reply'): Change {
  const { payout, nowMs } = known;
  const { transRefNo } = known.attempt.order;
  const attempt: Attempt = { ...known.attempt, status: 'paid', nextInquiryAtMs: null };
  const detail = { ...known.facts, alarm: true, transRefNo };
  if (payout.status === 'paid') {
    const patch = { isAlarm: true, ...reasonPatch(paidTwice(transRefNo)) };
    return move({ ...known, patch, cause: 'second-proof', attempt, detail });
  }
  const text = message('attempt.late-proof', { ref: transRefNo });
  const reason = reasonPatch({ code: 'late-proof', text });
  return move({
    ...known,
    patch: { status: 'paid', holds: [], isAlarm: true, ...reason, ...settled(by, nowMs) },
    cause: isInDoubt(payout) ? 'proved' : 'late-proof',
    attempt,
    detail,
  });
}

/**
 * Decides on a reply or an inquiry about an attempt that the journal has closed since the request, for example by a
 * statement: a proof is always recorded (I4), whatever the row's status. Undefined for anything else.
 */
export function decideOnClosed(known: Case, finding: TransferFinding | InquiryReading): Change | undefined {
  const { attempt } = known;
  if (attempt.status === 'paid') return undefined;
  // The transfer may not be ours: the alarm is for people, and nothing else changes.
  if (finding.kind === 'complete') return decideSuperseded(known, finding, false);
  if (finding.kind !== 'paid') return undefined;
  const { sysRefNo, feeText } = finding;
  return proveLate({ ...known, attempt: { ...attempt, acknowledged: true, sysRefNo, feeText } }, 'reply');
}

/** Two transfers were made for a payoutId: under two references, or two under one. */
export const paidTwice = (transRefNo: string): Reason => ({
  code: 'paid-twice',
  text: message('attempt.paid-twice', { ref: transRefNo }),
});

/**
 * Decides on the outcome of a transfer, or an inquiry about it, whose payout was meanwhile paid by a late proof for
 * another attempt. The outcome is recorded with the attempt, and a second proof is an alarm.
 */
export function decideAfterPaid(known: Case, finding: TransferFinding | InquiryReading): Change {
  const { attempt, policy, nowMs, facts } = known;
  const isProof =
    finding.kind === 'paid' ||
    (finding.kind === 'complete' && !attempt.referenceConflict && !isAnothers(known, finding));
  if (isProof) {
    const completed = { ...attempt, sysRefNo: finding.sysRefNo ?? attempt.sysRefNo };
    return proveLate({ ...known, attempt: completed }, finding.kind === 'paid' ? 'reply' : 'inquiry');
  }
  const isOver = nowMs - attempt.intentAtMs >= policy.giveUpAfterMs;
  const isFailed = isDefinitelyFailed(attempt, finding);
  const said = finding.kind === 'unknown' ? finding : undefined;
  const asked: Attempt = {
    ...attempt,
    status: isFailed ? 'failed' : isOver ? 'unresolved' : attempt.status,
    acknowledged: attempt.acknowledged || said?.acknowledged === true,
    referenceConflict: attempt.referenceConflict || said?.referenceConflict === true,
    hasFailedItem: attempt.hasFailedItem || (isFailed && !('scope' in finding)),
    inquiries: attempt.inquiries + 1,
    nextInquiryAtMs: isFailed || isOver ? null : nowMs + policy.maxDelayMs,
  };
  const detail = { ...facts, finding: finding.kind };
  return move({ ...known, patch: {}, cause: 'inquired', attempt: asked, detail });
}

/**
 * True for a failure that is definite. A refusal of a repetition says nothing about earlier sends, and a failure may
 * concern a foreign reference.
 */
function isDefinitelyFailed(attempt: Attempt, finding: TransferFinding | InquiryReading): boolean {
  if (finding.kind !== 'failed' || attempt.referenceConflict) return false;
  return 'scope' in finding
    ? finding.bearsRequestUid && countDelivered(attempt) === 1
    : isShownFailed(finding, attempt.order);
}

/**
 * Decides on another row with the same payoutId after a late proof for one row. Undefined when it ended without money:
 * its own attempts are known to have failed.
 */
export function decideOnSibling(sibling: Payout, provedRef: string, nowMs: number): Change | undefined {
  const detail = { alarm: true, transRefNo: provedRef };
  const text = message('attempt.of-earlier-row', { ref: provedRef });
  const reason = { code: 'paid-by-earlier-attempt', text };
  switch (sibling.status) {
    case 'ready':
    case 'held': {
      const hold = decideHold(sibling, 'unavailable', reason, nowMs);
      return { ...hold, after: { ...hold.after, isAlarm: true }, event: { ...hold.event, detail } };
    }
    case 'paid':
    case 'submitted':
    case 'unresolved': {
      const why = reasonPatch(sibling.status === 'paid' ? paidTwice(provedRef) : reason);
      return move({
        payout: sibling,
        patch: { isAlarm: true, ...why },
        cause: 'alarm-raised',
        nowMs,
        detail,
      });
    }
    case 'staged':
    case 'rejected':
    case 'cancelled':
    case 'unpayable':
    case 'failed':
    case 'disputed':
      return undefined;
  }
}
