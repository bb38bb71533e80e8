/**
 * Where batches stand that nobody works with: tables beside the journal's own, with the same columns, so that those that
 * every payment goes through stay short. What reads a batch wherever it stands reads both together, by the same names in
 * a schema of their own.
 */
import { movedTables } from '../../archive/archived.ts';
import { schemaName, wholeSchemaName } from '../pool.ts';
import { condition, refuse } from './ddl.ts';
import { selectListed } from './payouts.ts';

/** Each with the column that is the number of the payout. */
const rowTables = [...movedTables, { name: 'open_payout', seq: 'seq' }] as const;

/** These and where each payee was paid an amount. */
const namesOfAll = [...rowTables.map(({ name }) => name), 'payee_place'];

export const archivedNames: readonly string[] = namesOfAll.map((name) => `archived_${name}`);

const makeTable = (name: string): string => `create table archived_${name} (like ${name} including indexes);`;

const keptIn = 'what stands in an archive is never';

/** Rows come and go only in the transaction that moves their batch. */
const guard = (name: string, seq: string): string => {
  const [oldIs, newIs] =
    name === 'payout'
      ? ['is_moving(old.batch_id)', 'is_moving(new.batch_id)']
      : [`is_archived_moving(old.${seq})`, `is_archived_moving(new.${seq})`];
  return [
    refuse(`archived_${name}_never_changes`, `update on archived_${name}`, `${keptIn} changed`),
    refuse(`archived_${name}_never_goes`, `delete on archived_${name}`, `${keptIn} removed`, `not ${oldIs}`),
    refuse(
      `archived_${name}_comes_whole`,
      `insert on archived_${name}`,
      `${keptIn} added to`,
      `not ${newIs}`,
    ),
  ].join('');
};

/** What both have together; where nothing stands apart, nothing is told to stand in an archive. */
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
  condition(
    'is_archived_moving',
    'bigint',
    `exists (select 1 from archived_payout p join archived_batch a on a.batch_id = p.batch_id
      where p.seq = $1 and a.is_moving = 1)`,
  ),
  ...rowTables.map(({ name, seq }) => guard(name, seq)),
  guard('payee_place', 'payout_seq'),
  ...wholeViews,
].join('\n');
