/**
 * Reconciliation, one transfer at a time (design: "statement-match"): the lines of a day's statement held against the
 * attempt with the same transRefNo. Pure, and without memory of other transfers, so that a day of any size is judged in
 * a stream; statement-tally.ts adds up, statement-breaks.ts follows what differs over the days.
 *
 * Nothing is called paid but by a line whose status is complete and whose amount, payee, payer account and company are
 * ours, and absence proves nothing (design: I3).
 */
import { maskDigitRuns } from './classify.ts';
import { formatBangkokDate, parseBangkokDate } from './bangkok-time.ts';
import type { AttemptStatus } from './payout.ts';
import type { StatementLine } from './statement.ts';
import { findDifferences, fitsIdentity, isOwnReference, type Difference } from './statement-line.ts';
import {
  breakKinds,
  type AttemptFacts,
  type BreakFinding,
  type BreakKind,
  type Judgement,
  type KeyFacts,
  type LineClass,
  type LineElsewhere,
  type Loudness,
  type PaidClass,
  type StatementDay,
  type StatementStep,
} from './statement-types.ts';

/** What we say of the money of an attempt: proved moved, proved unmoved, or in doubt. */
type OurWord = 'paid' | 'closed' | 'open';

const ourWords = {
  recorded: 'open',
  sent: 'open',
  unresolved: 'open',
  paid: 'paid',
  failed: 'closed',
  refused: 'closed',
} as const satisfies Record<AttemptStatus, OurWord>;

const nothing: Judgement = {
  lineClasses: [],
  paidClass: undefined,
  breaks: [],
  step: undefined,
  stepLineAt: null,
};

/** Compares one key of a statement with the journal. A key with neither line nor attempt shows nothing. */
export function matchKey(facts: KeyFacts, day: StatementDay): Judgement {
  if (facts.lines.length === 0) return judgeAbsence(facts, day);
  return facts.attempt === undefined ? judgeUnknown(facts.lines, day) : judgeKnown(facts, facts.attempt, day);
}

const loudestFirst = (breaks: readonly BreakFinding[]): readonly BreakFinding[] =>
  breaks.toSorted((a, b) => breakKinds.indexOf(a.kind) - breakKinds.indexOf(b.kind));

// ---------------------------------------------------------------- a line of ours

/** The line that is held against the attempt, and what else is said of the same transfer. */
interface Held {
  readonly attempt: AttemptFacts;
  readonly word: OurWord;
  readonly line: StatementLine;
  readonly lineAt: number;
  /** Another line of the same transfer, here or later elsewhere, says otherwise. */
  readonly isContradicted: boolean;
  /** An earlier day's statement has it complete already. */
  readonly isRepeated: boolean;
  /** It was in process, and newer evidence says what we say: paid, or ended. */
  readonly isFinished: boolean;
  /** What the statements of later days say of it last is what we say. */
  readonly isBorneOut: boolean;
  readonly mayHaveLaterAttempt: boolean;
}

function judgeKnown(facts: KeyFacts, attempt: AttemptFacts, day: StatementDay): Judgement {
  const held = hold(facts, attempt, day);
  const differences = findDifferences(held.line, attempt, day.date);
  const own = [...findStatusDifference(held), ...differences, ...findRepetition(held)];
  const ownBreaks =
    own.length === 0 ? [] : loudestFirst(own.map((difference) => toFinding(difference, held, day)));
  const step = decideStep(held, fitsIdentity(differences));
  const loudest = ownBreaks[0]?.kind;
  const lineClass = loudest ?? cleanClass(held, day);
  const isPaid = held.word === 'paid' || step === 'prove';
  const isOfDay = attempt.order.tranDate === day.date;
  return {
    lineClasses: facts.lines.map((_, at) => (at === held.lineAt ? lineClass : 'twice')),
    paidClass: isPaid && isOfDay ? toPaidClass(loudest, held) : undefined,
    breaks: facts.lines.length === 1 ? ownBreaks : withSurplus(ownBreaks, facts.lines, held, day),
    step,
    stepLineAt: step === undefined ? null : held.lineAt,
  };
}

