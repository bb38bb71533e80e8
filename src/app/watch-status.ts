/** A watcher as seen from outside: its news, its state, /healthz and /metrics. */
import { join } from 'node:path';
import { type ListenAddress, parseListenAddress } from '../core/network-address.ts';
import type { Clock } from '../core/ports.ts';
import { makeAdaptiveLimits } from '../payout/adaptive-limit.ts';
import { countUnderWay } from '../payout/context.ts';
import { closeBreaker, openBreaker } from '../payout/rules/circuit-breaker.ts';
import { mayBeginAtMs, readServiceHours } from '../payout/rules/service-hours.ts';
import type { Logger } from '../platform/log.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { SenderLockOwner } from './sender-lock.ts';
import type { Store } from '../store/store.ts';
import type { DiskWatch, WatchEvent } from '../watch/context.ts';
import type { Intake } from '../watch/folders/drop-folder.ts';
import { makeMetrics, type Metrics } from '../watch/monitor/metrics.ts';
import { type Monitor, openMonitor } from '../watch/monitor/server.ts';
import {
  type Health,
  judgeHealth,
  type PayerHealth,
  showHealth,
  type Trouble,
  type WatchedAttention,
  type WatchState,
} from '../watch/rules/health.ts';
import type { RegistrationWatch } from '../watch/registrations.ts';
import type { Watcher } from '../watch/watcher.ts';
import { findJournalPlace } from './journal/place.ts';
import { registrationsInbox, type Session, toLog } from './session.ts';
import { nameAccount } from './status/stops.ts';
import { readVersion } from './version.ts';
import type { WatchActivity } from './watch-progress.ts';

/** Stages of the process itself. */
type WatchStage =
  /** The process has read its settings. */
  | { readonly kind: 'started'; readonly isSandbox: boolean; readonly inbox: string; readonly outbox: string }
  /** /healthz answers from now on. */
  | { readonly kind: 'health-opened'; readonly address: ListenAddress }
  /** The bank's callbacks are taken from now on. */
  | { readonly kind: 'callbacks-opened'; readonly url: string }
  /** Another process is sending; undefined when it has not recorded who it is. */
  | { readonly kind: 'standing-by'; readonly owner: SenderLockOwner | undefined }
  /** This process is sending, and the inbox is its own. */
  | { readonly kind: 'working'; readonly inbox: string; readonly hasTakenOver: boolean }
  /** A name that is not taken and not paid: a folder, a link, a file that cannot be taken. The log says why. */
  | { readonly kind: 'inbox-skipped'; readonly fileName: string }
  /** The process was asked to stop. */
  | { readonly kind: 'stopping'; readonly graceMs: number };

export type WatchNews = WatchEvent | WatchStage | WatchActivity;

/** Shows news at once. Must not throw. */
export type ReportNews = (news: WatchNews) => void;

/** Reports each name that stays in the inbox, once for as long as it is there. */
export function makeLeftReporter(report: ReportNews): (names: readonly string[]) => void {
  let reported = new Set<string>();
  return (names) => {
    for (const fileName of names) if (!reported.has(fileName)) report({ kind: 'inbox-skipped', fileName });
    reported = new Set(names);
  };
}

/** Parts to show once this process owns the sender lock. */
interface Working {
  readonly session: Session;
  readonly watcher: Watcher;
  readonly registrations?: { readonly watch: RegistrationWatch; readonly intake: Intake };
  readonly intake: Intake;
  readonly disk: DiskWatch;
}

/**
 * Time that the watcher has been waiting for its inbox: a share that hangs throws no error, it just never answers.
 */
export class InboxTimer {
  readonly #elapsedMs: () => number;
  #sinceMs: number | undefined;

  /** @param elapsedMs milliseconds of a monotonic clock */
  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs;
  }

  /** Duration of the call under way; undefined when none is. */
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

  /** Wraps the folders so that the time of each call is counted. */
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
      findRejectedPath: (item) => intake.findRejectedPath(item),
      findEnded: (inode, fileName) => intake.findEnded(inode, fileName),
      findOriginal: (itemId) => intake.findOriginal(itemId),
      listOriginals: () => intake.listOriginals(),
      removeOriginal: (itemId) => intake.removeOriginal(itemId),
      [Symbol.asyncDispose]: () => intake[Symbol.asyncDispose](),
    };
  }
}

