/** What processes that died have left of their scratches; what is in use stays. */
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { makeFacts, makeLine } from '../../support/statement-fixtures.ts';

const old = new Date(0);
const scratchesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.includes('.scratch'))
    .toSorted();

test('a scratch that is worked on has no file beside it, and stays however old it is', async () => {
  await using opened = await makeSqliteStore();
  const folder = dirname(opened.path);
  using first = opened.store.openLineScratch();
  const line = makeLine(makeFacts('paid'), 'complete');
  first.keep([line]);
  const names = scratchesIn(folder);
  expect(names).toHaveLength(1);
  for (const name of names) utimesSync(join(folder, name), old, old);
  using second = opened.store.openLineScratch();
  second.setAside('B', line);
  expect(scratchesIn(folder)).toHaveLength(2);
  first.setCountedAside('A', line.line);
  expect([...first.groups()]).toEqual([{ key: 'A', lines: [line], counted: [0] }]);
});

test('what was left is removed, its journal and what is no database along with it', async () => {
  await using opened = await makeSqliteStore();
  const folder = dirname(opened.path);
  const [dead, torn, alone] = ['0', '1', '2'].map((digit) =>
    join(folder, `.statement.${digit.repeat(12)}.scratch`),
  ) as [string, string, string];
  new DatabaseSync(dead).close();
  writeFileSync(`${dead}-journal`, '');
  writeFileSync(torn, 'no database '.repeat(100));
  writeFileSync(`${alone}-journal`, '');
  for (const path of [dead, `${dead}-journal`, torn, `${alone}-journal`]) utimesSync(path, old, old);
  // One that was made just now may not have been locked yet.
  const young = join(folder, `.statement.${'3'.repeat(12)}.scratch`);
  writeFileSync(young, '');
  using scratch = opened.store.openLineScratch();
  expect(scratch.largestGroup()).toBe(0);
  expect(scratchesIn(folder)).toHaveLength(2);
  expect(scratchesIn(folder)).toContain('.statement.333333333333.scratch');
});
