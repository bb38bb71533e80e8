/**
 * What follows when the bank is asked about a superseded attempt, one that a later one has followed, or is to follow:
 * before the next attempt is made, and again afterwards, since a late proof can always come (I4).
 */
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
 * Says whether an earlier attempt, freshly inquired, lets the next one be made: it has definitely ended, and the bank shows
 * it as failed or does not find it (`isTrusted`).
 */
export function isCleared({ attempt }: Case, reading: InquiryReading): boolean {
  // Adopted after a loss as failed: whosever it is, it moved no money.
  const hasReferenceConflict = attempt.referenceConflict && attempt.status !== 'failed';
  if (isOpenAttempt(attempt) || hasReferenceConflict) return false;
  return reading.kind === 'not-found' || reading.kind === 'failed';
}

/** True when a "not found" about a closed attempt says that the bank did nothing under its reference. */
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
  const paid = { code: 'paid-by-earlier-attempt', text: `earlier attempt ${transRefNo} is paid` };
  return decideHold(payout, 'unavailable', isPaid ? paid : notSettled(transRefNo, finding), nowMs);
}

const notSettled = (transRefNo: string, finding: Attempt['lastFinding']): Reason => ({
  code: 'earlier-attempt-open',
  text: `earlier attempt ${transRefNo} is not settled: the inquiry says ${finding}`,
});

/** True for a change by which an attempt that had come alive again has failed. */
export const hasEnded = ({ attempt }: Change): boolean => attempt?.status === 'failed';

/** True for a change by which a proof for one of its attempts has called the row paid. */
export const provesPaid = ({ after, attempt }: Change): boolean =>
  after.status === 'paid' && attempt?.status === 'paid';

/**
 * True while the journal does not know how an attempt ended: its payout is in doubt, or was paid by another attempt.
 */
export const isOutcomeOpen = (payout: Payout, { status }: Attempt): boolean =>
  isInDoubt(payout) || (payout.status === 'paid' && status !== 'paid');

/**
 * Keeps a row in doubt whose attempt has ended while the bank may still complete another one of it: what was decided
 * about the attempt stands, and the row is called neither failed nor unsent before that one has ended as well.
 */
export function keepInDoubt(change: Change, open: Attempt): Change {
  const { before, after, event } = change;
  if (after.status !== 'failed' && after.status !== 'held') return change;
  const { transRefNo } = open.order;
  const { holds, settledAtMs, settledBy } = before;
  const text = `earlier attempt ${transRefNo} is not settled, though a later one has ended`;
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

/** Called ended, and no longer so when the bank works on one of their attempts. */
const reopenedStatuses: readonly PayoutStatus[] = ['ready', 'held', 'failed'];

/**
 * True when what the bank shows of a closed attempt may be what another attempt under its reference does: that one is in
 * doubt, or paid, and the item does not tell itself from it by day and time.
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
 * Decides on an inquiry about an attempt that we had closed. Undefined when it says nothing that contradicts us.
 * @param known with the payout that made the attempt, whatever has become of it since
 * @param mayReopen false when another row has the claim by now: an ended row can bear the alarm, and no more
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

/** It had been reopened, and has failed in the end: no further attempt waits for it. A row in doubt is settled by it. */
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

/** We had called it ended, and the bank works on it after all, or completed what only a statement can tell to be ours. */
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
  // Said once: an attempt that is known to be unresolved is no news.
  if (known.attempt.status === 'unresolved' && payout.isAlarm) return undefined;
  return move({ ...known, patch: { isAlarm: true }, cause: 'alarm-raised', attempt, detail });
}

/** The bank completed an attempt that we had closed: recorded whatever we believed, and loudly. */
function proveLate(known: Case, by: 'inquiry' | 'reply'): Change {
  const { payout, nowMs } = known;
  const { transRefNo } = known.attempt.order;
  const attempt: Attempt = { ...known.attempt, status: 'paid', nextInquiryAtMs: null };
  const detail = { ...known.facts, alarm: true, transRefNo };
  if (payout.status === 'paid') {
    const patch = { isAlarm: true, ...reasonPatch(paidTwice(transRefNo)) };
    return move({ ...known, patch, cause: 'second-proof', attempt, detail });
  }
  const text = `attempt ${transRefNo}, closed before, was completed by the bank`;
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
 * What follows from a reply or an inquiry about an attempt that the journal has closed since it was asked for, by the
 * word of a statement for example: a proof is always recorded (I4), whatever the row is by then. Undefined for all else.
 */
export function decideOnClosed(known: Case, finding: TransferFinding | InquiryReading): Change | undefined {
  const { attempt } = known;
  if (attempt.status === 'paid') return undefined;
  // Whose it is may be in question: the alarm is for people, and nothing else changes.
  if (finding.kind === 'complete') return decideSuperseded(known, finding, false);
  if (finding.kind !== 'paid') return undefined;
  const { sysRefNo, feeText } = finding;
  return proveLate({ ...known, attempt: { ...attempt, acknowledged: true, sysRefNo, feeText } }, 'reply');
}

/** Two transfers were made for a payoutId: under two references, or two under one. */
export const paidTwice = (transRefNo: string): Reason => ({
  code: 'paid-twice',
  text: `the bank completed attempt ${transRefNo} too: two transfers were made for this payoutId`,
});

/**
 * The outcome of a transfer, or an inquiry about it, that comes when its payout is paid by a late proof for another
 * attempt: it is recorded with the attempt, and a second proof is an alarm.
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

/** A refusal of a repetition says nothing of what was sent before; a failure may be that of another's reference. */
function isDefinitelyFailed(attempt: Attempt, finding: TransferFinding | InquiryReading): boolean {
  if (finding.kind !== 'failed' || attempt.referenceConflict) return false;
  return 'scope' in finding
    ? finding.bearsRequestUid && countDelivered(attempt) === 1
    : isShownFailed(finding, attempt.order);
}

/**
 * What a late proof for one row means for another row with the same payoutId. Undefined when it ended without money:
 * its own attempts are known to have failed.
 */
export function decideOnSibling(sibling: Payout, provedRef: string, nowMs: number): Change | undefined {
  const detail = { alarm: true, transRefNo: provedRef };
  const text = `attempt ${provedRef} of an earlier row with this payoutId was completed by the bank`;
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
