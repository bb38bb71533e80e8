/** Threads in which SQLite does the work: their own memory is small, and stays so. */
import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

const resourceLimits = { maxYoungGenerationSizeMb: 2 };

/** Starts a thread with a small heap, which counts toward the size of the whole process. */
export function startThread(source: string | URL, options: Omit<WorkerOptions, 'resourceLimits'>): Worker {
  // The launcher's switch would override a thread's own limit. It is no longer needed: the main heap exists by now.
  setFlagsFromString('--max-semi-space-size=0');
  return new Worker(source, { ...options, resourceLimits });
}
