/**
 * Rules for a lost journal: one that was lost, or restored from an older copy, lacks the sends since then. The
 * references of a payout depend only on company, payoutId and attempt, so the bank is asked about those that may have
 * been used, on each day in question, before anything more is sent for it.
 */
import { type Message, message } from '../../core/message.ts';
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

/** Numbers beyond the last known one that are asked about after a loss. */
export const attemptsAhead = 5;

/** Most days of a search: each day costs an inquiry for each reference. */
export const searchDaysMax = 90;

/** "2026-11-21" of "20261121". */
export function showDate(date: string): string {
  return `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
}

type SinceReading =
  { readonly kind: 'date'; readonly sinceDate: string } | { readonly kind: 'refused'; readonly why: string };

/**
 * Reads the day of `--since`, as YYYY-MM-DD or YYYYMMDD. Tomorrow is allowed, and means that no day is in question any
 * more.
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

/** True while the journal may lack payouts of the lost part. */
export function isInQuestion(loss: JournalLoss | undefined): loss is JournalLoss {
  return loss !== undefined && loss.sinceDate <= loss.untilDate;
}

/** The Bangkok days that may have sends unknown to the journal. @forTests */
export function daysInQuestion(loss: JournalLoss): string[] {
  return [...eachBangkokDate(loss.sinceDate, loss.untilDate)];
}

/**
 * The same days and today, by our clock and by the bank's: §2.6 does not say for which date a bank finds a transfer.
 */
export const daysToSearch = (loss: JournalLoss, nowMs: number, bankNowMs: number | undefined): string[] =>
  [...new Set([...daysInQuestion(loss), ...[nowMs, bankNowMs ?? nowMs].map(formatBangkokDate)])].toSorted();

/** Describes a loss while it is in force. */
export function describeLoss({ sinceDate, untilDate }: JournalLoss): Message {
  const first = showDate(sinceDate);
  return sinceDate === untilDate
    ? message('health.after-loss-on', { day: first })
    : message('health.after-loss-between', { first, last: showDate(untilDate) });
}

/** True when the next attempt for a payoutId waits until the bank was asked: no attempt was made since the recovery. */
export function mustProbe(loss: JournalLoss | undefined, attempts: readonly Attempt[]): loss is JournalLoss {
  return isInQuestion(loss) && attempts.every(({ intentAtMs }) => intentAtMs <= loss.recoveredAtMs);
}

/** Time in ms for which a journal counts as new; an earlier journal is found out by then. */
const newForMs = 7 * dayMs;

/** @param newSinceMs when it began, or last went on in a new place or after a loss; undefined when unknown */
export function isNewJournal(newSinceMs: number | undefined, nowMs: number): boolean {
  return newSinceMs !== undefined && nowMs < newSinceMs + newForMs;
}

/**
 * Days on which a signed row may have been sent, whatever the journal shows: all since the signature, and those of
 * known sends.
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
 * Reason why a signed row may not be sent under a number, by the bank's answers alone: a number may have moved money, a
 * lower one is not shown as failed, or there is no answer. Undefined when it may be sent.
 */
export function findHiddenSend(number: number, findings: readonly ReferenceFinding[]): Reason | undefined {
  const code = 'earlier-attempt-open';
  for (const { number: asked, transRefNo, reading } of findings) {
    if (mayHaveMoved(reading)) return { code, text: message('attempt.may-have-moved', { ref: transRefNo }) };
    if (reading.kind === 'nothing-said')
      return { code: 'look-up-unanswered', text: message('attempt.unanswered', { ref: transRefNo }) };
    if (asked < number && reading.kind !== 'failed')
      return { code, text: message('attempt.none-failed-before', { ref: transRefNo }) };
  }
  return undefined;
}

/** The start of possible sends by another journal, as far as known. */
interface Unknown {
  /** Latest event that an adopted journal had at its adoption: its original may have gone on after the copy. */
  readonly missesSinceMs: number | undefined;
  /** Time at which the file was read: another journal may have paid it on that day, or the day before. */
  readonly sealedAtMs: number | null;
}

/**
 * Days on which another journal may have sent the payout, by our clock and by the bank's: today and the day before, and
 * all days since the possible start, up to the most days of a search.
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

/** Facts that decide how often the bank is asked about a row before it is sent. */
interface AskedBefore extends Unknown {
  readonly loss: JournalLoss | undefined;
  /** True when `transfer.askFirst` applies now. */
  readonly asksFirst: boolean;
  /** Time of the signature that names the row; undefined when none is needed. */
  readonly signedAtMs: number | undefined;
  /** Number of terminals: the present one, and each other that is known to have sent payouts. */
  readonly terminals: number;
}

/** Inquiries before the first send of a row, if the bank knows none of its references. */
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

/** Number of inquiries before a first send, over all terminals. */
export function computeInquiriesBefore({ terminals, ...asked }: AskedBefore, nowMs: number): InquiriesBefore {
  const questions = listQuestions(asked, nowMs);
  const each = questions.reduce((sum, { days, numbers }) => sum + days.length * countNumbers(numbers), 0);
  return { each: each * terminals, reasons: questions.map(({ why }) => why) };
}

/** How complete a journal was known to be before its adoption. */
interface Known {
  /** Time of the last record; 0 in a new journal. */
  readonly latestMs: number;
  readonly newSinceMs: number | undefined;
  /** Start of the missing time after an earlier adoption. */
  readonly missesSinceMs: number | undefined;
}

/** Start of the time in which a journal being adopted may lack records: the earliest that still counts. */
export function computeMissesSince({ latestMs, newSinceMs, missesSinceMs }: Known, nowMs: number): number {
  const knownMs = latestMs > 0 ? latestMs : (newSinceMs ?? nowMs);
  return isNewJournal(newSinceMs, nowMs) ? Math.min(knownMs, missesSinceMs ?? knownMs) : knownMs;
}

/** The bank's answer about one reference, over all days and terminals in question. */
export interface ReferenceFinding {
  /** Attempt number of the reference. */
  readonly number: number;
  readonly transRefNo: string;
  readonly reading: InquiryReading;
  /** Day and terminal of the answer. */
  readonly tranDate: string;
  readonly termId: string;
  readonly inquiries: number;
}

/** Adds the answer for one day and terminal to those about a reference. */
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

/** The numbers of a payoutId to ask about. */
export interface NumberRange {
  /** First number. */
  readonly first: number;
  /** Highest number that the journal knows for the payoutId; 0 for none. */
  readonly highest: number;
  /** Unknown numbers in a row that end the search. */
  readonly ahead: number;
}

/** The range from the highest number that the journal knows, which may have been sent again since. */
export const rangeFromHighest = (highest: number, ahead: number): NumberRange => ({
  first: Math.max(highest, 1),
  highest,
  ahead,
});

/** The range up to the number to be sent, and the next one. */
export const rangeUpTo = (number: number): NumberRange => ({ first: 1, highest: number, ahead: 1 });

/** Numbers asked about when the bank knows none of them. */
const countNumbers = ({ first, highest, ahead }: NumberRange): number =>
  Math.min(highest + ahead, attemptsMax) - first + 1;

/** The next number to ask about; undefined at the end of the search. */
export function computeNextToAsk(
  { first, highest, ahead }: NumberRange,
  findings: readonly ReferenceFinding[],
): number | undefined {
  const highestKnown = Math.max(highest, ...findings.filter(isKnown).map(({ number }) => number));
  const next = first + findings.length;
  return next <= Math.min(highestKnown + ahead, attemptsMax) ? next : undefined;
}

/** A payout, and the bank's answers about references that a lost journal may have used, in order. */
export interface Probe {
  readonly payout: Payout;
  /**
   * Its latest known attempt, from before the loss, that the bank has just shown as failed; undefined for a ready
   * payout.
   */
  readonly asked?: Attempt | undefined;
  /** Every attempt that the journal knows for the payoutId. */
  readonly known: readonly Attempt[];
  readonly findings: readonly ReferenceFinding[];
  readonly payer: PayerSetup;
  readonly policy: SettlePolicy;
  readonly nowMs: number;
}

/**
 * Decides on a payout after the probe. Undefined when the bank knows nothing: a ready payout may make its next attempt,
 * and one in doubt has failed. References that the bank knows are adopted: one that is completed, or may be, is in
 * doubt until a proof carries amount and payee, which an inquiry does not (§2.6). If the bank shows only failures, a
 * ready payout has failed, as it had for the lost journal; an operator decides on a next attempt, since the partner may
 * have been told and have paid in another way.
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
    const why = reading.reason.text;
    const text = message('attempt.other-journal-unanswered', { ref: transRefNo, why });
    return decideProbeLater(probe, { code: 'look-up-unanswered', text }, { unanswered: transRefNo });
  }
  const last = asked === undefined ? findings.findLast(isKnown) : undefined;
  if (last === undefined) return undefined;
  return adopt(
    { ...probe, findings },
    { status: 'failed', ...settled('inquiry', nowMs), ...reasonPatch(failedReason(last)) },
  );
}

/** Sends of a reference that the journal knows, in the form to compare with an inquiry. */
export const knownOrders = (known: readonly Attempt[], transRefNo: string): readonly TransferOrder[] =>
  known.filter(({ order, sends }) => order.transRefNo === transRefNo && sends > 0).map(({ order }) => order);

/**
 * False when the bank's answer concerns a send that the journal knows, by its day and time: that attempt is decided on
 * by itself. On the day of a known send another journal may have sent it, too, even from another terminal, under which
 * the known one is not inquired. A failure found earlier is recognised by its day and terminal.
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
 * Postpones the decision while possible sends are unknown: a ready payout is held. One in doubt stays in doubt and is
 * inquired later, although its own attempt has failed.
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

/** Time of the send. Only its day at the bank is known, and the payout counts on that day. */
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
  text: message('attempt.found', {
    ref: transRefNo,
    day: showDate(tranDate),
    finding: message(`inquiry-says.${reading.kind}`),
  }),
});

const failedReason = ({ transRefNo, tranDate, reading: { reason } }: ReferenceFinding): Reason => ({
  code: reason.code,
  text: message('attempt.found-failed', { ref: transRefNo, day: showDate(tranDate), why: reason.text }),
});

/**
 * Composes an attempt that the bank knows and the journal does not: the send that this row would have made, at the
 * start of the day at the bank. It counts as contested, since its content may have been different.
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
