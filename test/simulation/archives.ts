/**
 * Real journals whose batches are moved into archives beside them between two lives, by the program's own code, with
 * kills at its steps; files that name archived payoutIds, people and statements bring them back.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { moveDue } from '../../src/app/archive.ts';
import { computeArchivePolicy } from '../../src/payout/rules/archive.ts';
import { findArchive } from '../../src/store/archive/move.ts';
import { openConnection } from '../../src/store/connection.ts';
import { openJournal } from '../../src/store/open.ts';
import { drive } from '../../src/store/statements.ts';
import { makeJournal, type Store } from '../../src/store/store.ts';
import type { Dice } from '../support/dice.ts';
import { findContradictions } from '../support/store-consistency.ts';
import type { DiskView } from './disk-view.ts';
import type { SimulatedDisk } from './memory/disk.ts';
import { drawPlan, type Act, type Plan, type PlannedLife } from './plan.ts';
import { company } from './process.ts';
import { makeView } from './sqlite-disk.ts';
import type { World } from './world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const steps = ['copied', 'verified', 'named', 'removed', 'committed'] as const;

/** What comes before a life. */
export interface ArchiveRound {
  /** At which step of the move of a batch the program is killed, if at any. */
  readonly killedAt: (typeof steps)[number] | undefined;
  /** What people do then. */
  readonly acts: readonly Act[];
}

export interface ArchivesPlan {
  readonly plan: Plan;
  readonly rounds: readonly ArchiveRound[];
}

const acts: readonly Act[] = [
  ...(['retry-payout', 'retry-payout', 'retry-batch', 'resume-batch', 'cancel-payout'] as const),
];

/** Days between the lives, so that what is done may go; the files name the payoutIds of one another. */
export function drawArchivesPlan(dice: Dice): ArchivesPlan {
  const usual = drawPlan(dice, 'simple');
  const { files } = drawPlan(dice, 'people');
  const lives = Array.from({ length: 4 }, (_, place): PlannedLife => ({
    gapMs: place === 0 ? 0 : dice.whole(50, 80) * hourMs,
    killAtStep: dice.chance(0.2) ? dice.whole(15, 120) : Infinity,
    interruptAfterMs: undefined,
  }));
  const rounds = lives.map((): ArchiveRound => ({
    killedAt: dice.chance(0.4) ? dice.pick(steps) : undefined,
    acts: Array.from({ length: dice.whole(0, 2) }, () => dice.pick(acts)),
  }));
  const plan: Plan = {
    ...usual,
    startMs: Date.UTC(2026, 10, 21, 3) + dice.whole(0, 8) * hourMs,
    files: files.map((file, place) => ({ ...file, fromLife: Math.min(place, 3) })),
    lives,
    faults: { 'refused-payout': 0.4, 'check-code': 0.05, 'in-process': 0.2, 'reply-lost': 0.1 },
    closures: [],
    disturbances: [],
    bankOffsetMs: 0,
    dateOffsetMs: 0,
    inquiryDay: 'any',
    foreignPayoutIds: [],
    similarDays: 0,
    consecutiveFailures: 1_000,
    inDoubtMax: 200,
    lie: 'none',
  };
  return { plan, rounds };
}

class Killed extends Error {
  override readonly name = 'Killed';
}

/** Rows wherever they stand. */
function makeWholeView(db: DatabaseSync, path: string): DiskView & { readonly close: () => void } {
  const journal = makeView(db);
  const isThere = db.prepare('select 1 from payout where seq = ?');
  const batchOf = db.prepare('select batch_id from archived_rows where ? between first_seq and last_seq');
  const used = db.prepare('select payout_seq from used_reference where trans_ref_no = ?');
  const archives = new Map<string, { readonly db: DatabaseSync; readonly view: DiskView }>();
  const viewOf = (seq: number): DiskView => {
    if (isThere.get(seq) !== undefined) return journal;
    const found = drive(db, findArchive(path, String(batchOf.get(seq)?.['batch_id'])));
    if (found === undefined) throw new Error(`row ${seq} is nowhere`);
    const known = archives.get(found.path);
    if (known !== undefined) return known.view;
    const archive = new DatabaseSync(found.path, { readOnly: true });
    const view = makeView(archive);
    archives.set(found.path, { db: archive, view });
    return view;
  };
  return {
    ...journal,
    row: (seq) => viewOf(seq).row(seq),
    attempts: (transRefNo) => {
      const archived = used.all(transRefNo).map((found) => viewOf(Number(found['payout_seq'])));
      const found = [journal, ...new Set(archived)].flatMap((view) => view.attempts(transRefNo));
      return found.toSorted((one, other) => one.attemptNo - other.attemptNo);
    },
    close: () => {
      for (const archive of archives.values()) archive.db.close();
    },
  };
}

