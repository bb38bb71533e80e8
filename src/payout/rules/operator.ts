/** What an operator may do with a payout that has not been sent. */
import { move } from '../../core/change.ts';
import type { HoldReason, Payout } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';

/** Lifted by running the file again: what the bank could not take, or answer, may go through now. */
export const rerunHolds: readonly HoldReason[] = ['paused', 'unavailable'];

/** Lifted for all rows when a batch is resumed: they concern the payer account, not the row. */
export const batchWideHolds: readonly HoldReason[] = [...rerunHolds, 'halted'];

/** Holds that ask an operator to compare: once they have, the same likeness does not hold the row again. */
const lookedAtHolds: readonly HoldReason[] = ['name', 'limit', 'similar'];

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

/** Cancels a payout that has not been sent. Returns why not, in words, for any other payout. */
export function decideCancel(payout: Payout, nowMs: number): Change | string {
  if (payout.status !== 'ready' && payout.status !== 'held') {
    return `${describeRow(payout)} is ${payout.status}: only what has not been sent can be cancelled`;
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

const describeRow = (payout: Payout): string =>
  `payout ${payout.instruction.payoutId} (row ${payout.rowNo} of batch ${payout.batchId})`;
