import { assert, double, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decideNextTry,
  deliverNotices,
  deliverNoticesOnce,
  type NoticeContext,
} from '../../src/notify/delivery.ts';
import type { NoticeStore } from '../../src/notify/ports.ts';
import type { DueNotice, NoticeChannel, NoticeSender } from '../../src/notify/rules/notice.ts';
import { Signal } from '../../src/platform/signal.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { never } from '../support/notices.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { noticeOf } from '../support/store-fixtures.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

type Verdict = Awaited<ReturnType<NoticeSender['send']>>;
type Answer = (notice: DueNotice, stop: AbortSignal) => Verdict | Promise<Verdict>;

const ok: Verdict = { ok: true };
const refused: Verdict = { ok: false, why: 'HTTP 500' };
const day = 86_400_000;

/** Never answers until it is told to stop, as the real ones do. */
const hang: Answer = (_notice, stop) =>
  new Promise((resolve) => {
    const end = (): void => resolve({ ok: false, why: 'interrupted' });
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
  });

/** A post office on a real store: what was tried, when, and what was logged. */
async function openPost(answers: Partial<Record<NoticeChannel, Answer>>) {
  const opened = await makeSqliteStore();
  const clock = makeVirtualClock(noonMs);
  const tried: string[] = [];
  const logged: string[] = [];
  const most: Record<string, number> = {};
  const underWay: Record<string, number> = {};
  const channels = Object.keys(answers) as NoticeChannel[];
  const senders = channels.map((channel): NoticeSender => {
    return {
      channel,
      async send(notice, stop) {
        tried.push(`${channel} ${notice.key} ${(clock.now() - noonMs) / 1000}`);
        underWay[channel] = (underWay[channel] ?? 0) + 1;
        most[channel] = Math.max(most[channel] ?? 0, underWay[channel]);
        try {
          return (await answers[channel]?.(notice, stop)) ?? ok;
        } finally {
          underWay[channel] -= 1;
        }
      },
    };
  });
  const { store } = opened;
  const context: NoticeContext = {
    store,
    senders,
    clock,
    log: (level, message, facts) => void logged.push(`${level} ${message} ${JSON.stringify(facts)}`),
    random: () => 0,
  };
  return {
    store,
    clock,
    tried,
    logged,
    most,
    context,
    add: (key: string) => store.addNotice(noticeOf(key, { atMs: clock.now() }), channels),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

type Post = Awaited<ReturnType<typeof openPost>>;

/** Runs the loop while `act` does something, then stops it. */
async function whilePosting(
  post: Post,
  act: (news: Signal, stop: AbortController) => Promise<void>,
  context: NoticeContext = post.context,
): Promise<void> {
  const news = new Signal();
  const stop = new AbortController();
  const posting = deliverNotices(context, news, stop.signal);
  await act(news, stop);
  stop.abort();
  await post.clock.advance(5_000);
  await posting;
  expect(post.clock.sleepers).toBe(0);
}

describe('the loop', () => {
  test('delivers what is due, the oldest first, on each channel', async () => {
    await using post = await openPost({ webhook: () => ok, command: () => ok });
    for (const key of ['a', 'b', 'c']) await post.add(key);
    await whilePosting(post, () => post.clock.advance(1));
    expect(post.tried.filter((one) => one.startsWith('webhook'))).toEqual(
      ['a', 'b', 'c'].map((key) => `webhook ${key} 0`),
    );
    expect(post.tried.filter((one) => one.startsWith('command'))).toHaveLength(3);
    expect(await post.store.nextNoticeAtMs()).toBeUndefined();
  });

  test('tries again with growing waits and is not in the way of others meanwhile', async () => {
    let failures = 3;
    await using post = await openPost({
      webhook: ({ key }) => (key === 'bad' && (failures -= 1) >= 0 ? refused : ok),
    });
    for (const key of ['bad', 'good']) await post.add(key);
    await whilePosting(post, () => post.clock.advance(100_000));
    expect(post.tried).toEqual(
      [0, 5, 15, 35].map((atS) => `webhook bad ${atS}`).toSpliced(1, 0, 'webhook good 0'),
    );
    expect(post.logged.filter((line) => line.startsWith('warn'))).toHaveLength(3);
    expect(post.logged[0]).toMatch(/^warn .*"tries":1,"why":"HTTP 500"/);
    expect(post.logged.at(-1)).toMatch(/^info notice delivered .*"tries":4/);
  });

  test('wakes when it is rung, also while it looks', async () => {
    await using post = await openPost({ webhook: () => ok });
    const seen: Signal[] = [];
    let isAdded = false;
    const store: NoticeStore = {
      ...post.store,
      async nextNoticeAtMs(channel) {
        const nextAtMs = await post.store.nextNoticeAtMs(channel);
        if (nextAtMs === undefined && !isAdded) {
          isAdded = true;
          await post.add('meanwhile');
          seen[0]?.notify();
        }
        return nextAtMs;
      },
    };
    await whilePosting(
      post,
      async (news) => {
        seen.push(news);
        await post.clock.advance(1_000);
        await post.add('later');
        news.notify();
        await post.clock.advance(1_000);
      },
      { ...post.context, store },
    );
    expect(post.tried).toEqual(['webhook meanwhile 0', 'webhook later 1']);
  });

  test('finds within a minute what another process has left, though another waits for longer', async () => {
    await using post = await openPost({ webhook: () => ok });
    await post.add('far');
    await post.store.recordDelivery(1, 'webhook', { kind: 'later', nextAtMs: noonMs + 1_800_000, why: 'x' });
    await whilePosting(post, async () => {
      await post.clock.advance(1_000);
      await post.add('left');
      await post.clock.advance(59_000);
    });
    expect(post.tried).toEqual(['webhook left 60']);
  });

  test('a channel that hangs does not hold up the other, and has one notice under way', async () => {
    await using post = await openPost({ webhook: hang, command: () => ok });
    for (const key of ['a', 'b']) await post.add(key);
    await whilePosting(post, async (news) => {
      await post.clock.advance(1_000);
      news.notify();
      await post.clock.advance(1_000);
    });
    expect(post.tried.toSorted()).toEqual(['command a 0', 'command b 0', 'webhook a 0']);
    expect(post.most).toEqual({ webhook: 1, command: 1 });
  });

  test('gives up in the end, loudly', async () => {
    await using post = await openPost({ webhook: () => refused });
    await post.add('a');
    await whilePosting(post, () => post.clock.advance(4 * day));
    expect(post.tried.length).toBeGreaterThan(70);
    expect(post.logged.filter((line) => line.startsWith('error'))).toEqual([
      expect.stringMatching(/^error notice not delivered and given up .*"why":"HTTP 500"/),
    ]);
    expect(await post.store.nextNoticeAtMs()).toBeUndefined();
  });

  test('gives up at once what nobody wants, and goes on', async () => {
    await using post = await openPost({
      webhook: ({ key }) => (key === 'a' ? { ok: false, why: 'HTTP 410', isFinal: true } : ok),
    });
    for (const key of ['a', 'b']) await post.add(key);
    await whilePosting(post, () => post.clock.advance(1));
    expect(post.tried).toEqual(['webhook a 0', 'webhook b 0']);
    expect(await post.store.nextNoticeAtMs()).toBeUndefined();
  });

  test('survives a sender that breaks its word', async () => {
    let isBroken = true;
    await using post = await openPost({
      webhook: () => {
        if (!isBroken) return ok;
        isBroken = false;
        throw new Error('a bug');
      },
    });
    await post.add('a');
    await whilePosting(post, () => post.clock.advance(5_000));
    expect(post.tried).toEqual(['webhook a 0', 'webhook a 5']);
  });

  test('does not wait for a clock that was set back', async () => {
    await using post = await openPost({ webhook: () => ok });
    await post.add('a');
    await post.store.recordDelivery(1, 'webhook', { kind: 'later', nextAtMs: noonMs + 5_000, why: 'x' });
    post.clock.set(noonMs - day);
    await whilePosting(post, () => post.clock.advance(1));
    expect(post.tried).toEqual([`webhook a ${-day / 1000}`]);
  });

  test('leaves alone what is for a channel that is not there any more', async () => {
    await using post = await openPost({ command: () => ok });
    await post.store.addNotice(noticeOf('a'), ['webhook']);
    await whilePosting(post, () => post.clock.advance(120_000));
    expect(post.tried).toEqual([]);
  });
});

describe('a store that fails', () => {
  test('is tried again, and no notice is sent twice for it', async () => {
    await using post = await openPost({ webhook: () => ok });
    await post.add('a');
    let failures = 3;
    const store: NoticeContext['store'] = {
      ...post.store,
      recordDelivery: async (...result) => {
        failures -= 1;
        if (failures >= 0) throw new Error('the disk is full');
        await post.store.recordDelivery(...result);
      },
    };
    await whilePosting(post, () => post.clock.advance(90_000), { ...post.context, store });
    expect(post.tried).toEqual(['webhook a 0']);
    expect(post.logged.filter((line) => line.startsWith('error'))).toHaveLength(3);
    expect(await post.store.nextNoticeAtMs()).toBeUndefined();
  });

  test('ends a single round without throwing', async () => {
    await using post = await openPost({ webhook: () => ok });
    await post.add('a');
    const store: NoticeContext['store'] = {
      ...post.store,
      dueNotices: () => Promise.reject(new Error('it is locked')),
    };
    await deliverNoticesOnce({ ...post.context, store }, 1_000, never);
    expect(post.logged).toEqual([expect.stringMatching(/^error notices cannot be read/)]);
  });
});

describe('stopping the loop', () => {
  test('begins nothing more and lets what is under way end', async () => {
    const answered = Promise.withResolvers<Verdict>();
    await using post = await openPost({
      webhook: (notice, stop) => Promise.race([answered.promise, hang(notice, stop)]),
    });
    for (const key of ['a', 'b']) await post.add(key);
    await whilePosting(post, async (_news, stop) => {
      await post.clock.advance(1);
      stop.abort();
      await post.clock.advance(4_000);
      answered.resolve(ok);
    });
    expect(post.tried).toEqual(['webhook a 0']);
    expect((await post.store.dueNotices(noonMs, 10)).map(({ key }) => key)).toEqual(['b']);
  });

  test('cuts it short after a while, which is no failed try', async () => {
    await using post = await openPost({ webhook: hang });
    await post.add('a');
    await whilePosting(post, () => post.clock.advance(1));
    expect(await post.store.dueNotices(noonMs, 10)).toMatchObject([{ key: 'a', tries: 0 }]);
  });

  test('before it has begun ends it at once', async () => {
    await using post = await openPost({ webhook: () => ok });
    await post.add('a');
    await deliverNotices(post.context, new Signal(), AbortSignal.abort());
    expect(post.tried).toEqual([]);
  });
});

describe('a single round', () => {
  test('tries everything that is due once', async () => {
    await using post = await openPost({ webhook: () => refused, command: () => ok });
    for (let no = 1; no <= 45; no += 1) await post.add(`n${no}`);
    await deliverNoticesOnce(post.context, 10_000, never);
    expect(post.tried).toHaveLength(90);
    expect(new Set(post.tried).size).toBe(90);
    expect(await post.store.nextNoticeAtMs('command')).toBeUndefined();
    expect(await post.store.nextNoticeAtMs('webhook')).toBe(noonMs + 5_000);
    expect(post.clock.sleepers).toBe(0);
  });

  test.each([
    ['when the time is over', (post: Post) => post.clock.advance(2_000)],
    ['when it is stopped', async (_post: Post, stop: AbortController) => stop.abort()],
  ])('ends %s; what is left waits for the next process', async (_name, act) => {
    await using post = await openPost({ webhook: hang, command: () => ok });
    for (const key of ['a', 'b']) await post.add(key);
    const stop = new AbortController();
    const round = deliverNoticesOnce(post.context, 2_000, stop.signal);
    await post.clock.advance(1_000);
    await act(post, stop);
    await round;
    expect(await post.store.dueNotices(noonMs, 10)).toMatchObject([
      { key: 'a', channel: 'webhook', tries: 0 },
      { key: 'b', channel: 'webhook', tries: 0 },
    ]);
  });

  test('has nothing to do without a channel', async () => {
    await using post = await openPost({});
    await deliverNoticesOnce(post.context, 1_000, never);
    expect(post.tried).toEqual([]);
  });
});

describe('the tries', () => {
  const failed = { ok: false, why: 'HTTP 500' } as const;

  test('wait twice as long each time, up to an hour', () => {
    const waits = [0, 1, 2, 9, 10, 2_000].map((tries) => {
      const next = decideNextTry({ tries, atMs: noonMs }, failed, noonMs, 0);
      return next.kind === 'later' ? next.nextAtMs - noonMs : next.kind;
    });
    expect(waits).toEqual([5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000]);
  });

  test('are spread out, and never before or beyond their bounds', () => {
    const chance = double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    assert(
      property(integer({ min: 0, max: 200 }), chance, (tries, drawn) => {
        const next = decideNextTry({ tries, atMs: noonMs }, failed, noonMs, drawn);
        if (next.kind !== 'later') return false;
        const waitMs = next.nextAtMs - noonMs;
        return waitMs >= 3_750 && waitMs <= 3_600_000 && Number.isInteger(waitMs);
      }),
    );
    const drawn = decideNextTry({ tries: 1, atMs: noonMs }, failed, noonMs, 0.5);
    expect(drawn).toEqual({ kind: 'later', nextAtMs: noonMs + 8_750, why: 'HTTP 500' });
  });

  test.each([
    ['after three days', 80, 3 * day, 'given-up'],
    ['not a moment earlier', 80, 3 * day - 1, 'later'],
    ['not before the tenth failure, however late the first try was', 8, 30 * day, 'later'],
    ['at the tenth failure', 9, 30 * day, 'given-up'],
    ['not when the clock was set back', 80, -30 * day, 'later'],
  ])('end %s', (_name, tries, ageMs, kind) => {
    expect(decideNextTry({ tries, atMs: noonMs - ageMs }, failed, noonMs, 0).kind).toBe(kind);
  });

  test('end at once when no more notices are wanted', () => {
    const gone = { why: 'HTTP 410', isFinal: true } as const;
    expect(decideNextTry({ tries: 0, atMs: noonMs }, gone, noonMs, 0)).toEqual({
      kind: 'given-up',
      why: 'HTTP 410',
    });
  });
});