/** One journal with its archives. */
export class Archives implements SimulatedDisk {
  onWritten = (): void => {};
  readonly recalls = true;
  readonly #world: World;
  readonly #archives: ArchivesPlan;
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'paydrop-archives-'));
  readonly #stamp = { bankAddress: 'https://bank.example', companyId: company.companyId, isSandbox: false };
  #opened: { readonly store: Store; readonly db: DatabaseSync } | undefined;
  #view: ReturnType<typeof makeWholeView> | undefined;

  constructor(world: World, archives: ArchivesPlan) {
    this.#world = world;
    this.#archives = archives;
  }

  get #path(): string {
    return join(this.#dataDir, 'journal.db');
  }

  get journal(): Store {
    if (this.#opened === undefined) throw new Error('no journal is open');
    return this.#opened.store;
  }

  get view(): DiskView {
    const now = (): DiskView => {
      if (this.#view === undefined) throw new Error('no journal is open');
      return this.#view;
    };
    return {
      isOpen: (seq) => now().isOpen(seq),
      attempts: (transRefNo) => now().attempts(transRefNo),
      row: (seq) => now().row(seq),
      eventsAfter: (seq) => now().eventsAfter(seq),
      proposal: (proposalId) => now().proposal(proposalId),
      proposals: () => now().proposals(),
      resumes: () => now().resumes(),
    };
  }

  async open(): Promise<void> {
    const nowMs = this.#world.ourMs;
    const store = await openJournal({ dataDir: this.#dataDir, stamp: this.#stamp, access: 'own', nowMs });
    const db = new DatabaseSync(this.#path, { readOnly: true });
    this.#opened = { store, db };
    this.#view = makeWholeView(db, this.#path);
  }

  async #shut(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#view?.close();
    opened?.db.close();
    await opened?.store[Symbol.asyncDispose]();
  }

  roundBefore(life: number): ArchiveRound {
    return this.#archives.rounds[life] ?? { killedAt: undefined, acts: [] };
  }

  /** `paydrop archive` with nobody else at work, which may be killed, and whoever opens the journal after it. */
  async archive({ killedAt }: Pick<ArchiveRound, 'killedAt'>): Promise<void> {
    this.#world.diskCalls += 1;
    try {
      await this.#shut();
      await this.#move(killedAt);
      await this.open();
    } finally {
      this.#world.diskCalls -= 1;
    }
  }

  async #move(killedAt: ArchiveRound['killedAt']): Promise<void> {
    const { ourMs, figures } = this.#world;
    const { similarDays, policy: settle } = this.#archives.plan;
    const limits = { similarDays, likeFileDays: 0, giveUpAfterMs: settle.giveUpAfterMs };
    const policy = computeArchivePolicy(ourMs, limits, ourMs);
    await using journal = makeJournal({
      db: openConnection(this.#path),
      path: this.#path,
      journalId: '',
      onArchiveStep: (step) => {
        if (step === killedAt) throw new Killed();
      },
    });
    try {
      const clock = { now: () => ourMs };
      const { moved } = await moveDue(journal, {
        policy,
        clock,
        isDryRun: false,
        stop: new AbortController().signal,
      });
      this.#world.note(`archived: ${moved.map(({ fileName }) => fileName).join(', ')}`);
      figures.count('batch-archived', moved.length);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.#world.note(`archive is killed: ${killedAt ?? ''}`);
      figures.count(`archive-killed ${killedAt ?? ''}`);
    }
  }

  /** All that was archived stands in the journal again. */
  async recallAll(): Promise<void> {
    const ids = (await this.journal.batches()).map(({ batchId }) => batchId);
    await this.journal.recall('batch', ids, this.#world.ourMs);
  }

  /** Of a journal into which everything has come back. */
  findContradictions(): string[] {
    using db = new DatabaseSync(this.#path, { readOnly: true });
    const isAway = db.prepare('select 1 from archived_batch limit 1').get() !== undefined;
    return isAway ? [] : findContradictions(this.#path);
  }

  async close(): Promise<void> {
    await this.#shut();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}
