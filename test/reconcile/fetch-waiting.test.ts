/** Waiting for a statement holds nothing that another process might need. */
import { expect, test } from 'vitest';
import type { Clock } from '../../src/core/ports.ts';
import { askLettingGo, type Fetched } from '../../src/reconcile/fetch.ts';

const fetched = { kind: 'fetched', source: { date: '20261120' } } as unknown as Fetched;
const notFound: Fetched = { kind: 'not-found' };

/** A bank that answers in this order, then always the same; what happens is written down. */
function openScene(answers: readonly Fetched[]) {
  const events: string[] = [];
  let nowMs = 0;
  let tries = 0;
  const clock: Clock = {
    now: () => nowMs,
    elapsedMs: () => nowMs,
    sleep: (ms) => {
      events.push(`sleep ${ms}`);
      nowMs += ms;
      return Promise.resolve();
    },
  };
  const open = () => {
    events.push('open');
    return Promise.resolve({
      [Symbol.asyncDispose]: () => {
        events.push('close');
        return Promise.resolve();
      },
    });
  };
  const fetch = () => {
    const answer = answers[Math.min(tries, answers.length - 1)] ?? notFound;
    tries += 1;
    events.push(answer.kind);
    return Promise.resolve(answer);
  };
  return { events, clock, open, fetch };
}

const never = new AbortController().signal;

test('the right to send is let go of between tries, and kept once the statement is there', async () => {
  const { events, clock, open, fetch } = openScene([notFound, notFound, fetched]);
  const asked = await askLettingGo(open, fetch, { clock, waitMs: 3_600_000, stop: never });
  const miss = ['open', 'not-found', 'close', 'sleep 60000'];
  expect(events).toEqual([...miss, ...miss, 'open', 'fetched']);
  expect(asked.fetched).toBe(fetched);
  await asked.opened?.[Symbol.asyncDispose]();
  expect(events.at(-1)).toBe('close');
});

test.each([
  ['not waited for', 0, ['open', 'not-found', 'close']],
  [
    'not there in time',
    90_000,
    [
      'open',
      'not-found',
      'close',
      'sleep 60000',
      'open',
      'not-found',
      'close',
      'sleep 30000',
      'open',
      'not-found',
      'close',
    ],
  ],
])('nothing stays open for one that is %s', async (_, waitMs, expected) => {
  const { events, clock, open, fetch } = openScene([notFound]);
  const asked = await askLettingGo(open, fetch, { clock, waitMs, stop: never });
  expect({ events, opened: asked.opened }).toEqual({ events: expected, opened: undefined });
});

test('who is stopped while waiting does not ask again', async () => {
  const { events, clock, open, fetch } = openScene([notFound, fetched]);
  const stop = new AbortController();
  const stopped: Clock = {
    ...clock,
    sleep: () => {
      stop.abort();
      return Promise.resolve();
    },
  };
  const asked = await askLettingGo(open, fetch, { clock: stopped, waitMs: 60_000, stop: stop.signal });
  expect({ events, kind: asked.fetched.kind }).toEqual({
    events: ['open', 'not-found', 'close'],
    kind: 'unavailable',
  });
});

test('a try that fails closes what it opened', async () => {
  const { events, clock, open } = openScene([]);
  const fetch = () => Promise.reject(new Error('the disk is full'));
  await expect(askLettingGo(open, fetch, { clock, waitMs: 60_000, stop: never })).rejects.toThrow('full');
  expect(events).toEqual(['open', 'close']);
});
