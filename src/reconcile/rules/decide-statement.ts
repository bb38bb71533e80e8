/**
 * Decides what a statement changes in the journal (design: I3, I4). The lines are compared with the payout and the
 * attempt in their present state, so that changes since the day was judged count.
 */
import { inEnglish, listed, message } from '../../core/message.ts';
import { move, type PayoutPatch, type Reason, reasonPatch, settled } from '../../core/change.ts';
import { formatBaht } from '../../core/money.ts';
import type { Attempt, Payout, PayoutStatus } from '../../core/payout.ts';
import { isOpenAttempt } from '../../core/attempt-numbers.ts';
import type { Change, JournalLoss } from '../../core/ports.ts';
import { mustProbe, showDate } from '../../payout/rules/lost-journal.ts';
import { maskForeignNumbers } from '../../core/outgoing-text.ts';
import { keepInDoubt } from '../../payout/rules/superseded.ts';
import { describeProvenance } from './custody.ts';
import { findDifferences, isOfAnother, isRebuilt } from './differences.ts';
import { isRepeatedOnDay, isRequestUnderWay } from './evidence.ts';
import { judgeTransfer, type TransferStep } from './judge-transfer.ts';
import type { StatementLine } from './statement.ts';
import { type BreakRecord, type DayLines, type DaysRead, factsOf, type StatementStep } from './types.ts';

/** One attempt with the lines of statements about it. */
interface StatementEvidence {
  /** The payout that made the attempt, in its present status. */
  readonly owner: Payout;
  readonly attempt: Attempt;
  /** Every attempt of the payoutId, over all files. */
  readonly attempts: readonly Attempt[];
  /** Its lines in the statements of all days read. */
  readonly lines: readonly DayLines[];
  readonly standingBreaks: readonly BreakRecord[];
  readonly read: DaysRead;
  /** True when the attempt failed by a statement. */
  readonly isFailedByStatement: boolean;
  /** The latest loss of the journal: an attempt that failed before it may have an unknown next one. */
  readonly loss: JournalLoss | undefined;
  readonly nowMs: number;
}

