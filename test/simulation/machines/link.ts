/**
 * A process's way to the database that several machines work: it delays, breaks, and loses the answers to commits, as
 * the engine on PostgreSQL meets it. One transaction writes at a time, over all processes.
 */
import type { Change } from '../../../src/core/ports.ts';
import type { WorkerStore } from '../../../src/payout/ports.ts';
import { leaseMs } from '../../../src/payout/rules/lease.ts';
import { JournalWriteError } from '../../../src/store/connection.ts';
import { journalReads } from '../disk.ts';
import type { Life, Machine, World } from '../world.ts';
import type { ClusterJournal, Database, OpenedJournal } from './database.ts';
import type { SeenJournal } from './past.ts';

/** How often each of these happens, as shares of all transactions. */
export interface LinkLuck {
  readonly slow: number;
  /** The connection breaks before the commit: nothing has happened, and it is tried again. */
  readonly cut: number;
  /** It was committed, and the answer is lost: the engine looks whether it was. */
  readonly answerLost: number;
  /** As before, and nobody answers that question in time: the caller is told that nobody knows. */
  readonly neverTold: number;
  /** A renewal of a lease was granted, and its process stands still before it hears of it. */
  readonly heldRenewals: number;
  /** A transfer is to be recorded as sent again, and its process stands still before it does. */
  readonly heldRepetitions: number;
  /** A row was looked at and is to be recorded as sent, and its process stands still before it does. */
  readonly heldIntents: number;
  /** A helper has recorded that it sends, and its process stands still until others have settled that, and longer. */
  readonly heldHelpers: number;
  /** A row was looked at and is to be recorded as sent, and a person cancels it before that is done. */
  readonly cancelledIntents: number;
}

export const noTrouble: LinkLuck = {
  slow: 0,
  cut: 0,
  answerLost: 0,
  neverTold: 0,
  heldRenewals: 0,
  heldRepetitions: 0,
  heldIntents: 0,
  heldHelpers: 0,
  cancelledIntents: 0,
};

/** Who writes now, and who waits: the lock of the journal. */
class WriteLock {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  async take(): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return;
    }
    await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

/** The server that all reach. */
export class Server {
  readonly world: World;
  readonly database: Database;
  readonly lock = new WriteLock();
  luck: LinkLuck;
  /** Nobody reaches it before this. */
  awayUntilMs = 0;
  readonly leases = new LeaseWatch();
  /** A person cancels these rows. */
  cancel: (seqs: readonly number[]) => Promise<void> = async () => {};
  /** A helper stands still with what it has recorded to be sent. */
  helperHeldUntilMs = 0;
  /** When each process has asked for rows last. */
  readonly #askedForRowsMs = new Map<Life, number>();
  /** The true time that its clock shows to the call under way. */
  shownAtMs = 0;
  /** Its clock less the true time. */
  readonly offsetMs: number;

  constructor(world: World, database: Database, luck: LinkLuck, offsetMs: number) {
    this.world = world;
    this.database = database;
    this.luck = luck;
    this.offsetMs = offsetMs;
  }

  get isHelperHeld(): boolean {
    return this.world.nowMs < this.helperHeldUntilMs;
  }

  noteAskedForRows(life: Life): void {
    this.#askedForRowsMs.set(life, this.world.nowMs);
  }

