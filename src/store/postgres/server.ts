/**
 * Requirements on a PostgreSQL server that holds a journal, and what tells its database from a copy of it. They are
 * checked on each connection: behind the same address another server may answer from one to the next.
 */
import type { ClientBase } from 'pg';
import {
  type DatabaseIdentity,
  describeOtherDatabase,
  type JournalSite,
} from '../../payout/rules/journal-place.ts';
import { JournalRefusedError } from '../connection.ts';

/** The oldest version that has all that the journal asks for. */
const versionMin = 150_000;

/** The answer, all of it text: each connection has readers of its own for other types. */
interface Answer {
  readonly version: string;
  readonly version_words: string;
  readonly encoding: string;
  readonly is_replica: string;
  readonly is_read_only: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly oid: string;
  readonly may_tell_system: string | null;
  readonly may_tell_timeline: string | null;
}

const question = `
  select current_setting('server_version_num') as version, current_setting('server_version') as version_words,
    current_setting('server_encoding') as encoding, pg_is_in_recovery()::text as is_replica,
    current_setting('transaction_read_only') as is_read_only, current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    (select oid::text from pg_database where datname = current_database()) as oid,
    has_function_privilege(to_regprocedure('pg_control_system()'), 'execute')::text as may_tell_system,
    (has_function_privilege(to_regprocedure('pg_walfile_name(pg_lsn)'), 'execute')
      and has_function_privilege(to_regprocedure('pg_current_wal_lsn()'), 'execute'))::text as may_tell_timeline`;

/** The reason why no journal can be there; undefined when it can. */
function findFault(found: Answer | undefined, isToBeWritten: boolean): string | undefined {
  if (found === undefined || Number(found.version) < versionMin)
    return `is on PostgreSQL ${found?.version_words ?? '?'}: update the server to 15 or newer`;
  if (found.encoding !== 'UTF8')
    return `is in a database in ${found.encoding}: make one with "create database … encoding 'UTF8' template template0"`;
  if (found.is_replica === 'true')
    return 'is on a replica, which lags behind and takes no writes: name the primary in journal.url';
  if (found.fsync !== 'on' || found.full_page_writes !== 'on')
    return 'is on a server that may lose what it has committed (fsync or full_page_writes is off): set both to on';
  if (isToBeWritten && found.is_read_only === 'on')
    return 'is read-only to this role (default_transaction_read_only is on): set it to off';
  return undefined;
}

/** The last part of a log file's name is left: the first eight digits are the timeline, which the checkpoint tells later. */
const timelineQuestion = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int::text`;
const systemQuestion = '(select system_identifier::text from pg_control_system())';

/** @throws JournalRefusedError when no journal can be there */
export async function requireServer(
  client: ClientBase,
  { journal }: Pick<JournalSite, 'journal'>,
  isToBeWritten: boolean,
): Promise<DatabaseIdentity> {
  const { rows } = await client.query<Answer>(question);
  const [found] = rows;
  const fault = findFault(found, isToBeWritten);
  if (found === undefined || fault !== undefined)
    throw new JournalRefusedError(`${journal} cannot be used: it ${fault}`);
  const system = found.may_tell_system === 'true' ? systemQuestion : 'null::text';
  const timeline = found.may_tell_timeline === 'true' ? timelineQuestion : 'null::text';
  const identity = await client.query<Omit<DatabaseIdentity, 'oid'>>(
    `select ${system} as "systemId", ${timeline} as timeline`,
  );
  return { systemId: null, timeline: null, ...identity.rows[0], oid: found.oid };
}

/** @throws JournalRefusedError when another database answers by now, or the same after a restore or a promotion */
export function requireSameDatabase(
  site: JournalSite,
  before: DatabaseIdentity,
  present: DatabaseIdentity,
): void {
  const differs = describeOtherDatabase(site, before, present);
  if (differs !== undefined) throw new JournalRefusedError(`${differs} (noticed while it was at work)`);
}
