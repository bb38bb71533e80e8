/**
 * The rules of evidence of reconciliation: what we say of an attempt, which lines speak of it at all, and what the
 * statements of several days say together. statement-match.ts asks here; nothing of this knows how a break is named.
 */
import { dayMs, parseBangkokDate } from '../../core/bangkok-time.ts';
import type { AttemptStatus } from '../../core/payout.ts';
import { findDifferences, fitsIdentity, isOfEarlierTransfer } from './differences.ts';
import type { StatementLine } from './statement.ts';
import type { AttemptFacts, BreakRecord, LineElsewhere, StatementDay } from './types.ts';

/** What we say of the money of an attempt: proved moved, proved unmoved, or in doubt. */
export type OurWord = 'paid' | 'closed' | 'open';

const ourWords = {
  recorded: 'open',
  sent: 'open',
  unresolved: 'open',
  paid: 'paid',
  failed: 'closed',
  refused: 'closed',
} as const satisfies Record<AttemptStatus, OurWord>;

export const ourWordOf = ({ attemptStatus }: Pick<AttemptFacts, 'attemptStatus'>): OurWord =>
  ourWords[attemptStatus];

/** Statuses of attempts in doubt. */
export const statusesInDoubt = ['recorded', 'sent', 'unresolved'] as const satisfies AttemptStatus[];

/** True for an attempt of which a statement's silence says something. */
export const isMissedInSilence = (status: AttemptStatus): boolean => ourWords[status] !== 'closed';

/** The lines of other days that speak of the attempt itself. */
export function findOwnLines(
  attempt: AttemptFacts,
  elsewhere: readonly LineElsewhere[],
): readonly LineElsewhere[] {
  return elsewhere.filter(({ line, date }) => !isOfEarlierTransfer(line, attempt, date));
}

/** A line in process may be an earlier word on one that is complete; failed is whatever nothing else speaks of as alive. */
export function contradicts(line: StatementLine, other: StatementLine): boolean {
  if (line.status !== 'complete') return other.status !== line.status;
  return other.status === 'failed' || other.status === 'other';
}

/**
 * What failed on one day may complete on a later one, but what may have completed on any has not failed. In process is
 * the earlier word on whatever a later day calls finished.
 */
export function countsAgainst(line: StatementLine, other: LineElsewhere, date: string): boolean {
  if (other.date > date) return true;
  return line.status === 'failed' && other.line.status !== 'in-process';
}

/** The last that the statements of later days say of a transfer is what we say of it, and nothing speaks against it. */
export function isFinishedLater(
  attempt: AttemptFacts,
  elsewhere: readonly LineElsewhere[],
  date: string,
): boolean {
  const later = elsewhere.filter((other) => other.date > date);
  const lastDate = later
    .map((other) => other.date)
    .toSorted()
    .at(-1);
  const last = later.filter((other) => other.date === lastDate);
  const word = ourWordOf(attempt) === 'paid' ? 'complete' : 'failed';
  const saysSo = ({ line, date: on }: LineElsewhere): boolean =>
    line.status === word && fitsIdentity(findDifferences(line, attempt, on));
  if (last.length === 0 || !last.every(saysSo)) return false;
  return word === 'complete' || elsewhere.every(({ line }) => mayHaveFailed(line));
}

/**
 * An inquiry that was made when the statement's day was over says what we say: a line in process is the older word, as
 * of a transfer shortly before midnight that ended shortly after.
 */
export function isFinishedByInquiry(attempt: AttemptFacts, date: string): boolean {
  const startMs = parseBangkokDate(date);
  if (startMs === undefined) throw new RangeError(`${date} names no day`);
  const finding = ourWordOf(attempt) === 'paid' ? 'complete' : 'failed';
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

/** It failed by a statement's word alone, and no statement says so any more. */
export function isFailureWithdrawn(attempt: AttemptFacts, elsewhere: readonly LineElsewhere[]): boolean {
  const { attemptStatus, payoutStatus, settledBy } = attempt;
  const isByStatement = attemptStatus === 'failed' && payoutStatus === 'failed' && settledBy === 'statement';
  return isByStatement && !findOwnLines(attempt, elsewhere).some(({ line }) => line.status === 'failed');
}

/** An inquiry or a person has settled the attempt after its lines were judged: theirs is the newer word. */
export function wasSettledSince(known: BreakRecord | undefined, attempt: AttemptFacts | undefined): boolean {
  if (known === undefined || known.attempt === null || attempt === undefined) return false;
  const wasOpen = ourWordOf(known.attempt) === 'open';
  const isAsked = (attempt.lastInquiryAtMs ?? 0) > known.openedAtMs;
  return ourWordOf(attempt) !== 'open' && (wasOpen || isAsked);
}

/** What a store knows of a key in the statements of other days. */
export interface KnownElsewhere {
  /** The lines that it keeps. */
  readonly lines: readonly LineElsewhere[];
  /** The statement of the attempt's own day is known to lack it. */
  readonly isAbsent: boolean;
  /** Breaks of the key and the judged day that are open. */
  readonly open: readonly BreakRecord[];
}

/**
 * What other days' statements say of a key. A statement keeps no list of what it agreed on: its own day's has the
 * transfer too when we called it paid before any line here did, that statement was read, and it is not known to lack it.
 */
export function withOwnDay(
  known: KnownElsewhere,
  [line]: readonly StatementLine[],
  attempt: AttemptFacts,
  { date, readDates }: StatementDay,
): readonly LineElsewhere[] {
  const { tranDate } = attempt.order;
  const mayRepeat = line !== undefined && attempt.attemptStatus === 'paid' && tranDate < date;
  if (!mayRepeat || !readDates.has(tranDate)) return known.lines;
  const isKnown = known.isAbsent || known.lines.some((other) => other.date === tranDate);
  const wasUnpaid = known.open.some(
    (record) => record.attempt !== null && ourWordOf(record.attempt) !== 'paid',
  );
  if (isKnown || wasUnpaid) return known.lines;
  return [...known.lines, { date: tranDate, line: { ...line, status: 'complete', effectiveDate: tranDate } }];
}
