/** Which process works each file, on a real PostgreSQL. */
import { expect, test } from 'vitest';
import { leaseMs } from '../../../src/payout/rules/lease.ts';
import { makeFileClaims } from '../../../src/store/postgres/file-claims.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { fileQueueReads, fileQueueWrites } from '../../../src/store/watch/file-queue.ts';
import { openCluster } from '../../support/cluster.ts';
import { noonMs } from '../../support/journal-fixtures.ts';
import { describePostgres } from '../../support/postgres.ts';

async function openTwo() {
  const cluster = await openCluster();
  const join = (machine: string) => cluster.workers.joinAsHelper({ machine, pid: 1, command: 'watch' });
  const [one, two] = [await join('one'), await join('two')];
  const claims = makeFileClaims(cluster.engine);
  const claim = (workerId: number, folderId = 'F') =>
    claims.claimFile({ itemId: 'I1', fileName: 'a.csv', folderId, workerId });
  const start = (itemId: string) => {
    const item = { itemId, batchId: 'BATCH00009', fileName: `${itemId}.csv`, droppedAtMs: noonMs };
    return cluster.engine.write(() => fileQueueWrites.startIntake({ ...item, nowMs: noonMs }));
  };
  return Object.assign(cluster, { one, two, claims, claim, start });
}

describePostgres('the claim of a file', () => {
  test('is its own for as long as its worker is there, and goes to another then', async () => {
    await using two = await openTwo();
    expect(await two.claims.folderOfFile('I1')).toBeUndefined();
    expect([await two.claim(two.one), await two.claim(two.one), await two.claim(two.two)]).toEqual([
      'claimed',
      'claimed',
      'held',
    ]);
    await two.age(two.one, leaseMs + 1);
    expect([await two.claim(two.two, 'G'), await two.claims.folderOfFile('I1')]).toEqual(['claimed', 'G']);
    // It wakes up: its own lease is over, and when it has another the file is another's.
    expect(await two.claim(two.one)).toBe('refused');
    await two.workers.renew(two.one);
    expect(await two.claim(two.one)).toBe('held');
  });

  test('goes to another also where the clock of the database was put back since its worker died', async () => {
    await using two = await openTwo();
    await two.claim(two.one);
    await two.age(two.one, -3 * 3_600_000);
    expect(await two.claim(two.two)).toBe('held');
    await two.age(two.one, leaseMs + 1);
    expect(await two.claim(two.two)).toBe('claimed');
  });

  test('goes to one of two that ask at once', async () => {
    await using two = await openTwo();
    await using engine = makePostgresEngine(two.database.url);
    const other = makeFileClaims(engine);
    for (let file = 1; file <= 20; file += 1) {
      const asked = { itemId: `I${file}`, fileName: 'a.csv', folderId: 'F' };
      const both = [
        two.claims.claimFile({ ...asked, workerId: two.one }),
        other.claimFile({ ...asked, workerId: two.two }),
      ];
      expect((await Promise.all(both)).toSorted()).toEqual(['claimed', 'held']);
    }
  });

  test('is told of where its worker is gone and it was not read to its end', async () => {
    await using two = await openTwo();
    await two.claim(two.one);
    await two.start('I1');
    expect(await two.claims.leftFiles()).toEqual([]);
    await two.age(two.one, leaseMs + 1);
    const left = [{ itemId: 'I1', fileName: 'a.csv', machine: 'one', claimedAtMs: expect.any(Number) }];
    expect(await two.claims.leftFiles()).toEqual(left);
    await two.sql(`insert into batch (batch_id, sha256, file_name, company_id, payer_account, status, rows, total_satang,
        unreadable_amounts, extra_columns, started_at_ms, sealed_at_ms)
      values ('BATCH00009', '0', 'a.csv', 'C', 'P', 'sealed', 1, 1, 0, '[]', 1, 2)`);
    expect(await two.claims.leftFiles()).toEqual([]);
  });

  test('leaves its batch to another file with its bytes, but not while its worker is there', async () => {
    await using two = await openTwo();
    await two.claim(two.one);
    expect(await two.start('I1')).toEqual({ kind: 'owner' });
    await two.claims.freeBatch('BATCH00009');
    expect(await two.start('I2')).toMatchObject({ kind: 'duplicate' });
    await two.age(two.one, leaseMs + 1);
    await two.claims.freeBatch('BATCH00009');
    expect(await two.start('I2')).toEqual({ kind: 'owner' });
    // It comes back, and is the second.
    expect(await two.start('I1')).toMatchObject({ kind: 'duplicate' });
    expect(await two.engine.read(() => fileQueueReads.intakeRecord('I1'))).toMatchObject({ outcome: null });
  });
});
