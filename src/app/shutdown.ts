/** Ends a watcher after a request to stop: within its time of grace, whatever hangs. */
import type { Clock } from '../core/ports.ts';
import type { Logger } from '../platform/log.ts';

/**
 * Waits for the work to end; once `stop` aborts, for no longer than the time of grace.
 * @returns false when that time was over first
 * @throws what the work throws
 */
export async function endWithin(
  graceMs: number,
  stop: AbortSignal,
  clock: Pick<Clock, 'sleep'>,
  work: Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<false>();
  const wait = (): void => void clock.sleep(graceMs, over.signal).then(() => resolve(false));
  if (stop.aborted) wait();
  else stop.addEventListener('abort', wait, { once: true, signal: over.signal });
  try {
    return await Promise.race([work.then(() => true), stopped]);
  } finally {
    over.abort();
  }
}

/** Time for which a request to the file system may still end. */
const lastWaitMs = 2_000;
const lastPollMs = 50;

/**
 * True when each look found a request to the file system under way. A process that waits for one cannot exit: the system's
 * own end joins the thread that hangs.
 * @param listRequests names of requests under way, as process.getActiveResourcesInfo has them @forTests
 */
export async function isFileSystemStuck(
  clock: Pick<Clock, 'sleep'>,
  listRequests: () => readonly string[] = () => process.getActiveResourcesInfo(),
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < lastWaitMs; waitedMs += lastPollMs) {
    if (!listRequests().some((name) => name.startsWith('FSReq'))) return false;
    await clock.sleep(lastPollMs);
  }
  return true;
}

/**
 * Ends the process although its work has not ended: what is in flight is on record, and the next start inquires about
 * it. Exit 0; by SIGKILL where the file system does not answer, since no other end is possible then.
 * @param release gives the sender lock back, where this process owns it; nothing is sent after that
 */
export async function endNow(log: Logger, clock: Pick<Clock, 'sleep'>, release: () => void): Promise<void> {
  log.warn('the time of grace is over: what is still in flight is settled at the next start');
  const isStuck = await isFileSystemStuck(clock);
  if (isStuck)
    log.error('a file system does not answer: this process can only be killed, and does so itself');
  // Synchronous, so that nothing can be sent in between: from here on another process may own the lock.
  try {
    release();
  } finally {
    if (isStuck) process.kill(process.pid, 'SIGKILL');
    // oxlint-disable-next-line unicorn/no-process-exit
    else process.exit(0);
  }
}
