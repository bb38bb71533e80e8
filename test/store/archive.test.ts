import { encodeMessage, inEnglishIfAny, verbatim } from '../../src/core/message.ts';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { backUpJournal, placeBackup } from '../../src/app/backup.ts';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { findArchiveObstacle } from '../../src/payout/rules/archive.ts';
import { listArchives, makeReadable } from '../../src/store/archive/archive-file.ts';
import { readArchiveFacts } from '../../src/store/archive/archived.ts';
import { openConnection } from '../../src/store/connection.ts';
import { tablesHistory } from '../../src/store/migrations.ts';
import { openJournal } from '../../src/store/open.ts';
import { drive } from '../../src/store/statements.ts';
import { makeJournal, type Store } from '../../src/store/store.ts';
import { look, makeDone, search } from './archive-fixtures.ts';
import {
  bringTo,
  firstBatchId,
  ingest,
  ingestRunning,
  makeRows,
  noonMs,
  payer,
  resultRows,
  secondBatchId,
} from '../support/journal-fixtures.ts';
import {
  makeSqliteStore,
  openingIn,
  openWithThread,
  type SqliteStore,
  stamp,
} from '../support/sqlite-store.ts';
import { archiveAll, archivePolicy, laterMs, tamper } from '../support/store-fixtures.ts';
import { startChild } from './child.ts';

const laterReason = encodeMessage(verbatim('later'));

const makeDoneIn = ({ store, path }: SqliteStore, ...asked: [batchId?: string, from?: number]) =>
  makeDone({ store, run: (statements) => tamper(path, statements) }, ...asked);

const count = (path: string, table: string): number => {
  using db = new DatabaseSync(path, { readOnly: true });
  return Number(db.prepare(`select count(*) as rows from ${table}`).get()?.['rows']);
};

describe('a batch in an archive file', () => {
  test('comes back by a thread, too', async () => {
    await using sqlite = await makeSqliteStore();
    const { store, path } = sqlite;
    await makeDoneIn(sqlite);
    const before = await look(store);
    expect(await archiveAll(store)).toEqual([true]);
    await using threaded = openWithThread(path, 1);
    expect(await threaded.attemptsOf(payer.companyId, 'INV-2')).toHaveLength(1);
    expect(await look(store)).toBe(before);
  });

  test('lets no reference be used again, and no row go that no move lets go', async () => {
    await using sqlite = await makeSqliteStore();
    const { store, path } = sqlite;
    await makeDoneIn(sqlite);
    await makeDoneIn(sqlite, secondBatchId, 20);
    const [third] = await store.findPayouts('INV-3');
    const reference = third?.attempts[0]?.order.transRefNo;
    await archiveAll(store);
    for (const statement of [
      `insert into attempt select 8, 9, status, '${reference}', channel_id, term_id, company_id, payer_account,
        tran_date, tran_time, proxy_type, proxy_no, proxy_name, amount_text, reference1, reference2, order_hash, intent_at_ms,
        sends, last_sent_at_ms, acknowledged, reference_conflict, inquiries, last_inquiry_at_ms, last_finding, next_inquiry_at_ms,
        sys_ref_no, fee_text, null, 0, 0, 0, null, 0 from attempt limit 1`,
      'delete from event',
      'delete from attempt',
      'delete from payout',
      'delete from claim',
      'delete from used_reference',
      'delete from archived_batch',
      'delete from archived_rows',
      'delete from instruction_version; update used_reference set payout_seq = 1',
    ])
      expect(() => tamper(path, statement)).toThrow(/never|before the batch is back/);
  });
});

