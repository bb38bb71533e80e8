/** What follows from a status inquiry about an attempt. */
import { giveUp, move, putBack, reasonPatch, settled } from '../../core/change.ts';
import type { Attempt, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import type { InquiryReading, Reason, ReplyFacts } from './read-reply.ts';
import {
  type ClockReading,
  computeNextInquiryAtMs,
  computeTrustAtMs,
  maySendAgain,
  type SettlePolicy,
} from './resend.ts';

/** What follows from an inquiry about the latest attempt of a payout in doubt. */
export type InquiryStep =
  | { readonly kind: 'change'; readonly change: Change }
  /** Nothing is known of it and the rule allows it: send the same attempt again, after this change is durable. */
  | {
      readonly kind: 'send-again';
      readonly change: Change;
      readonly attempt: Attempt;
      /** What to record instead while nothing may be sent. */
      readonly otherwise: Change;
    };

const findingOf = {
  complete: 'complete',
  'in-process': 'in-process',
  failed: 'failed',
  'not-found': 'not-found',
  'nothing-said': 'nothing-said',
} as const satisfies Record<InquiryReading['kind'], Attempt['lastFinding']>;

/** The attempt with what an inquiry about it has shown. */
export function withInquiry(
  attempt: Attempt,
  reading: InquiryReading,
  { nowMs, bankNowMs }: ClockReading,
): Attempt {
  const isKnown = reading.kind === 'complete' || reading.kind === 'in-process' || reading.kind === 'failed';
  return {
    ...attempt,
    inquiries: attempt.inquiries + 1,
    lastInquiryAtMs: nowMs,
    // The bank had not told its time before it was sent: counted from now on it is on the safe side.
    lastSentBankMs: attempt.lastSentBankMs ?? (attempt.sends > 0 ? (bankNowMs ?? null) : null),
    lastFinding: findingOf[reading.kind],
    acknowledged: attempt.acknowledged || isKnown,
  };
}

/** A reference that never left us and that the bank knows all the same is somebody else's. */
export function contestUnsent(attempt: Attempt): Attempt {
  return attempt.sends === 0 && attempt.acknowledged ? { ...attempt, contested: true } : attempt;
}

/**
 * Decides on an inquiry about the latest attempt of a payout that is submitted or unresolved.
 * @param clock our time and the bank's, for the rule of sending again
 */
export function decideAfterInquiry(
  payout: Payout,
  asked: Attempt,
  reading: InquiryReading,
  facts: ReplyFacts,
  policy: SettlePolicy,
  clock: ClockReading,
): InquiryStep {
  const nowMs = clock.nowMs;
  const attempt = contestUnsent(withInquiry(asked, reading, clock));
  const detail = {
    ...facts,
    finding: reading.kind,
    code: reading.reason.code,
  };
  switch (reading.kind) {
    case 'complete':
      if (attempt.contested)
        return { kind: 'change', change: contestedStays(payout, attempt, detail, policy, nowMs) };
      return { kind: 'change', change: provedByInquiry(payout, attempt, reading, detail, nowMs) };
    case 'failed':
      if (attempt.contested)
        return { kind: 'change', change: contestedStays(payout, attempt, detail, policy, nowMs) };
      return {
        kind: 'change',
        change: move({
          payout,
          patch: { status: 'failed', ...reasonPatch(reading.reason), ...settled('inquiry', nowMs) },
          cause: 'inquiry-failed',
          nowMs,
          attempt: { ...attempt, status: 'failed', sysRefNo: reading.sysRefNo, nextInquiryAtMs: null },
          detail,
        }),
      };
    case 'not-found':
      return decideNotFound(payout, attempt, reading.reason, detail, policy, clock);
    case 'in-process':
    case 'nothing-said':
      return {
        kind: 'change',
        change: askAgainOrGiveUp(payout, attempt, reading.reason, detail, policy, nowMs),
      };
  }
}

function provedByInquiry(
  payout: Payout,
  attempt: Attempt,
  reading: Extract<InquiryReading, { kind: 'complete' }>,
  detail: object,
  nowMs: number,
): Change {
  return move({
    payout,
    patch: { status: 'paid', ...reasonPatch(reading.reason), ...settled('inquiry', nowMs) },
    cause: 'proved',
    nowMs,
    attempt: {
      ...attempt,
      status: 'paid',
      sysRefNo: reading.sysRefNo ?? attempt.sysRefNo,
      nextInquiryAtMs: null,
    },
    detail: { ...detail },
  });
}

/** The bank knows the reference, but perhaps as another's: an inquiry carries no amount or payee, so nothing is believed. */
function contestedStays(
  payout: Payout,
  attempt: Attempt,
  detail: object,
  policy: SettlePolicy,
  nowMs: number,
): Change {
  const reason = {
    code: payout.reasonCode ?? 'contested-reference',
    text: 'the bank already held this reference, or holds it with other details: only a statement line can prove whose transfer it is',
  };
  if (payout.status === 'unresolved')
    return askAgainOrGiveUp(payout, attempt, reason, { ...detail, alarm: true }, policy, nowMs);
  return giveUp(payout, attempt, reason, nowMs, { ...detail, alarm: true });
}

function askAgainOrGiveUp(
  payout: Payout,
  attempt: Attempt,
  reason: Reason,
  detail: object,
  policy: SettlePolicy,
  nowMs: number,
): Change {
  const isUnresolved = payout.status === 'unresolved';
  if (!isUnresolved && nowMs - attempt.intentAtMs >= policy.giveUpAfterMs) {
    const isHarmless = attempt.status === 'refused' && !attempt.acknowledged;
    if (isHarmless) return putBack(payout, attempt, 'paused', nextAttemptDue, nowMs, detail);
    return giveUp(payout, attempt, reason, nowMs, detail);
  }
  return move({
    payout,
    patch: isUnresolved ? {} : reasonPatch(reason),
    cause: 'inquired',
    nowMs,
    attempt: {
      ...attempt,
      nextInquiryAtMs: isUnresolved ? null : computeNextInquiryAtMs(attempt, policy, nowMs),
    },
    detail: { ...detail },
  });
}

function decideNotFound(
  payout: Payout,
  attempt: Attempt,
  reason: Reason,
  detail: object,
  policy: SettlePolicy,
  clock: ClockReading,
): InquiryStep {
  const { nowMs } = clock;
  const trustAtMs = computeTrustAtMs(attempt, policy, clock);
  if (payout.status === 'unresolved' || nowMs < trustAtMs) {
    const change = askAgainOrGiveUp(payout, attempt, notFoundYet(reason), detail, policy, nowMs);
    return { kind: 'change', change: notLaterThan(change, trustAtMs) };
  }
  if (maySendAgain(attempt, policy, clock)) return sendAgain(payout, attempt, reason, detail, policy, clock);
  if (attempt.status === 'refused' && !attempt.acknowledged) {
    return {
      kind: 'change',
      change: putBack(payout, attempt, 'paused', nextAttemptDue, nowMs, detail),
    };
  }
  const text = 'the bank finds nothing under this reference, and it may not be sent again';
  return { kind: 'change', change: giveUp(payout, attempt, { code: 'not-found', text }, nowMs, detail) };
}

const nextAttemptDue: Reason = {
  code: 'next-attempt-due',
  text: 'refused before processing and unknown to the bank; its next attempt is made when the line goes on',
};

const notFoundYet = (reason: Reason): Reason => ({
  code: reason.code,
  text: 'the bank finds nothing under this reference so far',
});

/** While a not-found is not yet to be trusted, the next inquiry comes no later than the moment it can be. */
function notLaterThan(change: Change, trustAtMs: number): Change {
  const { attempt } = change;
  if (attempt === undefined || attempt.nextInquiryAtMs === null) return change;
  const nextInquiryAtMs = Math.max(Math.min(attempt.nextInquiryAtMs, trustAtMs), change.event.atMs);
  return { ...change, attempt: { ...attempt, nextInquiryAtMs } };
}

function sendAgain(
  payout: Payout,
  attempt: Attempt,
  reason: Reason,
  detail: object,
  policy: SettlePolicy,
  clock: ClockReading,
): InquiryStep {
  const resent: Attempt = {
    ...attempt,
    status: 'sent',
    sends: attempt.sends + 1,
    lastSentAtMs: clock.nowMs,
    lastSentBankMs: clock.bankNowMs ?? null,
    nextInquiryAtMs: clock.nowMs + policy.firstDelayMs,
  };
  const { nowMs } = clock;
  const change = move({
    payout,
    patch: { reasonCode: null, reason: null },
    cause: 'sending-again',
    nowMs,
    attempt: resent,
    detail: { ...detail, sends: resent.sends },
  });
  // A halted line sends nothing: what never reached the bank waits as held, what may have is asked about on.
  const otherwise =
    attempt.status === 'refused'
      ? putBack(payout, attempt, 'paused', nextAttemptDue, nowMs, detail)
      : askAgainOrGiveUp(payout, attempt, notFoundYet(reason), detail, policy, nowMs);
  return { kind: 'send-again', change, attempt: resent, otherwise };
}
