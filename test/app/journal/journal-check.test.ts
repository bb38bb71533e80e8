/** A journal that is read through while a watcher works. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { findDamage } from '../../../src/app/journal/journal-check.ts';
import { computeCheckPauseMs } from '../../../src/watch/rules/journal-check.ts';

const hourMs = 3_600_000;

test.each([
  ['a small journal', 10, hourMs],
  ['one that takes 10 s', 10_000, 10_000_000],
  ['one that takes minutes', 300_000, 24 * hourMs],
])('%s is read through once in a while', (_which, tookMs, pauseMs) => {
  expect(computeCheckPauseMs(tookMs)).toBe(pauseMs);
});

test('a journal is written on while it is read through, and the loop goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-check-'));
  const path = join(folder, 'journal.db');
  using db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; create table t (x text check (length(x) > 0))');
  db.exec(
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) insert into t select hex(randomblob(100)) from n',
  );
  let turns = 0;
  const beside = setInterval(() => {
    turns += 1;
    db.exec("insert into t values ('beside')");
  }, 1);
  expect(await findDamage(path)).toBe(undefined);
  clearInterval(beside);
  expect(turns).toBeGreaterThan(0);
  expect(await findDamage(join(import.meta.filename))).toMatch(/not a database/);
  await expect(findDamage(join(folder, 'none.db'))).rejects.toThrow('cannot be checked');
  await rm(folder, { recursive: true });
});
