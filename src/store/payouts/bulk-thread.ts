/** The thread that works on a batch of many rows: does its one order, says how it went, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { asWriteError, JournalLockedError, JournalWriteError, openConnection } from '../connection.ts';
import { type BulkOrder, type BulkReply, workOn } from './bulk-work.ts';

function classify(error: unknown): 'locked' | 'write' | undefined {
  if (error instanceof JournalLockedError) return 'locked';
  return error instanceof JournalWriteError ? 'write' : undefined;
}

function carryOut(order: BulkOrder): BulkReply {
  try {
    using db = openConnection(order.path);
    return { kind: 'done', result: workOn(db, order) };
  } catch (raised) {
    const error = asWriteError(raised);
    return { kind: 'failed', error, class: classify(error) };
  }
}

parentPort?.postMessage(carryOut(workerData as BulkOrder), []);
