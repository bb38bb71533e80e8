/**
 * Before the tests: looks for a PostgreSQL server once. `PAYDROP_TEST_POSTGRES` names it (a URL of a role that may make
 * databases and roles; empty: none); else it is the one that `.ci/run` sets up. Where none answers, what needs it is skipped.
 */
import { Client } from 'pg';

/** Of the server that `.ci/run` sets up. */
export const usualUrl = 'postgres://paydrop:paydrop@127.0.0.1:5432/postgres';
const versionMin = 150_000;
const waitMs = 3_000;
/** A run that was killed leaves its databases; another run may still use what is younger. */
const keptForMs = 3_600_000;

/** Begins the name of every database that tests make; when it was made (milliseconds, base 36) follows. */
export const databasePrefix = 'paydrop_test_';

async function removeOld(client: Client): Promise<void> {
  const named = await client.query<{ readonly datname: string }>(
    `select datname from pg_database where starts_with(datname, $1) and pg_has_role(datdba, 'member')`,
    [databasePrefix],
  );
  for (const { datname: name } of named.rows) {
    const madeAtMs = Number.parseInt(name.slice(databasePrefix.length), 36);
    // Another run may remove it, too.
    if (!(madeAtMs > Date.now() - keptForMs))
      await client.query(`drop database if exists "${name}"`).catch(() => {});
  }
}

/** Why a server does not do; undefined when it does. Drops what tests have left there. */
export async function findFault(url: string): Promise<string | undefined> {
  let client: Client | undefined;
  try {
    client = new Client({ connectionString: url, connectionTimeoutMillis: waitMs });
    await client.connect();
    const { rows } = await client.query<{ readonly version: number; readonly may_make: boolean }>(
      `select current_setting('server_version_num')::int as version, rolsuper or (rolcreatedb and rolcreaterole) as may_make
       from pg_roles where rolname = current_user`,
    );
    if (!((rows[0]?.version ?? 0) >= versionMin)) return 'it is older than 15';
    if (rows[0]?.may_make !== true) return 'the role may not make databases and roles';
    await removeOld(client);
    return undefined;
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    return message === '' ? code : message;
  } finally {
    await client?.end().catch(() => {});
  }
}

/** Called by vitest. The processes of the tests inherit what it finds. */
export async function setup(): Promise<void> {
  const url = process.env['PAYDROP_TEST_POSTGRES'] ?? usualUrl;
  const fault = url === '' ? 'PAYDROP_TEST_POSTGRES is empty' : await findFault(url);
  process.env['PAYDROP_TEST_POSTGRES_FOUND'] = fault === undefined ? url : '';
  if (fault !== undefined) console.warn(`No PostgreSQL, the tests that need it are skipped: ${fault}`);
}
