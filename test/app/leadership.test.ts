/** A watcher that waits for the right to send, and how those who are turned away are told. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Leadership, waitForSenderLock } from '../../src/app/leadership.ts';
import { SenderBusyError } from '../../src/app/session.ts';
import type { WatchNews } from '../../src/app/watch-status.ts';
import { silentLogger } from '../../src/platform/log.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { acquireSenderLock } from '../../src/app/sender-lock.ts';
import type { Trouble } from '../../src/watch/rules/health.ts';
import { payer } from '../support/core-fixtures.ts';
import { noonMs } from '../support/report-fixtures.ts';

interface Scene extends AsyncDisposable {
  readonly dataDir: string;
  readonly told: WatchNews[];
  readonly stop: AbortController;
  readonly status: {
    diskTrouble: Trouble | undefined;
    isJournalLocked: boolean;
    isJournalAway: boolean;
    isStandingBy: boolean;
  };
  /** Waits for the right; what happens meanwhile, happens step by step while it sleeps. */
  wait(...steps: readonly (() => unknown)[]): Promise<Leadership | undefined>;
}

/** @param dataDir in the scene's folder */
async function openScene(dataDir = 'data'): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-standby-'));
  const bank = { ...payer, baseUrl: 'sandbox' };
  await writeFile(join(folder, 'paydrop.yaml'), stringify({ bank, dataDir }));
  const loaded = loadSettings({ cwd: folder, env: {} });
  const told: WatchNews[] = [];
  const stop = new AbortController();
  const status: Scene['status'] = {
    diskTrouble: undefined,
    isJournalLocked: false,
    isJournalAway: false,
    isStandingBy: false,
  };
  const wait: Scene['wait'] = (...steps) => {
    const left = [...steps];
    const sleep = async (): Promise<void> => {
      const step = left.shift();
      if (step === undefined) throw new Error('it waits for longer than it should');
      await step();
    };
    const clock = { now: () => noonMs, elapsedMs: () => 0, sleep };
    const report = (news: WatchNews): void => void told.push(news);
    return waitForSenderLock({ loaded, log: silentLogger, report, status, clock, stop: stop.signal }, {});
  };
  const clear = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { dataDir: loaded.dataDir, told, stop, status, wait, [Symbol.asyncDispose]: clear };
}

async function lock(dataDir: string, command: string): Promise<Disposable> {
  const taken = await acquireSenderLock(dataDir, command, { ...systemClock, now: () => noonMs });
  if ('heldBy' in taken) throw new Error('nobody else can have it');
  return taken;
}

/** The note of whoever holds the right now. */
const writeHolder = (dataDir: string, note: string): Promise<void> =>
  writeFile(join(dataDir, 'sender.json'), note);

test('a standby names each who is sending, once, and takes over', async () => {
  await using scene = await openScene();
  const { dataDir, told } = scene;
  using held = await lock(dataDir, 'watch');
  const next = JSON.stringify({ pid: process.ppid, command: 'watch', sinceMs: noonMs });
  const leadership = await scene.wait(
    () => expect(scene.status.isStandingBy).toBe(true),
    () => writeHolder(dataDir, ''),
    () => writeHolder(dataDir, next),
    () => undefined,
    () => held[Symbol.dispose](),
  );
  await leadership?.session[Symbol.asyncDispose]();
  expect(leadership).toMatchObject({ hasTakenOver: true });
  expect(scene.status.isStandingBy).toBe(false);
  expect(told).toMatchObject([
    { kind: 'standing-by', owner: { pid: process.pid, command: 'watch' } },
    { kind: 'standing-by', owner: { pid: process.ppid } },
  ]);
});

test('the first one takes nothing over; one that is stopped while it waits gets nothing', async () => {
  await using scene = await openScene();
  const first = await scene.wait();
  await first?.session[Symbol.asyncDispose]();
  expect([first?.hasTakenOver, scene.told]).toEqual([false, []]);
  using held = await lock(scene.dataDir, 'run');
  expect(held).toBeDefined();
  expect(await scene.wait(() => scene.stop.abort())).toBeUndefined();
});

test('a disk that refuses writes is waited for, and nobody else is said to be sending', async () => {
  await using scene = await openScene('file/data');
  const path = join(scene.dataDir, '..');
  await writeFile(path, 'no folder');
  const leadership = await scene.wait(async () => {
    expect(scene.status).toMatchObject({ isStandingBy: false, isJournalLocked: false });
    expect(scene.status.diskTrouble?.why).toContain('a part of the path is no folder');
    await rm(path);
  });
  await leadership?.session[Symbol.asyncDispose]();
  expect([leadership?.hasTakenOver, scene.told, scene.status.diskTrouble]).toEqual([false, [], undefined]);
});

test('whoever is turned away learns what to do, and what works beside a sender', () => {
  const besides =
    'check, status, show, list, result, settle, resume, cancel, retry, reconcile and backup work beside it.';
  const words = (command: string): string =>
    new SenderBusyError({ pid: 12, command, sinceMs: noonMs }, '/srv/inbox').message;
  expect(words('run')).toBe(
    '"paydrop run" (process 12, since 2026-11-21 14:03:05) holds the right to send from this data directory. ' +
      `Wait until it ends, or stop it; ${besides}`,
  );
  expect(words('watch')).toBe(
    '"paydrop watch" (process 12, since 2026-11-21 14:03:05) holds the right to send from this data directory. ' +
      'Drop the file into its inbox (/srv/inbox by these settings), or stop it first. ' +
      `It asks about what is in doubt by itself; ${besides}`,
  );
  // Whoever archives or restores has no file to drop.
  const elsewhere = { pid: 12, command: 'watch', sinceMs: noonMs, machine: 'pay-1' };
  expect(new SenderBusyError(elsewhere, '/srv/inbox').message).toContain(
    'Drop the file into the inbox of any machine with a watcher (here /srv/inbox by these settings), or stop it first. ',
  );
  expect(new SenderBusyError(elsewhere, '/srv/inbox/registrations').message).toContain(
    'Drop the file into the inbox of any machine with a watcher (here /srv/inbox/registrations by these settings), ' +
      'or stop it first. It asks about what is in doubt by itself; check, status, show, list, result, settle, resume, ' +
      'cancel, retry and reconcile work beside it.',
  );
  expect(new SenderBusyError({ pid: 12, command: 'watch', sinceMs: noonMs }).message).toContain(
    'from this data directory. Stop it first: a watcher does not end by itself; check,',
  );
  expect(new SenderBusyError(elsewhere).message).toContain(
    'Stop it first, and the watchers of the other machines, of which one takes its place: a watcher does not end by itself',
  );
  expect(new SenderBusyError(undefined, '/srv/inbox').message).toMatch(/^another paydrop process holds/);
});