function hold(facts: KeyFacts, attempt: AttemptFacts, { date }: StatementDay): Held {
  const { lines, elsewhere, mayHaveLaterAttempt = false, isSettledSince = false } = facts;
  const lineAt = lines.length === 1 ? 0 : pickLine(lines, attempt, date);
  const line = lines[lineAt];
  if (line === undefined) throw new RangeError('a key is held against no line');
  const word = ourWords[attempt.attemptStatus];
  const isBorneOut = word !== 'open' && isFinishedLater(attempt, elsewhere, date);
  const isFinished =
    lines.every(({ status }) => status === 'in-process') && word !== 'open' && (isSettledSince || isBorneOut);
  const known = { attempt, word, line, lineAt, isFinished, isBorneOut, mayHaveLaterAttempt };
  if (lines.length === 1 && elsewhere.length === 0) {
    return { ...known, isContradicted: false, isRepeated: false };
  }
  const others = lines.filter((_, at) => at !== lineAt);
  const counted = elsewhere.filter((other) => countsAgainst(line, other, date)).map((other) => other.line);
  const isContradicted = [...others, ...counted].some((other) => contradicts(line, other));
  const isRepeated =
    line.status === 'complete' &&
    elsewhere.some((other) => other.date < date && other.line.status === 'complete');
  return { ...known, isContradicted, isRepeated };
}

/**
 * What failed on one day may complete on a later one, but what may have completed on any has not failed. In process is
 * the earlier word on whatever a later day calls finished.
 */
function countsAgainst(line: StatementLine, other: LineElsewhere, date: string): boolean {
  if (other.date > date) return true;
  return line.status === 'failed' && other.line.status !== 'in-process';
}

/** The last that the statements of later days say of a transfer is what we say of it, and nothing speaks against it. */
function isFinishedLater(attempt: AttemptFacts, elsewhere: readonly LineElsewhere[], date: string): boolean {
  const later = elsewhere.filter((other) => other.date > date);
  const lastDate = later
    .map((other) => other.date)
    .toSorted()
    .at(-1);
  const last = later.filter((other) => other.date === lastDate);
  const word = ourWords[attempt.attemptStatus] === 'paid' ? 'complete' : 'failed';
  const saysSo = ({ line, date: on }: LineElsewhere): boolean =>
    line.status === word && fitsIdentity(findDifferences(line, attempt, on));
  if (last.length === 0 || !last.every(saysSo)) return false;
  return word === 'complete' || elsewhere.every(({ line }) => mayHaveFailed(line));
}

const mayHaveFailed = ({ status }: StatementLine): boolean => status === 'failed' || status === 'in-process';

/** A line in process may be an earlier word on one that is complete; failed is whatever nothing else speaks of as alive. */
function contradicts(line: StatementLine, other: StatementLine): boolean {
  if (line.status !== 'complete') return other.status !== line.status;
  return other.status === 'failed' || other.status === 'other';
}

/** Of several lines the one that is complete and ours; else one that is complete; else the first. */
function pickLine(lines: readonly StatementLine[], attempt: AttemptFacts, date: string): number {
  const isComplete = (line: StatementLine): boolean => line.status === 'complete';
  const differences = lines.map((line) => findDifferences(line, attempt, date));
  const clean = lines.findIndex((line, at) => isComplete(line) && differences[at]?.length === 0);
  if (clean >= 0) return clean;
  const ours = lines.findIndex((line, at) => isComplete(line) && fitsIdentity(differences[at] ?? []));
  return Math.max(0, ours >= 0 ? ours : lines.findIndex(isComplete));
}

const laterAttempt = 'a lost part of the journal may have made a later attempt that was not looked for yet';

/** How the line's status and ours differ. */
function findStatusDifference({ word, line, isContradicted, mayHaveLaterAttempt }: Held): Difference[] {
  // Columns that are shifted bring the number of a person here.
  const shown = maskDigitRuns(line.statusText);
  const said = `the statement says ${shown === '' ? 'nothing' : `"${shown}"`}`;
  const differs = (reason: string): Difference[] => [{ kind: 'status-differs', reason }];
  switch (line.status) {
    case 'complete':
      if (word === 'closed') return differs(`we had called it failed, ${said}: the bank has paid it`);
      return word === 'open' && isContradicted ? differs(`${said}, and another line contradicts it`) : [];
    case 'failed':
      if (word === 'paid') return differs(`we had called it paid, ${said}: the bank has not paid it`);
      if (word === 'closed') return [];
      if (isContradicted) return differs(`${said}, and another line contradicts it`);
      return mayHaveLaterAttempt ? differs(`${said}, and ${laterAttempt}`) : [];
    case 'in-process':
      return [{ kind: 'still-in-process', reason: `${said}: the bank has not finished it` }];
    case 'other':
      return [{ kind: 'unknown-status-word', reason: `${said}: the settings do not know this word` }];
  }
}

const findRepetition = ({ isRepeated }: Held): Difference[] =>
  isRepeated ? [{ kind: 'twice', reason: 'the statement of an earlier day has it complete already' }] : [];

