/** Which process works each file, on a real PostgreSQL. */
import { verbatim } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { leaseMs } from '../../../src/payout/rules/lease.ts';
import { makeFileClaims } from '../../../src/store/postgres/file-claims.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../../src/store/postgres/journal.ts';
import type { Store } from '../../../src/store/store.ts';
import { fileQueueReads, fileQueueWrites } from '../../../src/store/watch/file-queue.ts';
import { openCluster } from '../../support/cluster.ts';
import {
  makeRows,
  noonMs,
  secondBatchId,
  start as startFile,
  totalsOf,
} from '../../support/journal-fixtures.ts';
import { describePostgres } from '../../support/postgres.ts';

async function openTwo() {
  const cluster = await openCluster();
  const join = (machine: string) => cluster.workers.joinAsHelper({ machine, pid: 1, command: 'watch' });
  const [one, two] = [await join('one'), await join('two')];
  const claims = makeFileClaims(cluster.engine);
  const claim = (workerId: number, folderId = 'F') =>
    claims.claimFile({ itemId: 'I1', fileName: 'a.csv', folderId, workerId });
  const start = (itemId: string, batchId = 'BATCH00009') => {
    const item = { itemId, batchId, fileName: `${itemId}.csv`, droppedAtMs: noonMs };
    return cluster.engine.write(() => fileQueueWrites.startIntake({ ...item, nowMs: noonMs }));
  };
  /** The journal as a process has it that is this worker. */
  const open = (workerId: number) => {
    const own = { workerId, noteRefused: () => {} };
    return { own, store: makePostgresJournal({ engine: cluster.engine, journalId: '', own }) };
  };
  return Object.assign(cluster, { one, two, join, claims, claim, start, open });
}

const startReading = (store: Store) => startFile(store, { batchId: secondBatchId });

describePostgres('the claim of a file', () => {
  test('is its own for as long as its worker is there, and goes to another then', async () => {
    await using two = await openTwo();
    expect([await two.claim(two.one), await two.claim(two.one), await two.claim(two.two)]).toEqual([
      'claimed',
      'claimed',
      'held',
    ]);
    await two.age(two.one, leaseMs + 1);
    expect(await two.claim(two.two, 'G')).toBe('claimed');
    const asked = { itemId: 'I1', workerId: two.two };
    expect(await two.claims.isElsewhere({ ...asked, folderId: 'F' })).toBe(true);
    expect(await two.claims.isElsewhere({ ...asked, folderId: 'G' })).toBe(false);
    // It wakes up: its own place is gone for good, and when it has another the file is another's.
    expect([await two.claim(two.one), await two.workers.renew(two.one)]).toEqual(['refused', false]);
    expect(await two.claim(await two.join('one'))).toBe('held');
  });

  test('is taken from a sender that nobody hears of only once its place is taken', async () => {
    await using two = await openTwo();
    const name = { pid: 2, command: 'watch' };
    const place = await two.workers.takeSenderPlace({ machine: 'three', ...name });
    if (place.kind === 'held') throw new Error('nobody has it');
    await two.claim(place.workerId);
    await two.age(place.workerId, leaseMs + 1);
    expect(await two.claim(two.two)).toBe('held');
    expect(await two.workers.takeSenderPlace({ machine: 'two', ...name })).toMatchObject({ kind: 'taken' });
    expect(await two.claim(two.two)).toBe('claimed');
  });

  test('keeps one that was frozen as it read the file from writing into it, whatever place it has then', async () => {
    await using two = await openTwo();
    const rows = makeRows(4);
    const [frozen, next] = [two.open(two.one), two.open(two.two)];
    await using frozenStore = frozen.store;
    await using nextStore = next.store;
    await two.claim(two.one);
    expect(await two.start('I1', secondBatchId)).toEqual({ kind: 'owner' });
    await startReading(frozenStore);
    await frozenStore.stage(secondBatchId, rows.slice(0, 2));
    await two.age(two.one, leaseMs + 1);
    // As the successor: the claim first, then the batch, from its beginning.
    expect(await two.claim(two.two)).toBe('claimed');
    await startReading(nextStore);
    await nextStore.stage(secondBatchId, rows.slice(0, 2));
    const late: (() => Promise<unknown>)[] = [
      () => frozenStore.stage(secondBatchId, rows.slice(2)),
      () => frozenStore.seal(secondBatchId, totalsOf(rows), noonMs),
      () => frozenStore.rejectBatch(secondBatchId, 'c', verbatim('r'), noonMs),
      () => startReading(frozenStore),
    ];
    for (const write of late) await expect(write()).rejects.toThrow('taken the place of this one');
    frozen.own.workerId = await two.join('one');
    for (const write of late) await expect(write()).rejects.toThrow('another process reads this file by now');
    await nextStore.stage(secondBatchId, rows.slice(2));
    expect(await nextStore.seal(secondBatchId, totalsOf(rows), noonMs)).toMatchObject({ rows: 4 });
  });

  test('lets one that was frozen go on where nobody has taken its file', async () => {
    await using two = await openTwo();
    const { own, store } = two.open(two.one);
    await using reading = store;
    await two.claim(two.one);
    await two.start('I1', secondBatchId);
    await startReading(reading);
    await two.age(two.one, leaseMs + 1);
    await two.sql(`update worker set superseded_at_ms = 1 where worker_id = ${two.one}`);
    own.workerId = await two.join('one');
    await reading.stage(secondBatchId, makeRows(2));
    expect(await reading.seal(secondBatchId, totalsOf(makeRows(2)), noonMs)).toMatchObject({ rows: 2 });
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

  test('is elsewhere to the copy of a machine that has the same folders, while the machine is there', async () => {
    await using two = await openTwo();
    const asked = (workerId: number) => ({ itemId: 'I1', folderId: 'F', workerId });
    expect(await two.claims.isElsewhere(asked(two.two))).toBe(false);
    await two.claim(two.one);
    expect(await two.claims.isElsewhere(asked(two.two))).toBe(true);
    // The machine itself, started again before the lease of its former process is over.
    expect(await two.claims.isElsewhere(asked(await two.join('one')))).toBe(false);
    // Of a work/ on a share, whose machine is gone.
    await two.age(two.one, leaseMs + 1);
    expect(await two.claims.isElsewhere(asked(two.two))).toBe(false);
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
