/** The processes that work the files that were taken in, by the leases of the workers. */
import { sql } from 'kysely';
import type { FileClaim, FileClaimStore, FileClaiming, LeftFile } from '../../watch/ports.ts';
import { type BodiesOf, type Body, define, driveEach, type Reading, textStatement } from '../statements.ts';
import { JournalWriteError } from '../connection.ts';
import type { PostgresEngine } from './engine.ts';
import { databaseNowMs } from './prune.ts';
import { isNotOver } from './lease-conditions.ts';
import { drawLeasesNear, hasPlace, isWorkerThere, takeOverFrom } from './workers.ts';

interface Named {
  readonly itemId: string;
}

/** True where the owner of a claim, named `c`, is there. */
const isOwnerThere = sql<boolean>`exists (select from worker w where w.worker_id = c.worker_id and ${isNotOver})`;

const claimOf = define(({ itemId }: Named) =>
  textStatement<{ readonly workerId: number; readonly folderId: string }>(sql`
    select c.worker_id as "workerId", c.folder_id as "folderId" from file_claim c where c.item_id = ${itemId}`),
);

const elsewhere = define(({ itemId, folderId, workerId }: Omit<FileClaim, 'fileName'>) =>
  textStatement<{ readonly itemId: string }>(sql`
    select c.item_id as "itemId" from file_claim c
    where c.item_id = ${itemId} and (c.folder_id <> ${folderId}
      or (c.machine is distinct from (select machine from worker where worker_id = ${workerId}) and ${isOwnerThere}))`),
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

/** True while the file is still needed: a sealed batch needs its file no more. */
const isUnread = sql<boolean>`(i.outcome is null
  and not exists (select from batch b where b.batch_id = i.batch_id and b.sealed_at_ms is not null)
  and not exists (select from registration_batch b where b.batch_id = i.batch_id and b.sealed_at_ms is not null))`;

const leftFiles = define((_values: object) =>
  textStatement<LeftFile>(sql`
    select c.item_id as "itemId", c.file_name as "fileName", c.machine, c.claimed_at_ms as "claimedAtMs"
    from file_claim c left join intake_item i using (item_id)
    where ${isUnread} and not ${isOwnerThere} order by c.item_id`),
);

/** The reader of the file of a batch; its worker may be forgotten. */
const readerOf = define(({ batchId }: { batchId: string }) =>
  textStatement<{ readonly itemId: string; readonly workerId: number }>(sql`
    select c.item_id as "itemId", c.worker_id as "workerId" from intake_item i join file_claim c using (item_id)
    where i.batch_id = ${batchId} and i.owns_batch = 1 and ${isUnread}`),
);

const disown = define(({ itemId }: Named) =>
  textStatement(sql`update intake_item set owns_batch = 0 where item_id = ${itemId}`),
);

/**
 * Refuses a reader that has a file open which another has taken over since, whatever place it has by now: its rows
 * would stand among the rows of the other.
 * @param begins the rows that are there go, so that a reader who is gone is superseded; later, both would be mixed
 * @throws JournalWriteError
 */
export function* requireOwnFile(batchId: string, workerId: number | undefined, begins: boolean): Body<void> {
  const reader = yield* readerOf.get({ batchId });
  if (reader === undefined || reader.workerId === workerId) return;
  if (begins ? yield* takeOverFrom(reader.workerId) : !(yield* hasPlace(reader.workerId))) return;
  throw new JournalWriteError('another process reads this file by now: it is left to that one');
}

const reads = {
  *isElsewhere(asked) {
    return (yield* elsewhere.get(asked)) !== undefined;
  },
  *leftFiles() {
    return yield* leftFiles.all({});
  },
} satisfies Partial<BodiesOf<FileClaimStore>>;

/** Writes that exclude every other writer, so that of two one is told that the other has it. */
const writes = {
  *claimFile(claim): Body<FileClaiming> {
    if (!(yield* isWorkerThere(claim.workerId))) return 'refused';
    yield* drawLeasesNear();
    const known = yield* claimOf.get({ itemId: claim.itemId });
    if (known?.workerId === claim.workerId && known.folderId === claim.folderId) return 'claimed';
    const isAnothers = known !== undefined && known.workerId !== claim.workerId;
    // The former owner may have it open still, and must not find itself with a place among those who write.
    if (isAnothers && !(yield* takeOverFrom(known.workerId))) return 'held';
    yield* putClaim.run(claim);
    return 'claimed';
  },
  *freeBatch(batchId) {
    yield* drawLeasesNear();
    const reader = yield* readerOf.get({ batchId });
    if (reader !== undefined && (yield* takeOverFrom(reader.workerId))) yield* disown.run(reader);
  },
} satisfies Partial<BodiesOf<FileClaimStore>>;

/** The claims of files of a journal on PostgreSQL. */
export const makeFileClaims = (engine: PostgresEngine): FileClaimStore => ({
  ...driveEach(reads, (makeBody: () => Reading<unknown>) => engine.read(makeBody)),
  ...driveEach(writes, engine.write),
});
