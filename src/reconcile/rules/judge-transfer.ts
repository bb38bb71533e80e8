/**
 * Reconciliation of one transfer: its lines in the statements of all days read, compared with the attempt. Pure, and
 * independent of other transfers, so that days of any size are judged in a stream; tally.ts adds up, breaks.ts follows
 * differences over days and versions. A transfer is called paid only by a line whose status is complete and whose
 * amount, payee, payer account and company are ours; absence proves nothing (design: I3).
 */
import { message, type Message } from '../../core/message.ts';
import {
  describeFault,
  type Difference,
  findDifferences,
  fitsIdentity,
  isOfAnother,
  isOfEarlierTransfer,
  isOwnReference,
  isPlaced,
  isSameNumber,
  shown,
  whyOfNoSend,
} from './differences.ts';
import {
  bookStatusOf,
  contradicts,
  countsAgainst,
  isConfirmedByLaterDay,
  isFailureRetracted,
  isFinishedByInquiry,
  isOwnFailure,
  isPaidByAnother,
  mayStillFail,
  wasSettledSince,
} from './evidence.ts';
import { judgeAbsence, nothing } from './judge-absence.ts';
import { findDamagedCode, type StatementLine } from './statement.ts';
import {
  type AttemptFacts,
  type BreakFinding,
  type BreakKind,
  breakKinds,
  type BreakRecord,
  type DayFacts,
  type DayLines,
  type DaysRead,
  type Judgement,
  type LineBreakKind,
  type LineClass,
  type Severity,
  type PaidClass,
  type StatementDay,
  type StatementStep,
} from './types.ts';

// ---------------------------------------------------------------- all days

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

// ---------------------------------------------------------------- one day

/** Compares one day's lines with the attempt. A transRefNo with neither shows nothing. */
export function judgeDay(facts: DayFacts, day: StatementDay): Judgement {
  if (facts.lines.length === 0) return judgeAbsence(facts, day);
  return facts.attempt === undefined ? judgeUnknown(facts.lines, day) : judgeKnown(facts, facts.attempt, day);
}

const worstFirst = (breaks: readonly BreakFinding[]): readonly BreakFinding[] =>
  breaks.toSorted((a, b) => breakKinds.indexOf(a.kind) - breakKinds.indexOf(b.kind));

// ---------------------------------------------------------------- our lines

function judgeKnown(facts: DayFacts, attempt: AttemptFacts, day: StatementDay): Judgement {
  const held = hold(facts, attempt, day);
  const differences = findDifferences(held.line, attempt, day.date);
  const own = held.isEarlier
    ? differences
    : [
        ...findSecondTransfer(held, fitsIdentity(differences)),
        ...findStatusDifference(held),
        ...differences,
        ...findRepetition(held),
      ];
  const ownBreaks =
    own.length === 0 ? [] : worstFirst(own.map((difference) => toFinding(difference, held, day)));
  const step = decideStep(held, differences);
  const worst = ownBreaks[0]?.kind;
  const lineClass = worst ?? cleanClass(held, day);
  const isPaid = held.bookStatus === 'paid' || step === 'prove';
  const isOfDay = attempt.order.tranDate === day.date;
  return {
    lineClasses: facts.lines.map((_, at) => (at === held.lineAt ? lineClass : 'duplicate-line')),
    paidClass: isPaid && isOfDay ? toPaidClass(worst, held) : undefined,
    breaks: facts.lines.length === 1 ? ownBreaks : withSurplus(ownBreaks, facts.lines, held, day),
    step,
    stepLineAt: step === undefined ? null : held.lineAt,
  };
}

type Held = ReturnType<typeof hold>;

/** The line to compare with the attempt, and the other statements about the same transfer. */
function hold(facts: DayFacts, attempt: AttemptFacts, { date }: StatementDay) {
  const { lines, otherDayLines, isSettledSince = false } = facts;
  const lineAt = lines.length === 1 ? 0 : pickLine(lines, attempt, date);
  const line = lines[lineAt];
  if (line === undefined) throw new RangeError('a key is held against no line');
  const bookStatus = bookStatusOf(attempt);
  const isConfirmedLater = bookStatus !== 'pending' && isConfirmedByLaterDay(attempt, otherDayLines, date);
  const isUnfinished =
    bookStatus !== 'pending' &&
    lines.every((one) => isUnsettled(one) || (bookStatus === 'unpaid' && one.status === 'failed'));
  const others = lines.filter((_, at) => at !== lineAt);
  const counted = otherDayLines.filter((other) => countsAgainst(line, other, date));
  return {
    attempt,
    bookStatus,
    line,
    lineAt,
    /** True when the line concerns an earlier transfer with the same reference; it settles nothing about this one. */
    isEarlier: isOfEarlierTransfer(line, attempt, date),
    /** True when another line of the same transfer, here or on a later day, contradicts it. */
    isContradicted: [...others, ...counted.map((other) => other.line)].some((other) =>
      contradicts(line, other),
    ),
    /** True when an earlier day's statement already has it as complete. */
    isRepeated:
      line.status === 'complete' &&
      otherDayLines.some((other) => other.date < date && other.line.status === 'complete'),
    /** True when the line was in process, or contradicted itself, and newer evidence agrees with us: paid, or ended. */
    isFinished: isUnfinished && (isSettledSince || isConfirmedLater || isFinishedByInquiry(attempt, date)),
    /** True when the last word of later statements agrees with us. */
    isConfirmedLater,
    /** True when it failed by a statement, and none says so any more. */
    isRetracted:
      !lines.some((one) => isOwnFailure(one, attempt, date)) && isFailureRetracted(attempt, otherDayLines),
    /** Reason why a failed line settles nothing, or nothing yet. */
    mustWait: whyToWait(facts) ?? whyOfNoSend(line, attempt, date),
  };
}

