/** Markers, sidecars, an inbox that goes away and comes back, and whose it is. */
import { appendFile, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InboxRefusedError } from '../../../src/watch/folders/binding.ts';
import { InboxWatcher } from '../../../src/watch/folders/inbox.ts';
import { type Kit, longStillMs, makeKit, pause, rescanMs, stillMs, until } from '../../support/inbox-kit.ts';

let kit: Kit;
beforeEach(async () => {
  kit = await makeKit();
});
afterEach(() => kit[Symbol.asyncDispose]());

const drop = (name: string, text = name) => writeFile(join(kit.inbox, name), text);
const inboxNames = async () => (await readdir(kit.inbox)).filter((name) => name !== '.paydrop').toSorted();

describe('with markers', () => {
  const watch = { marker: 'done' } as const;

  test('a file waits for its own, which goes with the claim', async () => {
    const intake = await kit.open({ watch });
    await drop('a.csv');
    await drop('b.csv');
    await drop('c.csv.DONE');
    await intake.take(9);
    await pause(stillMs * 2);
    expect(await intake.take(9)).toEqual([]);
    expect(intake.view.waiting).toBe(2);
    await drop('b.csv.done');
    expect((await kit.collect(intake, 1))[0]?.fileName).toBe('b.csv');
    expect(await inboxNames()).toEqual(['a.csv', 'c.csv.DONE']);
    await drop('c.csv');
    expect((await kit.collect(intake, 1))[0]?.fileName).toBe('c.csv');
    expect(await inboxNames()).toEqual(['a.csv']);
  });

  test('a file must be still all the same', async () => {
    const intake = await kit.open({ watch: { ...watch, stillMs: longStillMs } });
    await drop('a.csv.done');
    for (let part = 0; part < 6; part += 1) {
      await appendFile(join(kit.inbox, 'a.csv'), '1');
      expect(await intake.take(9)).toEqual([]);
      await pause(stillMs / 3);
    }
    expect((await kit.collect(intake, 1))[0]?.bytes).toBe(6);
  });
});

describe('with sidecars', () => {
  test('a file comes with its own, and ends with it', async () => {
    const intake = await kit.open({ isSidecarExpected: true });
    await drop('a.csv');
    await intake.take(9);
    await pause(stillMs * 2);
    expect(await intake.take(9)).toEqual([]);
    await drop('a.csv.control.json', '{}');
    const [item] = await kit.collect(intake, 1);
    expect(await readFile(`${item!.path}.control.json`, 'utf8')).toBe('{}');
    await intake.end(item!, { kind: 'reject', reason: 'why' });
    expect(await kit.files()).toEqual({
      'rejected/a.csv': 'a.csv',
      'rejected/a.csv.control.json': '{}',
      'rejected/a.csv.reason.txt': 'why\n',
    });
  });

  test('one that does not come is waited for, then done without; it is listed when it comes too late', async () => {
    const intake = await kit.open({ isSidecarExpected: true, sidecarWaitMs: 100 });
    await drop('a.csv');
    const [item] = await kit.collect(intake, 1);
    expect(await readdir(join(item!.path, '..'))).toEqual(['a.csv']);
    await drop('a.csv.control.json');
    await intake.take(9);
    expect(intake.view.left).toEqual([]);
    await pause(110);
    await intake.take(9);
    expect(intake.view.left).toEqual(['a.csv.control.json']);
  });

  test('a link is no sidecar', async () => {
    const intake = await kit.open({ isSidecarExpected: true, sidecarWaitMs: 50 });
    await drop('a.csv');
    await symlink('/etc/hostname', join(kit.inbox, 'a.csv.control.json'));
    const [item] = await kit.collect(intake, 1);
    expect(await readdir(join(item!.path, '..'))).toEqual(['a.csv']);
    expect(await inboxNames()).toEqual(['a.csv.control.json']);
  });
});

