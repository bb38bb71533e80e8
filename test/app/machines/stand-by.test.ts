/** A process that helps, and becomes the one that sends. */
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type HelpingSession, helpSender } from '../../../src/app/leadership.ts';
import {
  openSession,
  type Session,
  type SessionOptions,
  withoutRightToSend,
} from '../../../src/app/session.ts';
import { askBankNow } from '../../../src/app/settle.ts';
import { silentLogger } from '../../../src/platform/log.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { JournalRefusedError } from '../../../src/store/connection.ts';
import { change, query } from '../../../src/store/statements.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { writeMoment } from '../../../src/store/place.ts';
import { payer } from '../../support/core-fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { applied, firstReady, holdOf, ingest, makeRows } from '../../support/journal-fixtures.ts';
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
    const page = withoutRightToSend(helper);
    const loss = { recoveredAtMs: Date.now(), sinceDate: '20261120', untilDate: '20261121' };
    await engine.write(function* () {
      const { recoveredAtMs, sinceDate, untilDate } = loss;
      const record = { recovered_at_ms: recoveredAtMs, since_date: sinceDate, until_date: untilDate };
      yield* change(query.insertInto('journal_loss').values(record));
      yield* writeMoment('newSinceMs', recoveredAtMs);
      yield* writeMoment('missesSinceMs', recoveredAtMs - 1);
    });
    // A question on the page of the helper believes no answer about what the journal may lack.
    await askBankNow(page, 1, new AbortController().signal);
    expect(page.loss).toEqual(loss);
    await sender[Symbol.asyncDispose]();
    const standing = { stop: new AbortController().signal, reportOwner: () => {}, noteTrouble: () => {} };
    const { ended } = await helpSender(helper as HelpingSession, standing);
    await ended;
    expect([helper.place?.role, helper.loss, helper.missesSince?.()]).toEqual([
      'sender',
      loss,
      loss.recoveredAtMs - 1,
    ]);
  });
});

const standing = { stop: new AbortController().signal, reportOwner: () => {}, noteTrouble: () => {} };

/** The sender is gone, as after a failover, before the next look of whoever helps. */
const senderEnds = `update paydrop.worker set ended_at_ms = 1 where role = 'sender'`;

describePostgres('a helper that becomes the sender of an older copy', () => {
  interface Scene extends AsyncDisposable {
    readonly helper: Session;
    readonly folder: string;
    run(...statements: readonly string[]): Promise<void>;
  }

  async function makeScene(): Promise<Scene> {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await makeJournalDatabase());
    const folder = stack.use(await makeFolder());
    const sender = await open(join(folder.path, 'one'), database.url);
    stack.defer(() => sender[Symbol.asyncDispose]());
    const helper = stack.use(await open(join(folder.path, 'two'), database.url, { mayHelp: true }));
    await ingest(sender.journal, makeRows(2));
    await applied(sender.journal, holdOf(await firstReady(sender.journal), 'limit'));
    const owned = stack.move();
    return {
      helper,
      folder: join(folder.path, 'two'),
      run: async (...statements) => {
        await using client = await database.connect();
        for (const statement of statements) await client.query(statement);
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  }

  const readMark = async (folder: string): Promise<{ readonly latestEventSeq: number }> =>
    JSON.parse(await readFile(join(folder, 'data', 'journal.mark'), 'utf8')) as { latestEventSeq: number };

  test('is refused what it has seen more of, though another committed it', async () => {
    await using scene = await makeScene();
    const { helper, folder } = scene;
    expect((await readMark(folder)).latestEventSeq).toBe(0);
    const stood = helpSender(helper as HelpingSession, standing);
    stood.catch(() => {});
    await eventually(async () => expect((await readMark(folder)).latestEventSeq).toBeGreaterThan(0));
    const older = 'delete from paydrop.event where seq = (select max(seq) from paydrop.event)';
    await scene.run('begin', 'alter table paydrop.event disable trigger user', older, senderEnds, 'commit');
    // The helper finds out as it takes the place, or while it still stands by.
    await expect(stood).rejects.toThrow(
      /an older copy(?:: it has 1 file and \d events?, 1 and \d were recorded| \(noticed while it was at work\))/,
    );
    expect(helper.refused?.reason).toBeInstanceOf(JournalRefusedError);
  });

  test('and what the marks in its folders have more of', async () => {
    await using scene = await makeScene();
    const { helper, folder } = scene;
    const ahead = { ...(await readMark(folder)), latestEventSeq: 99 };
    const path = join(folder, 'data', 'outbox', `.journal-${helper.journal.journalId}.mark`);
    await helper.journal.requireNothingLost?.();
    await eventually(() => access(path));
    await writeFile(path, JSON.stringify(ahead));
    await scene.run(senderEnds);
    await expect(helpSender(helper as HelpingSession, standing)).rejects.toThrow(/99 were recorded.*so says/);
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
