/**
 * Real journals in real folders, of which one is lost, put back or copied in the midst of a run, and what a person does
 * about it. The programs that open them are the real ones; only time, the bank and the reports are simulated.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { describeIdentity } from '../../src/app/open-store.ts';
import { type JournalWays, openOwnJournal } from '../../src/app/journal/own-journal.ts';
import { backUpJournal, placeBackup } from '../../src/app/backup.ts';
import { findTraces, TraceSearch } from '../../src/app/traces.ts';
import { dayMs, formatBangkokDate } from '../../src/core/bangkok-time.ts';
import type { Clock } from '../../src/core/ports.ts';
import type { Logger } from '../../src/platform/log.ts';
import type { LoadedSettings } from '../../src/settings/settings.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { Dice } from '../support/dice.ts';
import { findContradictions } from '../support/store-consistency.ts';
import type { DiskView } from './disk-view.ts';
import type { SimulatedDisk } from './memory/disk.ts';
import { drawPlan, type FaultKind, type Plan, type PlannedLife } from './plan.ts';
import { loadSettings, type Place } from './process.ts';
import { makeView } from './sqlite-disk.ts';
import { allKept } from './refusals.ts';
import type { World } from './world.ts';

const hourMs = 3_600_000;

/** What becomes of the journal, by the person's way on that has to hold. */
const mishaps = [
  // An older copy of journal.db alone, as another file or written over the one that is there.
  'older-copy',
  'older-copy-written-over',
  // The same with journal.mark, so that only the marks in other folders are ahead of it.
  'older-copy-with-mark',
  'older-copy-with-mark-written-over',
  // One from before any file was taken, with all marks: what was paid is proved by the reports alone.
  'first-copy-with-all-marks',
  // What `backup` wrote, put in place by hand.
  'backup-by-hand',
  // journal.db alone is gone, or the whole data directory.
  'journal-gone',
  'folder-gone',
  // The data directory, whole or older, on another machine, with a terminal of its own or not; the first one is stopped.
  'second-machine',
  'second-machine-with-its-own-terminal',
  // Nothing is left anywhere, and a person begins anew.
  'nothing-left',
] as const;
type Mishap = (typeof mishaps)[number];

/** After these the bank is asked about several numbers in a row, so that it may forget what has failed. */
const searchesFar: readonly Mishap[] = [
  ...(['older-copy', 'older-copy-written-over', 'older-copy-with-mark'] as const),
  ...(['older-copy-with-mark-written-over', 'first-copy-with-all-marks', 'backup-by-hand'] as const),
  'journal-gone',
];

export interface JournalsPlan {
  readonly plan: Plan;
  readonly mishap: Mishap;
  /** Lives before the copy is taken, and before it takes the place of the journal. */
  readonly copiedBeforeLife: number;
  readonly mishapBeforeLife: number;
  /** The terminal of the settings in each life; the last one stays. */
  readonly terminals: readonly string[];
}

/** Nothing that keeps the bank from telling the truth, late at most: that is what the other shapes are for. */
const mildFaults: readonly FaultKind[] = [
  ...(['reply-lost', 'connection-closed', 'in-process', 'in-process-long', 'ends-failed'] as const),
  ...(['vague-moved', 'vague-unmoved', 'refused-payout', 'transfer-lost', 'http-429'] as const),
  ...(['question-lost', 'inquiry-code', 'not-sent', 'earlier-failed-items'] as const),
  ...(['refused-service', 'refused-service'] as const),
];

/** The bank keeps transfers by terminal. */
const terminalIds = ['TERM0001', 'TERM0002', 'TERM0003'] as const;

/**
 * One for each life. A person changes it now and then, back to no former one: nothing that is left of the journal but an
 * older backup would tell that there was another in between.
 * @param lastLife the last in which it may be another: whoever adopts a copy knows of no terminal that came after it
 */
function drawTerminals(dice: Dice, lives: number, lastLife: number): readonly string[] {
  let place = 0;
  return Array.from({ length: lives }, (_, life) => {
    if (life <= lastLife && dice.chance(0.4)) place = Math.min(place + 1, terminalIds.length - 1);
    return terminalIds[place] ?? terminalIds[0];
  });
}

