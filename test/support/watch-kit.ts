/**
 * The watcher in this process: real folders, journal, settings and reports; a scripted bank, a clock that tests drive,
 * and processes that can be killed at any step.
 */
import { BankClock } from '../../src/payout/bank-clock.ts';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { Notifier } from '../../src/app/notices/notifier.ts';
import { describeIdentity, makeReader } from '../../src/app/open-store.ts';
import { requireReportableBatch, restBatch } from '../../src/app/run-file.ts';
import { makeContext } from '../../src/app/session.ts';
import type { RunSession } from '../../src/app/session.ts';
import type { Batch, Clock, Log } from '../../src/core/ports.ts';
import type { NoticeSender } from '../../src/notify/rules/notice.ts';
import { makeAdaptiveLimits } from '../../src/payout/adaptive-limit.ts';
import type { RunState } from '../../src/payout/context.ts';
import { KeyedMutex } from '../../src/platform/keyed-mutex.ts';
import { silentLogger } from '../../src/platform/log.ts';
import { openOutbox } from '../../src/reports/outbox.ts';
import type { ReportOutbox } from '../../src/reports/ports.ts';
import { finishReports } from '../../src/reports/batch-reports.ts';
import { type LoadedSettings, loadSettings } from '../../src/settings/settings.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { DiskWatch, type WatchEvent, type WatchSetup } from '../../src/watch/context.ts';
import { type Intake, openIntake } from '../../src/watch/folders/drop-folder.ts';
import type { FileClaims } from '../../src/watch/ports.ts';
import { Watcher } from '../../src/watch/watcher.ts';
import { noonMs, partner } from './core-fixtures.ts';
import { Mortality } from './mortality.ts';
import { ScriptedBank } from './scripted-bank.ts';

/** Called before a step of the process that works: it may throw, wait, or kill it. */
export type Before = Partial<
  Record<keyof Store | keyof Intake | keyof ReportOutbox, (...args: never[]) => void | Promise<void>>
>;

export interface KitOptions {
  readonly watch?: object;
  readonly settle?: object;
  readonly transfer?: object;
  readonly brake?: object;
}

const settle = {
  firstDelayMs: 1_000,
  maxDelayMs: 4_000,
  notFoundTrustMs: 6_000,
  giveUpAfterMs: 3_600_000,
  intentMaxAgeMs: 600_000,
};
const unbraked = { consecutiveFailures: 1_000, window: 1_000, inDoubtMax: 1_000 };

const settingsOf = ({ watch, settle: settling, transfer, brake }: KitOptions, payerAccount: string): string =>
  stringify({
    dataDir: './data',
    bank: { ...partner, payerAccount, baseUrl: 'http://127.0.0.1:9' },
    // Files of the same few people are not held: what is held would hang on which of two is sealed first.
    limits: { similarDays: 0, likeFileDays: 0 },
    verify: { enabled: false, concurrency: 1 },
    transfer: { concurrency: 2, ...transfer },
    settle: { ...settle, ...settling },
    brake: { ...unbraked, ...brake },
    watch: { waitMs: 5_000, listen: '', ...watch },
  });

export class WatchKit extends ScriptedBank implements AsyncDisposable {
  readonly root: string;
  readonly store: Store;
  loaded: LoadedSettings;
  before: Before = {};
  /** What the other machines that work the journal say of files; there are none when left out. */
  claims: FileClaims | undefined;
  /** What the disk says when it is looked at. */
  diskWhy: string | undefined;
  /** What a person was told, in the words of a test. */
  readonly told: string[] = [];
  readonly logged: string[] = [];
  readonly lives: Life[] = [];
  readonly #options: KitOptions;

  constructor(root: string, loaded: LoadedSettings, store: Store, options: KitOptions) {
    super(noonMs);
    this.root = root;
    this.loaded = loaded;
    this.store = store;
    this.#options = options;
  }

  get clock(): Clock {
    return this.time;
  }

  /** Puts a file into the inbox, whole. */
  async drop(name: string, csv: string): Promise<void> {
    const { inbox } = this.loaded.folders;
    await mkdir(inbox, { recursive: true });
    await writeFile(join(inbox, `${name}.part`), csv);
    const atS = this.clock.now() / 1_000;
    await utimes(join(inbox, `${name}.part`), atS, atS);
    await rename(join(inbox, `${name}.part`), join(inbox, name));
  }

