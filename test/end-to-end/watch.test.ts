/** The life of a watcher: it stops when it is asked to, says when it is not well, and recovers without a restart. */
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeBatchId } from '../../src/core/reference.ts';
import { hashOf, planSoundRows } from '../chaos/drop-plan.ts';
import { isSending, TransferCount } from '../chaos/moments.ts';
import { type PlannedRow, writeRows } from '../chaos/plan.ts';
import { Browser } from '../support/browser.ts';
import { Dice } from '../support/dice.ts';
import { passwordOf } from '../support/persons.ts';
import { findReports, openScene, type Program, readTable, type Scene, until } from './harness.ts';
import { findFreePort } from '../support/free-port.ts';
import { addPeople } from './scene-people.ts';

const dice = new Dice(11);
const quick = { stillMs: 100, probeMs: 200, graceMs: 10_000 };

async function startWatch(scene: Scene): Promise<Program> {
  const watch = scene.start('watch');
  await until(() => isSending(scene, watch));
  return watch;
}

interface Dropped {
  readonly name: string;
  readonly rows: readonly PlannedRow[];
  readonly batchId: string;
}

async function drop(scene: Scene, name: string, rows: number): Promise<Dropped> {
  const inbox = join(scene.dataDir, 'inbox');
  await mkdir(inbox, { recursive: true });
  const planned = planSoundRows(rows, name.replace('.csv', ''), dice);
  const csv = writeRows(planned);
  await writeFile(join(inbox, `${name}.tmp`), csv);
  await rename(join(inbox, `${name}.tmp`), join(inbox, name));
  return { name, rows: planned, batchId: computeBatchId(hashOf(Buffer.from(csv))) };
}

async function listFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((one) => one.isFile()).map(({ name }) => name);
}

const isArchived = async (scene: Scene, { name }: Dropped): Promise<boolean> =>
  (await listFiles(join(scene.dataDir, 'archive'))).includes(name);

/** Each row is paid once, by the ledger and in the result. */
async function expectPaid(scene: Scene, files: readonly Dropped[]): Promise<void> {
  const { entries, totals } = await scene.bank.ledger();
  const ids = files.flatMap(({ rows }) => rows.map(({ payoutId }) => payoutId));
  expect(entries.map(({ reference1 }) => reference1).toSorted()).toEqual(ids.toSorted());
  expect(totals.count).toBe(ids.length);
  for (const { batchId, rows } of files) {
    const [result = ''] = await findReports(scene.outbox, new RegExp(`${batchId}\\.result\\.csv$`));
    const lines = (await readTable(result)).map(({ payoutId, status }) => ({ payoutId, status }));
    expect(lines).toEqual(rows.map(({ payoutId }) => ({ payoutId, status: 'paid' })));
  }
}

interface Health {
  readonly live: boolean;
  readonly ready: boolean;
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
}

/** Where a watcher that listens on a free port says that /healthz is. */
async function untilListening(watch: Program): Promise<string> {
  const find = (): string | undefined => /  health: (http:\S+\/healthz)\n/.exec(watch.stdout)?.[1];
  await until(() => find() !== undefined);
  return find() ?? '';
}

/** What /healthz says, with its HTTP status. */
async function readHealth(url: string): Promise<Health & { readonly status: number }> {
  const response = await fetch(url);
  return { status: response.status, ...((await response.json()) as Health) };
}

async function untilReady(url: string): Promise<void> {
  await until(async () => (await readHealth(url)).ready);
}

async function untilUnready(url: string, code: string): Promise<Health & { readonly status: number }> {
  let health = await readHealth(url);
  await until(async () => {
    health = await readHealth(url);
    return health.reasons.some((reason) => reason.code === code);
  });
  expect(health).toMatchObject({ status: 503, ready: false, live: true });
  return health;
}

