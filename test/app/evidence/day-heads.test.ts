/** Heads of days in the outbox and outside: each once, with the same bytes after a crash, and over nobody's file. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { NoticeBoard } from '../../../src/app/notices/notifier.ts';
import { publishDayHeads } from '../../../src/app/evidence/day-heads.ts';
import { dayMs } from '../../../src/core/bangkok-time.ts';
import type { NoticeDraft } from '../../../src/notify/rules/notice.ts';
import { openOutbox } from '../../../src/reports/outbox.ts';
import { ingestRunning, makeRows, noonMs, secondBatchId } from '../../support/journal-fixtures.ts';
import { makeFolder, makeSqliteStore } from '../../support/sqlite-store.ts';
import { noticeScene } from '../../support/notices.ts';

async function openDesk() {
  await using stack = new AsyncDisposableStack();
  const { store } = stack.use(await makeSqliteStore());
  const { path: folder } = stack.use(await makeFolder());
  const told: NoticeDraft[] = [];
  const errors: unknown[] = [];
  const board: NoticeBoard = {
    isListenedTo: true,
    scene: { ...noticeScene, journalId: store.journalId, nowMs: noonMs + dayMs },
    lastNotice: async () => undefined,
    add: async (notice) => void told.push(notice),
  };
  const session = {
    loaded: { folders: { outbox: folder } },
    journal: store,
    outbox: await openOutbox(folder),
    clock: { now: () => noonMs + dayMs },
    log: { info: () => {}, error: (thrown: unknown) => errors.push(thrown) },
  };
  await ingestRunning(store, makeRows(2));
  const owned = stack.move();
  const publish = (changes: object = {}, where: NoticeBoard = board): Promise<boolean> =>
    publishDayHeads({ ...session, ...changes } as never, where);
  return {
    store,
    folder,
    told,
    errors,
    session,
    board,
    publish,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test('the head of yesterday is a file that anybody can hash, and a notice', async () => {
  await using desk = await openDesk();
  expect(await desk.publish()).toBe(true);
  expect(await readdir(desk.folder)).toEqual(['heads-20261121.txt']);
  const lines = (await readFile(join(desk.folder, 'heads-20261121.txt'), 'utf8')).split('\n');
  const head = hash('sha256', `${lines.slice(0, -2).join('\n')}\n`, 'hex');
  expect(lines.at(-2)).toBe(`head ${head}`);
  expect(desk.told.map(({ key, body }) => [key, body['day'], body['head'], body['events']])).toEqual([
    [`day-head:1:${head}`, '2026-11-21', head, { payouts: 2, people: 1, proposals: 0 }],
  ]);
  expect(await desk.publish()).toBe(true);
  expect(desk.told).toHaveLength(1);
});

test('killed in between, it is handed out once more with the same bytes', async () => {
  await using desk = await openDesk();
  const board = { ...desk.board, add: () => Promise.reject(new Error('killed')) };
  expect(await desk.publish({}, board)).toBe(false);
  expect(desk.errors).toHaveLength(1);
  const path = join(desk.folder, 'heads-20261121.txt');
  const before = await readFile(path, 'utf8');
  // Something of that day comes late meanwhile.
  await ingestRunning(desk.store, makeRows(2, 11), { batchId: secondBatchId });
  expect(await desk.publish()).toBe(true);
  expect(await readFile(path, 'utf8')).toBe(before);
  expect(await readdir(desk.folder)).toEqual(['heads-20261121.txt']);
  expect(desk.told).toHaveLength(1);
});

test('a file of another journal is never written over', async () => {
  await using desk = await openDesk();
  await writeFile(join(desk.folder, 'heads-20261121.txt'), 'of before the restore');
  expect(await desk.publish()).toBe(true);
  expect((await readdir(desk.folder)).toSorted()).toEqual(['heads-20261121-2.txt', 'heads-20261121.txt']);
  expect(await readFile(join(desk.folder, 'heads-20261121.txt'), 'utf8')).toBe('of before the restore');
});

test('a folder that takes no file keeps nothing from being done, and is tried again', async () => {
  await using desk = await openDesk();
  const writeWhole = () => Promise.reject(new Error('the disk is full'));
  expect(await desk.publish({ outbox: { ...desk.session.outbox, writeWhole } })).toBe(false);
  expect(desk.told).toEqual([]);
  expect(await desk.publish()).toBe(true);
  expect(desk.told).toHaveLength(1);
});
