/** What is seen of a watcher from outside: its state, /healthz and /metrics. */
import { parseListenAddress } from '../core/network-address.ts';
import type { BatchReason, Clock } from '../core/ports.ts';
import { makePaces } from '../payout/adaptive-limit.ts';
import { closeLine, openLine } from '../payout/rules/circuit-breaker.ts';
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
import { InboxLooks } from './inbox-looks.ts';
import { readVersion } from './options.ts';
import { countUnderWay, type Sender } from './sender.ts';

/** What there is to tell of once this process has the right to send. */
export interface Working {
  readonly sender: Sender;
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

export class WatchReport {
  readonly metrics: Metrics;
  bankTrouble: Trouble | undefined;
  /** Before this process has the right to send. */
  diskTrouble: Trouble | undefined;
  isStopping = false;
  /** Another process was found to have the right to send when this one last asked for it. */
  isStandingBy = false;
  /** What keeps the journal from being written is another process. */
  isJournalLocked = false;
  readonly looks: InboxLooks;
  readonly #loaded: LoadedSettings;
  readonly #log: Logger;
  readonly #clock: Clock;
  #working: Working | undefined;
  /** Undefined until they were first read. */
  #figures: Figures | undefined;
  #changes = 0;

  constructor(loaded: LoadedSettings, log: Logger, clock: Clock, looks: InboxLooks = new InboxLooks()) {
    this.looks = looks;
    this.#loaded = loaded;
    this.#log = log;
    this.#clock = clock;
    this.metrics = this.#openMetrics();
  }

  /** This process has the right to send from now on. */
  begin(working: Working): void {
    this.#working = working;
  }

  /** A row has changed, or a file has come in: what is counted is counted anew. */
  noteChange(): void {
    this.#changes += 1;
  }

  /** Reads the figures that the journal alone knows. */
  async refresh(): Promise<void> {
    const store = this.#working?.sender.journal;
    if (store === undefined) return;
    const { companyId, payerAccount } = this.#loaded.settings.bank;
    const [rowsInDoubt, oldestInDoubtAtMs, openBatches, stop] = await Promise.all([
      store.countInDoubt(),
      store.oldestInDoubtAtMs(),
      store.countOpenBatches(),
      store.lineStop(companyId, payerAccount),
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
      log: (level, message, facts) => this.#log[level](facts, message),
      readHealth: () => ({
        ...showHealth(this.readState(), this.#clock.now(), this.#sinceTurnMs),
        isSandbox: this.#loaded.isSandbox,
      }),
      renderMetrics: () => this.metrics.render(),
    });
  }

  readState(): WatchState {
    const working = this.#working;
    if (working === undefined) return this.#readIdleState();
    const { watcher, intake, disk, sender } = working;
    const { view } = intake;
    return {
      role: this.isStopping ? 'stopping' : watcher.isRecovered ? 'active' : 'starting',
      inbox: view.state,
      inboxLookMs: this.looks.underWayMs,
      ...this.#nameTrouble(disk.trouble),
      bankTrouble: this.bankTrouble,
      lines: this.#readLines(sender),
      filesWaiting: view.waiting,
      leftInInbox: view.left,
      stuckFiles: view.stuck,
      filesInWork: watcher.files.inWork,
      rowsInDoubt: this.#figures?.rowsInDoubt,
      oldestInDoubtAtMs: this.#figures?.oldestInDoubtAtMs,
      openBatches: this.#figures?.openBatches,
      failingBatches: watcher.batches.failing,
      lastLookMs: watcher.lastTurn.atMs,
    };
  }

  /** Before this process has begun to work: of folders, journal and bank it knows nothing. */
  #readIdleState(): WatchState {
    return {
      role: this.isStopping ? 'stopping' : this.isStandingBy ? 'standby' : 'starting',
      inbox: undefined,
      inboxLookMs: this.looks.underWayMs,
      ...this.#nameTrouble(this.diskTrouble),
      bankTrouble: undefined,
      lines: undefined,
      filesWaiting: undefined,
      filesInWork: undefined,
      rowsInDoubt: undefined,
      oldestInDoubtAtMs: undefined,
      openBatches: undefined,
      failingBatches: undefined,
      lastLookMs: this.#clock.now(),
    };
  }

  /** A lock is no fault of the disk. */
  #nameTrouble(trouble: Trouble | undefined): Pick<WatchState, 'diskTrouble' | 'journalTrouble'> {
    return this.isJournalLocked
      ? { diskTrouble: undefined, journalTrouble: trouble }
      : { diskTrouble: trouble, journalTrouble: undefined };
  }

  /** The lines as this process knows them; the stop that the journal knows of comes first. */
  #readLines({ lines, loaded }: Sender): readonly PayerLine[] {
    const { companyId, payerAccount } = loaded.settings.bank;
    const own = `${companyId} ${payerAccount}`;
    const hours = readServiceHours(loaded.settings.serviceHours);
    const nowMs = this.#clock.now();
    const opensAtMs = hours === undefined ? nowMs : mayBeginAtMs(hours, nowMs);
    const known = new Map([[own, openLine], ...[...lines].map(([key, { state }]) => [key, state] as const)]);
    return [...known].map(([key, state]) => {
      const stop = this.#figures?.stop;
      if (key === own && stop !== undefined)
        return { ...openLine, status: 'halted', why: stop, paysNewFiles: true };
      return { ...(opensAtMs > nowMs ? closeLine(state, opensAtMs) : state), paysNewFiles: key === own };
    });
  }

  #openMetrics(): Metrics {
    const { settings, isSandbox } = this.#loaded;
    const idle = makePaces(settings.transfer.concurrency, settings.verify.concurrency);
    const paces = () => this.#working?.sender.paces ?? idle;
    return makeMetrics({
      version: readVersion(),
      isSandbox,
      now: () => this.#clock.now(),
      readWatch: () => this.readState(),
      readHealth: () => judgeHealth(this.readState(), this.#clock.now(), this.#sinceTurnMs),
      paces: {
        get transfers() {
          return paces().transfers;
        },
        get checks() {
          return paces().checks;
        },
        get inquiries() {
          return paces().inquiries;
        },
      },
      countRowsUnderWay: () => (this.#working === undefined ? 0 : countUnderWay(this.#working.sender)),
      countByStatus: async () => this.#working?.sender.journal.countByStatus(),
      changeCount: () => this.#changes,
      countNoticesWaiting: async () => this.#working?.sender.journal.countNotices(),
      log: (level, message, facts) => this.#log[level](facts, message),
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
