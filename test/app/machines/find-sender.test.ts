/** Who sends from a journal that several machines work, as commands and the page of a watcher ask for it. */
import { expect, test } from 'vitest';
import { findSenderOf } from '../../../src/app/machines/find-sender.ts';
import type { ActiveWorker } from '../../../src/payout/ports.ts';

const here = { dataDir: '/none', settings: { journal: { machine: 'pay-1' } } };

const findAmong = async (machine: string, countsThis?: boolean): Promise<string | undefined> => {
  const { pid } = process;
  const worker = { machine, pid, command: 'watch', role: 'sender', isThere: true, sinceMs: 0 };
  const workers = async () => [worker as ActiveWorker];
  return (await findSenderOf(here, { workers }, countsThis))?.machine;
};

test('a command leaves itself out, and the page of a watcher does not', async () => {
  expect(await findAmong('pay-1')).toBeUndefined();
  expect(await findAmong('pay-1', true)).toBe('pay-1');
  // On another machine the number is another process's.
  expect(await findAmong('pay-2')).toBe('pay-2');
});
