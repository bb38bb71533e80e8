/** `paydrop audit --file`: a backup is looked at where it lies, beside no journal at all. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backUpJournal } from '../../src/app/backup.ts';
import { ingestRunning, makeRows } from '../support/journal-fixtures.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { tamper } from '../support/store-fixtures.ts';
import { callPaydrop } from './call-paydrop.ts';

const config = join(import.meta.dirname, '../../config/sandbox.yaml');

test('a backup is found whole, then tampered with, and one that is missing is said to be', async () => {
  await using sqlite = await makeSqliteStore();
  await ingestRunning(sqlite.store, makeRows(2));
  const backup = join(sqlite.dataDir, 'backup.db');
  backUpJournal(sqlite.dataDir, backup);
  const empty = join(sqlite.dataDir, 'elsewhere');
  await mkdir(empty);
  const audit = (...args: readonly string[]) =>
    callPaydrop('audit', ...args, '--config', config, '--data-dir', empty);

  expect(await audit()).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no journal') });
  expect(await audit('--file', backup)).toMatchObject({ code: 0, stderr: '' });
  tamper(backup, 'drop trigger event_never_changes; update event set at_ms = at_ms + 1 where seq = 2');
  expect(await audit('--file', backup)).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/it is not what was written[^]*Do not restore this backup/),
  });
  await writeFile(
    join(empty, 'list.txt'),
    'no journal, but long enough to be read as if it were one\n'.repeat(20),
  );
  expect(await audit('--file', join(empty, 'list.txt'))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/it is no journal, or is damaged: audit another backup/),
  });
  expect(await audit('--file', `${backup}.gone`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('it is not there'),
  });
});
