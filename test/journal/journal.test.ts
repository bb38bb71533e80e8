import { journalSuite } from './suite.ts';
import { makeSqliteStore } from './sqlite-store.ts';

journalSuite('SQLite', makeSqliteStore);
