import { makeMemoryJournal } from '../simulation/memory/journal.ts';
import { makeMemoryStore } from '../simulation/memory/store.ts';
import { journalSuite } from './suite/suite.ts';

journalSuite('memory', async () => {
  const store = makeMemoryStore();
  return {
    journal: makeMemoryJournal(store),
    openAnother: async () => makeMemoryJournal(store),
    [Symbol.asyncDispose]: async () => {},
  };
});
