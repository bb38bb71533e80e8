/** What a watcher keeps in the store, and what archives batches. */
import { DatabaseSync } from 'node:sqlite';
import type { NoticeDraft } from '../../src/notify/rules/notice.ts';
import type { ArchivePolicy } from '../../src/payout/rules/archive.ts';
import type { Store } from '../../src/store/store.ts';
import type { FileQueueStore } from '../../src/watch/ports.ts';
import { firstBatchId, noonMs } from './journal-fixtures.ts';

type IntakeStart = Parameters<FileQueueStore['startIntake']>[0];

/** A file of the watcher's, named by a letter: its itemId and its name. */
export function fileOf(letter: string, batchId = firstBatchId): IntakeStart {
  const fileName = `${letter}.csv`;
  return { itemId: `item-${letter}`, batchId, fileName, droppedAtMs: noonMs, nowMs: noonMs + 10 };
}

export const noticeOf = (key: string, changes: Partial<NoticeDraft> = {}): NoticeDraft => ({
  key,
  kind: 'batch-done',
  batchId: firstBatchId,
  atMs: noonMs,
  body: { rows: 3, total: '300.06', names: ['ส้ม', "o'clock"] },
  ...changes,
});

/** Runs SQL beside the store, for what the store itself never does. */
export function tamper(path: string, statements: string): void {
  using db = new DatabaseSync(path);
  db.exec(statements);
}

// ---------------------------------------------------------------- archives

const dayMs = 86_400_000;
/** Long after everything. */
export const laterMs = noonMs + 40 * dayMs;
export const archivePolicy: ArchivePolicy = { beforeMs: laterMs, quietSinceMs: laterMs - dayMs };

/** As if reports had been written and the statement of the day accepted. */
export const settled = `
update batch set reported_event_seq = 1000000 where status = 'done';
insert into statement_version values ('20261121', 1, 'r', 's', 'o', 'p', 'words whole', '{}', '{}', '{}', '[]', 1, '{"from":"bank","user":null,"isForced":false}')
  on conflict do nothing;
`;

/** Moves batches into an archive of their own. @returns whether each has moved */
export async function archiveAll(store: Store, ids: readonly string[] = [firstBatchId]): Promise<boolean[]> {
  const archive = await store.makeArchive(laterMs);
  const moved: boolean[] = [];
  for (const id of ids) moved.push(await store.archiveBatch(id, archive, archivePolicy, laterMs));
  return moved;
}
