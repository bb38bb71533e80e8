/** Records the intent to pay one payout and sends it: no intent durably recorded, no request sent. */
import { afterChange } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Batch } from '../core/ports.ts';
import { noticeStop } from './breaker-stop.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { lookUpAfterLoss } from './lost-journal.ts';
import type { ReadyPayout } from './ports.ts';
import { recordUnlessHeld } from './pre-send-checks.ts';
import type { LineState } from './rules/circuit-breaker.ts';
import { type BankNames, decideIntent } from './rules/intent.ts';
import { mayBytesLeaveFirst } from './rules/resend.ts';
import { keepBack, type NotSent, sendAttempt } from './send.ts';
import { clearEarlierAttempts } from './superseded.ts';

/** Nothing more to do for this row here. */
const nothingToRecord = async (): Promise<void> => {};

/** Runs work when a lane is free: a bounded number of transfers is with the bank at once. */
type InLane = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Pays one ready payout whose payee is known to be payable. The lane is taken once the intent is durable, so that it
 * never waits for the disk.
 * @returns a function that records the outcome
 */
export async function submitPayout(
  context: WorkerContext,
  batch: Batch,
  ready: ReadyPayout,
  names: BankNames,
  inLane: InLane,
): Promise<() => Promise<void>> {
  const { payout, attemptsRecorded } = ready;
  if ((await lookUpAfterLoss(context, batch, ready)) === 'blocked') return nothingToRecord;
  const cleared = await enterCleared(context, batch, ready);
  if (cleared === 'blocked') return nothingToRecord;
  const isProbe = context.gate.state.status === 'paused';
  const intent = decideIntent({
    payout,
    attemptsRecorded,
    cleared,
    names,
    payer: payerOf(context, batch),
    policy: context.settle,
    ...context.bankClock.read(),
  });
  context.run.inFlight.add(payout.seq);
  const isRecorded = await recordIntent(context, batch, payout, intent.change);
  if (!isRecorded) {
    await noticeStop(context, batch);
    return nothingToRecord;
  }
  const { attempt } = intent;
  const submitted = afterChange(intent.change);
  return inLane(async () => {
    const stop = findStop(context.gate.state, isProbe);
    if (stop !== undefined) return keepBack(context, submitted, attempt, stop);
    return sendAttempt(context, submitted, attempt, () =>
      mayBytesLeaveFirst(attempt, context.settle, context.clock.now()),
    );
  });
}

/** An answer about an earlier attempt that is older than this, by the time the gate is passed, is asked for again. */
const clearedAgeMaxMs = 60_000;

/** Passes the gate with every earlier attempt cleared just now: a pause of the line may take hours. */
async function enterCleared(
  context: WorkerContext,
  batch: Batch,
  ready: ReadyPayout,
): Promise<readonly Attempt[] | 'blocked'> {
  const { clock, gate } = context;
  const { attemptsRecorded } = ready;
  for (;;) {
    const cleared = attemptsRecorded === 0 ? [] : await clearEarlierAttempts(context, batch, ready);
    if (cleared === 'blocked') return 'blocked';
    const clearedAtMs = clock.now();
    if ((await gate.enter()) !== 'go') return 'blocked';
    if (cleared.length === 0 || Math.abs(clock.now() - clearedAtMs) <= clearedAgeMaxMs) return cleared;
    gate.leave({ kind: 'nothing' });
  }
}

/** Why an attempt is not sent: the line has stopped since its intent was recorded. A probe goes through a paused line. */
function findStop({ status, why }: LineState, isProbe: boolean): NotSent | undefined {
  if (why === null || status === 'open' || (status === 'paused' && isProbe)) return undefined;
  const scope = status === 'halted' ? 'payer' : 'service';
  return { kind: 'not-sent', scope, reason: { code: why.code, text: why.reason } };
}

/** False when the guard no longer holds: somebody cancelled or held the row, or stopped the line, meanwhile. */
async function recordIntent(
  context: WorkerContext,
  batch: Batch,
  payout: Payout,
  change: ReturnType<typeof decideIntent>['change'],
): Promise<boolean> {
  let isRecorded = false;
  try {
    isRecorded = await recordUnlessHeld(context, batch, change);
    return isRecorded;
  } finally {
    if (!isRecorded) {
      context.run.inFlight.delete(payout.seq);
      context.gate.leave({ kind: 'nothing' });
    }
  }
}
