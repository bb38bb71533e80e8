/**
 * The metrics of a watcher for Prometheus. No label contains a payee, an account, a payoutId, a reference or a file
 * name, and every label has a fixed set of values.
 */
import { STATUS_CODES } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import type { LimitState } from '../../payout/rules/adaptive-limit.ts';
import { journalChanged } from '../../payout/rules/seal.ts';
import { type RegistrationStatus, registrationStatuses } from '../../registration/rules/registration.ts';
import type { IntakeOutcome } from '../ports.ts';
import {
  countAlarms,
  countFilesWaiting,
  type Health,
  isInboxAway,
  listCriticalBreaks,
  listLateStatements,
  payerWords,
  readPayer,
  watchRoles,
  type WatchState,
} from '../rules/health.ts';

const paceKinds = ['transfers', 'checks', 'inquiries'] as const;

/** The limit of simultaneous requests of one kind to the bank, now and in the settings. */
interface PaceFigures {
  readonly state: Pick<LimitState, 'limit' | 'ceiling'>;
}

type CountsByStatus = ReadonlyMap<PayoutStatus, number>;

/** The sources that every scrape reads. */
interface MetricSources {
  readonly version: string;
  readonly isSandbox: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly readWatch: () => WatchState;
  readonly readHealth: () => Pick<Health, 'live' | 'ready'>;
  readonly readLimits: () => Readonly<Record<(typeof paceKinds)[number], PaceFigures>>;
  /** The number of rows whose request is with the bank now. */
  readonly countRowsUnderWay: () => number;
  /** Counts every row; undefined while there is no readable journal. */
  readonly countByStatus: () => Promise<CountsByStatus | undefined>;
  /** A number that differs after every change of a payout, by any process. */
  readonly changeCount: () => number;
  /** Left out where registrations are off. */
  readonly registrations?: RegistrationFigures;
  /** The number of notices that a channel has not delivered; undefined while there is no readable journal. */
  readonly countNoticesWaiting: () => Promise<number | undefined>;
  readonly log: (level: 'warn', message: string, facts: object) => void;
}

/** The sources about registrations that every scrape reads. */
interface RegistrationFigures {
  /** Counts every row; undefined while there is no readable journal. */
  readonly countByStatus: () => Promise<ReadonlyMap<RegistrationStatus, number> | undefined>;
  /** A number that differs after every change of a registration, by any process. */
  readonly changeCount: () => number;
}

/**
 * The result of a callback: `taken` for a registration, `repeated` for a known callback, `unknown` for an unknown
 * registration, `refused` for its key, its address or its content.
 */
const callbackResults = ['taken', 'repeated', 'unknown', 'refused'] as const;
type CallbackResult = (typeof callbackResults)[number];

export interface Metrics {
  countFile(outcome: IntakeOutcome): void;
  /** Counts a payout that has reached this status. */
  countChange(status: PayoutStatus): void;
  countCall(call: CallRecord): void;
  countCallback(result: CallbackResult): void;
  /** Renders Prometheus' text form, without figures that are unreadable now. */
  render(): Promise<string>;
}

const fileOutcomes: readonly IntakeOutcome[] = ['archived', 'rejected', 'duplicate'];
const latencyBucketsSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** The interval at which the event loop is measured; the package's own 10 ms would take 1 % of a processor. */
const loopPollMs = 1_000;

export function makeMetrics(sources: MetricSources): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopPollMs });
  const { version, isSandbox } = sources;
  const labels = { version, sandbox: String(isSandbox) };
  const help = 'Which program this is, and whether money moves';
  new Gauge(describe(register, 'build_info', help, Object.keys(labels))).set(labels, 1);
  const counters = makeCounters(register);
  const readJournal = makeJournalReader(sources);
  return {
    ...counters,
    async render() {
      const { counts, registered, noticesWaiting } = await readJournal();
      showWatch(register, sources.readWatch(), sources.now());
      showAttention(register, sources.readWatch());
      showFiles(register, sources.readWatch());
      showRequests(register, sources);
      const rows = counts && payoutStatuses.map((status) => [status, counts.get(status) ?? 0] as const);
      const rowsHelp = 'Rows of all batches by status, at most a minute old';
      show(register, 'payouts', rowsHelp, rows, 'status');
      const registrationRows = registered && listRegistrations(registered);
      const registrationsHelp = 'Registrations of all batches by status, at most a minute old';
      show(register, 'registrations', registrationsHelp, registrationRows, 'status');
      show(register, 'notices_waiting', 'Notices not delivered yet', noticesWaiting);
      return register.metrics();
    },
  };
}

