/** What is told of registrations as a whole: each once, also by the next process. */
import { expect, test } from 'vitest';
import { notifyOfRegistrations } from '../../../src/app/notices/attention.ts';
import type { NoticeDraft } from '../../../src/notify/rules/notice.ts';
import { takeCallback } from '../../../src/registration/take-callback.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import {
  callbackOf,
  intentOf,
  makeInstruction,
  makeRegistrationRow,
  present,
  runRegistrations,
} from '../../support/registration-journal.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';

const hourMs = 3_600_000;

test('a contradiction, and callbacks of nobody, are told once, and again when there are more', async () => {
  await using sqlite = await makeSqliteStore();
  const { store } = sqlite;
  const told: NoticeDraft[] = [];
  let nowMs = noonMs;
  const scene = (): never => ({ journalId: store.journalId, nowMs, isSandbox: true, place: {} }) as never;
  const board = {
    isListenedTo: true,
    get scene() {
      return scene();
    },
    lastNotice: async (key: string) => told.findLast((notice) => notice.key.startsWith(key)),
    add: async (notice: NoticeDraft) => void told.push(notice),
  };
  const look = async (): Promise<string[]> => {
    const before = told.length;
    await notifyOfRegistrations(store, board, nowMs);
    return told.slice(before).map(({ kind }) => kind);
  };
  const context = {
    journal: store,
    clock: { now: () => nowMs },
    log: () => undefined,
    mayMissAttempts: async () => false,
  };
  const call = (
    instruction = makeInstruction(1),
    outcome: 'registered' | 'refused' = 'registered',
    atMs = noonMs,
  ) => takeCallback(context, callbackOf(instruction, outcome, atMs + 60_000));

  const [row] = await runRegistrations(store, [makeRegistrationRow(1)]);
  if (row === undefined) throw new Error('no row');
  await store.applyRegistrations([intentOf(await present(store, row))]);
  await call();
  expect(await look()).toEqual([]);
  nowMs += 1_000;
  await call(makeInstruction(1), 'refused', noonMs + 1_000);
  expect(await look()).toEqual(['registration-alarm']);
  await call(makeInstruction(7));
  expect(await look()).toEqual(['unknown-callbacks']);
  await call(makeInstruction(8));
  expect(await look()).toEqual([]);
  nowMs += hourMs;
  expect(await look()).toEqual(['unknown-callbacks']);
  expect(JSON.stringify(told)).not.toContain(makeInstruction(7).accountNo);
});
