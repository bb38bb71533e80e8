/** Threads in which SQLite does the work: what they need of memory themselves is small, and stays so. */
import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

const resourceLimits = { maxYoungGenerationSizeMb: 2 };

/** Starts a thread with a small heap, which is taken from the size of the whole process. */
export function startThread(source: string | URL, options: Omit<WorkerOptions, 'resourceLimits'>): Worker {
  // The launcher's switch goes before a thread's own limit. It has done its work: the heap that it is meant for is there.
  setFlagsFromString('--max-semi-space-size=0');
  return new Worker(source, { ...options, resourceLimits });
}
