/**
 * Kysely writes the statements, node:sqlite runs them at once and in place. Kysely's own execution is asynchronous:
 * another caller's statement could slip into a transaction between two of its steps. Here a transaction is one
 * uninterrupted piece of code.
 */
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import type { Tables } from './schema.ts';

const refuse = async (): Promise<never> => {
  throw new Error('a statement of the journal is run by statements.ts, not by Kysely');
};

const nothingToDo = async (): Promise<void> => {};

/** Refuses to execute, so that a forgotten `.execute()` is a loud mistake. */
const refusingDriver: Driver = {
  init: nothingToDo,
  acquireConnection: (): Promise<DatabaseConnection> => refuse(),
  beginTransaction: refuse,
  commitTransaction: refuse,
  rollbackTransaction: refuse,
  releaseConnection: nothingToDo,
  destroy: nothingToDo,
};

const compilingDialect: Dialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => refusingDriver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

/** Where every statement of the journal begins. */
export const query = new Kysely<Tables>({ dialect: compilingDialect });