describe('an inbox', () => {
  const watch = { rescanMs: 100 };
  const away = () => join(kit.root, 'away');

  test('is marked with the journal that works it, and refuses another', async () => {
    await kit.open();
    await kit.open();
    const stamp = join(kit.inbox, '.paydrop', 'journal.json');
    expect(JSON.parse(await readFile(stamp, 'utf8'))).toEqual({
      journalId: 'J1',
      holder: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect((await stat(stamp)).mode & 0o777).toBe(0o600);
    await expect(kit.open({ journalId: 'J2' })).rejects.toThrow(InboxRefusedError);
    await expect(kit.open({ journalId: 'J2' })).rejects.toThrow(
      /inbox .*names the journal J1.*folders\.inbox/,
    );
    await writeFile(stamp, '{');
    await expect(kit.open()).rejects.toThrow(/names no journal/);
  });

  test('that vanishes is said to be gone; when it is back, its files are found, and told by events', async () => {
    const intake = await kit.open({ watch });
    await drop('a.csv');
    await intake.take(9);
    await rename(kit.inbox, away());
    await until(async () => (await intake.take(9)).length === 0 && intake.view.state.kind === 'gone');
    expect(intake.view.state).toMatchObject({
      kind: 'gone',
      why: expect.stringMatching(/inbox: the folder is not there: create it/),
    });
    expect(await kit.collect(intake, 1, 250)).toEqual([]);
    await rename(away(), kit.inbox);
    expect(await kit.collect(intake, 1)).toHaveLength(1);
    expect(intake.view.state).toEqual({ kind: 'there' });
    expect(kit.lines.map(({ message }) => message)).toEqual(['the inbox is gone', 'the inbox is back']);
  });

  test("that comes back as another journal's stays gone", async () => {
    const intake = await kit.open({ watch });
    await rename(kit.inbox, away());
    await intake.take(9);
    await mkdir(join(kit.inbox, '.paydrop'), { recursive: true });
    await writeFile(join(kit.inbox, '.paydrop', 'journal.json'), '{"journalId":"J2"}');
    await drop('a.csv');
    await until(async () => (await intake.take(9)).length === 0 && kit.lines.length > 1);
    expect(intake.view.state).toMatchObject({
      kind: 'gone',
      why: expect.stringContaining('J2'),
      isMissing: false,
    });
    expect(await kit.collect(intake, 1, 150)).toEqual([]);
    expect(kit.lines).toHaveLength(2);
  });

  test('that cannot be made is no error at the start', async () => {
    const inbox = join(kit.root, 'file', 'inbox');
    await writeFile(join(kit.root, 'file'), '');
    const intake = await kit.open({ folders: { ...kit.folders, inbox } });
    expect(await intake.recover()).toEqual([]);
    expect(await intake.take(9)).toEqual([]);
    expect(intake.view.state).toMatchObject({ kind: 'gone', why: expect.stringContaining(inbox) });
  });

  test('may be a link to a folder', async () => {
    await mkdir(away());
    await symlink(away(), join(kit.root, 'linked'));
    const intake = await kit.open({ folders: { ...kit.folders, inbox: join(kit.root, 'linked') } });
    await intake.take(9);
    await pause(100);
    const startedMs = performance.now();
    await writeFile(join(away(), 'a.csv'), '');
    expect(await kit.collect(intake, 1)).toHaveLength(1);
    expect(performance.now() - startedMs).toBeLessThan(rescanMs / 2);
  });
});

describe('the watcher', () => {
  test('tells of files with their final name, and of nothing below the inbox', async () => {
    let news = 0;
    await mkdir(join(kit.inbox, '.paydrop'));
    await mkdir(join(kit.inbox, 'sub'));
    await using watcher = new InboxWatcher(
      kit.inbox,
      () => (news += 1),
      () => undefined,
    );
    // Told once when it has begun to watch: what came before that may be there.
    await until(() => news > 0);
    await drop('.paydrop/x.csv');
    await drop('sub/x.csv');
    await drop('a.part');
    await pause(100);
    expect([news, watcher.isBroken]).toEqual([1, false]);
    await drop('a.csv');
    await until(() => news > 1);
  });
});