const describe = (register: Registry, name: string, help: string, labelNames: readonly string[]) => ({
  name: `paydrop_${name}`,
  help,
  labelNames,
  registers: [register],
});

/** Lists every status, also those that no registration has, as zero. */
const listRegistrations = (counts: ReadonlyMap<RegistrationStatus, number>): Series =>
  registrationStatuses.map((status) => [status, counts.get(status) ?? 0] as const);

/** Creates every series at the start as zero, so that the first event shows as a change. */
function makeCounters(register: Registry): Omit<Metrics, 'render'> {
  const make = (name: string, help: string, ...labels: readonly string[]): Counter =>
    new Counter(describe(register, name, help, labels));
  const files = make('files_total', 'Files that have ended since this process began', 'outcome');
  const help = 'Payouts that have got a status since this process began';
  const changes = make('payout_changes_total', help, 'status');
  const calls = make('bank_calls_total', 'Calls to the bank by what they came to', 'endpoint', 'code');
  const about = 'How long the bank took to answer, or was waited for';
  const durations = new Histogram({
    ...describe(register, 'bank_call_duration_seconds', about, ['endpoint']),
    buckets: latencyBucketsSeconds,
  });
  const callbacksHelp = "The bank's callbacks by what became of them since this process began";
  const callbacks = make('callbacks_total', callbacksHelp, 'result');
  for (const result of callbackResults) callbacks.inc({ result }, 0);
  for (const outcome of fileOutcomes) files.inc({ outcome }, 0);
  for (const status of payoutStatuses) changes.inc({ status }, 0);
  for (const endpoint of endpoints) {
    durations.zero({ endpoint });
    for (const code of ['lost', 'not-sent']) calls.inc({ endpoint, code }, 0);
  }
  return {
    countFile: (outcome) => files.inc({ outcome }),
    countChange: (status) => changes.inc({ status }),
    countCallback: (result) => callbacks.inc({ result }),
    countCall: (call) => {
      const { endpoint, outcome, elapsedMs } = call;
      calls.inc({ endpoint, code: nameCallResult(call) });
      // The bank took part in these exchanges, so their duration measures the bank.
      if (outcome === 'answered' || outcome === 'lost') durations.observe({ endpoint }, elapsedMs / 1_000);
    },
  };
}

// ---------------------------------------------------------------- present state

/** A figure for each value of a label. */
type Series = readonly (readonly [value: string, figure: number])[];

/** Shows a figure, or a series by its label; an undefined figure is unknown and shows nothing. */
function show(register: Registry, name: string, help: string, figures?: number | Series, label = ''): void {
  const metric = describe(register, name, help, label === '' ? [] : [label]);
  const gauge = (register.getSingleMetric(metric.name) as Gauge | undefined) ?? new Gauge(metric);
  gauge.reset();
  if (typeof figures === 'number') gauge.set(figures);
  else if (label === '') gauge.remove({});
  else for (const [value, figure] of figures ?? []) gauge.set({ [label]: value }, figure);
}

