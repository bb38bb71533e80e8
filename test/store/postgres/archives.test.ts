/** The archive in the tables of a database: what holds it together, and who may touch it. */
import { expect, test } from 'vitest';
import { erasePayout } from '../../../src/evidence/erasure.ts';
import { auditJournal } from '../../../src/evidence/audit.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../../src/store/postgres/journal.ts';
import type { Store } from '../../../src/store/store.ts';
import { look, makeDone } from '../archive-fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { firstBatchId, noonMs, payer } from '../../support/journal-fixtures.ts';
import { describePostgres, openSqlBeside } from '../../support/postgres.ts';
import { makePostgresStore } from '../../support/postgres-store.ts';
import { archiveAll } from '../../support/store-fixtures.ts';

/** A batch that may go, in a database of its own. */
async function makeArchivable() {
  await using stack = new AsyncDisposableStack();
  const { store, url, openAnother } = stack.use(await makePostgresStore());
  const sql = stack.use(await openSqlBeside(url));
  await makeDone({ store, run: async (statements) => void (await sql(statements)) });
  const owned = stack.move();
  return { store, url, sql, openAnother, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function listFindings(store: Store): Promise<readonly string[]> {
  await using reader = await store.openAudit();
  const { journalId } = reader;
  const asked = { journalId, outside: [], findEvidenceFault: () => undefined };
  const { parts } = await auditJournal(reader, asked);
  expect(parts.find(({ part }) => part === 'payouts')?.looked).toMatchObject({ payouts: 7 });
  return parts.flatMap(({ findings }) => findings.map(({ place, why }) => `${place}: ${why}`));
}

describePostgres('the archive in a database', () => {
  test('is read by every machine, and audited with the rest', async () => {
    await using made = await makeArchivable();
    const other = await made.openAnother();
    const before = await look(made.store);
    expect(await listFindings(other)).toEqual([]);
    expect(await archiveAll(made.store)).toEqual([true]);
    expect(await look(other)).toBe(before);
    expect(await listFindings(other)).toEqual([]);
    await made.sql(`alter table archived_payout disable trigger user;
      update archived_payout set status = 'failed' where row_no = 1; alter table archived_payout enable trigger user`);
    expect(await listFindings(other)).toContainEqual(
      expect.stringContaining('it is not what was moved into the archive'),
    );
    await expect(other.recall('batch', [firstBatchId])).rejects.toThrow('as it was archived');
  });

  test('lets no row come, go or change that no move takes', async () => {
    await using made = await makeArchivable();
    const { sql, store } = made;
    await archiveAll(store);
    for (const statement of [
      'delete from archived_event',
      'delete from archived_payee_place',
      'delete from archived_payout',
      `update archived_attempt set status = 'failed'`,
      `update archived_payout set status = 'paid'`,
      `insert into archived_payee_place values ('0810000001', 1, 1)`,
      `insert into archived_payout_row (seq, line, cells) values (1000, 1, '[]')`,
      `insert into archived_payout (seq, batch_id, row_no, status, holds, version, attempt_no, last_event_seq,
         accepted_holds, is_alarm, is_acknowledged) values (1000, '${firstBatchId}', 1000, 'paid', 0, 1, 0, 0, 0, 0, 0)`,
      'delete from archived_batch',
      'delete from used_reference',
      `insert into attempt select * from archived_attempt`,
    ])
      await expect(sql(statement)).rejects.toThrow(/never|before the batch is back/);
  });

  test('has a batch whole, or not at all: a machine that dies in the middle has moved nothing', async () => {
    await using made = await makeArchivable();
    const { store, sql, url } = made;
    await using held = await openSqlBeside(url);
    const before = await look(store);
    const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    // What is written last on the way there, and on the way back.
    for (const table of ['payout', 'archived_payout']) {
      await held(`begin; lock table ${table} in share mode`);
      const work = table === 'payout' ? archiveAll(store) : store.recall('batch', [firstBatchId]);
      const pid = await eventually(async () => {
        const [found] = await sql(waiting);
        if (found === undefined) throw new Error('nobody waits');
        return Number(found['pid']);
      });
      await sql(`select pg_terminate_backend(${pid})`);
      expect(await look(store)).toBe(before);
      await held('rollback');
      // It is tried again by itself.
      expect(await work).toEqual(table === 'payout' ? [true] : 1);
      expect(await look(store)).toBe(before);
    }
    expect(await sql('select count(*) from archived_event')).toEqual([{ count: '0' }]);
  });

  test('is for the archivist alone, whose right the program takes for one transaction', async () => {
    await using made = await makeArchivable();
    const { sql, url } = made;
    const login = `app_${new URL(url).pathname.slice(-12)}`;
    await sql(`create role ${login} login password 'app'; grant paydrop_program to ${login}`);
    try {
      await using engine = makePostgresEngine(
        Object.assign(new URL(url), { username: login, password: 'app' }).href,
      );
      await using store = makePostgresJournal({ engine, journalId: 'journal' });
      const before = await look(store);
      const why = `${login} may neither archive batches, nor bring them back, nor erase`;
      await expect(archiveAll(store)).rejects.toThrow(why);
      await expect(erase(store)).rejects.toThrow(why);
      expect(await look(store)).toBe(before);
      await sql(`create role ${login}_archiving nologin noinherit;
        grant paydrop_archivist to ${login}_archiving; grant ${login}_archiving to ${login}`);
      expect(await archiveAll(store)).toEqual([true]);
      expect(await look(store)).toBe(before);
      // The right has ended with its transaction.
      await expect(engine.pool.query('delete from event')).rejects.toThrow('permission denied');
      expect(await store.attemptsOf(payer.companyId, 'INV-2')).toHaveLength(1);
      await expect(erase(store)).rejects.toThrow('as the owner of the tables, run "vacuum');
      expect((await sql('select count(commitment) from payout_row'))[0]).toEqual({ count: '1' });
    } finally {
      await sql(`drop role ${login}; drop role if exists ${login}_archiving`);
    }
  });
});

/** By an admin who is in the journal. */
async function erase(store: Store): Promise<void> {
  const person = { personId: 1, name: 'Nicha', role: 'admin' } as never;
  const at = { now: () => noonMs + 4000 * 86_400_000 };
  const why = await erasePayout(store, at, { person, proof: 'token' } as never, 'INV-2');
  expect(why).toBe(undefined);
}
