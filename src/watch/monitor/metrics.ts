/**
 * What Prometheus reads of a watcher. No label bears a payee, an account, a payoutId, a reference or a file name, and
 * every label has a fixed set of values.
 */
import { STATUS_CODES } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import type { IntakeOutcome } from '../ports.ts';
import {
  type Health,
  isInboxSilent,
  lineWords,
  readLine,
  watchRoles,
  type WatchState,
} from '../rules/health.ts';

const paceKinds = ['transfers', 'checks', 'inquiries'] as const;

/** Requests of one kind that may be with the bank at once, now and by the settings. */
interface PaceFigures {
  readonly state: { readonly limit: number; readonly ceiling: number };
}

/** What is asked at every scrape. */
export interface MetricSources extends StatusSource {
  readonly version: string;
  readonly isSandbox: boolean;
  readonly readWatch: () => WatchState;
  readonly readHealth: () => Pick<Health, 'live' | 'ready'>;
  readonly readLimits: () => Readonly<Record<(typeof paceKinds)[number], PaceFigures>>;
  /** Rows whose request is with the bank now. */
  readonly countRowsUnderWay: () => number;
  /** Notices that a channel has not delivered yet; undefined while there is no journal to read. */
  readonly countNoticesWaiting: () => Promise<number | undefined>;
  readonly log: (level: 'warn', message: string, facts: object) => void;
}

export interface Metrics {
  countFile(outcome: IntakeOutcome): void;
  /** A payout has got this status. */
  countChange(status: PayoutStatus): void;
  countCall(call: CallRecord): void;
  /** In Prometheus' text form; what cannot be read now is left out. */
  render(): Promise<string>;
}

const fileOutcomes: readonly IntakeOutcome[] = ['archived', 'rejected', 'duplicate'];
const latencyBucketsSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** What watches the event loop wakes the process so often; at the package's own 10 ms that takes 1 % of a processor. */
const loopPollMs = 1_000;

export function makeMetrics(sources: MetricSources): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopPollMs });
  showBuild(register, sources);
  const counters = makeCounters(register);
  const showWatch = makeWatchGauges(register, sources);
  const showLimits = makePaceGauges(register, sources);
  const showCounts = makeCountGauges(register, sources);
  return {
    ...counters,
    async render() {
      showWatch();
      showLimits();
      await showCounts();
      return register.metrics();
    },
  };
}

