/**
 * The place of this process among those that work one journal: it sends, or it helps whoever does. A place is a lease in
 * the journal itself, which runs out by itself where its process dies or stands still.
 */
import { hostname } from 'node:os';
import type { Clock, Log } from '../../core/ports.ts';
import { beginLease, LeaseKeeper } from '../../payout/lease.ts';
import type { Worker, WorkerName, WorkerRole, WorkerStore } from '../../payout/ports.ts';
import { leaseMs, renewEveryMs } from '../../payout/rules/lease.ts';
import { Share } from '../../payout/share.ts';
import type { SenderLockOwner, SenderLockTaken } from '../sender-lock.ts';

export interface Asked {
  /** What the process does, for the message to others. */
  readonly command: string;
  /** `journal.machine`; empty when left out. */
  readonly machine?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** It helps while another has the right to send. */
  readonly mayHelp?: boolean | undefined;
  /** Had the lock of this data directory before, and is dead: what it has left of its lease is waited for. */
  readonly formerPid?: number | undefined;
}

/** One lease of this process. */
interface Lease {
  readonly role: WorkerRole;
  readonly workerId: number;
  readonly keeper: LeaseKeeper;
}

/** What is told of a worker to whoever wants its place. */
export const toOwner = ({ machine, pid, command, sinceMs }: Worker): SenderLockOwner => ({
  machine,
  pid,
  command,
  sinceMs,
});

/**
 * Kept until it is disposed of. At once (`Symbol.dispose`) it runs out by itself; else it is given back, which says that
 * nothing of this process is under way any more.
 */
export class MachinePlace implements Disposable, AsyncDisposable {
  readonly #store: WorkerStore;
  readonly #asked: Asked;
  #present: Lease;
  /** As which it has helped, and may have requests under way. */
  readonly #former = new Set<Lease>();
  /** Requests that have not been answered. */
  readonly #underWay = new Set<Promise<unknown>>();
  /** Something was under way as it began to end. */
  #isLeft = false;
  /** Who sends while this process helps, as far as it is known. */
  sender: SenderLockOwner | undefined;
  /** The rows that it shares out with others. */
  readonly share: Share;

