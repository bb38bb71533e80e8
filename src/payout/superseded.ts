/**
 * Asks about attempts that had ended: each of them before the next attempt of its payoutId is made, and all of them
 * again for a while afterwards, since a late proof can always come (I4).
 */
import { decideHold } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { AttemptKey, Batch, Change } from '../core/ports.ts';
import { attemptsMax } from '../core/reference.ts';
import { logFactsOf, type WorkerContext } from './context.ts';
import { askUntilSaid, inquire } from './inquire.ts';
import type { InDoubt, ReadyPayout } from './ports.ts';
import type { InquiryReading } from './rules/read-reply.ts';
import { decideEarlierOpen, decideOnSibling, decideOnWatch, isEarlierCleared } from './rules/superseded.ts';
import { readLatest } from './send.ts';

/**
 * Inquires every earlier reference of the payoutId. Returns the references that showed nothing but failed or not
 * found, or `blocked` when one is still open, was paid, or cannot be asked about now.
 */
export async function clearEarlierAttempts(
  context: WorkerContext,
  batch: Batch,
  { payout, attemptsRecorded }: ReadyPayout,
): Promise<readonly Attempt[] | 'blocked'> {
  if (attemptsRecorded >= attemptsMax) {
    const reason = {
      code: 'attempts-used-up',
      text: `${attemptsMax} attempts were made; a further one has no name`,
    };
    await context.journal.apply([decideHold(payout, 'unavailable', reason, context.clock.now())]);
    return 'blocked';
  }
  const cleared: Attempt[] = [];
  for (const earlier of await context.journal.attemptsOf(batch.companyId, payout.instruction.payoutId)) {
    if (!(await clearEarlierAttempt(context, payout, earlier))) return 'blocked';
    cleared.push(earlier);
  }
  return cleared;
}

async function clearEarlierAttempt(
  context: WorkerContext,
  payout: Payout,
  earlier: Attempt,
): Promise<boolean> {
  const inquired = await askUntilSaid(context, true, () => inquire(context, earlier, false));
  if (inquired === undefined) return false;
  const owner = earlier.payoutSeq === payout.seq ? payout : await context.journal.payout(earlier.payoutSeq);
  const { transRefNo } = earlier.order;
  if (owner === undefined) throw new Error(`attempt ${transRefNo} belongs to no payout`);
  const { reading } = inquired;
  const clock = context.bankClock.read();
  if (isEarlierCleared(earlier, reading, context.settle, clock)) return true;
  context.log('warn', 'an earlier attempt was not settled', {
    ...logFactsOf(owner, earlier),
    finding: reading.kind,
  });
  const change = await recordOnOwner(context, owner, earlier, reading);
  // What was found has moved the payout itself: there is nothing left to hold.
  if (change !== undefined && owner.seq === payout.seq) return false;
  if (change?.attempt?.status === 'failed') return true;
  await applyOnLatest(context, payout, (current) =>
    current.status === 'ready' ? decideEarlierOpen(current, earlier, reading.kind, clock.nowMs) : undefined,
  );
  return false;
}

/** Before every attempt there is. */
export const firstKey: AttemptKey = { payoutSeq: 0, attemptNo: 0 };

/** Attempts that a later one has followed, the next few in their order. */
export function readSuperseded(
  context: WorkerContext,
  after: AttemptKey,
  limit: number,
): Promise<readonly InDoubt[]> {
  const sinceMs = context.clock.now() - context.settle.giveUpAfterMs;
  return context.journal.superseded(sinceMs, after, limit);
}

/** Asks once about an attempt that a later one has followed; what contradicts us is recorded, loudly. */
export async function watchSuperseded(context: WorkerContext, { payout, attempt }: InDoubt): Promise<void> {
  const inquired = await inquire(context, attempt, true);
  if (inquired === undefined) return;
  await recordOnOwner(context, payout, attempt, inquired.reading);
}

/** Records what contradicts us with the payout that made the attempt, loudly. Undefined when nothing does. */
async function recordOnOwner(
  context: WorkerContext,
  owner: Payout,
  attempt: Attempt,
  reading: InquiryReading,
): Promise<Change | undefined> {
  const clock = context.bankClock.read();
  const decide = (mayReopen: boolean) =>
    applyOnLatest(context, owner, async (current) => {
      // Read after the payout: somebody else may have asked about it too, and every change of it changes the payout.
      const latest = await readLatest(context, current, attempt);
      return decideOnWatch(current, latest, reading, clock, mayReopen);
    });
  const change = (await decide(true)) ?? (await decide(false));
  if (change === undefined) return undefined;
  const facts = logFactsOf(owner, attempt);
  if (reading.kind === 'failed') {
    context.log('info', 'an attempt that had come alive has failed', facts);
    return change;
  }
  context.log('error', 'an attempt that had ended is alive', { ...facts, finding: reading.kind });
  context.count(change.after);
  await tellSiblings(context, change, attempt);
  return change;
}

/** A late proof for one row concerns every other row with the same payoutId. */
export async function tellSiblings(
  context: Pick<WorkerContext, 'journal' | 'clock' | 'count'>,
  proof: Change,
  proved: Attempt,
): Promise<void> {
  const { before, after } = proof;
  if (after.status !== 'paid' || proof.attempt?.status !== 'paid') return;
  for (const { row } of await context.journal.findPayouts(before.instruction.payoutId)) {
    if (row.seq === before.seq || row.instruction === null) continue;
    const sibling = await context.journal.payout(row.seq);
    if (sibling === undefined) continue;
    const change = await applyOnLatest(context, sibling, (current) =>
      decideOnSibling(current, proved.order.transRefNo, context.clock.now()),
    );
    context.count(change?.after);
  }
}

/** Applies what is decided on a payout, decided again when somebody else changes it meanwhile. */
export async function applyOnLatest(
  { journal }: Pick<WorkerContext, 'journal'>,
  known: Payout,
  decide: (current: Payout) => Change | undefined | Promise<Change | undefined>,
): Promise<Change | undefined> {
  let current: Payout | undefined = known;
  while (current !== undefined) {
    const change: Change | undefined = await decide(current);
    if (change === undefined) return undefined;
    const [isApplied] = await journal.apply([change]);
    if (isApplied === true) return change;
    const latest: Payout | undefined = await journal.payout(known.seq);
    // A guard other than the version refuses it: the claim is another row's.
    if (latest?.version === current.version) return undefined;
    current = latest;
  }
  return undefined;
}
