/**
 * The rules of evidence of reconciliation: what we say of an attempt, which lines speak of it at all, and what the
 * statements of several days say together. Nothing of this knows how a break is named.
 */
import { dayMs, parseBangkokDate } from '../../core/bangkok-time.ts';
import type { Attempt, AttemptStatus, Payout } from '../../core/payout.ts';
import { findDifferences, fitsIdentity, isOfEarlierTransfer, whyOfNoSend } from './differences.ts';
import type { StatementLine } from './statement.ts';
import type { AttemptFacts, BreakRecord, DayFacts, OtherDayLine } from './types.ts';

/** What we say of the money of an attempt: proved moved, proved unmoved, or in doubt. */
export type BookStatus = 'paid' | 'unpaid' | 'pending';

const bookStatuses = {
  recorded: 'pending',
  sent: 'pending',
  unresolved: 'pending',
  paid: 'paid',
  failed: 'unpaid',
  refused: 'unpaid',
} as const satisfies Record<AttemptStatus, BookStatus>;

export const bookStatusOf = ({ attemptStatus }: Pick<AttemptFacts, 'attemptStatus'>): BookStatus =>
  bookStatuses[attemptStatus];

/** Statuses of attempts in doubt. */
export const statusesInDoubt = ['recorded', 'sent', 'unresolved'] as const satisfies AttemptStatus[];

/** True for an attempt in doubt whose reference went before on its day. @param attempts of its payoutId */
export const isRepeatedOnDay = (
  { status, order, attemptNo }: Attempt,
  attempts: readonly Attempt[],
): boolean =>
  bookStatuses[status] === 'pending' &&
  attempts.some(
    (other) =>
      other.attemptNo !== attemptNo &&
      other.order.transRefNo === order.transRefNo &&
      other.order.tranDate === order.tranDate,
  );

/** True for an attempt of which a statement's silence says something. */
export const isMissedInSilence = (status: AttemptStatus): boolean => bookStatuses[status] !== 'unpaid';

/** The lines of other days that speak of the attempt itself. */
export function findOwnLines(
  attempt: AttemptFacts,
  otherDayLines: readonly OtherDayLine[],
): readonly OtherDayLine[] {
  return otherDayLines.filter(({ line, date }) => !isOfEarlierTransfer(line, attempt, date));
}

/**
 * A line in process may be an earlier word on one that is complete; failed is whatever nothing else speaks of as alive. One
 * that cannot be read may say anything.
 */
export function contradicts(line: StatementLine, other: StatementLine): boolean {
  if (line.fault === '' && other.fault !== '') return true;
  if (line.status !== 'complete') return other.status !== line.status;
  return other.status !== 'complete' && other.status !== 'in-process';
}

/**
 * What failed on one day may complete on a later one, but what may have completed on any has not failed. In process is
 * the earlier word on whatever a later day calls finished.
 */
export function countsAgainst(line: StatementLine, other: OtherDayLine, date: string): boolean {
  if (other.date > date) return true;
  return line.status === 'failed' && other.line.status !== 'in-process';
}

/** The last that the statements of later days say of a transfer is what we say of it, and nothing speaks against it. */
export function isConfirmedByLaterDay(
  attempt: AttemptFacts,
  otherDayLines: readonly OtherDayLine[],
  date: string,
): boolean {
  const later = otherDayLines.filter((other) => other.date > date);
  const lastDate = later
    .map((other) => other.date)
    .toSorted()
    .at(-1);
  const last = later.filter((other) => other.date === lastDate);
  const word = bookStatusOf(attempt) === 'paid' ? 'complete' : 'failed';
  const saysSo = ({ line, date: on }: OtherDayLine): boolean =>
    (word === 'complete' ? line.status === word : isOwnFailure(line, attempt, on)) &&
    fitsIdentity(findDifferences(line, attempt, on));
  if (last.length === 0 || !last.every(saysSo)) return false;
  return word === 'complete' || otherDayLines.every(({ line }) => mayHaveFailed(line));
}

/**
 * An inquiry that was made when the statement's day was over says what we say: a line in process is the older word, as
 * of a transfer shortly before midnight that ended shortly after.
 */
export function isFinishedByInquiry(attempt: AttemptFacts, date: string): boolean {
  const startMs = parseBangkokDate(date);
  if (startMs === undefined) throw new RangeError(`${date} names no day`);
  const finding = bookStatusOf(attempt) === 'paid' ? 'complete' : 'failed';
  return attempt.lastFinding === finding && (attempt.lastInquiryAtMs ?? 0) >= startMs + dayMs;
}

