import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { MarkCopies } from '../../src/app/journal/mark-copies.ts';
import type { JournalLoss } from '../../src/core/ports.ts';
import { JournalRefusedError, openConnection } from '../../src/store/connection.ts';
import { openJournal } from '../../src/store/open.ts';
import type { JournalOpening } from '../../src/store/opening.ts';
import { makeSqliteEngine } from '../../src/store/engine.ts';
import { makeApplier } from '../../src/store/payouts/apply.ts';
import type { Journal } from '../../src/store/store.ts';
import { WriteQueue } from '../../src/store/write-queue.ts';
import {
  firstReady,
  ingest,
  ingestRunning,
  intentOf,
  makeRows,
  noonMs,
  readyOf,
  secondBatchId,
  submit,
} from '../support/journal-fixtures.ts';
import { makeFolder, openingIn, stamp } from '../support/sqlite-store.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

async function withJournal<T>(
  dataDir: string,
  work: (journal: Journal) => Promise<T>,
  changes: Partial<JournalOpening> = {},
): Promise<T> {
  await using journal = await openJournal({ ...openingIn(dataDir), ...changes });
  return await work(journal);
}

const lossOf = (journal: Journal): Promise<JournalLoss | undefined> => journal.loss();

/** Lets the journal go on, some days after the noon of the fixtures. */
const recover = (dataDir: string, sinceDate: string, days = 0) =>
  withJournal(dataDir, lossOf, { recovery: { sinceDate }, nowMs: noonMs + days * dayMs });

const reopen = (dataDir: string) => withJournal(dataDir, lossOf);

/** A folder whose journal has sent something, with a copy from before that in `older.db`. */
async function makeUsedFolder() {
  const folder = await makeFolder();
  const path = join(folder.path, 'journal.db');
  await withJournal(folder.path, (journal) => ingestRunning(journal, makeRows(3)));
  await copyFile(path, join(folder.path, 'older.db'));
  await withJournal(folder.path, async (journal) => submit(journal, await firstReady(journal)));
  return {
    ...folder,
    returnToInbox: () => copyFile(join(folder.path, 'older.db'), path),
    lose: () => rm(path),
  };
}

describe('a journal that was lost', () => {
  test('goes on when a person says since when, and remembers it', async () => {
    await using folder = await makeUsedFolder();
    await folder.lose();
    const loss = { recoveredAtMs: noonMs, sinceDate: '20261119', untilDate: '20261121' };
    expect(await recover(folder.path, '20261119')).toEqual(loss);
    expect(await reopen(folder.path)).toEqual(loss);
    const mark: unknown = JSON.parse(await readFile(join(folder.path, 'journal.mark'), 'utf8'));
    expect(mark).toMatchObject({ recoveredAtMs: noonMs, sealedBatches: 0 });
  });

  test('goes on beside the write-ahead log that it has left, and takes nothing of it', async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, 'journal.db');
    await withJournal(folder.path, async (journal) => {
      await ingestRunning(journal, makeRows(3));
      for (const file of ['-wal', '-shm']) await copyFile(`${path}${file}`, `${path}${file}.kept`);
    });
    await rm(path);
    for (const file of ['-wal', '-shm']) await copyFile(`${path}${file}.kept`, `${path}${file}`);
    await recover(folder.path, '20261121');
    expect(await withJournal(folder.path, (journal) => journal.batches())).toEqual([]);
  });

  test('tells the way out, to those that only read too', async () => {
    await using folder = await makeUsedFolder();
    await folder.lose();
    for (const access of ['own', 'beside'] as const) {
      const refused = openJournal({ ...openingIn(folder.path, access) });
      await expect(refused).rejects.toThrow('paydrop run --journal-lost --since YYYY-MM-DD FILE..');
    }
    const recovery = { sinceDate: '20261121' };
    const beside = openJournal({ ...openingIn(folder.path, 'beside'), recovery });
    await expect(beside).rejects.toThrow(JournalRefusedError);
  });

  test('goes on with a mark that cannot be read, too', async () => {
    await using folder = await makeUsedFolder();
    await writeFile(join(folder.path, 'journal.mark'), '{');
    await expect(reopen(folder.path)).rejects.toThrow('--journal-lost');
    expect(await recover(folder.path, '20261121')).toMatchObject({ untilDate: '20261121' });
    expect(await reopen(folder.path)).toMatchObject({ untilDate: '20261121' });
  });
});

