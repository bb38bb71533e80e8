/** What follows from a status inquiry about an attempt. */
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

/** What follows from an inquiry about an attempt in doubt. */
export interface InquiryStep {
  /** What to record while nothing is sent. */
  readonly keep: Change;
  /** The same for what is to be sent again, when it is known from when on it may: it is asked about again then. */
  readonly keepUntil?: (atMs: number) => Change;
  /** Nothing is known of it and the rule allows it: send the attempt again, after this change of it is durable. */
  readonly sendAgain?: Change & { readonly attempt: Attempt; readonly isRepetition: true };
}

/** True when the row would be called failed: a lost part of the journal may have made another attempt since. */
export const endsDoubt = ({ status }: Payout, reading: InquiryReading): boolean =>
  reading.kind === 'failed' && reading.isOfLast && status !== 'paid';

/** True when the bank has the transfer, however it ended or will end. */
export const isKnownToBank = ({ kind }: InquiryReading): boolean =>
  kind === 'complete' || kind === 'failed' || kind === 'in-process';

/** It was sent again since the bank was asked: that it knew nothing then says nothing now. */
export const isOutOfDate = (asked: Attempt, latest: Attempt, { kind }: InquiryReading): boolean =>
  latest.sends !== asked.sends && (kind === 'not-found' || kind === 'nothing-said');

/** The trouble of the payer account for which the transfer has failed. */
export function findPayersTrouble(reading: InquiryReading): Reason | undefined {
  const isPayers =
    reading.kind === 'failed' && reading.isOfLast && findBankStatus(reading.reason.code)?.scope === 'payer';
  return isPayers ? reading.reason : undefined;
}

/**
 * True or false when an inquiry has ended a transfer as paid or failed that the bank had taken: it counts for the brake
 * when it ends, any other has counted when it was sent.
 */
export function findEndForBrake(
  before: Pick<Case, 'payout' | 'attempt'>,
  after: Payout | undefined,
): boolean | undefined {
  if (before.payout.status !== 'submitted' || !before.attempt.acknowledged) return undefined;
  return after?.status === 'paid' || (after?.status === 'failed' ? false : undefined);
}

/** What an inquiry says of the rows that come after, as the reply to the transfer would have said it. */
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

/** Has an attempt in doubt asked about now by whoever sends; undefined when it is due anyway, or nothing is to be asked. */
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

/** Decides on an inquiry about an attempt in doubt, whatever has become of its payout meanwhile. */
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

/** The bank knows the reference, but perhaps as another's: an inquiry carries no amount or payee, so nothing is believed. */
function stayContested(asked: Case): Change {
  const alarmed = { ...asked, facts: { ...asked.facts, alarm: true } };
  const reasonCode = asked.payout.reasonCode ?? '';
  const reason = {
    // The code of the reply that contests it; what an inquiry found before, such as nothing, is so no more.
    code: acknowledgingCodes.has(reasonCode) ? reasonCode : 'contested-reference',
    text: 'the bank already held this reference, or holds it with other details: only a statement line can prove whose transfer it is',
  };
  return asked.payout.status === 'unresolved' ? stayUnresolved(alarmed, reason) : giveUp(alarmed, reason);
}

