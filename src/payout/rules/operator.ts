/** Decisions of an operator on a payout that has not been sent, or that ended without money moved. */
import { type Listed, listed, message, type Message } from '../../core/message.ts';
import { addHold, afterChange, decideHold, move } from '../../core/change.ts';
import { countRows, inDoubtStatuses } from '../../core/exit-code.ts';
import {
  type Attempt,
  type HoldReason,
  type Payout,
  type PayoutStatus,
  sourceStatuses,
} from '../../core/payout.ts';
import type {
  Batch,
  BatchReason,
  Change,
  ClaimOwner,
  HoldTotal,
  ResultRow,
  StatusTotal,
} from '../../core/ports.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { Issue } from '../../core/payout-file.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { parseRow, type RowRules } from '../../intake/rules/row.ts';
import type { Case } from './case.ts';
import { likeFileCodes } from './similar.ts';
import { isShownFailed } from './inquiry-items.ts';
import type { InquiryReading } from './read-reply.ts';
import { computeTrustAtMs } from './resend.ts';
import { isCleared, isTrusted } from './superseded.ts';

/** Code of the halt of a batch that an operator has cancelled while some of its transfers were under way. */
export const cancelledCode = 'cancelled';

/** Holds for the payer account or the service, not the row: a run lifts them once nothing halts the batch or its account. */
export const accountHolds: readonly HoldReason[] = ['paused', 'unavailable', 'halted'];

/** True when a run has work: rows to send or to ask about, or holds that a run lifts. */
export function isAnyToRun(totals: readonly StatusTotal[], holds: readonly HoldTotal[]): boolean {
  const isHeld = holds.some(({ hold, rows }) => rows > 0 && accountHolds.includes(hold));
  return isHeld || countRows(totals, ['ready', ...inDoubtStatuses]) > 0;
}

/** Causes for which a row is held by itself, although its batch could go on. */
export const ownCauses: readonly string[] = ['reference-kept', 'attempts-used-up'];

/** A held row waits for its account or its batch, which move it, or for a decision of its own. */
export function waitsFor(holds: readonly string[], cause: string): 'account' | 'batch' | 'row' {
  if (ownCauses.includes(cause)) return 'row';
  const others = holds.filter((hold) => !accountHolds.some((one) => one === hold));
  if (others.length === 0) return 'account';
  const isOfLikeFile = Object.values<string>(likeFileCodes).includes(cause);
  return others.every((hold) => hold === 'approval' || (hold === 'similar' && isOfLikeFile))
    ? 'batch'
    : 'row';
}

/** Reason of the halt of a batch that was accepted for another account than the settings name now. */
export function describePayerChange(
  { batchId, payerAccount: before }: Pick<Batch, 'batchId' | 'payerAccount'>,
  payerAccount: string,
): BatchReason {
  const [from, to] = [maskDigits(before), maskDigits(payerAccount)];
  return {
    code: 'payer-account-changed',
    reason: message('batch.payer-changed', { from, to }),
    remedy: message('batch.choose-payer', { batch: batchId, from, to }),
  };
}

/** Holds lifted for all rows when a batch is resumed, and added again if the limits of that day require it. */
export const dayHolds: readonly HoldReason[] = ['day-limit', 'service-day'];

/** Holds that ask an operator to look at the row; afterwards the same likeness or limit does not hold it again. */
const lookedAtHolds: readonly HoldReason[] = ['name', 'limit', 'similar', 'new-payee', ...dayHolds, 'resend'];

/** Holds lifted when an operator names the payout and so has looked at it. An approval has an event of its own. */
export const payoutWideHolds: readonly HoldReason[] = [...accountHolds, ...lookedAtHolds];