/** Three lives in a row, one of which finds another journal than it left. */
export function drawJournalsPlan(dice: Dice): JournalsPlan {
  const usual = drawPlan(dice, 'simple');
  const { files } = drawPlan(dice, 'people');
  const mishap = dice.pick(mishaps);
  const isFirst = mishap === 'first-copy-with-all-marks';
  const copiedBeforeLife = isFirst ? 0 : dice.whole(0, 1);
  const mishapBeforeLife = dice.whole(Math.max(1, copiedBeforeLife), 2);
  const lives = Array.from({ length: 3 }, (_, place): PlannedLife => {
    // A night at least: on one day the bank refuses the same reference by itself. Whoever begins anew, though another
    // journal has paid, is saved by nothing but the question about today and yesterday.
    const isNight = place === mishapBeforeLife;
    const nightMs = (mishap === 'nothing-left' ? dice.whole(13, 15) : dice.whole(30, 80)) * hourMs;
    // What was refused before may go again on a day of its own.
    const shortMs = mishap !== 'nothing-left' && dice.chance(0.3) ? 26 * hourMs : dice.wide(60_000, hourMs);
    return {
      gapMs: isNight ? nightMs : shortMs,
      killAtStep: !isFirst && dice.chance(0.5) ? dice.whole(15, 120) : Infinity,
      interruptAfterMs: undefined,
    };
  });
  const faults = Object.fromEntries(
    Array.from({ length: dice.whole(0, 3) }, () => [dice.pick(mildFaults), dice.wide(20, 500) / 1_000]),
  );
  const plan: Plan = {
    ...usual,
    // Noon on the first day, so that the night after it is one.
    startMs: Date.UTC(2026, 10, 21, 5) + dice.whole(0, 4) * hourMs,
    // A report proves that its file was paid, not that another file with the same payoutIds was.
    files: files.slice(0, isFirst ? 1 : 3).map((file) => ({ ...file, fromLife: Math.min(file.fromLife, 1) })),
    lives,
    faults,
    closures: [],
    disturbances: [],
    bankOffsetMs: 0,
    dateOffsetMs: 0,
    inquiryDay: 'transfer-date',
    foreignPayoutIds: [],
    similarDays: 0,
    memory: { ...usual.memory, keepsMs: Infinity, ...(!searchesFar.includes(mishap) && allKept) },
    lie: 'none',
  };
  const terminals = drawTerminals(
    dice,
    lives.length,
    mishap.startsWith('second-machine') ? copiedBeforeLife : Infinity,
  );
  return { plan, mishap, copiedBeforeLife, mishapBeforeLife, terminals };
}

const silent = (): void => {};
const noLog = { debug: silent, info: silent, warn: silent, error: silent } as unknown as Logger;

const journalFiles = ['journal.db', 'journal.db-wal', 'journal.db-shm'];

/** Where a machine keeps its things; the outbox has a place of its own, as where it is a share. */
interface Machine {
  readonly dataDir: string;
  readonly loaded: LoadedSettings;
}

interface Opened {
  readonly store: Store;
  readonly db: DatabaseSync;
  readonly view: DiskView;
}

export class Journals implements SimulatedDisk {
  onWritten = silent;
  readonly #world: World;
  readonly #journals: JournalsPlan;
  readonly #root = mkdtempSync(join(tmpdir(), 'paydrop-journals-'));
  #machine: Machine;
  #opened: Opened | undefined;
  /** All that the settings have named so far: a person remembers them. */
  readonly #terminals = new Set<string>();

  constructor(world: World, journals: JournalsPlan) {
    this.#world = world;
    this.#journals = journals;
    this.#machine = this.#makeMachine('data', this.#terminalOf(0));
  }

