/**
 * Asks about superseded attempts: each of them before the next attempt of its payoutId is made, and all of them again
 * for a while afterwards, since a late proof can always come (I4).
 */
import { afterChange } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { AttemptKey, Change } from '../core/ports.ts';
import { applyOnAttempt, applyOnLatest, readLatest } from './apply-change.ts';
import { caseOf, contextFor, logFactsOf, type WorkerContext } from './context.ts';
import { askUntilSaid, inquire } from './inquire.ts';
import type { InDoubt } from './ports.ts';
import type { Case } from './rules/case.ts';
import type { InquiryReading, TransferFinding } from './rules/read-reply.ts';
import {
  decideOnClosed,
  decideOnSibling,
  decideSuperseded,
  hasEnded,
  holdForSuperseded,
  isCleared,
  provesPaid,
} from './rules/superseded.ts';

/** Why a row is not sent now. */
export type Obstacle =
  /** An operator, or a later run, looks first: this holds the row. */
  | { readonly kind: 'hold'; readonly decide: (current: Payout) => Change }
  /** Nothing may be sent now; why is recorded where there is anything to record. */
  | { readonly kind: 'blocked' };

/** Whether superseded attempts, oldest first, let the next one be made: they showed nothing but failed or not found. */
export type Clearing = { readonly kind: 'clear'; readonly cleared: readonly Attempt[] } | Obstacle;

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
  // A statement may have brought it back to life while the bank was asked.
  const known = caseOf(context, owner, await readLatest(context, owner, attempt));
  if (isCleared(known, finding)) return { kind: 'clear', cleared: [] };
  const facts = { ...logFactsOf(owner, attempt), finding: finding.kind };
  context.log('warn', 'an earlier attempt was not settled', facts);
  const change = await recordOnOwner(context, { payout: owner, attempt }, finding);
  // What was found has moved the payout itself: there is nothing left to hold.
  if (change !== undefined && isOwn) return { kind: 'blocked' };
  if (change !== undefined && hasEnded(change)) return { kind: 'clear', cleared: [] };
  return { kind: 'hold', decide: (current) => holdForSuperseded(current, known, finding.kind) };
}

/** Before every attempt there is. */
const firstKey: AttemptKey = { payoutSeq: 0, attemptNo: 0 };

/** Goes round the superseded attempts, a few at a time. */
export class Watch {
  readonly #context: WorkerContext;
  #after = firstKey;
  #nextRoundAtMs = 0;

  constructor(context: WorkerContext) {
    this.#context = context;
  }

  /** Asks about the next few while nothing else is to be asked; false when there is none, or it is not yet time. */
  async step(): Promise<boolean> {
    const { clock, gate, settle } = this.#context;
    if (clock.now() < this.#nextRoundAtMs || gate.isSilent) return false;
    const isAny = await this.ask();
    if (!isAny) this.#nextRoundAtMs = clock.now() + settle.maxDelayMs;
    return isAny;
  }

  /** Asks about the next few; false when there is none, and the round begins anew. */
  async ask(): Promise<boolean> {
    const { journal, clock, settle, transferConcurrency } = this.#context;
    const sinceMs = clock.now() - settle.giveUpAfterMs;
    const page = await journal.superseded(sinceMs, this.#after, transferConcurrency);
    await Promise.all(page.map((one) => watchOne(contextFor(this.#context, one.attempt.order), one)));
    const last = page.at(-1)?.attempt;
    this.#after = last ?? firstKey;
    return last !== undefined;
  }
}

async function watchOne(context: WorkerContext, one: InDoubt): Promise<void> {
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
  const { before } = proof;
  if (!provesPaid(proof)) return;
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

/** What was learnt about an attempt, and what follows from it while the journal does not know how it ended. */
interface Learnt {
  readonly finding: TransferFinding | InquiryReading;
  readonly caseOf: (current: Payout, latest: Attempt) => Case;
  readonly decide: (known: Case) => Change | undefined;
}

/**
 * Records what was learnt about an attempt in doubt; a proof even when the journal has closed the attempt meanwhile.
 * @returns the payout as it is afterwards
 */
export async function recordLearnt(
  context: WorkerContext,
  one: InDoubt,
  { finding, caseOf: caseFor, decide }: Learnt,
): Promise<Payout | undefined> {
  let late: Change | undefined;
  const after = await applyOnAttempt(
    context,
    one,
    (current, latest) => decide(caseFor(current, latest)),
    (current, latest) => {
      late = decideOnClosed(caseFor(current, latest), finding);
      return late;
    },
  );
  if (late === undefined || after?.version !== afterChange(late).version) return after;
  const facts = { ...logFactsOf(one.payout, one.attempt), finding: finding.kind };
  context.log('error', 'an attempt that had been closed meanwhile is proved', facts);
  await notifySiblings(context, late, one.attempt);
  return after;
}