describe('killed while a batch is moved', () => {
  test.each(['copied', 'verified', 'named', 'removed', 'committed'] as const)(
    '%s: nothing is lost',
    async (step) => {
      await using sqlite = await makeSqliteStore();
      const { store, path, dataDir } = sqlite;
      await makeDoneIn(sqlite);
      const before = await look(store);
      {
        await using dying = makeJournal({
          db: openConnection(path),
          path,
          journalId: '',
          onArchiveStep: (reached) => {
            if (reached === step) throw new Error('killed');
          },
        });
        await expect(archiveAll(dying)).rejects.toThrow('killed');
      }
      expect(await look(store)).toBe(before);
      await store[Symbol.asyncDispose]();
      await using next = await openJournal(openingIn(dataDir));
      expect(await archiveAll(next)).toEqual([step !== 'committed']);
      expect(await look(next)).toBe(before);
      expect(await next.recall('batch', [firstBatchId])).toBe(1);
      expect(await look(next)).toBe(before);
    },
  );

  test('as by a power cut, with the rows gone and nothing committed', async () => {
    await using sqlite = await makeSqliteStore();
    const { store, dataDir } = sqlite;
    await makeDoneIn(sqlite);
    const before = await look(store);
    await using child = startChild(new URL('archive-until-killed.ts', import.meta.url), [
      dataDir,
      String(laterMs),
    ]);
    await child.waitForLines(1);
    await child.kill();
    expect(await look(store)).toBe(before);
    expect(await archiveAll(store)).toEqual([true]);
    expect(await look(store)).toBe(before);
    expect((await store.archives()).map(({ archive }) => archive)).toEqual(['journal-archive-0002.db']);
  });

  test('a row that has changed since the copy keeps its batch in the journal', async () => {
    await using sqlite = await makeSqliteStore();
    const { path } = sqlite;
    await makeDoneIn(sqlite);
    await using journal = makeJournal({
      db: openConnection(path),
      path,
      journalId: '',
      onArchiveStep: (step) => {
        if (step === 'verified') tamper(path, `update payout set reason = '${laterReason}' where row_no = 1`);
      },
    });
    expect(await archiveAll(journal)).toEqual([false]);
    expect(count(path, 'payout')).toBe(7);
  });
});

const openBreak = (whose: 'ours' | 'unknown', date = '20261121'): string =>
  `insert into statement_version values ('20261123', 1, 'r', 's', 'o', 'p', 'words whole', '{}', '{}', '{}', '[]', 1, '{"from":"bank","user":null,"isForced":false}');
   insert into statement_break select null, '${date}',
     ${whose === 'ours' ? '(select trans_ref_no from attempt limit 1)' : "'PDAAAAAAAAAAAAAAAA01'"},
     'duplicate-line', 'open', 1, 'high', 1, 'r', null, '[]', 1, null, null, 'r'`;

const grownFile =
  "insert into taken_file values ('i', '0123456789', 'f', 'p', '1', 1, 's', null, 1, '{}', 'more', null, 'payout')";

/** Of a proposal that is not decided. */
const openItem = (kind: string, key: string): string =>
  `pragma defer_foreign_keys = 1; insert into proposal_item (proposal_id, item_no, kind, key, version, status)
   select 1, 1, '${kind}', ${key}, '1', 'open' from payout where row_no = 1`;

describe('what keeps a batch in the journal', () => {
  const cases = [
    ['not reported', 'update batch set reported_event_seq = -1', 'not-reported'],
    [
      'a statement has changed it',
      "insert into statement_report values ('0123456789', '20261121', 'r', 1)",
      'not-reported',
    ],
    ['an alarm', 'update payout set is_alarm = 1 where row_no = 1', 'alarm'],
    ['a hold', 'update payout set holds = 4 where row_no = 1', 'rows-open'],
    ['a disputed row', "update payout set status = 'disputed' where row_no = 1", 'rows-open'],
    ['an attempt that is asked about', 'update attempt set next_inquiry_at_ms = 1', 'attempts-open'],
    ['no statement', 'delete from statement_version', 'not-reconciled'],
    ['a break of its day', openBreak('unknown'), 'breaks-open'],
    ['a break of another day that names a transfer of it', openBreak('ours', '20261123'), 'breaks-open'],
    ['bytes that were added to its file', grownFile, 'file-open'],
    [
      'a statement of a part of the day',
      "update statement_version set reading = 'words part'",
      'not-reconciled',
    ],
    ['a proposal about a row', openItem('payout', 'seq'), 'decisions-open'],
    ['a proposal about the batch', openItem('batch', 'batch_id'), 'decisions-open'],
    ['it came back today', `update batch set recalled_at_ms = ${laterMs}`, 'too-young'],
  ] as const;

  test(cases.map(([name]) => name).join(', '), async () => {
    await using sqlite = await makeSqliteStore();
    await makeDoneIn(sqlite);
    using db = openConnection(sqlite.path);
    const found = cases.map(([name, statement]) => {
      db.exec(`begin; ${statement}`);
      const [facts] = drive(db, readArchiveFacts(laterMs));
      db.exec('rollback');
      return [name, facts && findArchiveObstacle(facts, archivePolicy)?.code];
    });
    expect(found).toEqual(cases.map(([name, _statement, code]) => [name, code]));
    tamper(sqlite.path, cases[0][1]);
    expect(await archiveAll(sqlite.store)).toEqual([false]);
  });
});

