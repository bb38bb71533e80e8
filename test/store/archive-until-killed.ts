/** A script: moves a batch into an archive, and waits to be killed when half of the work in the journal is done. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openConnection } from '../../src/store/connection.ts';
import { makeJournal } from '../../src/store/store.ts';
import { firstBatchId } from '../support/journal-fixtures.ts';

const [dataDir = '', beforeMs = ''] = process.argv.slice(2);
const path = join(dataDir, 'journal.db');
const journal = makeJournal({
  db: openConnection(path),
  path,
  journalId: '',
  onArchiveStep: (step) => {
    if (step !== 'removed') return;
    writeSync(1, 'removed\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
const policy = { beforeMs: Number(beforeMs), quietSinceMs: Number(beforeMs) };
await journal.archiveBatch(
  firstBatchId,
  await journal.makeArchive(Number(beforeMs)),
  policy,
  Number(beforeMs),
);
