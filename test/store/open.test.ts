import { chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { MarkCopies } from '../../src/app/journal/mark-copies.ts';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { JournalRefusedError } from '../../src/store/connection.ts';
import { schemaVersion } from '../../src/store/migrations.ts';
import { openJournal, openJournalIfThere } from '../../src/store/open.ts';
import type { JournalIdentity } from '../../src/store/identity.ts';
import { peekServerKind } from '../../src/store/server-kind.ts';
import { noonMs } from '../support/core-fixtures.ts';
import {
  firstReady,
  ingest,
  ingestRunning,
  makeBadRow,
  makeRows,
  secondBatchId,
  submit,
} from '../support/journal-fixtures.ts';
import { makeFolder, openingIn, stamp } from '../support/sqlite-store.ts';

/** Opens a journal in a folder, lets `work` have it, and closes it. */
async function withJournal(
  dataDir: string,
  work: (journal: Awaited<ReturnType<typeof openJournal>>) => Promise<unknown>,
): Promise<void> {
  await using journal = await openJournal(openingIn(dataDir));
  await work(journal);
}

const nothing = async (): Promise<void> => {};

async function refusal(dataDir: string, changes: Partial<JournalIdentity> = {}): Promise<string> {
  const opening = { ...openingIn(dataDir), stamp: { ...stamp, ...changes } };
  const error: unknown = await openJournal(opening).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(JournalRefusedError);
  return (error as Error).message;
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('a new journal', () => {
  test('is readable by its owner only, folder and every file', async () => {
    await using folder = await makeFolder();
    const dataDir = join(folder.path, 'new', 'data');
    await withJournal(dataDir, async (journal) => {
      await ingest(journal, makeRows(1));
      expect(await modeOf(dataDir)).toBe(0o700);
      for (const file of ['journal.db', 'journal.db-wal', 'journal.db-shm', 'journal.mark']) {
        expect([file, await modeOf(join(dataDir, file))]).toEqual([file, 0o600]);
      }
    });
  });

  test('is made by the process that may send, and by no other', async () => {
    await using folder = await makeFolder();
    expect(await openJournalIfThere(openingIn(folder.path, 'beside'))).toBeUndefined();
    await expect(openJournal(openingIn(folder.path, 'beside'))).rejects.toThrow('there is no journal');
    await withJournal(folder.path, async () => {
      await using beside = await openJournalIfThere(openingIn(folder.path, 'beside'));
      expect(await beside?.batches()).toEqual([]);
    });
  });

  test('is begun again when its making was cut short', async () => {
    await using folder = await makeFolder();
    await writeFile(join(folder.path, 'journal.db'), '');
    expect(await openJournalIfThere(openingIn(folder.path, 'beside'))).toBeUndefined();
    await withJournal(folder.path, async (journal) => expect(await journal.batches()).toEqual([]));
  });

  test('keeps what it has', async () => {
    await using folder = await makeFolder();
    await withJournal(folder.path, (journal) => ingest(journal, makeRows(3)));
    await withJournal(folder.path, async (journal) => {
      expect(await journal.batches()).toMatchObject([{ status: 'sealed', rows: 3 }]);
    });
  });
});

describe('the stamp', () => {
  test.each<[Partial<JournalIdentity>, readonly string[]]>([
    [{ bankAddress: 'https://other.example' }, ['https://bank.example', 'https://other.example', 'dataDir']],
    [{ companyId: 'COMP000002' }, ['COMP000001', 'COMP000002', 'dataDir']],
    [
      { bankAddress: 'sandbox', isSandbox: true },
      ['the bank at https://bank.example', 'the sandbox', 'dataDir'],
    ],
    [{ isSandbox: true }, ['the sandbox (https://bank.example)']],
  ])('refuses %j', async (changes, texts) => {
    await using folder = await makeFolder();
    await withJournal(folder.path, nothing);
    const message = await refusal(folder.path, changes);
    for (const text of texts) expect(message).toContain(text);
    await withJournal(folder.path, nothing);
  });
});

describe('the mark', () => {
  test('a journal that has gone is refused, by those that only read too', async () => {
    await using folder = await makeFolder();
    await withJournal(folder.path, (journal) => ingest(journal, makeRows(1)));
    await rm(join(folder.path, 'journal.db'));
    const message = await refusal(folder.path);
    for (const text of ['lost', 'Nothing is sent', 'Put back']) expect(message).toContain(text);
    await expect(openJournalIfThere(openingIn(folder.path, 'beside'))).rejects.toThrow('lost');
  });

  test('an empty file, or a new journal, in the place of the one that was there is refused', async () => {
    await using folder = await makeFolder();
    const dataDir = join(folder.path, 'data');
    const other = join(folder.path, 'other');
    await withJournal(dataDir, (journal) => ingest(journal, makeRows(1)));
    await withJournal(other, nothing);
    await copyFile(join(other, 'journal.db'), join(dataDir, 'journal.db'));
    expect(await refusal(dataDir)).toContain('not the journal that worked here before');
    await writeFile(join(dataDir, 'journal.db'), '');
    expect(await refusal(dataDir)).toContain('is lost');
  });

  test.each([
    ['another file sealed', (journal) => ingest(journal, makeRows(1, 5), { batchId: secondBatchId })],
    ['a file of rejected rows', (journal) => ingest(journal, [makeBadRow(1)], { batchId: secondBatchId })],
    ['one more intent', async (journal) => submit(journal, await firstReady(journal))],
  ] satisfies [string, Parameters<typeof withJournal>[1]][])(
    'a copy from before %s is refused',
    async (_name, work) => {
      await using folder = await makeFolder();
      const path = join(folder.path, 'journal.db');
      await withJournal(folder.path, (journal) => ingestRunning(journal, makeRows(2)));
      await copyFile(path, `${path}.copy`);
      await withJournal(folder.path, work);
      await copyFile(path, `${path}.newest`);
      await copyFile(`${path}.copy`, path);
      const message = await refusal(folder.path);
      for (const text of ['older copy', 'Nothing is sent', 'newest']) expect(message).toContain(text);
      await copyFile(`${path}.newest`, path);
      await withJournal(folder.path, nothing);
    },
  );

  test('is behind after a crash, and catches up', async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, 'journal.mark');
    await withJournal(folder.path, nothing);
    const old = await readFile(path, 'utf8');
    await withJournal(folder.path, (journal) => ingest(journal, makeRows(2)));
    const newest = await readFile(path, 'utf8');
    expect(JSON.parse(newest)).toMatchObject({ sealedBatches: 1, latestEventSeq: 2 });
    await writeFile(path, old);
    await withJournal(folder.path, nothing);
    expect(await readFile(path, 'utf8')).toBe(newest);
  });

  test('that is missing is written again while there is no file, and refused from then on', async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, 'journal.mark');
    await withJournal(folder.path, nothing);
    await rm(path);
    await withJournal(folder.path, (journal) => ingest(journal, makeRows(2)));
    await rm(path);
    expect(await refusal(folder.path)).toContain('journal.mark is missing');
    await expect(openJournalIfThere(openingIn(folder.path, 'beside'))).rejects.toThrow(
      'journal.mark is missing',
    );
  });

  test('in another folder shows that journal and mark were put back together', async () => {
    await using folder = await makeFolder();
    const dataDir = join(folder.path, 'data');
    const outbox = join(folder.path, 'outbox');
    await mkdir(outbox);
    const openMarks = (journalId: string): MarkCopies =>
      new MarkCopies([outbox, join(folder.path, 'away')], journalId);
    const opening = { ...openingIn(dataDir), openMarks };
    const names = ['journal.db', 'journal.mark'];
    await (await openJournal(opening))[Symbol.asyncDispose]();
    const kept = await Promise.all(names.map((name) => readFile(join(dataDir, name))));
    {
      await using journal = await openJournal(opening);
      await ingest(journal, makeRows(2));
    }
    for (const [place, name] of names.entries()) await writeFile(join(dataDir, name), kept[place] ?? '');
    const [mark = ''] = await readdir(outbox);
    await expect(openJournal(opening)).rejects.toThrow(`(so says ${join(outbox, mark)})`);
    const beforeLoss = await readFile(join(outbox, mark));
    const recovery = { sinceDate: formatBangkokDate(noonMs) };
    await (await openJournal({ ...opening, recovery }))[Symbol.asyncDispose]();
    await (await openJournal(opening))[Symbol.asyncDispose]();
    // A folder that is put back by itself, from before the loss, says nothing.
    await writeFile(join(outbox, mark), beforeLoss);
    await (await openJournal(opening))[Symbol.asyncDispose]();
  });

  test.each(['', '{', '{}', 'null', '{"journalId":1}'])('one that reads %j is refused', async (text) => {
    await using folder = await makeFolder();
    await withJournal(folder.path, nothing);
    await writeFile(join(folder.path, 'journal.mark'), text);
    expect(await refusal(folder.path)).toContain('journal.mark cannot be read');
  });
});