/** True for a line that means neither paid nor failed. */
const isUnsettled = ({ status }: StatementLine): boolean =>
  status === 'in-process' || status === 'contradiction';

/**
 * Picks the complete line that is ours; else a complete one, or one that contradicts itself and may be complete; else
 * the first.
 */
function pickLine(lines: readonly StatementLine[], attempt: AttemptFacts, date: string): number {
  const isComplete = (line: StatementLine): boolean => line.status === 'complete';
  const differences = lines.map((line) => findDifferences(line, attempt, date));
  const clean = lines.findIndex((line, at) => isComplete(line) && differences[at]?.length === 0);
  if (clean >= 0) return clean;
  const ours = lines.findIndex((line, at) => isComplete(line) && fitsIdentity(differences[at] ?? []));
  if (ours >= 0) return ours;
  const complete = lines.findIndex(isComplete);
  return Math.max(0, complete >= 0 ? complete : lines.findIndex(({ status }) => status === 'contradiction'));
}

function whyToWait({ mayHaveLaterAttempt = false, isUnderWay = false }: DayFacts): Message | undefined {
  if (isUnderWay) return message('break.under-way');
  return mayHaveLaterAttempt ? message('break.later-attempt') : undefined;
}

/** The difference between the line's status and ours. */
function findStatusDifference(held: Held): Difference[] {
  const { bookStatus, line, isContradicted, mustWait, isRetracted } = held;
  if (line.status === 'complete' && bookStatus === 'paid') return [];
  const said = message('break.says', { word: quoted(line.statusText) });
  const differs = (reason: Message): Difference[] => [{ kind: 'status-mismatch', reason }];
  switch (line.status) {
    case 'complete':
      if (bookStatus === 'unpaid') return differs(message('break.paid-after-all', { said }));
      return bookStatus === 'pending' && isContradicted
        ? differs(message('break.contradicted', { said }))
        : [];
    case 'failed':
      if (bookStatus === 'paid') return differs(message('break.not-paid', { said }));
      // The attempt failed by another line, which is gone; this line does not fail it.
      if (bookStatus === 'unpaid')
        return isRetracted ? differs(message('break.waits', { said, why: mustWait ?? '' })) : [];
      if (isContradicted) return differs(message('break.contradicted', { said }));
      return mustWait === undefined ? [] : differs(message('break.waits', { said, why: mustWait }));
    case 'in-process':
      return [{ kind: 'pending-at-bank', reason: message('break.unfinished', { said }) }];
    case 'contradiction':
      return [{ kind: 'status-contradiction', reason: describeContradiction(line) }];
    case 'other':
      return [{ kind: 'unknown-status-word', reason: explainWord(said, line.statusText) }];
  }
}

function explainWord(said: Message, statusText: string): Message {
  const code = findDamagedCode(statusText);
  return code === undefined
    ? message('break.unknown-word', { said })
    : message('break.damaged-word', { said, code });
}

const quoted = (text: string): Message =>
  text === '' ? message('break.nothing') : message('statement.quoted', { word: shown(text) });

const describeContradiction = ({ statusText, reasonCode }: StatementLine): Message =>
  message('break.contradiction', { status: quoted(statusText), code: quoted(reasonCode) });

/** Finds a second transfer: proved complete, while another attempt of the same payout is paid, too. */
function findSecondTransfer(
  { attempt, bookStatus, line, isContradicted }: Held,
  isOurs: boolean,
): Difference[] {
  const isProved = bookStatus === 'paid' || (isOurs && !isContradicted);
  if (line.status !== 'complete' || !isProved || !isPaidByAnother(attempt)) return [];
  const reason = message('break.paid-twice', { number: attempt.attemptNo });
  return [{ kind: 'paid-twice', reason }];
}

