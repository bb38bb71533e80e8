/** Random bytes for what needs a few of them at a time. */
import { randomFillSync } from 'node:crypto';

/** So many draws are made ready by one call. */
const drawsPerFill = 256;

/**
 * A draw of 16 bytes costs nearly as much as one of 4,096, so that these are drawn for many at once.
 * @param bytes of each draw
 * @returns gives bytes that nobody was given before, to be read before the next draw
 */
export function makeRandomDraws(bytes: number): () => Buffer {
  const pool = Buffer.alloc(bytes * drawsPerFill);
  let offset = pool.length;
  return () => {
    if (offset === pool.length) {
      randomFillSync(pool);
      offset = 0;
    }
    const drawn = pool.subarray(offset, offset + bytes);
    offset += bytes;
    return drawn;
  };
}
