/**
 * Checks before money moves: superseded attempts, sends of a lost journal, the gate, the batch's age, and like payouts.
 */
import { inEnglish, message } from '../core/message.ts';
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

/** A ready row with its batch. */
export interface Row extends ReadyPayout {
  readonly batch: Batch;
}

/** The row has passed the gate, and its intent may be recorded; the pass must be returned. */
interface Passed extends Extract<Clearing, { kind: 'clear' }> {
  /** Number of the attempt, and so of the reference. */
  readonly number: number;
  readonly pass: Pass;
}

/**
 * Checks everything that may keep a row with a payable payee from being sent. Of two like rows, the second is checked
 * after the first one's intent is recorded.
 * @param isFirstLook true when the journal has not refused an intent of the row before: its own checks are left to it
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
 * Highest age in ms, when the gate is passed, of an answer about an attempt that was superseded or that another journal
 * may have made; an older one is asked for again.
 */
const clearedAgeMaxMs = 60_000;

const noneBefore: Clearing = { kind: 'clear', cleared: [] };

/** Passes the gate with fresh answers to all questions: a pause may take hours. */
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

/** The number under which the row is sent now; otherwise why it waits. */
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

/** Reason why no number is free, and the hold for it. */
function describeNoNumber(
  next: Exclude<NextNumber, { kind: 'free' }>,
): Reason & { readonly hold: HoldReason } {
  switch (next.kind) {
    case 'open': {
      const text = message('attempt.earlier-open', { ref: next.transRefNo });
      return { hold: 'unavailable', code: 'earlier-attempt-open', text };
    }
    case 'kept': {
      const text = message('attempt.reference-kept', { ref: next.transRefNo });
      return { hold: 'unavailable', code: 'reference-kept', text };
    }
    case 'undecided': {
      const text = message('attempt.undecided', { ref: next.transRefNo });
      return { hold: 'resend', code: 'resend-undecided', text };
    }
    case 'used-up': {
      const text = message('attempt.used-up', { count: attemptsMax });
      return { hold: 'unavailable', code: 'attempts-used-up', text };
    }
  }
}

/**
 * Waits until no request of another machine for the row can still be on its way; false when this process stops before.
 */
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

/** Checks what may have changed while the row waited; undefined when the row may go. */
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

/** Checks the limits over time; the transaction of the intent checks those of the day again. */
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

/** Reads only the facts for limits that are set. */
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
 * Halts a running batch that has waited too long; other batches of its payer account go on.
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
  log('warn', 'the batch is too old', { batchId: batch.batchId, reason: inEnglish(why.reason) });
  return true;
}

/**
 * Halts the payer account when the rows of the batch differ from the sealed ones. Runs before the first send, after a
 * halt, and after the last send.
 * @returns true when nothing more of it may be sent
 */
export async function haltWhenChanged(context: WorkerContext, batch: Batch): Promise<boolean> {
  const seal = await context.journal.readSeal(batch.batchId);
  const why = findChangedBatch(batch.batchId, seal);
  if (why !== undefined) await haltForChange(context, batch, why);
  else await context.journal.keepSeal(batch.batchId, seal.recorded);
  return why !== undefined;
}

/** Halts the whole account until an operator resumes: a journal that was changed cannot be trusted at all. */
async function haltForChange(context: WorkerContext, batch: Batch, why: BatchReason): Promise<void> {
  const { journal, clock, gate, log } = context;
  const { batchId, companyId, payerAccount } = batch;
  gate.haltFor(why);
  log('error', 'the journal was changed behind the program', {
    batchId,
    code: why.code,
    reason: inEnglish(why.reason),
  });
  await journal.recordPayerHalt({ companyId, payerAccount, ...why, sinceMs: clock.now() });
  // A cause of its own: the batch stays halted when its account is resumed.
  await journal.moveBatch(batchId, 'halted', why, clock.now());
}
