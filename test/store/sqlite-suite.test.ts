import { makeSqliteStore } from '../support/sqlite-store.ts';
import { journalSuite } from './suite/suite.ts';

journalSuite('SQLite', makeSqliteStore);
