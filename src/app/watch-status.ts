/** What is seen of a watcher from outside: its state, /healthz and /metrics. */
import { parseListenAddress } from '../core/network-address.ts';
import type { BatchReason, Clock } from '../core/ports.ts';
import { makeAdaptiveLimits } from '../payout/adaptive-limit.ts';
import { countUnderWay } from '../payout/context.ts';
import { closeBreaker, openBreaker } from '../payout/rules/circuit-breaker.ts';
import { mayBeginAtMs, readServiceHours } from '../payout/rules/service-hours.ts';
import type { Logger } from '../platform/log.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { DiskWatch } from '../watch/context.ts';
import { makeMetrics, type Metrics } from '../watch/monitor/metrics.ts';
import { type Monitor, openMonitor } from '../watch/monitor/server.ts';
import type { Intake } from '../watch/ports.ts';
import {
  judgeHealth,
  type PayerLine,
  showHealth,
  type Trouble,
  type WatchState,
} from '../watch/rules/health.ts';
import type { Watcher } from '../watch/watcher.ts';
import { type Session, toLog } from './session.ts';
import { readVersion } from './version.ts';

/** What there is to show once this process owns the sender lock. */
export interface Working {
  readonly session: Session;
  readonly watcher: Watcher;
  readonly intake: Intake;
  readonly disk: DiskWatch;
}

/** Figures of the journal, read every now and then. */
interface Figures {
  readonly rowsInDoubt: number;
  readonly oldestInDoubtAtMs: number | undefined;
  readonly openBatches: number;
  /** A stop of the settings' payer account that the journal knows of. */
  readonly stop: BatchReason | undefined;
}

/**
 * How long the watcher has been waiting for its inbox: a share that hangs throws no error, it just never answers.
 */
export class InboxTimer {
  readonly #elapsedMs: () => number;
  #sinceMs: number | undefined;

  /** @param elapsedMs milliseconds of a clock that nobody sets */
  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs;
  }

  /** How long the call that is under way has taken; undefined when none is. */
  get underWayMs(): number | undefined {
    return this.#sinceMs === undefined ? undefined : this.#elapsedMs() - this.#sinceMs;
  }

  /** Calls the inbox, and counts the time. One call at a time. */
  async time<T>(call: () => Promise<T>): Promise<T> {
    this.#sinceMs = this.#elapsedMs();
    try {
      return await call();
    } finally {
      this.#sinceMs = undefined;
    }
  }

  /** The same folders, with the time of each call counted. */
  watch(intake: Intake): Intake {
    return {
      recover: () => this.time(() => intake.recover()),
      take: (max) => this.time(() => intake.take(max)),
      get view() {
        return intake.view;
      },
      waitForNews: (stop) => intake.waitForNews(stop),
      isUntouched: (item) => intake.isUntouched(item),
      end: (item, end) => intake.end(item, end),
      [Symbol.asyncDispose]: () => intake[Symbol.asyncDispose](),
    };
  }
}

export class WatchStatus {
  readonly metrics: Metrics;
  bankTrouble: Trouble | undefined;
  /** Before this process owns the sender lock. */
  diskTrouble: Trouble | undefined;
  isStopping = false;
  /** Another process was found to own the sender lock when this one last asked for it. */
  isStandingBy = false;
  /** What keeps the journal from being written is another process. */
  isJournalLocked = false;
  readonly inboxTimer: InboxTimer;
  readonly #loaded: LoadedSettings;
  readonly #log: Logger;
  readonly #clock: Clock;
  #working: Working | undefined;
  /** Undefined until they were first read. */
  #figures: Figures | undefined;
  #changes = 0;

  constructor(loaded: LoadedSettings, log: Logger, clock: Clock, inboxTimer: InboxTimer = new InboxTimer()) {
    this.inboxTimer = inboxTimer;
    this.#loaded = loaded;
    this.#log = log;
    this.#clock = clock;
    this.metrics = this.#openMetrics();
  }

  /** This process owns the sender lock from now on. */
  begin(working: Working): void {
    this.#working = working;
  }

  /** A row has changed, or a file has come in: what is counted is counted anew. */
  noteChange(): void {
    this.#changes += 1;
  }

