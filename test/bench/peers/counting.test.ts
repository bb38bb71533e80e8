import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { describePostgres, makeDatabase } from '../../support/postgres.ts';
import { createIntents, openIntents, payOnce, type Payout, Tally } from './desk.ts';
import { describeVerdict, judgeLedger } from './ledger.ts';
import { describeFailure } from './packages.ts';
import { openPostgresServer, readFamilyCpuMs } from './postgres-server.ts';
import { parseCommands } from './redis-server.ts';

describe('the ledger', () => {
  const owed = [
    { reference1: 'INV0', amount: '100.00' },
    { reference1: 'INV1', amount: '101.01' },
  ];
  const moved = (reference1: string, amount: string, movedAt: string | null = '20261121 12:00:00') => ({
    reference1,
    amount,
    movedAt,
  });
  const [first, second] = [moved('INV0', '100.00'), moved('INV1', '101.01')];

  test.each([
    ['each payout paid', [second, first], 'each once'],
    ['one paid twice', [first, second, first], '1 once, 1 more than once'],
    ['one never paid', [first], '1 once, 1 never'],
    ['one that has not moved', [first, moved('INV1', '101.01', null)], '1 once, 1 never'],
    ['another amount', [first, moved('INV1', '101.02')], '1 once, 1 never, 1 strange'],
    ['a payout of nobody', [first, second, moved('INV2', '1.00')], '2 once, 1 strange'],
  ])('%s', (_, entries, verdict) => {
    expect(describeVerdict(judgeLedger(entries, owed))).toBe(verdict);
  });
});

describe('the CPU of a server', () => {
  const burnMs = 300;
  // Of its own time, which a busy machine may give it late.
  const burn = `for (let used = 0; used < ${burnMs} * 1_000; ) {
    const { user, system } = process.cpuUsage();
    used = user + system;
  }`;
  const usedSince = (beforeMs: number): number => readFamilyCpuMs(process.pid) - beforeMs;

  test.runIf(process.platform === 'linux')(
    'has that of processes that live, and of those that have ended',
    async () => {
      const beforeMs = readFamilyCpuMs(process.pid);
      execFileSync(process.execPath, ['-e', burn]);
      expect(usedSince(beforeMs)).toBeGreaterThan(burnMs / 3);

      const beforeLivingMs = readFamilyCpuMs(process.pid);
      const living = spawn(process.execPath, ['-e', `${burn} console.log(); setInterval(() => {}, 1_000);`]);
      await new Promise((resolve) => living.stdout.once('data', resolve));
      expect(usedSince(beforeLivingMs)).toBeGreaterThan(burnMs / 3);
      living.kill('SIGKILL');
    },
  );
});

describePostgres('the commits of a database', () => {
  test('are its own, and are all told when everybody has left', async () => {
    const server = await openPostgresServer();
    if ('why' in server) throw new Error(server.why);
    await using stack = new AsyncDisposableStack();
    stack.use(server);
    const [database, other] = [await server.createDatabase(), await server.createDatabase()];
    stack.use(database);
    stack.use(other);
    const run = async (url: string, writes: number): Promise<void> => {
      const client = new pg.Client(url);
      await client.connect();
      for (let write = 0; write < writes; write += 1) await client.query('insert into paid values (1)');
      await client.end();
    };
    for (const { url } of [database, other]) {
      const client = new pg.Client(url);
      await client.connect();
      await client.query('create table paid (satang bigint)');
      await client.end();
    }
    const counts = [await database.count()];
    for (const writes of [0, 25]) {
      await run(database.url, writes);
      await run(other.url, 10);
      counts.push(await database.count());
    }
    const [, afterNone, afterAll] = counts;
    // The server looks after its tables now and then, in commits of its own.
    expect((afterAll?.commits ?? NaN) - (afterNone?.commits ?? NaN)).toBeGreaterThanOrEqual(25);
    // Others may write to the server, too.
    expect((afterAll?.writes ?? NaN) - (afterNone?.writes ?? NaN)).toBeGreaterThanOrEqual(35);
    // Others may drop databases, and what was committed there is not told any more.
    const measureElsewhere = async (): Promise<number> => {
      const before = await database.count();
      await run(other.url, 10);
      return (await database.count()).elsewhere - before.elsewhere;
    };
    await expect.poll(measureElsewhere).toBeGreaterThanOrEqual(10);
  });
});

describePostgres('a job that runs again', () => {
  const payout: Payout = {
    payoutId: 'P-1',
    proxyType: 'MSISDN',
    proxyNo: '0800000001',
    payeeName: '',
    amount: '100.00',
    reference1: 'INV1',
    reference2: '',
  };

  test('sends nothing: it has an outcome, or is in doubt', async () => {
    await using database = await makeDatabase();
    const pool = new pg.Pool({ connectionString: database.url });
    const closed: Promise<unknown>[] = [];
    pool.on('connect', (client) => closed.push(once(client, 'end')));
    await createIntents(pool);
    let sends = 0;
    let isAnswered = true;
    const desk = {
      intents: openIntents(pool),
      send: async () => {
        sends += 1;
        if (!isAnswered) throw new Error('lost');
        return { statusCode: 'IC000', sysRefNo: 'S1' };
      },
    };
    await payOnce(desk, payout);
    await payOnce(desk, payout);
    expect(sends).toBe(1);

    isAnswered = false;
    const lost = { ...payout, payoutId: 'P-2' };
    await expect(payOnce(desk, lost)).rejects.toThrow('lost');
    isAnswered = true;
    await expect(payOnce(desk, lost)).rejects.toThrow('P-2 is in doubt');
    expect(sends).toBe(2);
    await pool.end();
    // The pool ends before its connections have.
    await Promise.all(closed);
  });
});

describe('the tally of jobs', () => {
  test('ends with the last of all that are expected, and not before all are known', async () => {
    const tally = new Tally();
    const job = tally.count(async () => {});
    let isOver = false;
    tally.expect(1);
    await job();
    tally.expect(1);
    const over = tally.wait().then(() => (isOver = true));
    await wait(0);
    expect(isOver).toBe(false);
    await job();
    await over;
    expect(isOver).toBe(true);
  });

  test('ends with the first that fails', async () => {
    const tally = new Tally();
    tally.expect(2);
    const job = tally.count(() => Promise.reject(new Error('in doubt')));
    await expect(Promise.all([tally.wait(), job().catch(() => {})])).rejects.toThrow('in doubt');
    await expect(job()).rejects.toThrow('in doubt');
  });
});

test('Redis tells its commands', () => {
  expect(
    parseCommands('$60\r\n# Stats\r\ntotal_connections_received:7\r\ntotal_commands_processed:512\r\n'),
  ).toBe(512);
  expect(() => parseCommands('-NOAUTH')).toThrow('does not say');
});

test.each([
  [
    {
      stderr: 'npm warn x\nnpm error code ETARGET\nnpm error notarget No matching version found for a@^2.\n',
      message: 'm',
    },
    'code ETARGET; notarget No matching version found for a@^2.',
  ],
  [{ stderr: '', message: 'spawn npm ENOENT' }, 'spawn npm ENOENT'],
  [{ stderr: '', message: 'm', killed: true }, 'no end after 300 s'],
])('a peer that cannot be installed: %#', (failure, line) => {
  expect(describeFailure(failure)).toBe(line);
});
