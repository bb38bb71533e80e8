import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireSenderLock, findSender } from '../../src/store/locks.ts';
import { makeFolder } from '../support/sqlite-store.ts';
import { startChild } from './child.ts';

const script = new URL('hold-sender-lock.ts', import.meta.url);

/** Takes and gives back; says who has it when it cannot. */
function tryLock(dataDir: string): unknown {
  const lock = acquireSenderLock(dataDir, 'settle');
  if ('heldBy' in lock) return lock.heldBy;
  lock[Symbol.dispose]();
  return 'taken';
}

test('one process holds the right to send; others learn who', async () => {
  await using folder = await makeFolder();
  await using child = startChild(script, [folder.path]);
  await child.waitForLines(1);
  expect(child.lines).toEqual(['held']);
  expect(tryLock(folder.path)).toMatchObject({ command: 'run payouts.csv', sinceMs: 1_000 });
  await using second = startChild(script, [folder.path]);
  await second.waitForLines(1);
  expect(second.lines).toEqual(['refused']);
});

test('it ends with its process, killed or not', async () => {
  await using folder = await makeFolder();
  for (const time of ['first', 'second']) {
    await using child = startChild(script, [folder.path]);
    await child.waitForLines(1);
    expect([time, ...child.lines]).toEqual([time, 'held']);
    await child.kill();
    expect(tryLock(folder.path)).toBe('taken');
  }
});

test('it is held against this process too, however often it asks, and given back once', async () => {
  await using folder = await makeFolder();
  const lock = acquireSenderLock(folder.path, 'watch', 5);
  if ('heldBy' in lock) throw new Error('nobody else can have it');
  const holder = { pid: process.pid, command: 'watch', sinceMs: 5 };
  expect([tryLock(folder.path), tryLock(folder.path)]).toEqual([holder, holder]);
  await using child = startChild(script, [folder.path]);
  await child.waitForLines(1);
  expect(child.lines).toEqual(['refused']);
  lock[Symbol.dispose]();
  lock[Symbol.dispose]();
  expect(tryLock(folder.path)).toBe('taken');
});

test.each(['', 'null', '{', '{"pid":"x"}'])('a holder’s note that reads %j does not matter', async (text) => {
  await using folder = await makeFolder();
  using lock = acquireSenderLock(folder.path, 'watch') as Disposable;
  expect(lock).toBeDefined();
  await writeFile(join(folder.path, 'sender.json'), text);
  expect(tryLock(folder.path)).toBeUndefined();
  await rm(join(folder.path, 'sender.json'));
  expect(tryLock(folder.path)).toBeUndefined();
});

test('folder and files are readable by their owner only', async () => {
  await using folder = await makeFolder();
  const dataDir = join(folder.path, 'new');
  using lock = acquireSenderLock(dataDir, 'watch') as Disposable;
  expect(lock).toBeDefined();
  const modes = await Promise.all(
    ['.', 'sender.lock', 'sender.json'].map(async (name) => (await stat(join(dataDir, name))).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600, 0o600]);
});

test('tells who is sending, while they are', async () => {
  await using folder = await makeFolder();
  const { path } = folder;
  expect(findSender(path)).toBeUndefined();
  await using child = startChild(script, [path]);
  await child.waitForLines(1);
  const holder = findSender(path);
  expect(holder).toMatchObject({ command: 'run payouts.csv', sinceMs: 1_000 });
  const notePath = join(path, 'sender.json');
  const note = JSON.parse(await readFile(notePath, 'utf8')) as object;
  const findBy = async (changes: object): Promise<unknown> => {
    await writeFile(notePath, JSON.stringify({ ...note, ...changes }));
    return findSender(path);
  };
  // What a killed process has left says nothing, whoever has its number now.
  expect(await findBy({ pid: 999_999_999 })).toBeUndefined();
  expect(await findBy({ pid: process.pid, startMark: null })).toBeUndefined();
  if (process.platform === 'linux') expect(await findBy({ startMark: '1' })).toBeUndefined();
  // One that could not say when it began is believed.
  expect(await findBy({ startMark: null })).toEqual(holder);
  expect(await findBy({})).toEqual(holder);
});
