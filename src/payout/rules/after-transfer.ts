/** What follows from the reply to a transfer. */
import { move, type Reason, reasonPatch } from '../../core/change.ts';
import type { Attempt, HoldReason } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { type Case, returnUnsent, settleCase } from './case.ts';
import type { FindingOf, TransferFinding } from './read-reply.ts';
import { computeNextInquiryAtMs, countDelivered } from './resend.ts';
import { decideAfterPaid } from './superseded.ts';

const holdForScope = { payer: 'halted', service: 'paused' } as const satisfies Record<string, HoldReason>;

type Refusal = FindingOf<'failed' | 'refused'>;

/**
 * What follows from the reply to a transfer, whatever has become of its payout meanwhile.
 * @param known the attempt as stored when its bytes left, that send counted
 */
export function decideReply(known: Case, finding: TransferFinding): Change {
  const { payout, attempt } = known;
  if (payout.status === 'paid') return decideAfterPaid(known, finding);
  if (payout.status === 'unresolved' && finding.kind !== 'paid') return decideAfterGivenUp(known, finding);
  switch (finding.kind) {
    case 'paid': {
      const { reason, sysRefNo, feeText } = finding;
      const proved = { ...known, attempt: { ...attempt, sysRefNo, feeText } };
      return settleCase(proved, 'paid', reason, 'reply');
    }
    case 'failed':
    case 'refused':
      return decideRefusal({ ...known, attempt: countReply(attempt, finding) }, finding);
    case 'not-sent':
      return decideUnsent({ ...known, attempt: countReply(attempt, finding) }, finding);
    case 'aborted-before-send': {
      // Another day, too old, or no right to send any more: the row is held until it may be sent anew.
      const text = 'the moment to send this attempt had passed before its bytes left';
      const reason = { code: 'too-late-to-send', text };
      const kept = { ...known, attempt: countReply(attempt, finding) };
      if (kept.attempt.status === 'refused') return returnUnsent(kept, 'paused', reason);
      // Another send of it may have arrived, also one by who took over: whether it goes again is asked as before this one.
      return decideUnsent(kept, { kind: 'not-sent', reason, scope: 'service' });
    }
    case 'unknown':
      return stillInDoubt(known, finding.reason, finding);
  }
}

/**
 * A refusal ends its own send only: the row ends when every send of the attempt so ended. One without our requestUID may
 * be another send's, so the row waits for a trusted "not found" beside it.
 */
function decideRefusal(known: Case, finding: Refusal): Change {
  const { attempt } = known;
  const { kind, reason, scope } = finding;
  if (countDelivered(attempt) > 0) return stillInDoubt(known, reason);
  if (kind === 'refused') return decideUnsent(known, finding);
  if (scope === 'payout') return settleCase(known, 'failed', reason, 'reply');
  return returnUnsent({ ...known, attempt: { ...attempt, status: 'failed' } }, holdForScope[scope], reason);
}

/**
 * The reply to a send whose payout another process has given up since, having taken over from this one: a definite refusal
 * ends it; of all else the facts are kept, and what settles what was given up settles it.
 */
function decideAfterGivenUp(known: Case, finding: Exclude<TransferFinding, FindingOf<'paid'>>): Change {
  const { facts } = known;
  const attempt = countReply(known.attempt, finding);
  const isRefused = finding.kind === 'failed' && finding.scope === 'payout' && countDelivered(attempt) === 0;
  if (isRefused && !attempt.referenceConflict)
    return settleCase({ ...known, attempt }, 'failed', finding.reason, 'reply');
  const hasConflict = finding.kind === 'unknown' && finding.referenceConflict;
  const alarm = hasConflict ? { alarm: true } : {};
  return move({
    ...known,
    patch: hasConflict ? { isAlarm: true } : {},
    cause: 'outcome-in-doubt',
    attempt: {
      ...attempt,
      status: known.attempt.status === 'failed' ? 'failed' : 'unresolved',
      referenceConflict: attempt.referenceConflict || hasConflict,
      nextInquiryAtMs: null,
    },
    detail: { ...facts, finding: finding.kind, ...alarm },
  });
}

/** The attempt with what a reply says of its sends, and of whether the bank has it. */
function countReply(attempt: Attempt, finding: Exclude<TransferFinding, FindingOf<'paid'>>): Attempt {
  switch (finding.kind) {
    case 'failed':
    case 'refused':
      return refuse(attempt, finding);
    case 'not-sent':
    case 'aborted-before-send':
      return unsend(attempt);
    case 'unknown':
      return { ...attempt, acknowledged: attempt.acknowledged || finding.acknowledged };
  }
}

/** Counts the refusal of one send, by itself only where it bears our requestUID. */
function refuse(attempt: Attempt, { scope, reason, bearsRequestUid }: Refusal): Attempt {
  return withoutOne({
    ...attempt,
    refusals: attempt.refusals + (bearsRequestUid ? 1 : 0),
    unprovenRefusals: attempt.unprovenRefusals + (bearsRequestUid ? 0 : 1),
    refusalCode: reason.code,
    uncountedSends: attempt.uncountedSends + (scope === 'payout' ? 0 : 1),
  });
}

/** What a send that did nothing leaves behind. */
function withoutOne(attempt: Attempt): Attempt {
  return { ...attempt, status: countDelivered(attempt) === 0 ? 'refused' : 'sent' };
}

/** Takes back the send that was counted: no byte of it has left. */
function unsend(attempt: Attempt): Attempt {
  const sends = attempt.sends - 1;
  const lastSentAtMs = sends === 0 ? null : attempt.lastSentAtMs;
  return withoutOne({ ...attempt, sends, lastSentAtMs });
}

/** Refused before processing or never sent: a payer's trouble is held, a service's is inquired when it is over. */
function decideUnsent(known: Case, { reason, scope }: FindingOf<'refused' | 'not-sent'>): Change {
  const { attempt, facts } = known;
  const isHarmless = attempt.status === 'refused';
  if (scope === 'payer' && isHarmless) return returnUnsent(known, 'halted', reason);
  return move({
    ...known,
    patch: reasonPatch(reason),
    cause: 'outcome-in-doubt',
    attempt: { ...attempt, nextInquiryAtMs: computeFirstInquiryAtMs(known) },
    detail: { ...facts, code: reason.code, moved: isHarmless ? 'no' : 'unknown' },
  });
}

/** It has just been sent, for the first time or again: how often it was asked about before says nothing. */
const computeFirstInquiryAtMs = ({ policy, nowMs }: Case): number =>
  computeNextInquiryAtMs({ attempt: { inquiries: 0 }, policy, nowMs });

/** @param told what the reply shows of the reference; nothing when it is left out */
function stillInDoubt(
  known: Case,
  reason: Reason,
  { acknowledged, referenceConflict } = { acknowledged: false, referenceConflict: false },
): Change {
  const { attempt, facts } = known;
  // The bank speaks of somebody else's transfer, or of other details: an operator must look.
  const alarm = referenceConflict ? { alarm: true } : {};
  return move({
    ...known,
    patch: { ...reasonPatch(reason), ...(referenceConflict ? { isAlarm: true } : {}) },
    cause: 'outcome-in-doubt',
    attempt: {
      ...attempt,
      status: 'sent',
      acknowledged: attempt.acknowledged || acknowledged,
      referenceConflict: attempt.referenceConflict || referenceConflict,
      nextInquiryAtMs: computeFirstInquiryAtMs(known),
    },
    detail: { ...facts, code: reason.code, acknowledged, contested: referenceConflict, ...alarm },
  });
}
