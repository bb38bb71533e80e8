/** The PostgreSQL server that simulations take outside the tests: the one that tests take. */
import { findFault, usualUrl } from '../../support/postgres-server.ts';
import type { Database } from './database.ts';

const url = process.env['PAYDROP_TEST_POSTGRES'] ?? usualUrl;

/** Why there is none; undefined when there is one. */
export const findPostgresFault = async (): Promise<string | undefined> => findFault(url);

export async function loadPostgres(): Promise<(shardRowsMax: number) => Promise<Database>> {
  // Before what makes databases there is loaded.
  process.env['PAYDROP_TEST_POSTGRES_FOUND'] ??= url;
  return (await import('./postgres.ts')).makePostgresDatabase;
}
