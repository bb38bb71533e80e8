/** Bodies on a real PostgreSQL: one writer at a time, views of one moment, and commits whose answer never came. */
import { type AddressInfo, connect, createServer } from 'node:net';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JournalLockedError, JournalWriteError } from '../../../src/store/connection.ts';
import { makePostgresEngine, type PostgresEngine } from '../../../src/store/postgres/engine.ts';
import {
  type Body,
  change,
  define,
  inDialect,
  select,
  textStatement,
  together,
} from '../../../src/store/statements.ts';

const serverUrl = process.env['PAYDROP_TEST_POSTGRES_FOUND'] ?? '';
const database = `engine_${process.pid}_${Date.now()}`;

async function onServer(statement: string, url = serverUrl): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

const isThere = await onServer('select 1').then(
  () => true,
  () => false,
);

function databaseUrl(): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

const insert = (value: number) => change(textStatement(sql`insert into number values (${value})`));
const noteNumber = define(({ value }: { value: number }) =>
  textStatement(sql`insert into number values (${value})`),
);
const lockNumber = define(({ value }: { value: number }) =>
  textStatement(sql`update number set value = value where value = ${value}`),
);
const readAll = () => select(textStatement<{ value: number }>(sql`select value from number order by value`));

function* insertTwo(first: number, second: number): Body<number> {
  yield* insert(first);
  return yield* insert(second);
}

async function values(engine: PostgresEngine): Promise<number[]> {
  return (await engine.read(readAll)).map(({ value }) => value);
}

interface BreakingWire extends AsyncDisposable {
  readonly url: string;
  /** Commits that were cut off. */
  readonly broken: number;
  breakNextCommit(): void;
}

/**
 * The way to the server, which breaks at a commit: once the server has had it, or before.
 * @param outcome of the commit that breaks it
 */
