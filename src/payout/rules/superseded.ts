/**
 * What follows when the bank is asked about an attempt that a later one has followed, or is to follow: before the next
 * attempt is made, and again afterwards, since a late proof can always come (I4).
 */
import { decideHold, move, reasonPatch, settled } from '../../core/change.ts';
import type { Attempt, Payout, PayoutStatus } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { contestUnsent, decideAfterInquiry, type InquiryStep, withInquiry } from './after-inquiry.ts';
import { decideAfterTransfer } from './after-transfer.ts';
import type { InquiryReading, Reason, ReplyFacts, TransferFinding } from './read-reply.ts';
import { type ClockReading, computeTrustAtMs, countLetThrough, type SettlePolicy } from './resend.ts';

/**
 * Says whether one earlier reference, freshly inquired, lets the next attempt be made: only a definitely ended attempt
 * does that the bank shows as failed, or does not find.
 */
export function isEarlierCleared(
  earlier: Attempt,
  reading: InquiryReading,
  policy: SettlePolicy,
  clock: ClockReading,
): boolean {
  const hasEnded = earlier.status === 'failed' || earlier.status === 'refused';
  // Adopted after a loss as failed: whosever it is, it moved no money.
  const isContested = earlier.contested && earlier.status !== 'failed';
  if (!hasEnded || isContested) return false;
  if (reading.kind !== 'not-found') return reading.kind === 'failed';
  return earlier.status === 'failed' || clock.nowMs >= computeTrustAtMs(earlier, policy, clock);
}

/** Holds a ready payout whose earlier attempt is not cleared. */
export function decideEarlierOpen(
  payout: Payout,
  earlier: Attempt,
  finding: InquiryReading['kind'],
  nowMs: number,
): Change {
  const { transRefNo } = earlier.order;
  const reason =
    earlier.status === 'paid'
      ? { code: 'paid-by-earlier-attempt', text: `earlier attempt ${transRefNo} is paid` }
      : {
          code: 'earlier-attempt-open',
          text: `earlier attempt ${transRefNo} is not settled: the inquiry says ${finding}`,
        };
  return decideHold(payout, 'unavailable', reason, nowMs);
}

/** An attempt that the bank may have completed, or may yet complete. */
export const isOpenAttempt = ({ status }: Attempt): boolean => status !== 'failed' && status !== 'refused';

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
 * Decides on an inquiry about an attempt that we had closed. Undefined when it says nothing that contradicts us.
 * @param owner the payout that made the attempt, whatever has become of it since
 * @param mayReopen false when another row has the claim by now: an ended row can bear the alarm, and no more
 */
export function decideOnWatch(
  owner: Payout,
  attempt: Attempt,
  reading: InquiryReading,
  clock: ClockReading,
  mayReopen = true,
): Change | undefined {
  if (reading.kind === 'failed') return endedAgain(owner, attempt, reading, clock);
  const isKnown = reading.kind === 'complete' || reading.kind === 'in-process';
  if (!isKnown || attempt.status === 'paid') return undefined;
  const asked = contestUnsent(withInquiry(attempt, reading, clock));
  if (reading.kind === 'complete' && !asked.contested) {
    const { sysRefNo } = reading;
    return lateProof(owner, { ...asked, sysRefNo: sysRefNo ?? attempt.sysRefNo }, 'inquiry', {}, clock.nowMs);
  }
  return aliveAgain(owner, attempt, asked, mayReopen, clock.nowMs);
}

/** It had come alive, and has failed in the end: no further attempt waits for it. A row in doubt is settled by it. */
function endedAgain(
  owner: Payout,
  attempt: Attempt,
  reading: InquiryReading,
  clock: ClockReading,
): Change | undefined {
  if (attempt.status !== 'unresolved' || attempt.contested || owner.status === 'unresolved') return undefined;
  const ended: Attempt = { ...withInquiry(attempt, reading, clock), status: 'failed', nextInquiryAtMs: null };
  const detail = { transRefNo: attempt.order.transRefNo, finding: reading.kind };
  return move({ payout: owner, patch: {}, cause: 'inquired', nowMs: clock.nowMs, attempt: ended, detail });
}

/** We had called it ended, and the bank works on it after all, or completed what only a statement can tell to be ours. */
function aliveAgain(
  owner: Payout,
  before: Attempt,
  asked: Attempt,
  mayReopen: boolean,
  nowMs: number,
): Change | undefined {
  const { transRefNo } = asked.order;
  const finding = asked.lastFinding;
  const attempt: Attempt = { ...asked, status: 'unresolved', nextInquiryAtMs: null };
  const detail = { alarm: true, transRefNo, finding };
  if (mayReopen && reopenedStatuses.includes(owner.status)) {
    const text = `earlier attempt ${transRefNo} is not settled: the inquiry says ${finding}`;
    const patch = {
      status: 'unresolved',
      holds: [],
      isAlarm: true,
      ...reasonPatch({ code: 'earlier-attempt-open', text }),
    } as const;
    return move({ payout: owner, patch, cause: 'earlier-attempt-alive', nowMs, attempt, detail });
  }
  // Said once: an attempt that is known to be unresolved is no news.
  if (before.status === 'unresolved' && owner.isAlarm) return undefined;
  return move({ payout: owner, patch: { isAlarm: true }, cause: 'alarm-raised', nowMs, attempt, detail });
}

