/** Random bytes for uses that need a few at a time. */
import { randomFillSync } from 'node:crypto';

/** Draws prepared by one call. */
const drawsPerFill = 256;

/**
 * Makes a source of random bytes. A draw of 16 bytes costs nearly as much as one of 4,096, so many draws are prepared
 * at once.
 * @param bytes of each draw
 * @returns a function that returns new bytes, to be read before the next draw
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
