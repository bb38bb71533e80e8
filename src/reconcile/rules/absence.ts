/** What it means that a day's statement lacks an attempt of that day (design: I3): absence proves nothing. */
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';
import { findOwnLines, isFailureWithdrawn, ourWordOf } from './evidence.ts';
import type { AbsenceKind, AttemptFacts, Judgement, KeyFacts, Loudness, StatementDay } from './types.ts';

export const nothing: Judgement = {
  lineClasses: [],
  paidClass: undefined,
  breaks: [],
  step: undefined,
  stepLineAt: null,
};

const loudnesses: Readonly<Record<AbsenceKind, Loudness>> = {
  'missing-at-bank': 'loud',
  'no-trace': 'plain',
  'in-doubt-absent': 'quiet',
};

const withdrawn =
  'a statement said that it failed, and the one that has superseded it does not have it: the bank may yet complete it';

/** Only the statement of an attempt's own day can lack it; that says nothing about the money of one in doubt. */
export function judgeAbsence({ attempt, elsewhere }: KeyFacts, day: StatementDay): Judgement {
  if (attempt === undefined || attempt.order.tranDate !== day.date) return nothing;
  const name = (kind: AbsenceKind, reason: string, loudness = loudnesses[kind]): Judgement => {
    return { ...nothing, breaks: [{ kind, loudness, date: day.date, lineAt: null, reason }] };
  };
  const isElsewhere = findOwnLines(attempt, elsewhere).length > 0;
  switch (ourWordOf(attempt)) {
    case 'paid': {
      if (isElsewhere) return { ...nothing, paidClass: 'found-other-day' };
      const reason = 'we call it paid, and the statement of its day does not have it';
      return { ...name('missing-at-bank', reason), paidClass: 'missing-at-bank' };
    }
    case 'closed':
      if (!isFailureWithdrawn(attempt, elsewhere)) return nothing;
      return { ...name('in-doubt-absent', withdrawn, 'loud'), step: 'reopen' };
    case 'open': {
      if (isElsewhere) return nothing;
      const waits = whyNotTraceless(attempt, day);
      if (waits === undefined) return name('no-trace', traceless);
      return name('in-doubt-absent', `in doubt, and the statement of its day does not have it; ${waits}`);
    }
  }
}

const traceless =
  "in doubt, in neither its day's statement nor the next day's; inquiry finds nothing, and the bank never acknowledged it";

/** Why an absent attempt in doubt may still turn up; undefined when everything that can be asked has been. */
function whyNotTraceless(attempt: AttemptFacts, { readDates }: StatementDay): string | undefined {
  const { order, lastFinding, lastInquiryAtMs } = attempt;
  const startMs = parseBangkokDate(order.tranDate);
  if (startMs === undefined) throw new RangeError(`${order.tranDate} names no day`);
  const nextMs = startMs + dayMs;
  if (attempt.acknowledged || attempt.contested) return 'the bank has shown that it knows the reference';
  if (!readDates.has(order.tranDate)) return "its day's statement was read before the day had ended";
  if (!readDates.has(formatBangkokDate(nextMs))) return "the next day's statement has not been read";
  if (lastInquiryAtMs === null || lastInquiryAtMs < nextMs) {
    return 'the bank has not been asked about it since its day was over';
  }
  return lastFinding === 'not-found' ? undefined : 'the last inquiry did not say that it is not found';
}
