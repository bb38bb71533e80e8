/**
 * What the tables refuse on PostgreSQL is what they refuse on SQLite, in the same words: many changes of each column in
 * many states are tried on both.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { openConnection } from '../../../src/store/connection.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { schemaName } from '../../../src/store/postgres/pool.ts';
import {
  type Changes,
  type Column,
  correctedRow,
  erasedRow,
  type Fill,
  fillTables,
  listInserts,
  long,
  otherValues,
  readColumns,
  updateOf,
} from '../../support/filled-tables.ts';
import { describePostgres, makeJournalDatabase } from '../../support/postgres.ts';

const erased = updateOf('payout_row', erasedRow);

const another = {
  batch: `insert into batch (batch_id, sha256, file_name, company_id, payer_account, status, rows, total_satang,
    unreadable_amounts, extra_columns, started_at_ms) values ('2', '', '', '', '', '', 0, '0', 0, '', 0)`,
  proposal: `insert into proposal (proposal_id, decision, status, note, maker_id, maker, people, made_at_ms,
    expires_at_ms, items, total_satang, digest, figures)
    values (2, '', 'proposed', '', 1, '', 2, 0, 0, 1, '0', '${long}', '{}')`,
  item: `insert into proposal_item (proposal_id, item_no, kind, key, version, status)
    values (1, 2, 'batch', '1', '1', 'open')`,
  archive: `insert into archived_batch values ('2', '', '${long}', '', null, null, 0, 0, 1)`,
};

const setMoving = (isMoving: 0 | 1): string => `update archived_batch set is_moving = ${isMoving}`;

/** How a journal stands when a change is tried: what it has, and what happened to it. */
const states: Readonly<Record<string, readonly [Fill, ...string[]]>> = {
  full: ['full'],
  bare: ['bare'],
  erased: ['full', erased],
  'erased, and decided': ['full', erased, `update proposal_item set status = 'ended', why = 'w'`],
  'erased, with another item': ['full', another.item, erased],
  decided: ['full', `update proposal_item set status = 'applied'`],
  'waiting for a second person': ['full', another.proposal],
  moving: ['full', setMoving(1)],
  'moving another batch': ['full', another.batch, another.archive],
  'without versions': ['full', setMoving(1), 'delete from instruction_version', setMoving(0)],
};

/** Changes of several columns that one statement makes. */
const together: readonly (readonly [table: string, Changes])[] = [
  ['payout_row', erasedRow],
  ['payout_row', correctedRow],
  [
    'attempt',
    { proxy_no: `''`, proxy_name: 'null', reference1: 'null', reference2: 'null', order_hash: `'h'` },
  ],
  ['instruction_version', { digest: `'c'`, salt: 'null', instruction: 'null', replaced: 'null' }],
  ['event', { detail: `'{}'` }],
  [
    'proposal',
    {
      note: `''`,
      evidence: 'null',
      evidence_file: `json_set(evidence_file, '$.name', 'erased')`,
      check_note: 'null',
    },
  ],
  ['proposal_item', { correction: 'null', note: 'null', salt: 'null', commitment: `'c'` }],
  ['review_note', { note: `''` }],
  ['person_event', { cells: 'null' }],
  ['proposal_event', { cells: 'null' }],
  ['registration_callback', { repeats: 'repeats + 1' }],
];

const anotherHash = '2'.repeat(64);

const nextOf = (table: string, seq: string, previousHash: string): string =>
  `insert into ${table} (seq, subject, kind, at_ms, text, previous_hash, hash)
   values (${seq}, 1, '', 0, '', ${previousHash}, '${anotherHash}')`;