describe('a journal that is older than the archives beside it', () => {
  /** Archives of a first batch that the backup has unpaid, and of a second that it does not have. */
  async function makeAfterBackup() {
    await using stack = new AsyncDisposableStack();
    const sqlite = stack.use(await makeSqliteStore());
    const { store, path, dataDir } = sqlite;
    await ingestRunning(store, makeRows(3), { batchId: firstBatchId });
    await ingest(store, makeRows(2, 50), { batchId: 'STAGEDLATE' }).catch(() => {});
    const backup = join(dataDir, '..', 'backup.db');
    backUpJournal(dataDir, backup);
    for (const ending of ['paid', 'paid', 'failed'] as const) await bringTo(store, ending, firstBatchId);
    await store.moveBatch(firstBatchId, 'done', null, noonMs + 20);
    await makeDoneIn(sqlite, secondBatchId, 20);
    expect(await archiveAll(store, [firstBatchId, secondBatchId])).toEqual([true, true]);
    const known = [await look(store, firstBatchId), await look(store, secondBatchId)];
    const restored = join(dataDir, '..', 'restored');
    await mkdir(restored);
    for (const name of listArchives(dataDir)) await copyFile(join(dataDir, name), join(restored, name));
    const owned = stack.move();
    return { backup, restored, known, path, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  const recovery = { sinceDate: formatBangkokDate(noonMs) };
  const lookAtBoth = async (store: Store) => [
    await look(store, firstBatchId),
    await look(store, secondBatchId),
  ];
  /** What a file with the payoutIds of both comes to. */
  const dropAgain = async (store: Store) => {
    const rows = [...makeRows(3), ...makeRows(6, 20)].map((row, place) => ({ ...row, rowNo: place + 1 }));
    await ingest(store, rows, { batchId: 'DROPAGAIN1' });
    return (await resultRows(store, 'DROPAGAIN1')).map(({ status }) => status).join(' ');
  };

  test('is refused, and restored takes in what they have', async () => {
    await using made = await makeAfterBackup();
    const { backup, restored, known } = made;
    placeBackup(backup, restored, stamp, noonMs);
    // As somebody would who knows nothing of restore.
    tamper(join(restored, 'journal.db'), "delete from meta where key in ('copiedAtMs', 'markKept')");
    await expect(openJournal(openingIn(restored))).rejects.toThrow(
      'it had come further when journal-archive-0001.db beside it was made',
    );
    await using store = await openJournal({ ...openingIn(restored), recovery, restores: true });
    const byStatus = /"byStatus".*/s;
    expect((await lookAtBoth(store)).map((text) => text.replace(byStatus, ''))).toEqual(
      known.map((text) => text.replace(byStatus, '')),
    );
    expect(await store.readyPage(firstBatchId, 0, 9)).toEqual([]);
    expect(await dropAgain(store)).toBe(
      'rejected rejected ready rejected ready rejected ready rejected rejected',
    );
    expect(await store.attemptsOf(payer.companyId, 'INV-3')).toHaveLength(1);
    expect((await store.batch(firstBatchId))?.status).toBe('done');
    // The number of no event comes twice.
    await using view = await store.snapshot();
    const events = (await store.findPayouts('INV-20')).flatMap(({ events: of }) => of.map(({ seq }) => seq));
    expect(view.eventSeq).toBeGreaterThan(Math.max(...events));
  });

  test('or that is not there at all: none is made, and one that is made for lost takes them in', async () => {
    await using made = await makeAfterBackup();
    const { restored } = made;
    await expect(openJournal(openingIn(restored))).rejects.toThrow(
      'journal-archive-0001.db is there, journal.db is not',
    );
    expect(await readdir(restored)).toEqual(['journal-archive-0001.db']);
    await using store = await openJournal({ ...openingIn(restored), recovery });
    expect(await dropAgain(store)).toBe(
      'rejected rejected ready rejected ready rejected ready rejected rejected',
    );
  });

  test('opens again afterwards, also beside archives that have nothing for it', async () => {
    await using sqlite = await makeSqliteStore();
    const { store, dataDir } = sqlite;
    await makeDoneIn(sqlite);
    const backup = join(dataDir, '..', 'backup.db');
    backUpJournal(dataDir, backup);
    await makeDoneIn(sqlite, secondBatchId, 20);
    const known = await look(store);
    await archiveAll(store);
    await store.makeArchive(laterMs);
    const restored = join(dataDir, '..', 'restored');
    await mkdir(restored);
    for (const name of listArchives(dataDir)) await copyFile(join(dataDir, name), join(restored, name));
    placeBackup(backup, restored, stamp, noonMs);
    await (await openJournal({ ...openingIn(restored), recovery, restores: true }))[Symbol.asyncDispose]();
    await using again = await openJournal(openingIn(restored));
    expect((await again.archives()).map(({ archive, batches }) => [archive, batches])).toEqual([
      ['journal-archive-0001.db', 1],
    ]);
    expect(JSON.parse(await look(again))).toMatchObject({ rows: JSON.parse(known).rows });
    expect(await again.makeArchive(laterMs)).toBe('journal-archive-0003.db');
  });

  test.each(['before', 'between'])(
    'takes the later of two archives of a batch that came back and went on: backup from %s them',
    async (moment) => {
      await using sqlite = await makeSqliteStore();
      const { store, path, dataDir } = sqlite;
      const backup = join(dataDir, '..', 'backup.db');
      await makeDoneIn(sqlite);
      if (moment === 'before') backUpJournal(dataDir, backup);
      expect(await archiveAll(store)).toEqual([true]);
      if (moment === 'between') backUpJournal(dataDir, backup);
      expect(await store.recall('batch', [firstBatchId], noonMs)).toBe(1);
      tamper(path, `update payout set version = version + 1, reason = '${laterReason}' where row_no = 2`);
      expect(await archiveAll(store)).toEqual([true]);
      const restored = join(dataDir, '..', 'restored');
      await mkdir(restored);
      for (const name of listArchives(dataDir)) await copyFile(join(dataDir, name), join(restored, name));
      placeBackup(backup, restored, stamp, noonMs);
      await using behind = await openJournal({ ...openingIn(restored), recovery, restores: true });
      expect(inEnglishIfAny((await resultRows(behind))[1]?.reason)).toBe('later');
      expect((await behind.archives()).map(({ archive }) => archive)).toEqual(['journal-archive-0002.db']);
    },
  );

  test('takes nothing from an archive of a rehearsal', async () => {
    await using made = await makeAfterBackup();
    const { restored } = made;
    tamper(
      join(restored, 'journal-archive-0001.db'),
      "update meta set value = 'true' where key = 'isSandbox'",
    );
    await using store = await openJournal({ ...openingIn(restored), recovery });
    expect(await store.archives()).toEqual([]);
    expect(await store.claimHolders(payer.companyId, ['INV-1'])).toEqual([]);
  });

  test('is left as it is where it knows more', async () => {
    await using made = await makeAfterBackup();
    const { path } = made;
    const dataDir = join(path, '..');
    {
      await using store = await openJournal(openingIn(dataDir, 'beside'));
      await store.recall('batch', [firstBatchId], laterMs);
    }
    tamper(
      path,
      `update payout set version = version + 1, reason = '${laterReason}' where batch_id = '${firstBatchId}'`,
    );
    await using store = await openJournal({ ...openingIn(dataDir), recovery });
    expect((await resultRows(store)).map(({ reason }) => inEnglishIfAny(reason))).toEqual([
      'later',
      'later',
      'later',
    ]);
  });
});

test('a commit of an archive syncs its folder, too: no power cut brings back the log that would undo it', async () => {
  await using sqlite = await makeSqliteStore();
  const archive = await sqlite.store.makeArchive(laterMs);
  using db = openConnection(join(sqlite.dataDir, archive), 'delete');
  expect(db.prepare('pragma synchronous').get()).toEqual({ synchronous: 3 });
  expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' });
});

test('an archive that is missing, or another, is named, and nothing goes on without it', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, dataDir } = sqlite;
  await makeDoneIn(sqlite);
  await archiveAll(store);
  const archive = join(dataDir, 'journal-archive-0001.db');
  tamper(archive, "drop trigger order_never_changes; update attempt set amount_text = '1.00'");
  await expect(store.attemptsOf(payer.companyId, 'INV-3')).rejects.toThrow(
    'it is another file, or was changed',
  );
  await rename(archive, `${archive}.away`);
  await expect(store.attemptsOf(payer.companyId, 'INV-3')).rejects.toThrow(
    'journal-archive-0001.db is missing',
  );
  await expect(store.findPayouts('INV-3')).rejects.toThrow(
    'put it back beside journal.db'.replace('put', 'Put'),
  );
  expect(await store.archives()).toEqual([
    { archive: 'journal-archive-0001.db', batches: 1, isThere: false },
  ]);
});

