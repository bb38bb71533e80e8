/**
 * Pays rows as a helper while another process has the right to send: takes shards of the batches that the sender runs.
 * A helper settles and concludes nothing; the sender does.
 */
import { computeBackoffMs } from '../core/backoff.ts';
import { formatBangkokDate } from '../core/bangkok-time.ts';
import type { Payout } from '../core/payout.ts';
import type { Batch, Clock, Log } from '../core/ports.ts';
import { limitRequests } from './adaptive-limit.ts';
import { findHalt, persistPauses, recordHalt, recordPause, restoreBreaker } from './circuit-breaker.ts';
import { runWithBackground, type RunState, type WorkerContext } from './context.ts';
import { pollBankTime } from './inquire.ts';
import type { PayoutJournal } from './ports.ts';
import { payReadyRows } from './run-batch.ts';
import type { Share } from './share.ts';
import { keepLimitsShared } from './shared-limits.ts';

/** Interval in ms at which a helper looks for ready rows. */
const pollMs = 500;

/** Interval in ms at which a busy helper looks for rows that have waited longer. */
const abandonedPollMs = 2_000;

/** Backoff between tries of a batch in which no row made progress. */
const inVain = { baseMs: 1_000, maxMs: 30_000 } as const;

interface HelpSetup {
  readonly journal: PayoutJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly share: Share;
  /** Runs under way in this process, for their shared state. */
  readonly runs: Set<RunState>;
  /** False while this process may have lost its place among the helpers. */
  readonly isHeld: () => boolean;
  /** Running batches, oldest first. */
  readonly runningBatches: () => Promise<readonly Batch[]>;
  /** Opens a context with the share and the lease of this process. */
  readonly openContext: (
    stop: AbortSignal,
    count: (payout: Payout | undefined) => void,
    batch: Batch,
  ) => WorkerContext;
  /** Called for each row that makes progress. */
  readonly count: (payout: Payout | undefined) => void;
  /** Aborted when no new work may begin. */
  readonly stop: AbortSignal;
}

interface Tried {
  readonly times: number;
  readonly notBeforeMs: number;
  /** True when a machine that is gone had left rows of it at that time. */
  readonly wasAbandoned: boolean;
}

/** True for a batch that is due again, or whose rows a machine has left since the last vain try. */
const isDue = (tried: Tried | undefined, isAbandoned: boolean, nowMs: number): boolean =>
  tried === undefined || tried.notBeforeMs <= nowMs || (isAbandoned && !tried.wasAbandoned);

/** Pays rows beside the sender until it is stopped; resolves when none of its work is under way any more. */
export async function help(setup: HelpSetup): Promise<void> {
  const { clock, stop, log } = setup;
  const tried = new Map<string, Tried>();
  while (!stop.aborted) {
    try {
      if (setup.isHeld()) await helpWithAll(setup, tried);
    } catch (error) {
      log('error', 'helping has failed and is tried again', { err: error });
    }
    await clock.sleep(pollMs, stop);
  }
}

async function helpWithAll(setup: HelpSetup, tried: Map<string, Tried>): Promise<void> {
  const { clock, stop, share } = setup;
  await share.tidy();
  const isDueNow = (batchId: string, isAbandoned: boolean): boolean =>
    isDue(tried.get(batchId), isAbandoned, clock.elapsedMs());
  for (const { batch, isAbandoned } of await listBatches(setup)) {
    if (stop.aborted) return;
    const { batchId } = batch;
    if (!isDueNow(batchId, isAbandoned)) continue;
    const { rows, isLeft } = await helpUntilNeeded(setup, batch, (other) => isDueNow(other, true));
    if (isLeft) return;
    if (rows === undefined || rows > 0) {
      tried.delete(batchId);
    } else {
      const times = (tried.get(batchId)?.times ?? 0) + 1;
      const notBeforeMs = clock.elapsedMs() + computeBackoffMs(inVain, times);
      tried.set(batchId, { times, notBeforeMs, wasAbandoned: isAbandoned });
    }
  }
}