const added: readonly string[] = [
  'update payout set amount_satang = 7',
  `update proposal set evidence_file = json_set(evidence_file, '$.name', 'other')`,
  `update proposal_item set status = 'open', why = null`,
  `update proposal set status = 'approved', checker_id = maker_id where checker_id is null`,
  `update proposal set status = 'approved', checker_id = maker_id + 1 where checker_id is null`,
  `insert into attempt select payout_seq, 2, status, '2', channel_id, term_id, company_id, payer_account, tran_date,
     tran_time, proxy_type, proxy_no, proxy_name, amount_text, reference1, reference2, order_hash, intent_at_ms, sends,
     last_sent_at_ms, acknowledged, reference_conflict, inquiries, last_inquiry_at_ms, last_finding, next_inquiry_at_ms,
     sys_ref_no, fee_text, last_sent_bank_ms, refusals, uncounted_sends, unproven_refusals, refusal_code, has_failed_item from attempt`,
  ...['person_event', 'proposal_event'].flatMap((table) => [
    nextOf(table, '2', `'${long}'`),
    nextOf(table, '3', `'${long}'`),
    nextOf(table, '2', 'null'),
    nextOf(table, 'null', `'${long}'`),
  ]),
  ...[
    ['2', '2'],
    ['3', '2'],
    ['2', '1'],
    ['2', '0'],
  ].map(([number, date]) => `insert into day_head values (${number}, '${date}', '', '${anotherHash}', 0)`),
];

/** Each by itself, with one of its columns as it must not be, and with each other column of the table besides. */
const listTogether = (columns: readonly Column[]): readonly string[] =>
  together.flatMap(([table, changes]) => {
    const others = columns
      .filter((column) => column.table === table)
      .map(({ name, isText }) => ({ ...changes, [name]: isText ? `'?'` : '9' }));
    return [changes, ...others].map((each) => updateOf(table, each));
  });

/** Every column on its own, and every row. */
function listChanges(columns: readonly Column[]): readonly string[] {
  const single = columns.flatMap((column) =>
    otherValues(column).map((value) => updateOf(column.table, { [column.name]: value })),
  );
  const tables = [...new Set(columns.map(({ table }) => table))];
  return [...single, ...tables.map((table) => `delete from ${table}`), ...listTogether(columns), ...added];
}

/** A trigger's words; `refused` by anything else. */
type Outcome = string;

const triggerRefused = 1_811;

function trySqlite(db: DatabaseSync, statement: string): Outcome {
  db.exec('savepoint tried');
  try {
    db.exec(statement);
    return 'done';
  } catch (error) {
    const { errcode, message } = error as Error & { readonly errcode: number };
    return errcode === triggerRefused ? message : 'refused';
  } finally {
    db.exec('rollback to tried; release tried');
  }
}

function trySqliteIn(
  db: DatabaseSync,
  given: readonly string[],
  changes: readonly string[],
): readonly Outcome[] {
  db.exec('begin');
  try {
    for (const statement of given) db.exec(statement);
    return changes.map((change) => trySqlite(db, change));
  } finally {
    db.exec('rollback');
  }
}

/** Says what has become of a statement, and takes it back. */
const tryingFunction = `
create function pg_temp.outcome_of(statement text) returns text language plpgsql as $$
declare
  broken text;
begin
  execute statement;
  raise exception using errcode = 'DDONE', message = 'done';
exception
  when sqlstate 'DDONE' then return 'done';
  when check_violation then
    get stacked diagnostics broken = constraint_name;
    return case when broken = '' then sqlerrm else 'refused' end;
  when others then return 'refused';
end $$`;

async function tryPostgresIn(client: Client, given: readonly string[], changes: readonly string[]) {
  await client.query('begin');
  try {
    await client.query(given.join('; '));
    const { rows } = await client.query<{ readonly outcome: Outcome }>(
      'select pg_temp.outcome_of(change) as outcome from unnest($1::text[]) with ordinality as tried (change, place) order by place',
      [changes],
    );
    return rows.map(({ outcome }) => outcome);
  } finally {
    await client.query('rollback');
  }
}