describe('the place', () => {
  const open = (dataDir: string, more: object = {}) =>
    openJournal({ ...openingIn(dataDir), stamp: { ...stamp, termId: 'TERM0001' }, ...more });
  const openAndClose = async (...asked: Parameters<typeof open>): Promise<void> =>
    (await open(...asked))[Symbol.asyncDispose]();

  test('a copy of the whole folder is refused, and goes on once it is adopted', async () => {
    await using folder = await makeFolder();
    const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')];
    await openAndClose(dataDir);
    await openAndClose(dataDir);
    await cp(dataDir, copy, { recursive: true, preserveTimestamps: true });
    await expect(open(copy)).rejects.toThrow(/is a copy: .*--journal-lost.*paydrop adopt/s);
    await openAndClose(copy, { adopts: true });
    await openAndClose(copy);
    // The folder itself may move with its file, as a volume does with its container.
    await rename(copy, `${copy}-moved`);
    await openAndClose(`${copy}-moved`);
  });

  test('a copy that is older than its marks is not adopted', async () => {
    await using folder = await makeFolder();
    const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')];
    await openAndClose(dataDir);
    await cp(join(dataDir, 'journal.db'), join(copy, 'journal.db'));
    await withJournal(dataDir, (journal) => ingest(journal, makeRows(1)));
    await cp(join(dataDir, 'journal.mark'), join(copy, 'journal.mark'));
    await expect(open(copy, { adopts: true })).rejects.toThrow('older copy');
  });

  test('another terminal is refused until it is adopted', async () => {
    await using folder = await makeFolder();
    await openAndClose(folder.path);
    const other = { stamp: { ...stamp, termId: 'TERM0002' } };
    await expect(open(folder.path, other)).rejects.toThrow('bound to the terminal TERM0001');
    await openAndClose(folder.path, { ...other, adopts: true });
    await openAndClose(folder.path, other);
    await expect(open(folder.path)).rejects.toThrow('bound to the terminal TERM0002');
  });

  test('a journal of an earlier version is bound where it stands, once, and is not new', async () => {
    await using folder = await makeFolder();
    await openAndClose(folder.path);
    const path = join(folder.path, 'journal.db');
    {
      using db = new DatabaseSync(path);
      db.exec("delete from meta where key in ('fileInode', 'fileBirthNs', 'newSinceMs', 'markKept')");
    }
    const copy = await readFile(path);
    await rm(path);
    await writeFile(path, copy, { mode: 0o600 });
    {
      await using journal = await open(folder.path);
      expect(journal.newSinceMs).toBeUndefined();
    }
    await rename(path, `${path}.old`);
    await copyFile(`${path}.old`, path);
    await expect(open(folder.path)).rejects.toThrow('is a copy');
  });
});

