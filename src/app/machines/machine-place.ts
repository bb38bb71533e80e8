/**
 * The place of this process among those that work one journal: sender, or helper of the sender. A place is a lease in the
 * journal, which expires by itself when its process dies or stalls.
 */
import { hostname } from 'node:os';
import type { Clock, Log } from '../../core/ports.ts';
import { beginLease, LeaseKeeper } from '../../payout/lease.ts';
import type { Worker, WorkerName, WorkerRole, WorkerStore } from '../../payout/ports.ts';
import { leaseMs, renewEveryMs } from '../../payout/rules/lease.ts';
import { Share } from '../../payout/share.ts';
import type { SenderLockOwner, SenderLockTaken } from '../sender-lock.ts';

export interface MachineOptions {
  /** Command of the process, shown to other processes. */
  readonly command: string;
  /** `journal.machine`; empty when left out. */
  readonly machine?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** True: helps while another process has the right to send. */
  readonly mayHelp?: boolean | undefined;
  /** Process that had the lock of this data directory before and is dead: what is left of its lease is waited for. */
  readonly formerPid?: number | undefined;
}

/** One lease of this process. */
interface Lease {
  readonly role: WorkerRole;
  readonly workerId: number;
  readonly keeper: LeaseKeeper;
}

/** Identity of a worker, shown to processes that want its place. */
export const toOwner = ({ machine, pid, command, sinceMs }: Worker): SenderLockOwner => ({
  machine,
  pid,
  command,
  sinceMs,
});

/**
 * Held until it is disposed of. `Symbol.dispose` lets the lease expire; the asynchronous form gives it back, which states
 * that nothing of this process is under way any more.
 */
export class MachinePlace implements Disposable, AsyncDisposable {
  readonly #store: WorkerStore;
  readonly #options: MachineOptions;
  #present: Lease;
  /** Leases under which it has helped, and may have requests under way. */
  readonly #former = new Set<Lease>();
  /** Requests without an answer yet. */
  readonly #underWay = new Set<Promise<unknown>>();
  /** True when a request was under way as the place began to end. */
  #isLeft = false;
  /** The sender while this process helps, as far as known. */
  sender: SenderLockOwner | undefined;
  /** Rows that this process shares with others. */
  readonly share: Share;