  constructor(store: WorkerStore, asked: Asked, present: Lease, sender?: SenderLockOwner) {
    this.#store = store;
    this.#asked = asked;
    this.#present = present;
    this.sender = sender;
    this.share = new Share(
      store,
      () => this.workerId,
      () => [this.#present, ...this.#former].map(({ workerId }) => workerId),
    );
  }

  get role(): WorkerRole {
    return this.#present.role;
  }

  get workerId(): number {
    return this.#present.workerId;
  }

  /** Of the present lease. */
  get keeper(): LeaseKeeper {
    return this.#present.keeper;
  }

  /** The journal has found that the lease is over. */
  noteRefused(): void {
    this.keeper.noteRefused();
  }

  /** Takes the sender's place when nobody is there who has it; a helper that was taken for gone joins anew. */
  async step(): Promise<void> {
    const sender = (await this.#store.workers()).find(({ role, isThere }) => role === 'sender' && isThere);
    this.sender = sender && toOwner(sender);
    if (sender === undefined) {
      const taken = await beginSending(this.#store, this.#asked);
      if ('keeper' in taken) {
        this.#former.add(this.#present);
        this.#present = taken;
        return;
      }
      this.sender = taken.heldBy;
    }
    if (!this.keeper.lost.aborted) return;
    this.#former.add(this.#present);
    this.#present = await beginHelping(this.#store, this.#asked);
  }

  /** Follows a request by which something may happen at the bank. */
  async follow<Reply>(request: Promise<Reply>): Promise<Reply> {
    this.#underWay.add(request);
    try {
      return await request;
    } finally {
      this.#underWay.delete(request);
    }
  }

  /**
   * No bytes leave from here on. While anything is under way even so, as after a failure, the place is not given back: it
   * runs out by itself, and the next attempts wait as after a machine that died.
   */
  beginEnding(): void {
    this.#isLeft ||= this.#underWay.size > 0;
    this[Symbol.dispose]();
  }

  /** Gives back as what it has helped before: nothing of that is under way any more. */
  async endFormer(): Promise<void> {
    for (const lease of this.#former) {
      this.#former.delete(lease);
      await endLease(this.#store, this.#asked, lease);
    }
  }

  [Symbol.dispose](): void {
    for (const { keeper } of [this.#present, ...this.#former]) keeper.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.beginEnding();
    if (this.#isLeft) {
      this.#asked.log(
        'warn',
        'requests are still under way: the place of this process runs out by itself',
        {},
      );
      for (const { keeper } of [this.#present, ...this.#former]) await keeper[Symbol.asyncDispose]();
      return;
    }
    await this.endFormer();
    await endLease(this.#store, this.#asked, this.#present);
  }
}

async function endLease(
  store: WorkerStore,
  { log }: Asked,
  { keeper, workerId, role }: Lease,
): Promise<void> {
  await keeper[Symbol.asyncDispose]();
  try {
    await store.endWorker(workerId);
  } catch (error) {
    const place = { role, err: error };
    log('warn', 'the place of this process cannot be given back: it runs out by itself', place);
  }
}

/** What others call this machine. @param named `journal.machine` */
export const nameMachine = (named: string): string => (named === '' ? hostname() : named);

const nameOf = ({ command, machine = '' }: Asked): WorkerName => ({
  machine: nameMachine(machine),
  pid: process.pid,
  command,
});

/** @param take says as whom this process works from now on, or who has the place */
async function beginLeaseOf<Refused extends object>(
  store: WorkerStore,
  { clock, log }: Asked,
  role: WorkerRole,
  take: () => Promise<number | Refused>,
): Promise<Lease | Refused> {
  // Before it is asked for: the lease runs from when the database takes it.
  const beganAt = beginLease(clock);
  const workerId = await take();
  if (typeof workerId !== 'number') return workerId;
  const keeper = new LeaseKeeper({ renew: () => store.renew(workerId), clock, log }, beganAt);
  return { role, workerId, keeper };
}

const beginSending = (store: WorkerStore, asked: Asked): Promise<Lease | SenderLockTaken> =>
  beginLeaseOf(store, asked, 'sender', async () => {
    const place = await store.takeSenderPlace(nameOf(asked));
    return place.kind === 'held' ? { heldBy: toOwner(place.by) } : place.workerId;
  });

const beginHelping = (store: WorkerStore, asked: Asked): Promise<Lease> =>
  beginLeaseOf<never>(store, asked, 'helper', () => store.joinAsHelper(nameOf(asked)));

/** How often it is looked whether the lease of a process that was killed is over. */
const formerPollMs = 500;

/** True of a place that the process has left that was killed. */
const isFormer = ({ formerPid, machine = '' }: Asked, { heldBy }: SenderLockTaken): boolean =>
  formerPid !== undefined && heldBy?.pid === formerPid && heldBy.machine === nameMachine(machine);

async function beginSendingAfterFormer(store: WorkerStore, asked: Asked): Promise<Lease | SenderLockTaken> {
  const { clock, log } = asked;
  // Never longer than a lease that nobody renews: a process in another container may bear its number.
  const endsAtMs = clock.elapsedMs() + leaseMs + renewEveryMs;
  let isSaid = false;
  for (;;) {
    const taken = await beginSending(store, asked);
    const isToWait = 'heldBy' in taken && isFormer(asked, taken) && clock.elapsedMs() < endsAtMs;
    if (!isToWait) return taken;
    if (!isSaid) log('info', 'waiting for the lease of a process of this machine that was killed', {});
    isSaid = true;
    await clock.sleep(formerPollMs);
  }
}

/**
 * Takes the sender's place; else helps whoever has it, or says who that is. It waits for nobody but a process that was
 * killed here.
 */
export async function takeMachinePlace(
  store: WorkerStore,
  asked: Asked,
): Promise<MachinePlace | SenderLockTaken> {
  const begin = asked.mayHelp === true ? beginSending : beginSendingAfterFormer;
  const taken = await begin(store, asked);
  if ('keeper' in taken) return new MachinePlace(store, asked, taken);
  if (asked.mayHelp !== true) return taken;
  return new MachinePlace(store, asked, await beginHelping(store, asked), taken.heldBy);
}
