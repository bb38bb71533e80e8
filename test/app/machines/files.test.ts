/** Which process of several works an inbox. */
import { expect, test } from 'vitest';
import { describeInboxOwner } from '../../../src/app/machines/files.ts';
import type { Session } from '../../../src/app/session.ts';
import type { ActiveWorker } from '../../../src/payout/ports.ts';

function openOwner() {
  const place = { role: 'helper', workerId: 2, keeper: { isHeld: true } };
  let workers: () => Promise<readonly ActiveWorker[]> = async () => [];
  const journal = { workers: () => workers() };
  const owner = describeInboxOwner({ journal, place } as unknown as Session);
  if (owner === undefined) throw new Error('several machines work the journal');
  const see = (isThere: boolean): void => {
    workers = async () => [{ workerId: 1, isThere } as ActiveWorker];
  };
  const lose = (): void => void (workers = () => Promise.reject(new Error('the database is away')));
  return { place, owner, see, lose };
}

test('a helper takes an inbox from those that are gone, and from nobody while the database is away', async () => {
  const { owner, see, lose } = openOwner();
  expect(await owner.mayTake('worker-1')).toBe(true);
  see(true);
  expect(await owner.mayTake('worker-1')).toBe(false);
  see(false);
  expect(await owner.mayTake('worker-1')).toBe(true);
  lose();
  expect(await owner.mayTake('worker-1')).toBe(false);
});

test('the one that sends takes it from any other, while its lease runs, without asking the database', async () => {
  const { owner, place, lose } = openOwner();
  lose();
  place.role = 'sender';
  expect(await owner.mayTake('worker-1')).toBe(true);
  place.keeper.isHeld = false;
  expect(await owner.mayTake('worker-1')).toBe(false);
});

test('a process that has joined anew has another name', () => {
  const { owner, place } = openOwner();
  const { name } = owner;
  place.workerId = 3;
  expect([name, owner.name]).toEqual(['worker-2', 'worker-3']);
});

test('where one process alone works the journal nobody else is asked', () => {
  expect(describeInboxOwner({ journal: {} } as Session)).toBeUndefined();
});