  /** Paths of the files in a folder, without those of its hidden folders. */
  async list(folder: keyof LoadedSettings['folders']): Promise<readonly string[]> {
    const root = this.loaded.folders[folder];
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((one) => one.isFile() && !`${one.parentPath}/${one.name}`.includes('/.'));
    return files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  }

  /** Names of the files in a folder. */
  async names(folder: keyof LoadedSettings['folders']): Promise<readonly string[]> {
    return (await this.list(folder)).map((path) => path.slice(path.lastIndexOf('/') + 1)).toSorted();
  }

  /** The text of the first file in a folder whose name ends so. */
  async read(folder: keyof LoadedSettings['folders'], ending: string): Promise<string> {
    const path = (await this.list(folder)).find((one) => one.endsWith(ending));
    return path === undefined ? '' : readFile(path, 'utf8');
  }

  /** The batch of the first file of this name. */
  async batchOf(fileName: string): Promise<Batch> {
    const batch = (await this.store.batches()).findLast((one) => one.fileName === fileName);
    if (batch === undefined) throw new Error(`no batch of ${fileName}`);
    return batch;
  }

  /** `kind number` of each report of a file's batch. */
  async reportsOf(fileName: string): Promise<readonly string[]> {
    const { batchId } = await this.batchOf(fileName);
    return (await this.store.reports(batchId)).map(({ kind, number }) => `${kind} ${number}`).toSorted();
  }

  /** `kind file` of the notices that are kept. */
  async notices(): Promise<readonly string[]> {
    const due = await this.store.dueNotices(Number.MAX_SAFE_INTEGER, 1_000);
    return due.map(({ kind, body }) => `${kind} ${String(body['file'])}`);
  }

  /** Rows by status. */
  async rowsOf(fileName: string): Promise<Record<string, number>> {
    const totals = await this.store.totals((await this.batchOf(fileName)).batchId);
    return Object.fromEntries(
      totals.filter(({ rows }) => rows > 0).map(({ status, rows }) => [status, rows]),
    );
  }

  /** Other settings from the next process on. */
  async correct(payerAccount: string): Promise<void> {
    this.loaded = await writeSettings(this.root, this.#options, payerAccount);
  }

  /** A new process, which works as soon as it is told to. */
  async begin(): Promise<Life> {
    await this.time.quieten();
    for (const life of this.lives) await life.close();
    const life = await openLife(this);
    this.lives.push(life);
    return life;
  }

  /** A new process that works. */
  async work(): Promise<Life> {
    const life = await this.begin();
    life.work();
    return life;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const life of this.lives) life.kill();
    await this.time.quieten();
    for (const life of this.lives) await life.close();
    await this.store[Symbol.asyncDispose]();
    await rm(this.root, { recursive: true, force: true });
  }
}

async function writeSettings(root: string, options: KitOptions, account: string): Promise<LoadedSettings> {
  const configPath = join(root, 'paydrop.yaml');
  await writeFile(configPath, settingsOf(options, account));
  return loadSettings({ configPath, cwd: root, env: {} });
}

export async function openWatchKit(options: KitOptions = {}): Promise<WatchKit> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-watch-'));
  const loaded = await writeSettings(root, options, partner.payerAccount);
  const opening = { dataDir: loaded.dataDir, stamp: describeIdentity(loaded), nowMs: noonMs };
  const store = await openJournal({ ...opening, access: 'own' });
  return new WatchKit(root, loaded, store, options);
}

/** One process: from its start until it has stopped, or was killed. */
class Life {
  readonly watcher: Watcher;
  readonly setup: WatchSetup;
  readonly #stop: AbortController;
  readonly #mortality: Mortality;
  readonly #intake: Intake;
  readonly #kit: WatchKit;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(kit: WatchKit, setup: WatchSetup, stop: AbortController, mortality: Mortality, intake: Intake) {
    this.#kit = kit;
    this.setup = setup;
    this.#stop = stop;
    this.#mortality = mortality;
    this.#intake = intake;
    this.watcher = new Watcher(setup, { probeMs: 5_000, dailyJobs: () => [] });
  }

  work(): void {
    this.#working = this.watcher.work();
    this.#working.catch(() => undefined);
  }

  /** Asks it to stop, and waits until it has. */
  async stop(): Promise<void> {
    this.#stop.abort();
    if (this.#working !== undefined) await this.#kit.time.drive(this.#working);
  }

  /** Nothing happens any more: whatever it has begun never ends. */
  kill(): void {
    this.#mortality.isDead = true;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#mortality.bury();
    await this.#intake[Symbol.asyncDispose]();
  }
}