describe('an older copy', () => {
  test('goes on, and everything that it knows counts as known before', async () => {
    await using folder = await makeUsedFolder();
    await folder.returnToInbox();
    await expect(reopen(folder.path)).rejects.toThrow('older copy');
    expect(await recover(folder.path, '20261120', 1)).toEqual({
      recoveredAtMs: noonMs + dayMs,
      sinceDate: '20261120',
      untilDate: '20261122',
    });
    expect(await withJournal(folder.path, (journal) => readyOf(journal))).toHaveLength(3);
  });

  test('is in question from the last day that it knows of, even if a person gives a later one', async () => {
    await using folder = await makeUsedFolder();
    await folder.returnToInbox();
    expect(await recover(folder.path, '20261123', 2)).toMatchObject({
      sinceDate: '20261121',
      untilDate: '20261123',
    });
  });

  test('that has gone on cannot be replaced by the newer one that was found after all', async () => {
    await using folder = await makeUsedFolder();
    const path = join(folder.path, 'journal.db');
    await copyFile(path, join(folder.path, 'newest.db'));
    await folder.returnToInbox();
    await recover(folder.path, '20261121');
    await copyFile(join(folder.path, 'newest.db'), path);
    await expect(reopen(folder.path)).rejects.toThrow('before the journal last went on');
  });

  test('whose recovery was cut short before the mark was written is refused as before', async () => {
    await using folder = await makeUsedFolder();
    await folder.returnToInbox();
    const mark = await readFile(join(folder.path, 'journal.mark'));
    await recover(folder.path, '20261121');
    await writeFile(join(folder.path, 'journal.mark'), mark);
    await expect(reopen(folder.path)).rejects.toThrow('older copy');
  });

  test('beside the log of another is refused where that damages it', async () => {
    await using folder = await makeUsedFolder();
    const path = join(folder.path, 'journal.db');
    const bytes = await readFile(path);
    bytes.fill(0x41, 3 * 4_096, 5 * 4_096);
    await writeFile(path, bytes);
    await expect(recover(folder.path, '20261121')).rejects.toThrow(JournalRefusedError);
  });
});

describe('the recovery', () => {
  test('is later than all that the journal knows, whatever the clock says', async () => {
    await using folder = await makeUsedFolder();
    const changes = { recovery: { sinceDate: '20261121' }, nowMs: noonMs - hourMs / 2 };
    expect(await withJournal(folder.path, lossOf, changes)).toMatchObject({ recoveredAtMs: noonMs + 1 });
    const late = { recovery: { sinceDate: '20261120' }, nowMs: noonMs - dayMs };
    await expect(withJournal(folder.path, lossOf, late)).rejects.toThrow('set the clock right first');
  });

  test('of a journal in which something is missing leaves today in question', async () => {
    await using folder = await makeUsedFolder();
    await folder.lose();
    await expect(recover(folder.path, '20261122')).rejects.toThrow('today at least is in question');
    await expect(reopen(folder.path)).rejects.toThrow();
  });

  test('a second loss adds to the first', async () => {
    await using folder = await makeUsedFolder();
    await folder.lose();
    await recover(folder.path, '20261101');
    const path = join(folder.path, 'journal.db');
    await copyFile(path, `${path}.copy`);
    await withJournal(folder.path, (journal) => ingest(journal, makeRows(2), { batchId: secondBatchId }));
    await copyFile(`${path}.copy`, path);
    const both = { sinceDate: '20261101', untilDate: '20261122' };
    expect(await recover(folder.path, '20261121', 1)).toMatchObject(both);
  });

  test('is narrowed, or ended, by a person who says so of a whole journal', async () => {
    await using folder = await makeUsedFolder();
    await folder.lose();
    await recover(folder.path, '20261101');
    expect(await recover(folder.path, '20261120', 1)).toMatchObject({
      sinceDate: '20261120',
      untilDate: '20261122',
    });
    const ended = { recoveredAtMs: noonMs + 2 * dayMs, sinceDate: '20261124', untilDate: '20261123' };
    expect(await recover(folder.path, '20261124', 2)).toEqual(ended);
    expect(await reopen(folder.path)).toEqual(ended);
  });
});

