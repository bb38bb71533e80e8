import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { formatBangkokDate } from '../../../src/core/bangkok-time.ts';
import { nameJournalUrl } from '../../../src/settings/journal-url.ts';
import { JournalRefusedError, JournalWriteError } from '../../../src/store/connection.ts';
import type { JournalOpening } from '../../../src/store/opening.ts';
import {
  type JournalAddress,
  openDatabaseJournal,
  peekServerKind,
  prepareJournal,
} from '../../../src/store/postgres/open.ts';
import { requireServer } from '../../../src/store/postgres/server.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { applied, holdOf, ingest, makeRows, readyOf } from '../../support/journal-fixtures.ts';
import {
  copyDatabase,
  describePostgres,
  makeDatabase,
  makeJournalDatabase,
  replaceDatabase,
  type TestDatabase,
} from '../../support/postgres.ts';
import { makeFolder, stamp } from '../../support/sqlite-store.ts';

interface Scene extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly address: JournalAddress;
  readonly usual: JournalOpening;
  open(changes?: Partial<JournalOpening>): ReturnType<typeof openDatabaseJournal>;
  /** Opens it and closes it at once. */
  work(changes?: Partial<JournalOpening>): Promise<void>;
  refusal(changes?: Partial<JournalOpening>): Promise<string>;
}

const addressOf = (url: string): JournalAddress => ({ url, name: nameJournalUrl(url) });

async function refusalOf(opened: Promise<unknown>): Promise<string> {
  const error: unknown = await opened.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(JournalRefusedError);
  return (error as Error).message;
}

/** Making a database takes most of what a test takes: most of them share one, in which no journal has begun. */
let shared: TestDatabase | undefined;
afterAll(() => shared?.[Symbol.asyncDispose]());

async function clearShared(): Promise<TestDatabase> {
  shared ??= await makeJournalDatabase();
  await using client = await shared.connect();
  await client.query('truncate paydrop.meta, paydrop.journal_loss');
  await client.query('delete from paydrop.schema_version where version = 99');
  return { ...shared, [Symbol.asyncDispose]: async () => {} };
}

