/** How many rows of a batch a machine takes at a time: few enough that all machines end at about the same time. */

/** So long it counts what it is done with before it says how quick it is. */
export const measureMs = 200;

/** Who is quick takes what it pays in this time: while rows are given out, nothing else is written in the journal. */
const shardMs = 400;

/** As many as a machine that is not quick takes at most. */
const rowsUsual = 50;

/** Who is slow takes what it pays in this time: so often it looks whether another has left rows. */
const slowShardMs = 2_000;

/** As many as a machine takes that has paid nothing yet: it may be slow. */
export const rowsMin = 10;

/** A machine that dies leaves no more than these of a shard waiting for the end of its lease. */
const rowsMax = 800;

/** As many as the places for them take up, and as many for each of the intents that may be recorded ahead of one. */
const rowsPerPlaceMax = 4;

/** How many rows a machine has under way and made ready ahead: no more than it comes to soon. */
export const computeRowsAhead = (done: number, elapsedMs: number, places: number): number =>
  Math.min(Math.max(Math.ceil((done * slowShardMs) / elapsedMs), places), rowsPerPlaceMax * places);

/**
 * @param done rows that the machine was done with
 * @param elapsedMs in this time
 */
export function computeShardRows(done: number, elapsedMs: number): number {
  const payIn = (ms: number): number => Math.ceil((done * ms) / elapsedMs);
  const rows = Math.max(payIn(shardMs), Math.min(payIn(slowShardMs), rowsUsual));
  return Math.min(Math.max(rows, rowsMin), rowsMax);
}
