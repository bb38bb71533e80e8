import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { describeLock, isLockedByOther, isOfDatabase } from '../../src/app/leadership.ts';
import {
  asRefusal,
  inTransaction,
  JournalWriteError,
  openConnection,
  withoutWaiting,
} from '../../src/store/connection.ts';
import { makeFolder } from '../support/sqlite-store.ts';

function catchFrom(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('a journal that another process writes to is no sick disk', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'journal.db');
  using mine = openConnection(path);
  using other = new DatabaseSync(path);
  other.exec('begin immediate');
  const refused = catchFrom(() => withoutWaiting(mine, () => inTransaction(mine, () => undefined)));
  expect([refused instanceof JournalWriteError, isLockedByOther(refused)]).toEqual([true, true]);
  expect(isLockedByOther(asRefusal(path, (refused as Error).cause))).toBe(true);
  expect(isLockedByOther(new JournalWriteError('the disk is full', { cause: new Error('full') }))).toBe(
    false,
  );
  expect(describeLock(folder.path)).toContain(`fuser ${path}`);
  expect(describeLock(folder.path)).not.toContain('run it again');
});

test('a database that fails is told from a disk, and from a share that does', () => {
  const [file, database] = ['', 'postgres://db.example/paydrop?sslmode=verify-full'].map((secret) => ({
    dataDir: '/data',
    journalUrl: { ok: true as const, secret, from: 'journal.url' },
  }));
  if (file === undefined || database === undefined) throw new Error('there are two');
  const away = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' });
  const met = new JournalWriteError('it cannot be written', { cause: away });
  expect([isOfDatabase(met, database), isOfDatabase(away, database)]).toEqual([true, true]);
  expect(isOfDatabase(met, file)).toBe(false);
  expect(isOfDatabase(new JournalWriteError('journal.mark cannot be written'), database)).toBe(false);
  expect(isOfDatabase(undefined, database)).toBe(false);
});