function toFinding({ kind, reason }: Difference, held: Held, { date }: StatementDay): BreakFinding {
  const finding = { kind, loudness: loudnessOf(kind, held), date, lineAt: held.lineAt, reason };
  const isAnswered = kind === 'still-in-process' && held.isFinished;
  return isAnswered ? { ...finding, loudness: 'quiet', isAnswered } : finding;
}

function loudnessOf(kind: BreakKind, { word, line, isContradicted }: Held): Loudness {
  switch (kind) {
    case 'status-differs':
      if (word === 'closed') return 'loudest';
      // In doubt, and nothing contradicts the line: it waits until a later attempt was looked for.
      return word === 'open' && !isContradicted ? 'quiet' : 'loud';
    case 'payee-differs':
    case 'amount-differs':
    case 'other-company':
    case 'other-payer':
    case 'twice':
    case 'unknown-to-us':
      return line.status === 'failed' ? 'plain' : 'loud';
    case 'unknown-status-word':
      // It may mean that the bank paid what we call failed, or took back what we call paid.
      return word === 'open' ? 'plain' : 'loud';
    case 'still-in-process':
      if (word === 'closed') return 'loud';
      return word === 'paid' ? 'plain' : 'quiet';
    case 'missing-at-bank':
      return 'loud';
    case 'no-trace':
    case 'fee-differs':
    case 'net-differs':
    case 'wrong-day':
      return 'plain';
    case 'in-doubt-absent':
      return 'quiet';
  }
}

/** Adds that the statement has the same transfer more than once; one break, however many lines. */
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
  const reason = `${lines.length} lines for one transfer (lines ${numbers} of the file), ${complete} of them complete`;
  // A word that nobody knows may mean complete.
  const isMoved = lines.filter(({ status }) => status === 'complete' || status === 'other').length > 1;
  const loudness = isMoved ? 'loud' : 'plain';
  const rest = own.filter(({ kind }) => kind !== 'twice');
  return loudestFirst([...rest, { kind: 'twice', loudness, date, lineAt, reason }]);
}

/** Where a line is counted that differs in nothing. */
function cleanClass({ attempt, word, line }: Held, { date }: StatementDay): LineClass {
  if (line.status === 'failed') return word === 'open' ? 'settled-failed' : 'agreed-failed';
  const isOfDay = attempt.order.tranDate === date;
  if (word === 'open') return isOfDay ? 'settled-paid' : 'settled-paid-other-day';
  return isOfDay ? 'matched' : 'matched-other-day';
}

/** A line that repeats an earlier day's is not the one that proves it, nor is one that was finished later. */
function toPaidClass(loudest: BreakKind | undefined, { word, isFinished }: Held): PaidClass {
  if (loudest === 'still-in-process' && isFinished) return 'found-other-day';
  if (loudest === undefined) return word === 'open' ? 'settled-paid' : 'matched';
  return loudest === 'twice' ? 'found-other-day' : loudest;
}

/** What the journal is to record. */
function decideStep(held: Held, isOurs: boolean): StatementStep | undefined {
  const { attempt, word, line, isContradicted, isFinished, isBorneOut, mayHaveLaterAttempt } = held;
  const isProof = isOurs && !isContradicted;
  const noted = attempt.acknowledged && (isOurs || attempt.contested);
  const note = word === 'open' && !noted ? 'doubt' : undefined;
  switch (line.status) {
    case 'complete': {
      const isBelieved = word === 'paid' && attempt.payoutStatus !== 'disputed';
      if (isBelieved) return undefined;
      if (isProof) return 'prove';
      return word === 'closed' ? 'doubt' : note;
    }
    case 'failed':
      // What failed on one day may complete on a later one: of two that contradict each other the later holds.
      if (word === 'paid') return attempt.payoutStatus === 'paid' && !isBorneOut ? 'dispute' : undefined;
      return word === 'open' && isProof && !mayHaveLaterAttempt ? 'fail' : note;
    case 'in-process':
      return word === 'closed' && !isFinished ? 'doubt' : note;
    // A word that nobody knows tells no more than that the bank knows the reference.
    case 'other':
      return note;
  }
}

// ---------------------------------------------------------------- a line that is not ours

/**
 * Lines whose reference the journal does not know: money that we did not send, or another company's own business. A file
 * of all the partner's companies (§2.7) says of each line whose it is; what a journal does not know, and the bank books
 * for another company, is that one's, whatever program has made the reference.
 */
