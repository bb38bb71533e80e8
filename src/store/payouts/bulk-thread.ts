/** The thread that works on a batch of many rows: does its one order, says how it went, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { asWriteError, bulkCacheKib, openConnection } from '../connection.ts';
import { type BulkOrder, type BulkReply, errorClasses, workOn } from './bulk-work.ts';

function carryOut(order: BulkOrder): BulkReply {
  try {
    using db = openConnection(order.path);
    db.exec(`pragma cache_size = -${bulkCacheKib}`);
    return { result: workOn(db, order) };
  } catch (raised) {
    const error = asWriteError(raised) as Error;
    return { error, classAt: errorClasses.findIndex((of) => error instanceof of) };
  }
}

parentPort?.postMessage(carryOut(workerData as BulkOrder), []);
