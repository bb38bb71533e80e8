/** Erasing in a database: the same goes as from a file, and who does not own the tables is told that their place is kept. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditJournal } from '../../../src/evidence/audit.ts';
import { inTransaction, openConnection } from '../../../src/store/connection.ts';
import { eraseRow } from '../../../src/store/evidence/erasure.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../../src/store/postgres/journal.ts';
import { drive } from '../../../src/store/statements.ts';
import { makeJournal, type Store } from '../../../src/store/store.ts';
import { readDatabaseRows, readFileRows, withoutOwnFacts } from '../../support/both-sides.ts';
import { makeBusyJournal } from '../../support/busy-journal.ts';
import { moveJournal } from '../../support/moves.ts';
import { describePostgres, makeDatabase, makeJournalDatabase } from '../../support/postgres.ts';
import { tamper } from '../../support/store-fixtures.ts';

/** Paid, with a break: the statement that was read has no line of it. */
const erasedSeq = 5;

async function listFindings(store: Store): Promise<readonly string[]> {
  await using reader = await store.openAudit();
  const { journalId } = reader;
  const { parts } = await auditJournal(reader, {
    journalId,
    outside: [],
    findEvidenceFault: () => undefined,
  });
  return parts.flatMap(({ findings }) => findings.map(({ place, why }) => `${place}: ${why}`));
}

async function erase(store: Store, run: (body: () => ReturnType<typeof eraseRow>) => Promise<void>) {
  const version = (await store.history(erasedSeq))?.row.version ?? 0;
  await run(() => eraseRow({ seq: erasedSeq, version }));
  await store.wipeErased();
}

describePostgres('erasing on PostgreSQL', () => {
  test('leaves what it leaves in a file, and an audit says the same of it', async () => {
    await using busy = await makeBusyJournal();
    await using database = await makeDatabase();
    const path = join(busy.dataDir, 'as-it-was.db');
    tamper(busy.path, `vacuum into '${path}'`);
    await moveJournal(busy.path, database.url);
    await using engine = makePostgresEngine(database.url);
    const { journalId } = busy.store;
    await using there = makePostgresJournal({ engine, journalId });
    const db = openConnection(path);
    await using here = makeJournal({ db, path, journalId });
    const payeeNo = (await there.history(erasedSeq))?.row.instruction?.proxyNo ?? '';
    expect(JSON.stringify(await readDatabaseRows(database.url))).toContain(payeeNo);
    await erase(there, engine.write);
    await erase(here, async (body) => inTransaction(db, () => drive(db, body())));
    const rows = withoutOwnFacts(await readDatabaseRows(database.url));
    // Beside what several machines alone have.
    expect(rows).toMatchObject(withoutOwnFacts(readFileRows(path)));
    expect(JSON.stringify(rows)).not.toContain(payeeNo);
    const found = await listFindings(there);
    expect(found).toEqual([expect.stringContaining('no erasure is recorded')]);
    expect(await listFindings(here)).toEqual(found);
  });

  test('by a role that does not own the tables is erased, and says what is left to the owner', async () => {
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    const role = `guest_${new URL(database.url).pathname.slice(-12)}`;
    await client.query(
      `create role ${role} login password 'guest'; grant usage on schema paydrop to ${role}`,
    );
    try {
      const url = Object.assign(new URL(database.url), { username: role, password: 'guest' }).href;
      await using engine = makePostgresEngine(url);
      await expect(engine.wipe(['event', 'attempt'])).rejects.toThrow('run "vacuum attempt, event"');
    } finally {
      await client.query(`revoke all on schema paydrop from ${role}; drop role ${role}`);
    }
  });
});
