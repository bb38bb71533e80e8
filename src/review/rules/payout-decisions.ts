/**
 * Decisions about one payout, and the changes that follow. The same function tells what is possible, with the reason
 * against the rest, and decides again on the row's state at that moment.
 */
import { isMessage, message, type Message } from '../../core/message.ts';
import { isOpenAttempt } from '../../core/attempt-numbers.ts';
import { afterChange, move, reasonPatch, settled } from '../../core/change.ts';
import {
  type Attempt,
  type HoldReason,
  type Instruction,
  type Payout,
  type PayoutStatus,
  sourceStatuses,
} from '../../core/payout.ts';
import type { Change, ClaimOwner, DecisionItem, ResultRow } from '../../core/ports.ts';
import { parseRow, type RowRules } from '../../intake/rules/row.ts';
import {
  decideCancel,
  decideLift,
  decideRetry,
  decideRetryRejected,
  fileIssues,
  listIssues,
  payoutWideHolds,
} from '../../payout/rules/operator.ts';
import { type Possible, weigh } from './offers.ts';
import type { Correction } from './proposal.ts';
import { type PayoutDecision, payoutDecisions } from './terms.ts';
import { formatBaht } from '../../core/money.ts';
import type { RowCells } from '../../core/payout-file.ts';
import { maskDigits } from '../../core/proxy-id.ts';

/** The trace of an attempt in the statements of its day and the next; `unread` while one of the two is missing. */
export type StatementTrace = 'unread' | 'found' | 'none';

/** The facts on which a decision about a payout rests. */
export interface ReviewedPayout {
  readonly row: ResultRow;
  readonly batchId: string;
  /** Undefined for a row without an instruction, which can never be paid as it is. */
  readonly payout: Payout | undefined;
  /** Every attempt ever made for its payoutId, over all files. */
  readonly attempts: readonly Attempt[];
  /** The owner of the claim on its payoutId; undefined when the claim is free. */
  readonly holder: ClaimOwner | undefined;
  /** The owners of similar payoutIds. */
  readonly similar: readonly ClaimOwner[];
  readonly traceOf: (attempt: Attempt) => StatementTrace;
  readonly rules: RowRules;
  /** The correction of a decision to retry corrected, once known. */
  readonly correction?: Correction | undefined;
  readonly nowMs: number;
}

/** The mark on every change that a decision makes. */
export interface DecisionMark {
  readonly by: string;
  readonly checkedBy?: string;
  readonly proposal: number;
}

type Decide = (reviewed: ReviewedPayout, payout: Payout) => readonly Change[] | Message;

const one = (change: Change | Message): readonly Change[] | Message =>
  isMessage(change) ? change : [change];

/** The row's own attempts that the bank may have completed, or may yet complete; the latest last. */
export const openAttempts = (
  { attempts }: Pick<ReviewedPayout, 'attempts'>,
  { seq }: Payout,
): readonly Attempt[] =>
  attempts.filter(
    (attempt) => attempt.payoutSeq === seq && attempt.status !== 'paid' && isOpenAttempt(attempt),
  );

function decideRelease(
  { holder, attempts, nowMs }: ReviewedPayout,
  payout: Payout,
): readonly Change[] | Message {
  if (payout.status !== 'cancelled')
    return message(holder === undefined ? 'release.number-is-free' : 'release.not-cancelled', {
      status: message(`payout-is.${payout.status}`),
    });
  if (holder?.batchId !== payout.batchId || holder.rowNo !== payout.rowNo) return message('release.before');
  const open = attempts.find(isOpenAttempt);
  if (open !== undefined) return message('release.may-be-paid', { ref: open.order.transRefNo });
  return [move({ payout, patch: {}, cause: 'released', nowMs })];
}

function decideConfirmPaid(reviewed: ReviewedPayout, payout: Payout): readonly Change[] | Message {
  const { nowMs } = reviewed;
  if (payout.status === 'submitted') return message('confirm.still-asked');
  if (!sourceStatuses('paid', 'decided-paid').includes(payout.status))
    return message('confirm.not-open', { status: message(`payout-is.${payout.status}`) });
  const attempt = openAttempts(reviewed, payout).at(-1);
  const reason = { code: 'confirmed-paid', text: message('reason.confirmed-paid') };
  const patch = {
    status: 'paid',
    isAlarm: false,
    ...reasonPatch(reason),
    ...settled('decision', nowMs),
  } as const;
  const paid = attempt && ({ ...attempt, status: 'paid', nextInquiryAtMs: null } as const);
  return [move({ payout, patch, cause: 'decided-paid', nowMs, attempt: paid })];
}

/** The reason why people cannot confirm an attempt as failed. */
function whyMayBePaid(attempt: Attempt, trace: StatementTrace): Message | undefined {
  const { transRefNo: ref } = attempt.order;
  if (attempt.lastFinding === 'in-process') return message('confirm.in-process', { ref });
  if (attempt.lastFinding === 'complete') return message('confirm.complete', { ref });
  if (trace === 'found') return message('confirm.in-statement', { ref });
  if (attempt.acknowledged && trace === 'unread') return message('confirm.statement-unread', { ref });
  return undefined;
}

