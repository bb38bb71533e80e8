import { describe, expect, test } from 'vitest';
import { AdaptiveLimit } from '../../src/payout/adaptive-limit.ts';

const slowDown = (limit: AdaptiveLimit): void =>
  limit.observe({ kind: 'trouble', why: 'HTTP 429' }, limit.state.round);

/** Work that ends when the test says so. */
function makeWork() {
  const ends: (() => void)[] = [];
  const begin = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  return { begin, ends };
}

const settleDown = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a lane', () => {
  test('obeys a slower pace at once, leaving alone what is under way', async () => {
    const limit = new AdaptiveLimit(8);
    const lane = limit.openLane();
    const { begin, ends } = makeWork();
    for (let row = 0; row < 20; row += 1) void lane(begin);
    await settleDown();
    expect(ends.length).toBe(8);
    slowDown(limit);
    slowDown(limit);
    for (const end of ends.splice(0, 6)) end();
    await settleDown();
    expect(ends.length).toBe(2);
    ends.shift()?.();
    await settleDown();
    expect(ends.length).toBe(2);
  });

  test('takes more as soon as the pace allows it', async () => {
    const limit = new AdaptiveLimit(8);
    for (let troubles = 0; troubles < 3; troubles += 1) slowDown(limit);
    const lane = limit.openLane();
    const { begin, ends } = makeWork();
    for (let row = 0; row < 20; row += 1) void lane(begin);
    await settleDown();
    expect(ends.length).toBe(1);
    limit.observe({ kind: 'good' }, limit.state.round);
    await settleDown();
    expect(ends.length).toBe(2);
  });

  test('may have places to spare, never fewer than one', async () => {
    const limit = new AdaptiveLimit(4);
    const ahead = limit.openLane('ahead');
    const { begin, ends } = makeWork();
    for (let row = 0; row < 20; row += 1) void ahead(begin);
    await settleDown();
    expect(ends.length).toBe(5);
    for (let troubles = 0; troubles < 5; troubles += 1) slowDown(limit);
    for (const end of ends.splice(0, 5)) end();
    await settleDown();
    expect(ends.length).toBe(2);
  });

  test('makes as many ready ahead as are sent while a commit lasts, as soon as that is known', async () => {
    const limit = new AdaptiveLimit(8);
    const ahead = limit.openLane('ahead');
    const { begin, ends } = makeWork();
    for (let row = 0; row < 40; row += 1) void ahead(begin);
    await settleDown();
    expect(ends.length).toBe(10);
    limit.noteTime('commitMs', 15);
    limit.noteTime('sendMs', 30);
    await settleDown();
    expect(ends.length).toBe(12);
    for (let sends = 0; sends < 100; sends += 1) limit.noteTime('sendMs', 15);
    await settleDown();
    expect(ends.length).toBe(16);
    limit.noteMachines(12);
    for (const end of ends.splice(0, 8)) end();
    await settleDown();
    expect(ends.length).toBe(10);
    limit.noteMachines(1);
    await settleDown();
    expect(ends.length).toBe(16);
    // The bank has become slow: fewer wait for it.
    for (let sends = 0; sends < 200; sends += 1) limit.noteTime('sendMs', 400);
    for (const end of ends.splice(0, 10)) end();
    await settleDown();
    expect(ends.length).toBe(10);
  });

  test('has its places in common with the other lanes of the process', async () => {
    const limit = new AdaptiveLimit(4);
    const { begin, ends } = makeWork();
    for (const lane of [limit.openLane(), limit.openLane()])
      for (let row = 0; row < 9; row += 1) void lane(begin);
    await settleDown();
    expect(ends.length).toBe(4);
  });

  test('takes turns with the others: a long queue keeps nobody waiting', async () => {
    const limit = new AdaptiveLimit(2);
    const order: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      order.push(name);
      await settleDown();
    };
    const [long, short] = [limit.openLane(), limit.openLane()];
    const all = Array.from({ length: 50 }, () => long(work('long')));
    all.push(...Array.from({ length: 3 }, () => short(work('short'))));
    await Promise.all(all);
    expect(order.lastIndexOf('short')).toBeLessThan(10);
    expect(order).toHaveLength(53);
  });

  test('gives the place of work that throws to the next', async () => {
    const lane = new AdaptiveLimit(1).openLane();
    const failing = lane(() => Promise.reject(new Error('broken')));
    const next = lane(async () => 'done');
    await expect(failing).rejects.toThrow('broken');
    await expect(next).resolves.toBe('done');
  });
});

describe('the lowest pace', () => {
  test('is that of the file, which begins with what an earlier one has left', () => {
    const limit = new AdaptiveLimit(8);
    expect(limit.lowest).toBeUndefined();
    slowDown(limit);
    slowDown(limit);
    limit.forgetLowest();
    expect(limit.lowest).toEqual({ limit: 2, ceiling: 8, why: 'HTTP 429' });
    for (let answers = 0; answers < 100; answers += 1) limit.observe({ kind: 'good' }, limit.state.round);
    expect(limit.lowest).toMatchObject({ limit: 2 });
    limit.forgetLowest();
    expect(limit.lowest).toBeUndefined();
  });
});
