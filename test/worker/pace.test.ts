import { describe, expect, it } from 'vitest';
import { Pace } from '../../src/worker/pace.ts';

const slowDown = (pace: Pace): void => pace.hear({ kind: 'trouble', why: 'HTTP 429' }, pace.state.round);

/** Work that ends when the test says so. */
function makeWork() {
  const ends: (() => void)[] = [];
  const begin = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  return { begin, ends };
}

const settleDown = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a lane', () => {
  it('obeys a slower pace at once, leaving alone what is under way', async () => {
    const pace = new Pace(8);
    using lane = pace.openLane();
    const { begin, ends } = makeWork();
    for (let row = 0; row < 20; row += 1) void lane.run(begin);
    await settleDown();
    expect(ends.length).toBe(8);
    slowDown(pace);
    slowDown(pace);
    for (const end of ends.splice(0, 6)) end();
    await settleDown();
    expect(ends.length).toBe(2);
    ends.shift()?.();
    await settleDown();
    expect(ends.length).toBe(2);
  });

  it('takes more as soon as the pace allows it', async () => {
    const pace = new Pace(8);
    for (let troubles = 0; troubles < 3; troubles += 1) slowDown(pace);
    using lane = pace.openLane();
    const { begin, ends } = makeWork();
    for (let row = 0; row < 20; row += 1) void lane.run(begin);
    await settleDown();
    expect(ends.length).toBe(1);
    pace.hear({ kind: 'good' }, pace.state.round);
    await settleDown();
    expect(ends.length).toBe(2);
  });

  it('may have places to spare, never fewer than one', () => {
    const pace = new Pace(4);
    using ahead = pace.openLane(1.25);
    expect(ahead.run.concurrency).toBe(5);
    for (let troubles = 0; troubles < 5; troubles += 1) slowDown(pace);
    expect(ahead.run.concurrency).toBe(2);
  });

  it('that is closed is left alone', () => {
    const pace = new Pace(4);
    const lane = pace.openLane();
    lane[Symbol.dispose]();
    slowDown(pace);
    expect(lane.run.concurrency).toBe(4);
  });
});

describe('the lowest pace', () => {
  it('is that of the file, which begins with what an earlier one has left', () => {
    const pace = new Pace(8);
    expect(pace.lowest).toBeUndefined();
    slowDown(pace);
    slowDown(pace);
    pace.forgetLowest();
    expect(pace.lowest).toEqual({ limit: 2, ceiling: 8, why: 'HTTP 429' });
    for (let answers = 0; answers < 100; answers += 1) pace.hear({ kind: 'good' }, pace.state.round);
    expect(pace.lowest).toMatchObject({ limit: 2 });
    pace.forgetLowest();
    expect(pace.lowest).toBeUndefined();
  });
});