function decideConfirmFailed(reviewed: ReviewedPayout, payout: Payout): readonly Change[] | Message {
  if (payout.status === 'submitted') return message('confirm.still-asked');
  if (payout.status !== 'unresolved')
    return message('confirm.not-unresolved', { status: message(`payout-is.${payout.status}`) });
  const open = openAttempts(reviewed, payout);
  if (open.length === 0) return message('confirm.no-transfer');
  for (const attempt of open) {
    const why = whyMayBePaid(attempt, reviewed.traceOf(attempt));
    if (why !== undefined) return why;
  }
  return failEach(payout, open, reviewed.nowMs);
}

/** Makes one change for each attempt; the payout fails with the last. */
function failEach(payout: Payout, open: readonly Attempt[], nowMs: number): readonly Change[] {
  const reason = { code: 'confirmed-failed', text: message('reason.confirmed-failed') };
  const changes: Change[] = [];
  let current = payout;
  for (const [index, attempt] of open.entries()) {
    const isLast = index === open.length - 1;
    const patch = isLast
      ? ({ status: 'failed', ...reasonPatch(reason), ...settled('decision', nowMs) } as const)
      : {};
    const failed = { ...attempt, status: 'failed', nextInquiryAtMs: null, referenceConflict: false } as const;
    const change = move({ payout: current, patch, cause: 'decided-failed', nowMs, attempt: failed });
    changes.push(change);
    current = afterChange(change);
  }
  return changes;
}

/** Statuses that ended without payment and without doubt: acknowledging is the only decision left. */
const notedStatuses: readonly PayoutStatus[] = ['rejected', 'unpayable', 'failed', 'disputed'];

function decideAcknowledge({ nowMs }: ReviewedPayout, payout: Payout): readonly Change[] | Message {
  if (!payout.isAlarm && !notedStatuses.includes(payout.status))
    return message('acknowledge.nothing', { status: message(`payout-is.${payout.status}`) });
  if (!payout.isAlarm && payout.isAcknowledged) return message('acknowledge.before');
  return [move({ payout, patch: { isAlarm: false, isAcknowledged: true }, cause: 'acknowledged', nowMs })];
}

/** Decides on a correction, or on its possibility while the correction itself is unknown. */
function correctOr(reviewed: ReviewedPayout): readonly Change[] | Message {
  const { correction } = reviewed;
  if (correction !== undefined) return decideCorrected(reviewed, correction);
  return whyNotCorrect(reviewed) ?? [];
}

const decideFor: Readonly<Record<PayoutDecision, Decide>> = {
  'go-on': ({ nowMs }, payout) => one(decideLift(payout, payoutWideHolds, nowMs)),
  cancel: ({ nowMs }, payout) => one(decideCancel(payout, nowMs)),
  release: decideRelease,
  retry: ({ similar, nowMs }, payout) => decideRetry(payout, similar, nowMs),
  'retry-corrected': correctOr,
  'confirm-paid': decideConfirmPaid,
  'confirm-failed': decideConfirmFailed,
  acknowledge: decideAcknowledge,
};

/** Decides on a rejected row, which may lack an instruction: it can be retried as written, or acknowledged. */
function decideUnreadable(decision: PayoutDecision, reviewed: ReviewedPayout): readonly Change[] | Message {
  const { row } = reviewed;
  if (decision === 'acknowledge') return decideAcknowledge(reviewed, asPayout(reviewed));
  if (decision === 'retry') return decideRetryRejected(reviewed);
  if (decision === 'retry-corrected') return correctOr(reviewed);
  return message('decide.row-rejected', { row: row.rowNo });
}

/** A row without an instruction, for changes that do not touch the instruction. */
function asPayout({ row, batchId }: ReviewedPayout): Payout {
  const { payoutId, proxyNo } = row.cells;
  const nothing = { payeeName: null, reference1: null, reference2: null } as const;
  const amountSatang = row.amountSatang ?? (0n as Payout['instruction']['amountSatang']);
  const instruction = { payoutId, proxyType: 'NATID', proxyNo, amountSatang, ...nothing } as const;
  return {
    ...row,
    batchId,
    instruction: row.instruction ?? instruction,
    acceptedHolds: [],
    settledBy: 'rules',
  };
}

/** The changes that a decision makes of the row in its present state, or the reason why it makes none. */
export function decidePayout(
  decision: PayoutDecision,
  reviewed: ReviewedPayout,
): readonly Change[] | Message {
  const { payout, row } = reviewed;
  if (payout === undefined || row.status === 'rejected') return decideUnreadable(decision, reviewed);
  return decideFor[decision](reviewed, payout);
}