describe('the terminals of a journal that was lost', () => {
  const at = (termId: string): Partial<JournalOpening> => ({ stamp: { ...stamp, termId } });
  const recoverAt = (dataDir: string, termId: string, more: Partial<JournalOpening> = {}) =>
    withJournal(dataDir, (journal) => journal.terminals(), {
      ...at(termId),
      recovery: { sinceDate: '20261121' },
      ...more,
    });
  const markPath = (dataDir: string): string => join(dataDir, 'journal.mark');
  const readMark = async (dataDir: string): Promise<Record<string, unknown>> =>
    JSON.parse(await readFile(markPath(dataDir), 'utf8'));

  /** A folder whose journal was bound to two terminals, and a copy of it from between the two in `older.db`. */
  async function makeBoundFolder() {
    const folder = await makeFolder();
    const path = join(folder.path, 'journal.db');
    await withJournal(folder.path, async () => {}, at('TERM0001'));
    await copyFile(path, join(folder.path, 'older.db'));
    await withJournal(folder.path, async () => {}, { ...at('TERM0002'), adopts: true });
    return { ...folder, lose: () => rm(path), file: path };
  }

  test('are all that its mark names, and are named by the mark from then on', async () => {
    await using folder = await makeBoundFolder();
    expect((await readMark(folder.path))['terminals']).toEqual(['TERM0001', 'TERM0002']);
    await folder.lose();
    expect(await recoverAt(folder.path, 'TERM0003')).toEqual(['TERM0001', 'TERM0002', 'TERM0003']);
    expect((await readMark(folder.path))['terminals']).toEqual(['TERM0001', 'TERM0002', 'TERM0003']);
    // One that is bound to anew is the present one, and no other goes.
    await withJournal(folder.path, async () => {}, { ...at('TERM0001'), adopts: true });
    expect((await readMark(folder.path))['terminals']).toEqual(['TERM0002', 'TERM0003', 'TERM0001']);
  });

  test('are those of an older copy and its mark together', async () => {
    await using folder = await makeBoundFolder();
    await copyFile(join(folder.path, 'older.db'), folder.file);
    await expect(withJournal(folder.path, lossOf, at('TERM0001'))).rejects.toThrow(
      'knows nothing of the terminal TERM0002',
    );
    expect(await recoverAt(folder.path, 'TERM0003')).toEqual(['TERM0001', 'TERM0002', 'TERM0003']);
  });

  test.each<[string, (path: string) => Promise<void>]>([
    ['is gone', (path) => rm(path)],
    ['cannot be read', (path) => writeFile(path, '{')],
    [
      'names none',
      async (path) =>
        writeFile(
          path,
          JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), terminals: undefined }),
        ),
    ],
  ])('have to be named where the mark %s, and nothing is made before', async (_name, spoil) => {
    await using folder = await makeBoundFolder();
    await folder.lose();
    await spoil(markPath(folder.path));
    for (const termId of ['TERM0002', 'TERM0003'])
      await expect(recoverAt(folder.path, termId)).rejects.toThrow(
        `("--sent-from ${termId}" if it has had no other than that of the settings)`,
      );
    expect(existsSync(folder.file)).toBe(false);
    const sentFrom = ['TERM0001', 'TERM0002'];
    expect(await recoverAt(folder.path, 'TERM0003', { sentFrom })).toEqual([...sentFrom, 'TERM0003']);
  });

  test('need not be named for an older copy without a mark that knows the present one', async () => {
    await using folder = await makeBoundFolder();
    await copyFile(join(folder.path, 'older.db'), folder.file);
    await rm(markPath(folder.path));
    await expect(recoverAt(folder.path, 'TERM0003')).rejects.toThrow('--sent-from');
    expect(await recoverAt(folder.path, 'TERM0001')).toEqual(['TERM0001']);
  });

  test('are those of the marks in other folders, too', async () => {
    await using folder = await makeFolder();
    const outbox = join(folder.path, 'outbox');
    await mkdir(outbox);
    const openMarks = (journalId: string): MarkCopies => new MarkCopies([outbox], journalId);
    const dataDir = join(folder.path, 'data');
    const names = ['journal.db', 'journal.mark'];
    await withJournal(dataDir, async () => {}, { ...at('TERM0001'), openMarks });
    const kept = await Promise.all(names.map((name) => readFile(join(dataDir, name))));
    await withJournal(dataDir, async () => {}, { ...at('TERM0002'), openMarks, adopts: true });
    for (const [place, name] of names.entries()) await writeFile(join(dataDir, name), kept[place] ?? '');
    expect(await recoverAt(dataDir, 'TERM0003', { openMarks })).toEqual(['TERM0001', 'TERM0002', 'TERM0003']);
  });

  test('are told of by whoever begins anew', async () => {
    await using folder = await makeFolder();
    const begun = { ...at('TERM0002'), sentFrom: ['TERM0001'], creation: 'only' } as const;
    await withJournal(folder.path, async () => {}, begun);
    expect((await readMark(folder.path))['terminals']).toEqual(['TERM0001', 'TERM0002']);
  });
});

