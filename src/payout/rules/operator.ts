/** What an operator may do with a payout: with one that has not been sent, and with one that ended without money moved. */
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
import { paydropCommand } from '../../core/command-line.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { parseRow, type RowRules } from '../../intake/rules/row.ts';
import type { Case } from './case.ts';
import { isShownFailed } from './inquiry-items.ts';
import type { InquiryReading } from './read-reply.ts';
import { computeTrustAtMs } from './resend.ts';
import { similarIdWords } from './similar.ts';
import { isCleared, isTrusted } from './superseded.ts';

/** Why a batch is halted that an operator has cancelled while some of its transfers were under way. */
export const cancelledCode = 'cancelled';

/** Lifted by running the file again: what the bank could not take, or answer, may go through now. */
export const rerunHolds: readonly HoldReason[] = ['paused', 'unavailable'];

/** True when a run has something to do: rows to send or to ask about, or held for what a run lifts. */
export function isAnyToRun(totals: readonly StatusTotal[], holds: readonly HoldTotal[]): boolean {
  const isHeld = holds.some(({ hold, rows }) => rows > 0 && rerunHolds.includes(hold));
  return isHeld || countRows(totals, ['ready', ...inDoubtStatuses]) > 0;
}

/** Lifted for all rows when a batch is resumed: they concern the payer account, not the row. */
export const batchWideHolds: readonly HoldReason[] = [...rerunHolds, 'halted'];

/** Why a batch is halted that was taken in for another account than the settings name now. */
export function describePayerChange(
  { batchId, payerAccount: before }: Pick<Batch, 'batchId' | 'payerAccount'>,
  payerAccount: string,
): BatchReason {
  const [from, to] = [before, payerAccount].map(maskDigits);
  return {
    code: 'payer-account-changed',
    reason: `the file was taken in to be paid from account ${from}, the settings name account ${to} now`,
    remedy: `"paydrop resume ${batchId}" pays what is left from ${to}; or put ${from} back in the settings, then resume`,
  };
}

/** Lifted for all rows when a batch is resumed, and put on again where the limits of that day say so. */
export const dayHolds: readonly HoldReason[] = ['day-limit', 'service-day'];

/** Holds that ask an operator to look at the row: once they have, the same likeness or limit does not hold it again. */
const lookedAtHolds: readonly HoldReason[] = ['name', 'limit', 'similar', 'new-payee', ...dayHolds, 'resend'];

/** Lifted when an operator names the payout: they have looked at it. An approval has an event of its own. */
export const payoutWideHolds: readonly HoldReason[] = [...batchWideHolds, ...lookedAtHolds];

