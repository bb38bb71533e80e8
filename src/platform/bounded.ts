/** Processes a stream with a bounded number of items under way. */

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
