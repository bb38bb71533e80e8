/**
 * A script: takes a file in and pays its rows, several at once, without a bank. Writes a line when an intent or a proof
 * is durable.
 */
import { writeSync } from 'node:fs';
import { openJournal } from '../../src/store/open.ts';
import {
  endOf,
  firstBatchId,
  ingestRunning,
  makeRows,
  readyOf,
  submit,
} from '../support/journal-fixtures.ts';
import { openingIn } from '../support/sqlite-store.ts';

const [dataDir = ''] = process.argv.slice(2);
const journal = await openJournal(openingIn(dataDir));
if ((await journal.batch(firstBatchId)) === undefined) await ingestRunning(journal, makeRows(1_000));

const say = (what: string, payoutId: string): void => void writeSync(1, `${what} ${payoutId}\n`);

const rows = (await readyOf(journal)).values();
const lane = async (): Promise<void> => {
  for (const ready of rows) {
    const submitted = await submit(journal, ready);
    say('intent', ready.instruction.payoutId);
    await journal.apply([endOf(submitted, 'paid')]);
    say('proof', ready.instruction.payoutId);
  }
};
await Promise.all(Array.from({ length: 8 }, lane));