/** Lifts holds of a held payout; ready again when none is left. Returns why not, in words, for any other payout. */
export function decideLift(payout: Payout, lifted: readonly HoldReason[], nowMs: number): Change | string {
  const where = describeRow(payout);
  if (payout.status !== 'held')
    return `${where} is ${payout.status}, not held: there is nothing to let go on`;
  const holds = payout.holds.filter((hold) => !lifted.includes(hold));
  if (holds.length === payout.holds.length)
    return `${where} is held for ${holds.join(', ')}, which this does not lift`;
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
 * Cancels a ready or held payout. Returns why not, in words, for any other payout.
 * Whether the bank may yet complete a send of it is asked before (`whyNotCancel`).
 */
export function decideCancel(payout: Payout, nowMs: number): Change | string {
  if (payout.status !== 'ready' && payout.status !== 'held') {
    return `${describeRow(payout)} is ${payout.status}: only what is ready or held can be cancelled`;
  }
  const patch = {
    status: 'cancelled',
    holds: [],
    reasonCode: 'cancelled',
    reason: 'cancelled by a person',
    settledAtMs: nowMs,
    settledBy: 'decision',
  } as const;
  return move({ payout, patch, cause: 'cancelled', nowMs, detail: { by: 'people' } });
}

/**
 * Why a payout that was sent cannot be cancelled, by what the bank says of one of its references just now. Undefined when
 * each send under it is shown as failed, or not found though enough time has passed since.
 */
export function whyNotCancel(known: Case, reading: InquiryReading): string | undefined {
  const { payout, attempt, sameReference, policy } = known;
  const { payoutId } = payout.instruction;
  const where = describeSent(payout, attempt);
  const again = `"${paydropCommand(undefined, 'cancel', payoutId)}"`;
  const show = `"${paydropCommand(undefined, 'show', payoutId)}"`;
  switch (reading.kind) {
    case 'complete':
      return `${where}, and the bank says that it is complete: ${show} tells how it stands`;
    case 'in-process': {
      const settle = `"${paydropCommand(undefined, 'settle', payout.batchId)}"`;
      return `${where}, and the bank may yet complete it: ${settle} asks until it has ended`;
    }
    case 'nothing-said':
      return `${where}, and the bank does not say what became of it (${reading.reason.text}): once it answers, ${again} asks again`;
    case 'not-found':
    case 'failed':
  }
  const sends = [...sameReference, attempt];
  const unsettled = sends.find((one) => !isCleared({ ...known, attempt: one }, reading));
  if (unsettled !== undefined)
    return `${where}, and it is not settled whose transfer that is: ${show} tells how it stands`;
  const young = sends.filter((one) => !isShownFailed(reading, one.order) && !isTrusted(one, policy, known));
  if (young.length === 0) return undefined;
  const trustAtMs = Math.max(...young.map((one) => computeTrustAtMs(one, policy, known)));
  const moment = formatBangkokMoment(Math.ceil(trustAtMs / 1_000) * 1_000);
  return `${where} a moment ago: that the bank does not find it counts from ${moment} Bangkok time on; then ${again} asks again`;
}

/** `payout INV-1 (row 3 of batch 4K7Q2M9XWD) was sent as PD…`. */
export const describeSent = (payout: Payout, { order }: Pick<Attempt, 'order'>): string =>
  `${describeRow(payout)} was sent as ${order.transRefNo}`;

/** `payout INV-1 (row 3 of batch 4K7Q2M9XWD) may have been sent by a lost part of the journal`. */
export const describeUnknownSends = (payout: Payout): string =>
  `${describeRow(payout)} may have been sent by a lost part of the journal`;

const describeRow = (payout: Payout): string =>
  `payout ${payout.instruction.payoutId} (row ${payout.rowNo} of batch ${payout.batchId})`;

/** Statuses of rows that are not with the bank: they can be cancelled, unless it may yet complete an earlier send. */
export const unsentStatuses: readonly PayoutStatus[] = sourceStatuses('cancelled', 'cancelled');

/** Statuses of rows that can be tried again. */
export const retriedStatuses: readonly PayoutStatus[] = sourceStatuses('ready', 'tried-again');

/** Issues that the row's own cells cannot mend: they concern the line, or the other rows of its file. */
export const fileIssues: readonly string[] = [
  'duplicate-repeat',
  'duplicate-differs',
  'cell-count',
  'amount-cut',
  'quote-misplaced',
  'row-empty',
];

/**
 * Lets a failed or unpayable payout go on to its next attempt. Returns why not, in words, for any other.
 * @param similar who holds a payoutId like its own
 */
export function decideRetry(
  payout: Payout,
  similar: readonly ClaimOwner[],
  nowMs: number,
): readonly Change[] | string {
  const where = describeRow(payout);
  if (payout.isAlarm) {
    const ack = paydropCommand(undefined, 'ack', payout.instruction.payoutId);
    return `${where} bears an alarm: clear with the bank what it says; then "${ack}" with --note ends the alarm, and it can be tried again`;
  }
  if (payout.status !== 'failed' && payout.status !== 'unpayable')
    return `${where} is ${payout.status}: only what failed, is unpayable or was rejected can be tried again`;
  return tryAgain(payout, [], similar, nowMs);
}

/** A rejected row that is to be validated anew, by the rules as they are now. */
interface Rejected {
  readonly row: ResultRow;
  readonly batchId: string;
  readonly rules: RowRules;
  /** Who holds a payoutId like its own. */
  readonly similar: readonly ClaimOwner[];
  readonly nowMs: number;
}

/** Validates a rejected row anew. Returns why it stays rejected, in words. */
export function decideRetryRejected({
  row,
  batchId,
  rules,
  similar,
  nowMs,
}: Rejected): readonly Change[] | string {
  const where = `row ${row.rowNo} of batch ${batchId}`;
  if (row.issues.some(({ code }) => fileIssues.includes(code)))
    return `${where} was rejected for what its file holds: send it in a new file`;
  const { instruction, issues, holds } = parseRow(row.cells, row.line, rules);
  if (instruction === null)
    return `${where} is still wrong (${issues.map(({ message }) => message).join('; ')})`;
  // The file's totals were taken with this row as unreadable; they would no longer tie out.
  if (row.amountSatang !== instruction.amountSatang)
    return `${where}: its amount could not be read when the file was taken in: send it in a new file`;
  const before = { ...row, batchId, instruction, acceptedHolds: [], settledBy: 'rules' } as const;
  const [first, ...rest] = tryAgain(before, holds, similar, nowMs);
  return [{ ...first, isValidated: true }, ...rest];
}

/** Ready again, and held at once for what an operator must look at first: to be applied together, in this order. */
function tryAgain(
  payout: Payout,
  holds: readonly HoldReason[],
  similar: readonly ClaimOwner[],
  nowMs: number,
): readonly [Change, ...Change[]] {
  const patch = {
    status: 'ready',
    holds: [],
    // A person who retries a failed row has seen what became of its reference.
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
  const hold = (name: HoldReason, text: string): void => {
    latest = decideHold(afterChange(latest), name, { code: name, text }, nowMs);
    changes.push(latest);
  };
  if (holds.includes('limit')) hold('limit', 'the amount is over limits.bahtPerPayout');
  const [other] = payout.acceptedHolds.includes('similar') ? [] : similar;
  if (other !== undefined) {
    const place = `row ${other.rowNo} of ${other.fileName}, batch ${other.batchId}`;
    hold('similar', `differs from payoutId ${other.payoutId} (${place}) ${similarIdWords}`);
  }
  return changes;
}
