import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { Signal, waitForAny } from '../../src/platform/signal.ts';

const long = 60_000;

test('whoever waits is woken, and waits anew for the next', () => {
  const signal = new Signal();
  const first = signal.next;
  signal.notify();
  expect([first.aborted, signal.next.aborted]).toEqual([true, false]);
});

test('whoever is woken and waits again at once waits for the next', () => {
  const signal = new Signal();
  const seen: boolean[] = [];
  signal.next.addEventListener('abort', () => seen.push(signal.next.aborted));
  signal.notify();
  expect(seen).toEqual([false]);
});

test('a notification between look and wait is not missed', async () => {
  const signal = new Signal();
  const { next } = signal;
  signal.notify();
  await waitForAny(systemClock, long, next);
});

test('any of the signals ends the wait', async () => {
  const [stop, signal] = [new AbortController(), new Signal()];
  const waiting = waitForAny(systemClock, long, signal.next, stop.signal);
  stop.abort();
  await waiting;
});
