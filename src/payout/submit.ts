/** Records the intent to pay one payout and sends it: no intent durably recorded, no request sent. */
import { afterChange } from '../core/change.ts';
import type { Payout } from '../core/payout.ts';
import type { Change } from '../core/ports.ts';
import type { RunInTurn } from '../platform/fair-semaphore.ts';
import { applyOnLatest } from './apply-change.ts';
import { noticeHalt } from './circuit-breaker.ts';
import { payerOf, type WorkerContext } from './context.ts';
import type { InDoubt } from './ports.ts';
import { preSendChecks, type Row } from './pre-send-checks.ts';
import type { BreakerState } from './rules/circuit-breaker.ts';
import { type BankNames, decideIntent } from './rules/intent.ts';
import { mayBytesLeaveFirst } from './rules/resend.ts';
import { leaveUnsent, type NotSent, sendAttempt } from './send.ts';

/** A row whose payee is known to be payable, with what the bank calls the payee. */
export interface PayableRow extends Row {
  readonly names: BankNames;
}

/** Nothing more to do for this row here. */
const nothingToRecord = async (): Promise<void> => {};

/**
 * Pays one ready payout. The lane is taken once the intent is durable, so that it never waits for the disk.
 * @param inLane runs the sending when a lane is free: a bounded number of transfers is with the bank at once
 * @returns a function that records the outcome
 */
export async function submitPayout(
  context: WorkerContext,
  row: PayableRow,
  inLane: RunInTurn,
): Promise<() => Promise<void>> {
  const intended = await inLikenessTurn(context, row, () => recordIntent(context, row));
  if (intended === undefined) return nothingToRecord;
  const { gate, settle, clock } = context;
  return inLane(async () => {
    const stop = findStop(gate.state, intended.isProbe);
    if (stop !== undefined) return leaveUnsent(context, intended, stop);
    return sendAttempt(context, intended, () => mayBytesLeaveFirst(intended.attempt, settle, clock.now()));
  });
}

/** Of like payouts under way at once, one is looked at when the intent of the one before is recorded. */
function inLikenessTurn<T>(
  { likeness, limits }: WorkerContext,
  { payout: { instruction, acceptedHolds } }: Row,
  work: () => Promise<T>,
): Promise<T> {
  if (limits.similarDays === 0 || acceptedHolds.includes('similar')) return work();
  const { proxyType, proxyNo, amountSatang } = instruction;
  return likeness.run(`${proxyType} ${proxyNo} ${amountSatang}`, work);
}

interface Intended extends InDoubt {
  readonly isProbe: boolean;
}

/** Undefined when nothing may be sent; the gate is passed otherwise. */
async function recordIntent(context: WorkerContext, row: PayableRow): Promise<Intended | undefined> {
  const { run, gate, bankClock, settle } = context;
  const { payout, batch } = row;
  const check = await preSendChecks(context, row);
  if (check.kind === 'hold') await recordHold(context, payout, check.decide);
  if (check.kind !== 'clear') return undefined;
  const { cleared, isProbe } = check;
  const payer = payerOf(context, batch);
  const { change, attempt } = decideIntent({ ...row, cleared, payer, policy: settle, ...bankClock.read() });
  run.inFlight.add(payout.seq);
  let isRecorded = false;
  try {
    [isRecorded = false] = await context.journal.apply([change]);
  } finally {
    if (!isRecorded) {
      run.inFlight.delete(payout.seq);
      gate.leave({ kind: 'nothing' });
    }
  }
  if (!isRecorded) {
    // Somebody cancelled or held the row, or halted its batch or account, meanwhile.
    await noticeHalt(context, batch);
    return undefined;
  }
  return { payout: afterChange(change), attempt, isProbe };
}

async function recordHold(
  context: WorkerContext,
  payout: Payout,
  decide: (current: Payout) => Change,
): Promise<void> {
  const change = await applyOnLatest(context, payout, (current) =>
    current.status === 'ready' ? decide(current) : undefined,
  );
  if (change === undefined) return;
  context.run.noteProgress();
  context.count(afterChange(change));
}

/** Why an attempt is not sent: the account was paused or halted since its intent was recorded. */
function findStop({ status, why }: BreakerState, isProbe: boolean): NotSent | undefined {
  if (why === null || status === 'open' || (status === 'paused' && isProbe)) return undefined;
  const scope = status === 'halted' ? 'payer' : 'service';
  return { kind: 'not-sent', scope, reason: { code: why.code, text: why.reason } };
}
