/**
 * The checks before money moves: superseded attempts, what a lost journal may have sent, the gate, the batch's age, and
 * payouts that are like another one.
 */
import { decideHold } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Batch, Change } from '../core/ports.ts';
import { attemptsMax } from '../core/reference.ts';
import type { WorkerContext } from './context.ts';
import { probeLostJournal } from './lost-journal.ts';
import type { ReadyPayout } from './ports.ts';
import { findTooOld } from './rules/batch-age.ts';
import { decideSimilarHold, likenessOf } from './rules/similar.ts';
import { type Clearing, clearSuperseded } from './superseded.ts';

/** A ready row with the batch that it is of. */
export interface Row extends ReadyPayout {
  readonly batch: Batch;
}

export type PreSendCheck =
  | {
      /** The intent may be recorded. The gate is passed, and to be left. */
      readonly kind: 'clear';
      /** Superseded attempts that were inquired just now, oldest first. */
      readonly cleared: readonly Attempt[];
      /** It tries whether a pause is over: it goes through a paused account. */
      readonly isProbe: boolean;
    }
  /** An operator, or a later run, looks first: this holds the row. */
  | { readonly kind: 'hold'; readonly decide: (current: Payout) => Change }
  /** Nothing may be sent now; why is recorded where there is anything to record. */
  | { readonly kind: 'blocked' };

/**
 * Looks at everything that may keep a row with a payable payee from being sent. Of two like rows the second is to be
 * looked at when the first one's intent is recorded.
 */
export async function preSendChecks(context: WorkerContext, row: Row): Promise<PreSendCheck> {
  if ((await probeLostJournal(context, row.batch, row)) === 'blocked') return { kind: 'blocked' };
  const entered = await enterCleared(context, row);
  if (entered.kind !== 'clear') return entered;
  const isProbe = context.gate.state.status === 'paused';
  let isClear = false;
  try {
    const stop = await lastChecks(context, row);
    isClear = stop === undefined;
    return stop ?? { ...entered, isProbe };
  } finally {
    if (!isClear) context.gate.leave();
  }
}

/** An answer about a superseded attempt that is older than this, by the time the gate is passed, is asked for again. */
const clearedAgeMaxMs = 60_000;

/** Passes the gate with every superseded attempt cleared just now: a pause may take hours. */
async function enterCleared(
  context: WorkerContext,
  { payout, attemptsRecorded, batch }: Row,
): Promise<Clearing> {
  const { clock, gate } = context;
  if (attemptsRecorded >= attemptsMax)
    return { kind: 'hold', decide: (current) => usedUp(current, clock.now()) };
  for (;;) {
    const clearing: Clearing =
      attemptsRecorded === 0
        ? { kind: 'clear', cleared: [] }
        : await clearSuperseded(context, payout, batch.companyId);
    if (clearing.kind !== 'clear') return clearing;
    const clearedAtMs = clock.now();
    if ((await gate.enter()) !== 'go') return { kind: 'blocked' };
    const ageMs = Math.abs(clock.now() - clearedAtMs);
    if (clearing.cleared.length === 0 || ageMs <= clearedAgeMaxMs) return clearing;
    gate.leave();
  }
}

const usedUp = (payout: Payout, nowMs: number): Change => {
  const text = `${attemptsMax} attempts were made; a further one has no name`;
  return decideHold(payout, 'unavailable', { code: 'attempts-used-up', text }, nowMs);
};

/** What may have come about while the row waited; undefined when nothing has. */
async function lastChecks(
  context: WorkerContext,
  { payout, batch }: Row,
): Promise<Exclude<PreSendCheck, { kind: 'clear' }> | undefined> {
  const { journal, clock, limits } = context;
  if (await haltWhenOld(context, batch)) return { kind: 'blocked' };
  const likeness = likenessOf(payout, batch.companyId, limits.similarDays, clock.now());
  const like = likeness && (await journal.similarPayment(likeness));
  if (like === undefined) return undefined;
  const { batchId, rowNo } = payout;
  const facts = { batchId, rowNo, earlierBatchId: like.batchId, earlierRowNo: like.rowNo };
  context.log('warn', 'held as similar', facts);
  return { kind: 'hold', decide: (current) => decideSimilarHold(current, like, clock.now()) };
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
  if (why === undefined || !(await journal.moveBatch(batch.batchId, 'halted', why, clock.now())))
    return false;
  gate.haltFor(why);
  log('warn', 'the batch is too old', { batchId: batch.batchId, reason: why.reason });
  return true;
}
