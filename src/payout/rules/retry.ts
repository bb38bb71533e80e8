/** What an operator may try again: what ended without any money having moved. */
import { afterChange, decideHold, move } from '../../core/change.ts';
import { type HoldReason, type Payout, type PayoutStatus, sourceStatuses } from '../../core/payout.ts';
import type { Change, ClaimOwner, ResultRow } from '../../core/ports.ts';
import { parseRow, type RowRules } from '../../intake/rules/row.ts';

/** Whether a row gets its next attempt, and if not, why, in words. */
export type RetryStep =
  /** The changes of one row, to be applied together, in this order. */
  | { readonly kind: 'retry'; readonly changes: readonly Change[] }
  | { readonly kind: 'refused'; readonly why: string };

const refuse = (why: string): RetryStep => ({ kind: 'refused', why });

/** Statuses of rows that can be tried again. */
export const retriedStatuses: readonly PayoutStatus[] = sourceStatuses('ready', 'tried-again');

/** Issues that the row's own cells cannot mend: they concern the line, or the other rows of its file. */
const fileIssues: readonly string[] = [
  'duplicate-repeat',
  'duplicate-differs',
  'cell-count',
  'quote-misplaced',
  'row-empty',
];

/** Lets a failed or unpayable payout go on to its next attempt. @param similar who holds a payoutId like its own */
export function decideRetry(payout: Payout, similar: readonly ClaimOwner[], nowMs: number): RetryStep {
  const where = `payout ${payout.instruction.payoutId} (row ${payout.rowNo} of batch ${payout.batchId})`;
  if (payout.isAlarm)
    return refuse(`${where} bears an alarm: what the bank says of it must be cleared first`);
  if (payout.status !== 'failed' && payout.status !== 'unpayable')
    return refuse(
      `${where} is ${payout.status}: only what failed, is unpayable or was rejected can be tried again`,
    );
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

/** Validates a rejected row anew. */
export function decideRetryRejected({ row, batchId, rules, similar, nowMs }: Rejected): RetryStep {
  const where = `row ${row.rowNo} of batch ${batchId}`;
  if (row.issues.some(({ code }) => fileIssues.includes(code)))
    return refuse(`${where} was rejected for what its file holds: send it in a new file`);
  const { instruction, issues, holds } = parseRow(row.cells, row.line, rules);
  if (instruction === null)
    return refuse(`${where} is still wrong (${issues.map(({ message }) => message).join('; ')})`);
  // The file's totals were taken with this row as unreadable; they would no longer tie out.
  if (row.amountSatang !== instruction.amountSatang)
    return refuse(`${where}: its amount could not be read when the file was taken in: send it in a new file`);
  const before = { ...row, batchId, instruction, acceptedHolds: [], settledBy: 'rules' } as const;
  const step = tryAgain(before, holds, similar, nowMs);
  if (step.kind === 'refused') return step;
  const [first, ...rest] = step.changes;
  return first === undefined ? step : { ...step, changes: [{ ...first, isValidated: true }, ...rest] };
}

/** Ready again, and held at once for what an operator must look at first. */
function tryAgain(
  payout: Payout,
  holds: readonly HoldReason[],
  similar: readonly ClaimOwner[],
  nowMs: number,
): RetryStep {
  const patch = {
    status: 'ready',
    holds: [],
    reasonCode: null,
    reason: null,
    settledAtMs: null,
    settledBy: null,
  } as const;
  const detail = { by: 'people', was: payout.status, code: payout.reasonCode };
  const changes = [move({ payout, patch, cause: 'tried-again', nowMs, detail })];
  const hold = (name: HoldReason, text: string): void => {
    const last = changes.at(-1);
    if (last !== undefined) changes.push(decideHold(afterChange(last), name, { code: name, text }, nowMs));
  };
  if (holds.includes('limit')) hold('limit', 'the amount is over limits.bahtPerPayout');
  const [other] = payout.acceptedHolds.includes('similar') ? [] : similar;
  if (other !== undefined) {
    const place = `row ${other.rowNo} of ${other.fileName}, batch ${other.batchId}`;
    hold('similar', `differs from payoutId ${other.payoutId} (${place}) only in case or leading zeros`);
  }
  return { kind: 'retry', changes };
}
