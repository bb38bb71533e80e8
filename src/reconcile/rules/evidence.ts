/**
 * The rules of evidence for reconciliation: our own status of an attempt, the lines about it, and their joint meaning
 * over several days. They do not depend on the names of breaks.
 */
import { dayMs, parseBangkokDate } from '../../core/bangkok-time.ts';
import type { Attempt, AttemptStatus, Payout } from '../../core/payout.ts';
import { findDifferences, fitsIdentity, isOfEarlierTransfer, whyOfNoSend } from './differences.ts';
import type { StatementLine } from './statement.ts';
import type { AttemptFacts, BreakRecord, DayFacts, OtherDayLine } from './types.ts';

/** Our view of an attempt's money: proved moved, proved unmoved, or in doubt. */
type BookStatus = 'paid' | 'unpaid' | 'pending';

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

/**
 * True for an attempt in doubt whose reference was sent before on its day.
 * @param attempts of its payoutId
 */
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

/** True for an attempt whose absence from a statement matters. */
export const isMissedInSilence = (status: AttemptStatus): boolean => bookStatuses[status] !== 'unpaid';

/** The lines of other days that concern the attempt itself. */
export function findOwnLines(
  attempt: AttemptFacts,
  otherDayLines: readonly OtherDayLine[],
): readonly OtherDayLine[] {
  return otherDayLines.filter(({ line, date }) => !isOfEarlierTransfer(line, attempt, date));
}

/**
 * True when the other line contradicts the first. A line in process may precede a complete one; a failed line stands
 * unless another shows the transfer alive. An unreadable line may say anything.
 */
export function contradicts(line: StatementLine, other: StatementLine): boolean {
  if (line.fault === '' && other.fault !== '') return true;
  if (line.status !== 'complete') return other.status !== line.status;
  return other.status !== 'complete' && other.status !== 'in-process';
}

/**
 * True when the other day's line counts against this one. A transfer that failed on one day may complete later, but one
 * that may have completed on any day has not failed. In process is superseded by any later result.
 */
export function countsAgainst(line: StatementLine, other: OtherDayLine, date: string): boolean {
  if (other.date > date) return true;
  return line.status === 'failed' && other.line.status !== 'in-process';
}

/** True when the last word of later statements about a transfer agrees with us, and nothing contradicts it. */
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
 * True when an inquiry after the statement's day agrees with us: a line in process is then older, for example of a
 * transfer shortly before midnight that ended shortly after.
 */
export function isFinishedByInquiry(attempt: AttemptFacts, date: string): boolean {
  const startMs = parseBangkokDate(date);
  if (startMs === undefined) throw new RangeError(`${date} names no day`);
  const finding = bookStatusOf(attempt) === 'paid' ? 'complete' : 'failed';
  return attempt.lastFinding === finding && (attempt.lastInquiryAtMs ?? 0) >= startMs + dayMs;
}

const mayHaveFailed = ({ status }: StatementLine): boolean => status === 'failed' || status === 'in-process';

/**
 * True when another attempt of the payout was proved as well, or the row was paid before this one: if it is complete,
 * money has gone out twice.
 */
export function isPaidByAnother(attempt: AttemptFacts): boolean {
  const isRowPaid = attempt.payoutStatus === 'paid' && attempt.attemptStatus !== 'paid';
  return isRowPaid || attempt.isPaidOtherwise === true;
}

/** True for a line that shows a failed send of the attempt. */
export const isOwnFailure = (line: StatementLine, attempt: AttemptFacts, date: string): boolean =>
  line.status === 'failed' && whyOfNoSend(line, attempt, date) === undefined;

/** True when it failed only by a statement, and no statement says so any more. */
export function isFailureRetracted(attempt: AttemptFacts, otherDayLines: readonly OtherDayLine[]): boolean {
  const { attemptStatus, payoutStatus, settledBy, lastFinding } = attempt;
  const isRowByStatement = payoutStatus === 'failed' && settledBy === 'statement';
  // The attempt's own failure: its row may have been retried since, or have failed by another attempt's reply.
  const isFailedByStatement = attempt.isFailedByStatement ?? isRowByStatement;
  const isByStatement = attemptStatus === 'failed' && isFailedByStatement && lastFinding !== 'failed';
  return (
    isByStatement &&
    !findOwnLines(attempt, otherDayLines).some(({ line, date }) => isOwnFailure(line, attempt, date))
  );
}

/**
 * True when an inquiry or a person has settled the attempt after its lines were judged, so that theirs is the newer
 * result.
 */
export function wasSettledSince(known: BreakRecord | undefined, attempt: AttemptFacts | undefined): boolean {
  if (known === undefined || known.attempt === null || attempt === undefined) return false;
  const wasOpen = bookStatusOf(known.attempt) === 'pending';
  const isAsked = (attempt.lastInquiryAtMs ?? 0) > known.openedAtMs;
  return bookStatusOf(attempt) !== 'pending' && (wasOpen || isAsked);
}

/**
 * True when a line of an earlier statement may still fail the transfer: it was held back by a contradiction or a lost
 * journal, and no inquiry has found the transfer alive since; or paid rests on a statement that no longer says so,
 * without another attempt.
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
  // A break opened since then is the result of newer evidence about the line.
  if (heldBack === undefined || heldBack.openedAtMs > acceptedAtMs) return false;
  const { lastFinding, lastInquiryAtMs } = attempt;
  const isAlive = lastFinding === 'in-process' || lastFinding === 'complete';
  return !(isAlive && (lastInquiryAtMs ?? 0) > heldBack.openedAtMs);
}

/** Time in ms after an attempt's Bangkok day in which a reply may still come: its bytes leave only on that day. */
const replyMsMax = 3_600_000;

/**
 * True while a request of the attempt may be under way in any process: its latest send is recorded, without a reply or
 * an inquiry since. A statement's failure may yet be answered with paid.
 */
export function isRequestUnderWay(owner: Payout, attempt: Attempt, nowMs: number): boolean {
  const dayFromMs = parseBangkokDate(attempt.order.tranDate);
  if (dayFromMs !== undefined && nowMs >= dayFromMs + dayMs + replyMsMax) return false;
  if (attempt.status === 'recorded') return attempt.inquiries === 0;
  // Each answer leaves its reason with the row, and each send removes it.
  const isLatest = owner.status === 'submitted' && owner.attemptNo === attempt.attemptNo;
  return attempt.status === 'sent' && isLatest && owner.reasonCode === null;
}
