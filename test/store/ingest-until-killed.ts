/** A script: reads one file again and again, and seals the last reading; a line for every step. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { journalFileName } from '../../src/store/connection.ts';
import { openJournal } from '../../src/store/open.ts';
import { firstBatchId, makeRows, noonMs, start, totalsOf } from '../support/journal-fixtures.ts';
import { openingIn, openWithThread } from '../support/sqlite-store.ts';

const [dataDir = '', seals = ''] = process.argv.slice(2);
const journal = await openJournal(openingIn(dataDir));
const say = (what: string): void => void writeSync(1, `${what}\n`);
const rows = makeRows(10_000);

for (;;) {
  await start(journal);
  for (let from = 0; from < rows.length; from += 1_000) {
    await journal.stage(firstBatchId, rows.slice(from, from + 1_000));
    if (seals === '') say('staged');
  }
  if (seals !== '') break;
}
say('sealing');
const sealing = seals === 'seal-in-thread' ? openWithThread(join(dataDir, journalFileName), 1) : journal;
await sealing.seal(firstBatchId, totalsOf(rows), noonMs);
say('sealed');
