/** The statements folder that cannot be one, or takes no files: said before the bank is asked for anything. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OutputFileError } from '../../../src/platform/durable-file.ts';
import { openStatementOriginals } from '../../../src/reconcile/file/originals.ts';
import { openStatementOutbox } from '../../../src/reconcile/file/tables.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-statements-'));
});
afterEach(() => rm(folder, { recursive: true }));

const openers = { originals: openStatementOriginals, tables: openStatementOutbox };
const kinds = ['originals', 'tables'] as const;

async function fail(kind: (typeof kinds)[number], path: string): Promise<string> {
  const error: unknown = await openers[kind](path).then(
    () => 'nothing failed',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutputFileError);
  return (error as Error).message;
}

test.each(kinds)('%s: a file in its place is named, with the cure', async (kind) => {
  const path = join(folder, 'statements');
  await writeFile(path, '');
  const cure = 'move away what stands there, or name another folder in folders.statements of the settings';
  const message = `cannot create the folder ${path}: the path is taken by a file; ${cure}`;
  expect(await fail(kind, path)).toBe(message);
  expect(await fail(kind, join(path, 'below'))).toContain(cure);
});

// Nobody, not even root, may put a file there.
test.runIf(process.platform === 'linux').each(kinds)('%s: one that takes no files is named', async (kind) => {
  expect(await fail(kind, '/proc/self/net')).toMatch(/^cannot write in \/proc\/self\/net: .+/);
});

test.each(kinds)('%s: one that is not there is made for its owner only', async (kind) => {
  const path = join(folder, 'deep', 'statements');
  await openers[kind](path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect(await readdir(path)).toEqual([]);
});