describe('a watcher that is asked to stop', () => {
  test('finishes what is in flight, leaves the rest for the next start, and exits 0; status works beside', async () => {
    await using scene = await openScene({ sandbox: { latencyMs: 400 }, watch: quick });
    const count = new TransferCount(scene);
    const file = await drop(scene, 'A.csv', 100);
    const watch = await startWatch(scene);
    await until(() => count.read() >= 20);
    const status = await scene.run('status', '--json');
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(status.stdout)).toMatchObject([{ batchId: file.batchId, status: 'running' }]);
    watch.kill('SIGTERM');
    const late = await drop(scene, 'B.csv', 3);
    // By itself, not because its time of grace was over.
    expect(await watch.ended).toMatchObject({
      code: 0,
      signal: null,
      stderr: expect.not.stringContaining('the time of grace is over') as string,
    });
    const { totals, entries } = await scene.bank.ledger();
    expect(totals.count).toBe(entries.length);
    expect(totals.count).toBeLessThan(file.rows.length);
    const after = JSON.parse((await scene.run('status', '--json')).stdout) as object[];
    // Nothing is left in doubt: what was sent has its outcome.
    expect(after).toMatchObject([{ batchId: file.batchId, byStatus: { paid: { rows: totals.count } } }]);
    expect(JSON.stringify(after)).not.toMatch(/submitted|unresolved/);
    expect(await listFiles(join(scene.dataDir, 'work'))).toContain('A.csv');
    await scene.bank.kill();
    await scene.bank.reopen(2);
    const next = await startWatch(scene);
    await until(async () => (await isArchived(scene, file)) && (await isArchived(scene, late)));
    await expectPaid(scene, [file, late]);
    next.kill('SIGTERM');
    expect(await next.ended).toEndWith(0);
  });
});

describe('a file that is written to after its rows were read', () => {
  test('is rejected with the batch named that is paid of it, though the watcher was killed meanwhile', async () => {
    await using scene = await openScene({ sandbox: { latencyMs: 30 }, watch: quick });
    const count = new TransferCount(scene);
    const file = await drop(scene, 'A.csv', 60);
    const watch = await startWatch(scene);
    await until(() => count.read() >= 10);
    watch.kill('SIGKILL');
    await watch.ended;
    const work = join(scene.dataDir, 'work');
    const [itemId = ''] = (await readdir(work)).filter((name) => !name.startsWith('.'));
    await appendFile(
      join(work, itemId, 'A.csv'),
      writeRows(planSoundRows(5, 'LATE', dice)).replace(/^.*\n/, ''),
    );
    const next = await startWatch(scene);
    const rejected = join(scene.dataDir, 'rejected');
    await until(async () => (await listFiles(rejected)).includes('A.csv'));
    expect(await readFile(join(rejected, 'A.csv.reason.txt'), 'utf8')).toContain(`Batch ${file.batchId}`);
    await until(async () => (await findReports(scene.outbox, /^A\..*\.summary\.json$/)).length === 1);
    await expectPaid(scene, [file]);
    next.kill('SIGTERM');
    expect(await next.ended).toEndWith(0);
  });
});

describe('what a watcher says of itself', () => {
  test('is unready while the bank is away or a folder takes nothing, and recovers by itself', async () => {
    const watchSettings = { ...quick, listen: '127.0.0.1:0' };
    await using scene = await openScene({ sandbox: { latencyMs: 30 }, watch: watchSettings });
    const count = new TransferCount(scene);
    const watch = await startWatch(scene);
    const url = await untilListening(watch);
    await untilReady(url);
    expect(watch.stdout).toMatch(/\nInbox {3}\/\S+\/data\/inbox\nOutbox {2}\/\S+\/data\/outbox\n/);
    const file = await drop(scene, 'A.csv', 60);
    await until(() => count.read() >= 10);
    await scene.bank.kill();
    expect((await untilUnready(url, 'bank')).reasons[0]?.text).toContain('the bank is out of reach');
    await scene.bank.reopen();
    await untilReady(url);
    await until(() => isArchived(scene, file));
    await expectPaid(scene, [file]);

    await rename(scene.outbox, `${scene.outbox}.aside`);
    await writeFile(scene.outbox, 'no folder');
    expect((await untilUnready(url, 'disk')).reasons[0]?.text).toContain(scene.outbox);
    const meanwhile = await drop(scene, 'B.csv', 5);
    await rm(scene.outbox);
    await rename(`${scene.outbox}.aside`, scene.outbox);
    await untilReady(url);
    await until(() => isArchived(scene, meanwhile));
    await expectPaid(scene, [file, meanwhile]);
    watch.kill('SIGTERM');
    expect(await watch.ended).toMatchObject({ code: 0, signal: null });
  });
});

