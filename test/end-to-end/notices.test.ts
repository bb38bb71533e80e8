/** Notices as an operator gets them, from real processes, by a webhook and a program: each trouble once. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { showDate } from '../../src/payout/rules/lost-journal.ts';
import { openCuttableLink } from '../support/cuttable-link.ts';
import { describePostgres, makeJournalDatabase } from '../support/postgres.ts';
import { header } from '../support/rehearsal.ts';
import { openScene, until } from './harness.ts';
import { openSmallDisk } from './small-disk.ts';

const dayMs = 86_400_000;

interface Body {
  readonly kind: string;
  readonly commands: readonly string[];
  readonly [name: string]: unknown;
}

/** A webhook that keeps what it is sent, and what the program has written down. */
async function openReceivers() {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-notices-'));
  const written = join(folder, 'notices.jsonl');
  await writeFile(written, '');
  const posted: Body[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push(JSON.parse(body) as Body);
      response.end();
      return undefined;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const lines = async (): Promise<readonly Body[]> =>
    (await readFile(written, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Body);
  return {
    settings: {
      webhookUrl: `http://127.0.0.1:${port}/hook`,
      webhookSecret: 'a-long-secret',
      command: ['/bin/sh', '-c', 'cat >> "$0"', written],
      notReadyAfterMs: 300,
    },
    /** Kinds by webhook and by program, in order. */
    kinds: async () => [posted.map(({ kind }) => kind), (await lines()).map(({ kind }) => kind)],
    last: (kind: string): Body | undefined => posted.findLast((body) => body.kind === kind),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

test('a late statement, a critical break, a bank away and a full disk reach a webhook and a program, once each', async (context) => {
  await using receivers = await openReceivers();
  await using disk = await openSmallDisk();
  const deniedPaid = '1013.25';
  await using scene = await openScene({
    dataDir: join(disk.path, 'data'),
    notices: receivers.settings,
    watch: { probeMs: 200 },
    sandbox: {
      behaviours: [{ match: { amount: deniedPaid }, money: 'fails', code: 'EM003' }],
      statement: {
        notBefore: { requests: 2 },
        edits: [
          {
            edit: 'alter',
            match: { reference1: 'R2' },
            columns: { STATUS: '010004', 'REASON CODE': 'IC000' },
          },
        ],
      },
    },
  });
  const expected: string[] = [];
  const expectNotices = async (...kinds: readonly string[]): Promise<void> => {
    expected.push(...kinds);
    await until(async () => (await receivers.kinds()).every((list) => list.length >= expected.length));
    for (const list of await receivers.kinds()) expect(list.toSorted()).toEqual(expected.toSorted());
    for (const kind of kinds) expect(receivers.last(kind)?.commands.join('\n')).not.toContain('undefined');
  };

  const rows = `A1,MSISDN,0812345678,,10.00,R1,\nA2,MSISDN,0812345679,,${deniedPaid},R2,\n`;
  const file = await scene.addFile('a.csv', `${header}\n${rows}`);
  const day = showDate(formatBangkokDate(scene.clocks.readMs()));
  expect(await scene.run('run', file)).toEndWith(3);
  await expectNotices('batch-done');

  scene.clocks.pass(dayMs + 60_000);
  expect(await scene.run('reconcile', '--date', day)).toEndWith(5);
  await expectNotices('statement-late');
  const [command = ''] = receivers.last('statement-late')?.commands ?? [];
  expect(command).toBe(`paydrop reconcile --date ${day} --config ${scene.configPath}`);
  // As it stands there, but for the program's name.
  expect(await scene.run(...command.split(' ').slice(1, 4))).toEndWith(3);
  await expectNotices('statement-came', 'critical-breaks', 'alarm');
  expect(receivers.last('critical-breaks')).toMatchObject({ statement: day, breaks: 1, amount: deniedPaid });

  const watch = scene.start('watch');
  // Its rows have changed by the statement; and the day that has ended is told its head.
  await expectNotices('batch-done', 'day-head');
  await scene.bank.kill();
  await expectNotices('not-ready');
  expect(receivers.last('not-ready')).toMatchObject({ reasonCode: 'bank', severity: 'critical' });
  await scene.bank.reopen();
  await expectNotices('ready');
  if (disk.isMounted) {
    await disk.fill();
    await expectNotices('not-ready');
    expect(receivers.last('not-ready')).toMatchObject({
      reasonCode: 'disk',
      commands: [`df -h ${scene.dataDir}`],
    });
    await disk.empty();
    await expectNotices('ready');
  }
  watch.kill('SIGTERM');
  expect(await watch.ended).toEndWith(0);
  for (const list of await receivers.kinds()) expect(list).toHaveLength(expected.length);
  if (!disk.isMounted) context.skip('no tmpfs can be mounted here: the full disk was not tried');
});

describePostgres('a watcher whose database is away', () => {
  test('tells of it meanwhile, once, and keeps what it has told when the database is back', async () => {
    await using database = await makeJournalDatabase();
    const url = new URL(database.url);
    await using link = await openCuttableLink(Number(url.port === '' ? 5_432 : url.port));
    url.port = String(link.port);
    vi.stubEnv('PAYDROP_JOURNAL_URL', url.href);
    await using receivers = await openReceivers();
    await using scene = await openScene({ notices: receivers.settings, watch: { probeMs: 200 } });
    const watch = scene.start('watch');
    await using client = await database.connect();
    const countSenders = async (): Promise<number> => {
      const { rows } = await client.query(`select from paydrop.worker where role = 'sender'`);
      return rows.length;
    };
    await until(() => watch.stdout.includes('working; drop'));
    expect(await countSenders()).toBe(1);
    const shut = link.shut();
    await until(async () => (await receivers.kinds()).every((kinds) => kinds.includes('not-ready')));
    expect(receivers.last('not-ready')).toMatchObject({ reasonCode: 'journal-away', severity: 'critical' });
    shut[Symbol.dispose]();
    await until(async () => (await receivers.kinds()).every((kinds) => kinds.includes('ready')));
    const readKept = async () => {
      const { rows } = await client.query<{ readonly kind: string; readonly status: string }>(
        `select kind, status from paydrop.notice join paydrop.notice_delivery on notice_seq = seq order by seq, channel`,
      );
      return rows.map(({ kind, status }) => `${kind} ${status}`);
    };
    const told = ['not-ready delivered', 'not-ready delivered', 'ready delivered', 'ready delivered'];
    await until(
      async () => (await readKept()).filter((one) => one.endsWith('delivered')).length === told.length,
    );
    expect(await readKept()).toEqual(told);
    watch.kill('SIGTERM');
    expect(await watch.ended).toEndWith(0);
    for (const kinds of await receivers.kinds()) expect(kinds).toEqual(['not-ready', 'ready']);
  });
});
