/**
 * Reconciliation, one transfer at a time (design: "statement-match"): the lines of a day's statement held against the
 * attempt with the same transRefNo. Pure, and without memory of other transfers, so that a day of any size is judged in
 * a stream; statement-tally.ts adds up, statement-breaks.ts follows what differs over the days.
 *
 * Nothing is called paid but by a line whose status is complete and whose amount, payee, payer account and company are
 * ours, and absence proves nothing (design: I3).
 */
import { maskDigitRuns } from '../../payout/rules/read-reply.ts';
import { judgeAbsence, nothing } from './absence.ts';
import {
  type Difference,
  findDifferences,
  fitsIdentity,
  isOfEarlierTransfer,
  isOwnReference,
} from './differences.ts';
import {
  contradicts,
  countsAgainst,
  isFailureWithdrawn,
  isFinishedByInquiry,
  isFinishedLater,
  isPaidByAnother,
  type OurWord,
  ourWordOf,
} from './evidence.ts';
import type { StatementLine } from './statement.ts';
import {
  type AttemptFacts,
  type BreakFinding,
  type BreakKind,
  breakKinds,
  type Judgement,
  type KeyFacts,
  type LineBreakKind,
  type LineClass,
  type Loudness,
  type PaidClass,
  type StatementDay,
  type StatementStep,
} from './types.ts';

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
  /** The line is of a transfer before the attempt, which bore the same reference: it settles nothing of this one. */
  readonly isEarlier: boolean;
  /** Another line of the same transfer, here or later elsewhere, says otherwise. */
  readonly isContradicted: boolean;
  /** An earlier day's statement has it complete already. */
  readonly isRepeated: boolean;
  /** It was in process, and newer evidence says what we say: paid, or ended. */
  readonly isFinished: boolean;
  /** What the statements of later days say of it last is what we say. */
  readonly isBorneOut: boolean;
  /** It failed by a statement's word, and none says so any more. */
  readonly isWithdrawn: boolean;
  readonly mayHaveLaterAttempt: boolean;
}

function judgeKnown(facts: KeyFacts, attempt: AttemptFacts, day: StatementDay): Judgement {
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
  const word = ourWordOf(attempt);
  const isEarlier = isOfEarlierTransfer(line, attempt, date);
  const isBorneOut = word !== 'open' && isFinishedLater(attempt, elsewhere, date);
  // Most lines are complete: what only concerns one in process is not computed for them.
  const isFinished =
    word !== 'open' &&
    lines.every(({ status }) => status === 'in-process') &&
    (isSettledSince || isBorneOut || isFinishedByInquiry(attempt, date));
  const isWithdrawn =
    !lines.some(({ status }) => status === 'failed') && isFailureWithdrawn(attempt, elsewhere);
  const judged = { attempt, word, line, lineAt, isEarlier, isFinished, isBorneOut };
  const known = { ...judged, isWithdrawn, mayHaveLaterAttempt };
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
  if (line.status === 'complete' && word === 'paid') return [];
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

/** Proved complete, and another attempt of the same payout has been paid, too. */
function findSecondTransfer({ attempt, word, line, isContradicted }: Held, isOurs: boolean): Difference[] {
  const isProved = word === 'paid' || (isOurs && !isContradicted);
  if (line.status !== 'complete' || !isProved || !isPaidByAnother(attempt)) return [];
  const reason = `attempt ${attempt.attemptNo} is complete, and another attempt of this payout is paid, too: money went out twice`;
  return [{ kind: 'paid-twice', reason }];
}

const findRepetition = ({ isRepeated }: Held): Difference[] =>
  isRepeated ? [{ kind: 'twice', reason: 'the statement of an earlier day has it complete already' }] : [];

function toFinding({ kind, reason }: Difference, held: Held, { date }: StatementDay): BreakFinding {
  const finding = { kind, loudness: loudnessOf(kind, held), date, lineAt: held.lineAt, reason };
  const isAnswered = kind === 'still-in-process' && held.isFinished;
  if (isAnswered) return { ...finding, loudness: 'quiet', isAnswered };
  const isOutdated = kind === 'status-differs' && held.line.status === 'failed' && held.isBorneOut;
  return isOutdated ? { ...finding, isOutdated } : finding;
}

function loudnessOf(kind: LineBreakKind, { word, line, isContradicted, isEarlier }: Held): Loudness {
  switch (kind) {
    case 'paid-twice':
      return 'loudest';
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
    case 'wrong-day':
      return isEarlier ? 'loud' : 'plain';
    case 'fee-differs':
    case 'net-differs':
      return 'plain';
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
  if (held.isEarlier) return decideOnEarlier(held);
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
      return held.isWithdrawn ? 'doubt' : note;
  }
}

/**
 * The bank knows the reference from before the attempt. That transfer's money may have moved, or may yet: what we had
 * closed is not tried again before it was looked at; nothing else of this attempt is settled by it.
 */
function decideOnEarlier({ attempt, word, line, isFinished }: Held): StatementStep | undefined {
  if (word === 'open') return attempt.acknowledged ? undefined : 'doubt';
  const mayMove = line.status === 'complete' || (line.status === 'in-process' && !isFinished);
  return word === 'closed' && mayMove ? 'doubt' : undefined;
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
