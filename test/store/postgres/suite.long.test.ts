import { makePostgresStore } from '../../support/postgres-store.ts';
import { describePostgres } from '../../support/postgres.ts';
import { journalSuite } from '../suite/suite.ts';

describePostgres('on PostgreSQL', () => {
  journalSuite('PostgreSQL', makePostgresStore);
});
