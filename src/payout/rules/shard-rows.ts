/** How many rows of a batch a machine takes at a time. */

/** A shard is what a machine pays in this time: claims are few, and all machines end at about the same time. */
export const shardMs = 200;

const rowsMin = 50;
/** A machine that dies leaves no more than these waiting for the end of its lease. */
const rowsMax = 400;

/**
 * @param done rows that the machine was done with
 * @param elapsedMs in this time
 */
export const computeShardRows = (done: number, elapsedMs: number): number =>
  Math.min(Math.max(Math.ceil((done * shardMs) / elapsedMs), rowsMin), rowsMax);
