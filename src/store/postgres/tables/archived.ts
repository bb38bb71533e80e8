/**
 * Tables of batches without further work, beside the journal's own and with the same columns, so that those that
 * every payment goes through stay short. What reads a batch wherever it stands reads both together, by the same names in
 * a schema of their own.
 */
import { schemaName, wholeSchemaName } from '../pool.ts';
import { movedTables } from '../../tables.ts';
import { postgresRefusal } from '../../tables/ddl.ts';
import { neverChanges } from '../../tables/table.ts';
import { selectListed } from '../../tables/payouts.ts';

/** The tables, each with the column that is the number of the payout. */
const rowTables = [...movedTables, { name: 'open_payout', seq: 'seq' }] as const;

/** The names of these, and of the table of where each payee was paid an amount. */
const namesOfAll = [...rowTables.map(({ name }) => name), 'payee_place'];

export const archivedNames: readonly string[] = namesOfAll.map((name) => `archived_${name}`);

const makeTable = (name: string): string => `create table archived_${name} (like ${name} including indexes);`;

const keptIn = 'what stands in an archive is never';

/** Refuses by statement and not by row: a batch may have a million. */
const moves = (name: string, isMoving: string): string => `
create function archived_${name}_moves() returns trigger language plpgsql set search_path from current as $$
begin
  if exists (select from moved m where not exists (select ${isMoving} and a.is_moving = 1)) then
    raise exception using errcode = 'check_violation', message = tg_argv[0];
  end if;
  return null;
end $$;
create trigger archived_${name}_comes_whole after insert on archived_${name} referencing new table as moved
  for each statement execute function archived_${name}_moves('${keptIn} added to');
create trigger archived_${name}_never_goes after delete on archived_${name} referencing old table as moved
  for each statement execute function archived_${name}_moves('${keptIn} removed');`;

/** Rows come and go only in the transaction that moves their batch. */
const guard = (name: string, seq: string): string =>
  [
    postgresRefusal(`archived_${name}`, neverChanges(`${keptIn} changed`)(`archived_${name}`)),
    name === 'payout'
      ? moves(name, 'from archived_batch a where a.batch_id = m.batch_id')
      : moves(
          name,
          `from archived_payout p join archived_batch a on a.batch_id = p.batch_id where p.seq = m.${seq}`,
        ),
  ].join('');

/** Views of both together; where nothing stands apart, nothing is told to stand in an archive. */
const wholeViews = [
  ...namesOfAll.map(
    (name) => `
create view ${wholeSchemaName}.${name} as
select * from ${schemaName}.${name} union all select * from ${schemaName}.archived_${name};`,
  ),
  `
create view ${wholeSchemaName}.payout_listed as
select * from ${schemaName}.payout_listed union all
${selectListed('archived_payout', 'archived_payout_row')};`,
  ...['archived_batch', 'archived_rows'].map(
    (name) => `
create view ${wholeSchemaName}.${name} as select * from ${schemaName}.${name} where false;`,
  ),
];

export const archivedTables = [
  ...namesOfAll.map(makeTable),
  'alter table archived_payout add foreign key (batch_id) references batch;',
  ...rowTables.map(({ name, seq }) => guard(name, seq)),
  guard('payee_place', 'payout_seq'),
  ...wholeViews,
].join('\n');