/** Marks the changes of one item of a proposal; the first change ends the item. */
export const markChanges = <One extends { readonly event: { readonly detail: object } }>(
  changes: readonly One[],
  mark: DecisionMark,
  decision: DecisionItem,
): readonly One[] =>
  changes.map((change, index) => ({
    ...change,
    event: { ...change.event, detail: { ...change.event.detail, ...mark } },
    ...(index === 0 ? { decision } : {}),
  }));

/** Every decision about a payout, with the reason where it is impossible now. */
export const optionsFor = (reviewed: ReviewedPayout): readonly Possible<PayoutDecision>[] =>
  weigh(payoutDecisions, (decision) => decidePayout(decision, reviewed));

// ---------------------------------------------------------------- corrected rows

/** The facts from which a correction is made: to another payee number, or another amount, than the file says. */
type CorrectedRow = Pick<ReviewedPayout, 'row' | 'batchId' | 'payout' | 'rules' | 'nowMs'>;

/** Holds that are independent of the row's instruction, which a correction does not lift. */
const keptHolds: readonly HoldReason[] = ['approval', 'halted', 'paused'];

/** The reason why the row cannot be corrected at all; undefined when it can. */
function whyNotCorrect({ row }: CorrectedRow): Message | undefined {
  if (row.isAlarm) return message('correct.alarm');
  const from = [...sourceStatuses('ready', 'corrected'), ...sourceStatuses('held', 'corrected')];
  if (!from.includes(row.status))
    return message('correct.too-late', { status: message(`payout-is.${row.status}`) });
  if (row.issues.some(({ code }) => fileIssues.includes(code))) return message('correct.wrong-file');
  return row.amountSatang === null ? message('correct.amount-unread') : undefined;
}

/** The cells of the row with the correction applied. */
function correctCells(row: ResultRow, { proxyNo, amount }: Correction): RowCells {
  const { instruction } = row;
  const present =
    instruction === null
      ? {}
      : {
          payoutId: instruction.payoutId,
          proxyType: instruction.proxyType,
          proxyNo: instruction.proxyNo,
          payeeName: instruction.payeeName ?? '',
          amount: formatBaht(instruction.amountSatang),
          reference1: instruction.reference1 ?? '',
          reference2: instruction.reference2 ?? '',
        };
  return {
    ...row.cells,
    ...present,
    // The type follows from the new number.
    ...(proxyNo === null ? {} : { proxyNo, proxyType: '' }),
    ...(amount === null ? {} : { amount }),
  };
}

const isSameInstruction = (known: Instruction | null, other: Instruction): boolean =>
  known?.proxyNo === other.proxyNo &&
  known.proxyType === other.proxyType &&
  known.amountSatang === other.amountSatang;

/** The changes that pay the row as corrected, or the reason why there are none. */
function decideCorrected(corrected: CorrectedRow, correction: Correction): readonly Change[] | Message {
  const { row, batchId, payout, rules, nowMs } = corrected;
  const why = whyNotCorrect(corrected);
  if (why !== undefined) return why;
  const { instruction, issues, holds } = parseRow(correctCells(row, correction), row.line, rules);
  if (instruction === null) return message('correct.still-wrong', { whys: listIssues(issues) });
  if (isSameInstruction(row.instruction, instruction)) return message('correct.changes-nothing');
  const before = payout ?? { ...row, batchId, instruction, acceptedHolds: [], settledBy: 'rules' as const };
  return [correct(before, instruction, holds, nowMs)];
}

function correct(
  before: Payout,
  instruction: Instruction,
  raised: readonly HoldReason[],
  nowMs: number,
): Change {
  const kept = before.holds.filter((hold) => keptHolds.includes(hold));
  const holds = [...kept, ...raised.filter((hold) => !kept.includes(hold))];
  const isLimit = holds.includes('limit');
  const reason = isLimit
    ? ({ reasonCode: 'limit', reason: message('reason.corrected-over-limit') } as const)
    : ({ reasonCode: null, reason: null } as const);
  const patch = {
    status: holds.length === 0 ? 'ready' : 'held',
    holds,
    // Earlier answers of people and the bank were about another payee or amount. `resend` lets the number be sent
    // again.
    acceptedHolds: ['resend'],
    bankPayeeName: null,
    bankPayeeNameTh: null,
    settledAtMs: null,
    settledBy: null,
    ...reason,
  } as const;
  const was = before.instruction;
  const detail = {
    was: before.status,
    ...(was.proxyNo === instruction.proxyNo
      ? {}
      : { proxyNo: [maskDigits(was.proxyNo), maskDigits(instruction.proxyNo)] }),
    ...(was.amountSatang === instruction.amountSatang
      ? {}
      : { amount: [formatBaht(was.amountSatang), formatBaht(instruction.amountSatang)] }),
  };
  const change = move({ payout: before, patch, cause: 'corrected', nowMs, detail });
  return { ...change, after: { ...change.after, instruction }, isCorrected: true };
}
