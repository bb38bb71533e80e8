/** A process that helps, and becomes the one that sends. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type HelpingSession, standBy } from '../../../src/app/machines/stand-by.ts';
import { openSession, type Session, type SessionOptions } from '../../../src/app/session.ts';
import { silentLogger } from '../../../src/platform/log.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { change, query } from '../../../src/store/statements.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { writeMoment } from '../../../src/store/place.ts';
import { payer } from '../../support/core-fixtures.ts';
import { describePostgres, makeJournalDatabase } from '../../support/postgres.ts';
import { makeFolder } from '../../support/sqlite-store.ts';

/** A process on a machine of its own. */
async function open(
  folder: string,
  url: string,
  { timeoutMs = 30_000, ...options }: SessionOptions & { readonly timeoutMs?: number } = {},
): Promise<Session> {
  await mkdir(folder);
  const bank = { ...payer, baseUrl: 'sandbox', timeoutMs };
  const settings = { bank, dataDir: 'data', journal: { url } };
  await writeFile(join(folder, 'paydrop.yaml'), stringify(settings), { mode: 0o600 });
  return openSession(loadSettings({ cwd: folder, env: {} }), silentLogger, 'watch', options);
}

describePostgres('a helper that becomes the sender', () => {
  test('knows what was said of the journal meanwhile: that it was lost, and since when it may miss something', async () => {
    await using database = await makeJournalDatabase();
    await using folder = await makeFolder();
    await using engine = makePostgresEngine(database.url);
    const sender = await open(join(folder.path, 'one'), database.url);
    await using helper = await open(join(folder.path, 'two'), database.url, { mayHelp: true });
    expect([helper.place?.role, helper.loss, helper.missesSince?.()]).toEqual([
      'helper',
      undefined,
      undefined,
    ]);
    const loss = { recoveredAtMs: Date.now(), sinceDate: '20261120', untilDate: '20261121' };
    await engine.write(function* () {
      const { recoveredAtMs, sinceDate, untilDate } = loss;
      const record = { recovered_at_ms: recoveredAtMs, since_date: sinceDate, until_date: untilDate };
      yield* change(query.insertInto('journal_loss').values(record));
      yield* writeMoment('newSinceMs', recoveredAtMs);
      yield* writeMoment('missesSinceMs', recoveredAtMs - 1);
    });
    await sender[Symbol.asyncDispose]();
    const standing = { stop: new AbortController().signal, reportOwner: () => {}, noteTrouble: () => {} };
    const { ended } = await standBy(helper as HelpingSession, standing);
    await ended;
    expect([helper.place?.role, helper.loss, helper.missesSince?.()]).toEqual([
      'sender',
      loss,
      loss.recoveredAtMs - 1,
    ]);
  });
});

describePostgres('a process that would wait longer for an answer than others know', () => {
  test('is refused, and leaves the place to others', async () => {
    await using database = await makeJournalDatabase();
    await using folder = await makeFolder();
    const refused = open(join(folder.path, 'one'), database.url, { timeoutMs: 45_000 });
    await expect(refused).rejects.toThrow(/paydrop\.yaml: bank\.timeoutMs is 45000: .* lower it to 30000/);
    await using sender = await open(join(folder.path, 'two'), database.url);
    expect(sender.place?.role).toBe('sender');
  });
});
