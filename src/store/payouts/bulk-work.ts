/**
 * Work on all rows of a batch, each in one transaction. For many rows it takes seconds: it is done by a thread with a
 * connection of its own, so that the loop goes on and its readers see what is committed, and nothing else.
 */
import { extname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { startThread } from '../../platform/thread.ts';
import { readArchivedRows, recallBatch } from '../archive/move.ts';
import { JournalLockedError, JournalRefusedError, JournalWriteError } from '../connection.ts';
import { drive, type Reading } from '../statements.ts';
import { approveBatch, holdUnapproved, readApproval, readFigures } from '../review/approvals.ts';
import { cancelUnsent, holdReady, liftHolds, releaseLikeFile } from './bulk.ts';
import { rejectBatch, startIngest } from './ingest.ts';
import { readLastRowNo } from './rows.ts';
import { seal } from './seal.ts';

const bulkWorks = {
  startIngest,
  seal,
  rejectBatch,
  holdReady,
  liftHolds,
  releaseLikeFile,
  cancelUnsent,
  recallBatch,
  holdUnapproved,
  approveBatch,
  readApproval,
  readFigures,
};

type BulkWorks = typeof bulkWorks;
type BulkName = keyof BulkWorks;
type BulkArguments<Name extends BulkName> =
  Parameters<BulkWorks[Name]> extends [DatabaseSync, ...infer Rest] ? Rest : never;

/** What a thread is started with; cloned on its way, so plain values only. */
export interface BulkOrder {
  /** Of the journal's file. */
  readonly path: string;
  readonly name: BulkName;
  /** What the work is called with, after the connection. */
  readonly asked: readonly unknown[];
}

/** What the thread says at its end; an error loses its class on the way, which has this place in `errorClasses`. */
export type BulkReply = { readonly result: unknown } | { readonly error: Error; readonly classAt: number };

export const errorClasses = [JournalLockedError, JournalWriteError, JournalRefusedError] as const;

/** Rows from which on a thread is worth its start, which takes some tenths of a second, as so many rows do. */
export const longBatchRows = 50_000;

/** Does the work on a connection, in one transaction. */
export function workOn(db: DatabaseSync, { name, asked }: Pick<BulkOrder, 'name' | 'asked'>): unknown {
  const work = bulkWorks[name] as (db: DatabaseSync, ...asked: readonly unknown[]) => unknown;
  return work(db, ...asked);
}

function* readRowsKnown(batchId: string): Reading<number> {
  return Math.max(yield* readLastRowNo(batchId), yield* readArchivedRows(batchId));
}

/** A function that does the work on a batch at once when it has few rows, and else in a thread. */
export function makeBulk(db: DatabaseSync, path: string, rowsMin: number = longBatchRows) {
  return async <Name extends BulkName>(
    batchId: string,
    name: Name,
    ...asked: BulkArguments<Name>
  ): Promise<ReturnType<BulkWorks[Name]>> => {
    const isShort = drive(db, readRowsKnown(batchId)) < rowsMin;
    const result = isShort ? workOn(db, { name, asked }) : await workInThread({ path, name, asked });
    return result as ReturnType<BulkWorks[Name]>;
  };
}

/** As this module's own: the program runs as it is written, and as it is built. */
const threadUrl = new URL(`./bulk-thread${extname(import.meta.filename)}`, import.meta.url);

/** A thread that ends without a word has committed all or nothing: whoever asks the journal again learns which. */
async function workInThread(order: BulkOrder): Promise<unknown> {
  const reply = await new Promise<BulkReply>((resolve, reject) => {
    const thread = startThread(threadUrl, { workerData: order });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error(`the thread of ${order.name} has ended without a result`)));
  });
  if ('result' in reply) return reply.result;
  const { error, classAt } = reply;
  const Class = errorClasses[classAt];
  throw Class === undefined ? error : new Class(error.message, { cause: error });
}