export class WatchStatus {
  readonly metrics: Metrics;
  bankTrouble: Trouble | undefined;
  /** Trouble before this process owns the sender lock. */
  diskTrouble: Trouble | undefined;
  isStopping = false;
  /** True when another process owned the sender lock at this one's last request. */
  isStandingBy = false;
  /** True when another process keeps the journal from being written. */
  isJournalLocked = false;
  /** True when the journal's database is out of reach. */
  isJournalAway = false;
  /** Damage found in reading the journal through; only another journal mends it. */
  journalDamage: Trouble | undefined;
  /** Facts about the journal that need a person; undefined until the first read. */
  attention: WatchedAttention | undefined;
  readonly inboxTimer: InboxTimer;
  /** Timer of the inbox of registrations. */
  readonly registrationTimer: InboxTimer;
  readonly #loaded: LoadedSettings;
  readonly #log: Logger;
  readonly #clock: Clock;
  #working: Working | undefined;
  /** Undefined until the first read. */
  #figures: Awaited<ReturnType<typeof readFigures>> | undefined;
  #changes = 0;

  constructor(
    loaded: LoadedSettings,
    log: Logger,
    clock: Clock,
    inboxTimer: InboxTimer = new InboxTimer(),
    registrationTimer: InboxTimer = new InboxTimer(),
  ) {
    this.inboxTimer = inboxTimer;
    this.registrationTimer = registrationTimer;
    this.#loaded = loaded;
    this.#log = log;
    this.#clock = clock;
    this.metrics = this.#openMetrics();
  }

  /** Begins: this process owns the sender lock from now on. */
  begin(working: Working): void {
    this.#working = working;
  }

  /** Ends: another process has the right to send, so this one's view of the work is out of date. */
  end(): void {
    this.#working = undefined;
    this.#figures = undefined;
  }

  /** Notes that a row has changed or a file has come in, so that figures are counted anew. */
  noteChange(): void {
    this.#changes += 1;
  }