describe('a file that is no journal of ours', () => {
  test('of a newer program is refused, and left as it is', async () => {
    await using folder = await makeFolder();
    await withJournal(folder.path, nothing);
    const path = join(folder.path, 'journal.db');
    using db = new DatabaseSync(path);
    db.exec('insert into schema_version values (99, 1)');
    expect(await refusal(folder.path)).toContain('newer paydrop (tables 99');
    expect(db.prepare('select count(*) as rows from schema_version').get()).toEqual({
      rows: 2,
    });
  });

  test('from before the first release is refused, and left as it is; another dataDir has a new journal', async () => {
    await using folder = await makeFolder();
    await withJournal(folder.path, nothing);
    const path = join(folder.path, 'journal.db');
    using db = new DatabaseSync(path);
    db.exec('update schema_version set version = 39');
    expect(await refusal(folder.path)).toBe(
      `the journal in ${folder.path} was written by a paydrop from before the first release (tables 39, this one knows ` +
        `${schemaVersion} and later): finish its batches with that one. For a new journal set another dataDir, and in ` +
        'PostgreSQL another database in journal.url, too; give it no file that was given to the old one, since it would ' +
        'pay that again',
    );
    expect(db.prepare('select version from schema_version').all()).toEqual([{ version: 39 }]);
    await withJournal(join(folder.path, 'another'), async (journal) => {
      expect(await journal.batches()).toEqual([]);
    });
  });

  test('of another program is refused', async () => {
    await using folder = await makeFolder();
    using db = new DatabaseSync(join(folder.path, 'journal.db'));
    db.exec('create table bookmarks (url text)');
    expect(await refusal(folder.path)).toContain('another program');
  });

  test('a text file is refused', async () => {
    await using folder = await makeFolder();
    await writeFile(join(folder.path, 'journal.db'), 'no journal at all, just some text\n'.repeat(50));
    expect(await refusal(folder.path)).toContain('another dataDir');
  });

  test('a folder is refused', async () => {
    await using folder = await makeFolder();
    await mkdir(join(folder.path, 'journal.db'));
    expect(await refusal(folder.path)).toContain('cannot be opened');
  });

  test('a damaged one is refused', async () => {
    await using folder = await makeFolder();
    await withJournal(folder.path, (journal) => ingest(journal, makeRows(200)));
    const path = join(folder.path, 'journal.db');
    const bytes = await readFile(path);
    bytes.fill(0xff, 100, 4_096);
    await writeFile(path, bytes);
    await chmod(path, 0o600);
    expect(await refusal(folder.path)).toContain('with "paydrop restore FILE --since YYYY-MM-DD"');
  });
});