test('of an archive that is damaged, or another, nothing is told, and it is what is named', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, dataDir } = sqlite;
  await makeDoneIn(sqlite);
  await archiveAll(store);
  const archive = join(dataDir, 'journal-archive-0001.db');
  const whole = await readFile(archive);
  const refused = async () => {
    const told = [store.findPayouts('INV-2'), search(store, {}, 9), resultRows(store)];
    const ends = await Promise.allSettled(told);
    return ends.map((end) => (end.status === 'fulfilled' ? 'told' : (end.reason as Error).message));
  };
  const damaged = expect.stringMatching(/archive-0001\.db cannot be read .* put it back beside journal\.db/s);
  for (const bytes of [
    'x'.repeat(9_000),
    whole.subarray(0, 5_000),
    whole.subarray(0, whole.length - 9_000),
  ]) {
    await writeFile(archive, bytes);
    expect(new Set(await refused())).toEqual(new Set([damaged]));
  }
  const other = expect.stringContaining('it is another file, or was changed; put it back');
  await writeFile(archive, '');
  expect(await refused()).toEqual([other, other, other]);
  await expect(store.recall('batch', [firstBatchId])).rejects.toThrow('it is another file');
  await rm(archive);
  const missing = expect.stringContaining('journal-archive-0001.db is missing');
  expect(await refused()).toEqual([missing, missing, missing]);
  await writeFile(archive, whole);
  tamper(archive, "update payout set status = 'paid' where row_no = 2");
  expect(await refused()).toEqual([other, other, other]);
  await writeFile(archive, whole);
  expect(await refused()).toEqual(['told', 'told', 'told']);
  // Whoever would send looks at archives that the journal does not name, too.
  await store[Symbol.asyncDispose]();
  await writeFile(join(dataDir, 'journal-archive-0009.db'), 'none');
  await expect(openJournal(openingIn(dataDir))).rejects.toThrow('journal-archive-0009.db cannot be read');
});