/** @param make another database than the one that most share */
async function makeScene(make: () => Promise<TestDatabase> = clearShared): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await make());
  const folder = stack.use(await makeFolder());
  const address = addressOf(database.url);
  const usual: JournalOpening = { dataDir: folder.path, stamp, access: 'own', nowMs: noonMs };
  const open = (changes = {}) => openDatabaseJournal({ ...usual, ...changes }, address);
  const owned = stack.move();
  return {
    database,
    dataDir: folder.path,
    address,
    usual,
    open,
    work: async (changes) => (await open(changes))?.[Symbol.asyncDispose](),
    refusal: (changes) => refusalOf(open(changes)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Runs statements on the database of a scene, or on the server's own. */
async function run({ database }: Scene, ...statements: readonly string[]): Promise<void> {
  await using client = await database.connect();
  for (const statement of statements) await client.query(statement);
}

describePostgres('a new journal in a database', () => {
  test('is made by the process that may send, and by no other', async () => {
    await using scene = await makeScene(makeDatabase);
    expect(await scene.open({ access: 'beside' })).toBeUndefined();
    expect(await scene.refusal({ creation: 'never' })).toMatch(
      /there is no journal at postgres:.*"paydrop init"/,
    );
    {
      await using client = await scene.database.connect();
      expect((await client.query(`select to_regnamespace('paydrop') as found`)).rows).toEqual([
        { found: null },
      ]);
    }
    await using journal = await scene.open({ creation: 'only' });
    await using beside = await scene.open({ access: 'beside' });
    expect(beside?.journalId).toBe(journal?.journalId);
    expect(journal?.newSinceMs).toBe(noonMs);
    expect(beside?.newSinceMs).toBeUndefined();
  });

  test('is made once by two machines at the same moment', async () => {
    await using scene = await makeScene(makeDatabase);
    await using other = await makeFolder();
    const [one, two] = await Promise.all([scene.open(), scene.open({ dataDir: other.path })]);
    expect(one?.journalId).toBe(two?.journalId);
    await Promise.all([one?.[Symbol.asyncDispose](), two?.[Symbol.asyncDispose]()]);
  });

  test('is not made where one is', async () => {
    await using scene = await makeScene();
    await scene.work();
    expect(await scene.refusal({ creation: 'only' })).toMatch(/there is a journal at postgres:.* already/);
  });

  test('is begun again when its making was cut short', async () => {
    await using scene = await makeScene();
    await scene.work();
    await rm(join(scene.dataDir, 'journal.mark'));
    await run(scene, 'delete from paydrop.meta');
    expect(await scene.open({ access: 'beside' })).toBeUndefined();
    await scene.work();
  });

  test('of a newer program is refused, and of a schema of others', async () => {
    await using scene = await makeScene();
    await scene.work();
    await run(scene, 'insert into paydrop.schema_version values (99, 1, 99)');
    expect(await scene.refusal()).toMatch(/written by a newer paydrop \(tables 99, /);
    await using others = await makeScene(makeDatabase);
    await run(others, 'create schema paydrop', 'create table paydrop.bookmarks (url text)');
    expect(await others.refusal()).toContain('another program’s');
  });
});

describePostgres('what a journal in a database belongs to', () => {
  test.each([
    [{ bankAddress: 'https://other.example' }, /another’s: .*https:\/\/other\.example.*journal\.url/],
    [{ companyId: 'COMP000002' }, /made for company COMP000001, the settings name company COMP000002/],
    [{ bankAddress: 'sandbox', isSandbox: true }, /the bank at https:\/\/bank\.example.*the sandbox/],
  ])('refuses %j', async (changes, message) => {
    await using scene = await makeScene();
    await scene.work();
    for (const access of ['own', 'beside'] as const)
      expect(await scene.refusal({ access, stamp: { ...stamp, ...changes } })).toMatch(message);
    await scene.work();
  });

  test('and what its server said that it is', async () => {
    await using scene = await makeScene();
    expect(await peekServerKind(scene.address)).toBeUndefined();
    const told = (serverKind: 'sandbox' | 'bank') => ({ stamp: { ...stamp, serverKind } });
    await scene.work(told('sandbox'));
    expect(await peekServerKind(scene.address)).toBe('sandbox');
    expect(await scene.refusal(told('bank'))).toMatch(
      /was made for a paydrop sandbox.*Name another database/,
    );
    expect(await peekServerKind(addressOf('postgres://127.0.0.1:1/none'))).toBeUndefined();
  });

  test('its terminal', async () => {
    await using scene = await makeScene();
    const at = (termId: string) => ({ stamp: { ...stamp, termId } });
    await scene.work(at('TERM0001'));
    expect(await scene.refusal(at('TERM0002'))).toMatch(/bound to the terminal TERM0001/);
    await scene.work({ ...at('TERM0002'), adopts: true });
    await scene.work(at('TERM0002'));
  });

  test('the terminals that it has sent from, which a mark or a person names after a loss', async () => {
    await using scene = await makeScene();
    await using other = await makeFolder();
    const at = (termId: string) => ({ stamp: { ...stamp, termId } });
    const recovery = { sinceDate: formatBangkokDate(noonMs) };
    const recover = async (termId: string, more: Partial<JournalOpening> = {}) => {
      await using journal = await scene.open({ ...at(termId), recovery, restores: true, ...more });
      return await journal?.terminals();
    };
    const readMarked = async (dataDir: string): Promise<unknown> =>
      (JSON.parse(await readFile(join(dataDir, 'journal.mark'), 'utf8')) as Record<string, unknown>)[
        'terminals'
      ];
    await scene.work(at('TERM0001'));
    await scene.work({ ...at('TERM0002'), adopts: true });
    expect(await readMarked(scene.dataDir)).toEqual(['TERM0001', 'TERM0002']);
    // It is put back to before it was bound anew.
    await run(scene, `update paydrop.meta set value = '["TERM0001"]' where key = 'terminals'`);
    expect(await scene.refusal(at('TERM0001'))).toContain('knows nothing of the terminal TERM0002');
    const unmarked = { ...at('TERM0003'), recovery, restores: true, dataDir: other.path };
    expect(await scene.refusal(unmarked)).toContain('--sent-from TERMINAL');
    await using client = await scene.database.connect();
    expect((await client.query('select * from paydrop.journal_loss')).rows).toEqual([]);
    expect(await recover('TERM0003')).toEqual(['TERM0001', 'TERM0002', 'TERM0003']);
    const sentFrom = ['TERM0000'];
    const all = ['TERM0000', 'TERM0001', 'TERM0002', 'TERM0003', 'TERM0004'];
    expect(await recover('TERM0004', { dataDir: other.path, sentFrom })).toEqual(all);
    expect(await readMarked(other.path)).toEqual(all);
  });
});

describePostgres('where a journal in a database stands', () => {
  test('a copy under its name is refused until somebody adopts it', async () => {
    await using scene = await makeScene(makeJournalDatabase);
    await scene.work();
    await using copy = await copyDatabase(scene.database);
    await replaceDatabase(scene.database, copy);
    expect(await scene.refusal()).toMatch(/is a copy: it is in another database.*"paydrop restore --since/);
    await scene.work({ adopts: true });
    await scene.work();
  });

  test.each([
    ['timeline', '7', /on timeline \d+ and worked on timeline 7 before: its server was restored or promoted/],
    ['systemId', '1', /is a copy: it is in another database/],
  ])('another %s is refused until a person says that it goes on', async (key, value, message) => {
    await using scene = await makeScene();
    await scene.work();
    await run(scene, `update paydrop.meta set value = '${value}' where key = '${key}'`);
    expect(await scene.refusal()).toMatch(message);
    const recovery = { sinceDate: formatBangkokDate(noonMs) };
    await scene.work({ recovery, restores: true });
    await scene.work();
    await using client = await scene.database.connect();
    const losses = await client.query('select since_date, until_date from paydrop.journal_loss');
    expect(losses.rows).toEqual([{ since_date: recovery.sinceDate, until_date: recovery.sinceDate }]);
  });

  test('a process at work meets it on its next connection', async () => {
    await using scene = await makeScene(makeJournalDatabase);
    await scene.work();
    await using copy = await copyDatabase(scene.database);
    const prepared = await prepareJournal(scene.usual, scene.address);
    const journal = await prepared?.takeUp();
    expect(prepared?.refused.aborted).toBe(false);
    await replaceDatabase(scene.database, copy);
    await expect(journal?.loss()).rejects.toThrow(/is a copy: .*noticed while it was at work/);
    expect(prepared?.refused.reason).toBeInstanceOf(JournalRefusedError);
    await expect(journal?.[Symbol.asyncDispose]()).rejects.toThrow('is a copy');
    await prepared?.[Symbol.asyncDispose]();
  });
});

/** Has something happen once: after the server has answered a question with these words, and before that is told. */
function beforeAnswerIsTold(words: string, happens: () => Promise<unknown>): void {
  const connections = Client.prototype as { query(...asked: readonly unknown[]): Promise<unknown> };
  const { query } = connections;
  const spy = vi.spyOn(connections, 'query');
  spy.mockImplementation(async function (this: Client, ...asked) {
    const answer = await query.apply(this, [...asked]);
    if (!JSON.stringify(asked[0]).includes(words)) return answer;
    spy.mockRestore();
    await happens();
    return answer;
  });
}

describePostgres('a new connection', () => {
  test('is not taken for one to an older copy because something is committed meanwhile', async () => {
    await using scene = await makeScene(makeJournalDatabase);
    await using prepared = await prepareJournal(scene.usual, scene.address);
    await using journal = await prepared?.takeUp();
    if (prepared === undefined || journal === undefined) throw new Error('there is no journal');
    await ingest(journal, makeRows(2));
    const [first, second] = await readyOf(journal);
    if (first === undefined || second === undefined) throw new Error('no rows');
    await applied(journal, holdOf(first, 'similar'));
    const meanwhile = vi.fn(() => applied(journal, holdOf(second, 'similar')));
    beforeAnswerIsTold('latest_event_seq', meanwhile);
    await using taken = new AsyncDisposableStack();
    while (meanwhile.mock.calls.length === 0) {
      const client = await prepared.engine.pool.connect();
      taken.defer(() => client.release());
    }
    expect(prepared.refused.aborted).toBe(false);
  });
});

describePostgres('the mark beside a journal in a database', () => {
  const markOf = ({ dataDir }: Scene): string => join(dataDir, 'journal.mark');

  test('is each machine’s own', async () => {
    await using scene = await makeScene();
    await using other = await makeFolder();
    await scene.work();
    await scene.work({ dataDir: other.path });
    const [one, two] = [scene.dataDir, other.path].map(async (dataDir) =>
      JSON.parse(await readFile(markOf({ ...scene, dataDir }), 'utf8')),
    );
    expect(await two).toEqual({ ...(await one), unmarkedSinceMs: noonMs });
    // A machine that has lost its folder, or is new, has nothing to compare with.
    await rm(markOf(scene));
    await scene.work();
  });

  test('shows that the database is behind, to those that only read too', async () => {
    await using scene = await makeScene();
    await scene.work();
    const mark: unknown = JSON.parse(await readFile(markOf(scene), 'utf8'));
    await writeFile(markOf(scene), JSON.stringify({ ...(mark as object), latestEventSeq: 7 }));
    for (const access of ['own', 'beside'] as const)
      expect(await scene.refusal({ access })).toMatch(
        /the journal at postgres:.* is an older copy: it has 0 files and 0 events, 0 and 7 were recorded/,
      );
    expect(await scene.refusal({ adopts: true })).toContain('older copy');
    await scene.work({ recovery: { sinceDate: formatBangkokDate(noonMs) } });
    await scene.work();
  });

  test('of another machine is no hindrance once a person has said, on one of them, what may be missing', async () => {
    await using scene = await makeScene();
    await using other = await makeFolder();
    await scene.work();
    const mark: unknown = JSON.parse(await readFile(markOf(scene), 'utf8'));
    for (const dataDir of [scene.dataDir, other.path])
      await writeFile(
        markOf({ ...scene, dataDir }),
        JSON.stringify({ ...(mark as object), latestEventSeq: 7 }),
      );
    const recovery = { sinceDate: formatBangkokDate(noonMs) };
    expect(await scene.refusal({ dataDir: other.path })).toContain('older copy');
    await scene.work({ recovery, restores: true });
    await scene.work({ dataDir: other.path });
    await writeFile(
      markOf(scene),
      JSON.stringify({ ...(mark as object), recoveredAtMs: noonMs, latestEventSeq: 7 }),
    );
    expect(await scene.refusal()).toContain('older copy');
  });

  test('is not put back by what was read while more was committed', async () => {
    await using scene = await makeScene(makeJournalDatabase);
    const latest = async (): Promise<unknown> =>
      (JSON.parse(await readFile(markOf(scene), 'utf8')) as Record<string, unknown>)['latestEventSeq'];
    await using journal = await scene.open();
    if (journal === undefined) throw new Error('it was made');
    await ingest(journal, makeRows(2));
    const before = await latest();
    await using client = await scene.database.connect();
    // What is read last of how far the journal has come.
    await client.query('begin; lock table paydrop.registration_event in access exclusive mode');
    const moved = journal.moveBatch('0123456789', 'running', null, noonMs);
    await eventually(async () => {
      const { rows } = await client.query(
        `select 1 from pg_stat_activity where wait_event = 'relation' and datname = current_database()`,
      );
      expect(rows).toHaveLength(1);
    });
    const [payout] = await readyOf(journal);
    if (payout === undefined) throw new Error('none is ready');
    await applied(journal, holdOf(payout, 'limit'));
    const after = await latest();
    expect(after).not.toBe(before);
    await client.query('rollback');
    await moved;
    expect(await latest()).toBe(after);
  });

  test('shows that the database is another, or empty', async () => {
    await using scene = await makeScene();
    await using other = await makeScene(makeJournalDatabase);
    await scene.work();
    expect(await other.refusal({ dataDir: scene.dataDir })).toMatch(/is lost: journal\.mark is there, and/);
    await other.work();
    expect(await other.refusal({ dataDir: scene.dataDir })).toContain(
      'not the journal that worked here before',
    );
  });

  test('that is put back empty is nothing to go on with', async () => {
    await using scene = await makeScene();
    const recovery = { sinceDate: formatBangkokDate(noonMs) };
    expect(await scene.refusal({ recovery, restores: true })).toContain('there is no journal at postgres:');
  });
});

describePostgres('a server that does not do', () => {
  test('in another encoding', async () => {
    await using scene = await makeScene(() =>
      makeDatabase(`template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'`),
    );
    expect(await scene.refusal()).toMatch(/is in a database in LATIN1: make one with/);
  });

  test('read-only to the role that sends, and good enough for one that reads', async () => {
    await using scene = await makeScene(makeJournalDatabase);
    await scene.work();
    const name = new URL(scene.database.url).pathname.slice(1);
    await run(scene, `alter database ${name} set default_transaction_read_only = on`);
    expect(await scene.refusal()).toMatch(/is read-only to this role/);
    await scene.work({ access: 'beside' });
  });

  test('that does not let us in, without the password', async () => {
    await using scene = await makeScene();
    const at = (change: (url: URL) => void): string => {
      const url = new URL(scene.database.url);
      change(url);
      return url.href;
    };
    const opening: JournalOpening = { dataDir: scene.dataDir, stamp, access: 'own' };
    const refused = (url: string) => refusalOf(openDatabaseJournal(opening, addressOf(url)));
    const wrong = await refused(at((url) => (url.password = 'hush-hush')));
    expect(wrong).toMatch(/^the journal at postgres:.* cannot be opened: the server does not let us in/);
    expect(wrong).not.toContain('hush');
    expect(await refused(at((url) => (url.pathname = '/paydrop_test_none')))).toMatch(/no such database/);
    expect(await refused(at((url) => (url.search = '?sslmode=verify-full&sslrootcert=/none.pem')))).toMatch(
      /a file that its address names cannot be read \(ENOENT\)/,
    );
  });
});

describe('a server that is not there', () => {
  test('is waited for by nobody who opens, and named without the password', async () => {
    await using folder = await makeFolder();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const opening: JournalOpening = { dataDir: folder.path, stamp, access: 'beside' };
    const url = `postgres://app:hush-hush@127.0.0.1:${port}/paydrop`;
    const beganMs = performance.now();
    const error: unknown = await openDatabaseJournal(opening, addressOf(url)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(JournalWriteError);
    expect((error as Error).message).toBe(
      `the journal at postgres://127.0.0.1:${port}/paydrop cannot be reached (ECONNREFUSED): start the database, or ` +
        'correct journal.url; then run it again',
    );
    expect(performance.now() - beganMs).toBeLessThan(20_000);
  });
});

describe('what is asked of a server', () => {
  const answer = {
    version: '150018',
    version_words: '15.18',
    encoding: 'UTF8',
    is_replica: 'false',
    is_read_only: 'off',
    fsync: 'on',
    full_page_writes: 'on',
    oid: '16400',
    may_tell_system: 'true',
    may_tell_timeline: 'true',
  };
  const ask = (changes: Partial<typeof answer>) => {
    const asked: string[] = [];
    const query = async (text: string) => {
      asked.push(text);
      return { rows: asked.length === 1 ? [{ ...answer, ...changes }] : [] };
    };
    const client = { query } as unknown as Parameters<typeof requireServer>[0];
    return { asked, found: requireServer(client, { journal: 'the journal at x' }, true) };
  };

  test.each<[Partial<typeof answer>, string]>([
    [
      { version: '140012', version_words: '14.12' },
      'is on PostgreSQL 14.12: update the server to 15 or newer',
    ],
    [{ encoding: 'SQL_ASCII' }, 'is in a database in SQL_ASCII'],
    [{ is_replica: 'true' }, 'is on a replica'],
    [{ fsync: 'off' }, 'is on a server that may lose what it has committed'],
    [{ full_page_writes: 'off' }, 'is on a server that may lose what it has committed'],
    [{ is_read_only: 'on' }, 'is read-only to this role'],
  ])('%j', async (changes, message) => {
    expect(await refusalOf(ask(changes).found)).toContain(`the journal at x cannot be used: it ${message}`);
  });

  test('a role that may not ask for what tells a copy binds the journal to its database alone', async () => {
    const { asked, found } = ask({ may_tell_system: 'false', may_tell_timeline: 'false' });
    expect(await found).toEqual({ oid: '16400', systemId: null, timeline: null });
    expect(asked.at(-1)).not.toMatch(/pg_/);
  });
});