  constructor(store: WorkerStore, options: MachineOptions, present: Lease, sender?: SenderLockOwner) {
    this.#store = store;
    this.#options = options;
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

  /** Keeper of the present lease. */
  get keeper(): LeaseKeeper {
    return this.#present.keeper;
  }

  /** Notes that the journal has refused the lease. */
  noteRefused(): void {
    this.keeper.noteRefused();
  }

  /** Takes the sender's place when it is free; a helper that counted as gone joins anew. */
  async step(): Promise<void> {
    const sender = (await this.#store.workers()).find(({ role, isThere }) => role === 'sender' && isThere);
    this.sender = sender && toOwner(sender);
    if (sender === undefined) {
      const taken = await beginSending(this.#store, this.#options);
      if ('keeper' in taken) {
        this.#former.add(this.#present);
        this.#present = taken;
        return;
      }
      this.sender = taken.heldBy;
    }
    if (!this.keeper.lost.aborted) return;
    this.#former.add(this.#present);
    this.#present = await beginHelping(this.#store, this.#options);
  }

  /** Tracks a request that may have an effect at the bank. */
  async follow<Reply>(request: Promise<Reply>): Promise<Reply> {
    this.#underWay.add(request);
    try {
      return await request;
    } finally {
      this.#underWay.delete(request);
    }
  }

  /**
   * No bytes leave from here on. If a request is still under way, as after a failure, the place is not given back: it
   * expires by itself, and the next attempts wait as after a machine that died.
   */
  beginEnding(): void {
    this.#isLeft ||= this.#underWay.size > 0;
    this[Symbol.dispose]();
  }

  /** Gives back the helper's leases: nothing sent under them is under way any more. */
  async endFormer(): Promise<void> {
    for (const lease of this.#former) {
      this.#former.delete(lease);
      await endLease(this.#store, this.#options, lease);
    }
  }

  [Symbol.dispose](): void {
    for (const { keeper } of [this.#present, ...this.#former]) keeper.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.beginEnding();
    if (this.#isLeft) {
      this.#options.log(
        'warn',
        'requests are still under way: the place of this process runs out by itself',
        {},
      );
      for (const { keeper } of [this.#present, ...this.#former]) await keeper[Symbol.asyncDispose]();
      return;
    }
    await this.endFormer();
    await endLease(this.#store, this.#options, this.#present);
  }
}

async function endLease(
  store: WorkerStore,
  { log }: MachineOptions,
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

/** Name of this machine among others. @param named `journal.machine` */
export const nameMachine = (named: string): string => (named === '' ? hostname() : named);

const nameOf = ({ command, machine = '' }: MachineOptions): WorkerName => ({
  machine: nameMachine(machine),
  pid: process.pid,
  command,
});

/** @param take returns the worker's id, or the process that has the place */
async function beginLeaseOf<Refused extends object>(
  store: WorkerStore,
  { clock, log }: MachineOptions,
  role: WorkerRole,
  take: () => Promise<number | Refused>,
): Promise<Lease | Refused> {
  // Taken before the request: the lease runs from the time at which the database grants it.
  const beganAt = beginLease(clock);
  const workerId = await take();
  if (typeof workerId !== 'number') return workerId;
  const keeper = new LeaseKeeper({ renew: () => store.renew(workerId), clock, log }, beganAt);
  return { role, workerId, keeper };
}

const beginSending = (store: WorkerStore, options: MachineOptions): Promise<Lease | SenderLockTaken> =>
  beginLeaseOf(store, options, 'sender', async () => {
    const place = await store.takeSenderPlace(nameOf(options));
    return place.kind === 'held' ? { heldBy: toOwner(place.by) } : place.workerId;
  });

const beginHelping = (store: WorkerStore, options: MachineOptions): Promise<Lease> =>
  beginLeaseOf<never>(store, options, 'helper', () => store.joinAsHelper(nameOf(options)));

/** Interval at which the lease of a killed process is checked. */
const formerPollMs = 500;

/** True when the place is held by a killed process of this machine. */
const isFormer = ({ formerPid, machine = '' }: MachineOptions, { heldBy }: SenderLockTaken): boolean =>
  formerPid !== undefined && heldBy?.pid === formerPid && heldBy.machine === nameMachine(machine);

async function beginSendingAfterFormer(
  store: WorkerStore,
  options: MachineOptions,
): Promise<Lease | SenderLockTaken> {
  const { clock, log } = options;
  // At most one unrenewed lease: a process in another container may bear the same number.
  const endsAtMs = clock.elapsedMs() + leaseMs + renewEveryMs;
  let isSaid = false;
  for (;;) {
    const taken = await beginSending(store, options);
    const isToWait = 'heldBy' in taken && isFormer(options, taken) && clock.elapsedMs() < endsAtMs;
    if (!isToWait) return taken;
    if (!isSaid) log('info', 'waiting for the lease of a process of this machine that was killed', {});
    isSaid = true;
    await clock.sleep(formerPollMs);
  }
}

/**
 * Takes the sender's place; else joins as a helper, or returns the process that has it. It waits only for a process that
 * was killed on this machine.
 */
export async function takeMachinePlace(
  store: WorkerStore,
  options: MachineOptions,
): Promise<MachinePlace | SenderLockTaken> {
  const begin = options.mayHelp === true ? beginSending : beginSendingAfterFormer;
  const taken = await begin(store, options);
  if ('keeper' in taken) return new MachinePlace(store, options, taken);
  if (options.mayHelp !== true) return taken;
  return new MachinePlace(store, options, await beginHelping(store, options), taken.heldBy);
}
