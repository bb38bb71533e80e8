/** What follows from the reply to a transfer. */
import { giveUp, move, putBack, reasonPatch, settled } from '../../core/change.ts';
import type { Attempt, HoldReason, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { type Reason, type ReplyFacts, replyLost, type TransferFinding } from './read-reply.ts';
import { computeNextInquiryAtMs, countLetThrough, type SettlePolicy } from './resend.ts';

/** The line's share of a finding: what it says about the payouts that come after. */
export type LineSignal =
  | { readonly kind: 'paid' }
  | { readonly kind: 'ended-otherwise' }
  | { readonly kind: 'payer-stop'; readonly reason: Reason }
  /** `isTransfer`: met by a transfer; only another transfer proves that it is over. */
  | {
      readonly kind: 'service-trouble';
      readonly reason: Reason;
      readonly retryAfterMs: number | undefined;
      readonly isTransfer: boolean;
    }
  /** A transfer got no answer at all: its own bad luck, or the bank is out of reach. */
  | { readonly kind: 'unanswered'; readonly reason: Reason }
  /** The bank has taken a transfer and works on it. */
  | { readonly kind: 'taken' }
  /** The service answers a question again, whatever it said. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'nothing' };

/** The signal that a finding sends to the line. */
export function lineSignalOf(finding: TransferFinding): LineSignal {
  switch (finding.kind) {
    case 'paid':
      return { kind: 'paid' };
    case 'withheld':
      return { kind: 'nothing' };
    case 'failed':
    case 'refused':
    case 'not-sent':
    case 'unknown': {
      const { reason } = finding;
      if (finding.scope === 'payer') return { kind: 'payer-stop', reason };
      if (finding.kind === 'unknown' && reason.code === replyLost) return { kind: 'unanswered', reason };
      // A payout that the bank works on has not ended; one that nobody acknowledged may be a sick bank's.
      if (finding.scope === 'payout') return { kind: isTaken(finding) ? 'taken' : 'ended-otherwise' };
      const retryAfterMs = 'retryAfterMs' in reason ? reason.retryAfterMs : undefined;
      return { kind: 'service-trouble', reason, retryAfterMs, isTransfer: true };
    }
  }
}

function isTaken(finding: TransferFinding): boolean {
  return finding.kind === 'unknown' && finding.acknowledged && !finding.contested;
}

const holdForScope = { payer: 'halted', service: 'paused' } as const satisfies Record<string, HoldReason>;

/**
 * What follows from the reply to a transfer.
 * @param attempt as stored when its bytes left, that send counted
 */
export function decideAfterTransfer(
  payout: Payout,
  attempt: Attempt,
  finding: TransferFinding,
  facts: ReplyFacts,
  policy: SettlePolicy,
  nowMs: number,
): Change {
  const detail = { ...facts };
  switch (finding.kind) {
    case 'paid':
      return move({
        payout,
        patch: { status: 'paid', ...reasonPatch(finding.reason), ...settled('reply', nowMs) },
        cause: 'proved',
        nowMs,
        attempt: {
          ...attempt,
          status: 'paid',
          sysRefNo: finding.sysRefNo,
          feeText: finding.feeText,
          nextInquiryAtMs: null,
        },
        detail: { ...detail, code: finding.reason.code },
      });
    case 'failed':
      // The refusal speaks of the repetition; what was sent before may still be on its way through the bank.
      if (countLetThrough(attempt) > 1) {
        const doubt = {
          ...finding,
          reason: { ...finding.reason, retryAfterMs: undefined },
          acknowledged: true,
        };
        return stillInDoubt(
          payout,
          attempt,
          { ...doubt, kind: 'unknown', contested: false },
          detail,
          policy,
          nowMs,
        );
      }
      return decideAfterRefusal(payout, { ...attempt, status: 'failed' }, finding, detail, nowMs);
    case 'refused':
      return decideAfterGateway(payout, turnedAway(attempt), finding, detail, policy, nowMs);
    case 'not-sent':
      return decideAfterGateway(payout, unsent(attempt), finding, detail, policy, nowMs);
    case 'withheld':
      return decideWithheld(payout, attempt, policy, nowMs);
    case 'unknown':
      return stillInDoubt(payout, attempt, finding, detail, policy, nowMs);
  }
}

/** A send that the gateway turned away did nothing; one before it still may have. */
function turnedAway(attempt: Attempt): Attempt {
  return withoutOne({ ...attempt, turnedAway: attempt.turnedAway + 1 });
}

/** What a send that did nothing leaves behind. */
function withoutOne(attempt: Attempt): Attempt {
  return { ...attempt, status: countLetThrough(attempt) === 0 ? 'refused' : 'sent' };
}

/** Takes back the send that was counted: no byte of it has left. */
function unsent(attempt: Attempt): Attempt {
  const sends = attempt.sends - 1;
  const lastSentAtMs = sends === 0 ? null : attempt.lastSentAtMs;
  return withoutOne({ ...attempt, sends, lastSentAtMs });
}

/** The bank refused the only send there was: definite. */
function decideAfterRefusal(
  payout: Payout,
  attempt: Attempt,
  finding: Extract<TransferFinding, { kind: 'failed' }>,
  detail: object,
  nowMs: number,
): Change {
  const { reason, scope } = finding;
  if (scope !== 'payout') return putBack(payout, attempt, holdForScope[scope], reason, nowMs, detail);
  return move({
    payout,
    patch: { status: 'failed', ...reasonPatch(reason), ...settled('reply', nowMs) },
    cause: 'refused-for-payout',
    nowMs,
    attempt: { ...attempt, nextInquiryAtMs: null },
    detail: { ...detail, code: reason.code },
  });
}

/** Refused before processing or never sent: a payer's trouble is put back, a service's is inquired when it is over. */
function decideAfterGateway(
  payout: Payout,
  attempt: Attempt,
  finding: Extract<TransferFinding, { kind: 'refused' | 'not-sent' }>,
  detail: object,
  policy: SettlePolicy,
  nowMs: number,
): Change {
  if (finding.scope === 'payer' && attempt.status === 'refused') {
    return putBack(payout, attempt, 'halted', finding.reason, nowMs, detail);
  }
  return move({
    payout,
    patch: reasonPatch(finding.reason),
    cause: 'outcome-in-doubt',
    nowMs,
    attempt: { ...attempt, nextInquiryAtMs: computeNextInquiryAtMs(attempt, policy, nowMs) },
    detail: { ...detail, code: finding.reason.code, moved: attempt.status === 'refused' ? 'no' : 'unknown' },
  });
}

/** The moment for these bytes has passed (another day, too old): a first send is put back for a new attempt. */
function decideWithheld(payout: Payout, attempt: Attempt, policy: SettlePolicy, nowMs: number): Change {
  const taken = unsent(attempt);
  const reason = {
    code: 'too-late-to-send',
    text: 'the moment to send this attempt had passed before its bytes left',
  };
  if (taken.status === 'refused') return putBack(payout, taken, 'paused', reason, nowMs, {});
  return giveUp(
    payout,
    { ...taken, nextInquiryAtMs: computeNextInquiryAtMs(taken, policy, nowMs) },
    reason,
    nowMs,
    {},
  );
}

function stillInDoubt(
  payout: Payout,
  attempt: Attempt,
  finding: Extract<TransferFinding, { kind: 'unknown' }>,
  detail: object,
  policy: SettlePolicy,
  nowMs: number,
): Change {
  return move({
    payout,
    // The bank speaks of somebody else's transfer, or of other details: a person must look.
    patch: { ...reasonPatch(finding.reason), ...(finding.contested ? { isAlarm: true } : {}) },
    cause: 'outcome-in-doubt',
    nowMs,
    attempt: {
      ...attempt,
      status: 'sent',
      acknowledged: attempt.acknowledged || finding.acknowledged,
      contested: attempt.contested || finding.contested,
      nextInquiryAtMs: computeNextInquiryAtMs(attempt, policy, nowMs),
    },
    detail: {
      ...detail,
      code: finding.reason.code,
      acknowledged: finding.acknowledged,
      contested: finding.contested,
      ...(finding.contested ? { alarm: true } : {}),
    },
  });
}
