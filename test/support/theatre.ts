/** The whole worker on a real journal, with a scripted bank and a clock that tests drive. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MarkCopies } from '../../src/app/journal/mark-copies.ts';
import { computeExitCode } from '../../src/core/exit-code.ts';
import type { Batch, Clock } from '../../src/core/ports.ts';
import { makeAdaptiveLimits } from '../../src/payout/adaptive-limit.ts';
import { BankClock } from '../../src/payout/bank-clock.ts';
import { BreakerGate, type PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import { RunState, type WorkerContext } from '../../src/payout/context.ts';
import { resumeBatch } from '../../src/payout/operator.ts';
import { SharedPause } from '../../src/payout/shared-pause.ts';
import type { BrakePolicy } from '../../src/payout/rules/brake.ts';
import type { ServiceHours } from '../../src/payout/rules/service-hours.ts';
import { runBatch } from '../../src/payout/run-batch.ts';
import { KeyedMutex } from '../../src/platform/keyed-mutex.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Journal, Store } from '../../src/store/store.ts';
import { makeMemoryJournal } from '../simulation/memory/journal.ts';
import { makeMemoryStore } from '../simulation/memory/store.ts';
import { noonMs, payer, policy } from './core-fixtures.ts';
import { ingest, makeRows } from './journal-fixtures.ts';
import { type Script, ScriptedBank } from './scripted-bank.ts';

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

export type { Script } from './scripted-bank.ts';
export const notSent = { kind: 'not-sent', why: 'ECONNREFUSED' } as const;
const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };
export const verify = {
  enabled: true,
  concurrency: 2,
  whenUnavailable: 'hold',
  onThaiNameMismatch: 'hold',
} as const;

interface BreakerOptions {
  /** Shared by several runs, as those of one process do. */
  readonly breaker?: PayerBreaker;
  readonly hours?: ServiceHours;
  readonly brake?: BrakePolicy;
}

type Options = Partial<WorkerContext> & BreakerOptions & { waitMs?: number; interrupted?: AbortSignal };

/** A bank, a journal and a clock of their own, and what one may do with them. */
export class Theatre extends ScriptedBank implements AsyncDisposable {
  readonly journal: Journal;
  /** Of the journal; undefined when that is in memory. */
  readonly #folder: string | undefined;
  readonly likeness = new KeyedMutex();

  constructor(journal: Journal, folder: string | undefined, startMs: number) {
    super(startMs, folder === undefined);
    this.journal = journal;
    this.#folder = folder;
  }

  get folder(): string {
    if (this.#folder === undefined) throw new Error('the journal of this theatre is in memory');
    return this.#folder;
  }

  /** The reply to the token, which comes before everything else, has told the bank's time. */
  #hearClock(clock: Clock): BankClock {
    const bankClock = new BankClock(clock);
    bankClock.hear(clock.now());
    return bankClock;
  }

  context(options: Options = {}, stop = new AbortController().signal): WorkerContext {
    const { journal = this.journal, clock = this.time } = options;
    const run = new RunState(clock);
    const stopOrBroken = AbortSignal.any([stop, run.broken.signal]);
    const { breaker, hours } = options;
    const { bankClock = this.#hearClock(clock) } = options;
    const gate = new BreakerGate({
      clock,
      clocks: () => bankClock.read(),
      brake: options.brake ?? brake,
      stop: stopOrBroken,
      breaker,
      hours,
      shared: options.share && new SharedPause({ journal, share: options.share, clock }, payer),
    });
    const { channelId, termId } = payer;
    const { bank, likeness } = this;
    const { transferConcurrency = 2 } = options;
    const adaptiveLimits = makeAdaptiveLimits(transferConcurrency, (options.verify ?? verify).concurrency);
    const seen = { asking: new Set<number>(), reopened: new Set<string>(), runs: new Set<RunState>() };
    const process = { likeness, ...seen, adaptiveLimits };
    const gates = { gate, gateOf: () => options.gate ?? gate };
    const world = { journal, bank, clock, bankClock, run, ...gates, ...process };
    const limits = { batchMaxAgeHours: 24, similarDays: 0 };
    const policies = { verify, settle: policy, limits, transferConcurrency, channelId, termId };
    return { ...world, ...policies, stop: stopOrBroken, log: () => {}, count: () => {}, ...options };
  }

  async batch(batchId: string): Promise<Batch> {
    const batch = await this.journal.batch(batchId);
    if (batch === undefined) throw new Error(`no batch ${batchId}`);
    return batch;
  }

  /** One run of the batch; nobody drives the clock meanwhile. */
  async start(batchId: string, options: Options = {}): Promise<void> {
    const { waitMs = 10 * minuteMs, interrupted = new AbortController().signal } = options;
    const waitOver = new AbortController();
    const context = this.context(options, AbortSignal.any([interrupted, waitOver.signal]));
    await runBatch(context, await this.batch(batchId), { waitMs, interrupted, waitOver });
  }

  async run(batchId: string, options: Options = {}): Promise<void> {
    await this.time.drive(this.start(batchId, options));
  }

  async resume(batchId: string): Promise<void> {
    await resumeBatch(this.journal, await this.batch(batchId), this.now());
  }

  async statuses(batchId: string): Promise<Record<string, number>> {
    const totals = await this.journal.totals(batchId);
    return Object.fromEntries(totals.map(({ status, rows }) => [status, rows]));
  }

  async exitCode(batchId: string): Promise<number> {
    const totals = await this.journal.totals(batchId);
    const holds = await this.journal.holdTotals(batchId);
    return computeExitCode(await this.batch(batchId), totals, holds, { exceptionsOk: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.journal[Symbol.asyncDispose]();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A theatre whose journal is in memory: many times as quick, for what lasts for hours or has thousands of rows. */
export const openMemoryTheatre = (startMs = noonMs): Theatre =>
  new Theatre(makeMemoryJournal(makeMemoryStore()), undefined, startMs);

/** A theatre whose journal is a store on a disk. */
export type StoreTheatre = Theatre & { readonly journal: Store };

/** @param kept folder of a theatre that was closed, or a new one */
export async function openTheatre(startMs = noonMs, kept?: string): Promise<StoreTheatre> {
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'paydrop-adversary-')));
  const stamp = { bankAddress: 'https://bank.example', companyId: payer.companyId, isSandbox: false };
  const openMarks = (journalId: string): MarkCopies =>
    new MarkCopies([join(dataDir, 'outbox'), join(dataDir, 'away')], journalId);
  const journal = await openJournal({ dataDir, stamp, access: 'own', nowMs: startMs, openMarks });
  return new Theatre(journal, dataDir, startMs) as StoreTheatre;
}

/** A theatre with one sealed file. */
export async function stage(rows: number, write: (theatre: StoreTheatre) => Script) {
  return stageIn(await openTheatre(), rows, write);
}

/** The same in memory: where much time goes by, or rows go round many times. */
export const stageInMemory = (rows: number, write: (theatre: Theatre) => Script) =>
  stageIn(openMemoryTheatre(), rows, write);

async function stageIn<Kind extends Theatre>(theatre: Kind, rows: number, write: (theatre: Kind) => Script) {
  theatre.script = write(theatre);
  const { batchId } = await ingest(theatre.journal, makeRows(rows));
  return { theatre, batchId, [Symbol.asyncDispose]: () => theatre[Symbol.asyncDispose]() };
}