function showWatch(register: Registry, watch: WatchState, nowMs: number): void {
  const { filesInWork, openBatches, failingBatches, rowsInDoubt, oldestInDoubtAtMs } = watch;
  const roles = watchRoles.map((role) => [role, Number(role === watch.role)] as const);
  const words = watch.payers?.map((payer) => readPayer(payer, nowMs));
  const payers = payerWords.map(
    (state) => [state, words?.filter((word) => word === state).length ?? 0] as const,
  );
  const ageMs = Math.max(0, nowMs - (oldestInDoubtAtMs ?? nowMs));
  const age = rowsInDoubt === undefined ? undefined : ageMs / 1_000;
  const troubleHelp = '1 while disk, journal, bank, inbox, sums or clock are out of order';
  const ageHelp = 'Time since the oldest transfer in doubt was submitted; 0 when there is none';
  show(register, 'role', 'What this process does: 1 for its role', roles, 'role');
  show(register, 'trouble', troubleHelp, listTroubles(watch), 'kind');
  show(register, 'payer_state', 'Payer accounts by whether they pay now', words && payers, 'state');
  show(
    register,
    'files_waiting',
    'Files in the inbox that have not been taken yet',
    countFilesWaiting(watch),
  );
  show(register, 'files_in_work', 'Files in work/', filesInWork);
  show(register, 'batches_open', 'Batches that have not come to their end', openBatches);
  show(register, 'batches_failing', 'Batches that an error keeps from getting on', failingBatches?.length);
  show(register, 'in_doubt', 'Transfers without a proved outcome', rowsInDoubt);
  show(register, 'in_doubt_oldest_age_seconds', ageHelp, age);
}

/** Shows the files that need a person, which /healthz calls file-grown, file-stuck and inbox-left. */
function showFiles(register: Registry, { inbox, grownFiles }: WatchState): void {
  const grown = 'Files that were written to after their rows had been read, and that are not dealt with';
  show(register, 'files_grown', grown, grownFiles?.length);
  show(register, 'files_stuck', 'Files that cannot be brought into work/', inbox?.stuck.length);
  show(register, 'inbox_left', 'What stays in the inbox, and is not paid', inbox?.left.length);
}

/** Shows the facts about the whole journal that need a person. */
function showAttention(register: Registry, { attention, grownFiles }: WatchState): void {
  const breaks = attention && listCriticalBreaks(attention).reduce((sum, day) => sum + day.breaks, 0);
  const offsetMs = attention?.clockOffsetMs;
  const late = 'Days with payouts whose statement should have come';
  const offset = "The bank's clock less this machine's, by its latest reply";
  show(register, 'statements_late', late, attention && listLateStatements(attention).length);
  show(register, 'critical_breaks', 'Critical breaks that are open', breaks);
  const alarms = attention && countAlarms(attention) + (grownFiles?.length ?? 0);
  show(register, 'alarms', 'Rows that bear an alarm, and files that have grown', alarms);
  show(register, 'clock_offset_seconds', offset, offsetMs === undefined ? undefined : offsetMs / 1_000);
}

function showRequests(register: Registry, sources: MetricSources): void {
  const { readHealth, readLimits, countRowsUnderWay } = sources;
  const { live, ready } = readHealth();
  const readPace = (figure: 'limit' | 'ceiling') =>
    paceKinds.map((kind) => [kind, readLimits()[kind].state[figure]] as const);
  show(register, 'live', '1 while the watcher gets on, 0 when only a restart helps', Number(live));
  show(register, 'ready', '1 while a file dropped now would be worked', Number(ready));
  show(register, 'concurrency_limit', 'Requests at once that the bank gets now', readPace('limit'), 'kind');
  show(register, 'concurrency_max', 'Requests at once that the settings allow', readPace('ceiling'), 'kind');
  show(register, 'payouts_in_flight', 'Rows whose request is with the bank now', countRowsUnderWay());
}