const mayHaveFailed = ({ status }: StatementLine): boolean => status === 'failed' || status === 'in-process';

/**
 * Another attempt of the payout has been proved as well, or the row was paid before this one was: when it is complete,
 * money has gone out twice.
 */
export function isPaidByAnother(attempt: AttemptFacts): boolean {
  const isRowPaid = attempt.payoutStatus === 'paid' && attempt.attemptStatus !== 'paid';
  return isRowPaid || attempt.isPaidOtherwise === true;
}

/** True for a line by which a send of the attempt has failed. */
export const isOwnFailure = (line: StatementLine, attempt: AttemptFacts, date: string): boolean =>
  line.status === 'failed' && whyOfNoSend(line, attempt, date) === undefined;

/** It failed by a statement's word alone, and no statement says so any more. */
export function isFailureRetracted(attempt: AttemptFacts, otherDayLines: readonly OtherDayLine[]): boolean {
  const { attemptStatus, payoutStatus, settledBy, lastFinding } = attempt;
  const isRowByStatement = payoutStatus === 'failed' && settledBy === 'statement';
  // How the attempt itself has failed: its row may have been tried again since, or have failed by another one's reply.
  const isFailedByStatement = attempt.isFailedByStatement ?? isRowByStatement;
  const isByStatement = attemptStatus === 'failed' && isFailedByStatement && lastFinding !== 'failed';
  return (
    isByStatement &&
    !findOwnLines(attempt, otherDayLines).some(({ line, date }) => isOwnFailure(line, attempt, date))
  );
}

/** An inquiry or a person has settled the attempt after its lines were judged: theirs is the newer word. */
export function wasSettledSince(known: BreakRecord | undefined, attempt: AttemptFacts | undefined): boolean {
  if (known === undefined || known.attempt === null || attempt === undefined) return false;
  const wasOpen = bookStatusOf(known.attempt) === 'pending';
  const isAsked = (attempt.lastInquiryAtMs ?? 0) > known.openedAtMs;
  return bookStatusOf(attempt) !== 'pending' && (wasOpen || isAsked);
}

/**
 * A line of a statement that was read before may still say that the transfer failed: it was held back then, by a
 * contradiction or a lost journal, and no inquiry has found the transfer alive since; or paid rests on a statement that
 * says so no more, and no other attempt stands for it.
 * @param acceptedAtMs when the day's present version was accepted
 */
export function mayStillFail(
  attempt: AttemptFacts | undefined,
  standingBreaks: readonly BreakRecord[],
  acceptedAtMs: number,
  otherDayLines: DayFacts['otherDayLines'],
): boolean {
  if (attempt === undefined) return false;
  if (bookStatusOf(attempt) === 'paid' && attempt.settledBy === 'statement')
    return attempt.isPaidOtherwise !== true && !otherDayLines.some(({ line }) => line.status === 'complete');
  const heldBack = standingBreaks.find((known) => known.kind === 'status-mismatch' || known.attempt === null);
  // One that was opened since is what newer evidence has made of the line.
  if (heldBack === undefined || heldBack.openedAtMs > acceptedAtMs) return false;
  const { lastFinding, lastInquiryAtMs } = attempt;
  const isAlive = lastFinding === 'in-process' || lastFinding === 'complete';
  return !(isAlive && (lastInquiryAtMs ?? 0) > heldBack.openedAtMs);
}

/** How long after an attempt's Bangkok day a reply to it may still be awaited: its bytes leave on that day only. */
const replyMsMax = 3_600_000;

/**
 * True while a request of the attempt may be under way, in whatever process: its latest send is recorded, and neither a
 * reply to it nor an inquiry since. What a statement calls failed meanwhile may yet be answered as paid.
 */
export function isRequestUnderWay(owner: Payout, attempt: Attempt, nowMs: number): boolean {
  const dayFromMs = parseBangkokDate(attempt.order.tranDate);
  if (dayFromMs !== undefined && nowMs >= dayFromMs + dayMs + replyMsMax) return false;
  if (attempt.status === 'recorded') return attempt.inquiries === 0;
  // Each answer leaves its reason with the row; a send, the first or another, takes it away.
  const isLatest = owner.status === 'submitted' && owner.attemptNo === attempt.attemptNo;
  return attempt.status === 'sent' && isLatest && owner.reasonCode === null;
}
