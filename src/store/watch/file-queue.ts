/** The file of the watcher's that is worked for a batch, and the end of each file. */
import type { Selectable } from 'kysely';
import { isSealed } from '../../core/payout.ts';
import type {
  FileBatch,
  FileQueueStore,
  IntakeOutcome,
  IntakeRecord,
  IntakeVerdict,
} from '../../watch/ports.ts';
import type { FileKindName } from '../../watch/rules/drop-folder.ts';
import type { IntakeRefusal } from '../../watch/rules/rejection-reason.ts';
import { batchReads } from '../payouts/batches.ts';
import { registrationBatchReads } from '../registration/reads.ts';
import type { Tables } from '../schema.ts';
import { type BodiesOf, type Body, change, query, type Reading, select, selectFirst } from '../statements.ts';

/** The batch that a file was read into. */
const batchOf: Readonly<Record<FileKindName, (batchId: string) => Reading<FileBatch | undefined>>> = {
  payout: batchReads.batch,
  registration: registrationBatchReads.registrationBatch,
};

type FirstFile = Extract<IntakeVerdict, { kind: 'duplicate' }>['first'];

function* findItem(itemId: string): Reading<Selectable<Tables['intake_item']> | undefined> {
  return yield* selectFirst(query.selectFrom('intake_item').selectAll().where('item_id', '=', itemId));
}

/** The file that comes before one that is no owner: the batch's owner, or the one that a run has ended the batch with. */
function* findFirst(batchId: string, kind: FileKindName): Reading<FirstFile | undefined> {
  const ownerOfBatch = query
    .selectFrom('intake_item')
    .select(['file_name', 'kind'])
    .where('batch_id', '=', batchId)
    .where('owns_batch', '=', (eb) => eb.lit(1));
  const owner = yield* selectFirst(ownerOfBatch);
  if (owner !== undefined) {
    const batch = yield* batchOf[owner.kind](batchId);
    return { fileName: owner.file_name, batchId, batch, ...otherKind(owner.kind, kind) };
  }
  const batch = yield* batchOf[kind](batchId);
  if (batch?.status === 'done') return { fileName: batch.fileName, batchId, batch };
  // Their reports would have the same names: bytes are worked as one kind alone.
  const other = kind === 'payout' ? 'registration' : 'payout';
  const ofOther = yield* batchOf[other](batchId);
  if (ofOther === undefined || !isSealed(ofOther.status)) return undefined;
  return { fileName: ofOther.fileName, batchId, batch: ofOther, ...otherKind(other, kind) };
}

const otherKind = (is: FileKindName, asked: FileKindName) => (is === asked ? {} : { takenAs: is });

function toRecord(item: Selectable<Tables['intake_item']>): IntakeRecord {
  const { item_id: itemId, batch_id: batchId, file_name: fileName, outcome } = item;
  const refusal = item.refusal === null ? null : (JSON.parse(item.refusal) as IntakeRefusal);
  return { itemId, batchId, fileName, droppedAtMs: item.dropped_at_ms, outcome, refusal };
}

export const fileQueueReads = {
  *intakeRecord(itemId) {
    const item = yield* findItem(itemId);
    return item === undefined ? undefined : toRecord(item);
  },
  /** The oldest drop first. */
  *openIntake(kind = 'payout') {
    const open = query
      .selectFrom('intake_item')
      .selectAll()
      .where('outcome', 'is', null)
      .where('kind', '=', kind)
      .orderBy('dropped_at_ms')
      .orderBy('item_id');
    const found = [];
    for (const item of yield* select(open)) {
      const batch = yield* batchOf[kind](item.batch_id);
      found.push({ ...toRecord(item), batchStatus: batch?.status });
    }
    return found;
  },
  *countIntake() {
    const ended = query
      .selectFrom('intake_item')
      .select(['outcome', (eb) => eb.fn.countAll<number>().as('files')])
      .where('outcome', 'is not', null)
      .groupBy('outcome')
      .$narrowType<{ outcome: IntakeOutcome }>();
    return new Map((yield* select(ended)).map(({ outcome, files }) => [outcome, files]));
  },
} satisfies Partial<BodiesOf<FileQueueStore>>;

/** Writes that are one transaction each. */
export const fileQueueWrites = {
  *startIntake(start): Body<IntakeVerdict> {
    const known = yield* findItem(start.itemId);
    if (known?.batch_id === start.batchId && known.owns_batch === 1) return { kind: 'owner' };
    // The record begins anew for changed bytes, and for a file that was no owner: the owner may have given up since.
    const { kind = 'payout' } = start;
    const first = yield* findFirst(start.batchId, kind);
    const changed = {
      kind,
      batch_id: start.batchId,
      file_name: start.fileName,
      dropped_at_ms: start.droppedAtMs,
      started_at_ms: start.nowMs,
      owns_batch: first === undefined ? 1 : 0,
      outcome: null,
      ended_at_ms: null,
      refusal: null,
    };
    const insert = query
      .insertInto('intake_item')
      .values({ item_id: start.itemId, ...changed })
      .onConflict((conflict) => conflict.column('item_id').doUpdateSet(changed));
    yield* change(insert);
    return first === undefined ? { kind: 'owner' } : { kind: 'duplicate', first };
  },
  /** Ends a file; one that was turned away before its bytes were known has no record yet. */
  *endIntake(itemId, outcome, nowMs, refused) {
    const refusal = refused === undefined ? null : JSON.stringify(refused.refusal);
    const end = { outcome, ended_at_ms: nowMs, refusal };
    const ended = query
      .updateTable('intake_item')
      .set(end)
      .set(outcome === 'archived' ? {} : { owns_batch: 0 })
      .where('item_id', '=', itemId)
      .where('outcome', 'is', null);
    // The first end stands: what has been archived keeps its batch whatever is said later.
    if ((yield* change(ended)) > 0 || refused === undefined) return;
    const { fileName, droppedAtMs, batchId = '', kind = 'payout' } = refused;
    const named = {
      kind,
      item_id: itemId,
      batch_id: batchId,
      file_name: fileName,
      dropped_at_ms: droppedAtMs,
    };
    const insert = query
      .insertInto('intake_item')
      .values({ ...named, started_at_ms: nowMs, owns_batch: 0, ...end })
      .onConflict((conflict) => conflict.doNothing());
    yield* change(insert);
  },
} satisfies Partial<BodiesOf<FileQueueStore>>;
