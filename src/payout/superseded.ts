/**
 * Asks about superseded attempts: each of them before the next attempt of its payoutId is made, and all of them again
 * for a while afterwards, since a late proof can always come (I4).
 */
import type { Attempt, Payout } from '../core/payout.ts';
import type { AttemptKey, Change } from '../core/ports.ts';
import { applyOnLatest, readLatest } from './apply-change.ts';
import { caseOf, logFactsOf, type WorkerContext } from './context.ts';
import { askUntilSaid, inquire } from './inquire.ts';
import type { InDoubt } from './ports.ts';
import type { InquiryReading } from './rules/read-reply.ts';
import { decideOnSibling, decideSuperseded, holdForSuperseded, isCleared } from './rules/superseded.ts';

/** Whether superseded attempts let the next one be made. */
export type Clearing =
  /** They showed nothing but failed or not found, oldest first. */
  | { readonly kind: 'clear'; readonly cleared: readonly Attempt[] }
  /** One is still open, or was paid: this holds the row. */
  | { readonly kind: 'hold'; readonly decide: (current: Payout) => Change }
  /** One cannot be asked about now, or has changed the row itself. */
  | { readonly kind: 'blocked' };

/** Inquires every attempt ever made for the payoutId. */
export async function clearSuperseded(
  context: WorkerContext,
  payout: Payout,
  companyId: string,
): Promise<Clearing> {
  const cleared: Attempt[] = [];
  for (const attempt of await context.journal.attemptsOf(companyId, payout.instruction.payoutId)) {
    const one = await clearOne(context, payout, attempt);
    if (one.kind !== 'clear') return one;
    cleared.push(attempt);
  }
  return { kind: 'clear', cleared };
}

async function clearOne(context: WorkerContext, payout: Payout, attempt: Attempt): Promise<Clearing> {
  const said = await askUntilSaid(context, true, () => inquire(context, attempt, false));
  if (said === undefined) return { kind: 'blocked' };
  const isOwn = attempt.payoutSeq === payout.seq;
  const owner = isOwn ? payout : await context.journal.payout(attempt.payoutSeq);
  const { transRefNo } = attempt.order;
  if (owner === undefined) throw new Error(`attempt ${transRefNo} belongs to no payout`);
  const { finding } = said;
  const known = caseOf(context, owner, attempt);
  if (isCleared(known, finding)) return { kind: 'clear', cleared: [] };
  const facts = { ...logFactsOf(owner, attempt), finding: finding.kind };
  context.log('warn', 'an earlier attempt was not settled', facts);
  const change = await recordOnOwner(context, { payout: owner, attempt }, finding);
  // What was found has moved the payout itself: there is nothing left to hold.
  if (change !== undefined && isOwn) return { kind: 'blocked' };
  if (change?.attempt?.status === 'failed') return { kind: 'clear', cleared: [] };
  return { kind: 'hold', decide: (current) => holdForSuperseded(current, known, finding.kind) };
}

/** Before every attempt there is. */
export const firstKey: AttemptKey = { payoutSeq: 0, attemptNo: 0 };

/** Superseded attempts, the next few in their order. */
export function readSuperseded(
  { journal, clock, settle }: WorkerContext,
  after: AttemptKey,
  limit: number,
): Promise<readonly InDoubt[]> {
  return journal.superseded(clock.now() - settle.giveUpAfterMs, after, limit);
}

/** Asks once about a superseded attempt; what contradicts us is recorded, loudly. */
export async function watchSuperseded(context: WorkerContext, one: InDoubt): Promise<void> {
  const said = await inquire(context, one.attempt, true);
  if (said !== undefined) await recordOnOwner(context, one, said.finding);
}

/** Records what contradicts us with the payout that made the attempt, loudly. Undefined when nothing does. */
async function recordOnOwner(
  context: WorkerContext,
  { payout, attempt }: InDoubt,
  finding: InquiryReading,
): Promise<Change | undefined> {
  const decide = (mayReopen: boolean) =>
    applyOnLatest(context, payout, async (current) => {
      // Read after the payout: somebody else may have asked about it too, and every change of it changes the payout.
      const latest = await readLatest(context, current, attempt);
      return decideSuperseded(caseOf(context, current, latest), finding, mayReopen);
    });
  const change = (await decide(true)) ?? (await decide(false));
  if (change === undefined) return undefined;
  const facts = logFactsOf(payout, attempt);
  if (finding.kind === 'failed') {
    context.log('info', 'an attempt that had come alive has failed', facts);
    return change;
  }
  context.log('error', 'an attempt that had ended is alive', { ...facts, finding: finding.kind });
  context.count(change.after);
  await notifySiblings(context, change, attempt);
  return change;
}

/** A late proof for one row concerns every other row with the same payoutId. */
export async function notifySiblings(
  { journal, clock, count }: Pick<WorkerContext, 'journal' | 'clock' | 'count'>,
  proof: Change,
  proved: Attempt,
): Promise<void> {
  const { before, after } = proof;
  if (after.status !== 'paid' || proof.attempt?.status !== 'paid') return;
  for (const { row } of await journal.findPayouts(before.instruction.payoutId)) {
    if (row.seq === before.seq || row.instruction === null) continue;
    const sibling = await journal.payout(row.seq);
    if (sibling === undefined) continue;
    const change = await applyOnLatest({ journal }, sibling, (current) =>
      decideOnSibling(current, proved.order.transRefNo, clock.now()),
    );
    count(change?.after);
  }
}