/** The evidence with its decisive line. */
interface LineEvidence extends StatementEvidence {
  readonly line: StatementLine;
  /** YYYYMMDD of its statement. */
  readonly date: string;
  /** Place of the line, for the event, without numbers of people. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * The change that a statement's lines require; undefined for none. A change to `paid` of an attempt that had ended
 * concerns the other rows of its payoutId (`decideOnSibling`).
 * @param mayReopen false when another row has the claim by now: an ended row can then only get the alarm
 */
export function decideOnStatement(evidence: StatementEvidence, mayReopen = true): Change | undefined {
  const { owner, attempt, attempts, lines, standingBreaks, read, loss } = evidence;
  const { transRefNo } = attempt.order;
  // A lost part of the journal may have made a later attempt: an inquiry must look beyond a failed one first.
  const mayHaveLaterAttempt = mustProbe(loss, attempts);
  const { isFailedByStatement } = evidence;
  const repeated = isRepeatedOnDay(attempt, attempts);
  const known = { ...factsOf(owner, attempt), isFailedByStatement, isRepeatedOnDay: repeated };
  const { step } = judgeTransfer(
    {
      key: transRefNo,
      attempt: known,
      lines,
      standingBreaks,
      mayHaveLaterAttempt,
      isUnderWay: isRequestUnderWay(owner, attempt, evidence.nowMs),
    },
    read,
  );
  if (step === undefined) return undefined;
  const { kind, date, version, line } = step;
  const from = readSource(read, date);
  if (kind === 'reopen') return reopen(evidence, step, from, mayReopen);
  if (line === undefined) return undefined;
  const statusText = maskForeignNumbers(line.statusText);
  const detail = { transRefNo, statement: date, version, line: line.line, statusText, ...from };
  return take(kind, { ...evidence, line, date, detail }, mayReopen);
}

/** The origin of the day's statement, for the event; empty when the day was not read. */
function readSource({ provenances }: DaysRead, date: string): { readonly source?: string } {
  const provenance = provenances?.get(date);
  return provenance === undefined ? {} : { source: inEnglish(describeProvenance(provenance)) };
}

function take(
  step: Exclude<StatementStep, 'reopen'>,
  evidence: LineEvidence,
  mayReopen: boolean,
): Change | undefined {
  switch (step) {
    case 'prove':
      return prove(evidence);
    case 'fail':
      return fail(evidence);
    case 'dispute':
      return dispute(evidence);
    case 'doubt':
      return isOpenAttempt(evidence.attempt) ? note(evidence) : comeAlive(evidence, mayReopen);
  }
}

const placeOf = ({ date, line }: LineEvidence) => ({ day: showDate(date), line: line.line });

/** The attempt as known to the bank, perhaps with other details than ours. */
function markKnown({ attempt, line, date, owner }: LineEvidence): Attempt {
  const isOthers = isOfAnother(findDifferences(line, factsOf(owner, attempt), date));
  return { ...attempt, acknowledged: true, referenceConflict: attempt.referenceConflict || isOthers };
}

/** Marks the attempt as paid: complete, with our amount, payee, payer account and company. */
function prove(evidence: LineEvidence): Change {
  const { owner, attempt, line, nowMs } = evidence;
  const proved: Attempt = {
    ...attempt,
    status: 'paid',
    acknowledged: true,
    nextInquiryAtMs: null,
    sysRefNo: line.sysRefNo === '' ? attempt.sysRefNo : line.sysRefNo,
    feeText: attempt.feeText ?? (isRebuilt(line) ? null : formatBaht(line.feeSatang)),
  };
  const { transRefNo } = attempt.order;
  if (owner.status === 'paid') {
    const text = message('statement.complete-too', { ...placeOf(evidence), ref: transRefNo });
    const patch = { isAlarm: true, ...reasonPatch({ code: 'paid-twice', text }) };
    const detail = { ...evidence.detail, alarm: true };
    return move({ payout: owner, patch, cause: 'second-proof', nowMs, attempt: proved, detail });
  }
  const isDoubt = owner.status === 'submitted' || owner.status === 'unresolved';
  const isAlarm = !isDoubt || !isOpenAttempt(attempt);
  const patch: PayoutPatch = {
    status: 'paid',
    holds: [],
    isAlarm: isAlarm || owner.isAlarm,
    ...reasonPatch(isAlarm ? lateProof(evidence) : proof(evidence)),
    ...settled('statement', nowMs),
  };
  const cause = isDoubt ? 'proved' : 'late-proof';
  const detail = isAlarm ? { ...evidence.detail, alarm: true } : evidence.detail;
  return move({ payout: owner, patch, cause, nowMs, attempt: proved, detail });
}

const proof = (evidence: LineEvidence): Reason => ({
  code: 'statement-complete',
  text: message('statement.complete', placeOf(evidence)),
});

const lateProof = (evidence: LineEvidence): Reason => ({
  code: 'late-proof',
  text: message('statement.late-proof', { ...placeOf(evidence), ref: evidence.attempt.order.transRefNo }),
});

/** Longest text of the bank's that is stored; REASON DESC has no stated length (§2.7). */
const textLengthMax = 256;

function failure(evidence: LineEvidence): Reason {
  const { reasonCode, reasonDesc } = evidence.line;
  const why = maskForeignNumbers(reasonDesc.slice(0, textLengthMax));
  const place = placeOf(evidence);
  const text =
    why === '' ? message('statement.failed', place) : message('statement.failed-because', { ...place, why });
  return { code: reasonCode === '' ? 'statement-failed' : maskForeignNumbers(reasonCode), text };
}

/** Fails an attempt in doubt that the bank calls failed, and its row, unless another attempt may still be completed. */
function fail(evidence: LineEvidence): Change {
  const { owner, attempt, line, nowMs } = evidence;
  // Records how the attempt failed, whatever becomes of its row: the statement may be withdrawn.
  const detail = { ...evidence.detail, failedBy: 'statement' };
  const ended: Attempt = {
    ...attempt,
    status: 'failed',
    acknowledged: true,
    hasFailedItem: true,
    nextInquiryAtMs: null,
    sysRefNo: line.sysRefNo === '' ? attempt.sysRefNo : line.sysRefNo,
  };
  const isRows = owner.status === 'unresolved' || isLatestOfSubmitted(owner, attempt);
  if (!isRows) {
    return move({ payout: owner, patch: {}, cause: 'statement-read', nowMs, attempt: ended, detail });
  }
  const patch: PayoutPatch = {
    status: 'failed',
    ...reasonPatch(failure(evidence)),
    ...settled('statement', nowMs),
  };
  const change = move({ payout: owner, patch, cause: 'statement-failed', nowMs, attempt: ended, detail });
  const open = othersOfRow(evidence).find(isOpenAttempt);
  return open === undefined ? change : keepInDoubt(change, open);
}

/** Other attempts of the row. */
const othersOfRow = ({ owner, attempt, attempts }: LineEvidence): readonly Attempt[] =>
  attempts.filter(({ payoutSeq, attemptNo }) => payoutSeq === owner.seq && attemptNo !== attempt.attemptNo);

const isLatestOfSubmitted = (owner: Payout, attempt: Attempt): boolean =>
  owner.status === 'submitted' && owner.attemptNo === attempt.attemptNo;

/**
 * Disputes an attempt that we call paid and the statement calls failed. Another paid attempt of the row still counts.
 */
function dispute(evidence: LineEvidence): Change | undefined {
  const { owner, attempt, nowMs } = evidence;
  const text = message('statement.contradicts', { ...placeOf(evidence), ref: attempt.order.transRefNo });
  const detail = { ...evidence.detail, alarm: true };
  if (othersOfRow(evidence).some(({ status }) => status === 'paid')) {
    // Raised once: the people who look at the alarm already decide which of its two transfers was made.
    if (owner.isAlarm && owner.reasonCode === 'statement-contradicts') return undefined;
    const patch = { isAlarm: true, ...reasonPatch({ code: 'statement-contradicts', text }) };
    return move({ payout: owner, patch, cause: 'alarm-raised', nowMs, detail });
  }
  const patch: PayoutPatch = {
    status: 'disputed',
    isAlarm: true,
    ...reasonPatch({ code: 'statement-contradicts', text }),
    ...settled('statement', nowMs),
  };
  return move({ payout: owner, patch, cause: 'statement-contradicts', nowMs, detail });
}

/** Keeps an attempt in doubt, known to the bank, so that it is neither sent again nor called untraced. */
function note(evidence: LineEvidence): Change {
  const { owner, attempt, nowMs } = evidence;
  const noted = markKnown(evidence);
  const isDoubt = owner.status === 'submitted' || owner.status === 'unresolved';
  // A row with an alarm learns nothing new from another one.
  const isAlarm = noted.referenceConflict && !attempt.referenceConflict && (isDoubt || !owner.isAlarm);
  if (!isAlarm) {
    const { detail } = evidence;
    return move({ payout: owner, patch: {}, cause: 'statement-read', nowMs, attempt: noted, detail });
  }
  const patch: PayoutPatch = { isAlarm: true, ...(isDoubt ? reasonPatch(otherDetails(evidence)) : {}) };
  const detail = { ...evidence.detail, alarm: true };
  return move({ payout: owner, patch, cause: 'alarm-raised', nowMs, attempt: noted, detail });
}

const otherDetails = (evidence: LineEvidence): Reason => ({
  code: 'statement-differs',
  text: message('statement.differs', { ...placeOf(evidence), ref: evidence.attempt.order.transRefNo }),
});

/** Statuses that count as ended, and are reopened when the bank works on one of their attempts. */
const reopenedStatuses: readonly PayoutStatus[] = ['ready', 'held', 'failed'];

/** Reopens an attempt that counted as ended: the bank works on it, or has completed a transfer that may not be ours. */
function comeAlive(evidence: LineEvidence, mayReopen: boolean): Change {
  const { owner, nowMs, line } = evidence;
  // A refused attempt that was to be sent again is inquired at once instead.
  const isAwaited = evidence.attempt.status === 'refused' && isLatestOfSubmitted(owner, evidence.attempt);
  const attempt: Attempt = {
    ...markKnown(evidence),
    status: isAwaited ? 'sent' : 'unresolved',
    hasFailedItem: false,
    nextInquiryAtMs: isAwaited ? nowMs : null,
  };
  const codes = line.status === 'contradiction' ? [line.statusText, line.reasonCode] : [line.statusText];
  const quoted = codes.map((code) => message('statement.quoted', { word: maskForeignNumbers(code) }));
  const words = listed(quoted, 'and');
  const text = message('statement.alive', { ...placeOf(evidence), ref: attempt.order.transRefNo, words });
  return aliveAgain(evidence, attempt, { code: 'earlier-attempt-open', text }, evidence.detail, mayReopen);
}

/**
 * Reopens an attempt that failed by a superseded statement, and by no other. Nothing is called failed while the bank
 * may yet complete it (design: I3), so it is in doubt again, and no further attempt is made before it has ended.
 */
function reopen(
  evidence: StatementEvidence,
  { date, version }: TransferStep,
  from: { readonly source?: string },
  mayReopen: boolean,
): Change {
  const { attempt } = evidence;
  const { transRefNo } = attempt.order;
  const text = message('statement.withdrawn', { ref: transRefNo, day: showDate(date) });
  const alive: Attempt = {
    ...attempt,
    status: 'unresolved',
    acknowledged: true,
    hasFailedItem: false,
    nextInquiryAtMs: null,
  };
  const detail = { transRefNo, statement: date, version, ...from };
  return aliveAgain(evidence, alive, { code: 'earlier-attempt-open', text }, detail, mayReopen);
}

function aliveAgain(
  { owner, nowMs }: StatementEvidence,
  attempt: Attempt,
  reason: Reason,
  known: Readonly<Record<string, unknown>>,
  mayReopen: boolean,
): Change {
  const detail = { ...known, alarm: true };
  if (!mayReopen || !reopenedStatuses.includes(owner.status)) {
    return move({ payout: owner, patch: { isAlarm: true }, cause: 'alarm-raised', nowMs, attempt, detail });
  }
  const patch: PayoutPatch = { status: 'unresolved', holds: [], isAlarm: true, ...reasonPatch(reason) };
  return move({ payout: owner, patch, cause: 'earlier-attempt-alive', nowMs, attempt, detail });
}