async function openBreakingWire(outcome: 'made' | 'not made'): Promise<BreakingWire> {
  const { hostname, port } = new URL(serverUrl);
  const state = { isArmed: false, broken: 0 };
  const server = createServer((near) => {
    const far = connect(Number(port || 5432), hostname);
    const endBoth = (): void => {
      near.destroy();
      far.destroy();
    };
    let isCut = false;
    far.on('data', (bytes) => {
      if (isCut) endBoth();
      else near.write(bytes);
    });
    near.on('data', (bytes) => {
      if (state.isArmed && bytes.includes('commit')) {
        Object.assign(state, { isArmed: false, broken: state.broken + 1 });
        isCut = true;
        if (outcome === 'not made') {
          endBoth();
          return;
        }
      }
      far.write(bytes);
    });
    for (const socket of [near, far]) socket.on('error', endBoth).on('close', endBoth);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl());
  url.port = String((server.address() as AddressInfo).port);
  url.hostname = '127.0.0.1';
  return {
    url: url.href,
    get broken() {
      return state.broken;
    },
    breakNextCommit: () => void (state.isArmed = true),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

describe.skipIf(!isThere)('bodies on PostgreSQL', () => {
  beforeAll(async () => {
    await onServer(`create database ${database}`);
    await onServer(
      `create schema paydrop; create table paydrop.number (value bigint primary key);
        create table paydrop.write_mark (writer text primary key, mark bigint not null, at_ms bigint not null)`,
      databaseUrl(),
    );
  });
  afterAll(() => onServer(`drop database ${database}`));

  test('a body is one transaction: what fails in it leaves nothing', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    await engine.write(() => insertTwo(1, 2));
    await expect(engine.write(() => insertTwo(3, 1))).rejects.toThrow(/duplicate key/);
    expect(await values(engine)).toEqual([1, 2]);
  });

  test('a failure that a body passes over is told of all the same: nothing of it was kept', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    const passOver = function* (): Body<string> {
      yield* insert(71);
      try {
        yield* change(textStatement(sql`select 1 / 0`));
      } catch {
        return 'passed over';
      }
      return 'not met';
    };
    await expect(engine.write(passOver)).rejects.toThrow(/ROLLBACK/);
    expect(await values(engine)).not.toContain(71);
  });

  test('what nobody waits for goes with the commit: where it fails nothing is kept, and it is known why', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    const noteAfter = function* (value: number, noted: number): Body<string> {
      yield* insert(value);
      yield* noteNumber.note({ value: noted });
      return 'done';
    };
    expect(await engine.write(() => noteAfter(81, 82))).toBe('done');
    await expect(engine.write(() => noteAfter(83, 81))).rejects.toThrow(/duplicate key/);
    expect(await engine.write(() => noteAfter(84, 85))).toBe('done');
    const kept = await values(engine);
    expect(kept).toEqual(expect.arrayContaining([81, 82, 84, 85]));
    expect(kept).not.toContain(83);
  });

  test('what nobody waits for says why a statement after it was refused', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    await engine.write(() => insert(91));
    const noteBefore = function* (): Body<void> {
      yield* noteNumber.note({ value: 91 });
      yield* insert(92);
    };
    await expect(engine.write(noteBefore)).rejects.toThrow(/duplicate key/);
    expect(await values(engine)).not.toContain(92);
  });

  test('what nobody waits for, and what never reaches the server, is told of', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    const ring: Record<string, unknown> = {};
    ring['ring'] = ring;
    const noteNothing = function* (): Body<string> {
      yield* insert(93);
      yield* noteNumber.note({ value: ring as unknown as number });
      return 'done';
    };
    await expect(engine.write(noteNothing)).rejects.toMatchObject({
      message: expect.stringMatching(/was never asked for/),
      cause: { message: expect.stringMatching(/circular/) },
    });
  });

  test('what nobody waits for, and what cannot even be written, fails where it was asked for', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    const unwritten = define((_values: object) => {
      throw new Error('no statement');
    });
    const noteUnwritten = function* (): Body<string> {
      yield* insert(94);
      yield* unwritten.note({});
      return 'done';
    };
    await expect(engine.write(noteUnwritten)).rejects.toThrow('no statement');
    expect(await values(engine)).not.toContain(94);
  });

  test('what nobody waits for, and what the server refuses whoever asks, is not asked for again', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    await engine.write(() => insert(95));
    const other = new Client({ connectionString: databaseUrl() });
    await other.connect();
    let runs = 0;
    const noteLocked = function* (): Body<void> {
      runs += 1;
      yield* change(textStatement(sql`set local lock_timeout = 50`));
      yield* lockNumber.note({ value: 95 });
    };
    try {
      await other.query('begin; select from paydrop.number where value = 95 for update');
      await expect(engine.write(noteLocked)).rejects.toThrow(JournalLockedError);
    } finally {
      await other.end();
    }
    expect(runs).toBe(1);
  });

  test('a piece of a statement is read as PostgreSQL has it', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    const piece = inDialect({ sqlite: sql`nonsense(${1})`, postgres: sql`${7}::bigint` });
    const read = () => select(textStatement<{ found: number }>(sql`select ${piece} as found`));
    expect(await engine.read(read)).toEqual([{ found: 7 }]);
  });

  test('of two machines that write at once one waits for the other', async () => {
    await using one = makePostgresEngine(databaseUrl());
    await using other = makePostgresEngine(databaseUrl());
    const seen: number[][] = [];
    const addOne = function* (): Body<void> {
      const rows = yield* readAll();
      seen.push(rows.map(({ value }) => value));
      yield* insert(Math.max(0, ...rows.map(({ value }) => value)) + 1);
    };
    const before = (await values(one)).length;
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : other).write(addOne)));
    expect(await values(one)).toHaveLength(before + 20);
    expect(new Set(seen.map((rows) => rows.length)).size).toBe(20);
  });

  test('whoever has waited to write sees what was written meanwhile, whatever isolation the database has by default', async () => {
    await onServer(`alter database ${database} set default_transaction_isolation = 'repeatable read'`);
    try {
      await using one = makePostgresEngine(databaseUrl());
      await using other = makePostgresEngine(databaseUrl());
      const addOne = function* (): Body<number> {
        const { length } = yield* readAll();
        return yield* insert(1_000 + length);
      };
      const before = (await values(one)).length;
      await Promise.all(
        Array.from({ length: 8 }, (_, place) => (place % 2 === 0 ? one : other).write(addOne)),
      );
      const added = (await values(one)).slice(before);
      expect(added).toEqual(Array.from({ length: 8 }, (_, place) => 1_000 + before + place));
    } finally {
      await onServer(`alter database ${database} reset default_transaction_isolation`);
    }
  });

  test('bodies side by side share one transaction, and the one that fails is told of', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    const side = (wanted: readonly number[]) =>
      engine.write(() => together(wanted.map((value) => insert(value))));
    expect(await side([501, 502, 503])).toEqual([1, 1, 1]);
    await expect(side([504, 502, 505])).rejects.toThrow(/duplicate key/);
    expect(await side([506])).toEqual([1]);
    expect((await values(engine)).filter((value) => value > 500 && value < 510)).toEqual([
      501, 502, 503, 506,
    ]);
  });

  test('a view stays at its moment', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    await using view = await engine.openView();
    const before = await view.read(readAll);
    await engine.write(() => insert(1_000_000));
    expect(await view.read(readAll)).toEqual(before);
    expect(await values(engine)).toContain(1_000_000);
  });

  test('a connection that goes in the middle of a body: nothing of it has happened, and it is run again', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    let tries = 0;
    const addAndBreak = function* (): Body<void> {
      tries += 1;
      yield* insert(2_000_000 + tries);
      if (tries === 1) yield* change(textStatement(sql`select pg_terminate_backend(pg_backend_pid())`));
    };
    await engine.write(addAndBreak);
    expect(await values(engine)).not.toContain(2_000_001);
    expect(await values(engine)).toContain(2_000_002);
  });

  test.each(['made', 'not made'] as const)(
    'a commit that is %s and whose answer is lost is looked up, and counts once',
    async (outcome) => {
      await using wire = await openBreakingWire(outcome);
      await using engine = makePostgresEngine(wire.url);
      const marker = outcome === 'made' ? 3_000_000 : 4_000_000;
      let tries = 0;
      const add = function* (): Body<number> {
        tries += 1;
        yield* insert(marker + tries);
        yield* noteNumber.note({ value: marker + 10 + tries });
        return tries;
      };
      const first = await engine.write(() => insert(marker));
      wire.breakNextCommit();
      const told = await engine.write(add);
      expect(wire.broken).toBe(1);
      expect(first).toBe(1);
      const kept = (await values(engine)).filter((value) => value > marker && value < marker + 20);
      expect(kept).toEqual([marker + told, marker + 10 + told]);
      expect(told).toBe(outcome === 'made' ? 1 : 2);
    },
  );

  test('a number that JavaScript would round is refused, not rounded', async () => {
    await using engine = makePostgresEngine(databaseUrl());
    const read = () => select(textStatement(sql`select 9007199254740993::bigint as big`));
    await expect(engine.read(read)).rejects.toThrow(/no exact number/);
  });

  test('a read-only database is told of with its cure', async () => {
    await onServer(`alter database ${database} set default_transaction_read_only = on`);
    try {
      await using engine = makePostgresEngine(databaseUrl());
      const write = engine.write(() => insert(3));
      await expect(write).rejects.toThrow(JournalWriteError);
      await expect(write).rejects.toThrow(/read-only/);
    } finally {
      await onServer(`alter database ${database} set default_transaction_read_only = off`);
    }
  });
});