describe('the mark during a run', () => {
  const markIn = async (dataDir: string): Promise<{ latestEventSeq: number }> =>
    JSON.parse(await readFile(join(dataDir, 'journal.mark'), 'utf8'));
  const lastSeqIn = (dataDir: string): number => {
    using db = new DatabaseSync(join(dataDir, 'journal.db'), { readOnly: true });
    return Number(db.prepare('select max(seq) as seq from event').get()?.['seq']);
  };

  test('moves on with every commit, before anybody could send on the strength of it', async () => {
    await using folder = await makeFolder();
    await withJournal(folder.path, async (journal) => {
      await ingestRunning(journal, makeRows(12));
      for (const payout of await readyOf(journal)) {
        await submit(journal, payout);
        expect((await markIn(folder.path)).latestEventSeq).toBe(lastSeqIn(folder.path));
      }
    });
    expect((await markIn(folder.path)).latestEventSeq).toBe(lastSeqIn(folder.path));
  });

  test('keeps its length, whatever its numbers and terminals are', async () => {
    await using folder = await makeFolder();
    const terminals = Array.from(
      { length: 20 },
      (_one, place) => `TERMINAL-NUMBER-${String(place).padStart(4, '0')}`,
    );
    const bound = { stamp: { ...stamp, termId: 'TERM0001' }, sentFrom: terminals };
    const lengths = new Set<number>();
    const noteLength = async (): Promise<unknown> =>
      lengths.add((await readFile(join(folder.path, 'journal.mark'))).length);
    await withJournal(
      folder.path,
      async (journal) => {
        await noteLength();
        await ingestRunning(journal, makeRows(12));
        for (const payout of await readyOf(journal)) {
          await submit(journal, payout);
          await noteLength();
          expect(await markIn(folder.path)).toMatchObject({ terminals: [...terminals, 'TERM0001'] });
        }
      },
      bound,
    );
    expect(lengths.size).toBe(1);
  });

  test('is so close behind that a copy from before the last commit is refused after a kill', async () => {
    await using folder = await makeFolder();
    const killed = join(folder.path, 'killed');
    await withJournal(killed, async () => {});
    await withJournal(folder.path, async (journal) => {
      await ingestRunning(journal, makeRows(2));
      await submit(journal, await firstReady(journal));
      using reader = new DatabaseSync(join(folder.path, 'journal.db'), { readOnly: true });
      await backup(reader, join(killed, 'journal.db'));
      await submit(journal, await firstReady(journal));
      await copyFile(join(folder.path, 'journal.mark'), join(killed, 'journal.mark'));
    });
    await expect(reopen(killed)).rejects.toThrow('older copy');
  });

  test('that is torn while it is read is read again, and another process may always open beside', async () => {
    await using folder = await makeFolder();
    await withJournal(folder.path, async (journal) => {
      await ingestRunning(journal, makeRows(40));
      for (const payout of await readyOf(journal)) {
        const [beside] = await Promise.all([
          openJournal(openingIn(folder.path, 'beside')),
          submit(journal, payout),
        ]);
        await beside[Symbol.asyncDispose]();
      }
    });
  });

  test('that cannot be written stops everything: the commit stands, and nobody is told so', async () => {
    await using folder = await makeFolder();
    await using journal = await openJournal(openingIn(folder.path));
    await ingestRunning(journal, makeRows(1));
    const payout = await firstReady(journal);
    const path = join(folder.path, 'journal.db');
    using db = openConnection(path);
    const applier = makeApplier(makeSqliteEngine(db, path, new WriteQueue(db)), () => {
      throw new Error('the disk is full');
    });
    await expect(applier.apply([intentOf(payout).change])).rejects.toThrow('the disk is full');
    expect(await journal.payout(payout.seq)).toMatchObject({ status: 'submitted' });
  });
});
