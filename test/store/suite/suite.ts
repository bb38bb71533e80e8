/** One suite for every store behind the `Journal` port: the cases know nothing but the port. */
import { describe, test } from 'vitest';
import type { Journal } from '../../../src/store/store.ts';
import { applyCases } from './apply.ts';
import { bulkCases } from './bulk.ts';
import { claimCases } from './claims.ts';
import { ingestCases } from './ingest.ts';
import { likeFileCases } from './like-files.ts';
import { lookCases } from './polls.ts';
import { readCases } from './reads.ts';

/** An empty journal, and others that open the same store. */
export interface TestStore extends AsyncDisposable {
  readonly journal: Journal;
  openAnother(): Promise<Journal>;
}

export interface StoreCase {
  readonly name: string;
  readonly run: (journal: Journal, store: TestStore) => Promise<void>;
}

const groups: Readonly<Record<string, readonly StoreCase[]>> = {
  'reading a file': ingestCases,
  'claims at the seal': claimCases,
  'one change': applyCases,
  'many rows at once': bulkCases,
  reads: readCases,
  'like files': likeFileCases,
  'looks before money moves': lookCases,
};

/** Registers every case for one store. */
export function journalSuite(storeName: string, makeStore: () => Promise<TestStore>): void {
  for (const [group, cases] of Object.entries(groups)) {
    describe(`${storeName}: ${group}`, () => {
      test.each(cases)('$name', async ({ run }) => {
        await using store = await makeStore();
        await run(store.journal, store);
      });
    });
  }
}