const findRepetition = ({ isRepeated }: Held): Difference[] =>
  isRepeated ? [{ kind: 'duplicate-line', reason: message('break.repeated') }] : [];

function toFinding({ kind, reason }: Difference, held: Held, { date }: StatementDay): BreakFinding {
  const finding = { kind, severity: severityOf(kind, held), date, lineAt: held.lineAt, reason };
  const isResolved = kind === 'pending-at-bank' && held.isFinished;
  if (isResolved) return { ...finding, severity: 'low', isResolved };
  const isOutdated = kind === 'status-mismatch' && held.line.status === 'failed' && held.isConfirmedLater;
  return isOutdated ? { ...finding, isOutdated } : finding;
}

function severityOf(kind: LineBreakKind, { bookStatus, line, isContradicted, isEarlier }: Held): Severity {
  switch (kind) {
    case 'paid-twice':
    case 'status-contradiction':
      return 'critical';
    case 'status-mismatch':
      if (bookStatus === 'unpaid') return line.status === 'failed' ? 'low' : 'critical';
      // In doubt, without a contradiction: it waits until a later attempt was searched for.
      return bookStatus === 'pending' && !isContradicted ? 'low' : 'high';
    case 'payee-mismatch':
    case 'amount-mismatch':
    case 'other-company':
    case 'payer-mismatch':
    case 'duplicate-line':
    case 'unmatched-bank-line':
      return line.status === 'failed' ? 'medium' : 'high';
    case 'line-unreadable':
      return line.status === 'failed' || bookStatus === 'pending' ? 'medium' : 'high';
    case 'unknown-status-word':
      // The bank may have paid a transfer that we call failed, or taken back one that we call paid.
      return bookStatus === 'pending' ? 'medium' : 'high';
    case 'pending-at-bank':
      if (bookStatus === 'unpaid') return 'high';
      return bookStatus === 'paid' ? 'medium' : 'low';
    case 'date-mismatch':
      return isEarlier ? 'high' : 'medium';
    case 'fee-mismatch':
    case 'net-mismatch':
      return 'medium';
  }
}

/** Adds the finding that the statement has the same transfer more than once: one break, however many lines. */
function withSurplus(
  own: readonly BreakFinding[],
  lines: readonly StatementLine[],
  held: Held,
  { date }: StatementDay,
): readonly BreakFinding[] {
  const lineAt = lines.findIndex((_, at) => at !== held.lineAt);
  const surplus = lines[lineAt];
  if (surplus === undefined) return own;
  const numbers = lines.map(({ line }) => line).join(', ');
  const complete = lines.filter(({ status }) => status === 'complete').length;
  const reason = message('break.several-lines', { lines: lines.length, numbers, complete });
  // An unknown word may mean complete, and so may contradictory codes.
  const isMoved = lines.filter(({ status }) => status !== 'failed' && status !== 'in-process').length > 1;
  const severity = isMoved ? 'high' : 'medium';
  const rest = own.filter(({ kind }) => kind !== 'duplicate-line');
  const surplusBreak = { kind: 'duplicate-line', severity, date, lineAt, reason } as const;
  return worstFirst([...rest, ...findBeside(own, lines, held, date), surplusBreak]);
}

/** Finds the first other line, besides the compared one, that contradicts itself or cannot be read. */
function findBeside(
  own: readonly BreakFinding[],
  lines: readonly StatementLine[],
  held: Held,
  date: string,
): readonly BreakFinding[] {
  const find = (
    kind: 'status-contradiction' | 'line-unreadable',
    isOne: (line: StatementLine) => boolean,
    describe: (line: StatementLine) => Message,
  ): readonly BreakFinding[] => {
    const lineAt = lines.findIndex(isOne);
    const line = lines[lineAt];
    if (line === undefined || own.some((finding) => finding.kind === kind)) return [];
    return [{ kind, severity: severityOf(kind, { ...held, line }), date, lineAt, reason: describe(line) }];
  };
  return [
    ...find('status-contradiction', ({ status }) => status === 'contradiction', describeContradiction),
    ...find('line-unreadable', ({ fault }) => fault !== '', describeFault),
  ];
}

/** The place of a line without a difference. */
function cleanClass({ attempt, bookStatus, line }: Held, { date }: StatementDay): LineClass {
  if (line.status === 'failed') return bookStatus === 'pending' ? 'settled-failed' : 'agreed-failed';
  const isOfDay = attempt.order.tranDate === date;
  if (bookStatus === 'pending') return isOfDay ? 'settled-paid' : 'settled-paid-other-day';
  return isOfDay ? 'matched' : 'matched-other-day';
}

/**
 * The place of a paid attempt. A line that repeats an earlier day's is not its proof, nor is one that was finished
 * later.
 */
