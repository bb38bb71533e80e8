/** Number of rows that a machine takes at a time: small enough that all machines end at about the same time. */

/** Time in ms over which a machine measures its speed. */
export const measureMs = 200;

/** Pay time in ms of a fast machine's shard: while rows are given out, the journal accepts no other writes. */
const shardMs = 400;

/** Most rows of a shard for a machine that is not fast. */
const rowsUsual = 50;

/** Pay time in ms of a slow machine's shard, and so its interval of checks for rows that others have left. */
const slowShardMs = 2_000;

/** Rows of the first shard of a machine, which may be slow. */
export const rowsMin = 10;

/** Most rows of a shard: no more wait for the end of the lease of a machine that dies. */
const rowsMax = 800;

/** Rows per place: those that occupy the places, and as many for each intent that may be recorded ahead. */
const rowsPerPlaceMax = 4;

/** Number of rows that a machine has under way or ready ahead: no more than it can pay soon. */
export const computeRowsAhead = (done: number, elapsedMs: number, places: number): number =>
  Math.min(Math.max(Math.ceil((done * slowShardMs) / elapsedMs), places), rowsPerPlaceMax * places);

/**
 * Number of rows of the next shard.
 * @param done rows completed
 * @param elapsedMs time that they took
 */
export function computeShardRows(done: number, elapsedMs: number): number {
  const payIn = (ms: number): number => Math.ceil((done * ms) / elapsedMs);
  const rows = Math.max(payIn(shardMs), Math.min(payIn(slowShardMs), rowsUsual));
  return Math.min(Math.max(rows, rowsMin), rowsMax);
}
