/** The journal on PostgreSQL, from the shell: what `journal.url` changes, and what it must not. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { dayMs, formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { showDate } from '../../src/payout/rules/lost-journal.ts';
import { nameJournalUrl } from '../../src/settings/journal-url.ts';
import { makePostgresEngine } from '../../src/store/postgres/engine.ts';
import { makeWorkerStore } from '../../src/store/postgres/workers.ts';
import { type Ended, runPaydrop } from '../cli/run-paydrop.ts';
import { eventually } from '../support/eventually.ts';
import {
  copyDatabase,
  describePostgres,
  makeJournalDatabase,
  replaceDatabase,
  type TestDatabase,
} from '../support/postgres.ts';

const root = join(import.meta.dirname, '../..');
const sample = join(root, 'samples/payouts.csv');

let folder = '';
let database: TestDatabase;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-postgres-'));
  database = await makeJournalDatabase();
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface Machine {
  readonly dataDir: string;
  readonly outbox: string;
  run(...args: readonly string[]): Promise<Ended>;
}

/** A machine with a data directory of its own, and the rehearsal's settings but for what is changed. */
async function makeMachine(name: string, url: string, changes: object = {}): Promise<Machine> {
  const dataDir = join(folder, name);
  await mkdir(dataDir, { mode: 0o700 });
  const packaged = parse(await readFile(join(root, 'config/sandbox.yaml'), 'utf8')) as {
    readonly bank: object;
    readonly verify?: object;
    readonly transfer?: object;
    readonly watch?: object;
    readonly registration?: object;
  };
  // One at a time, so that the bank numbers its transfers in one order.
  const settings = {
    ...packaged,
    verify: { ...packaged.verify, concurrency: 1 },
    transfer: { ...packaged.transfer, concurrency: 1 },
    bank: { ...packaged.bank, ...changes },
    watch: { ...packaged.watch, listen: '' },
    registration: { ...packaged.registration, callbacks: { port: 0 } },
    dataDir,
  };
  const config = join(folder, `${name}.yaml`);
  await writeFile(config, stringify(settings), { mode: 0o600 });
  return {
    dataDir,
    outbox: join(dataDir, 'outbox'),
    run: (...args) => runPaydrop([...args, '--config', config], { env: { PAYDROP_JOURNAL_URL: url } }),
  };
}

const moments = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\+07:00)?/g;

/** What a run has left, by the kinds of its files: times, paths and the sandbox's own port aside. */
async function readReports({ outbox, dataDir }: Machine): Promise<Record<string, string>> {
  const names = (await readdir(outbox)).filter((name) => !name.startsWith('.'));
  const texts = names.toSorted().map(async (name) => {
    const text = await readFile(join(outbox, name), 'utf8');
    const told = text
      .replaceAll(dataDir, 'DATA')
      .replaceAll(moments, 'MOMENT')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'BANK')
      // The bank counts what it is sent at once in the order in which it comes.
      .replaceAll(/\bSB\d{18}\b/g, 'BANK REFERENCE')
      // Each inquiry about a row that takes its time counts.
      .replaceAll(/^('[0-9A-Z]{10},\d+),\d+,/gm, '$1,VERSION,')
      .replaceAll(/"durationMs": \d+/g, 'DURATION')
      .replaceAll(/"sha256": "[0-9a-f]{64}"/g, 'HASH');
    return [name, told];
  });
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}

describePostgres('a file that is paid from a journal on PostgreSQL', () => {
  test('has the same result, exceptions and summary as one on SQLite', async () => {
    const [sqlite, postgres] = [await makeMachine('sqlite', ''), await makeMachine('postgres', database.url)];
    const [one, other] = [await sqlite.run('run', sample), await postgres.run('run', sample)];
    expect(other).toEndWith(3);
    expect([other.code, other.stderr]).toEqual([one.code, one.stderr]);
    const expected = await readReports(sqlite);
    expect(Object.keys(expected)).toHaveLength(3);
    expect(await readReports(postgres)).toEqual(expected);
    expect(await readdir(postgres.dataDir)).not.toContain('journal.db');
    const again = await postgres.run('run', sample);
    expect(again.stdout).toMatch(/no payee is paid again/);
    // Another machine knows it, too.
    const beside = await makeMachine('beside', database.url);
    expect((await beside.run('run', sample)).stdout).toMatch(/no payee is paid again/);
    expect((await beside.run('show', 'PAY-0001')).stdout).toContain('IC000');
    expect((await beside.run('status')).stdout).toMatch(/27 rows, .*16 paid/);
    expect(await beside.run('audit')).toEndWith(0);
    expect(await beside.run('evidence', 'PAY-0001', '--out', join(folder, 'story.json'))).toMatchObject({
      code: 0,
    });
    await using client = await database.connect();
    await client.query(
      'alter table paydrop.event disable trigger user; update paydrop.event set at_ms = at_ms + 1 where seq = 2',
    );
    expect(await beside.run('audit')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/it is not what was written[^]*keep a dump of the database as it is/),
    });
  });

  test('is another’s to whoever has other settings', async () => {
    const first = await makeMachine('first', database.url);
    const begun = await first.run('init');
    expect(begun).toMatchObject({ code: 0, stderr: '' });
    expect(begun.stdout).toContain(` at ${nameJournalUrl(database.url)}, for company`);
    expect(begun.stdout).not.toContain('file system');
    const other = await makeMachine('other', database.url, { companyId: 'COMP000009' });
    for (const command of [['run', sample], ['status']])
      expect(await other.run(...command)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/is another’s: .*company COMP000009\. Name another database/),
      });
  });

  test('waits while another machine sends, and names it', async () => {
    const machine = await makeMachine('first', database.url);
    expect(await machine.run('init')).toEndWith(0);
    await using engine = makePostgresEngine(database.url);
    await makeWorkerStore(engine).takeSenderPlace({ machine: 'pay-2', pid: 12, command: 'watch' });
    expect(await machine.run('run', sample)).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/"paydrop watch" \(process 12 on pay-2, since .*from the same journal/),
    });
    expect((await machine.run('status')).stdout).toMatch(/^Sending: "paydrop watch" \(process 12 on pay-2/m);
  });

  test('waits for the lease of a process that was killed here, and goes on', async () => {
    const machine = await makeMachine('first', database.url);
    expect(await machine.run('init')).toEndWith(0);
    await using engine = makePostgresEngine(database.url);
    const pid = 4_194_303;
    await makeWorkerStore(engine).takeSenderPlace({ machine: hostname(), pid, command: 'settle' });
    const settle = () => machine.run('settle');
    expect(await settle()).toMatchObject({ code: 6, stderr: expect.stringContaining(`process ${pid}`) });
    await writeFile(join(machine.dataDir, 'sender.json'), JSON.stringify({ pid, command: 'run' }));
    const settling = settle();
    await engine.pool.query('update worker set lease_until_ms = lease_until_ms - 8000');
    expect(await settling).toEndWith(0);
  });
});

