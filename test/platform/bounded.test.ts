/** Work on a stream with a bounded number of its items under way. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { forEachBounded, mapManyAtOnce } from '../../src/platform/bounded.ts';

async function* count(to: number): AsyncGenerator<number> {
  for (let item = 1; item <= to; item += 1) yield item;
}

/** Work that ends when it is told to. */
function openWork() {
  const ends = new Map<number, PromiseWithResolvers<void>>();
  const begun: number[] = [];
  const work = (item: number): Promise<void> => {
    begun.push(item);
    const end = Promise.withResolvers<void>();
    ends.set(item, end);
    return end.promise;
  };
  return {
    begun,
    work,
    end: (item: number) => ends.get(item)?.resolve(),
    fail: (item: number) => ends.get(item)?.reject(new Error(`item ${item}`)),
  };
}

describe('a bounded number of items under way', () => {
  test('begins the next one whenever any of them ends, whichever it is', async () => {
    const { begun, work, end } = openWork();
    const whole = forEachBounded(count(5), () => 2, work);
    await turn();
    expect(begun).toEqual([1, 2]);
    end(2);
    await turn();
    expect(begun).toEqual([1, 2, 3]);
    end(1);
    end(3);
    await turn();
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    end(4);
    end(5);
    await expect(whole).resolves.toBeUndefined();
  });

  test('ends when nothing is under way any more', async () => {
    const { work, end } = openWork();
    let isOver = false;
    const whole = forEachBounded(count(2), () => 4, work).then(() => void (isOver = true));
    await turn();
    end(1);
    await turn();
    expect(isOver).toBe(false);
    end(2);
    await whole;
  });

  test('begins none after a failure, and tells of it when the others have ended', async () => {
    const { begun, work, end, fail } = openWork();
    let met: unknown;
    const whole = forEachBounded(count(9), () => 2, work).catch((error: unknown) => void (met = error));
    await turn();
    fail(1);
    await turn();
    expect([begun.length < 4, met]).toEqual([true, undefined]);
    for (const item of begun) end(item);
    await whole;
    expect(met).toEqual(new Error('item 1'));
  });

  test('a stream that breaks is told of when nothing is under way', async () => {
    const { work, end } = openWork();
    async function* breaking(): AsyncGenerator<number> {
      yield 1;
      throw new Error('the stream broke');
    }
    let met: unknown;
    const whole = forEachBounded(breaking(), () => 4, work).catch((error: unknown) => void (met = error));
    await turn();
    expect(met).toBeUndefined();
    end(1);
    await whole;
    expect(met).toEqual(new Error('the stream broke'));
  });

  test('work that throws at once is a failure like any other', async () => {
    const failing = (): Promise<void> => {
      throw new Error('at once');
    };
    await expect(forEachBounded(count(3), () => 1, failing)).rejects.toThrow('at once');
  });
});

test('many at once become what they become in their order, and no more than a turn takes are under way', async () => {
  let [underWay, most] = [0, 0];
  const items = Array.from({ length: 250 }, (_, place) => place);
  const doubled = await mapManyAtOnce(items, async (item) => {
    most = Math.max(most, (underWay += 1));
    await turn();
    underWay -= 1;
    return item * 2;
  });
  expect(doubled).toEqual(items.map((item) => item * 2));
  expect(most).toBe(100);
});
