/**
 * A journal that was lost, or restored from an older copy, does not know what was sent since. The references of a
 * payout depend on nothing but company, payoutId and attempt, so the bank can be asked for those that may have been
 * used, on each day in question, before anything more is sent for it.
 */
import {
  dayMs,
  eachBangkokDate,
  explainDay,
  formatBangkokDate,
  parseBangkokDate,
  readDay,
} from '../../core/bangkok-time.ts';
import { decideHold, move, type PayoutPatch, type Reason, reasonPatch, settled } from '../../core/change.ts';
import type { Attempt, Payout, TransferOrder } from '../../core/payout.ts';
import type { Change, JournalLoss } from '../../core/ports.ts';
import { attemptsMax } from '../../core/reference.ts';
import { isStronger, mayHaveMoved } from './case.ts';
import { areOf } from './inquiry-items.ts';
import { decideIntent, noBankNames, type PayerSetup } from './intent.ts';
import type { InquiryReading } from './read-reply.ts';
import { computeNextInquiryAtMs, type SettlePolicy } from './resend.ts';

/** How many numbers beyond the last one known are asked for after a loss. */
export const attemptsAhead = 5;

/** How far back a search may begin: each day costs an inquiry for each reference. */
export const searchDaysMax = 90;

/** "2026-11-21" of "20261121". */
export function showDate(date: string): string {
  return `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
}

export type SinceReading =
  { readonly kind: 'date'; readonly sinceDate: string } | { readonly kind: 'refused'; readonly why: string };

/**
 * Reads the day that `--since` gives, as YYYY-MM-DD or YYYYMMDD. Tomorrow is allowed: it says that no day is in
 * question any more.
 */
export function parseSince(text: string, nowMs: number): SinceReading {
  const refused = (why: string): SinceReading => ({ kind: 'refused', why });
  const reading = readDay(text);
  if (!reading.ok) return refused(`"${text}" ${explainDay(reading)}`);
  const { date: sinceDate } = reading;
  const tomorrow = formatBangkokDate(nowMs + dayMs);
  if (sinceDate > tomorrow) {
    return refused(
      `${showDate(sinceDate)} is in the future; tomorrow (${showDate(tomorrow)}) would say that no day is in question any more`,
    );
  }
  const earliest = formatBangkokDate(nowMs - searchDaysMax * dayMs);
  if (sinceDate < earliest) {
    return refused(
      `${showDate(sinceDate)} is more than ${searchDaysMax} days ago; the earliest is ${showDate(earliest)}`,
    );
  }
  return { kind: 'date', sinceDate };
}

/** True while payouts of the lost part may be missing. */
export function isInQuestion(loss: JournalLoss | undefined): loss is JournalLoss {
  return loss !== undefined && loss.sinceDate <= loss.untilDate;
}

/** The Bangkok days on which something may have been sent that the journal does not know. */
export function daysInQuestion(loss: JournalLoss): string[] {
  return [...eachBangkokDate(loss.sinceDate, loss.untilDate)];
}

/** The same with today by our clock and by the bank's: §2.6 does not say for which date a bank finds a transfer. */
export const daysToSearch = (loss: JournalLoss, nowMs: number, bankNowMs: number | undefined): string[] =>
  [...new Set([...daysInQuestion(loss), ...[nowMs, bankNowMs ?? nowMs].map(formatBangkokDate)])].toSorted();

/** One line for everybody who looks on, while a loss is in force. */
export function describeLoss({ sinceDate, untilDate }: JournalLoss): string {
  const since = showDate(sinceDate);
  const range = sinceDate === untilDate ? `on ${since}` : `from ${since} to ${showDate(untilDate)}`;
  return `The journal was lost or restored: before a payout is sent, the bank is asked whether it was sent ${range}.`;
}

/** True when the next attempt for a payoutId waits until the bank was asked: none was made since the recovery. */
export function mustProbe(loss: JournalLoss | undefined, attempts: readonly Attempt[]): loss is JournalLoss {
  return isInQuestion(loss) && attempts.every(({ intentAtMs }) => intentAtMs <= loss.recoveredAtMs);
}

/** How long a journal counts as new: one that another went before is found out by then. */
const newForMs = 7 * dayMs;

/** @param newSinceMs when it began, or last went on in a new place or after a loss; undefined when nobody knows */
export function isNewJournal(newSinceMs: number | undefined, nowMs: number): boolean {
  return newSinceMs !== undefined && nowMs < newSinceMs + newForMs;
}

/**
 * The days on which a signed row may have been sent, whatever the journal shows: all since it was signed, and those of the
 * sends that the journal knows.
 */
export function daysSinceSigned(
  signedAtMs: number,
  known: readonly Attempt[],
  nowMs: number,
  bankNowMs: number = nowMs,
): string[] {
  const today = Math.max(nowMs, bankNowMs);
  const since = eachBangkokDate(
    formatBangkokDate(Math.min(signedAtMs, nowMs, bankNowMs)),
    formatBangkokDate(today),
  );
  return [...new Set([...since, ...known.map(({ order }) => order.tranDate)])].toSorted();
}

/**
 * What keeps a signed row from being sent under a number, by the bank's word alone: a number that may have moved money, a
 * lower one that the bank does not show as failed, or no answer. Undefined when nothing does.
 */
export function findHiddenSend(number: number, findings: readonly ReferenceFinding[]): Reason | undefined {
  const code = 'earlier-attempt-open';
  for (const { number: asked, transRefNo, reading } of findings) {
    if (mayHaveMoved(reading))
      return { code, text: `the bank knows ${transRefNo}, and money may have moved under it` };
    if (reading.kind === 'nothing-said')
      return { code: 'look-up-unanswered', text: `asked about ${transRefNo}, the bank gave no answer` };
    if (asked < number && reading.kind !== 'failed')
      return { code, text: `the bank shows no failed transfer for ${transRefNo}, which comes before` };
  }
  return undefined;
}

/** What is known of when another journal may have begun to send what this one does not know; undefined where nothing is. */
interface Unknown {
  /** The latest that an adopted journal knew of when it was adopted: its original may have gone on after it was copied. */
  readonly missesSinceMs: number | undefined;
  /** When the file was read in: another journal may have paid it on that day, or the day before. */
  readonly sealedAtMs: number | null;
}

/**
 * The days on which another journal may have sent it, by our clock and by the bank's: today's and those before them, and
 * all since it may have, back to as many as a search may have.
 */
export function daysToAskFirst(
  nowMs: number,
  bankNowMs: number | undefined,
  { missesSinceMs = nowMs, sealedAtMs }: Unknown = { missesSinceMs: undefined, sealedAtMs: null },
): string[] {
  const moments = [nowMs, bankNowMs ?? nowMs].flatMap((today) => [today - dayMs, today]);
  const sinceMs = Math.max(
    Math.min(missesSinceMs, (sealedAtMs ?? nowMs) - dayMs),
    nowMs - searchDaysMax * dayMs,
  );
  const since = eachBangkokDate(formatBangkokDate(sinceMs), formatBangkokDate(nowMs));
  return [...new Set([...since, ...moments.map(formatBangkokDate)])].toSorted();
}

/** What tells how much the bank is asked about a row before it is sent. */
interface AskedBefore extends Unknown {
  readonly loss: JournalLoss | undefined;
  /** `transfer.askFirst` holds now. */
  readonly asksFirst: boolean;
  /** Since when a signature names it; undefined where none is needed. */
  readonly signedAtMs: number | undefined;
  /** The present one, and each that is known to have sent payouts before it. */
  readonly terminals: number;
}

/** Inquiries about a row that was never sent, before it is: none of its references is known to the bank. */
export interface InquiriesBefore {
  readonly each: number;
  readonly reasons: readonly ('loss' | 'askFirst' | 'signed')[];
}

interface Questions {
  readonly why: InquiriesBefore['reasons'][number];
  readonly days: readonly string[];
  readonly numbers: NumberRange;
}

function listQuestions(
  { loss, asksFirst, signedAtMs, ...unknown }: Omit<AskedBefore, 'terminals'>,
  nowMs: number,
): readonly Questions[] {
  const signed: readonly Questions[] =
    signedAtMs === undefined
      ? []
      : [{ why: 'signed', days: daysSinceSigned(signedAtMs, [], nowMs), numbers: rangeUpTo(1) }];
  if (isInQuestion(loss)) {
    const numbers = rangeFromHighest(0, attemptsAhead);
    return [{ why: 'loss', days: daysToSearch(loss, nowMs, undefined), numbers }, ...signed];
  }
  if (!asksFirst) return signed;
  const days = daysToAskFirst(nowMs, undefined, unknown);
  return [{ why: 'askFirst', days, numbers: rangeFromHighest(0, 1) }, ...signed];
}

/** How many inquiries come before a first send, under each terminal. */
export function computeInquiriesBefore({ terminals, ...asked }: AskedBefore, nowMs: number): InquiriesBefore {
  const questions = listQuestions(asked, nowMs);
  const each = questions.reduce((sum, { days, numbers }) => sum + days.length * countNumbers(numbers), 0);
  return { each: each * terminals, reasons: questions.map(({ why }) => why) };
}

/** How far a journal that is being adopted was known to be whole. */
interface Known {
  /** When anything was recorded last; 0 in a new journal. */
  readonly latestMs: number;
  readonly newSinceMs: number | undefined;
  /** Of an earlier adoption. */
  readonly missesSinceMs: number | undefined;
}

/** Since when a journal that is being adopted may miss something: the earliest that still counts. */
export function computeMissesSince({ latestMs, newSinceMs, missesSinceMs }: Known, nowMs: number): number {
  const knownMs = latestMs > 0 ? latestMs : (newSinceMs ?? nowMs);
  return isNewJournal(newSinceMs, nowMs) ? Math.min(knownMs, missesSinceMs ?? knownMs) : knownMs;
}

/** The bank's word on one reference, over all days and terminals in question. */
export interface ReferenceFinding {
  /** The attempt number of the reference. */
  readonly number: number;
  readonly transRefNo: string;
  readonly reading: InquiryReading;
  /** The day for which it said so, and the terminal. */
  readonly tranDate: string;
  readonly termId: string;
  readonly inquiries: number;
}

/** Adds the answer for one day and terminal to what is known of a reference. */
export function addAnswer(
  known: ReferenceFinding | undefined,
  said: Omit<ReferenceFinding, 'inquiries'>,
): ReferenceFinding {
  if (known === undefined) return { ...said, inquiries: 1 };
  const inquiries = known.inquiries + 1;
  return isStronger(said.reading, known.reading) ? { ...said, inquiries } : { ...known, inquiries };
}

const isKnown = ({ reading }: ReferenceFinding): boolean =>
  mayHaveMoved(reading) || reading.kind === 'failed';

/** The numbers of a payoutId that are asked about. */
export interface NumberRange {
  /** The first one asked about. */
  readonly first: number;
  /** The highest one that the journal knows for the payoutId; 0 for none. */
  readonly highest: number;
  /** As many beyond in a row end the search when the bank does not know them. */
  readonly ahead: number;
}

/** The range from the highest number that the journal knows, which may have gone again since. */
export const rangeFromHighest = (highest: number, ahead: number): NumberRange => ({
  first: Math.max(highest, 1),
  highest,
  ahead,
});

/** The range up to a number that is to be sent, and the one beyond. */
export const rangeUpTo = (number: number): NumberRange => ({ first: 1, highest: number, ahead: 1 });

/** How many are asked about where the bank knows none of them. */
const countNumbers = ({ first, highest, ahead }: NumberRange): number =>
  Math.min(highest + ahead, attemptsMax) - first + 1;

/** The next number to ask for; undefined when the search has ended. */
export function computeNextToAsk(
  { first, highest, ahead }: NumberRange,
  findings: readonly ReferenceFinding[],
): number | undefined {
  const highestKnown = Math.max(highest, ...findings.filter(isKnown).map(({ number }) => number));
  const next = first + findings.length;
  return next <= Math.min(highestKnown + ahead, attemptsMax) ? next : undefined;
}

/** A payout, and what the bank said of references that a lost journal may have used, in their order. */
export interface Probe {
  readonly payout: Payout;
  /** Its latest known attempt, from before the loss, that the bank has just shown as failed; undefined for a ready payout. */
  readonly asked?: Attempt | undefined;
  /** Every attempt that the journal knows for the payoutId. */
  readonly known: readonly Attempt[];
  readonly findings: readonly ReferenceFinding[];
  readonly payer: PayerSetup;
  readonly policy: SettlePolicy;
  readonly nowMs: number;
}

/**
 * Decides what becomes of a payout after the probe; undefined when the bank knows nothing, so that the next attempt of a
 * ready one may be made, and one in doubt has failed. References that the bank knows are adopted: what is, or may be,
 * completed is in doubt until a proof carries amount and payee, which an inquiry does not (§2.6). Where the bank shows
 * nothing but failures a ready payout has failed, as it had for the journal that was lost: a next attempt is an
 * operator's decision, since the partner may have been told and have paid it otherwise.
 */
export function decideAfterProbe(probe: Probe): Change | undefined {
  const { asked, nowMs } = probe;
  const findings = probe.findings.filter((finding) => isNews(finding, probe.known));
  const alive = findings.findLast(({ reading }) => mayHaveMoved(reading));
  if (alive !== undefined) {
    const sent = { submittedAtMs: sentAtMs(probe.payout, alive) };
    return adopt(
      { ...probe, findings },
      { status: 'unresolved', ...sent, ...reasonPatch(foundReason(alive)) },
    );
  }
  const silent = findings.find(({ reading }) => reading.kind === 'nothing-said');
  if (silent !== undefined) {
    const { transRefNo, reading } = silent;
    const text = `asked about ${transRefNo}, which another journal may have used, the bank gave no answer: ${reading.reason.text}`;
    return decideProbeLater(probe, { code: 'look-up-unanswered', text }, { unanswered: transRefNo });
  }
  const last = asked === undefined ? findings.findLast(isKnown) : undefined;
  if (last === undefined) return undefined;
  return adopt(
    { ...probe, findings },
    { status: 'failed', ...settled('inquiry', nowMs), ...reasonPatch(failedReason(last)) },
  );
}

/** The sends of a reference that the journal knows, as an inquiry is held against them. */
export const knownOrders = (known: readonly Attempt[], transRefNo: string): readonly TransferOrder[] =>
  known.filter(({ order, sends }) => order.transRefNo === transRefNo && sends > 0).map(({ order }) => order);

/**
 * False for what the bank shows of a send that the journal knows, by its day and time: what follows is decided on that
 * attempt. On the day of a known send another journal may have sent it, too, also from another terminal, where nobody asks
 * about the known one. A failure that was found before is known by its day and terminal.
 */
function isNews(
  { transRefNo, tranDate, termId, reading }: ReferenceFinding,
  known: readonly Attempt[],
): boolean {
  const isFoundBefore = known.some(
    ({ order, referenceConflict }) =>
      referenceConflict &&
      order.transRefNo === transRefNo &&
      order.tranDate === tranDate &&
      order.termId === termId,
  );
  switch (reading.kind) {
    case 'nothing-said':
      return true;
    case 'not-found':
      return false;
    case 'complete':
    case 'in-process':
      return !areOf(reading.moments, knownOrders(known, transRefNo));
    case 'failed':
      return !isFoundBefore && !areOf(reading.moments, knownOrders(known, transRefNo));
  }
}

/**
 * What may have been sent cannot be told now: a ready payout is held, and one in doubt stays so and is asked about later,
 * though its own attempt has failed.
 */
export function decideProbeLater(
  { payout, asked, policy, nowMs }: Omit<Probe, 'findings' | 'payer' | 'known'>,
  reason: Reason,
  why: object,
): Change {
  if (asked === undefined) return decideHold(payout, 'unavailable', reason, nowMs);
  const attempt = foundFailed(asked, nowMs);
  const isUnresolved = payout.status === 'unresolved';
  const nextInquiryAtMs = isUnresolved ? null : computeNextInquiryAtMs({ attempt, policy, nowMs });
  return move({
    payout,
    patch: {},
    cause: 'inquired',
    nowMs,
    attempt: { ...attempt, nextInquiryAtMs },
    detail: { finding: 'failed', ...why },
  });
}

const foundFailed = (asked: Attempt, nowMs: number): Attempt => ({
  ...asked,
  acknowledged: true,
  hasFailedItem: true,
  inquiries: asked.inquiries + 1,
  lastInquiryAtMs: nowMs,
  lastFinding: 'failed',
});

function adopt(probe: Probe, ending: PayoutPatch): Change {
  const { payout, asked, nowMs } = probe;
  const adopted = probe.findings.filter(isKnown);
  const attemptsRecorded = Math.max(0, ...probe.known.map((attempt) => attempt.attemptNo));
  const attemptNo = attemptsRecorded + adopted.length;
  const found = adopted.map(({ transRefNo, tranDate, termId, reading }) => ({
    transRefNo,
    tranDate,
    termId,
    finding: reading.kind,
  }));
  const patch = { ...ending, holds: [], attemptNo };
  const attempt: Attempt | undefined = asked && {
    ...foundFailed(asked, nowMs),
    status: 'failed',
    nextInquiryAtMs: null,
  };
  const adopts = adopted.map((finding, index) => adoptAttempt(probe, finding, attemptsRecorded + index));
  return { ...move({ payout, patch, cause: 'found-after-loss', nowMs, attempt, detail: { found } }), adopts };
}

/** The day for which the bank knows it is all that is known: it counts on that day. */
function sentAtMs({ submittedAtMs }: Payout, { tranDate }: ReferenceFinding): number {
  const isKnownDay = submittedAtMs !== null && formatBangkokDate(submittedAtMs) === tranDate;
  return isKnownDay ? submittedAtMs : startOf(tranDate);
}

function startOf(date: string): number {
  const startMs = parseBangkokDate(date);
  if (startMs === undefined) throw new RangeError(`${date} names no day`);
  return startMs;
}

const foundReason = ({ transRefNo, tranDate, reading }: ReferenceFinding): Reason => ({
  code: 'found-after-loss',
  text:
    `the bank knows ${transRefNo} (${showDate(tranDate)}, ${reading.kind}), which another journal, or a lost part of this one, must have sent: ` +
    'only a proof with amount and payee, such as a statement line, can call it paid',
});

const failedReason = ({ transRefNo, tranDate, reading: { reason } }: ReferenceFinding): Reason => ({
  code: reason.code,
  text: `sent as ${transRefNo} (${showDate(tranDate)}) by another journal, or a lost part of this one, and failed: ${reason.text}`,
});

/**
 * The record of an attempt that the bank knows and the journal does not: what this row would have sent, as if at the
 * start of the day for which the bank knows it. Contested: it may have been sent with something else.
 */
function adoptAttempt(
  { payout, payer, policy, nowMs }: Probe,
  { number, reading, tranDate, termId, inquiries }: ReferenceFinding,
  attemptsRecorded: number,
): Attempt {
  const { attempt } = decideIntent({
    payout,
    attemptsRecorded,
    number,
    cleared: [],
    names: noBankNames,
    payer: { ...payer, termId },
    policy,
    nowMs: startOf(tranDate),
  });
  return {
    ...attempt,
    status: reading.kind === 'failed' ? 'failed' : 'unresolved',
    acknowledged: true,
    hasFailedItem: reading.kind === 'failed',
    referenceConflict: true,
    inquiries,
    lastInquiryAtMs: nowMs,
    lastFinding: reading.kind,
    nextInquiryAtMs: null,
    sysRefNo: 'sysRefNo' in reading ? reading.sysRefNo : null,
  };
}
