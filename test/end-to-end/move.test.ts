/** `paydrop move`, from the shell: what it does, what it says, and what the file says afterwards. */
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { acquireSenderLock } from '../../src/app/sender-lock.ts';
import { nameJournalUrl } from '../../src/settings/journal-url.ts';
import { openJournal } from '../../src/store/open.ts';
import { openDatabaseJournal } from '../../src/store/postgres/open.ts';
import { type Ended, runPaydrop } from '../cli/run-paydrop.ts';
import { readDatabaseRows, readFileRows, withoutOwnFacts } from '../support/both-sides.ts';
import { partner } from '../support/core-fixtures.ts';
import { firstBatchId, ingestAs, ingestDone, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { describePostgres, makeDatabase, type TestDatabase } from '../support/postgres.ts';
import { openingIn, stamp } from '../support/sqlite-store.ts';
import { archiveAll, settled, tamper } from '../support/store-fixtures.ts';

let folder = '';
let database: TestDatabase;

/** As the settings have it. */
const openHere = () =>
  openJournal({ ...openingIn(join(folder, 'data')), stamp: { ...stamp, termId: partner.termId } });

const path = (): string => join(folder, 'data', 'journal.db');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-move-'));
  database = await makeDatabase();
  const bank = { baseUrl: 'https://bank.example', ...partner };
  await writeFile(join(folder, 'paydrop.yaml'), stringify({ dataDir: './data', bank }), { mode: 0o600 });
  await using journal = await openHere();
  await ingestAs(journal, ['paid', 'submitted'], makeRows(3));
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const paydrop = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  runPaydrop([...args, '--config', join(folder, 'paydrop.yaml')], { env });

/** With the address where a password may stand. */
const move = (...args: readonly string[]): Promise<Ended> =>
  paydrop(['move', ...args], { PAYDROP_JOURNAL_URL: database.url });

describePostgres('paydrop move', () => {
  test('says first what it would do, then does it, and says it again', async () => {
    const name = nameJournalUrl(database.url);
    const before = withoutOwnFacts(readFileRows(path()));
    const check = await move('--check');
    expect(check).toMatchObject({ code: 0, stderr: '' });
    expect(check.stdout).toMatch(
      /^\d+ rows of the journal \S+ in \S+ would go to postgres:\/\/\S+, and could\.$/m,
    );
    for (const command of [['status'], ['settle']]) {
      const forgotten = await paydrop(command, { PAYDROP_JOURNAL_URL: database.url });
      expect(forgotten).toMatchObject({ code: 2, stdout: '' });
      expect(forgotten.stderr).toContain('both would pay. "paydrop move" carries it over');
    }
    await expect(readDatabaseRows(database.url)).rejects.toThrow('paydrop');
    const moved = await move('--json');
    expect(moved).toMatchObject({ code: 0, stderr: '' });
    const said = JSON.parse(moved.stdout) as Record<string, unknown>;
    expect(said).toMatchObject({ database: name, state: 'moved', dataDir: join(folder, 'data') });
    expect(Number(/^(\d+) rows/m.exec(check.stdout)?.[1])).toBe(said['rows']);
    expect(withoutOwnFacts(await readDatabaseRows(database.url))).toEqual(expect.objectContaining(before));
    const refused = await paydrop(['status']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(
      `was moved to ${name}, and goes on there: name that database in journal.url`,
    );
    const again = await move();
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain(`is at ${name}, already: nothing was to be done.`);
    expect((await move('--check')).stdout).toContain(`is at ${name} already.`);
  });

  test('tells whoever types a password who can read it', async () => {
    const moved = await paydrop(['move', '--to', database.url]);
    expect(moved).toEndWith(0);
    expect(moved.stderr).toContain('Every user of this machine can read the password in --to');
    expect(moved.stdout).not.toContain(`${new URL(database.url).password}@`);
    expect(moved.stdout).toMatch(
      /rows?, each compared with the file\.\nName that database in journal\.url now/,
    );
  });

  test.each([
    [[], 'name the database: with --to, in journal.url, or in PAYDROP_JOURNAL_URL'],
    [['--to', 'mysql://x/y'], '--to must be empty, for SQLite in dataDir, or the address'],
  ])('asks for a database where none is named: %j', async (args, message) => {
    const refused = await paydrop(['move', ...args]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(message);
  });

  test('goes to one place alone, and where there is a journal', async () => {
    const other = await move('--to', 'postgres://elsewhere/paydrop');
    expect(other).toEndWith(2);
    expect(other.stderr).toMatch(/--to names postgres:\/\/elsewhere\/paydrop, and PAYDROP_JOURNAL_URL names/);
    const none = await move('--data-dir', join(folder, 'none'));
    expect(none).toEndWith(2);
    expect(none.stderr).toContain('there is no journal');
  });

  test('has nothing to do where the journal began in the database, and says so', async () => {
    const dataDir = join(folder, 'other');
    const other = (...args: readonly string[]): Promise<Ended> =>
      paydrop([...args, '--data-dir', dataDir], { PAYDROP_JOURNAL_URL: database.url });
    const name = nameJournalUrl(database.url);
    await mkdir(dataDir);
    const opening = { ...openingIn(dataDir), stamp: { ...stamp, termId: partner.termId } };
    await (await openDatabaseJournal(opening, { url: database.url, name }))?.[Symbol.asyncDispose]();
    const said = `is at ${name}, and there is no journal.db in ${dataDir}: nothing is to be moved.`;
    for (const args of [['--check'], []]) {
      const nothing = await other('move', ...args);
      expect(nothing).toMatchObject({ code: 0, stderr: '' });
      expect(nothing.stdout).toContain(said);
    }
    expect(JSON.parse((await other('move', '--json')).stdout)).toMatchObject({ state: 'was-there' });
    await using empty = await makeDatabase();
    for (const args of [['--check'], []]) {
      const elsewhere = await paydrop(['move', '--data-dir', dataDir, ...args], {
        PAYDROP_JOURNAL_URL: empty.url,
      });
      expect(elsewhere).toMatchObject({ code: 2, stdout: '' });
      expect(elsewhere.stderr).toContain('If it is in another database, name that one in journal.url');
      expect(elsewhere.stderr).toContain('If it was in journal.db, that is lost.');
    }
  });

  test('waits for nobody who sends, and names him', async () => {
    const lock = await acquireSenderLock(join(folder, 'data'), 'watch');
    if ('heldBy' in lock) throw new Error('the lock is held');
    using stack = new DisposableStack();
    stack.use(lock);
    const before = readFileRows(path());
    const busy = await move();
    expect(busy).toMatchObject({ code: 6, stdout: '' });
    expect(busy.stderr).toContain('"paydrop watch"');
    const check = await move('--check');
    expect(check).toMatchObject({ code: 6, stderr: '' });
    expect(check.stdout).toMatch(
      /would go to .*\n"paydrop watch" \(process \d+\) is sending now: stop it before\./,
    );
    expect(readFileRows(path())).toEqual(before);
  });

  test('brings archived batches back where that is asked for', async () => {
    {
      await using journal = await openHere();
      await ingestDone(journal, secondBatchId, 10);
    }
    tamper(path(), settled);
    {
      await using journal = await openHere();
      expect(await archiveAll(journal, [secondBatchId])).toEqual([true]);
    }
    for (const args of [[], ['--check']]) {
      const refused = await move(...args);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(
        /1 batch of the journal stands in journal-archive-0001\.db, .* "paydrop move --recall"/,
      );
    }
    const check = await move('--check', '--recall');
    expect(check.stdout).toContain('1 batch would come back from their archives before, and go along.');
    expect(await move('--recall')).toMatchObject({ code: 0, stderr: '' });
    const { payout, archived_batch: archived } = await readDatabaseRows(database.url);
    expect([payout!.length, archived!.length]).toEqual([4, 0]);
    expect(payout!.join()).toContain(firstBatchId);
  });

  test('leaves a backup to whoever loses the database for good', async () => {
    expect(await move()).toEndWith(0);
    const aside = join(folder, 'aside.db');
    await rename(path(), aside);
    const restored = await paydrop(['restore', aside, '--since', '2026-11-21']);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect((await paydrop(['status', firstBatchId])).stdout).toMatch(/3 rows/);
    await rename(path(), `${path()}.before`);
    await copyFile(aside, path());
    expect(await paydrop(['status'])).toEndWith(2);
    expect(await paydrop(['restore', path(), '--since', '2026-11-21'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect((await paydrop(['status', firstBatchId])).stdout).toMatch(/3 rows/);
  });

  test('says what keeps a database from being reached, or filled', async () => {
    const away = new URL(database.url);
    away.port = '1';
    const down = await paydrop(['move'], { PAYDROP_JOURNAL_URL: away.href });
    expect(down).toMatchObject({ code: 1, stdout: '' });
    expect(down.stderr).toContain('cannot be reached (ECONNREFUSED): start the database');
    await using client = await database.connect();
    const name = new URL(database.url).pathname.slice(1);
    await client.query(`create role ${name} login password 'secret'`);
    const visitor = Object.assign(new URL(database.url), { username: name, password: 'secret' });
    for (const args of [['--check'], []]) {
      const refused = await paydrop(['move', ...args], { PAYDROP_JOURNAL_URL: visitor.href });
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(
        'may not make or fill the tables: give the address of the owner of the tables',
      );
    }
    await client.query(`drop role ${name}`);
    expect(await paydrop(['status'])).toEndWith(0);
  });
});