describe('an inbox', () => {
  test('that another journal works is refused with exit 2, and the first goes on', async () => {
    await using scene = await openScene({ watch: quick, folders: { inbox: './data/inbox' } });
    const watch = scene.start('watch', '--json');
    const stamp = join(scene.dataDir, 'inbox', '.paydrop', 'journal.json');
    await until(async () => (await listFiles(join(stamp, '..'))).includes('journal.json'));
    const other = await scene.run('watch', '--data-dir', join(scene.folder, 'other'));
    expect(other).toMatchObject({ code: 2, signal: null });
    expect(other.stderr).toContain(stamp);
    const file = await drop(scene, 'A.csv', 3);
    await until(() => isArchived(scene, file));
    await expectPaid(scene, [file]);
    await until(() => watch.stdout.includes('"batch-settled"'));
    watch.kill('SIGTERM');
    const { code, stdout } = await watch.ended;
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const kinds = lines.map((line) => (JSON.parse(line) as { readonly event: string }).event);
    // It may have come to say that it waits for files.
    const events = kinds.filter((kind) => kind !== 'idle').toSorted();
    expect(events).toEqual(['batch-begun', 'batch-settled', 'file-ended', 'started', 'stopping', 'working']);
  });
});

describe('a payer account without money', () => {
  test('halts the batch; resumed beside the watcher, it goes on by itself', async () => {
    const sandbox = { control: true, payerBalanceBaht: '20000.00' };
    await using scene = await openScene({ sandbox, watch: quick });
    const watch = await startWatch(scene);
    const file = await drop(scene, 'A.csv', 30);
    await until(() => isArchived(scene, file));
    const [batch] = JSON.parse((await scene.run('status', '--json')).stdout) as { status: string }[];
    expect(batch).toMatchObject({ batchId: file.batchId, status: 'halted' });
    const before = (await scene.bank.ledger()).totals.count;
    expect(before).toBeLessThan(file.rows.length);
    await scene.bank.control({ payerBalanceBaht: '' });
    expect(await scene.run('resume', file.batchId)).toEndWith(0);
    await until(async () => (await scene.bank.ledger()).totals.count === file.rows.length);
    const update = /A\.\w{10}\.result-update-1\.csv$/;
    await until(async () => (await findReports(scene.outbox, update)).length === 1);
    const [path = ''] = await findReports(scene.outbox, update);
    expect((await readTable(path)).map(({ status }) => status)).toEqual(
      Array.from({ length: file.rows.length - before }, () => 'paid'),
    );
    watch.kill('SIGTERM');
    expect(await watch.ended).toEndWith(0);
  });
});

test('a person’s question to the bank that is under way ends before the journal is closed', async () => {
  await using scene = await openScene({
    sandbox: { behaviours: [{ match: {}, money: 'stuck' }] },
    verify: { enabled: false },
    settle: { firstDelayMs: 60_000, maxDelayMs: 60_000 },
    watch: quick,
  });
  expect(await scene.run('init')).toEndWith(0);
  await addPeople(scene);
  const page = `127.0.0.1:${await findFreePort()}`;
  const settings = await readFile(scene.configPath, 'utf8');
  await writeFile(scene.configPath, settings.replace('review: {', `review: { listen: '${page}',`));
  const watch = await startWatch(scene);
  await drop(scene, 'a.csv', 1);
  await until(async () => (await scene.bank.ledger()).entries.length === 1);
  const mali = new Browser(`http://${page}`);
  expect(await mali.signIn('mali', passwordOf('mali'))).toMatchObject({ status: 200 });
  await until(async () => (await mali.get('/payout/1')).text.includes('action="/payout/1/ask"'));
  scene.bank.signal('SIGSTOP');
  const asked = mali.post('/payout/1/ask').catch(() => undefined);
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 300))]);
  watch.kill('SIGTERM');
  await Promise.race([watch.ended, new Promise((resolve) => setTimeout(resolve, 300))]);
  scene.bank.signal('SIGCONT');
  expect(await watch.ended).toMatchObject({
    code: 0,
    stderr: expect.not.stringMatching('not open any more'),
  });
  await asked;
});