test('the name of an archive that is away stays its own', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, dataDir } = sqlite;
  await makeDoneIn(sqlite);
  await makeDoneIn(sqlite, secondBatchId, 20);
  const before = await look(store);
  await archiveAll(store);
  const archive = join(dataDir, 'journal-archive-0001.db');
  await rename(archive, `${archive}.away`);
  await archiveAll(store, [secondBatchId]);
  expect(listArchives(dataDir)).toEqual(['journal-archive-0002.db']);
  await rename(`${archive}.away`, archive);
  expect(await look(store)).toBe(before);
});

test('whom archived rows have paid stays known, and nobody else', async () => {
  await using sqlite = await makeSqliteStore();
  const { store } = sqlite;
  await makeDoneIn(sqlite);
  const known = () =>
    Promise.all(
      ['0810000001', '0810000002', '0899999999'].map((no) => store.isPayeeKnown(payer.companyId, no)),
    );
  expect(await known()).toEqual([true, false, false]);
  await archiveAll(store);
  expect(await known()).toEqual([true, false, false]);
  expect(await store.isPayeeKnown('ANOTHER', '0810000001')).toBe(false);
});

test('a later program reads an archive of this one in a copy that it brings up to date', async () => {
  await using sqlite = await makeSqliteStore();
  await makeDoneIn(sqlite);
  await archiveAll(sqlite.store);
  const archive = join(sqlite.dataDir, 'journal-archive-0001.db');
  const before = await readFile(archive);
  const change = 'create table one_more (id integer primary key) strict;';
  const later = { ...tablesHistory, changes: [...tablesHistory.changes, change] };
  {
    using readable = makeReadable(archive, later);
    using db = new DatabaseSync(readable.path);
    expect(db.prepare('select id from one_more').all()).toEqual([]);
    expect(db.prepare('select distinct batch_id from payout').all()).toEqual([{ batch_id: firstBatchId }]);
  }
  expect(await readFile(archive)).toEqual(before);
  expect((await readdir(sqlite.dataDir)).filter((name) => name.includes('.part'))).toEqual([]);
});

test('an archive from before the first release is refused by its name', async () => {
  await using sqlite = await makeSqliteStore();
  await makeDoneIn(sqlite);
  await archiveAll(sqlite.store);
  const archive = join(sqlite.dataDir, 'journal-archive-0001.db');
  tamper(archive, 'update schema_version set version = 39');
  await expect(look(sqlite.store)).rejects.toThrow(
    `${archive} was written by a paydrop from before the first release (tables 39,`,
  );
});
