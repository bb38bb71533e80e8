/** A watcher that was asked to stop ends, whatever hangs. */
import { execFileSync } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { endWithin, isFileSystemStuck } from '../../src/app/watch.ts';
import { runNode } from '../cli/run-paydrop.ts';
import { makeFolder } from '../support/sqlite-store.ts';

const never = new Promise<never>(() => undefined);
const script = fileURLToPath(new URL('end-now.ts', import.meta.url));

describe('the time of grace', () => {
  test('begins when the process is asked to stop, and ends with the work', async () => {
    const stop = new AbortController();
    const slept: number[] = [];
    const clock = {
      sleep: async (ms: number) => {
        slept.push(ms);
        await never;
      },
    };
    const { promise: work, resolve: end } = Promise.withResolvers<void>();
    const ended = endWithin(45_000, stop.signal, clock, work);
    expect(slept).toEqual([]);
    stop.abort();
    expect(slept).toEqual([45_000]);
    end();
    expect(await ended).toBe(true);
  });

  test('is over for work that never ends; what fails is thrown', async () => {
    const clock = { sleep: async () => undefined };
    expect(await endWithin(1, AbortSignal.abort(), clock, never)).toBe(false);
    await expect(
      endWithin(1, AbortSignal.abort(), { sleep: () => never }, Promise.reject(new Error('x'))),
    ).rejects.toThrow('x');
  });
});

describe('a file system', () => {
  const clock = { sleep: async () => undefined };

  test('is stuck when a request is under way at every look', async () => {
    expect(await isFileSystemStuck(clock, () => ['Timeout', 'FSReqPromise'])).toBe(true);
  });

  test('is not when it answers meanwhile, whatever else is under way', async () => {
    const looks = [['FSReqCallback'], ['FSReqPromise', 'Timeout'], ['Timeout', 'TCPSocketWrap']];
    expect(await isFileSystemStuck(clock, () => looks.shift() ?? ['FSReqPromise'])).toBe(false);
    expect(looks).toEqual([]);
  });
});

describe('a process whose time is over', () => {
  const isThere = async (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );

  test('ends with exit 0, and its right to send with it', async () => {
    await using folder = await makeFolder();
    const { code, stderr } = await runNode([script, folder.path]);
    expect([code, stderr.includes('the time of grace is over')]).toEqual([0, true]);
    expect(await isThere(join(folder.path, 'sender.json'))).toBe(false);
  });

  test('kills itself where a file never answers, and gives the right to send back before', async () => {
    await using folder = await makeFolder();
    const fifo = join(folder.path, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const { code, stderr } = await runNode([script, folder.path, fifo]);
    expect([code, stderr.includes('a file system does not answer')]).toEqual([null, true]);
    expect(await isThere(join(folder.path, 'sender.json'))).toBe(false);
  });
});
