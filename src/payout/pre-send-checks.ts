/**
 * The checks before money moves: superseded attempts, what a lost journal may have sent, the gate, the batch's age, and
 * payouts that are like another one.
 */
import { decideNextNumber, type NextNumber } from '../core/attempt-numbers.ts';
import { formatBangkokDate } from '../core/bangkok-time.ts';
import { decideHold, type Reason } from '../core/change.ts';
import type { Attempt, HoldReason, Payout } from '../core/payout.ts';
import type { Batch, BatchReason } from '../core/ports.ts';
import { attemptsMax } from '../core/reference.ts';
import type { Pass } from './circuit-breaker.ts';
import { payerOf, type WorkerContext } from './context.ts';
import { probeLostJournal, probeSigned } from './lost-journal.ts';
import { proveRow, waitForApproval } from './proved-rows.ts';
import type { LimitReader, ReadyPayout } from './ports.ts';
import { findTooOld } from './rules/batch-age.ts';
import { composeContent } from './rules/intent.ts';
import {
  dayLimitsOf,
  decideLimitHold,
  findLimits,
  type LimitFacts,
  needsKnownPayee,
  noFacts,
  type TimeLimits,
} from './rules/limits.ts';
import { findChangedBatch, findChangedRow } from './rules/seal.ts';
import { decideSimilarHold, likenessOf } from './rules/similar.ts';
import { type Clearing, clearSuperseded, type Obstacle } from './superseded.ts';

/** A ready row with the batch that it is of. */
export interface Row extends ReadyPayout {
  readonly batch: Batch;
}

/** The intent may be recorded: the gate is passed, and the pass to be given back. */
interface Passed extends Extract<Clearing, { kind: 'clear' }> {
  /** The attempt number of the reference that the row goes under. */
  readonly number: number;
  readonly pass: Pass;
}

/**
 * Looks at everything that may keep a row with a payable payee from being sent. Of two like rows the second is to be
 * looked at when the first one's intent is recorded.
 * @param isFirstLook the journal has not refused an intent of the row before: what it looks for itself is left to it
 */
export async function preSendChecks(
  context: WorkerContext,
  row: Row,
  isFirstLook: boolean,
): Promise<Passed | Obstacle> {
  const entered = await enterCleared(context, row);
  if (entered.kind !== 'clear') return entered;
  let isClear = false;
  try {
    const stop = await lastChecks(context, row, isFirstLook);
    isClear = stop === undefined;
    return stop ?? entered;
  } finally {
    if (!isClear) entered.pass.leave();
  }
}

/**
 * An answer about a superseded attempt, or about one that another journal may have made, that is older than this, by the
 * time the gate is passed, is asked for again.
 */
const clearedAgeMaxMs = 60_000;

const noneBefore: Clearing = { kind: 'clear', cleared: [] };

/** Passes the gate with everything that the bank is asked about answered just now: a pause may take hours. */
async function enterCleared(context: WorkerContext, row: Row): Promise<Passed | Obstacle> {
  const { clock, gate } = context;
  const { payout, attemptsRecorded, batch } = row;
  if (attemptsRecorded > 0 && !(await waitForOthersSends(context, row))) return { kind: 'blocked' };
  for (;;) {
    const proof = await proveRow(context, batch, payout);
    if (proof.kind === 'unproved') {
      await waitForApproval(context, batch, payout, proof.why);
      return { kind: 'blocked' };
    }
    const probed = await probeLostJournal(context, batch, row);
    if (probed === 'blocked') return { kind: 'blocked' };
    const clearing: Clearing =
      attemptsRecorded === 0 ? noneBefore : await clearSuperseded(context, payout, batch.companyId);
    if (clearing.kind !== 'clear') return clearing;
    const named = findNumber(context, row, clearing.cleared);
    if (named.kind !== 'free') return named;
    const { number } = named;
    const isSigned = proof.kind === 'proved';
    if (isSigned && (await probeSigned(context, { batch, payout, number, ...proof })) === 'blocked')
      return { kind: 'blocked' };
    const clearedAtMs = clock.now();
    const pass = await gate.enter();
    if (pass.kind !== 'go') return { kind: 'blocked' };
    const ageMs = Math.abs(clock.now() - clearedAtMs);
    const isAnyAsked = isSigned || probed === 'clear-now' || clearing.cleared.length > 0;
    if (!isAnyAsked || ageMs <= clearedAgeMaxMs) return { ...clearing, number, pass };
    pass.leave();
  }
}

/** The number under which the row goes now; else why it waits. */
function findNumber(
  context: WorkerContext,
  { payout, batch }: Row,
  cleared: readonly Attempt[],
): Extract<NextNumber, { kind: 'free' }> | Obstacle {
  const { clock } = context;
  const content = composeContent({ payout, payer: payerOf(context, batch), nowMs: clock.now() });
  const next = decideNextNumber(cleared, content, payout.acceptedHolds.includes('resend'));
  if (next.kind === 'free') return next;
  const { hold, ...reason } = describeNoNumber(next);
  return { kind: 'hold', decide: (current) => decideHold(current, hold, reason, clock.now()) };
}

/** Why no number is free, and for what the row is held. */
function describeNoNumber(
  next: Exclude<NextNumber, { kind: 'free' }>,
): Reason & { readonly hold: HoldReason } {
  switch (next.kind) {
    case 'open': {
      const text = `earlier attempt ${next.transRefNo} is not settled`;
      return { hold: 'unavailable', code: 'earlier-attempt-open', text };
    }
    case 'kept': {
      const text = `the bank holds ${next.transRefNo} and shows no failed transfer for it: it is never sent again`;
      return { hold: 'unavailable', code: 'reference-kept', text };
    }
    case 'undecided': {
      const text = `the bank may have processed ${next.transRefNo} on another day or with other content, and finds nothing under it now`;
      return { hold: 'resend', code: 'resend-undecided', text };
    }
    case 'used-up': {
      const text = `${attemptsMax} attempts have failed; a further one has no reference`;
      return { hold: 'unavailable', code: 'attempts-used-up', text };
    }
  }
}

