/** Which process works each file that was taken in, by the leases of the workers. */
import { sql } from 'kysely';
import type { FileClaim, FileClaimStore, FileClaiming, LeftFile } from '../../watch/ports.ts';
import { type BodiesOf, type Body, define, driveEach, type Reading, textStatement } from '../statements.ts';
import type { PostgresEngine } from './engine.ts';
import { databaseNowMs } from './prune.ts';
import { isNotOver } from './lease-conditions.ts';
import { drawLeasesNear, isWorkerThere } from './workers.ts';

interface Named {
  readonly itemId: string;
}

/** Of a claim, named `c`. */
const isOwnerThere = sql<boolean>`exists (select from worker w where w.worker_id = c.worker_id and ${isNotOver})`;

const claimOf = define(({ itemId }: Named) =>
  textStatement<{ readonly workerId: number; readonly folderId: string; readonly isThere: number }>(sql`
    select c.worker_id as "workerId", c.folder_id as "folderId", (${isOwnerThere})::int as "isThere"
    from file_claim c where c.item_id = ${itemId}`),
);

const putClaim = define(({ itemId, fileName, folderId, workerId }: FileClaim) =>
  textStatement(sql`
    insert into file_claim (item_id, file_name, folder_id, worker_id, machine, claimed_at_ms)
    select ${itemId}, ${fileName}, ${folderId}, worker_id, machine, ${databaseNowMs}
      from worker where worker_id = ${workerId}
    on conflict (item_id) do update
      set folder_id = excluded.folder_id, worker_id = excluded.worker_id, machine = excluded.machine,
        claimed_at_ms = excluded.claimed_at_ms`),
);

/** A batch that is sealed needs its file no more. */
const isUnread = sql<boolean>`(i.outcome is null
  and not exists (select from batch b where b.batch_id = i.batch_id and b.sealed_at_ms is not null)
  and not exists (select from registration_batch b where b.batch_id = i.batch_id and b.sealed_at_ms is not null))`;

const leftFiles = define((_values: object) =>
  textStatement<LeftFile>(sql`
    select c.item_id as "itemId", c.file_name as "fileName", c.machine, c.claimed_at_ms as "claimedAtMs"
    from file_claim c left join intake_item i using (item_id)
    where ${isUnread} and not ${isOwnerThere} order by c.item_id`),
);

const freeBatch = define(({ batchId }: { batchId: string }) =>
  textStatement(sql`
    update intake_item as i set owns_batch = 0
    from file_claim c
    where i.batch_id = ${batchId} and i.owns_batch = 1 and c.item_id = i.item_id
      and ${isUnread} and not ${isOwnerThere}`),
);

const reads = {
  *folderOfFile(itemId) {
    return (yield* claimOf.get({ itemId }))?.folderId;
  },
  *leftFiles() {
    return yield* leftFiles.all({});
  },
} satisfies Partial<BodiesOf<FileClaimStore>>;

/** Excludes all who write, so that of two one is told that the other has it. */
const writes = {
  *claimFile(claim): Body<FileClaiming> {
    if (!(yield* isWorkerThere(claim.workerId))) return 'refused';
    yield* drawLeasesNear();
    const known = yield* claimOf.get({ itemId: claim.itemId });
    if (known?.workerId === claim.workerId && known.folderId === claim.folderId) return 'claimed';
    if (known !== undefined && known.workerId !== claim.workerId && known.isThere === 1) return 'held';
    yield* putClaim.run(claim);
    return 'claimed';
  },
  *freeBatch(batchId) {
    yield* drawLeasesNear();
    yield* freeBatch.run({ batchId });
  },
} satisfies Partial<BodiesOf<FileClaimStore>>;

/** The claims of files of a journal on PostgreSQL. */
export const makeFileClaims = (engine: PostgresEngine): FileClaimStore => ({
  ...driveEach(reads, (makeBody: () => Reading<unknown>) => engine.read(makeBody)),
  ...driveEach(writes, engine.write),
});
