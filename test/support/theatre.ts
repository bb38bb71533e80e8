/** The whole worker on a real journal, with a scripted bank and a clock that tests drive. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Bank,
  BankReply,
  InquiryFields,
  PayeeCheckFields,
  StatusInquiry,
  TransferFields,
} from '../../src/core/bank-port.ts';
import { computeExitCode } from '../../src/core/exit-code.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import type { Batch, Clock } from '../../src/core/ports.ts';
import { BankClock } from '../../src/payout/bank-clock.ts';
import { type Line, LineGate } from '../../src/payout/circuit-breaker.ts';
import { RunState, type WorkerContext } from '../../src/payout/context.ts';
import { resumeBatch } from '../../src/payout/operator.ts';
import type { BrakePolicy } from '../../src/payout/rules/circuit-breaker.ts';
import type { ServiceHours } from '../../src/payout/rules/service-hours.ts';
import { runBatch } from '../../src/payout/run-batch.ts';
import { Turns } from '../../src/platform/keyed-mutex.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Journal } from '../../src/store/store.ts';
import { inquiryFields, inquiryItem, noonMs, payer, policy, transferFields } from './core-fixtures.ts';
import { ingest, makeRows } from './journal-fixtures.ts';

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** Lets everything that is ready run, the journal's commits included. */
async function quieten(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A clock that jumps to the next sleeper as soon as nothing else can happen. */
function makeVirtualClock(startMs: number) {
  let nowMs = startMs;
  const sleepers = new Set<{ atMs: number; readonly wake: () => void }>();
  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve) => {
      const wake = (): void => {
        sleepers.delete(sleeper);
        resolve();
      };
      const sleeper = { atMs: nowMs + Math.max(0, ms), wake };
      sleepers.add(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
      if (signal?.aborted === true) wake();
    });
  /** Drives the clock until the promise is settled, or until a moment. */
  async function drive<T>(promise: Promise<T> | undefined, untilMs = Infinity): Promise<void> {
    let isSettled = false;
    const watched = promise?.finally(() => {
      isSettled = true;
    });
    watched?.catch(() => undefined);
    for (let wakings = 0; wakings < 20_000; wakings += 1) {
      await quieten();
      if (isSettled) return void (await watched);
      const [next] = [...sleepers].toSorted((one, other) => one.atMs - other.atMs);
      if (next === undefined || next.atMs > untilMs) {
        if (untilMs === Infinity) throw new Error('nobody sleeps and nothing happens');
        nowMs = untilMs;
        return;
      }
      nowMs = Math.max(nowMs, next.atMs);
      next.wake();
    }
    throw new Error('it never ends');
  }
  /** Sets the clock. Timers know nothing of a clock that is set back: they ring when they would have. */
  function jump(ms: number): void {
    nowMs += ms;
    if (ms < 0) for (const sleeper of sleepers) sleeper.atMs += ms;
  }
  return { clock: { now: () => nowMs, sleep } satisfies Clock, drive, jump };
}

type Said<Fields> = BankReply<Fields> | Promise<BankReply<Fields>>;

/** What the bank does; what is left out goes well. `no` counts the transfers from 1. */
export interface Script {
  readonly transfer?: (order: TransferOrder, no: number) => Said<TransferFields> | undefined;
  readonly inquire?: (inquiry: StatusInquiry) => Said<InquiryFields>;
  readonly check?: () => Said<PayeeCheckFields>;
}

const requestUid = 'REQ00000000000000001';
const facts = { requestUid, xRequestId: '00000000-0000-4000-8000-000000000001', elapsedMs: 5 };
export const lost = { kind: 'lost', why: 'timed out', ...facts } as const;
export const notSent = { kind: 'not-sent', why: 'ECONNREFUSED' } as const;
const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };
export const verify = {
  enabled: true,
  concurrency: 2,
  whenUnavailable: 'hold',
  onThaiNameMismatch: 'hold',
} as const;