function makeGauge<Label extends string = never>(
  register: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Gauge<Label> {
  return new Gauge({ name: `paydrop_${name}`, help, labelNames, registers: [register] });
}

function showBuild(register: Registry, { version, isSandbox }: MetricSources): void {
  const labels = ['version', 'sandbox'] as const;
  const build = makeGauge(register, 'build_info', 'Which program this is, and whether money moves', labels);
  build.set({ version, sandbox: String(isSandbox) }, 1);
}

/** Every series is there from the start, as zero: the first of its kind must be seen as a change. */
function makeCounters(register: Registry): Omit<Metrics, 'render'> {
  const registers = [register];
  const files = new Counter({
    name: 'paydrop_files_total',
    help: 'Files that have ended since this process began',
    labelNames: ['outcome'],
    registers,
  });
  const changes = new Counter({
    name: 'paydrop_payout_changes_total',
    help: 'Payouts that have got a status since this process began',
    labelNames: ['status'],
    registers,
  });
  const calls = new Counter({
    name: 'paydrop_bank_calls_total',
    help: 'Calls to the bank by what they came to',
    labelNames: ['endpoint', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'paydrop_bank_call_duration_seconds',
    help: 'How long the bank took to answer, or was waited for',
    labelNames: ['endpoint'],
    buckets: latencyBucketsSeconds,
    registers,
  });
  for (const outcome of fileOutcomes) files.inc({ outcome }, 0);
  for (const status of payoutStatuses) changes.inc({ status }, 0);
  for (const endpoint of endpoints) {
    durations.zero({ endpoint });
    for (const code of ['lost', 'not-sent']) calls.inc({ endpoint, code }, 0);
  }
  return {
    countFile: (outcome) => files.inc({ outcome }),
    countChange: (status) => changes.inc({ status }),
    countCall: (call) => {
      const { endpoint, elapsedMs } = call;
      calls.inc({ endpoint, code: nameCallResult(call) });
      if (isTimed(call)) durations.observe({ endpoint }, elapsedMs / 1_000);
    },
  };
}

function makeWatchGauges(register: Registry, { now, readWatch, readHealth }: MetricSources): () => void {
  const role = makeGauge(register, 'role', 'What this process does: 1 for its role', ['role']);
  const live = makeGauge(register, 'live', '1 while the watcher gets on, 0 when only a restart helps');
  const ready = makeGauge(register, 'ready', '1 while a file dropped now would be worked');
  const trouble = makeGauge(register, 'trouble', '1 while disk, journal, bank or inbox are out of order', [
    'kind',
  ]);
  const lines = makeGauge(register, 'payer_state', 'Payer accounts by whether they pay now', ['state']);
  const showQueues = makeQueueGauges(register, now);
  return () => {
    const watch = readWatch();
    const nowMs = now();
    const health = readHealth();
    live.set(Number(health.live));
    ready.set(Number(health.ready));
    for (const one of watchRoles) role.set({ role: one }, Number(one === watch.role));
    trouble.reset();
    for (const [kind, isThere] of listTroubles(watch)) trouble.set({ kind }, Number(isThere));
    const words = watch.lines?.map((line) => readLine(line, nowMs));
    lines.reset();
    if (words !== undefined)
      for (const state of lineWords) lines.set({ state }, words.filter((word) => word === state).length);
    showQueues(watch);
  };
}

/** What was not looked at yet is left out. */
function listTroubles(watch: WatchState): readonly (readonly [kind: string, isThere: boolean])[] {
  const here = [
    ['disk', watch.diskTrouble !== undefined],
    ['journal', watch.journalTrouble !== undefined],
  ] as const;
  if (watch.inbox === undefined) return here;
  const isInboxAway = watch.inbox.kind === 'gone' || isInboxSilent(watch);
  return [...here, ['bank', watch.bankTrouble !== undefined], ['inbox', isInboxAway]];
}

/** @param value undefined when it is not known: nothing is shown then */
function show(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove({});
  else gauge.set({}, value);
}

function makeQueueGauges(register: Registry, now: () => number): (watch: WatchState) => void {
  const waiting = makeGauge(register, 'files_waiting', 'Files in the inbox that have not been taken yet');
  const inWork = makeGauge(register, 'files_in_work', 'Files in work/');
  const open = makeGauge(register, 'batches_open', 'Batches that have not come to their end');
  const failing = makeGauge(register, 'batches_failing', 'Batches that an error keeps from getting on');
  const inDoubt = makeGauge(register, 'in_doubt', 'Transfers whose outcome nobody has proved');
  const oldest = makeGauge(
    register,
    'in_doubt_oldest_age_seconds',
    'Time since the oldest transfer in doubt was submitted; 0 when there is none',
  );
  return (watch) => {
    show(waiting, watch.filesWaiting);
    show(inWork, watch.filesInWork);
    show(open, watch.openBatches);
    show(failing, watch.failingBatches?.length);
    show(inDoubt, watch.rowsInDoubt);
    const { oldestInDoubtAtMs = now() } = watch;
    const ageMs = Math.max(0, now() - oldestInDoubtAtMs);
    show(oldest, watch.rowsInDoubt === undefined ? undefined : ageMs / 1_000);
  };
}

function makePaceGauges(register: Registry, { readLimits, countRowsUnderWay }: MetricSources): () => void {
  const limit = makeGauge(register, 'concurrency_limit', 'Requests at once that the bank gets now', ['kind']);
  const ceiling = makeGauge(register, 'concurrency_max', 'Requests at once that the settings allow', [
    'kind',
  ]);
  const underWay = makeGauge(register, 'payouts_in_flight', 'Rows whose request is with the bank now');
  return () => {
    const limits = readLimits();
    for (const kind of paceKinds) {
      limit.set({ kind }, limits[kind].state.limit);
      ceiling.set({ kind }, limits[kind].state.ceiling);
    }
    underWay.set(countRowsUnderWay());
  };
}

/** What the journal is asked for: an old figure would be a wrong one, so none is shown when it cannot tell. */
function makeCountGauges(register: Registry, sources: MetricSources): () => Promise<void> {
  const payouts = makeGauge(register, 'payouts', 'Rows of all batches by status, at most a minute old', [
    'status',
  ]);
  const notices = makeGauge(register, 'notices_waiting', 'Notices not delivered yet', []);
  const statusCounts = new StatusCounts(sources);
  const showPayouts = (counts: CountsByStatus | undefined): void => {
    payouts.reset();
    if (counts === undefined) return;
    for (const status of payoutStatuses) payouts.set({ status }, counts.get(status) ?? 0);
  };
  return async () => {
    const [counts, waiting] = await Promise.allSettled([statusCounts.read(), sources.countNoticesWaiting()]);
    for (const read of [counts, waiting])
      if (read.status === 'rejected')
        sources.log('warn', 'a metric could not be read and is left out', { err: read.reason as unknown });
    showPayouts(counts.status === 'fulfilled' ? counts.value : undefined);
    show(notices, waiting.status === 'fulfilled' ? waiting.value : undefined);
  };
}

// ---------------------------------------------------------------- calls to the bank

export const endpoints = ['token', 'tokenRefresh', 'payeeCheck', 'transfer', 'inquiry', 'statement'] as const;

/** What is counted of one exchange with the bank. */
export interface CallRecord {
  readonly endpoint: (typeof endpoints)[number];
  readonly outcome: 'answered' | 'lost' | 'not-sent' | 'withheld';
  readonly httpStatus: number | undefined;
  /** statusCode of a business answer. */
  readonly code: string | undefined;
  readonly elapsedMs: number;
}

/**
 * A code of §7.3; `other-code` for one that the table lacks; the HTTP status of an answer without a code; otherwise
 * the outcome: `lost` (bytes may have left), `not-sent`, `withheld` (stopped by ourselves at the last moment).
 */
export function nameCallResult({ outcome, code, httpStatus }: CallRecord): string {
  if (outcome !== 'answered') return outcome;
  if (code !== undefined) return findBankStatus(code) === undefined ? 'other-code' : code;
  const isKnown = httpStatus !== undefined && Object.hasOwn(STATUS_CODES, httpStatus);
  return isKnown ? `http-${httpStatus}` : 'http-other';
}

/** True for a call that the bank had a part in: its time says how quick the bank is. */
const isTimed = ({ outcome }: CallRecord): boolean => outcome === 'answered' || outcome === 'lost';

// ---------------------------------------------------------------- rows by status

type CountsByStatus = ReadonlyMap<PayoutStatus, number>;

interface StatusSource {
  /** Reads every row; undefined while there is no journal to read. */
  readonly countByStatus: () => Promise<CountsByStatus | undefined>;
  /** Another number after every change of a payout, whoever made it. */
  readonly changeCount: () => number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const restMs = 60_000;

/** Rows by status, which are costly to count: counted now and then, and only after something has changed. */
class StatusCounts {
  readonly #source: StatusSource;
  #known: CountsByStatus | undefined;
  #changes: number | undefined;
  #readAtMs: number | undefined;
  /** There was no journal: to ask again costs nothing. */
  #isIdle = false;
  #underWay: Promise<CountsByStatus | undefined> | undefined;

  constructor(source: StatusSource) {
    this.#source = source;
  }

  /**
   * The latest counts, at most a minute behind; undefined while there is no journal to read.
   * @throws what the source throws, a minute apart
   */
  async read(): Promise<CountsByStatus | undefined> {
    if (this.#underWay === undefined && this.#isDue()) {
      this.#underWay = this.#count().finally(() => {
        this.#readAtMs = this.#source.now();
        this.#underWay = undefined;
      });
    }
    return this.#underWay ?? this.#known;
  }

  #isDue(): boolean {
    if (this.#readAtMs === undefined || this.#isIdle) return true;
    const sinceMs = this.#source.now() - this.#readAtMs;
    // A clock that was set back would make the rest a long one.
    const isRested = sinceMs >= restMs || sinceMs < 0;
    return isRested && this.#changes !== this.#source.changeCount();
  }

  async #count(): Promise<CountsByStatus | undefined> {
    // Read first: what changes while the rows are counted is a reason to count again.
    const changes = this.#source.changeCount();
    this.#known = undefined;
    this.#changes = undefined;
    this.#isIdle = false;
    this.#known = await this.#source.countByStatus();
    this.#isIdle = this.#known === undefined;
    this.#changes = changes;
    return this.#known;
  }
}