interface Listed {
  readonly batch: Batch;
  readonly isAbandoned: boolean;
}

/**
 * Running batches; first those with rows left by a machine that is gone, since these have already waited for its lease;
 * among them the longest wait goes first.
 */
async function listBatches({ share, runningBatches }: HelpSetup): Promise<readonly Listed[]> {
  const [running, abandoned] = await Promise.all([runningBatches(), share.abandoned()]);
  const first = abandoned.flatMap((id) => running.filter(({ batchId }) => batchId === id));
  const others = running.filter(({ batchId }) => !abandoned.includes(batchId));
  return [
    ...first.map((batch) => ({ batch, isAbandoned: true })),
    ...others.map((batch) => ({ batch, isAbandoned: false })),
  ];
}

interface Helped {
  /** Number of rows that made progress; undefined when there is nothing to pay. */
  readonly rows: number | undefined;
  /** True when the helper left the batch for rows of another batch. */
  readonly isLeft: boolean;
}

/**
 * Helps with a batch until rows of another batch have waited longer than its own: a large batch has rows for hours.
 * Rows already taken of those that had waited here are paid first.
 */
async function helpUntilNeeded(
  setup: HelpSetup,
  batch: Batch,
  isDueThere: (batchId: string) => boolean,
): Promise<Helped> {
  const { clock, share, log } = setup;
  const { batchId } = batch;
  const [leave, ended] = [new AbortController(), new AbortController()];
  let isLeaving = false;
  const looking = (async () => {
    for (;;) {
      await clock.sleep(abandonedPollMs, ended.signal);
      if (ended.signal.aborted) return;
      const abandoned: readonly string[] = await share.abandoned().catch(() => []);
      const longest = abandoned.find((one) => one === batchId || isDueThere(one));
      isLeaving = longest !== undefined && longest !== batchId;
      if (isLeaving && !share.paysLeft(batchId)) leave.abort();
    }
  })();
  try {
    const stop = AbortSignal.any([setup.stop, leave.signal]);
    const rows = await helpWith({ ...setup, stop }, batch, () => isLeaving);
    return { rows, isLeft: isLeaving };
  } catch (error) {
    log('error', 'helping with a batch has failed and is tried again', { batchId, err: error });
    return { rows: 0, isLeft: isLeaving };
  } finally {
    ended.abort();
    await looking;
  }
}

/** @returns the number of rows that made progress; undefined when there is nothing to pay */
async function helpWith(
  setup: HelpSetup,
  batch: Batch,
  isLeaving: () => boolean,
): Promise<number | undefined> {
  const { journal, clock, runs, stop, openContext } = setup;
  const [ready] = await journal.readyPage(batch.batchId, 0, 1);
  if (ready === undefined || (await findHalt({ journal }, batch)) !== undefined) return undefined;
  let rows = 0;
  const count = (payout: Payout | undefined): void => {
    rows += 1;
    setup.count(payout);
  };
  const context = openContext(stop, count, batch);
  await restoreBreaker(context, batch);
  if (context.limits.overTime !== undefined)
    await journal.countDay(batch.companyId, formatBangkokDate(clock.now()));
  runs.add(context.run);
  try {
    await payShards(context, batch, isLeaving);
  } finally {
    runs.delete(context.run);
  }
  return rows;
}

async function payShards(unlimited: WorkerContext, batch: Batch, isLeaving: () => boolean): Promise<void> {
  const { adaptiveLimits: limits, log } = unlimited;
  const context = { ...unlimited, limitRequest: limitRequests(limits, log) };
  const ended = new AbortController();
  const beside = [
    persistPauses(context, batch, ended.signal),
    pollBankTime(context, batch, ended.signal),
    keepLimitsShared(context, ended.signal),
  ];
  await runWithBackground(context, payReadyRows(context, batch, limits.transfers, isLeaving), ended, beside);
  await recordHalt(context, batch);
  await recordPause(context, batch);
}
