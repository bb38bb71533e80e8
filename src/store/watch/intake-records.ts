/** Which file of the watcher's is worked for a batch, and how each has ended. */
import type { DatabaseSync } from 'node:sqlite';
import type { Selectable } from 'kysely';
import type {
  IntakeOutcome,
  IntakeRecord,
  IntakeRefusal,
  IntakeRefused,
  IntakeStart,
  IntakeVerdict,
} from '../../watch/ports.ts';
import { inTransaction } from '../connection.ts';
import { readBatch } from '../payouts/batch-queries.ts';
import { query, readAll, readFirst, write } from '../statements.ts';
import type { Store } from '../store.ts';
import type { IntakeItemTable } from './tables.ts';

type FirstFile = Extract<IntakeVerdict, { kind: 'duplicate' }>['first'];

/** The records of one connection. */
export function makeIntakeRecords(
  db: DatabaseSync,
): Pick<Store, 'startIntake' | 'endIntake' | 'intakeRecord' | 'openIntake' | 'countIntake'> {
  return {
    startIntake: async (start) => inTransaction(db, () => startIntake(db, start)),
    endIntake: async (itemId, outcome, nowMs, refused) =>
      inTransaction(db, () => {
        const end = { outcome, ended_at_ms: nowMs, refusal: encodeRefusal(refused) };
        if (!endIntake(db, itemId, end) && refused !== undefined) keepRefused(db, itemId, end, refused);
      }),
    intakeRecord: async (itemId) => readRecord(db, itemId),
    openIntake: async () => readOpen(db),
    countIntake: async () => countByOutcome(db),
  };
}

function findItem(db: DatabaseSync, itemId: string) {
  return readFirst(db, query.selectFrom('intake_item').selectAll().where('item_id', '=', itemId));
}

function startIntake(db: DatabaseSync, start: IntakeStart): IntakeVerdict {
  const known = findItem(db, start.itemId);
  if (known?.batch_id === start.batchId && known.owns_batch === 1) return { kind: 'owner' };
  // Anew for one whose bytes have changed since, and for one that was no owner: the owner may have given up since.
  const first = findFirst(db, start.batchId);
  keepItem(db, start, first === undefined);
  return first === undefined ? { kind: 'owner' } : { kind: 'duplicate', first };
}

/** The file that comes before one that is no owner: the batch's owner, or the one that a run has ended the batch with. */
function findFirst(db: DatabaseSync, batchId: string): FirstFile | undefined {
  const ownerOfBatch = query
    .selectFrom('intake_item')
    .select('file_name')
    .where('batch_id', '=', batchId)
    .where('owns_batch', '=', (eb) => eb.lit(1));
  const owner = readFirst(db, ownerOfBatch);
  const batch = readBatch(db, batchId);
  if (owner !== undefined) return { fileName: owner.file_name, batchId, batch };
  return batch?.status === 'done' ? { fileName: batch.fileName, batchId, batch } : undefined;
}

function keepItem(db: DatabaseSync, start: IntakeStart, isOwner: boolean): void {
  const changed = {
    batch_id: start.batchId,
    file_name: start.fileName,
    dropped_at_ms: start.droppedAtMs,
    started_at_ms: start.nowMs,
    owns_batch: isOwner ? 1 : 0,
    outcome: null,
    ended_at_ms: null,
    refusal: null,
  };
  const insert = query
    .insertInto('intake_item')
    .values({ item_id: start.itemId, ...changed })
    .onConflict((conflict) => conflict.column('item_id').doUpdateSet(changed));
  write(db, insert);
}

type IntakeEnd = Pick<Selectable<IntakeItemTable>, 'outcome' | 'ended_at_ms' | 'refusal'>;

const encodeRefusal = (refused: IntakeRefused | undefined): string | null =>
  refused === undefined ? null : JSON.stringify(refused.refusal);

/**
 * The first end stands: what has been archived keeps its batch whatever is said later.
 * @returns false when the file has no record that is open
 */
function endIntake(db: DatabaseSync, itemId: string, end: IntakeEnd): boolean {
  const ended = query
    .updateTable('intake_item')
    .set(end)
    .set(end.outcome === 'archived' ? {} : { owns_batch: 0 })
    .where('item_id', '=', itemId)
    .where('outcome', 'is', null);
  return write(db, ended) > 0;
}

/** A file that was turned away before its bytes were known. */
function keepRefused(db: DatabaseSync, itemId: string, end: IntakeEnd, file: IntakeRefused): void {
  const { fileName, droppedAtMs } = file;
  const startedAtMs = end.ended_at_ms ?? droppedAtMs;
  const named = { item_id: itemId, batch_id: '', file_name: fileName, dropped_at_ms: droppedAtMs };
  const insert = query
    .insertInto('intake_item')
    .values({ ...named, started_at_ms: startedAtMs, owns_batch: 0, ...end })
    .onConflict((conflict) => conflict.doNothing());
  write(db, insert);
}

function readRecord(db: DatabaseSync, itemId: string): IntakeRecord | undefined {
  const item = findItem(db, itemId);
  return item === undefined ? undefined : toRecord(item);
}

function toRecord(item: Selectable<IntakeItemTable>): IntakeRecord {
  const { item_id: itemId, batch_id: batchId, file_name: fileName, outcome } = item;
  const refusal = item.refusal === null ? null : (JSON.parse(item.refusal) as IntakeRefusal);
  return { itemId, batchId, fileName, droppedAtMs: item.dropped_at_ms, outcome, refusal };
}

/** The oldest drop first. */
function readOpen(db: DatabaseSync) {
  const open = query
    .selectFrom('intake_item as i')
    .leftJoin('batch as b', 'b.batch_id', 'i.batch_id')
    .selectAll('i')
    .select('b.status as batch_status')
    .where('i.outcome', 'is', null)
    .orderBy('i.dropped_at_ms')
    .orderBy('i.item_id');
  return readAll(db, open).map((item) => ({
    ...toRecord(item),
    batchStatus: item.batch_status ?? undefined,
  }));
}

function countByOutcome(db: DatabaseSync): Map<IntakeOutcome, number> {
  const ended = query
    .selectFrom('intake_item')
    .select(['outcome', (eb) => eb.fn.countAll<number>().as('files')])
    .where('outcome', 'is not', null)
    .groupBy('outcome')
    .$narrowType<{ outcome: IntakeOutcome }>();
  return new Map(readAll(db, ended).map(({ outcome, files }) => [outcome, files]));
}
