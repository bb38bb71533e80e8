/** What a watcher says of what it is doing, and how often. */
import { expect, test } from 'vitest';
import { type WatchActivity, WatchProgress } from '../../src/app/watch-progress.ts';
import type { ProgressFigures } from '../../src/core/progress.ts';
import type { Payout } from '../../src/core/payout.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { makeBatch, makeTotal } from '../support/report-fixtures.ts';

const secondMs = 1_000;
const one = makeBatch({ batchId: 'ONE', fileName: 'one.csv', rows: 3 });
const two = makeBatch({ batchId: 'TWO', fileName: 'two.csv', rows: 20_000 });
const paid = (batchId: string, rowNo: number) => ({ batchId, rowNo, status: 'paid' }) as Payout;

/** @param isSeen somebody watches on a terminal */
function open(isSeen = false) {
  const told: WatchActivity[] = [];
  const bars: (ProgressFigures | undefined)[] = [];
  let atMs = 0;
  const clock = { now: () => noonMs + atMs, elapsedMs: () => atMs, sleep: async () => {} };
  const progress = isSeen ? { show: (bar?: ProgressFigures) => void bars.push(bar), close() {} } : undefined;
  const activity = new WatchProgress({ clock, report: (news) => void told.push(news), progress });
  const pass = (ms: number, filesInWork: number): void => {
    for (const endMs = atMs + ms; atMs < endMs; atMs += 2 * secondMs)
      activity.reportNow({ filesInWork, rowsInDoubt: 1 });
  };
  return { activity, told, bars, pass, kinds: () => told.map(({ kind }) => kind) };
}

test('each batch that begins is told once, what is in work once a minute, and that it waits for files', () => {
  const { activity, told, pass, kinds } = open();
  pass(600 * secondMs, 0);
  expect(kinds()).toEqual([]);
  activity.begin(one, [makeTotal('ready', 3)]);
  activity.begin(two, [makeTotal('paid', 4_990), makeTotal('rejected', 10), makeTotal('ready', 15_000)]);
  activity.count(paid('ONE', 1));
  activity.count(paid('OTHER', 1));
  pass(59 * secondMs, 3);
  expect(told).toMatchObject([
    { kind: 'batch-begun', batch: one, rowsDone: 0, rowsRejected: 0 },
    { kind: 'batch-begun', batch: two, rowsDone: 5_000, rowsRejected: 10 },
  ]);
  pass(60 * secondMs, 3);
  expect(told.at(-1)).toMatchObject({
    kind: 'in-work',
    figures: { phase: 'paying 2 files', rowsTotal: 20_003, rowsDone: 5_001, paid: 4_991, inDoubt: 0 },
    filesWaiting: 1,
  });
  activity.end('ONE');
  activity.end('TWO');
  pass(30 * secondMs, 1);
  expect(kinds()).toHaveLength(3);
  activity.noteFile('two.csv');
  pass(2 * 3_600 * secondMs, 0);
  expect(kinds().slice(3)).toEqual(['idle', 'idle']);
  expect(told.at(-1)).toMatchObject({ last: { fileName: 'two.csv' }, rowsInDoubt: 1 });
  // Run again after its wait for what is in doubt was over.
  activity.begin(two, [makeTotal('paid', 20_000)]);
  expect(kinds()).toHaveLength(5);
});

test('all wait only when each of them does, for what is over first', () => {
  const { activity, told, pass } = open();
  const wait = { kind: 'pause', dueInMs: 9_000, givesUpInMs: undefined, why: 'sick' } as const;
  activity.begin(one, [makeTotal('ready', 3)]);
  activity.begin(two, [makeTotal('ready', 20_000)]);
  activity.reportWait('TWO', wait);
  pass(61 * secondMs, 2);
  activity.reportWait('ONE', { ...wait, dueInMs: 4_000 });
  pass(61 * secondMs, 2);
  expect(told.slice(2)).toMatchObject([{ wait: undefined }, { wait: { dueInMs: 4_000 } }]);
});

test('on a terminal a bar shows what is in work, and is gone when nothing is', () => {
  const { activity, bars, pass, kinds } = open(true);
  activity.begin(one, [makeTotal('ready', 3)]);
  activity.count(paid('ONE', 2));
  pass(120 * secondMs, 1);
  expect(bars.at(-1)).toMatchObject({ phase: 'paying one.csv', rowsDone: 1, rowsTotal: 3 });
  activity.end('ONE');
  expect([bars.at(-1), kinds()]).toEqual([undefined, ['batch-begun']]);
});
