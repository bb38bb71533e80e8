/** Records the intent to pay one payout and sends it: no intent durably recorded, no request sent. */
import { afterChange, decideHold } from '../core/change.ts';
import { decideAfterEarlierInquiry } from '../core/decide-inquiry.ts';
import { decideIntent, type BankNames } from '../core/decide.ts';
import type { LineState } from '../core/line.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Batch, ReadyPayout } from '../core/ports.ts';
import { attemptsMax } from '../core/reference.ts';
import { mayBytesLeaveFirst } from '../core/sending-rule.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { inquire, type Inquired } from './inquire.ts';
import { noticeStop } from './line-stop.ts';
import { keepBack, sendAttempt, type NotSent } from './transfer.ts';

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
  const clearedRefs = attemptsRecorded === 0 ? [] : await clearEarlierAttempts(context, batch, ready);
  if (clearedRefs === 'blocked') return nothingToRecord;
  if ((await context.gate.enter()) !== 'go') return nothingToRecord;
  const isProbe = context.gate.state.status === 'paused';
  const intent = decideIntent({
    payout,
    attemptsRecorded,
    clearedRefs,
    names,
    payer: payerOf(context, batch),
    policy: context.settle,
    nowMs: context.clock.now(),
  });
  context.run.inFlight.add(payout.seq);
  const isRecorded = await recordIntent(context, payout, intent.change);
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

/** Why an attempt is not sent: the line has stopped since its intent was recorded. A probe goes through a paused line. */
function findStop({ status, why }: LineState, isProbe: boolean): NotSent | undefined {
  if (why === null || status === 'open' || (status === 'paused' && isProbe)) return undefined;
  const scope = status === 'halted' ? 'payer' : 'service';
  return { kind: 'not-sent', scope, reason: { code: why.code, text: why.reason } };
}

/** False when the guard no longer holds: somebody cancelled or held the row, or stopped the line, meanwhile. */
async function recordIntent(
  context: WorkerContext,
  payout: Payout,
  change: ReturnType<typeof decideIntent>['change'],
): Promise<boolean> {
  let isRecorded = false;
  try {
    [isRecorded = false] = await context.journal.apply([change]);
    return isRecorded;
  } finally {
    if (!isRecorded) {
      context.run.inFlight.delete(payout.seq);
      context.gate.leave({ kind: 'nothing' });
    }
  }
}

/**
 * Inquires every earlier reference of the payoutId. Returns the references that showed nothing but failed or not
 * found, or `blocked` when one is still open, was paid, or cannot be asked about now.
 */
async function clearEarlierAttempts(
  context: WorkerContext,
  batch: Batch,
  { payout, attemptsRecorded }: ReadyPayout,
): Promise<readonly string[] | 'blocked'> {
  if (attemptsRecorded >= attemptsMax) {
    const reason = {
      code: 'attempts-used-up',
      text: `${attemptsMax} attempts were made; a further one has no name`,
    };
    await context.journal.apply([decideHold(payout, 'unavailable', reason, context.clock.now())]);
    return 'blocked';
  }
  const cleared: string[] = [];
  for (const earlier of await context.journal.attemptsOf(batch.companyId, payout.instruction.payoutId)) {
    if (!(await clearEarlierAttempt(context, payout, earlier))) return 'blocked';
    cleared.push(earlier.order.transRefNo);
  }
  return cleared;
}

async function clearEarlierAttempt(
  context: WorkerContext,
  payout: Payout,
  earlier: Attempt,
): Promise<boolean> {
  const inquired = await inquireUntilSaid(context, earlier);
  if (inquired === undefined) return false;
  const owner = earlier.payoutSeq === payout.seq ? payout : await context.journal.payout(earlier.payoutSeq);
  const { transRefNo } = earlier.order;
  if (owner === undefined) throw new Error(`attempt ${transRefNo} belongs to no payout`);
  const { reading } = inquired;
  const nowMs = context.clock.now();
  const step = decideAfterEarlierInquiry(payout, owner, earlier, reading, context.settle, nowMs);
  if (step.kind === 'clear') return true;
  context.log('warn', 'an earlier attempt is not settled', { transRefNo, finding: reading.kind });
  await context.journal.apply(step.changes);
  return false;
}

/** How often an inquiry that says nothing is made again; a sick service is waited for instead. */
const asksMax = 3;
const askAgainAfterMs = 250;

async function inquireUntilSaid(context: WorkerContext, earlier: Attempt): Promise<Inquired | undefined> {
  for (let asks = 1; ;) {
    const inquired = await inquire(context, earlier, false);
    if (inquired?.reading.kind !== 'nothing-said') return inquired;
    if (inquired.reading.isTrouble) continue;
    if (asks >= asksMax) return inquired;
    await context.clock.sleep(askAgainAfterMs * asks, context.stop);
    asks += 1;
  }
}
