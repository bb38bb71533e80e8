/**
 * The right to send from a journal that several machines work: a lease in the journal itself, which runs out by itself
 * where its process dies or stands still.
 */
import { hostname } from 'node:os';
import type { Clock, Log } from '../../core/ports.ts';
import { beginLease, LeaseKeeper } from '../../payout/lease.ts';
import type { WorkerStore } from '../../payout/ports.ts';
import type { SenderLockTaken } from '../sender-lock.ts';

/**
 * The place of the sender, kept until it is disposed of. At once (`Symbol.dispose`) it runs out by itself; else it is given
 * back, which says that nothing of this process is under way any more.
 */
export interface SenderRight extends Disposable, AsyncDisposable {
  readonly workerId: number;
  readonly keeper: LeaseKeeper;
  /** The journal has found that the lease is over. */
  noteRefused(): void;
}

interface Asked {
  /** What the process does, for the message to others. */
  readonly command: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes the sender's place, or says who has it; it waits for nobody. */
export async function acquireSenderRight(
  store: Pick<WorkerStore, 'takeSenderPlace' | 'renew' | 'endWorker'>,
  { command, clock, log }: Asked,
): Promise<SenderRight | SenderLockTaken> {
  const beganAt = beginLease(clock);
  const place = await store.takeSenderPlace({ machine: hostname(), pid: process.pid, command });
  if (place.kind === 'held') {
    const { machine, pid, command: others, sinceMs } = place.by;
    return { heldBy: { machine, pid, command: others, sinceMs } };
  }
  const { workerId } = place;
  const keeper = new LeaseKeeper({ renew: () => store.renew(workerId), clock, log }, beganAt);
  return {
    workerId,
    keeper,
    noteRefused: () => keeper.noteRefused(),
    [Symbol.dispose]: () => keeper.stop(),
    [Symbol.asyncDispose]: async () => {
      await keeper[Symbol.asyncDispose]();
      try {
        await store.endWorker(workerId);
      } catch (error) {
        log('warn', 'the place of the sender cannot be given back: it runs out by itself', { err: error });
      }
    },
  };
}
