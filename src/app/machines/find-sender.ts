/** The process that sends from a journal now, by the lock of this machine or by the journal itself. */
import type { Store } from '../../store/store.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { LeftFile } from '../../watch/ports.ts';
import { findSender, type SenderLockOwner } from '../sender-lock.ts';
import { nameMachine, toOwner } from './machine-place.ts';

/** The settings that tell which processes run on this machine. */
interface Here extends Pick<LoadedSettings, 'dataDir'> {
  readonly settings: { readonly journal: Pick<LoadedSettings['settings']['journal'], 'machine'> };
}

/**
 * @param journal lists all its workers where these may be on several machines; undefined when there is none
 * @param countsThis true for a process that may itself be the sender; else it is left out, whatever its number
 */
export async function findSenderOf(
  { dataDir, settings }: Here,
  journal: Pick<Store, 'workers'> | undefined,
  countsThis = false,
): Promise<SenderLockOwner | undefined> {
  if (journal?.workers === undefined) return findSender(dataDir, countsThis);
  const here = nameMachine(settings.journal.machine);
  const sender = (await journal.workers()).find(
    ({ role, isThere, pid, machine }) =>
      role === 'sender' && isThere && (countsThis || !(pid === process.pid && machine === here)),
  );
  return sender && toOwner(sender);
}

/** A process that works a journal together with others. */
interface WorkingMachine {
  readonly owner: SenderLockOwner;
  readonly role: 'sender' | 'helper';
  /** False for a process that has not been heard of lately. */
  readonly isThere: boolean;
  /** Stretches of rows that it pays. */
  readonly shards: number;
  /** Transfers within the last minute. */
  readonly transfers: number;
}

/** The processes that work one journal together, and their speed. */
export interface ActiveMachines {
  readonly machines: readonly WorkingMachine[];
  /** Recent rate of all together; null without a limit, or where the bank was asked nothing. */
  readonly requestsPerSecond: number | null;
  /** Files that stay unread while the machine that took them in is away. */
  readonly left: readonly LeftFile[];
}

/** Undefined where the processes of one machine alone work the journal. */
export async function readMachines(
  journal: Pick<Store, 'workers' | 'workRates' | 'fileClaims'> | undefined,
): Promise<ActiveMachines | undefined> {
  if (journal?.workers === undefined) return undefined;
  const rates = await journal.workRates?.();
  const machines = (await journal.workers()).map((worker): WorkingMachine => {
    const { role, isThere, shards, workerId } = worker;
    return {
      owner: toOwner(worker),
      role,
      isThere,
      shards,
      transfers: rates?.transfersOf.get(workerId) ?? 0,
    };
  });
  const left = (await journal.fileClaims?.leftFiles()) ?? [];
  return { machines, left, requestsPerSecond: rates?.requestsPerSecond ?? null };
}