describe('what the server said that it is', () => {
  test('binds a journal that was told nothing, once; who is beside it changes nothing', async () => {
    await using folder = await makeFolder();
    await withJournal(folder.path, nothing);
    const beside = { ...openingIn(folder.path, 'beside'), stamp: { ...stamp, serverKind: 'bank' } as const };
    await (await openJournal(beside))[Symbol.asyncDispose]();
    expect(peekServerKind(folder.path, 'journal.db')).toBeUndefined();
    const own = { ...openingIn(folder.path), stamp: { ...stamp, serverKind: 'sandbox' } as const };
    await (await openJournal(own))[Symbol.asyncDispose]();
    expect(peekServerKind(folder.path, 'journal.db')).toBe('sandbox');
    // Nobody answered: its own word holds.
    await withJournal(folder.path, nothing);
    expect(await refusal(folder.path, { serverKind: 'bank' })).toContain('was made for a paydrop sandbox');
  });

  test('is nothing without a journal, or in one that cannot be read', async () => {
    await using folder = await makeFolder();
    expect(peekServerKind(folder.path, 'journal.db')).toBeUndefined();
    await writeFile(join(folder.path, 'journal.db'), 'no database');
    expect(peekServerKind(folder.path, 'journal.db')).toBeUndefined();
  });
});