/** Lifts holds of a held payout; ready again when none is left. For any other payout returns why not. */
export function decideLift(payout: Payout, lifted: readonly HoldReason[], nowMs: number): Change | Message {
  const where = describePayoutRow(payout);
  if (payout.status !== 'held')
    return message('go-on.not-held', { where, status: message(`payout-is.${payout.status}`) });
  const holds = payout.holds.filter((hold) => !lifted.includes(hold));
  if (holds.length === payout.holds.length)
    return message('go-on.held-otherwise', {
      where,
      holds: listed(holds.map((hold) => message(`hold-is.${hold}`))),
    });
  const isFree = holds.length === 0;
  const accepted = payout.holds.filter((hold) => lifted.includes(hold) && lookedAtHolds.includes(hold));
  const patch = {
    status: isFree ? 'ready' : 'held',
    holds,
    acceptedHolds: [...new Set([...payout.acceptedHolds, ...accepted])],
    ...(isFree ? { reasonCode: null, reason: null } : {}),
  } as const;
  const detail = { lifted: payout.holds.filter((hold) => lifted.includes(hold)), by: 'people' };
  return move({ payout, patch, cause: 'hold-lifted', nowMs, detail });
}

/**
 * Cancels a ready or held payout. For any other returns why not. The caller first checks that the bank cannot
 * complete a send of it (`whyNotCancel`).
 */
export function decideCancel(payout: Payout, nowMs: number): Change | Message {
  if (payout.status !== 'ready' && payout.status !== 'held') {
    return message('cancel.too-late', {
      where: describePayoutRow(payout),
      status: message(`payout-is.${payout.status}`),
    });
  }
  const patch = {
    status: 'cancelled',
    holds: [],
    reasonCode: 'cancelled',
    reason: message('reason.cancelled'),
    settledAtMs: nowMs,
    settledBy: 'decision',
  } as const;
  return move({ payout, patch, cause: 'cancelled', nowMs, detail: { by: 'people' } });
}

/**
 * Reason why a payout that was sent cannot be cancelled, by the bank's latest answer about one of its references.
 * Undefined when each send under it is shown as failed, or not found after the trust time.
 */
export function whyNotCancel(known: Case, reading: InquiryReading): Message | undefined {
  const { payout, attempt, sameReference, policy } = known;
  const { payoutId } = payout.instruction;
  const sent = describeTransfer(payout, attempt);
  const again = paydropCommand(undefined, 'cancel', payoutId);
  const show = paydropCommand(undefined, 'show', payoutId);
  switch (reading.kind) {
    case 'complete':
      return message('cancel.complete', { sent, command: show });
    case 'in-process': {
      const command = paydropCommand(undefined, 'settle', payout.batchId);
      return message('cancel.in-process', { sent, command });
    }
    case 'nothing-said':
      return message('cancel.nothing-said', { sent, why: reading.reason.text, command: again });
    case 'not-found':
    case 'failed':
  }
  const sends = [...sameReference, attempt];
  const unsettled = sends.find((one) => !isCleared({ ...known, attempt: one }, reading));
  if (unsettled !== undefined) return message('cancel.whose', { sent, command: show });
  const young = sends.filter((one) => !isShownFailed(reading, one.order) && !isTrusted(one, policy, known));
  if (young.length === 0) return undefined;
  const trustAtMs = Math.max(...young.map((one) => computeTrustAtMs(one, policy, known)));
  const moment = formatBangkokMoment(Math.ceil(trustAtMs / 1_000) * 1_000);
  return message('cancel.too-young', { sent, moment, command: again });
}

/** `payout INV-1 (row 3 of batch 4K7Q2M9XWD) was sent as PD…`. */
export const describeTransfer = (payout: Payout, { order }: Pick<Attempt, 'order'>): Message =>
  message('cancel.sent', { where: describePayoutRow(payout), ref: order.transRefNo });

/** `payout INV-1 (row 3 of batch 4K7Q2M9XWD) may have been sent by a lost part of the journal`. */
export const describeUnknownSends = (payout: Payout): Message =>
  message('cancel.may-be-sent', { where: describePayoutRow(payout) });

const describePayoutRow = ({ instruction, rowNo, batchId }: Payout): Message =>
  message('place.payout', { payoutId: instruction.payoutId, row: rowNo, batch: batchId });

/** `row 3 of batch 4K7Q2M9XWD`. */
export const describeRow = ({ rowNo, batchId }: Pick<Payout, 'rowNo' | 'batchId'>): Message =>
  message('place.row', { row: rowNo, batch: batchId });

/**
 * Statuses of rows that are not with the bank; they can be cancelled, unless the bank can still complete an earlier
 * send.
 */