function judgeUnknown(lines: readonly StatementLine[], { date, companyId }: StatementDay): Judgement {
  const isOthers = (line: StatementLine): boolean => line.companyId !== '' && line.companyId !== companyId;
  const ours = lines.flatMap((line, at) => (isOthers(line) ? [] : [at]));
  const [firstAt, secondAt] = ours;
  const first = lines[firstAt ?? -1];
  if (firstAt === undefined || first === undefined) {
    return { ...nothing, lineClasses: lines.map(() => 'others') };
  }
  const isDead = ours.every((at) => lines[at]?.status === 'failed');
  const find = (kind: 'unknown-to-us' | 'twice', reason: string, lineAt: number): BreakFinding => {
    return { kind, loudness: isDead ? 'plain' : 'loud', date, lineAt, reason };
  };
  const unknown = find('unknown-to-us', describeUnknown(first), firstAt);
  const surplus = `${ours.length} lines with one reference`;
  return {
    ...nothing,
    lineClasses: lines.map((line, at) => {
      if (at === firstAt) return unknown.kind;
      return isOthers(line) ? 'others' : 'twice';
    }),
    breaks: secondAt === undefined ? [unknown] : loudestFirst([unknown, find('twice', surplus, secondAt)]),
  };
}

function describeUnknown({ transRefNo }: StatementLine): string {
  if (transRefNo === '') return 'the line names no transfer reference';
  return isOwnReference(transRefNo)
    ? 'the reference is of our making, and this journal does not know it'
    : 'this journal does not know the reference, which is not of our making';
}

// ---------------------------------------------------------------- no line

const dayMs = 86_400_000;

/** Only the statement of an attempt's own day can lack it; that says nothing about the money of one in doubt. */
function judgeAbsence({ attempt, elsewhere }: KeyFacts, day: StatementDay): Judgement {
  if (attempt === undefined || attempt.order.tranDate !== day.date) return nothing;
  const find = (kind: BreakKind, loudness: Loudness, reason: string): readonly BreakFinding[] => [
    { kind, loudness, date: day.date, lineAt: null, reason },
  ];
  switch (ourWords[attempt.attemptStatus]) {
    case 'paid': {
      if (elsewhere.length > 0) return { ...nothing, paidClass: 'found-other-day' };
      const reason = 'we call it paid, and the statement of its day does not have it';
      return { ...nothing, paidClass: 'missing-at-bank', breaks: find('missing-at-bank', 'loud', reason) };
    }
    case 'closed': {
      if (!isFailureWithdrawn(attempt, elsewhere)) return nothing;
      const reason = 'a statement said that it failed, and the one that has superseded it does not have it';
      return { ...nothing, breaks: find('missing-at-bank', 'loud', reason) };
    }
    case 'open': {
      if (elsewhere.length > 0) return nothing;
      const waits = whyNotTraceless(attempt, day);
      if (waits === undefined) return { ...nothing, breaks: find('no-trace', 'plain', traceless) };
      const reason = `in doubt, and the statement of its day does not have it; ${waits}`;
      return { ...nothing, breaks: find('in-doubt-absent', 'quiet', reason) };
    }
  }
}

const traceless =
  "in doubt, in neither its day's statement nor the next day's; inquiry finds nothing, and the bank never acknowledged it";

/** It failed by a statement's word alone, and no statement says so any more. */
function isFailureWithdrawn(attempt: AttemptFacts, elsewhere: readonly LineElsewhere[]): boolean {
  const { attemptStatus, payoutStatus, settledBy } = attempt;
  const isByStatement = attemptStatus === 'failed' && payoutStatus === 'failed' && settledBy === 'statement';
  return isByStatement && !elsewhere.some(({ line }) => line.status === 'failed');
}

/** Why an absent attempt in doubt may still turn up; undefined when everything that can be asked has been. */
function whyNotTraceless(attempt: AttemptFacts, { readDates }: StatementDay): string | undefined {
  const { order, lastFinding, lastInquiryAtMs } = attempt;
  const startMs = parseBangkokDate(order.tranDate);
  if (startMs === undefined) throw new RangeError(`${order.tranDate} names no day`);
  const nextMs = startMs + dayMs;
  if (attempt.acknowledged || attempt.contested) return 'the bank has shown that it knows the reference';
  if (!readDates.has(formatBangkokDate(nextMs))) return "the next day's statement has not been read";
  if (lastInquiryAtMs === null || lastInquiryAtMs < nextMs) {
    return 'the bank has not been asked about it since its day was over';
  }
  return lastFinding === 'not-found' ? undefined : 'the last inquiry did not say that it is not found';
}