const readRefusals = (db: DatabaseSync): readonly string[] =>
  db
    .prepare(`select sql from sqlite_master where type = 'trigger' and sql like '%raise(abort%'`)
    .all()
    .map((row) => /raise\(abort, '([^']+)'\)/.exec(String(row['sql']))?.[1] ?? '');

interface Journals extends AsyncDisposable {
  readonly sqlite: DatabaseSync;
  readonly postgres: Client;
}

async function makeJournals(): Promise<Journals> {
  await using stack = new AsyncDisposableStack();
  const sqlite = stack.adopt(openConnection(':memory:'), (db) => db.close());
  migrate(sqlite, 0);
  const postgres = stack.use(await stack.use(await makeJournalDatabase()).connect());
  await postgres.query(`set search_path = ${schemaName}, pg_catalog`);
  await postgres.query(tryingFunction);
  const owned = stack.move();
  return { sqlite, postgres, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

describePostgres('what the tables refuse on PostgreSQL', () => {
  test('is what they refuse on SQLite, in the same words', async () => {
    await using journals = await makeJournals();
    const { sqlite, postgres } = journals;
    const columns = readColumns(sqlite);
    const changes = listChanges(columns);
    const seen = new Set<Outcome>();
    for (const [state, [fill, ...happened]] of Object.entries(states)) {
      const given = [...fillTables(columns, fill), ...happened];
      const expected = trySqliteIn(sqlite, given, changes);
      const present = await tryPostgresIn(postgres, given, changes);
      const told = (outcomes: readonly Outcome[]) =>
        outcomes.map((outcome, at) => `${state}: ${changes[at]}: ${outcome}`);
      expect(told(present)).toEqual(told(expected));
      for (const outcome of expected) seen.add(outcome);
    }
    expect(readRefusals(sqlite).filter((words) => !seen.has(words))).toEqual([]);
  });

  test('is the same of new rows', async () => {
    await using journals = await makeJournals();
    const { sqlite, postgres } = journals;
    for (const fill of ['full', 'bare'] as const)
      for (const { before, inserts } of listInserts(readColumns(sqlite), fill)) {
        const told = (outcomes: readonly Outcome[]) =>
          outcomes.map((outcome, at) => `${inserts[at]}: ${outcome}`);
        const present = await tryPostgresIn(postgres, before, inserts);
        expect(told(present)).toEqual(told(trySqliteIn(sqlite, before, inserts)));
      }
  });

  test.each([
    ['a report', 'full', `insert into report values ('1', 'r', 2, '', '', '', 7, 0)`],
    ['an older report', 'full', `insert into report values ('1', 'r', 2, '', '', '', 0, 0)`],
    [
      'a report of registrations',
      'full',
      `insert into registration_report values ('1', 'r', 2, '', '', '', 7, 0)`,
    ],
    ['a row that is validated anew', 'bare', updateOf('payout_row', correctedRow)],
    ['a row that is corrected', 'full', updateOf('payout_row', correctedRow)],
    ['a row that is corrected to nothing', 'full', erased],
    ['a row that still names nobody', 'bare', updateOf('payout_row', { ...correctedRow, proxy_no: 'null' })],
  ] as const)('%s brings the same with it', async (_name, fill, statement) => {
    await using journals = await makeJournals();
    const { sqlite, postgres } = journals;
    const amount = `update payout set amount_satang = 7`;
    const kept = [
      'select proxy_no, amount_satang, payout_seq from payee_place order by 1, 2, 3',
      'select batch_id, reported_event_seq from batch',
      'select batch_id, reported_event_seq from registration_batch',
    ];
    for (const given of [...fillTables(readColumns(sqlite), fill), amount, statement]) {
      sqlite.exec(given);
      await postgres.query(given);
    }
    for (const reading of kept) {
      const rows = (await postgres.query(reading)).rows.map((row) => Object.values(row).map(String));
      expect(rows).toEqual(
        sqlite
          .prepare(reading)
          .all()
          .map((row) => Object.values(row).map(String)),
      );
    }
  });
});