export const unsentStatuses: readonly PayoutStatus[] = sourceStatuses('cancelled', 'cancelled');

/** Statuses of rows that can be tried again. */
export const retriedStatuses: readonly PayoutStatus[] = sourceStatuses('ready', 'tried-again');

/** Issues that a change of the row's own cells cannot fix: they concern the line, or other rows of its file. */
export const fileIssues: readonly string[] = [
  'duplicate-repeat',
  'duplicate-differs',
  'cell-count',
  'amount-cut',
  'quote-misplaced',
  'row-empty',
];

/**
 * Allows a failed or unpayable payout its next attempt. For any other returns why not.
 * @param similar holders of a payoutId like its own
 */
export function decideRetry(
  payout: Payout,
  similar: readonly ClaimOwner[],
  nowMs: number,
): readonly Change[] | Message {
  const where = describePayoutRow(payout);
  if (payout.isAlarm) {
    const command = paydropCommand(undefined, 'ack', payout.instruction.payoutId);
    return message('retry.alarm', { where, command });
  }
  if (payout.status !== 'failed' && payout.status !== 'unpayable')
    return message('retry.not-ended', { where, status: message(`payout-is.${payout.status}`) });
  return tryAgain(payout, [], similar, nowMs);
}

/** The messages of issues, for a sentence. */
export const listIssues = (issues: readonly Issue[]): Listed =>
  listed(
    issues.map((issue) => issue.message),
    'semicolon',
  );

/** A rejected row to validate anew, by the present rules. */
interface Rejected {
  readonly row: ResultRow;
  readonly batchId: string;
  readonly rules: RowRules;
  /** Holders of a payoutId like its own. */
  readonly similar: readonly ClaimOwner[];
  readonly nowMs: number;
}

/** Validates a rejected row anew. Returns why it stays rejected. */
export function decideRetryRejected({
  row,
  batchId,
  rules,
  similar,
  nowMs,
}: Rejected): readonly Change[] | Message {
  const where = describeRow({ rowNo: row.rowNo, batchId });
  if (row.issues.some(({ code }) => fileIssues.includes(code))) return message('retry.wrong-file', { where });
  const { instruction, issues, holds } = parseRow(row.cells, row.line, rules);
  if (instruction === null) return message('retry.still-wrong', { where, whys: listIssues(issues) });
  // The file's totals counted this row as unreadable, and would no longer match.
  if (row.amountSatang !== instruction.amountSatang) return message('retry.amount-unread', { where });
  const before = { ...row, batchId, instruction, acceptedHolds: [], settledBy: 'rules' } as const;
  const [first, ...rest] = tryAgain(before, holds, similar, nowMs);
  return [{ ...first, isValidated: true }, ...rest];
}

/**
 * Makes the row ready again, and at once held for what an operator must check first; apply the changes together, in
 * this order.
 */
function tryAgain(
  payout: Payout,
  holds: readonly HoldReason[],
  similar: readonly ClaimOwner[],
  nowMs: number,
): readonly [Change, ...Change[]] {
  const patch = {
    status: 'ready',
    holds: [],
    // A person who retries a failed row has seen the outcome of its reference.
    acceptedHolds:
      payout.status === 'failed' ? addHold(payout.acceptedHolds, 'resend') : payout.acceptedHolds,
    reasonCode: null,
    reason: null,
    settledAtMs: null,
    settledBy: null,
  } as const;
  const detail = { by: 'people', was: payout.status, code: payout.reasonCode };
  let latest = move({ payout, patch, cause: 'tried-again', nowMs, detail });
  const changes: [Change, ...Change[]] = [latest];
  const hold = (name: HoldReason, text: Message): void => {
    latest = decideHold(afterChange(latest), name, { code: name, text }, nowMs);
    changes.push(latest);
  };
  if (holds.includes('limit')) hold('limit', message('reason.over-limit'));
  const [other] = payout.acceptedHolds.includes('similar') ? [] : similar;
  if (other !== undefined) {
    const { rowNo, fileName, batchId, payoutId } = other;
    const place = message('row.beside', { row: rowNo, file: fileName, batch: batchId });
    hold('similar', message('reason.similar-id', { payoutId, place }));
  }
  return changes;
}
