/** What the database lets the program's roles do, triggers apart. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { openConnection } from '../../../src/store/connection.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { schemaName } from '../../../src/store/postgres/pool.ts';
import { rolesScript } from '../../../src/store/postgres/migrations.ts';
import { erasedRow, fillTables, readColumns, updateOf } from '../../support/filled-tables.ts';
import { describePostgres, makeJournalDatabase } from '../../support/postgres.ts';

const denied = '42501';

/** With a row in each table, in a transaction that never ends well: what a role is a member of is told to all databases. */
async function inFilledTables(work: (client: Client) => Promise<void>): Promise<void> {
  using sqlite = openConnection(':memory:');
  migrate(sqlite, 0);
  await using database = await makeJournalDatabase();
  await using client = await database.connect();
  await client.query(`begin; set search_path = ${schemaName}, pg_catalog`);
  for (const statement of fillTables(readColumns(sqlite), 'full')) await client.query(statement);
  // The rows have come with their numbers.
  await client.query(`select setval(pg_get_serial_sequence('notice', 'seq'), 1)`);
  await client.query('grant paydrop_program, paydrop_archivist to current_user');
  await work(client);
  await client.query('rollback');
}

/** The SQLSTATE of what a role meets, and what it has changed is taken back; undefined where it may. */
async function tryAs(
  client: Client,
  role: string,
  ...statements: readonly string[]
): Promise<string | undefined> {
  await client.query('savepoint tried');
  try {
    await client.query(`set local role ${role}`);
    for (const statement of statements) await client.query(statement);
    return undefined;
  } catch (error) {
    return (error as { readonly code?: string }).code ?? 'no code';
  } finally {
    await client.query('rollback to tried; release tried');
  }
}

const keptForEver = [
  'update event set at_ms = 2',
  'update registration_event set at_ms = 2',
  'update person_event set cells = null',
  'update proposal_event set cells = null',
  'update instruction_version set salt = null',
  `update review_note set note = ''`,
  'update archived_batch set is_moving = 1',
  'update used_reference set payout_seq = 2',
  'update schema_version set version = 99',
  `insert into used_reference values ('9', 1)`,
  'delete from schema_version',
  ...[
    'event',
    'attempt',
    'claim',
    'instruction_version',
    'payout_row',
    'archived_batch',
    'archived_rows',
    'used_reference',
    'registration_event',
    'registration_attempt',
    'registration_claim',
    'registration_callback',
    'proposal',
    'proposal_event',
    'person',
    'person_event',
    'passkey',
    'approval_signature',
    'day_head',
    'batch',
    'registration_batch',
  ].map((table) => `delete from ${table}`),
  ...['event', 'payout', 'meta', 'schema_version'].map((table) => `truncate ${table} cascade`),
  'alter table event disable trigger all',
  'drop trigger event_never_goes on event',
  'create table other (id bigint)',
];

const erasing = [
  updateOf('payout_row', erasedRow),
  `update event set detail = '{}'`,
  `update attempt set proxy_no = '', proxy_name = null, reference1 = null, reference2 = null`,
  `update instruction_version set digest = 'c', salt = null, instruction = null, replaced = null`,
  'update person_event set cells = null',
  'update proposal_event set cells = null',
  `update review_note set note = ''`,
  'delete from payee_place',
  'delete from paid_payee',
  `delete from day_use where kind = 'payee'`,
];

const archiving = [
  'update archived_batch set is_moving = 1',
  'delete from payee_place',
  'delete from event',
  'delete from attempt',
  'delete from instruction_version',
  'delete from payout_row',
  'delete from payout',
  'delete from used_reference',
  'delete from archived_rows',
  'delete from archived_batch',
];

const daily = [
  `update batch set status = 'done'`,
  `update payout set status = 'paid'`,
  `update attempt set status = 'paid'`,
  'update claim set payout_seq = null',
  'update day_head set is_published = 1',
  `update person set name = 'x'`,
  'delete from open_payout',
  'delete from payer_pause',
  'delete from person_session',
  `insert into notice (key, kind, at_ms, body) values ('k', '', 0, '')`,
  `insert into event (seq, payout_seq, from_status, to_status, cause, at_ms, attempt_no, detail, hash)
     values (2, 1, '', '', '', 0, 0, '', event_hash_of(null, ''))`,
];

describePostgres('the roles on PostgreSQL', () => {
  test('keep the program from what is kept for ever', async () => {
    await inFilledTables(async (client) => {
      for (const statement of keptForEver)
        expect([statement, await tryAs(client, 'paydrop_program', statement)]).toEqual([statement, denied]);
    });
  });

  test('let the program do its daily work', async () => {
    await inFilledTables(async (client) => {
      for (const role of ['paydrop_program', 'paydrop_archivist'])
        for (const statement of daily)
          expect([statement, await tryAs(client, role, statement)]).toEqual([statement, undefined]);
    });
  });

  test('let the archivist alone erase, and move batches', async () => {
    await inFilledTables(async (client) => {
      for (const work of [erasing, archiving]) {
        expect(await tryAs(client, 'paydrop_archivist', ...work)).toBe(undefined);
        expect(await tryAs(client, 'paydrop_program', ...work)).toBe(denied);
      }
      expect(await tryAs(client, 'paydrop_archivist', 'delete from claim')).toBe(denied);
    });
  });

  test('let the program put a row into each table, and take none back that is kept', async () => {
    using sqlite = openConnection(':memory:');
    migrate(sqlite, 0);
    const inserts = fillTables(readColumns(sqlite), 'full');
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    await client.query(`begin; set search_path = ${schemaName}, pg_catalog`);
    await client.query('grant paydrop_program to current_user');
    const refused = [];
    for (const statement of inserts) {
      if ((await tryAs(client, 'paydrop_program', statement)) === denied)
        refused.push(statement.split(' ')[2]);
      await client.query(statement);
    }
    expect(new Set(refused)).toEqual(new Set(['archived_batch', 'archived_rows', 'used_reference']));
  });

  test('are the same after another run of their script', async () => {
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    const rights = `select relname, relacl::text from pg_class where relnamespace = $1::regnamespace order by 1`;
    const before = (await client.query(rights, [schemaName])).rows;
    await client.query(rolesScript);
    expect((await client.query(rights, [schemaName])).rows).toEqual(before);
  });
});