  /** Reads the figures that the journal alone knows. */
  async refresh(): Promise<void> {
    const store = this.#working?.session.journal;
    if (store === undefined) return;
    const figures = await readFigures(store);
    // Another process may have changed something.
    if (JSON.stringify(figures) !== JSON.stringify(this.#figures)) this.noteChange();
    this.#figures = figures;
  }

  /** Opens /healthz and /metrics, where the settings ask for them. */
  async listen(): Promise<Monitor | undefined> {
    const { hosts, listen: address } = this.#loaded.settings.watch;
    const listen = parseListenAddress(address);
    if (listen === undefined) return undefined;
    return openMonitor({
      listen,
      hosts,
      clock: this.#clock,
      log: toLog(this.#log),
      readHealth: () => ({
        ...showHealth(this.readState(), this.#clock.now(), this.#sinceTurnMs),
        isSandbox: this.#loaded.isSandbox,
      }),
      renderMetrics: () => this.metrics.render(),
    });
  }

  /** State of the watcher; before its work begins, without folders, journal and bank. */
  readState(): WatchState {
    const { watcher, registrations, intake, disk, session } = this.#working ?? {};
    const { rowsInDoubt, oldestInDoubtAtMs, openBatches, grownFiles, loss } = this.#figures ?? {};
    const trouble = disk === undefined ? this.diskTrouble : disk.trouble;
    const isOfDisk = !this.isJournalLocked && !this.isJournalAway && this.journalDamage === undefined;
    return {
      role: this.#role,
      inbox: intake?.view,
      inboxPollMs: this.inboxTimer.underWayMs,
      registrations: {
        inbox: registrations?.intake.view,
        inboxPollMs: this.registrationTimer.underWayMs,
      },
      // Neither a lock nor another server is a fault of the disk.
      diskTrouble: isOfDisk ? trouble : undefined,
      journalDamage: this.journalDamage,
      journalTrouble: this.isJournalLocked ? trouble : undefined,
      journalAway: this.isJournalAway ? trouble : undefined,
      bankTrouble: this.bankTrouble,
      payers: session && this.#readPayers(session),
      filesInWork: watcher && watcher.files.inWork + (registrations?.watch.files.inWork ?? 0),
      rowsInDoubt,
      oldestInDoubtAtMs,
      openBatches,
      failingBatches: watcher && [...watcher.batches.failing, ...(registrations?.watch.failing ?? [])],
      grownFiles,
      loss,
      attention: this.attention,
      place: this.#place,
      lastPollMs: watcher?.lastTurn.atMs ?? this.#clock.now(),
    };
  }

  readHealth(): Health {
    return judgeHealth(this.readState(), this.#clock.now(), this.#sinceTurnMs);
  }

  get #place(): WatchState['place'] {
    const { path: settingsPath, dataDir, dataDirOption, folders } = this.#loaded;
    const command = { settingsPath, dataDir: dataDirOption };
    const place = findJournalPlace(this.#loaded);
    const database = place.kind === 'database' ? place.address.name : undefined;
    const registrations = join(folders.inbox, registrationsInbox);
    return { command, dataDir, inbox: folders.inbox, registrations, database };
  }

  get #role(): WatchState['role'] {
    if (this.isStopping) return 'stopping';
    if (this.#working === undefined) return this.isStandingBy ? 'standby' : 'starting';
    const { watcher, registrations } = this.#working;
    return watcher.isRecovered && registrations?.watch.isRecovered !== false ? 'active' : 'starting';
  }

  /** The payer accounts as this process knows them; the stop in the journal comes first. */
  #readPayers({ breakers, loaded }: Session): readonly PayerHealth[] {
    const { companyId, payerAccount } = loaded.settings.bank;
    const own = `${companyId} ${payerAccount}`;
    const hours = readServiceHours(loaded.settings.serviceHours);
    const nowMs = this.#clock.now();
    const opensAtMs = hours === undefined ? nowMs : mayBeginAtMs(hours, nowMs);
    const known = new Map([
      [own, openBreaker],
      ...[...breakers].map(([key, { state }]) => [key, state] as const),
    ]);
    const halts = this.#figures?.halts ?? [];
    return [...known].map(([key, state]) => {
      const halt = halts.find((one) => `${one.companyId} ${one.payerAccount}` === key);
      const facts = {
        account: nameAccount(key.slice(key.indexOf(' ') + 1)),
        haltedSinceMs: halt?.sinceMs,
        paysNewFiles: key === own,
      };
      if (halt !== undefined) return { ...openBreaker, status: 'halted', why: halt, ...facts };
      return { ...(opensAtMs > nowMs ? closeBreaker(state, opensAtMs) : state), ...facts };
    });
  }

  #openMetrics(): Metrics {
    const { settings, isSandbox } = this.#loaded;
    const idle = makeAdaptiveLimits(settings.transfer.concurrency, settings.verify.concurrency);
    return makeMetrics({
      version: readVersion(),
      isSandbox,
      now: () => this.#clock.now(),
      readWatch: () => this.readState(),
      readHealth: () => this.readHealth(),
      readLimits: () => this.#working?.session.adaptiveLimits ?? idle,
      countRowsUnderWay: () => (this.#working === undefined ? 0 : countUnderWay(this.#working.session)),
      countByStatus: async () => this.#working?.session.journal.countByStatus(),
      changeCount: () => this.#changes,
      registrations: {
        countByStatus: async () => this.#working?.session.journal.countRegistrations(),
        changeCount: () => this.#changes,
      },
      countNoticesWaiting: async () => this.#working?.session.journal.countNotices(),
      log: toLog(this.#log),
    });
  }

  /** Milliseconds since the last turn, by a monotonic clock. */
  get #sinceTurnMs(): number {
    const watcher = this.#working?.watcher;
    // Recovery of work/ and reports of big batches take their time.
    if (watcher === undefined || !watcher.isRecovered || watcher.batches.isReporting) return 0;
    return performance.now() - watcher.lastTurn.atElapsedMs;
  }
}

/** Figures of the journal, read every now and then. */
async function readFigures(store: Store) {
  const [rowsInDoubt, oldestInDoubtAtMs, openBatches, halts, grownFiles, loss] = await Promise.all([
    store.countInDoubt(),
    store.oldestInDoubtAtMs(),
    store.countOpenBatches(),
    store.payerHalts(),
    store.grownFiles(),
    store.loss(),
  ]);
  return { rowsInDoubt, oldestInDoubtAtMs, openBatches, halts, grownFiles, loss };
}
