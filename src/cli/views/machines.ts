/** The processes that work the journal now, shown by `status` above the batches. */
import type { ActiveMachines, SenderLockOwner } from '../../app/status.ts';
import { nameOwner } from '../../app/session.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import { countOf } from '../../core/figures.ts';
import { printable } from '../../core/outgoing-text.ts';

type Machine = ActiveMachines['machines'][number];

const roleWords = { sender: 'Sending', helper: 'Helping' } as const;

function showMachine({ owner, role, isThere, shards, transfers }: Machine): string {
  const name = nameOwner(owner);
  if (!isThere) return `Not heard of: ${name}`;
  const shown = countOf(transfers, 'transfer');
  return `${roleWords[role]}: ${name}, with ${countOf(shards, 'shard')}, ${shown} in the last minute`;
}

/** Rate with one decimal, as the limit may have. */
const showRate = (requestsPerSecond: number): string => String(Math.round(requestsPerSecond * 10) / 10);

/** @param limit `bank.requestsPerSecond`; 0 for none */
function showTogether({ machines, requestsPerSecond }: ActiveMachines, limit: number): string {
  const transfers = machines.reduce((sum, machine) => sum + machine.transfers, 0);
  // Requests are reserved moments before they are sent.
  const rate = Math.min(requestsPerSecond ?? 0, limit);
  const requests = limit === 0 ? '' : `, ${showRate(rate)} of ${showRate(limit)} requests a second`;
  return `Together: ${countOf(transfers, 'transfer')} in the last minute${requests}`;
}

/**
 * @param owner the sender, where one machine alone works the journal
 * @param machines undefined in that case
 */
export function linesOfMachines(
  owner: SenderLockOwner | undefined,
  machines: ActiveMachines | undefined,
  limit: number,
): string[] {
  if (machines === undefined) return owner === undefined ? [] : [`Sending: ${nameOwner(owner)}`];
  const sorted = machines.machines.toSorted((one, other) => rankOf(one) - rankOf(other));
  const left = machines.left.map(
    ({ fileName, machine, claimedAtMs }) =>
      `Not read: ${printable(fileName)}, taken in on ${printable(machine)} at ${formatBangkokMoment(claimedAtMs)}: ` +
      'start the watcher there again, or drop the file into the inbox of another machine',
  );
  const together = sorted.length > 1 ? [showTogether(machines, limit)] : [];
  return [...sorted.map(showMachine), ...together, ...left];
}

const rankOf = ({ role, isThere }: Machine): number => (role === 'sender' ? 0 : 1) + (isThere ? 0 : 2);