function toPaidClass(worst: BreakKind | undefined, { bookStatus, isFinished }: Held): PaidClass {
  if (worst === 'pending-at-bank' && isFinished) return 'found-other-day';
  if (worst === undefined) return bookStatus === 'pending' ? 'settled-paid' : 'matched';
  return worst === 'duplicate-line' ? 'found-other-day' : worst;
}

/** Decides what the journal records. */
function decideStep(held: Held, differences: readonly Difference[]): StatementStep | undefined {
  const { attempt, bookStatus, line, isContradicted, isFinished, isConfirmedLater, mustWait } = held;
  if (held.isEarlier) return decideOnEarlier(held);
  const isProof = fitsIdentity(differences) && !isContradicted;
  const noted = attempt.acknowledged && (!isOfAnother(differences) || attempt.referenceConflict);
  const note = bookStatus === 'pending' && !noted ? 'doubt' : undefined;
  switch (line.status) {
    case 'complete': {
      const isBelieved = bookStatus === 'paid' && attempt.payoutStatus !== 'disputed';
      if (isBelieved) return undefined;
      if (isProof) return 'prove';
      return bookStatus === 'unpaid' ? 'doubt' : note;
    }
    case 'failed':
      // A transfer that failed on one day may complete later: of two that contradict, the later one counts.
      if (bookStatus === 'paid')
        return attempt.payoutStatus === 'paid' && !isConfirmedLater ? 'dispute' : undefined;
      if (held.isRetracted) return 'doubt';
      return bookStatus === 'pending' && isProof && mustWait === undefined ? 'fail' : note;
    case 'in-process':
    case 'contradiction':
      return bookStatus === 'unpaid' && !isFinished ? 'doubt' : note;
    // An unknown word only shows that the bank knows the reference.
    case 'other':
      return held.isRetracted ? 'doubt' : note;
  }
}

/**
 * Decides on a line from before the attempt, under its reference. That transfer's money may have moved, or may yet: a
 * closed attempt is not retried before a person has looked, and nothing else is settled by it.
 */
function decideOnEarlier({ attempt, bookStatus, line, isFinished }: Held): StatementStep | undefined {
  if (bookStatus === 'pending') return attempt.acknowledged ? undefined : 'doubt';
  const mayMove = line.status === 'complete' || (isUnsettled(line) && !isFinished);
  return bookStatus === 'unpaid' && mayMove ? 'doubt' : undefined;
}

// ---------------------------------------------------------------- lines that are not ours

/**
 * Judges lines whose reference the journal does not know: money that we did not send, or another company's business. A
 * file of all the partner's companies (§2.7) has the company in each line; an unknown transfer that the bank books for
 * another company belongs to that one, whichever program made the reference.
 */
function judgeUnknown(lines: readonly StatementLine[], { date, companyId }: StatementDay): Judgement {
  const isOthers = (line: StatementLine): boolean =>
    line.companyId !== '' && !isSameNumber(line.companyId, companyId);
  const ours = lines.flatMap((line, at) => (isOthers(line) ? [] : [at]));
  const [firstAt, secondAt] = ours;
  const first = lines[firstAt ?? -1];
  if (firstAt === undefined || first === undefined) {
    return { ...nothing, lineClasses: lines.map(() => 'others') };
  }
  const isDead = ours.every((at) => lines[at]?.status === 'failed');
  const breaks: BreakFinding[] = [];
  const name = (
    kind: 'line-unreadable' | 'unmatched-bank-line' | 'duplicate-line',
    lineAt: number,
    reason: Message,
  ): void => void breaks.push({ kind, severity: isDead ? 'medium' : 'high', date, lineAt, reason });
  const unreadAt = ours.find((at) => lines[at]?.fault !== '');
  const unread = lines[unreadAt ?? -1];
  if (unreadAt !== undefined && unread !== undefined)
    name('line-unreadable', unreadAt, describeFault(unread));
  // A line that may belong to any transfer starts no search.
  if (isPlaced(first)) name('unmatched-bank-line', firstAt, describeUnknown(first));
  if (secondAt !== undefined)
    name('duplicate-line', secondAt, message('break.one-reference', { lines: ours.length }));
  return {
    ...nothing,
    lineClasses: lines.map((line, at) => {
      if (at === firstAt) return isPlaced(first) ? 'unmatched-bank-line' : 'line-unreadable';
      return isOthers(line) ? 'others' : 'duplicate-line';
    }),
    breaks: worstFirst(breaks),
  };
}

function describeUnknown({ transRefNo }: StatementLine): Message {
  if (transRefNo === '') return message('break.no-reference');
  return message(isOwnReference(transRefNo) ? 'break.own-reference' : 'break.foreign-reference');
}