/** Inquiries are used up, and what the bank shows now stands in the place of what it showed before. */
function stayUnresolved(asked: Case, reason: Reason): Change {
  const { payout, attempt, facts } = asked;
  // What a statement alone settles says so with more than an inquiry shows.
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
 * The attempt of the row that was completed: an earlier one under the reference where the item names it. The one that was
 * asked about stays in doubt then, and is asked about on.
 */
const findShown = ({ attempt, sameReference }: Case, send: AskedSend | null): Attempt =>
  findNamed(
    sameReference.filter(({ payoutSeq }) => payoutSeq === attempt.payoutSeq),
    send,
  ) ?? attempt;

/** Two transfers were completed under one reference. */
function raisePaidTwice(paid: Change, { order: { transRefNo } }: Attempt): Change {
  const { after, event } = paid;
  return {
    ...paid,
    after: { ...after, isAlarm: true, ...reasonPatch(paidTwice(transRefNo)) },
    event: { ...event, detail: { ...event.detail, alarm: true, transRefNo } },
  };
}

/** An inquiry shows neither amount nor payee: it does not tell what was completed under the reference. */
function stayAmbiguous(asked: Case, reason: Reason): Change {
  return asked.payout.status === 'unresolved' ? stayUnresolved(asked, reason) : giveUp(asked, reason);
}

function askAgainOrGiveUp(asked: Case, reason: Reason): Change {
  const { payout, attempt, policy, nowMs, facts } = asked;
  const isUnresolved = payout.status === 'unresolved';
  if (!isUnresolved && nowMs - attempt.intentAtMs >= policy.giveUpAfterMs) {
    return isHarmless(attempt) ? returnUnsent(asked, 'paused', nextAttemptDue) : giveUp(asked, reason);
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

/** Holds what was refused before processing and is unknown to the bank, until its next attempt may be made. */
export const decideReturn = (known: Case): Change | undefined =>
  isHarmless(known.attempt) && known.attempt.lastFinding === 'not-found'
    ? returnUnsent(known, 'paused', nextAttemptDue)
    : undefined;

const isHarmless = ({ status, acknowledged }: Attempt): boolean => status === 'refused' && !acknowledged;

function decideNotFound(asked: Case, reason: Reason): InquiryStep {
  const { payout, attempt, policy, nowMs } = asked;
  const trustAtMs = computeTrustAtMs(attempt, policy, asked);
  const text = 'the bank finds nothing under this reference so far';
  if (payout.status === 'unresolved' || nowMs < trustAtMs)
    return { keep: notLaterThan(askAgainOrGiveUp(asked, { code: reason.code, text }), trustAtMs) };
  return mayBelieveRefusal(asked) ? believeRefusal(asked, reason) : decideTrustedNotFound(asked, reason);
}

/** A bank that is asked too late may have forgotten what it processed, and another journal may have sent it since. */
const mayBelieveRefusal = ({ attempt, policy, nowMs }: Case): boolean =>
  isRefusedUnproven(attempt) &&
  !attempt.acknowledged &&
  !attempt.referenceConflict &&
  !mayHaveGoneUnseen(attempt, policy) &&
  nowMs - attempt.intentAtMs < policy.giveUpAfterMs;

/**
 * A refusal without our requestUID counts beside a "not found" that is trusted. What it said of the account was acted on
 * when it came: a person may have resumed the account since, and the row goes on with it.
 */
function believeRefusal(asked: Case, notFound: Reason): InquiryStep {
  const code = asked.attempt.refusalCode ?? 'refused';
  const text = `the bank refused it (${code}) without naming our request, and finds nothing under its reference`;
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
  const text = 'the bank finds nothing under this reference so far';
  if (maySendAgain(attempt, policy, asked)) {
    // Nothing may be sent just now: what never reached the bank waits as held, what may have is asked about on.
    const keep =
      attempt.status === 'refused'
        ? returnUnsent(asked, 'paused', nextAttemptDue)
        : askAgainOrGiveUp(asked, { code: reason.code, text });
    const keepUntil = (atMs: number): Change => waitForRepetition(asked, reason.code, atMs);
    return { keep, keepUntil, sendAgain: sendAgain(asked) };
  }
  if (isHarmless(attempt)) return { keep: returnUnsent(asked, 'paused', nextAttemptDue) };
  const why = 'the bank finds nothing under this reference, and it may not be sent again';
  return { keep: giveUp(asked, { code: 'not-found', text: why }) };
}

/** It is to be sent again, and transfers are paused: nothing else can be asked about it until they go on. */
function waitForRepetition(asked: Case, code: string, nextInquiryAtMs: number): Change {
  const text =
    'the bank finds nothing under this reference; the same transfer is sent again when transfers go on';
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
  text: 'refused before processing and unknown to the bank; its next attempt is made when the payer account goes on',
};

/** While a not-found is not yet to be trusted, the next inquiry comes no later than the moment it can be. */
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
