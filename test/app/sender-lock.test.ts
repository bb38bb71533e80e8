import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/core/ports.ts';
import { acquireSenderLock, findSender } from '../../src/app/sender-lock.ts';
import { makeFolder } from '../support/sqlite-store.ts';
import { startChild } from '../store/child.ts';

const script = new URL('hold-sender-lock.ts', import.meta.url);

/** A clock without waits; each of them is a moment for something to happen. */
const makeClock = (onSleep: () => unknown = () => undefined): Clock => ({
  now: () => 5,
  elapsedMs: () => 5,
  sleep: async () => void (await onSleep()),
});

/** Takes and gives back; says who has it when it cannot. */
async function tryLock(dataDir: string, onSleep?: () => unknown): Promise<unknown> {
  const lock = await acquireSenderLock(dataDir, 'settle', makeClock(onSleep));
  if ('heldBy' in lock) return lock.heldBy;
  lock[Symbol.dispose]();
  return 'taken';
}

test('one process holds the right to send; others learn who', async () => {
  await using folder = await makeFolder();
  await using child = startChild(script, [folder.path]);
  await child.waitForLines(1);
  expect(child.lines).toEqual(['held']);
  expect(await tryLock(folder.path)).toMatchObject({ command: 'run payouts.csv', sinceMs: 1_000 });
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
    expect(await tryLock(folder.path)).toBe('taken');
  }
});

test('it is held against this process too, however often it asks, and given back once', async () => {
  await using folder = await makeFolder();
  const lock = await acquireSenderLock(folder.path, 'watch', makeClock());
  if ('heldBy' in lock) throw new Error('nobody else can have it');
  const holder = { pid: process.pid, command: 'watch', sinceMs: 5 };
  expect([await tryLock(folder.path), await tryLock(folder.path)]).toEqual([holder, holder]);
  await using child = startChild(script, [folder.path]);
  await child.waitForLines(1);
  expect(child.lines).toEqual(['refused']);
  lock[Symbol.dispose]();
  lock[Symbol.dispose]();
  expect(await tryLock(folder.path)).toBe('taken');
});

test.each(['', 'null', '{', '{"pid":"x"}'])('a holder’s note that reads %j does not matter', async (text) => {
  await using folder = await makeFolder();
  using lock = (await acquireSenderLock(folder.path, 'watch')) as Disposable;
  expect(lock).toBeDefined();
  await writeFile(join(folder.path, 'sender.json'), text);
  expect(await tryLock(folder.path)).toBeUndefined();
  await rm(join(folder.path, 'sender.json'));
  expect(await tryLock(folder.path)).toBeUndefined();
});

test('one that has just taken it is waited for until it says who it is', async () => {
  await using folder = await makeFolder();
  const notePath = join(folder.path, 'sender.json');
  using lock = (await acquireSenderLock(folder.path, 'watch', makeClock())) as Disposable;
  expect(lock).toBeDefined();
  const note = JSON.parse(await readFile(notePath, 'utf8')) as { pid: number };
  const own = { pid: process.pid, command: 'watch', sinceMs: 5 };
  // What an owner that was killed has left names somebody who is not there, or has its number.
  for (const left of [undefined, { ...note, pid: 999_999_999 }, { ...note, startMark: '1' }]) {
    await (left === undefined ? rm(notePath) : writeFile(notePath, JSON.stringify(left)));
    if (left?.pid === process.pid && process.platform !== 'linux') continue;
    let looks = 0;
    const saysWho = async (): Promise<void> => {
      if (++looks === 3) await writeFile(notePath, JSON.stringify(note));
    };
    expect([await tryLock(folder.path, saysWho), looks]).toEqual([own, 3]);
  }
});

test('one that has stopped saying who it is gives it back in a moment', async () => {
  await using folder = await makeFolder();
  const lock = (await acquireSenderLock(folder.path, 'watch')) as Disposable;
  await rm(join(folder.path, 'sender.json'));
  expect(await tryLock(folder.path, () => lock[Symbol.dispose]())).toBe('taken');
});

test('of two that try at the same moment one has it', async () => {
  await using folder = await makeFolder();
  expect(await tryLock(folder.path)).toBe('taken');
  // As far as the other has come: it reads, and has not got further yet.
  using other = new DatabaseSync(join(folder.path, 'sender.lock'), { timeout: 0 });
  other.exec('begin');
  other.prepare('select count(*) from sqlite_schema').get();
  expect(await tryLock(folder.path)).toBe('taken');
});

test('folder and files are readable by their owner only', async () => {
  await using folder = await makeFolder();
  const dataDir = join(folder.path, 'new');
  using lock = (await acquireSenderLock(dataDir, 'watch')) as Disposable;
  expect(lock).toBeDefined();
  const modes = await Promise.all(
    ['.', 'sender.lock', 'sender.json'].map(async (name) => (await stat(join(dataDir, name))).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600, 0o600]);
});

test('tells of this process to a part of it that asks for whoever sends, and to no other', async () => {
  await using folder = await makeFolder();
  using lock = (await acquireSenderLock(folder.path, 'watch')) as Disposable;
  expect(lock).toBeDefined();
  expect(findSender(folder.path)).toBeUndefined();
  expect(findSender(folder.path, true)).toMatchObject({ command: 'watch', pid: process.pid });
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