/** Lists the troubles; facts that were not looked at yet are left out. */
function listTroubles(watch: WatchState): Series {
  const { inbox, diskTrouble, journalTrouble, journalAway, bankTrouble, attention, payers } = watch;
  const here = [
    ['disk', Number(diskTrouble !== undefined)],
    ['journal', Number(journalTrouble !== undefined || journalAway !== undefined)],
  ] as const;
  if (inbox === undefined) return here;
  const isAnyAway = isInboxAway(watch) || (watch.registrations && isInboxAway(watch.registrations));
  const isChanged = payers?.some(({ why }) => why?.code === journalChanged) ?? false;
  const clock = attention && (['clock', Number(attention.clock !== undefined)] as const);
  return [
    ...here,
    ['bank', Number(bankTrouble !== undefined)],
    ['inbox', Number(isAnyAway === true)],
    ['sums', Number(isChanged)],
    ...(clock === undefined ? [] : [clock]),
  ];
}

/** Reads figures of the journal. An unreadable figure is left out, because an old one would be wrong. */
function makeJournalReader(sources: MetricSources) {
  const leaveOut = (err: unknown): undefined => {
    sources.log('warn', 'a metric could not be read and is left out', { err });
  };
  const { now, registrations } = sources;
  const countByStatus = countSparingly(sources);
  const countRegistrations = registrations && countSparingly({ ...registrations, now });
  return async () => {
    const [counts, registered, noticesWaiting] = await Promise.all([
      countByStatus().catch(leaveOut),
      countRegistrations?.().catch(leaveOut),
      sources.countNoticesWaiting().catch(leaveOut),
    ]);
    return { counts, registered, noticesWaiting };
  };
}

const restMs = 60_000;

/**
 * Counts rows by status, which is costly: at most once a minute, and only after a change. A failure throws once; the
 * figures are then unknown for a minute.
 */
function countSparingly<Counts>({
  countByStatus,
  changeCount,
  now,
}: {
  readonly countByStatus: () => Promise<Counts | undefined>;
  readonly changeCount: () => number;
  readonly now: () => number;
}): () => Promise<Counts | undefined> {
  /** The last count, without `changes` where it failed; undefined before there was a journal. */
  let last: { readonly atMs: number; readonly changes?: number; readonly counts?: Counts } | undefined;
  let underWay: ReturnType<typeof countByStatus> | undefined;
  const isDue = (): boolean => {
    if (last === undefined) return true;
    const sinceMs = now() - last.atMs;
    // A clock that was set back would make the pause too long.
    const isRested = sinceMs >= restMs || sinceMs < 0;
    return isRested && last.changes !== changeCount();
  };
  const count = async (): Promise<Counts | undefined> => {
    // Read before the count: changes during the count cause another one.
    const changes = changeCount();
    try {
      const counts = await countByStatus();
      last = counts && { atMs: now(), changes, counts };
      return counts;
    } catch (error) {
      last = { atMs: now() };
      throw error;
    } finally {
      underWay = undefined;
    }
  };
  return async () => {
    if (underWay === undefined && isDue()) underWay = count();
    return underWay ?? last?.counts;
  };
}

// ---------------------------------------------------------------- calls to the bank

/** @forTests */
export const endpoints = [
  'token',
  'tokenRefresh',
  'payeeCheck',
  'transfer',
  'inquiry',
  'statement',
  'registration',
] as const;

/** The facts of one exchange with the bank that are counted. */
interface CallRecord {
  readonly endpoint: (typeof endpoints)[number];
  readonly outcome: 'answered' | 'lost' | 'not-sent' | 'withheld';
  readonly httpStatus: number | undefined;
  /** The statusCode of a business answer. */
  readonly code: string | undefined;
  readonly elapsedMs: number;
}

/**
 * Names the result: a code of §7.3; `other-code` for one that the table lacks; the HTTP status of an answer without a
 * code; otherwise the outcome: `lost` (bytes may have left), `not-sent`, `withheld` (stopped by paydrop at the last
 * moment). @forTests
 */
export function nameCallResult({ outcome, code, httpStatus }: CallRecord): string {
  if (outcome !== 'answered') return outcome;
  if (code !== undefined) return findBankStatus(code) === undefined ? 'other-code' : code;
  const isKnown = httpStatus !== undefined && Object.hasOwn(STATUS_CODES, httpStatus);
  return isKnown ? `http-${httpStatus}` : 'http-other';
}