/** The bank completed an attempt that we had closed: recorded whatever we believed, and loudly. */
function lateProof(
  owner: Payout,
  completed: Attempt,
  by: 'inquiry' | 'reply',
  facts: object,
  nowMs: number,
): Change {
  const { transRefNo } = completed.order;
  const attempt: Attempt = { ...completed, status: 'paid', nextInquiryAtMs: null };
  const detail = { ...facts, alarm: true, transRefNo };
  if (owner.status === 'paid') {
    const patch = { isAlarm: true, ...reasonPatch(paidTwice(transRefNo)) };
    return move({ payout: owner, patch, cause: 'second-proof', nowMs, attempt, detail });
  }
  const reason = {
    code: 'late-proof',
    text: `attempt ${transRefNo}, closed before, was completed by the bank`,
  };
  return move({
    payout: owner,
    patch: { status: 'paid', holds: [], isAlarm: true, ...reasonPatch(reason), ...settled(by, nowMs) },
    cause: owner.status === 'submitted' || owner.status === 'unresolved' ? 'proved' : 'late-proof',
    nowMs,
    attempt,
    detail,
  });
}

const paidTwice = (transRefNo: string): Reason => ({
  code: 'paid-twice',
  text: `the bank completed attempt ${transRefNo} too: two transfers were made for this payoutId`,
});

/** What follows from the reply to a transfer, whatever has become of its payout meanwhile. */
export function decideOnReply(
  payout: Payout,
  attempt: Attempt,
  finding: TransferFinding,
  facts: ReplyFacts,
  policy: SettlePolicy,
  clock: ClockReading,
): Change {
  return payout.status === 'paid'
    ? decideAfterPaid(payout, attempt, finding, facts, policy, clock)
    : decideAfterTransfer(payout, attempt, finding, facts, policy, clock.nowMs);
}

/** What follows from an inquiry about an attempt in doubt, whatever has become of its payout meanwhile. */
export function decideOnInquiry(
  payout: Payout,
  attempt: Attempt,
  reading: InquiryReading,
  facts: ReplyFacts,
  policy: SettlePolicy,
  clock: ClockReading,
): InquiryStep {
  return payout.status === 'paid'
    ? { kind: 'change', change: decideAfterPaid(payout, attempt, reading, facts, policy, clock) }
    : decideAfterInquiry(payout, attempt, reading, facts, policy, clock);
}

/**
 * The outcome of a transfer, or an inquiry about it, that comes when its payout is paid by a late proof for an earlier
 * attempt: it is recorded with the attempt, and a second proof is an alarm.
 */
export function decideAfterPaid(
  payout: Payout,
  attempt: Attempt,
  finding: TransferFinding | InquiryReading,
  facts: ReplyFacts,
  policy: SettlePolicy,
  clock: ClockReading,
): Change {
  const { nowMs } = clock;
  if (finding.kind === 'paid' || (finding.kind === 'complete' && !attempt.contested)) {
    const completed = { ...attempt, sysRefNo: finding.sysRefNo ?? attempt.sysRefNo };
    return lateProof(payout, completed, finding.kind === 'paid' ? 'reply' : 'inquiry', facts, nowMs);
  }
  const isOver = nowMs - attempt.intentAtMs >= policy.giveUpAfterMs;
  const status = isDefinitelyFailed(attempt, finding) ? 'failed' : isOver ? 'unresolved' : attempt.status;
  const isOpen = status !== 'failed' && !isOver;
  const nextInquiryAtMs = isOpen ? nowMs + policy.maxDelayMs : null;
  const seen =
    finding.kind === 'unknown'
      ? {
          acknowledged: attempt.acknowledged || finding.acknowledged,
          contested: attempt.contested || finding.contested,
        }
      : {};
  const asked: Attempt = { ...attempt, ...seen, status, inquiries: attempt.inquiries + 1, nextInquiryAtMs };
  return move({
    payout,
    patch: {},
    cause: 'inquired',
    nowMs,
    attempt: asked,
    detail: { ...facts, finding: finding.kind },
  });
}

/** A refusal of a repetition says nothing of what was sent before; a failure may be that of another's reference. */
function isDefinitelyFailed(attempt: Attempt, finding: TransferFinding | InquiryReading): boolean {
  if (finding.kind !== 'failed' || attempt.contested) return false;
  const isReply = 'scope' in finding;
  return !isReply || countLetThrough(attempt) === 1;
}

/**
 * What a late proof for one row means for another row with the same payoutId. Undefined when it ended without money:
 * its own attempts are known to have failed.
 */
export function decideOnSibling(sibling: Payout, provedRef: string, nowMs: number): Change | undefined {
  const detail = { alarm: true, transRefNo: provedRef };
  const text = `attempt ${provedRef} of an earlier row with this payoutId was completed by the bank`;
  switch (sibling.status) {
    case 'ready':
    case 'held': {
      const hold = decideHold(sibling, 'unavailable', { code: 'paid-by-earlier-attempt', text }, nowMs);
      return { ...hold, after: { ...hold.after, isAlarm: true }, event: { ...hold.event, detail } };
    }
    case 'paid': {
      const patch = { isAlarm: true, ...reasonPatch(paidTwice(provedRef)) };
      return move({ payout: sibling, patch, cause: 'alarm-raised', nowMs, detail });
    }
    case 'submitted':
    case 'unresolved': {
      const patch = { isAlarm: true, ...reasonPatch({ code: 'paid-by-earlier-attempt', text }) };
      return move({ payout: sibling, patch, cause: 'alarm-raised', nowMs, detail });
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
