/**
 * Reconciliation of one transfer: its lines in the statements of all days read, compared with the attempt. Pure, and
 * independent of other transfers, so that days of any size are judged in a stream; tally.ts adds up, breaks.ts follows
 * differences over days and versions. A transfer is called paid only by a line whose status is complete and whose
 * amount, payee, payer account and company are ours; absence proves nothing (design: I3).
 */
import { isConfirmedByLaterDay, isFailureRetracted, mayStillFail, wasSettledSince } from './evidence.ts';
import { judgeDay } from './judge-day.ts';
import type { StatementLine } from './statement.ts';
import type {
  AttemptFacts,
  BreakRecord,
  DayFacts,
  DayLines,
  DaysRead,
  Judgement,
  StatementStep,
} from './types.ts';

/** One transRefNo with all known facts of both sides. */
interface TransferFacts {
  /** `lineKeyOf` of its lines: the transRefNo, or the own identity of a line without one. */
  readonly key: string;
  /** The attempt with this transRefNo, of any day. */
  readonly attempt: AttemptFacts | undefined;
  /** Its lines in the present statement of every day with any. */
  readonly lines: readonly DayLines[];
  /** Its open and accepted breaks of any day; accepted ones are judged like before. */
  readonly standingBreaks: readonly BreakRecord[];
  /** A lost part of the journal may have made a later attempt: a failure settles nothing until it was searched for. */
  readonly mayHaveLaterAttempt?: boolean;
  /** A request of the attempt may be under way: a failure settles nothing until it is answered. */
  readonly isUnderWay?: boolean;
}

/** The judgement of all days as one of them shows it. */
export interface JudgedDay {
  readonly facts: DayFacts;
  readonly judgement: Judgement;
  readonly date: string;
  /** Version of the day's statement. */
  readonly version: number;
  readonly standingBreaks: readonly BreakRecord[];
}

/** The step to record in the journal, and the line that it rests on. */
export interface TransferStep {
  readonly kind: StatementStep;
  /** YYYYMMDD of the statement. */
  readonly date: string;
  readonly version: number;
  /** Undefined when it rests on the absence of a line. */
  readonly line: StatementLine | undefined;
}

export interface JudgedTransfer {
  readonly facts: TransferFacts;
  /**
   * One entry for each day with lines or standing breaks, and for the attempt's own day once that was read; oldest
   * first.
   */
  readonly days: readonly JudgedDay[];
  readonly step: TransferStep | undefined;
}

/** Judges a transfer once over the lines of all days read. */
export function judgeTransfer(facts: TransferFacts, read: DaysRead): JudgedTransfer {
  const { attempt, lines, standingBreaks } = facts;
  const dates = new Set([...lines, ...standingBreaks].map(({ date }) => date));
  const ownDate = attempt?.order.tranDate;
  if (ownDate !== undefined && read.days.has(ownDate)) dates.add(ownDate);
  const days = [...dates].toSorted().map((date) => judgeDayOf(facts, date, read));
  return { facts, days, step: pickStep(facts, days, read) };
}

function judgeDayOf(transfer: TransferFacts, date: string, read: DaysRead): JudgedDay {
  const { key, attempt, lines, mayHaveLaterAttempt = false, isUnderWay = false } = transfer;
  const standingBreaks = transfer.standingBreaks.filter((record) => record.date === date);
  const isReadNow = date === read.readNow;
  const facts: DayFacts = {
    key,
    attempt,
    lines: lines.find((day) => day.date === date)?.lines ?? [],
    otherDayLines: lines.flatMap((day) =>
      day.date === date ? [] : day.lines.map((line) => ({ date: day.date, line })),
    ),
    mayHaveLaterAttempt,
    isUnderWay,
    isSettledSince: !isReadNow && wasSettledSince(standingBreaks[0], attempt),
  };
  const { companyId, wholeDates, unreadDates } = read;
  const day = { date, companyId, readDates: wholeDates, unreadDates };
  const acceptedAtMs = read.acceptedAtMs.get(date) ?? 0;
  const mayFail = isReadNow || mayStillFail(attempt, standingBreaks, acceptedAtMs, facts.otherDayLines);
  const judgement = mayFail ? judgeDay(facts, day) : withoutFailure(judgeDay(facts, day));
  // A break resolved when its day was judged is closed already; one outdated since was right at that time.
  const breaks = isReadNow
    ? judgement.breaks
    : judgement.breaks.filter(
        ({ kind, isResolved = false, isOutdated = false }) =>
          !(isResolved || isOutdated) || standingBreaks.some((record) => record.kind === kind),
      );
  const version = read.days.get(date) ?? standingBreaks[0]?.version ?? 0;
  return { facts, judgement: { ...judgement, breaks }, date, version, standingBreaks };
}

/** Removes a step by a failed line: it counts when its statement is read, and is no answer to later facts. */
function withoutFailure(judgement: Judgement): Judgement {
  const isFailure = judgement.step === 'fail' || judgement.step === 'dispute';
  return isFailure ? { ...judgement, step: undefined, stepLineAt: null } : judgement;
}

/** Order of steps when days require different ones; a proof by any line is a proof. */
const stepsFirst: readonly StatementStep[] = ['prove', 'dispute', 'fail', 'doubt', 'reopen'];

function pickStep(
  { attempt, lines }: TransferFacts,
  days: readonly JudgedDay[],
  read: DaysRead,
): TransferStep | undefined {
  const asking = days.filter(
    (day) => day.judgement.step !== undefined && !isDisputedNow(attempt, day, days, read),
  );
  const kind = stepsFirst.find((one) => asking.some(({ judgement }) => judgement.step === one));
  const ofKind = asking.filter(({ judgement }) => judgement.step === kind);
  const day = ofKind.find(({ date }) => date === read.readNow) ?? ofKind.at(-1);
  if (kind !== undefined && day !== undefined) {
    const { date, version, judgement, facts } = day;
    return { kind, date, version, line: facts.lines[judgement.stepLineAt ?? -1] };
  }
  // The attempt failed by a line that has gone, of another day than its own, whose statement was never read.
  const otherDayLines = lines.flatMap(({ date, lines: all }) => all.map((line) => ({ date, line })));
  const isOwnDayRead = attempt === undefined || read.days.has(attempt.order.tranDate);
  if (isOwnDayRead || !isFailureRetracted(attempt, otherDayLines)) return undefined;
  return { kind: 'reopen', date: attempt.order.tranDate, version: 0, line: undefined };
}

/**
 * True when the statement being read disputes the attempt: a line known before does not prove it, since days
 * contradict.
 */
function isDisputedNow(
  attempt: AttemptFacts | undefined,
  { date, judgement }: JudgedDay,
  days: readonly JudgedDay[],
  { readNow }: DaysRead,
): boolean {
  if (attempt?.payoutStatus !== 'disputed' || judgement.step !== 'prove' || date === readNow) return false;
  return days.some(
    ({ date: on, facts }) =>
      on === readNow &&
      facts.lines.some(({ status }) => status === 'failed') &&
      !isConfirmedByLaterDay(attempt, facts.otherDayLines, on),
  );
}
