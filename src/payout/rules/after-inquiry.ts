/** Decisions on a status inquiry about an attempt. */
import { message } from '../../core/message.ts';
import { move, type Reason, reasonPatch } from '../../core/change.ts';
import type { Attempt, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import { statementCodes } from '../../core/exit-code.ts';
import { acknowledgingCodes, findBankStatus } from '../../core/status-codes.ts';
import {
  type Case,
  giveUp,
  hasOtherContent,
  isOfUnknownSend,
  returnUnsent,
  sentByAnother,
  settleCase,
  twoContents,
  withInquiry,
} from './case.ts';
import { type AskedSend, findNamed } from './inquiry-items.ts';
import { type BreakerSignal, findRefusalScope, type InquiryReading } from './read-reply.ts';
import {
  computeNextInquiryAtMs,
  computeTrustAtMs,
  isRefusedUnproven,
  mayHaveGoneUnseen,
  maySendAgain,
} from './resend.ts';
import { decideAfterPaid, paidTwice } from './superseded.ts';

/** The decision on an inquiry about an attempt in doubt. */
export interface InquiryStep {
  /** Change to record when nothing is sent. */
  readonly keep: Change;
  /** The same, for an attempt that may be sent again from a known moment on; it is inquired again then. */
  readonly keepUntil?: (atMs: number) => Change;
  /** The bank knows nothing of the attempt, and the rule allows to send it again, once this change is durable. */
  readonly sendAgain?: Change & { readonly attempt: Attempt; readonly isRepetition: true };
}

/** True when the row would end as failed: a lost part of the journal may have made another attempt since. */
export const endsDoubt = ({ status }: Payout, reading: InquiryReading): boolean =>
  reading.kind === 'failed' && reading.isOfLast && status !== 'paid';

/** True when the bank has the transfer, whatever its outcome. */
export const isKnownToBank = ({ kind }: InquiryReading): boolean =>
  kind === 'complete' || kind === 'failed' || kind === 'in-process';

/** True when the attempt was sent again since the bank was asked: "not found" then says nothing now. */
export const isOutOfDate = (asked: Attempt, latest: Attempt, { kind }: InquiryReading): boolean =>
  latest.sends !== asked.sends && (kind === 'not-found' || kind === 'nothing-said');

/** Trouble of the payer account that made the transfer fail. */
export function findPayersTrouble(reading: InquiryReading): Reason | undefined {
  const isPayers =
    reading.kind === 'failed' && reading.isOfLast && findBankStatus(reading.reason.code)?.scope === 'payer';
  return isPayers ? reading.reason : undefined;
}

/**
 * True or false when an inquiry has ended, as paid or failed, a transfer that the bank had accepted. Such a transfer
 * counts for the brake when it ends; any other has counted when it was sent.
 */
export function findEndForBrake(
  before: Pick<Case, 'payout' | 'attempt'>,
  after: Payout | undefined,
): boolean | undefined {
  if (before.payout.status !== 'submitted' || !before.attempt.acknowledged) return undefined;
  return after?.status === 'paid' || (after?.status === 'failed' ? false : undefined);
}

/** Signal of an inquiry for the rows that follow, the same as the reply to the transfer would have given. */
export function findEndSignal(
  before: Pick<Case, 'payout' | 'attempt'>,
  after: Payout | undefined,
  reading: InquiryReading,
): BreakerSignal {
  const trouble = findPayersTrouble(reading);
  if (trouble !== undefined) return { kind: 'payer-stop', reason: trouble };
  const isPaid = findEndForBrake(before, after);
  if (isPaid === undefined) return { kind: 'nothing' };
  return { kind: isPaid ? 'paid' : 'ended-otherwise' };
}

/** Makes an attempt in doubt due for inquiry now; undefined when it is due anyway, or no inquiry is planned. */
export function decideAskNow(known: Omit<Case, 'facts'>): Change | undefined {
  const { payout, attempt, nowMs } = known;
  const { nextInquiryAtMs } = attempt;
  if (payout.status !== 'submitted' || nextInquiryAtMs === null || nextInquiryAtMs <= nowMs) return undefined;
  return move({
    ...known,
    patch: {},
    cause: 'inquiry-requested',
    attempt: { ...attempt, nextInquiryAtMs: nowMs },
    detail: {},
  });
}

/** Decides on an inquiry about an attempt in doubt, whatever the status of its payout is by now. */
export function decideInquiry(known: Case, reading: InquiryReading): InquiryStep {
  if (known.payout.status === 'paid') return { keep: decideAfterPaid(known, reading) };
  const facts = { ...known.facts, finding: reading.kind, code: reading.reason.code };
  const asked: Case = { ...known, attempt: withInquiry(known, reading), facts };
  const { referenceConflict } = asked.attempt;
  switch (reading.kind) {
    case 'complete': {
      if (referenceConflict) return { keep: stayContested(asked) };
      if (hasOtherContent(asked)) return { keep: stayAmbiguous(asked, twoContents) };
      if (isOfUnknownSend(asked, reading)) return { keep: stayAmbiguous(asked, sentByAnother) };
      const shown = findShown(asked, reading.send);
      const attempt = { ...shown, sysRefNo: reading.sysRefNo ?? shown.sysRefNo };
      const paid = settleCase({ ...asked, attempt }, 'paid', reading.reason, 'inquiry');
      return { keep: reading.isTwice ? raisePaidTwice(paid, attempt) : paid };
    }
    case 'failed': {
      if (referenceConflict) return { keep: stayContested(asked) };
      if (!reading.isOfLast) return { keep: askAgainOrGiveUp(asked, reading.reason) };
      const attempt = { ...asked.attempt, sysRefNo: reading.sysRefNo };
      return { keep: settleCase({ ...asked, attempt }, 'failed', reading.reason, 'inquiry') };
    }
    case 'not-found':
      return decideNotFound(asked, reading.reason);
    case 'in-process':
      if (known.payout.status === 'unresolved') return { keep: stayUnresolved(asked, reading.reason) };
      return { keep: askAgainOrGiveUp(asked, reading.reason) };
    case 'nothing-said':
      return { keep: askAgainOrGiveUp(asked, reading.reason) };
  }
}

/**
 * Keeps the doubt: the bank knows the reference, but perhaps for another transfer. An inquiry carries no amount or
 * payee, so it proves nothing.
 */
function stayContested(asked: Case): Change {
  const alarmed = { ...asked, facts: { ...asked.facts, alarm: true } };
  const reasonCode = asked.payout.reasonCode ?? '';
  const reason = {
    // Code of the reply that contests the reference; an earlier finding of an inquiry, such as nothing found, no longer
    // holds.
    code: acknowledgingCodes.has(reasonCode) ? reasonCode : 'contested-reference',
    text: message('attempt.contested'),
  };
  return asked.payout.status === 'unresolved' ? stayUnresolved(alarmed, reason) : giveUp(alarmed, reason);
}

/** Keeps a payout unresolved after its inquiries are used up; the bank's present answer replaces the earlier one. */
function stayUnresolved(asked: Case, reason: Reason): Change {
  const { payout, attempt, facts } = asked;
  // A reason that leaves the row to a statement says more than an inquiry does, and stays.
  const isSaid = statementCodes.includes(payout.reasonCode ?? '') && !statementCodes.includes(reason.code);
  return move({
    ...asked,
    patch: isSaid || payout.reasonCode === reason.code ? {} : reasonPatch(reason),
    cause: 'inquired',
    attempt: { ...attempt, nextInquiryAtMs: null },
    detail: { ...facts },
  });
}

/**
 * The attempt of the row that was completed: an earlier one under the reference if the item names it. The attempt
 * inquired about then stays in doubt, and is inquired again.
 */
const findShown = ({ attempt, sameReference }: Case, send: AskedSend | null): Attempt =>
  findNamed(
    sameReference.filter(({ payoutSeq }) => payoutSeq === attempt.payoutSeq),
    send,
  ) ?? attempt;

/** Raises an alarm: two transfers were completed under one reference. */
function raisePaidTwice(paid: Change, { order: { transRefNo } }: Attempt): Change {
  const { after, event } = paid;
  return {
    ...paid,
    after: { ...after, isAlarm: true, ...reasonPatch(paidTwice(transRefNo)) },
    event: { ...event, detail: { ...event.detail, alarm: true, transRefNo } },
  };
}

/**
 * Keeps the doubt: an inquiry shows neither amount nor payee, so it does not tell which content was completed under the
 * reference.
 */
function stayAmbiguous(asked: Case, reason: Reason): Change {
  return asked.payout.status === 'unresolved' ? stayUnresolved(asked, reason) : giveUp(asked, reason);
}

function askAgainOrGiveUp(asked: Case, reason: Reason): Change {
  const { payout, attempt, policy, nowMs, facts } = asked;
  const isUnresolved = payout.status === 'unresolved';
  if (!isUnresolved && nowMs - attempt.intentAtMs >= policy.giveUpAfterMs) {
    return isSurelyHarmless(asked) ? returnUnsent(asked, 'paused', nextAttemptDue) : giveUp(asked, reason);
  }
  const nextInquiryAtMs = isUnresolved ? null : computeNextInquiryAtMs(asked);
  return move({
    ...asked,
    patch: isUnresolved ? {} : reasonPatch(reason),
    cause: 'inquired',
    attempt: { ...attempt, nextInquiryAtMs },
    detail: { ...facts },
  });
}

/** Holds a payout that was refused before processing and is unknown to the bank, until its next attempt may be made. */
export const decideReturn = (known: Case): Change | undefined =>
  isSurelyHarmless(known) && known.attempt.lastFinding === 'not-found'
    ? returnUnsent(known, 'paused', nextAttemptDue)
    : undefined;

/** True when every send that this journal knows was refused. */
const isHarmless = ({ status, acknowledged }: Attempt): boolean => status === 'refused' && !acknowledged;

/** The same without the bank's word about it today: another journal may have sent it since. */
const isSurelyHarmless = ({ attempt, policy }: Case): boolean =>
  isHarmless(attempt) && !mayHaveGoneUnseen(attempt, policy);

function decideNotFound(asked: Case, reason: Reason): InquiryStep {
  const { payout, attempt, policy, nowMs } = asked;
  const trustAtMs = computeTrustAtMs(attempt, policy, asked);
  const text = message('attempt.not-found-yet');
  if (payout.status === 'unresolved' || nowMs < trustAtMs)
    return { keep: notLaterThan(askAgainOrGiveUp(asked, { code: reason.code, text }), trustAtMs) };
  return mayBelieveRefusal(asked) ? believeRefusal(asked, reason) : decideTrustedNotFound(asked, reason);
}

/**
 * False when the bank is asked too late: it may have forgotten what it processed, and another journal may have sent it
 * since.
 */
const mayBelieveRefusal = ({ attempt, policy, nowMs }: Case): boolean =>
  isRefusedUnproven(attempt) &&
  !attempt.acknowledged &&
  !attempt.referenceConflict &&
  !mayHaveGoneUnseen(attempt, policy) &&
  nowMs - attempt.intentAtMs < policy.giveUpAfterMs;

/**
 * Accepts a refusal without our requestUID beside a trusted "not found". Its meaning for the account was applied when
 * it came: a person may have resumed the account since, and the row then goes on.
 */
function believeRefusal(asked: Case, notFound: Reason): InquiryStep {
  const code = asked.attempt.refusalCode ?? 'refused';
  const text = message('attempt.refused-and-not-found', { code });
  const refused = { ...asked, attempt: { ...asked.attempt, status: 'refused' } } as const;
  switch (findRefusalScope(code)) {
    case 'payout':
      return { keep: settleCase(refused, 'failed', { code, text }, 'inquiry') };
    case 'payer':
      return { keep: returnUnsent(refused, 'paused', { code, text }) };
    case 'service':
      return decideTrustedNotFound(refused, notFound);
  }
}

function decideTrustedNotFound(asked: Case, reason: Reason): InquiryStep {
  const { attempt, policy } = asked;
  const text = message('attempt.not-found-yet');
  if (maySendAgain(attempt, policy, asked)) {
    // Sending is not possible now: an attempt that never reached the bank waits as held, any other is inquired again.
    const keep =
      attempt.status === 'refused'
        ? returnUnsent(asked, 'paused', nextAttemptDue)
        : askAgainOrGiveUp(asked, { code: reason.code, text });
    const keepUntil = (atMs: number): Change => waitForRepetition(asked, reason.code, atMs);
    return { keep, keepUntil, sendAgain: sendAgain(asked) };
  }
  if (isHarmless(attempt)) return { keep: returnUnsent(asked, 'paused', nextAttemptDue) };
  return { keep: giveUp(asked, { code: 'not-found', text: message('attempt.not-found') }) };
}

/** Waits to repeat the send while transfers are paused; until then an inquiry would show nothing new. */
function waitForRepetition(asked: Case, code: string, nextInquiryAtMs: number): Change {
  const text = message('attempt.goes-again');
  return move({
    ...asked,
    patch: reasonPatch({ code, text }),
    cause: 'inquired',
    attempt: { ...asked.attempt, nextInquiryAtMs },
    detail: { ...asked.facts },
  });
}

const nextAttemptDue: Reason = {
  code: 'next-attempt-due',
  text: message('attempt.next-due'),
};

/** Moves the next inquiry forward to the moment from which "not found" can be trusted. */
function notLaterThan(change: Change, trustAtMs: number): Change {
  const { attempt } = change;
  if (attempt === undefined || attempt.nextInquiryAtMs === null) return change;
  const nextInquiryAtMs = Math.max(Math.min(attempt.nextInquiryAtMs, trustAtMs), change.event.atMs);
  return { ...change, attempt: { ...attempt, nextInquiryAtMs } };
}

function sendAgain(asked: Case): NonNullable<InquiryStep['sendAgain']> {
  const { nowMs, bankNowMs = null, policy, facts } = asked;
  const attempt: Attempt = {
    ...asked.attempt,
    status: 'sent',
    sends: asked.attempt.sends + 1,
    lastSentAtMs: nowMs,
    lastSentBankMs: bankNowMs,
    nextInquiryAtMs: nowMs + policy.firstDelayMs,
  };
  const change = move({
    ...asked,
    patch: { reasonCode: null, reason: null },
    cause: 'sending-again',
    attempt,
    detail: { ...facts, sends: attempt.sends },
  });
  return { ...change, attempt, isRepetition: true };
}