  #terminalOf(place: number): string {
    const { terminals } = this.#journals;
    return terminals[Math.min(place, terminals.length - 1)] ?? terminalIds[0];
  }

  #makeMachine(name: string, termId: string): Machine {
    const at = (folder: string): string => join(this.#root, name, folder);
    const dataDir = at('journal');
    const folders = { inbox: at('inbox'), outbox: at('outbox'), archive: at('archive') };
    mkdirSync(folders.outbox, { recursive: true });
    const { settings } = loadSettings(this.#journals.plan);
    const changed = { ...settings, bank: { ...settings.bank, termId } };
    const journalUrl = { ok: true, secret: '', from: 'journal.url' };
    const parts = { settings: changed, dataDir, folders, isSandbox: false, journalUrl };
    const loaded = parts as unknown as LoadedSettings;
    return { dataDir, loaded };
  }

  get #present(): Opened {
    if (this.#opened === undefined) throw new Error('no journal is open');
    return this.#opened;
  }

  get journal(): Store {
    return this.#present.store;
  }

  get view(): DiskView {
    return this.#present.view;
  }

  findContradictions(): string[] {
    return findContradictions(join(this.#machine.dataDir, 'journal.db'));
  }

  /** What a process has from its folders. */
  async place(): Promise<Place> {
    const { loaded } = this.#machine;
    const { newSinceMs, missesSinceMs } = this.journal;
    // Nobody but the programs of the run writes there: what is listed is never old.
    const traces = new TraceSearch(loaded.folders, () => this.#world.nowMs);
    const loss = await this.journal.loss();
    const findTrace: NonNullable<Place['findTrace']> = async (inspection) =>
      this.#world.wait(traces.find(inspection, await this.journal.loss()));
    return { loaded, newSinceMs, missesSinceMs, loss, findTrace };
  }

  /** A report has been published. */
  publish = (fileName: string): void =>
    writeFileSync(join(this.#machine.loaded.folders.outbox, fileName), '');

  /** True where the outbox of the machine has a file of this name. */
  hasReport = (fileName: string): boolean => existsSync(join(this.#machine.loaded.folders.outbox, fileName));

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /** Before a life: what befalls the journal, and who opens it. @returns whether it is another one than before */
  async begin(place: number): Promise<'same' | 'another' | 'refused'> {
    return this.#world.wait(this.#begin(place));
  }

  async #begin(place: number): Promise<'same' | 'another' | 'refused'> {
    await this.close(true);
    const { mishap, copiedBeforeLife, mishapBeforeLife } = this.#journals;
    // Old enough that it asks nobody first, until it goes on elsewhere or after a loss.
    if (place === 0) await this.#init(this.#world.ourMs - 9 * dayMs);
    if (place === copiedBeforeLife) this.#copy();
    this.#changeTerminal(this.#terminalOf(place));
    const isMishap = place === mishapBeforeLife;
    if (isMishap) {
      this.#world.note(`the journal: ${mishap}`);
      this.#befall(mishap);
    }
    const isOpen =
      (await this.#open({})) ||
      (!isMishap && (await this.#open({ adopts: true }))) ||
      (await this.#goOn(mishap));
    if (!isOpen) return 'refused';
    return isMishap ? 'another' : 'same';
  }

  /** The settings name another terminal; a journal that was bound to one before waits for a person. */
  #changeTerminal(termId: string): void {
    const { loaded } = this.#machine;
    const { settings } = loaded;
    this.#terminals.add(settings.bank.termId).add(termId);
    this.#machine = {
      ...this.#machine,
      loaded: { ...loaded, settings: { ...settings, bank: { ...settings.bank, termId } } },
    };
  }

  async #init(nowMs: number, before: ReadonlySet<string> = new Set()): Promise<boolean> {
    const { dataDir, loaded } = this.#machine;
    if ((await findTraces(loaded.folders)).length > 0) return false;
    const stamp = describeIdentity(loaded);
    const sentFrom = [...before];
    await using _ = await openJournal({ dataDir, stamp, access: 'own', nowMs, sentFrom, creation: 'only' });
    return true;
  }

  /** @returns false when it is refused */
  async #open(ways: JournalWays): Promise<boolean> {
    const clock = { now: () => this.#world.ourMs } as Clock;
    try {
      const store = await openOwnJournal(this.#machine.loaded, noLog, clock, ways);
      const db = new DatabaseSync(join(this.#machine.dataDir, 'journal.db'), { readOnly: true });
      this.#opened = { store, db, view: makeView(db) };
      return true;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'JournalRefusedError') throw error;
      // A journal's id, by which marks are named, is another in each run.
      this.#world.note(`refused: ${error.message.replaceAll(this.#root, '').replace(/[0-9a-f-]{36}/, 'ID')}`);
      this.#world.figures.count(`journal-refused ${this.#journals.mishap}`);
      return false;
    }
  }

  /** What is kept for a bad day: the folder as it is, and what `backup` makes of it. */
  #copy(): void {
    const { dataDir, loaded } = this.#machine;
    cpSync(dataDir, this.#at('kept'), { recursive: true });
    cpSync(loaded.folders.outbox, this.#at('kept-outbox'), { recursive: true });
    backUpJournal(dataDir, this.#at('backup.db'), this.#world.ourMs);
  }

  #at(name: string): string {
    return join(this.#root, name);
  }

  #putBack(names: readonly string[], isWrittenOver: boolean): void {
    const { dataDir } = this.#machine;
    for (const name of names) {
      const path = join(dataDir, name);
      const kept = readIfThere(join(this.#at('kept'), name));
      if (kept === undefined || !isWrittenOver) rmSync(path, { force: true });
      if (kept === undefined) continue;
      // The number of a file that was removed is often given to the next one.
      if (!isWrittenOver) writeFileSync(join(dataDir, `taken-${name}`), '');
      writeFileSync(path, kept);
    }
  }

  #befall(mishap: Mishap): void {
    const { dataDir, loaded } = this.#machine;
    const { outbox } = loaded.folders;
    const isWrittenOver = mishap.endsWith('written-over');
    switch (mishap) {
      case 'older-copy':
      case 'older-copy-written-over':
        this.#putBack(journalFiles, isWrittenOver);
        return;
      case 'older-copy-with-mark':
      case 'older-copy-with-mark-written-over':
        this.#putBack([...journalFiles, 'journal.mark'], isWrittenOver);
        return;
      case 'first-copy-with-all-marks':
        for (const name of readdirSync(outbox)) if (name.endsWith('.mark')) rmSync(join(outbox, name));
        this.#putBack([...journalFiles, 'journal.mark'], true);
        return;
      case 'backup-by-hand':
        empty(dataDir);
        empty(outbox);
        cpSync(this.#at('backup.db'), join(dataDir, 'journal.db'));
        return;
      case 'journal-gone':
        for (const name of journalFiles) rmSync(join(dataDir, name), { force: true });
        return;
      case 'folder-gone':
        empty(dataDir);
        // The partner has fetched them.
        this.#takeReports();
        return;
      case 'second-machine':
        this.#moveTo(loaded.settings.bank.termId);
        return;
      case 'second-machine-with-its-own-terminal':
        this.#moveTo('TERM0004');
        return;
      case 'nothing-left':
        empty(dataDir);
        empty(outbox);
    }
  }

  /** The copies go on elsewhere; the machine before never does. */
  #moveTo(termId: string): void {
    this.#machine = this.#makeMachine('other', termId);
    cpSync(this.#at('kept'), this.#machine.dataDir, { recursive: true });
    cpSync(this.#at('kept-outbox'), this.#machine.loaded.folders.outbox, { recursive: true });
  }

  /** What a person does whose journal was refused. @returns false when nothing is sent any more */
  async #goOn(mishap: Mishap): Promise<boolean> {
    const since = formatBangkokDate(this.#journals.plan.startMs);
    const recovery = { sinceDate: since };
    const { dataDir, loaded } = this.#machine;
    // Whoever adopts what is older, or begins anew where something is left, is refused again.
    if (mishap.startsWith('second-machine'))
      return this.#open({ adopts: true, sentFrom: [...this.#terminals] });
    if (mishap === 'nothing-left')
      return (await this.#init(this.#world.ourMs, this.#terminals)) && (await this.#open({}));
    const isAdopted = this.#world.dice.chance(0.5) && (await this.#open({ adopts: true }));
    if (!isAdopted && mishap === 'folder-gone' && (await this.#init(this.#world.ourMs)))
      return this.#open({});
    // The reports stand in the way of those to come. Whoever adopts a journal is told of no others.
    this.#takeReports(isAdopted ? this.#knownBatches() : undefined);
    if (isAdopted) return true;
    if (mishap !== 'backup-by-hand') return this.#mustOpen({ recovery });
    placeBackup(join(dataDir, 'journal.db'), dataDir, describeIdentity(loaded), this.#world.ourMs);
    return this.#mustOpen({ recovery, restores: true });
  }

  /** @param batches those whose reports are taken away; undefined for all */
  #takeReports(batches?: readonly string[]): void {
    const { outbox } = this.#machine.loaded.folders;
    for (const name of readdirSync(outbox)) {
      const isMeant = batches?.some((batchId) => name.includes(`.${batchId}.`)) ?? true;
      if (isMeant && !name.endsWith('.mark')) rmSync(join(outbox, name));
    }
  }

  #knownBatches(): string[] {
    return this.#present.db
      .prepare('select batch_id from batch')
      .all()
      .map(({ batch_id: batchId }) => String(batchId));
  }

  /** Terminals are named once they are asked for. */
  async #mustOpen(ways: JournalWays): Promise<boolean> {
    if (await this.#open(ways)) return true;
    const isLost = ways.recovery !== undefined;
    if (isLost && (await this.#open({ ...ways, sentFrom: [...this.#terminals] }))) return true;
    this.#world.fail('a journal that is lost has no way on');
    return false;
  }

  async close(goesOn = false): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    opened?.db.close();
    await opened?.store[Symbol.asyncDispose]();
    if (!goesOn) rmSync(this.#root, { recursive: true, force: true });
  }
}

function empty(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