  /** By another process than this one. */
  wasAskedForRows(sinceMs: number, exceptBy: Life): boolean {
    return [...this.#askedForRowsMs].some(([life, atMs]) => life !== exceptBy && atMs >= sinceMs);
  }

  get isAway(): boolean {
    return this.world.nowMs < this.awayUntilMs;
  }

  /** One call after the other, while the time of the world stands still. @param atMs true time that its clock shows */
  async run<Result>(work: () => Promise<Result>, atMs = this.world.nowMs): Promise<Result> {
    this.world.diskCalls += 1;
    const before = this.#latest;
    const mine = before.then(async () => {
      this.shownAtMs = atMs;
      await this.database.showTime(atMs + this.offsetMs);
      return work();
    });
    this.#latest = mine.catch(() => undefined);
    return mine.finally(() => (this.world.diskCalls -= 1));
  }

  #latest: Promise<unknown> = Promise.resolve();

  /** Something may have been written. */
  async noteWritten(): Promise<void> {
    const { database } = this;
    if (database.refresh !== undefined) await this.run(async () => database.refresh?.());
    database.onWritten();
  }
}

const changesName = 'changes';
/** Commits by which the mark of a machine is brought up to date. */
const notedNames: ReadonlySet<string> = new Set([changesName, 'seal', 'moveBatch']);

type Method = (...asked: readonly unknown[]) => Promise<unknown>;
type Methods = Readonly<Record<string, Method>>;

/** As long as the engine tries to reach a server that is away. */
const awayMaxMs = 60_000;
/** So long a transaction of a process that stands still may last. */
const idleMaxMs = 5_000;
/** The connections of a process that was killed last so long. */
const diesOutMs = 10_000;
/** What is not answered soon fails. */
const soonMs = 3_000;

const readsOfCluster: ReadonlySet<string> = new Set(
  [...journalReads].concat(
    ...(
      'runnableBatches unreportedBatches untoldBatches attemptWaitMs workers abandonedBatches wasAnswered readLimits ' +
      'shardsElsewhere countUnderWayElsewhere'
    ).split(' '),
  ),
);
const asides: ReadonlySet<string> = new Set(['renew', 'endWorker', 'endShard', 'endProbe']);

const unreachable = (): JournalWriteError =>
  new JournalWriteError('the database does not answer: look at that server', {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  });

/** Shorter than a lease, or longer. */
const heldMs = [4_000, 30_000] as const;
/** Whoever runs a batch asks for its rows more often, as a rule. */
const aloneMs = 20_000;
/** Longer than a lease, and than until a not-found is trusted. */
const heldHelperMs = [200_000, 400_000] as const;
/** Whoever may be renewed is, so long after it has woken. */
const renewedMs = 3_000;

/** A call of `apply` that waits for its transaction. */
interface Gathered {
  readonly changes: readonly Change[];
  readonly askedAtMs: number;
  readonly resolve: (applied: readonly boolean[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** Told of the changes that were applied, before anybody else is. */
export type OnApplied = (
  changes: readonly Change[],
  life: Life,
  times: { readonly askedAtMs: number; readonly beganAtMs: number },
) => void;

/** The leases that each process was granted, as the server sees them: what it believes itself is its own affair. */
class LeaseWatch {
  /** By process and worker: until when, by the true time. */
  readonly #until = new Map<Life, Map<number, number>>();
  /** The leases by which somebody sends. */
  readonly #senders = new Set<number>();

  /** @returns true when two have the sender's place by it */
  grant(life: Life, workerId: number, nowMs: number, isSender = this.#senders.has(workerId)): boolean {
    if (isSender) this.#senders.add(workerId);
    const isTwice =
      isSender &&
      [...this.#until.values()].some((leases) =>
        [...leases].some(([id, untilMs]) => id !== workerId && this.#senders.has(id) && nowMs < untilMs),
      );
    const own = this.#until.get(life) ?? new Map<number, number>();
    this.#until.set(life, own.set(workerId, nowMs + leaseMs));
    return isTwice;
  }

  /** The tables of who works the journal are older by now, and give their numbers out again. */
  forgetAll(): void {
    this.#senders.clear();
    this.#until.clear();
  }

  end(life: Life, workerId: number): void {
    this.#until.get(life)?.delete(workerId);
  }

  /** Those that have said that nothing of them is under way any more. */
  readonly gaveBack = new Set<Life>();

  isRunning(life: Life, nowMs: number): boolean {
    return [...(this.#until.get(life)?.values() ?? [])].some((untilMs) => nowMs < untilMs);
  }
}

/** Whatever is called when a life ends, one after the other. */
export function onDeath(life: Life, then: () => void): void {
  const before = life.onKill;
  life.onKill = () => {
    before();
    then();
  };
}

export class Link {
  readonly journal: ClusterJournal;
  readonly workers: WorkerStore;
  readonly #server: Server;
  readonly #life: Life;
  readonly #opened: OpenedJournal;
  readonly #onApplied: OnApplied;
  readonly #seen: SeenJournal<Machine> | undefined;
  #gathered: Gathered[] | undefined;
  /** It has a place as a helper, and no other yet. */
  #helps = false;
  /** Ends what the server holds for this process. */
  readonly #open = new Set<() => void>();

  /** @param seen what its process has seen of the journal; left out of a person's, and where nothing is put back */
  constructor(
    server: Server,
    life: Life,
    opened: OpenedJournal,
    onApplied: OnApplied,
    seen?: SeenJournal<Machine>,
  ) {
    this.#seen = seen;
    this.#server = server;
    this.#life = life;
    this.#opened = opened;
    this.#onApplied = onApplied;
    onDeath(life, () => {
      for (const end of this.#open) end();
      // What it has asked for is done by the server all the same.
      server.world.after(diesOutMs, 'its connections end', undefined, () => {
        void server.run(() => opened.close()).catch(() => undefined);
      });
    });
    const journal = this.#wrap(opened.journal as unknown as Methods);
    this.journal = {
      ...(journal as unknown as ClusterJournal),
      apply: (changes) => this.#apply(changes),
      // Outside the journal.
      keepSeal: async (...asked) => server.run(() => opened.journal.keepSeal(...asked)),
      snapshot: () => this.#openSnapshot(),
      ...(seen && {
        requireNothingLost: async () =>
          void (await this.#read('marks', async () => seen.requireNothingLost())),
        // Known to the process.
        knownLoss: opened.journal.knownLoss,
      }),
      [Symbol.asyncDispose]: async () => {},
    };
    this.workers = this.#wrap(this.#watched(opened.workers) as unknown as Methods) as unknown as WorkerStore;
  }

  /** Whatever is granted is noted at the moment at which the server grants it. */
  #watched(workers: WorkerStore): WorkerStore {
    const { leases, world } = this.#server;
    const grant = (workerId: number, isSender?: boolean): void => {
      if (leases.grant(this.#life, workerId, this.#server.shownAtMs, isSender))
        world.fail(`${this.#life.name} has the sender's place, and another has it too`);
    };
    return {
      ...workers,
      takeSenderPlace: async (name) => {
        const place = await workers.takeSenderPlace(name);
        if (place.kind === 'taken') {
          grant(place.workerId, true);
          this.#helps = false;
        }
        return place;
      },
      joinAsHelper: async (name) => {
        const workerId = await workers.joinAsHelper(name);
        grant(workerId);
        this.#helps = true;
        return workerId;
      },
      renew: async (workerId) => {
        const isGranted = await workers.renew(workerId);
        if (isGranted) grant(workerId);
        else leases.end(this.#life, workerId);
        return isGranted;
      },
      endWorker: async (workerId) => {
        await workers.endWorker(workerId);
        leases.gaveBack.add(this.#life);
        leases.end(this.#life, workerId);
      },
    };
  }

  #wrap(methods: Methods): Methods {
    const wrapped = Object.entries(methods).map(([name, method]): [string, Method] => {
      if (typeof method !== 'function') return [name, method];
      if (readsOfCluster.has(name)) return [name, (...asked) => this.#read(name, () => method(...asked))];
      if (asides.has(name)) return [name, (...asked) => this.#aside(name, () => method(...asked))];
      return [name, (...asked) => this.#write(name, () => method(...asked))];
    });
    return Object.fromEntries(wrapped);
  }

  /** After a while, if the process lives; later, if it stands still. */
  async #wait(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => void this.#server.world.after(ms, label, this.#life, resolve));
  }

  /**
   * Waits until the server is there.
   * @throws JournalWriteError when it is away for too long
   * @throws JournalRefusedError when it was put back to an older copy
   */
  async #reach(): Promise<void> {
    const { world, awayUntilMs } = this.#server;
    if (this.#server.isAway) {
      const endsAtMs = world.nowMs + awayMaxMs;
      await this.#wait(Math.min(awayUntilMs, endsAtMs) - world.nowMs + 1, 'tries the database again');
      if (this.#server.isAway) {
        world.figures.count('database-unreachable');
        throw unreachable();
      }
    }
    this.#seen?.reconnect();
  }

  async #read(name: string, work: () => Promise<unknown>): Promise<unknown> {
    await this.#reach();
    await this.#wait(this.#server.world.dice.whole(0, 2), `reads ${name}`);
    // The connection may have gone while it stood still.
    this.#seen?.reconnect();
    return this.#server.run(work);
  }

  /** One row of its own, which waits for nobody who writes. */
  async #aside(name: string, work: () => Promise<unknown>): Promise<unknown> {
    const { world } = this.#server;
    if (this.#server.isAway) {
      await this.#wait(world.dice.chance(0.5) ? 1 : soonMs, `fails to ${name}`);
      throw unreachable();
    }
    this.#seen?.reconnect();
    const done = await new Promise<Promise<unknown>>((resolve, reject) => {
      // The server does it, whatever has become of whoever asked.
      world.after(world.dice.whole(0, 2), `the database does ${name}`, undefined, () => {
        if (this.#seen?.isConnected === false) reject(unreachable());
        else resolve(this.#server.run(work));
      });
    });
    this.#server.database.onWritten();
    if (name === 'renew' && world.dice.chance(this.#server.luck.heldRenewals))
      world.freeze(this.#life, world.dice.wide(...heldMs));
    await this.#wait(world.dice.whole(0, 2), `is told of ${name}`);
    return done;
  }

  /** One transaction, as the engine tries it. */
  async #write(name: string, work: (beganAtMs: number) => Promise<unknown>): Promise<unknown> {
    if (name === 'claimShard') this.#server.noteAskedForRows(this.#life);
    for (;;) {
      await this.#reach();
      const ended = await this.#transact(name, work);
      if (ended !== 'not-committed') return ended.done;
    }
  }

  async #transact(
    name: string,
    work: (beganAtMs: number) => Promise<unknown>,
  ): Promise<{ readonly done: unknown } | 'not-committed'> {
    const { world, luck, lock } = this.#server;
    await this.#wait(world.dice.whole(0, 2), `begins ${name}`);
    await lock.take();
    const beganAtMs = world.nowMs;
    const holdMs = world.dice.chance(luck.slow) ? world.dice.wide(10, 4_000) : world.dice.whole(0, 3);
    const isCommitted = await this.#hold(name, holdMs);
    if (!isCommitted) return 'not-committed';
    const done = this.#server.run(() => work(beganAtMs), beganAtMs);
    // Nobody is told of what it throws before its answer is there.
    await done.catch(() => undefined);
    const present = this.#server.database.putBack?.readProgress();
    lock.release();
    // Changes are looked at one after the other.
    if (name !== changesName) await this.#server.noteWritten();
    await this.#hearOfCommit(name);
    if (present !== undefined && notedNames.has(name)) this.#seen?.note(present);
    return { done: await done };
  }

  /** Holds the lock for a while. @returns false when the transaction has ended without its commit: it holds nothing then */
  async #hold(name: string, holdMs: number): Promise<boolean> {
    const { world, lock, luck } = this.#server;
    if (!this.#life.isAlive) {
      lock.release();
      return new Promise(() => {});
    }
    return new Promise((resolve) => {
      const end = (): void => {
        this.#open.delete(end);
        world.cancel(commit);
        world.cancel(idle);
        lock.release();
      };
      const commit = world.after(holdMs, `commits ${name}`, this.#life, () => {
        world.cancel(idle);
        this.#open.delete(end);
        const isGone = this.#seen?.isConnected === false;
        const isCut = this.#server.isAway || isGone || world.dice.chance(luck.cut);
        if (isCut) lock.release();
        if (isCut) world.figures.count('transaction-cut');
        resolve(!isCut);
      });
      const idle = world.after(holdMs + idleMaxMs, `the database ends ${name}`, undefined, () => {
        world.figures.count('transaction-idle');
        end();
        world.after(0, `finds ${name} ended`, this.#life, () => resolve(false));
      });
      this.#open.add(end);
    });
  }

  /** The answer to a commit comes, or what has become of it is looked up. */
  async #hearOfCommit(name: string): Promise<void> {
    const { world, luck } = this.#server;
    if (world.dice.chance(luck.answerLost)) {
      world.figures.count('commit-answer-lost');
      await this.#wait(world.dice.wide(50, 20_000), `looks whether ${name} was committed`);
      this.#seen?.reconnect();
    } else if (world.dice.chance(luck.neverTold)) {
      world.figures.count('commit-never-told');
      await this.#wait(awayMaxMs, `never hears of ${name}`);
      throw unreachable();
    } else await this.#wait(world.dice.whole(0, 2), `is told of ${name}`);
  }

  /** Calls that come while the transaction before them has not begun share one. */
  async #apply(changes: readonly Change[]): Promise<readonly boolean[]> {
    return new Promise((resolve, reject) => {
      const call = { changes, askedAtMs: this.#server.world.nowMs, resolve, reject };
      if (this.#gathered === undefined) {
        this.#gathered = [call];
        void this.#commitGathered(this.#gathered);
      } else this.#gathered.push(call);
    });
  }

  /** After the last look at what is to be sent, in some runs. */
  #standStill(changes: readonly Change[]): void {
    const { world, luck } = this.#server;
    const isRepetition = changes.some((change) => change.isRepetition === true);
    const isIntent = changes.some((change) => change.isIntent === true);
    const isHeld =
      (isRepetition && world.dice.chance(luck.heldRepetitions)) ||
      (isIntent && world.dice.chance(luck.heldIntents));
    if (isHeld) world.freeze(this.#life, world.dice.wide(...heldMs));
  }

  /** After the last look at what is to be sent, in some runs: the row is not what it was when that is recorded. */
  async #letPersonCancel(changes: readonly Change[]): Promise<void> {
    const { world, luck } = this.#server;
    const intents = changes.filter(({ isIntent }) => isIntent === true);
    if (intents.length === 0 || !world.dice.chance(luck.cancelledIntents)) return;
    world.figures.count('intent-cancelled');
    await this.#server.cancel(intents.map(({ before }) => before.seq));
  }

  /**
   * A helper stands still with what it has recorded, in some runs, until others have settled that and longer. Its place is
   * not taken where nobody else looks for rows.
   */
  async #standStillLong(recorded: readonly Change[]): Promise<void> {
    const server = this.#server;
    const { world, luck } = server;
    if (!this.#helps || server.isHelperHeld || !recorded.some(({ isIntent }) => isIntent === true)) return;
    if (!world.dice.chance(luck.heldHelpers)) return;
    const sinceMs = world.nowMs;
    server.helperHeldUntilMs = sinceMs + aloneMs;
    await this.#wait(aloneMs, 'hears late of what it has recorded');
    if (server.wasAskedForRows(sinceMs, this.#life)) return;
    const ms = world.dice.wide(...heldHelperMs);
    server.helperHeldUntilMs = world.nowMs + ms;
    // By a clock that is set back meanwhile what it has recorded is not old.
    const isOff = world.machineOf(this.#life).clockOffsetMs !== 0;
    world.freeze(this.#life, ms, isOff ? 'set-back' : 'stopped');
    world.figures.count('helper-held');
    await this.#wait(ms + renewedMs, 'goes on with what it has recorded');
  }

  async #commitGathered(calls: readonly Gathered[]): Promise<void> {
    const recorded: Change[] = [];
    const work = async (beganAtMs: number): Promise<PromiseSettledResult<readonly boolean[]>[]> => {
      if (this.#gathered === calls) this.#gathered = undefined;
      const ends: PromiseSettledResult<readonly boolean[]>[] = [];
      // One after the other, so that each is looked at before the next, which may halt the account.
      for (const { changes, askedAtMs } of calls) {
        const [end] = await Promise.allSettled([this.#opened.journal.apply(changes)]);
        ends.push(end);
        if (end.status !== 'fulfilled') continue;
        const applied = changes.filter((_change, one) => end.value[one] === true);
        this.#onApplied(applied, this.#life, { askedAtMs, beganAtMs });
        recorded.push(...applied);
        await this.#server.database.refresh?.();
        this.#server.database.onWritten();
      }
      return ends;
    };
    const asked = calls.flatMap(({ changes }) => changes);
    this.#standStill(asked);
    try {
      if (this.#server.luck.cancelledIntents > 0) await this.#letPersonCancel(asked);
      const ends = (await this.#write(changesName, work)) as PromiseSettledResult<readonly boolean[]>[];
      if (this.#server.luck.heldHelpers > 0) await this.#standStillLong(recorded);
      for (const [place, { resolve, reject }] of calls.entries()) {
        const end = ends[place] as PromiseSettledResult<readonly boolean[]>;
        if (end.status === 'fulfilled') resolve(end.value);
        else reject(end.reason);
      }
    } catch (error) {
      if (this.#gathered === calls) this.#gathered = undefined;
      for (const { reject } of calls) reject(error);
    }
  }

  /** A view: each look at it takes real time where the database is real, and none of the world's. */
  async #openSnapshot(): ReturnType<ClusterJournal['snapshot']> {
    await this.#reach();
    const server = this.#server;
    const taken = await server.run(() => this.#opened.journal.snapshot());
    return {
      eventSeq: taken.eventSeq,
      batch: (...asked) => server.run(() => taken.batch(...asked)),
      totals: (...asked) => server.run(() => taken.totals(...asked)),
      holdTotals: (...asked) => server.run(() => taken.holdTotals(...asked)),
      otherReferences: (...asked) => server.run(() => taken.otherReferences(...asked)),
      async *resultRows(...asked) {
        const rows = taken.resultRows(...asked)[Symbol.asyncIterator]();
        for (;;) {
          const next = await server.run(async () => rows.next());
          if (next.done === true) return;
          yield next.value;
        }
      },
      [Symbol.asyncDispose]: () => server.run(async () => taken[Symbol.asyncDispose]()),
    };
  }
}
