/** Judges an attempt without a line in a day's statement: absence proves nothing (design: I3). */
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';
import { bookStatusOf, findOwnLines, isFailureRetracted } from './evidence.ts';
import type { AbsenceKind, AttemptFacts, DayFacts, Judgement, Severity, StatementDay } from './types.ts';

/** The judgement on a key without any finding. */
export const nothing: Judgement = {
  lineClasses: [],
  paidClass: undefined,
  breaks: [],
  step: undefined,
  stepLineAt: null,
};

const severities: Readonly<Record<AbsenceKind, Severity>> = {
  'line-unreadable': 'medium',
  'missing-at-bank': 'high',
  'no-trace': 'medium',
  'pending-not-in-statement': 'low',
};

const retracted =
  'a statement said that it failed, and the one that has superseded it does not have it: the bank may yet complete it';

/**
 * Meaning of an attempt's absence from a day's statement (design: I3): absence proves nothing. Only the statement of an
 * attempt's own day can lack it, and says nothing about the money of one in doubt.
 */
export function judgeAbsence({ attempt, otherDayLines }: DayFacts, day: StatementDay): Judgement {
  if (attempt === undefined || attempt.order.tranDate !== day.date) return nothing;
  const name = (kind: AbsenceKind, reason: string, severity = severities[kind]): Judgement => {
    return { ...nothing, breaks: [{ kind, severity, date: day.date, lineAt: null, reason }] };
  };
  const isElsewhere = findOwnLines(attempt, otherDayLines).length > 0;
  switch (bookStatusOf(attempt)) {
    case 'paid': {
      if (isElsewhere) return { ...nothing, paidClass: 'found-other-day' };
      if (day.unreadDates.has(day.date))
        return { ...name('line-unreadable', mayBeUnread), paidClass: 'line-unreadable' };
      const reason = 'we call it paid, and the statement of its day does not have it';
      return { ...name('missing-at-bank', reason), paidClass: 'missing-at-bank' };
    }
    case 'unpaid':
      if (!isFailureRetracted(attempt, otherDayLines)) return nothing;
      return { ...name('pending-not-in-statement', retracted, 'high'), step: 'reopen' };
    case 'pending': {
      if (isElsewhere) return nothing;
      const waits = whyNotTraceless(attempt, day);
      if (waits === undefined) return name('no-trace', traceless);
      return name(
        'pending-not-in-statement',
        `in doubt, and the statement of its day does not have it; ${waits}`,
      );
    }
  }
}

const mayBeUnread = 'we call it paid, and no line names it: one that cannot be read may be it';

const traceless =
  "in doubt, in neither its day's statement nor the next day's; inquiry finds nothing, and the bank never acknowledged it";

/** Reason why an absent attempt in doubt may still turn up; undefined when every question was asked. */
function whyNotTraceless(
  attempt: AttemptFacts,
  { readDates, unreadDates }: StatementDay,
): string | undefined {
  const { order, lastFinding, lastInquiryAtMs } = attempt;
  const startMs = parseBangkokDate(order.tranDate);
  if (startMs === undefined) throw new RangeError(`${order.tranDate} names no day`);
  const nextMs = startMs + dayMs;
  if (attempt.acknowledged || attempt.referenceConflict)
    return 'the bank has shown that it knows the reference';
  const nextDate = formatBangkokDate(nextMs);
  if (unreadDates.has(order.tranDate) || unreadDates.has(nextDate))
    return 'a line that cannot be read may be it';
  if (!readDates.has(order.tranDate)) return "its day's statement was read before the day had ended";
  if (!readDates.has(nextDate)) return "the next day's statement has not been read";
  if (lastInquiryAtMs === null || lastInquiryAtMs < nextMs) {
    return 'the bank has not been asked about it since its day was over';
  }
  return lastFinding === 'not-found' ? undefined : 'the last inquiry did not say that it is not found';
}