interface LineOptions {
  /** Shared by several runs, as those of one process do. */
  readonly line?: Line;
  readonly hours?: ServiceHours;
  readonly brake?: BrakePolicy;
}

type Options = Partial<WorkerContext> & LineOptions & { waitMs?: number; interrupted?: AbortSignal };

/** A bank, a journal and a clock of their own, and what one may do with them. */
export class Theatre implements AsyncDisposable {
  /** References in the order in which their bytes left, with the moment. */
  readonly sent: { readonly transRefNo: string; readonly atMs: number }[] = [];
  readonly time: ReturnType<typeof makeVirtualClock>;
  readonly journal: Journal;
  readonly folder: string;
  readonly payeeTurns = new Turns();
  script: Script = {};

  constructor(journal: Journal, folder: string, startMs: number) {
    this.time = makeVirtualClock(startMs);
    this.journal = journal;
    this.folder = folder;
  }

  readonly bank: Bank = {
    checkPayee: async () => (await this.script.check?.()) ?? this.checked('IC001'),
    transfer: async (order, mayLeave) => {
      if (!mayLeave()) return { kind: 'withheld' };
      const { transRefNo } = order;
      this.sent.push({ transRefNo, atMs: this.now() });
      const said = await this.script.transfer?.(order, this.sent.length);
      return said ?? this.code('IC000', { transRefNo });
    },
    inquire: async (inquiry) => (await this.script.inquire?.(inquiry)) ?? this.found(inquiry, undefined),
  };

  now(): number {
    return this.time.clock.now();
  }

  answer<Fields>(fields: Fields | undefined, more: object = {}): BankReply<Fields> {
    const answered = { kind: 'answered', httpStatus: 200, fields, bankDateMs: this.now() } as const;
    return { ...answered, retryAfterMs: undefined, ...facts, ...more };
  }

  code(code: string, fields: Partial<TransferFields> = {}): BankReply<TransferFields> {
    return this.answer(transferFields(code, fields));
  }

  checked(code: string): BankReply<PayeeCheckFields> {
    return this.answer({ ...transferFields(code), payeeName: 'Somchai', payeeNameTh: undefined });
  }

  found({ transRefNo }: StatusInquiry, tranStatusCode: string | undefined): BankReply<InquiryFields> {
    if (tranStatusCode === undefined) return this.answer(inquiryFields([], 'EV034'));
    return this.answer(inquiryFields([inquiryItem(transRefNo, tranStatusCode)]));
  }

  context(options: Options = {}, stop = new AbortController().signal): WorkerContext {
    const { journal = this.journal, clock = this.time.clock } = options;
    const run = new RunState(clock);
    const stopOrBroken = AbortSignal.any([stop, run.broken.signal]);
    const { line, hours } = options;
    const gate = new LineGate(clock, options.brake ?? brake, stopOrBroken, { line, hours });
    const { channelId, termId } = payer;
    const { bank, payeeTurns } = this;
    const world = { journal, bank, clock, bankClock: new BankClock(clock), run, gate, payeeTurns };
    const limits = { batchMaxAgeHours: 24, similarDays: 0 };
    const policies = { verify, settle: policy, limits, transferConcurrency: 2, channelId, termId };
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
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function openTheatre(startMs = noonMs): Promise<Theatre> {
  const dataDir = await mkdtemp(join(tmpdir(), 'paydrop-adversary-'));
  const stamp = { bankAddress: 'https://bank.example', companyId: payer.companyId, isSandbox: false };
  const journal = await openJournal({ dataDir, stamp, access: 'own', nowMs: startMs });
  return new Theatre(journal, dataDir, startMs);
}

/** A theatre with one sealed file. */
export async function stage(rows: number, write: (theatre: Theatre) => Script) {
  const theatre = await openTheatre();
  theatre.script = write(theatre);
  const { batchId } = await ingest(theatre.journal, makeRows(rows));
  return { theatre, batchId, [Symbol.asyncDispose]: () => theatre[Symbol.asyncDispose]() };
}
