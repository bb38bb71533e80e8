/** The same cases on each engine that a journal may be on. */
import { describe } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { describePostgres } from './postgres.ts';
import { makePostgresStore } from './postgres-store.ts';
import { makeSqliteStore } from './sqlite-store.ts';

interface EngineStore extends AsyncDisposable {
  readonly store: Store;
  /** Of the journal's file, where it is one. */
  readonly path?: string;
  /** Of its database, where it is in one. */
  readonly url?: string;
  openAnother(): Promise<Store>;
}

export type MakeStore = () => Promise<EngineStore>;

/** @param cases handed what makes an empty journal */
export function describeOnEngines(what: string, cases: (makeStore: MakeStore) => void): void {
  describe(`${what}, on SQLite`, () => {
    cases(makeSqliteStore);
  });
  describePostgres(`${what}, on PostgreSQL`, () => {
    cases(makePostgresStore);
  });
}
