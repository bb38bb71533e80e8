/** Puts a backup in the place of a journal that is lost. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { copyJournal } from '../store/backup.ts';
import { JournalRefusedError, openReader } from '../store/connection.ts';
import { readSchemaVersion } from '../store/migrations.ts';
import { journalFileName, requireIdentity } from '../store/open.ts';
import type { JournalIdentity } from '../store/open.ts';

/**
 * The copy says that it is a backup until a person's word on the loss is recorded in it: nobody can open it before.
 * @throws JournalRefusedError when a journal is there, or the backup is another's
 */
export function placeBackup(file: string, dataDir: string, wanted: JournalIdentity, nowMs: number): void {
  const [source, target] = [resolve(file), join(resolve(dataDir), journalFileName)];
  if (!existsSync(source)) throw new JournalRefusedError(`there is no file ${source}`);
  {
    using db = openBackup(source);
    requireIdentity(db, dataDir, wanted);
  }
  if (source === target) return;
  for (const path of [target, `${target}-wal`, `${target}-shm`]) {
    if (existsSync(path))
      throw new JournalRefusedError(
        `${path} is there: move journal.db, with its -wal and -shm, out of the folder first, and keep them`,
      );
  }
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  copyJournal(source, target, nowMs);
}

/** @throws JournalRefusedError when it is something else, or damaged: that says nothing of the journal in use */
function openBackup(source: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  let cause: unknown;
  try {
    db = openReader(source);
    if (readSchemaVersion(db) > 0) return db;
  } catch (error) {
    cause = error;
  }
  db?.close();
  throw new JournalRefusedError(`${source} is no journal, or damaged: give another backup`, { cause });
}
