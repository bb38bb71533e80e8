/** Decisions on the reply to a transfer. */
import { message } from '../../core/message.ts';
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
 * Decides on the reply to a transfer, whatever the status of its payout is by now.
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
      // The day changed, the attempt is too old, or the right to send is lost: the row is held until it may be sent
      // again.
      const reason = { code: 'too-late-to-send', text: message('attempt.too-late') };
      const kept = { ...known, attempt: countReply(attempt, finding) };
      if (kept.attempt.status === 'refused') return returnUnsent(kept, 'paused', reason);
      // Another send of it may have arrived, also one by the process that took over: the check before a repetition
      // applies as before.
      return decideUnsent(kept, { kind: 'not-sent', reason, scope: 'service' });
    }
    case 'unknown':
      return stillInDoubt(known, finding.reason, finding);
  }
}

/**
 * Records a refusal, which ends its own send only: the row ends when every send of the attempt ended so. A refusal
 * without our requestUID may belong to another send, so the row waits for a trusted "not found" beside it.
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
 * Decides on the reply to a send whose payout another process has taken over and called unresolved. A definite refusal
 * ends it; otherwise only the facts are stored, and the payout is settled like any unresolved one.
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

/** The attempt with what a reply says about its sends, and whether the bank has it. */
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

/** Counts the refusal of one send; it counts by itself only with our requestUID. */
function refuse(attempt: Attempt, { scope, reason, bearsRequestUid }: Refusal): Attempt {
  return withoutOne({
    ...attempt,
    refusals: attempt.refusals + (bearsRequestUid ? 1 : 0),
    unprovenRefusals: attempt.unprovenRefusals + (bearsRequestUid ? 0 : 1),
    refusalCode: reason.code,
    uncountedSends: attempt.uncountedSends + (scope === 'payout' ? 0 : 1),
  });
}

/** The attempt without a send that had no effect. */
function withoutOne(attempt: Attempt): Attempt {
  return { ...attempt, status: countDelivered(attempt) === 0 ? 'refused' : 'sent' };
}

/** Removes the counted send: no byte of it has left. */
function unsend(attempt: Attempt): Attempt {
  const sends = attempt.sends - 1;
  const lastSentAtMs = sends === 0 ? null : attempt.lastSentAtMs;
  return withoutOne({ ...attempt, sends, lastSentAtMs });
}

/**
 * Decides on a transfer refused before processing or never sent: with a payer's trouble it is held, with a service's it
 * is inquired when the trouble is over.
 */
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

/** Time of the first inquiry after a send. It ignores earlier inquiries of the attempt. */
const computeFirstInquiryAtMs = ({ policy, nowMs }: Case): number =>
  computeNextInquiryAtMs({ attempt: { inquiries: 0 }, policy, nowMs });

/** @param told what the reply shows about the reference; left out: nothing */
function stillInDoubt(
  known: Case,
  reason: Reason,
  { acknowledged, referenceConflict } = { acknowledged: false, referenceConflict: false },
): Change {
  const { attempt, facts } = known;
  // The bank's answer concerns another transfer or other details: an operator must look.
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