describePostgres('a journal on PostgreSQL that is not the one that worked', () => {
  test('is told from it by the mark of a machine, and by its place', async () => {
    const machine = await makeMachine('first', database.url);
    expect(await machine.run('init')).toEndWith(0);
    await using before = await copyDatabase(database);
    await machine.run('run', sample);
    await replaceDatabase(database, before);
    const refused = await machine.run('run', sample);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/older copy: it has 0 files and 0/),
    });
    expect(await machine.run('adopt')).toEndWith(2);
    const yesterday = formatBangkokDate(Date.now() - dayMs);
    expect(await machine.run('restore', '--since', showDate(yesterday))).toEndWith(0);
    for (const name of await readdir(machine.outbox))
      if (!name.startsWith('.')) await rm(join(machine.outbox, name));
    // The bank knows what it has paid.
    const again = await machine.run('run', sample);
    expect(again.stderr).toMatch(/found-after-loss.*PDRHVX5ZC6VCSSSNGZ01 complete/);
    expect(again.stdout).toMatch(/adds up to the file/);
  });
});

describePostgres('a watcher whose database is replaced', () => {
  test('ends, and says what is to be done', async () => {
    const machine = await makeMachine('first', database.url);
    expect(await machine.run('init')).toEndWith(0);
    await using before = await copyDatabase(database);
    const watching = machine.run('watch');
    await eventually(async () => expect(await readdir(machine.dataDir)).toContain('inbox'));
    await replaceDatabase(database, before);
    expect(await watching).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is a copy: it is in another database.*noticed while it was at work/),
    });
  });
});

describePostgres('what is not for PostgreSQL', () => {
  test.each([
    [['backup', 'copy.db'], /PostgreSQL itself backs it up.*pg_basebackup/],
    [['restore', 'copy.db', '--since', '2026-11-20'], /PostgreSQL itself puts it back.*without a file/],
  ])('%s says what to do instead', async (args, message) => {
    const machine = await makeMachine('first', database.url);
    expect(await machine.run(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });
});

describePostgres('a database that cannot be had', () => {
  test('is named without its password', async () => {
    const at = (change: (url: URL) => void): string => {
      const url = new URL(database.url);
      url.password = 'hush-hush';
      change(url);
      return url.href;
    };
    const refused = await makeMachine(
      'refused',
      at(() => undefined),
    );
    const away = await makeMachine(
      'away',
      at((url) => (url.port = '1')),
    );
    for (const args of [['run', sample], ['status'], ['settle']]) {
      const [wrong, down] = [await refused.run(...args), await away.run(...args)];
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(nameJournalUrl(database.url)) });
      expect(wrong.stderr).toContain('does not let us in');
      expect(down).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('cannot be reached (ECONNREFUSED)'),
      });
      for (const { stdout, stderr } of [wrong, down]) expect(`${stdout}${stderr}`).not.toContain('hush');
    }
  });

  test('to write to keeps everything that sends from it', async () => {
    const machine = await makeMachine('first', database.url);
    expect(await machine.run('init')).toEndWith(0);
    await using client = await database.connect();
    const name = new URL(database.url).pathname.slice(1);
    await client.query(`alter database ${name} set default_transaction_read_only = on`);
    expect(await machine.run('run', sample)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is read-only to this role'),
    });
    expect(await machine.run('status')).toEndWith(0);
  });
});