  /** Reads the figures that the journal alone knows. */
  async refresh(): Promise<void> {
    const store = this.#working?.session.journal;
    if (store === undefined) return;
    const { companyId, payerAccount } = this.#loaded.settings.bank;
    const [rowsInDoubt, oldestInDoubtAtMs, openBatches, stop] = await Promise.all([
      store.countInDoubt(),
      store.oldestInDoubtAtMs(),
      store.countOpenBatches(),
      store.payerHalt(companyId, payerAccount),
    ]);
    const figures = { rowsInDoubt, oldestInDoubtAtMs, openBatches, stop };
    // Another process may have changed something.
    if (JSON.stringify(figures) !== JSON.stringify(this.#figures)) this.noteChange();
    this.#figures = figures;
  }

  /** Opens /healthz and /metrics, where the settings ask for them. */
  async listen(): Promise<Monitor | undefined> {
    const listen = parseListenAddress(this.#loaded.settings.watch.listen);
    if (listen === undefined) return undefined;
    return openMonitor({
      listen,
      clock: this.#clock,
      log: toLog(this.#log),
      readHealth: () => ({
        ...showHealth(this.readState(), this.#clock.now(), this.#sinceTurnMs),
        isSandbox: this.#loaded.isSandbox,
      }),
      renderMetrics: () => this.metrics.render(),
    });
  }

  /** Before this process has begun to work it knows nothing of folders, journal and bank. */
  readState(): WatchState {
    const { watcher, intake, disk, session } = this.#working ?? {};
    const view = intake?.view;
    return {
      role: this.#role,
      inbox: view?.state,
      inboxPollMs: this.inboxTimer.underWayMs,
      ...this.#nameTrouble(disk === undefined ? this.diskTrouble : disk.trouble),
      bankTrouble: this.bankTrouble,
      lines: session && this.#readLines(session),
      filesWaiting: view?.waiting,
      ...(view && { leftInInbox: view.left, stuckFiles: view.stuck }),
      filesInWork: watcher?.files.inWork,
      rowsInDoubt: this.#figures?.rowsInDoubt,
      oldestInDoubtAtMs: this.#figures?.oldestInDoubtAtMs,
      openBatches: this.#figures?.openBatches,
      failingBatches: watcher?.batches.failing,
      lastPollMs: watcher?.lastTurn.atMs ?? this.#clock.now(),
    };
  }

  get #role(): WatchState['role'] {
    if (this.isStopping) return 'stopping';
    if (this.#working === undefined) return this.isStandingBy ? 'standby' : 'starting';
    return this.#working.watcher.isRecovered ? 'active' : 'starting';
  }

  /** A lock is no fault of the disk. */
  #nameTrouble(trouble: Trouble | undefined): Pick<WatchState, 'diskTrouble' | 'journalTrouble'> {
    return this.isJournalLocked
      ? { diskTrouble: undefined, journalTrouble: trouble }
      : { diskTrouble: trouble, journalTrouble: undefined };
  }

  /** The lines as this process knows them; the stop that the journal knows of comes first. */
  #readLines({ breakers, loaded }: Session): readonly PayerLine[] {
    const { companyId, payerAccount } = loaded.settings.bank;
    const own = `${companyId} ${payerAccount}`;
    const hours = readServiceHours(loaded.settings.serviceHours);
    const nowMs = this.#clock.now();
    const opensAtMs = hours === undefined ? nowMs : mayBeginAtMs(hours, nowMs);
    const known = new Map([
      [own, openBreaker],
      ...[...breakers].map(([key, { state }]) => [key, state] as const),
    ]);
    return [...known].map(([key, state]) => {
      const stop = this.#figures?.stop;
      if (key === own && stop !== undefined)
        return { ...openBreaker, status: 'halted', why: stop, paysNewFiles: true };
      return { ...(opensAtMs > nowMs ? closeBreaker(state, opensAtMs) : state), paysNewFiles: key === own };
    });
  }

  #openMetrics(): Metrics {
    const { settings, isSandbox } = this.#loaded;
    const idle = makeAdaptiveLimits(settings.transfer.concurrency, settings.verify.concurrency);
    const adaptiveLimits = () => this.#working?.session.adaptiveLimits ?? idle;
    return makeMetrics({
      version: readVersion(),
      isSandbox,
      now: () => this.#clock.now(),
      readWatch: () => this.readState(),
      readHealth: () => judgeHealth(this.readState(), this.#clock.now(), this.#sinceTurnMs),
      adaptiveLimits: {
        get transfers() {
          return adaptiveLimits().transfers;
        },
        get checks() {
          return adaptiveLimits().checks;
        },
        get inquiries() {
          return adaptiveLimits().inquiries;
        },
      },
      countRowsUnderWay: () => (this.#working === undefined ? 0 : countUnderWay(this.#working.session)),
      countByStatus: async () => this.#working?.session.journal.countByStatus(),
      changeCount: () => this.#changes,
      countNoticesWaiting: async () => this.#working?.session.journal.countNotices(),
      log: toLog(this.#log),
    });
  }

  /** By a clock that nobody sets. */
  get #sinceTurnMs(): number {
    const watcher = this.#working?.watcher;
    // Reading what was left in work/, and the reports of big batches, take their time.
    if (watcher === undefined || !watcher.isRecovered || watcher.batches.isReporting) return 0;
    return performance.now() - watcher.lastTurn.atElapsedMs;
  }
}
