/**
 * The rights of each of two roles on the tables: the database itself refuses the program to change or remove what is kept
 * for ever, triggers or not. Both are groups without a login; the owner of the tables, who makes and changes them, is
 * bound by the triggers alone. The login of the program should own nothing.
 */
import { archivistRole } from '../archivist.ts';
import { schemaName, wholeSchemaName } from './pool.ts';
import { archivedNames } from './tables/archived.ts';

/** The role that reads, and writes what happens. */
const programRole = `${schemaName}_program`;

/** Tables that are written once: the program changes and removes nothing of them. */
const onlyAdded = [
  'event',
  'registration_event',
  'person_event',
  'proposal_event',
  'instruction_version',
  'registration_version',
  'registration_row',
  'registration_place',
  'payout_place',
  'payee_place',
  'paid_payee',
  'approval_signature',
  'contributor',
  'approved_row',
  'review_note',
  'report',
  'registration_report',
  'notice',
  'journal_loss',
];

/** Tables from which the program removes rows in daily work: what was half read, what is over, and what is kept twice. */
const passing = [
  'payout',
  'open_payout',
  'registration',
  'latest_send',
  'file_claim',
  'shard',
  'worker',
  'write_mark',
  'payer_pause',
  'day_use',
  'meta',
  'person_session',
  'statement_line',
  'statement_reading',
  'statement_report',
  'statement_run',
];

/** Tables and columns for the archivist, who erases what names people, and moves batches into the archive and back. */
const ofArchivist = {
  update: [
    'event',
    'instruction_version',
    'proposal_event',
    'person_event',
    'review_note',
    'archived_batch',
    'archived_rows',
  ],
  insert: ['archived_batch', 'archived_rows', 'used_reference', ...archivedNames],
  delete: [
    'event',
    'attempt',
    'instruction_version',
    'payout_row',
    'payee_place',
    'paid_payee',
    'used_reference',
    'archived_batch',
    'archived_rows',
    ...archivedNames,
  ],
};

const list = (tables: readonly string[]): string => tables.join(', ');

const both = `${programRole}, ${archivistRole}`;

const grants = `
grant usage on schema ${schemaName}, ${wholeSchemaName} to ${both};
grant select on all tables in schema ${wholeSchemaName} to ${both};
revoke all on all tables in schema ${schemaName} from ${both};
grant select, insert, update on all tables in schema ${schemaName} to ${both};
revoke update on ${list(onlyAdded)} from ${both};
revoke insert, update on schema_version, ${list(ofArchivist.insert)} from ${both};
grant delete on ${list(passing)} to ${both};
grant update on ${list(ofArchivist.update)} to ${archivistRole};
grant insert on ${list(ofArchivist.insert)} to ${archivistRole};
grant delete on ${list(ofArchivist.delete)} to ${archivistRole};
`;

const makeRole = (role: string): string => `
  if not exists (select from pg_roles where rolname = '${role}') then
    begin
      create role ${role} nologin;
    exception when duplicate_object or unique_violation then
      null; -- Another database of the server has made it meanwhile.
    end;
  end if;`;

/**
 * The roles and their rights, for the owner of the tables. It may be run again at any time: it makes what is missing, and
 * sets what is there. Without the roles, and without the right to make them, it does nothing: an administrator who
 * runs it then (\`psql\`) makes them.
 */
export const rolesScript = `
do $roles$
begin
  perform set_config('search_path', '${schemaName}, pg_temp', true);
  if (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) then${makeRole(programRole)}${makeRole(archivistRole)}
  end if;
  if (select count(*) from pg_roles where rolname in ('${programRole}', '${archivistRole}')) < 2 then
    return;
  end if;
${grants.trim().replaceAll(/^/gm, '  ')}
end
$roles$;
`;
