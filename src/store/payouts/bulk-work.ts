/**
 * Work on all rows of a batch, each in one transaction. On SQLite it takes seconds for many rows: there it is done by a
 * thread with a connection of its own, so that the loop goes on and its readers see what is committed, and nothing else.
 */
import { extname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { startThread } from '../../platform/thread.ts';
import { readArchivedRows } from '../archive/archived.ts';
import { recallBatch } from '../archive/move.ts';
import { inTransaction, JournalLockedError, JournalRefusedError, JournalWriteError } from '../connection.ts';
import { type Engine, makeSqliteEngine } from '../engine.ts';
import {
  approveBatch,
  holdUnapproved,
  readApproval,
  readFigures,
  UnsignedApprovalError,
} from '../review/approvals.ts';
import { readGoingOn } from '../review/going-on.ts';
import { readLookBack } from '../review/look-back.ts';
import { type Body, drive, type Reading } from '../statements.ts';
import type { WriteQueue } from '../write-queue.ts';
import { cancelUnsent, hasAny, holdReady, liftHolds } from './bulk.ts';
import { releaseLikeFile } from './like-file.ts';
import { readSealByStretches, readSealNow } from './digests.ts';
import { rejectBatch, seal, startIngest } from './ingest.ts';
import { readLastRowNo } from './rows.ts';

const bulkBodies = {
  startIngest,
  seal,
  rejectBatch,
  holdReady,
  liftHolds,
  releaseLikeFile,
  cancelUnsent,
  holdUnapproved,
  approveBatch,
  readApproval,
  readFigures,
  readGoingOn,
  readLookBack,
  readSealNow,
};

type BulkBodies = typeof bulkBodies;
type BulkName = keyof BulkBodies;
type ResultOf<Name extends BulkName> =
  ReturnType<BulkBodies[Name]> extends Body<infer Result> ? Result : never;

/** Does a work on all rows of a batch. */
export type Bulk = <Name extends BulkName>(
  batchId: string,
  name: Name,
  ...asked: Parameters<BulkBodies[Name]>
) => Promise<ResultOf<Name>>;

/** Works that move no row, and need not begin, unless one is in a status: every run asks for them, and mostly in vain. */
const movedFrom: { readonly [Name in BulkName]?: Parameters<typeof hasAny>[1] } = {
  holdReady: 'ready',
  liftHolds: 'held',
  holdUnapproved: 'ready',
};

/** The order that a thread is started with; cloned on its way, so plain values only. */
export interface BulkOrder {
  /** The path of the journal's file. */
  readonly path: string;
  readonly name: BulkName | 'recallBatch';
  readonly asked: readonly unknown[];
}

/** The message of a thread at its end; an error loses its class on the way, which has this place in `errorClasses`. */
export type BulkReply = { readonly result: unknown } | { readonly error: Error; readonly classAt: number };

export const errorClasses = [
  JournalLockedError,
  JournalWriteError,
  JournalRefusedError,
  UnsignedApprovalError,
] as const;

/** Rows from which on a thread is worth its start, which takes some tenths of a second, as so many rows do. */
const longBatchRows = 50_000;

/** Does the work on a connection, in one transaction. */
export function workOn(db: DatabaseSync, { path, name, asked }: BulkOrder): unknown {
  if (name === 'recallBatch') {
    recallBatch(db, path, ...(asked as [string, number]));
    return undefined;
  }
  const body = bulkBodies[name] as (...asked: readonly unknown[]) => Body<unknown>;
  return inTransaction(db, () => drive(db, body(...asked)));
}

function* countRows(batchId: string): Reading<number> {
  return Math.max(yield* readLastRowNo(batchId), yield* readArchivedRows(batchId));
}

interface SqliteBulk {
  readonly bulk: Bulk;
  /** Brings a batch back from its archive (`recallBatch`). */
  recall(batchId: string, nowMs: number): Promise<void>;
}

/**
 * Works on SQLite: at once where a batch has few rows, and else in a thread.
 * @param path of the journal's file
 */
export function makeSqliteBulk(
  db: DatabaseSync,
  path: string,
  queue: WriteQueue,
  rowsMin: number = longBatchRows,
): SqliteBulk {
  const { openView } = makeSqliteEngine(db, path, queue);
  const work = (batchId: string, order: Omit<BulkOrder, 'path'>): unknown => {
    if (drive(db, countRows(batchId)) < rowsMin) return workOn(db, { path, ...order });
    return order.name === 'readSealNow'
      ? readSealByStretches({ openView }, batchId)
      : workInThread({ path, ...order });
  };
  return {
    bulk: (batchId, name, ...asked) =>
      queue.run(() => {
        const from = movedFrom[name];
        return from === undefined || drive(db, hasAny(batchId, from)) ? work(batchId, { name, asked }) : 0;
      }) as never,
    recall: (batchId, nowMs) =>
      queue.run(() => work(batchId, { name: 'recallBatch', asked: [batchId, nowMs] })) as never,
  };
}

/** Works that only read, at one moment. */
const readings: readonly BulkName[] = [
  'readApproval',
  'readFigures',
  'readGoingOn',
  'readLookBack',
  'readSealNow',
];

/** Works that read a file in; true of the one that begins anew. */
const readsFile: { readonly [Name in BulkName]?: boolean } = {
  startIngest: true,
  seal: false,
  rejectBatch: false,
};

/** Refuses, within the transaction, a reader of a file that is another's by now. */
export type FileGuard = (batchId: string, begins: boolean) => Body<void>;

/** @param begins undefined of a work that reads no file */
export function* inOwnFile<Result>(
  guard: FileGuard | undefined,
  batchId: string,
  begins: boolean | undefined,
  makeBody: () => Body<Result>,
): Body<Result> {
  if (guard !== undefined && begins !== undefined) yield* guard(batchId, begins);
  return yield* makeBody();
}

/** Works on any engine, and no call waits for those that only read. */
export const makeBulk =
  (engine: Engine, guard?: FileGuard): Bulk =>
  async (batchId, name, ...asked) => {
    const from = movedFrom[name];
    if (from !== undefined && !(await engine.read(() => hasAny(batchId, from)))) return 0 as never;
    const body = bulkBodies[name] as (...asked: readonly unknown[]) => Body<never>;
    if (!readings.includes(name))
      return engine.write(() => inOwnFile(guard, batchId, readsFile[name], () => body(...asked)));
    await using view = await engine.openView();
    return await view.read(() => body(...asked) as Reading<never>);
  };

/** The path has this module's own extension: the program runs as it is written, and as it is built. */
const threadUrl = new URL(`./bulk-thread${extname(import.meta.filename)}`, import.meta.url);

/** A thread that ends without a word has committed all or nothing: the journal, asked again, tells which. */
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
