/** Works through a stream with a bounded number of its items under way. */

/**
 * Begins no more items once one has failed.
 * @param underWayMax asked before each item
 * @param work what is done with each item
 * @param onFailure told at once what work or reading has met
 * @throws what was met first, when nothing is under way any more
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
  // A race of all that are under way would leave a mark on each of them, for each item.
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
  // Also when no more items can be read: whoever asked for this may say next that nothing of it is under way.
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}
