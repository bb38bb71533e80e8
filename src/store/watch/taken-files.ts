/** Files whose rows were read, and the fate of their bytes afterwards. */
import { type Selectable, sql, type SqlBool } from 'kysely';
import type { TakenFileStore } from '../../watch/ports.ts';
import type { FileGrowth, TakenFile } from '../../watch/rules/file-growth.ts';
import type { Tables } from '../schema.ts';
import { type BodiesOf, change, query, select, selectFirst } from '../statements.ts';

function toTakenFile(found: Selectable<Tables['taken_file']>): TakenFile {
  const { item_id: itemId, batch_id: batchId, file_name: fileName, path, inode, bytes, sha256 } = found;
  return {
    itemId,
    batchId,
    fileName,
    path,
    inode,
    bytes,
    sha256,
    untilMs: found.until_ms,
    isWatched: found.is_watched === 1,
    growth: found.growth === null ? null : (JSON.parse(found.growth) as FileGrowth),
    ...(found.kind === 'registration' ? { kind: found.kind } : {}),
  };
}

const all = () => query.selectFrom('taken_file').selectAll().orderBy('item_id');

export const takenFileReads = {
  *takenFile(itemId) {
    const found = yield* selectFirst(all().where('item_id', '=', itemId));
    return found === undefined ? undefined : toTakenFile(found);
  },
  *takenFilesOf(batchId) {
    return (yield* select(all().where('batch_id', '=', batchId))).map(toTakenFile);
  },
  /** The condition of the index taken_file_watched. */
  *watchedFiles(kind = 'payout') {
    const ofKind = all()
      .where(sql<SqlBool>`is_watched = 1`)
      .where('kind', '=', kind);
    return (yield* select(ofKind)).map(toTakenFile);
  },
  /** Found by the index taken_file_grown. */
  *grownFiles() {
    const isOpen = sql<SqlBool>`growth_sha256 is not null and growth_sha256 is distinct from closed_sha256`;
    return (yield* select(all().where(isOpen))).map(toTakenFile);
  },
  *hasGrownTo(sha256) {
    return (yield* selectFirst(all().where('growth_sha256', '=', sha256))) !== undefined;
  },
} satisfies Partial<BodiesOf<TakenFileStore>>;

/** Writes that are one transaction each. */
export const takenFileWrites = {
  *putTakenFile(file) {
    const { itemId, batchId, fileName, path, inode, bytes, sha256, untilMs, isWatched, growth, kind } = file;
    const kept = {
      kind: kind ?? ('payout' as const),
      batch_id: batchId,
      file_name: fileName,
      path,
      inode,
      bytes,
      sha256,
      until_ms: untilMs,
      is_watched: isWatched,
      growth: growth === null ? null : JSON.stringify(growth),
      growth_sha256: growth?.sha256 ?? null,
    };
    const insert = query
      .insertInto('taken_file')
      .values({ item_id: itemId, ...kept })
      .onConflict((conflict) => conflict.column('item_id').doUpdateSet(kept));
    yield* change(insert);
  },
  *closeGrowth(itemId, sha256) {
    yield* change(
      query.updateTable('taken_file').set({ closed_sha256: sha256 }).where('item_id', '=', itemId),
    );
  },
} satisfies Partial<BodiesOf<TakenFileStore>>;
