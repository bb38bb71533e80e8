/** Processes many items with a bounded number of them under way. */
import { setImmediate } from 'node:timers/promises';

/**
 * Processes each item; begins no more once one has failed.
 * @param underWayMax asked before each item
 * @param work processes one item
 * @param onFailure called at once with a failure of work or reading
 * @throws the first failure, when no item is under way any more
 */
export async function forEachBounded<Item>(
  items: AsyncIterable<Item>,
  underWayMax: () => number,
  work: (item: Item) => Promise<void>,
  onFailure: (error: unknown) => void = () => {},
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const note = (error: unknown): void => {
    failures.push(error);
    onFailure(error);
  };
  // A Promise.race over all items would add a reaction to each of them for each new item.
  let ended = Promise.withResolvers<void>();
  try {
    for await (const item of items) {
      const task: Promise<void> = work(item)
        .catch(note)
        .finally(() => {
          underWay.delete(task);
          ended.resolve();
        });
      underWay.add(task);
      while (underWay.size >= underWayMax()) {
        ended = Promise.withResolvers();
        await ended.promise;
      }
      if (failures.length > 0) break;
    }
  } catch (error) {
    note(error);
  }
  // Also awaited when reading fails: the caller may rely on no item being under way.
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}

/** The items that go at once: a database answers their reads together, and other work has its turn after them. */
const itemsAtOnce = 100;

/**
 * Maps each item, many at once.
 * @returns the results in the order of the items
 * @throws the first failure, when none of the items is under way any more
 */
export async function mapManyAtOnce<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += itemsAtOnce) {
    if (from > 0) await setImmediate();
    for (const one of await Promise.allSettled(items.slice(from, from + itemsAtOnce).map(map))) {
      if (one.status === 'rejected') throw one.reason;
      results.push(one.value);
    }
  }
  return results;
}