/** Until nothing that another machine has sent of it can be on its way; false when this process is to stop before. */
async function waitForOthersSends(
  { journal, clock, stop }: WorkerContext,
  { payout, batch }: Row,
): Promise<boolean> {
  for (;;) {
    const waitMs = (await journal.attemptWaitMs?.(batch.companyId, payout.instruction.payoutId)) ?? 0;
    if (waitMs === 0) return true;
    if (stop.aborted) return false;
    await clock.sleep(waitMs, stop);
  }
}

/** What may have come about while the row waited; undefined when nothing has. */
async function lastChecks(
  context: WorkerContext,
  row: Row,
  isFirstLook: boolean,
): Promise<Obstacle | undefined> {
  const { payout, batch } = row;
  const { journal, clock, limits } = context;
  if (await haltWhenOld(context, batch)) return { kind: 'blocked' };
  const changed = findChangedRow(row, batch);
  if (changed !== undefined) {
    await haltForChange(context, batch, changed);
    return { kind: 'blocked' };
  }
  const likeness = likenessOf(payout, batch.companyId, limits.similarDays, clock.now());
  const isLookedFor = likeness !== undefined && !(isFirstLook && journal.refusesLike === true);
  const like = isLookedFor ? await journal.similarPayment(likeness) : undefined;
  if (like === undefined) return findOverLimits(context, row);
  const { batchId, rowNo } = payout;
  const facts = { batchId, rowNo, earlierBatchId: like.batchId, earlierRowNo: like.rowNo };
  context.log('warn', 'held as similar', facts);
  return { kind: 'hold', decide: (current) => decideSimilarHold(current, like, clock.now()) };
}

/** What limits over time say; those of the day are looked at again in the transaction of the intent. */
async function findOverLimits(
  { journal, clock, limits: { overTime }, log }: WorkerContext,
  { payout, batch }: Row,
): Promise<Obstacle | undefined> {
  if (overTime === undefined) return undefined;
  const nowMs = clock.now();
  const facts = await readLimitFacts(journal, overTime, payout, batch, nowMs);
  const found = findLimits(overTime, payout, facts, nowMs);
  if (found.length === 0) return undefined;
  const { batchId, rowNo } = payout;
  log('info', 'held by a limit', { batchId, rowNo, codes: found.map(({ code }) => code) });
  return { kind: 'hold', decide: (current) => decideLimitHold(current, found, clock.now()) };
}

/** Asks for nothing that no limit is about. */
async function readLimitFacts(
  journal: LimitReader,
  limits: TimeLimits,
  payout: Payout,
  { companyId, batchId }: Batch,
  nowMs: number,
): Promise<LimitFacts> {
  const { proxyNo } = payout.instruction;
  const ofDay = dayLimitsOf(limits, payout);
  const date = formatBangkokDate(nowMs);
  const isOfPayee = ofDay !== undefined && ofDay.satangPerPayeePerDay !== null;
  return {
    use: ofDay === undefined ? noFacts.use : await journal.dayUse(companyId, date, batchId),
    payeeSatang: isOfPayee ? await journal.payeeUse(companyId, date, proxyNo) : noFacts.payeeSatang,
    isPayeeKnown: !needsKnownPayee(limits, payout) || (await journal.isPayeeKnown(companyId, proxyNo)),
  };
}

/**
 * Halts a running batch that has waited too long, this batch alone: others of its payer account go on.
 * @returns true when nothing more of it may be sent
 */
export async function haltWhenOld(
  { journal, clock, gate, limits, log }: WorkerContext,
  batch: Batch,
): Promise<boolean> {
  const findWhy = (one: Batch) => findTooOld(one, limits.batchMaxAgeHours, clock.now());
  if (findWhy(batch) === undefined) return false;
  // An operator may have resumed it since this run read it.
  const current = await journal.batch(batch.batchId);
  const why = current?.status === 'running' ? findWhy(current) : undefined;
  if (why === undefined || !(await journal.moveBatch(batch.batchId, 'halted', why, clock.now(), current)))
    return false;
  gate.haltFor(why);
  log('warn', 'the batch is too old', { batchId: batch.batchId, reason: why.reason });
  return true;
}

/**
 * Halts the payer account when the rows of the batch are not what was sealed; before its first send, after a halt, and
 * after its last. @returns true when nothing more of it may be sent
 */
export async function haltWhenChanged(context: WorkerContext, batch: Batch): Promise<boolean> {
  const seal = await context.journal.readSeal(batch.batchId);
  const why = findChangedBatch(batch.batchId, seal);
  if (why !== undefined) await haltForChange(context, batch, why);
  else await context.journal.keepSeal(batch.batchId, seal.recorded);
  return why !== undefined;
}

/** A journal that was changed can be trusted in nothing: the whole account is halted, until an operator resumes. */
async function haltForChange(context: WorkerContext, batch: Batch, why: BatchReason): Promise<void> {
  const { journal, clock, gate, log } = context;
  const { batchId, companyId, payerAccount } = batch;
  gate.haltFor(why);
  log('error', 'the journal was changed behind the program', { batchId, code: why.code, reason: why.reason });
  await journal.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: clock.now() });
}
