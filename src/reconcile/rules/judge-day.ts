/**
 * Judges the lines of one day for one transfer against its attempt. Pure. A transfer is called paid only by a line whose
 * status is complete and whose amount, payee, payer account and company are ours; absence proves nothing (design: I3).
 */
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';
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
  findOwnLines,
  countsAgainst,
  isConfirmedByLaterDay,
  isFailureRetracted,
  isFinishedByInquiry,
  isOwnFailure,
  isPaidByAnother,
} from './evidence.ts';
import { findDamagedCode, type StatementLine } from './statement.ts';
import {
  type AbsenceKind,
  type AttemptFacts,
  type BreakFinding,
  type BreakKind,
  breakKinds,
  type DayFacts,
  type Judgement,
  type LineBreakKind,
  type LineClass,
  type Severity,
  type PaidClass,
  type StatementDay,
  type StatementStep,
} from './types.ts';

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
  if (isUnderWay) return message('break-reason.under-way');
  return mayHaveLaterAttempt ? message('break-reason.later-attempt') : undefined;
}

/** The difference between the line's status and ours. */
function findStatusDifference(held: Held): Difference[] {
  const { bookStatus, line, isContradicted, mustWait, isRetracted } = held;
  if (line.status === 'complete' && bookStatus === 'paid') return [];
  const said = message('break-reason.says', { word: quoted(line.statusText) });
  const differs = (reason: Message): Difference[] => [{ kind: 'status-mismatch', reason }];
  switch (line.status) {
    case 'complete':
      if (bookStatus === 'unpaid') return differs(message('break-reason.paid-after-all', { said }));
      return bookStatus === 'pending' && isContradicted
        ? differs(message('break-reason.contradicted', { said }))
        : [];
    case 'failed':
      if (bookStatus === 'paid') return differs(message('break-reason.not-paid', { said }));
      // The attempt failed by another line, which is gone; this line does not fail it.
      if (bookStatus === 'unpaid')
        return isRetracted ? differs(message('break-reason.waits', { said, why: mustWait ?? '' })) : [];
      if (isContradicted) return differs(message('break-reason.contradicted', { said }));
      return mustWait === undefined ? [] : differs(message('break-reason.waits', { said, why: mustWait }));
    case 'in-process':
      return [{ kind: 'pending-at-bank', reason: message('break-reason.unfinished', { said }) }];
    case 'contradiction':
      return [{ kind: 'status-contradiction', reason: describeContradiction(line) }];
    case 'other':
      return [{ kind: 'unknown-status-word', reason: explainWord(said, line.statusText) }];
  }
}

function explainWord(said: Message, statusText: string): Message {
  const code = findDamagedCode(statusText);
  return code === undefined
    ? message('break-reason.unknown-word', { said })
    : message('break-reason.damaged-word', { said, code });
}

const quoted = (text: string): Message =>
  text === '' ? message('break-reason.nothing') : message('statement.quoted', { word: shown(text) });

const describeContradiction = ({ statusText, reasonCode }: StatementLine): Message =>
  message('break-reason.contradiction', { status: quoted(statusText), code: quoted(reasonCode) });

/** Finds a second transfer: proved complete, while another attempt of the same payout is paid, too. */
function findSecondTransfer(
  { attempt, bookStatus, line, isContradicted }: Held,
  isOurs: boolean,
): Difference[] {
  const isProved = bookStatus === 'paid' || (isOurs && !isContradicted);
  if (line.status !== 'complete' || !isProved || !isPaidByAnother(attempt)) return [];
  const reason = message('break-reason.paid-twice', { number: attempt.attemptNo });
  return [{ kind: 'paid-twice', reason }];
}

const findRepetition = ({ isRepeated }: Held): Difference[] =>
  isRepeated ? [{ kind: 'duplicate-line', reason: message('break-reason.repeated') }] : [];

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
  const reason = message('break-reason.several-lines', { lines: lines.length, numbers, complete });
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
    name('duplicate-line', secondAt, message('break-reason.one-reference', { lines: ours.length }));
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
  if (transRefNo === '') return message('break-reason.no-reference');
  return message(
    isOwnReference(transRefNo) ? 'break-reason.own-reference' : 'break-reason.foreign-reference',
  );
}

// ---------------------------------------------------------------- no line

/** The judgement on a key without any finding. */
const nothing: Judgement = {
  lineClasses: [],
  paidClass: undefined,
  breaks: [],
  step: undefined,
  stepLineAt: null,
};

const absenceSeverities: Readonly<Record<AbsenceKind, Severity>> = {
  'line-unreadable': 'medium',
  'missing-at-bank': 'high',
  'no-trace': 'medium',
  'pending-not-in-statement': 'low',
};

/**
 * Meaning of an attempt's absence from a day's statement (design: I3): absence proves nothing. Only the statement of an
 * attempt's own day can lack it, and says nothing about the money of one in doubt.
 */
function judgeAbsence({ attempt, otherDayLines }: DayFacts, day: StatementDay): Judgement {
  if (attempt === undefined || attempt.order.tranDate !== day.date) return nothing;
  const name = (kind: AbsenceKind, reason: Message, severity = absenceSeverities[kind]): Judgement => {
    return { ...nothing, breaks: [{ kind, severity, date: day.date, lineAt: null, reason }] };
  };
  const isElsewhere = findOwnLines(attempt, otherDayLines).length > 0;
  switch (bookStatusOf(attempt)) {
    case 'paid': {
      if (isElsewhere) return { ...nothing, paidClass: 'found-other-day' };
      if (day.unreadDates.has(day.date))
        return {
          ...name('line-unreadable', message('break-reason.maybe-unread')),
          paidClass: 'line-unreadable',
        };
      return { ...name('missing-at-bank', message('break-reason.missing')), paidClass: 'missing-at-bank' };
    }
    case 'unpaid':
      if (!isFailureRetracted(attempt, otherDayLines)) return nothing;
      return {
        ...name('pending-not-in-statement', message('break-reason.retracted'), 'high'),
        step: 'reopen',
      };
    case 'pending': {
      if (isElsewhere) return nothing;
      const why = whyNotTraceless(attempt, day);
      if (why === undefined) return name('no-trace', message('break-reason.no-trace'));
      return name('pending-not-in-statement', message('break-reason.not-in-statement', { why }));
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
