/** A journal that is restored beside archives, and a payoutId that two files have had in turn. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { backUpJournal, placeBackup } from '../../src/app/backup.ts';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { listArchives } from '../../src/store/archive/archive-file.ts';
import { openJournal } from '../../src/store/open.ts';
import {
  bringTo,
  firstBatchId,
  ingestRunning,
  makeRows,
  noonMs,
  payer,
  secondBatchId,
} from '../support/journal-fixtures.ts';
import { makeSqliteStore, openingIn, type SqliteStore, stamp } from '../support/sqlite-store.ts';
import { archiveAll, settled, tamper } from '../support/store-fixtures.ts';

const recovery = { sinceDate: formatBangkokDate(noonMs) };

describe('a payoutId that was cancelled in one file, released, and taken by another', () => {
  /** The row of a file, brought to its end; done, unless it is still live. */
  const endFile = async (
    { store, path }: SqliteStore,
    batchId: string,
    ending: 'cancelled' | 'failed' | 'paid' | 'submitted' | 'ready',
  ): Promise<void> => {
    await ingestRunning(store, makeRows(1), { batchId });
    await bringTo(store, ending, batchId);
    if (ending !== 'submitted' && ending !== 'ready')
      await store.moveBatch(batchId, 'done', null, noonMs + 20);
    tamper(path, settled);
  };
  const release = ({ path }: SqliteStore): void => tamper(path, 'update claim set payout_seq = null');

  /** What a journal that was restored from `backup` beside the archives says of who holds it. */
  const restoreBeside = async ({ dataDir }: SqliteStore, backup: string) => {
    const restored = join(dataDir, '..', 'restored');
    await mkdir(restored);
    for (const name of listArchives(dataDir)) await copyFile(join(dataDir, name), join(restored, name));
    placeBackup(backup, restored, stamp, noonMs);
    await using store = await openJournal({ ...openingIn(restored), recovery, restores: true });
    const holders = await store.claimHolders(payer.companyId, ['INV-1']);
    return holders.map(({ batchId, status }) => `${batchId} ${status}`);
  };

  test.each([
    ['paid', [firstBatchId], 'paid'],
    ['submitted', [firstBatchId], 'submitted'],
    ['ready', [firstBatchId], 'ready'],
    ['paid', [secondBatchId, firstBatchId], 'paid'],
    ['paid', [firstBatchId, secondBatchId], 'paid'],
  ] as const)(
    '%s there, with %j archived after the backup: it holds it',
    async (ending, archived, status) => {
      await using sqlite = await makeSqliteStore();
      const backup = join(sqlite.dataDir, '..', 'backup.db');
      await endFile(sqlite, firstBatchId, 'cancelled');
      release(sqlite);
      await endFile(sqlite, secondBatchId, ending);
      backUpJournal(sqlite.dataDir, backup);
      for (const batchId of archived) expect(await archiveAll(sqlite.store, [batchId])).toEqual([true]);
      expect(await restoreBeside(sqlite, backup)).toEqual([`${secondBatchId} ${status}`]);
    },
  );

  test('paid and archived since the backup, it holds it, whichever was archived first', async () => {
    for (const archived of [
      [firstBatchId, secondBatchId],
      [secondBatchId, firstBatchId],
    ]) {
      await using sqlite = await makeSqliteStore();
      const backup = join(sqlite.dataDir, '..', 'backup.db');
      backUpJournal(sqlite.dataDir, backup);
      await endFile(sqlite, firstBatchId, 'cancelled');
      release(sqlite);
      await endFile(sqlite, secondBatchId, 'paid');
      for (const batchId of archived) expect(await archiveAll(sqlite.store, [batchId])).toEqual([true]);
      expect(await restoreBeside(sqlite, backup)).toEqual([`${secondBatchId} paid`]);
    }
  });

  test('cancelled after another file had given it back, though that was live at the backup', async () => {
    await using sqlite = await makeSqliteStore();
    const backup = join(sqlite.dataDir, '..', 'backup.db');
    await endFile(sqlite, firstBatchId, 'ready');
    backUpJournal(sqlite.dataDir, backup);
    await bringTo(sqlite.store, 'unpayable');
    await endFile(sqlite, secondBatchId, 'cancelled');
    expect(await archiveAll(sqlite.store, [secondBatchId])).toEqual([true]);
    expect(await restoreBeside(sqlite, backup)).toEqual([`${secondBatchId} cancelled`]);
  });
});
