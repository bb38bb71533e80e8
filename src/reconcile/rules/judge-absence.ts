/** Judges an attempt without a line in a day's statement: absence proves nothing (design: I3). */
import { message, type Message } from '../../core/message.ts';
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

/**
 * Meaning of an attempt's absence from a day's statement (design: I3): absence proves nothing. Only the statement of an
 * attempt's own day can lack it, and says nothing about the money of one in doubt.
 */
export function judgeAbsence({ attempt, otherDayLines }: DayFacts, day: StatementDay): Judgement {
  if (attempt === undefined || attempt.order.tranDate !== day.date) return nothing;
  const name = (kind: AbsenceKind, reason: Message, severity = severities[kind]): Judgement => {
    return { ...nothing, breaks: [{ kind, severity, date: day.date, lineAt: null, reason }] };
  };
  const isElsewhere = findOwnLines(attempt, otherDayLines).length > 0;
  switch (bookStatusOf(attempt)) {
    case 'paid': {
      if (isElsewhere) return { ...nothing, paidClass: 'found-other-day' };
      if (day.unreadDates.has(day.date))
        return { ...name('line-unreadable', message('break.maybe-unread')), paidClass: 'line-unreadable' };
      return { ...name('missing-at-bank', message('break.missing')), paidClass: 'missing-at-bank' };
    }
    case 'unpaid':
      if (!isFailureRetracted(attempt, otherDayLines)) return nothing;
      return { ...name('pending-not-in-statement', message('break.retracted'), 'high'), step: 'reopen' };
    case 'pending': {
      if (isElsewhere) return nothing;
      const why = whyNotTraceless(attempt, day);
      if (why === undefined) return name('no-trace', message('break.no-trace'));
      return name('pending-not-in-statement', message('break.not-in-statement', { why }));
    }
  }
}

/** Reason why an absent attempt in doubt may still turn up; undefined when every question was asked. */
function whyNotTraceless(
  attempt: AttemptFacts,
  { readDates, unreadDates }: StatementDay,
): Message | undefined {
  const { order, lastFinding, lastInquiryAtMs } = attempt;
  const startMs = parseBangkokDate(order.tranDate);
  if (startMs === undefined) throw new RangeError(`${order.tranDate} names no day`);
  const nextMs = startMs + dayMs;
  if (attempt.acknowledged || attempt.referenceConflict) return message('absent.known');
  const nextDate = formatBangkokDate(nextMs);
  if (unreadDates.has(order.tranDate) || unreadDates.has(nextDate)) return message('absent.unread-line');
  if (!readDates.has(order.tranDate)) return message('absent.read-early');
  if (!readDates.has(nextDate)) return message('absent.next-day-unread');
  if (lastInquiryAtMs === null || lastInquiryAtMs < nextMs) {
    return message('absent.not-asked');
  }
  return lastFinding === 'not-found' ? undefined : message('absent.not-said');
}
