/** A journal that cannot be written or read as it should: each command works all the same, or says what to do. */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { csvOf } from '../support/payout-csv.ts';
import { openScene, type Scene, until } from './harness.ts';

/** SQLite's own. */
const pageBytes = 4_096;

const mount = (...args: readonly string[]): boolean => spawnSync('mount', args).status === 0;

/** Takes writes from a folder, as a failing disk does. @returns what gives them back; undefined where that is not allowed */
function makeReadOnly(folder: string): Disposable | undefined {
  if (!mount('--bind', folder, folder)) return undefined;
  const end = { [Symbol.dispose]: () => void spawnSync('umount', ['--lazy', folder]) };
  if (mount('-o', 'remount,bind,ro', folder)) return end;
  end[Symbol.dispose]();
  return undefined;
}

let scene: Scene;
let file: string;
beforeAll(async () => {
  const notices = { command: ['/bin/sh', '-c', 'cat > notice.json'] };
  scene = await openScene({ watch: { stillMs: 50 }, notices });
  file = await scene.addFile('a.csv', csvOf('A', 2));
  expect(await scene.run('run', file)).toEndWith(0);
});
afterAll(() => scene[Symbol.asyncDispose]());

test('a disk that takes no writes: what only reads works, with what was written last', async (context) => {
  // As a crash leaves it: the last change stands in the log beside the journal alone.
  const crashed = join(scene.folder, 'crashed');
  const db = new DatabaseSync(join(scene.dataDir, 'journal.db'));
  db.exec("insert into meta (key, value) values ('latest', 'in the log')");
  await cp(scene.dataDir, crashed, { recursive: true });
  await rm(join(crashed, 'journal.db-shm'));
  db.close();
  using whole = makeReadOnly(scene.dataDir);
  using torn = makeReadOnly(crashed);
  if (whole === undefined || torn === undefined) return context.skip('nothing can be mounted here');
  const [status, show, check, backup, copy] = await Promise.all([
    scene.run('status', '--json'),
    scene.run('show', 'A1', '--json'),
    scene.run('check', file),
    scene.run('backup', join(scene.folder, 'whole.db')),
    scene.run('backup', join(scene.folder, 'torn.db'), '--data-dir', crashed),
  ]);
  expect([status, show, backup, copy].map(({ code, stderr }) => [code, stderr])).toEqual(
    Array.from({ length: 4 }, () => [0, '']),
  );
  expect([status.stdout, show.stdout].every((text) => text.includes('"paid"'))).toBe(true);
  expect([check.code, check.stderr]).toEqual([0, '']);
  using copied = new DatabaseSync(join(scene.folder, 'torn.db'), { readOnly: true });
  expect(copied.prepare("select value from meta where key = 'latest'").get()).toEqual({
    value: 'in the log',
  });
});

/** Overwrites the pages of a file from one on, all or so many. */
async function overwrite(path: string, page: number, pages?: number): Promise<void> {
  await using handle = await open(path, 'r+');
  const { size } = await handle.stat();
  const from = (page - 1) * pageBytes;
  await handle.write(Buffer.alloc((pages ?? size / pageBytes - page + 1) * pageBytes, 0xaa), {
    position: from,
  });
}

/** The page of an index that neither opening the journal nor looking at its batches reads. */
function findQuietPage(path: string): number {
  using db = new DatabaseSync(path);
  const found = db.prepare("select rootpage from sqlite_schema where name = 'taken_file_of_batch'").get();
  return Number(found?.['rootpage']);
}

test('a damaged journal: a watcher finds it out and sends nothing, and each command says what to do', async () => {
  const journal = join(scene.dataDir, 'journal.db');
  await overwrite(journal, findQuietPage(journal), 1);
  // The run has told of its batch.
  const notice = join(scene.folder, 'notice.json');
  await rm(notice, { force: true });
  const inbox = join(scene.dataDir, 'inbox');
  await mkdir(inbox, { recursive: true });
  await writeFile(join(inbox, 'b.csv'), csvOf('B', 2));
  const watch = scene.start('watch', '--log-level', 'info');
  const readNotice = async (): Promise<string> => readFile(notice, 'utf8').catch(() => '');
  await until(async () => (await readNotice()).includes('the journal is damaged'));
  expect(watch.stderr).toContain('the journal is damaged: nothing is sent any more');
  watch.kill('SIGTERM');
  expect(await watch.ended).toEndWith(0);
  expect((await scene.bank.ledger()).entries).toHaveLength(2);
  await overwrite(journal, 2);
  const beside = await Promise.all([scene.run('status'), scene.run('run', join(inbox, 'b.csv'))]);
  // Not at once: who comes second would be told that the other is sending.
  for (const { code, stderr } of [...beside, await scene.run('watch')]) {
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/the journal is damaged.*paydrop restore FILE/s),
    ]);
  }
  expect((await scene.bank.ledger()).entries).toHaveLength(2);
});
