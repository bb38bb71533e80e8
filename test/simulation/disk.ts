/**
 * A process's way to the journal. Nothing is written before its sync; what waits for it when the process is killed is
 * lost, or reaches the disk without anybody being told.
 */
import type { Change } from '../../src/core/ports.ts';
import type { HistoryReader } from '../../src/payout/ports.ts';
import type { StatementStore } from '../../src/reconcile/ports.ts';
import type { ApprovalStore, ProposalStore } from '../../src/review/ports.ts';
import type { Journal } from '../../src/store/store.ts';
import type { SimulatedBank } from './bank.ts';
import type { Plan } from './plan.ts';
import type { Life, World } from './world.ts';

/** What the program asks of a journal in these runs. */
export type SimulatedJournal = Journal & StatementStore & ProposalStore & ApprovalStore & HistoryReader;

/** The journal itself, and what of it can be seen at any moment. */
export interface Disk {
  readonly journal: SimulatedJournal;
  /** Told after each write. */
  onWritten: () => void;
  /** What is read may have to be brought back from an archive first, which takes real time. */
  readonly recalls?: boolean;
}

/** Methods that only look: they see what is synced, at once. All others write. */
const reads: ReadonlySet<string> = new Set(
  (
    'batches batch totals holdTotals readyPage dueInquiries nextInquiryAtMs inDoubt countInDoubt superseded ' +
    'attemptsOf payout findPayouts similarHolders claimHolders similarPayment dayUse payeeUse isPayeeKnown payerHalt payerPause loss reports snapshot readSeal ' +
    'openStatementView openDeferred statement statementVersions brokenOff breaksToShow openBreaks dueReports ' +
    'history proposal proposals proposalItems openItems approvalOf handsOf involvedIn'
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

export class Connection {
  readonly journal: SimulatedJournal;
  readonly #world: World;
  readonly #plan: Plan;
  readonly #bank: SimulatedBank;
  readonly #disk: Disk;
  readonly #life: Life;
  /** In the order of the calls. */
  #waiting: Waiting[] = [];
  #isCommitDue = false;

  constructor(world: World, plan: Plan, bank: SimulatedBank, disk: Disk, life: Life, onAsked: OnAsked) {
    this.#world = world;
    this.#plan = plan;
    this.#bank = bank;
    this.#disk = disk;
    this.#life = life;
    life.onKill = () => this.#crash();
    const methods = Object.entries(disk.journal as unknown as Record<string, Method>).map(
      ([name, method]) => [name, reads.has(name) ? method : this.#delay(name, method)],
    );
    const apply = async (changes: readonly Change[]): Promise<readonly boolean[]> => {
      onAsked(changes, life);
      return this.#commitSoon(() => disk.journal.apply(changes)) as Promise<readonly boolean[]>;
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

  #syncMs(): number {
    const { dice } = this.#world;
    return this.#bank.roll('commit-slow') ? dice.wide(10, 30_000) : dice.whole(0, 3);
  }

  /** Any method that writes but `apply`: a transaction of its own. */
  #delay(name: string, method: Method): Method {
    return async (...asked) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = { write: () => method(...asked), resolve, reject };
        this.#waiting.push(waiting);
        this.#world.after(this.#syncMs(), `writes ${name}`, this.#life, () => this.#sync([waiting]));
      });
  }

  /** Calls of `apply` that come close together share one commit. */
  async #commitSoon(write: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = { write, resolve, reject, isApply: true };
      this.#waiting.push(waiting);
      if (this.#isCommitDue) return;
      this.#isCommitDue = true;
      this.#world.after(this.#syncMs(), 'commits', this.#life, () => {
        this.#isCommitDue = false;
        this.#sync(this.#waiting.filter((one) => 'isApply' in one));
      });
    });
  }

  #sync(writes: readonly Waiting[]): void {
    this.#waiting = this.#waiting.filter((one) => !writes.includes(one));
    if (this.#bank.roll('disk-full')) {
      for (const { reject } of writes) reject(new DiskFullError('no space left on device'));
      return;
    }
    for (const one of writes) this.#write(one);
  }

  #write({ write, resolve, reject }: Waiting): void {
    const { world } = { world: this.#world };
    world.diskCalls += 1;
    write()
      .finally(() => {
        world.diskCalls -= 1;
        this.#disk.onWritten();
      })
      .then(resolve, reject);
  }

  /** The process has been killed: some of what waited may have reached the disk, in the order of the calls. */
  #crash(): void {
    for (const one of this.#waiting) {
      if (!this.#world.dice.chance(this.#plan.untoldShare)) break;
      this.#world.figures.count('commit-untold');
      this.#write({ ...one, resolve: () => {}, reject: () => {} });
    }
    this.#world.figures.count('commit-lost', this.#waiting.length);
    this.#waiting = [];
  }
}
