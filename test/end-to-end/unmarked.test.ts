/** A new machine on a PostgreSQL journal that may have been put back: it has no mark by which it could tell. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dayMs } from '../../src/core/bangkok-time.ts';
import { planGoodRows, writeRows } from '../chaos/plan.ts';
import { Dice } from '../support/dice.ts';
import {
  copyDatabase,
  describePostgres,
  makeJournalDatabase,
  replaceDatabase,
  type TestDatabase,
} from '../support/postgres.ts';
import { openScene, readPresentResult, type Scene } from './harness.ts';

const rowCount = 3;
const nightMs = 20 * 3_600_000;

interface Machines extends AsyncDisposable {
  readonly scene: Scene;
  readonly database: TestDatabase;
  /** Another machine, which has worked nothing yet. */
  readonly other: { run: Scene['run']; readonly outbox: string };
  addFile(name: string): Promise<string>;
}

/** The journal was made nine days ago on the machine of the scene: it is no new one any more. */
async function openMachines(seed: number): Promise<Machines> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await makeJournalDatabase());
  const journal = { url: database.url };
  const scene = stack.use(await openScene({ asBank: true, journal, settle: { notFoundTrustMs: 200 } }));
  expect(await scene.run('init')).toEndWith(0);
  scene.clocks.pass(9 * dayMs);
  const path = join(scene.folder, 'other.yaml');
  const settings = await readFile(scene.configPath, 'utf8');
  await writeFile(path, settings.replace('./data', './other'), { mode: 0o600 });
  const dice = new Dice(seed);
  const owned = stack.move();
  return {
    scene,
    database,
    other: { run: (...args) => scene.runWith(path, ...args), outbox: join(scene.folder, 'other', 'outbox') },
    addFile: (name) => scene.addFile(name, writeRows(planGoodRows(rowCount, name.slice(0, 1), dice))),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** As a snapshot of the server's disk: by its identity it is the same. */
async function putBack(database: TestDatabase, copy: TestDatabase): Promise<void> {
  await replaceDatabase(database, copy);
  await using client = await database.connect();
  const oid = '(select oid::text from pg_database where datname = current_database())';
  await client.query(`update paydrop.meta set value = ${oid} where key = 'databaseOid'`);
}

describePostgres('a machine without a mark', () => {
  test('pays nobody twice from an older copy, though nothing tells it that it is one', async () => {
    await using machines = await openMachines(1);
    const { scene, database, other, addFile } = machines;
    const file = await addFile('A.csv');
    await using copy = await copyDatabase(database);
    expect(await scene.run('run', file)).toEndWith(0);
    scene.clocks.pass(2 * nightMs);
    await putBack(database, copy);
    expect(await other.run('run', file, '--wait', '1')).toEndWith(4);
    expect((await scene.bank.ledger()).totals.count).toBe(rowCount);
    const lines = await readPresentResult(other.outbox);
    expect(lines.map(({ reasonCode }) => reasonCode)).toEqual(lines.map(() => 'found-after-loss'));
    // The machine that knows better is refused.
    expect((await scene.run('settle')).stderr).toContain('older copy');
  });

  test('asks first until one with a mark is at work on the same journal', async () => {
    await using machines = await openMachines(2);
    const { scene, other, addFile } = machines;
    const countQuestions = async (): Promise<number> => (await scene.bank.ledger()).requests.inquiry;
    expect(await other.run('run', await addFile('A.csv'))).toEndWith(0);
    const asked = await countQuestions();
    expect(asked).toBeGreaterThanOrEqual(2 * rowCount);
    expect(await scene.run('run', await addFile('B.csv'))).toEndWith(0);
    expect(await other.run('run', await addFile('C.csv'))).toEndWith(0);
    expect(await countQuestions()).toBe(asked);
    expect((await scene.bank.ledger()).totals.count).toBe(3 * rowCount);
  });
});
