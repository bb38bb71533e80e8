/**
 * A process's way to the journal. Nothing is written before its sync; what waits for it when the process is killed is
 * lost, or reaches the disk without anybody being told.
 */
import type { Change } from '../../src/core/ports.ts';
import type { HistoryReader } from '../../src/payout/ports.ts';
import type { StatementStore } from '../../src/reconcile/ports.ts';
import type { ApprovalStore, ProposalStore, QueueStore } from '../../src/review/ports.ts';
import type { Journal } from '../../src/store/store.ts';
import type { SimulatedBank } from './bank.ts';
import type { Plan } from './plan.ts';
import type { Life, World } from './world.ts';

/** What the program asks of a journal in these runs. */
export type SimulatedJournal = Journal &
  StatementStore &
  ProposalStore &
  ApprovalStore &
  HistoryReader &
  Pick<QueueStore, 'haltedWithPayer' | 'resumePayer'>;

/** The journal itself, and what of it can be seen at any moment. */
export interface Disk {
  readonly journal: SimulatedJournal;
  /** Told after each write. */
  onWritten: () => void;
  /** What is read may have to be brought back from an archive first, which takes real time. */
  readonly recalls?: boolean;
}

/** Methods that only look: they see what is synced, at once. All others write. */
export const journalReads: ReadonlySet<string> = new Set(
  (
    'batches batch totals holdTotals readyPage dueInquiries nextInquiryAtMs inDoubt countInDoubt superseded ' +
    'attemptsOf payout findPayouts similarHolders claimHolders similarPayment dayUse payeeUse isPayeeKnown payerHalt payerPause loss terminals reports snapshot readSeal ' +
    'openStatementView openDeferred statement statementVersions brokenOff breaksToShow openBreaks dueReports ' +
    'history proposal proposals proposalItems openItems haltedWithPayer approvalOf handsOf involvedIn goingOn'
  ).split(' '),
);

/** A write that waits for its sync. */
interface Waiting {
  readonly write: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

type Method = (...asked: readonly unknown[]) => Promise<unknown>;

class DiskFullError extends Error {
  override readonly name = 'DiskFullError';
}

export const isDiskFull = (error: unknown): boolean => error instanceof DiskFullError;

/** Told of every call of `apply`, before anything of it is written. */
export type OnAsked = (changes: readonly Change[], life: Life) => void;

/** What befalls the writes of a process. */
export interface DiskLuck {
  /** True when such a fault happens now. */
  roll(kind: 'commit-slow' | 'disk-full'): boolean;
  /** Of what waits when its process is killed, the share that has reached the disk. */
  readonly untoldShare: number;
  /** Told after each write. */
  readonly onWritten: () => void;
}

/** What one process has written, or is about to. */
export class DelayedWrites {
  readonly #world: World;
  readonly #life: Life;
  readonly #luck: DiskLuck;
  /** In the order of the calls. */
  #waiting: Waiting[] = [];
  #isCommitDue = false;

  constructor(world: World, life: Life, luck: DiskLuck) {
    this.#world = world;
    this.#life = life;
    this.#luck = luck;
    life.onKill = () => this.#crash();
  }

  #syncMs(): number {
    const { dice } = this.#world;
    return this.#luck.roll('commit-slow') ? dice.wide(10, 30_000) : dice.whole(0, 3);
  }

  /** A transaction of its own. */
  async writeAlone(name: string, write: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { write, resolve, reject };
      this.#waiting.push(waiting);
      this.#world.after(this.#syncMs(), `writes ${name}`, this.#life, () => this.#sync([waiting]));
    });
  }

  /** Calls that come close together share one commit. */
  async commitSoon(write: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = { write, resolve, reject, isGathered: true };
      this.#waiting.push(waiting);
      if (this.#isCommitDue) return;
      this.#isCommitDue = true;
      this.#world.after(this.#syncMs(), 'commits', this.#life, () => {
        this.#isCommitDue = false;
        this.#sync(this.#waiting.filter((one) => 'isGathered' in one));
      });
    });
  }

  #sync(writes: readonly Waiting[]): void {
    this.#waiting = this.#waiting.filter((one) => !writes.includes(one));
    if (this.#luck.roll('disk-full')) {
      for (const { reject } of writes) reject(new DiskFullError('no space left on device'));
      return;
    }
    for (const one of writes) this.#write(one);
  }

  #write({ write, resolve, reject }: Waiting): void {
    this.#reach(write).then(resolve, reject);
  }

  async #reach(write: Waiting['write']): Promise<unknown> {
    const world = this.#world;
    world.diskCalls += 1;
    try {
      return await write();
    } finally {
      world.diskCalls -= 1;
      this.#luck.onWritten();
    }
  }

  /** The process has been killed: some of what waited may have reached the disk, in the order of the calls. */
  #crash(): void {
    const { dice, figures } = this.#world;
    const lost = this.#waiting.findIndex(() => !dice.chance(this.#luck.untoldShare));
    const reaching = lost === -1 ? this.#waiting : this.#waiting.slice(0, lost);
    figures.count('commit-untold', reaching.length);
    figures.count('commit-lost', this.#waiting.length);
    this.#waiting = [];
    void this.#reachInTurn(reaching);
  }

  /** One by one: who looks at the disk sees it after each of them. */
  async #reachInTurn(waiting: readonly Waiting[]): Promise<void> {
    this.#world.diskCalls += 1;
    for (const { write } of waiting) await this.#reach(write).catch(() => {});
    this.#world.diskCalls -= 1;
  }
}

export class Connection {
  readonly journal: SimulatedJournal;

  constructor(world: World, plan: Plan, bank: SimulatedBank, disk: Disk, life: Life, onAsked: OnAsked) {
    const { untoldShare } = plan;
    const writes = new DelayedWrites(world, life, {
      roll: (kind) => bank.roll(kind),
      untoldShare,
      onWritten: () => disk.onWritten(),
    });
    const delay =
      (name: string, method: Method): Method =>
      async (...asked) =>
        writes.writeAlone(name, () => method(...asked));
    const methods = Object.entries(disk.journal as unknown as Record<string, Method>).map(
      ([name, method]) => [name, journalReads.has(name) ? method : delay(name, method)],
    );
    const apply = async (changes: readonly Change[]): Promise<readonly boolean[]> => {
      onAsked(changes, life);
      return writes.commitSoon(() => disk.journal.apply(changes)) as Promise<readonly boolean[]>;
    };
    const attemptsOf: Journal['attemptsOf'] = async (...asked) => {
      world.diskCalls += 1;
      return disk.journal.attemptsOf(...asked).finally(() => (world.diskCalls -= 1));
    };
    const keepSeal: Journal['keepSeal'] = async (...asked) => {
      // Outside the journal, so that no sync of ours is waited for; where the folders are real, time stands still.
      world.diskCalls += 1;
      await disk.journal.keepSeal(...asked).finally(() => (world.diskCalls -= 1));
    };
    const snapshot: Journal['snapshot'] = async () => {
      const taken = await disk.journal.snapshot();
      // The real one yields to the event loop: meanwhile time stands still.
      const otherReferences: typeof taken.otherReferences = async (...asked) => {
        world.diskCalls += 1;
        return taken.otherReferences(...asked).finally(() => (world.diskCalls -= 1));
      };
      return { ...taken, otherReferences };
    };
    const close = async (): Promise<void> => {};
    this.journal = {
      ...(Object.fromEntries(methods) as unknown as Disk['journal']),
      ...(disk.recalls === true && { attemptsOf }),
      apply,
      keepSeal,
      snapshot,
      [Symbol.asyncDispose]: close,
    };
  }
}