async function openLife(kit: WatchKit): Promise<Life> {
  const { loaded } = kit;
  const stop = new AbortController();
  const mortality = new Mortality();
  const log: Log = (level, message, facts) => void kit.logged.push(`${level} ${message} ${toText(facts)}`);
  const clock = mortality.wrap(kit.clock);
  const intake = await openIntake({
    folders: loaded.folders,
    watch: { ...loaded.settings.watch, stillMs: 0, rescanMs: 2_000 },
    isSidecarExpected: false,
    journalId: kit.store.journalId,
    clock: kit.clock,
    elapsedMs: () => kit.time.elapsedMs(),
    log,
  });
  const desk = await makeDesk(kit, mortality, clock);
  const setup = makeSetup(
    kit,
    desk,
    mortality.wrap(intake, () => kit.before),
    { stop: stop.signal, log },
  );
  return new Life(kit, setup, stop, mortality, intake);
}

const toText = (facts: object): string =>
  JSON.stringify(facts, (_key, value: unknown) => (value instanceof Error ? value.message : value));

type Desk = RunSession & { readonly journal: Store };

async function makeDesk(kit: WatchKit, mortality: Mortality, clock: Clock): Promise<Desk> {
  const { loaded } = kit;
  const { transfer, verify } = loaded.settings;
  return {
    loaded,
    journal: mortality.wrap(kit.store, () => kit.before),
    bank: mortality.wrap(kit.bank),
    outbox: mortality.wrap(await openOutbox(loaded.folders.outbox), () => kit.before),
    reader: mortality.wrapReader(await makeReader(loaded)),
    log: silentLogger,
    clock,
    bankClock: new BankClock(clock),
    likeness: new KeyedMutex(),
    breakers: new Map(),
    adaptiveLimits: makeAdaptiveLimits(transfer.concurrency, verify.concurrency),
    runs: new Set<RunState>(),
    asking: new Set<number>(),
    reopened: new Set<string>(),
    loss: undefined,
    bankAddress: 'https://bank.example',
  };
}

function makeSetup(
  kit: WatchKit,
  desk: Desk,
  intake: Intake,
  { stop, log }: Pick<WatchSetup, 'stop' | 'log'>,
): WatchSetup {
  const { loaded, journal: store, clock, reader, outbox, runs, adaptiveLimits } = desk;
  const disk = new DiskWatch(clock, log, async () => kit.diskWhy);
  const sender: NoticeSender = { channel: 'command', send: async () => ({ ok: true }) };
  const notices = new Notifier(loaded, { store, senders: [sender], clock, log, random: () => 0 });
  return {
    store,
    intake,
    claims: kit.claims,
    reader,
    clock,
    log,
    payer: loaded.settings.bank,
    likeFileDays: loaded.settings.limits.likeFileDays,
    filesAtOnce: loaded.settings.watch.filesAtOnce,
    waitMs: loaded.settings.watch.waitMs,
    stop,
    runs,
    adaptiveLimits,
    disk,
    openContext: (until, count, whose) => ({
      ...makeContext(desk, until, count, whose),
      log,
      isWatchedByAnother: true,
      isPaused: () => disk.trouble !== undefined,
    }),
    requireReportable: (batch) => requireReportableBatch(desk, batch),
    report: (batchId) => restBatch(desk, batchId, false),
    finishReports: (batchId) => finishReports(store, outbox, batchId),
    findUnpublished: () => outbox.findLeftovers(),
    notify: (event) => notices.notifyOfEvent(event),
    reportEvent: (event) => void kit.told.push(inWords(event)),
    count: () => undefined,
  };
}

function inWords(event: WatchEvent): string {
  if (event.kind === 'batch-settled' || event.kind === 'registrations-settled') {
    const { batch } = event.reports.summary;
    return `${batch.fileName} ${batch.status}`;
  }
  if (event.kind === 'file-grown') return `${event.file.fileName} grown by ${event.growth.rows} rows`;
  const { item, outcome, why } = event;
  return `${item.fileName} ${outcome}${why === undefined ? '' : ` ${why.code}`}`;
}
