/** What `paydrop watch` prints, for an operator and for a program. */
import { verbatim } from '../../../src/core/message.ts';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeLeftReporter, type WatchNews } from '../../../src/app/watch-status.ts';
import { makeCommandLine } from '../../../src/cli/options.ts';
import { showNews } from '../../../src/cli/views/watch.ts';
import { watchCommand } from '../../../src/cli/watch.ts';
import type { Batch } from '../../../src/core/ports.ts';
import { summariseBatch } from '../../../src/reports/rules/summary.ts';
import type { ReportedFile } from '../../../src/reports/batch-reports.ts';
import { makeBatch, makeTotal, noonMs, noOtherReferences } from '../../support/report-fixtures.ts';

const show = (news: WatchNews): string => showNews(news, noonMs).text;
const read = (news: WatchNews): unknown => JSON.parse(JSON.stringify(showNews(news, noonMs).json));

const started = { kind: 'started', isSandbox: true, inbox: '/srv/in\nbox', outbox: '/srv/outbox' } as const;
const figures = { phase: 'paying a.csv', rowsTotal: 20_000, rowsDone: 1_200, paid: 1_199, inDoubt: 1 };
const owner = { pid: 12, command: 'watch', sinceMs: noonMs };
const at = '2026-11-21T14:03:05+07:00';

test('a path is whole in the journal of a service, and short for who stands there', () => {
  const inbox = join(process.cwd(), 'inbox');
  const { columns } = process.stdout;
  try {
    for (const [width, shown] of [
      [undefined, inbox],
      [80, 'inbox'],
    ] as const) {
      Object.assign(process.stdout, { columns: width });
      expect(show({ ...started, inbox })).toContain(`\nInbox   ${shown}\n`);
    }
  } finally {
    Object.assign(process.stdout, { columns });
  }
});

test('a rehearsal says so before anything else, and where files are dropped', () => {
  expect(show(started)).toBe(
    `*** SANDBOX: a rehearsal, no real money moves ***

Inbox   /srv/in?box
Outbox  /srv/outbox
`,
  );
  expect(show({ ...started, isSandbox: false })).toMatch(/^Inbox /);
});

test.each<[WatchNews, string]>([
  [
    { kind: 'health-opened', address: { host: '127.0.0.1', port: 8765 } },
    'health: http://127.0.0.1:8765/healthz',
  ],
  [{ kind: 'health-opened', address: { host: '::1', port: 80 } }, 'health: http://[::1]:80/healthz'],
  [
    { kind: 'standing-by', owner },
    'standing by: "paydrop watch" (process 12, since 2026-11-21 14:03:05) is sending; ' +
      'this process takes over when that one ends',
  ],
  [
    { kind: 'standing-by', owner: undefined },
    'standing by: another paydrop process is sending; this process takes over when that one ends',
  ],
  [{ kind: 'working', inbox: '/srv/inbox', hasTakenOver: false }, 'working; drop files into /srv/inbox'],
  [
    { kind: 'working', inbox: '/srv/inbox', hasTakenOver: true },
    'taken over: this process is sending now; drop files into /srv/inbox',
  ],
  [
    { kind: 'inbox-skipped', fileName: 'a\nb.csv' },
    'left in the inbox, and not paid: a?b.csv; the log says why',
  ],
  [
    { kind: 'stopping', graceMs: 45_000 },
    'stopping: what is in flight is finished and recorded, for at most 45 s; ' +
      'the rest waits for the next start. A second signal ends it at once',
  ],
  [
    { kind: 'batch-begun', batch: makeBatch({ fileName: 'a.csv', rows: 1 }), rowsDone: 0, rowsRejected: 0 },
    'batch 4K7Q2M9XWD of a.csv begun: 1 row, 0.00 baht',
  ],
  [
    {
      kind: 'batch-begun',
      batch: makeBatch({ fileName: 'a\nb.csv', rows: 20_000 }),
      rowsDone: 5_000,
      rowsRejected: 2,
    },
    'batch 4K7Q2M9XWD of a?b.csv begun: 20,000 rows, 0.00 baht; 5,000 rows have ended before',
  ],
  [
    { kind: 'batch-begun', batch: makeBatch({ fileName: 'a.csv', rows: 2 }), rowsDone: 1, rowsRejected: 0 },
    'batch 4K7Q2M9XWD of a.csv begun: 2 rows, 0.00 baht; 1 row has ended before',
  ],
  [
    { kind: 'batch-begun', batch: makeBatch({ fileName: 'a.csv', rows: 2 }), rowsDone: 1, rowsRejected: 1 },
    'batch 4K7Q2M9XWD of a.csv begun: 2 rows, 0.00 baht; 1 row is rejected',
  ],
  [
    { kind: 'in-work', figures, wait: undefined, filesWaiting: 0 },
    'paying a.csv: 1,200 of 20,000 rows, 1,199 paid, 1 in doubt',
  ],
  [
    {
      kind: 'in-work',
      figures,
      wait: { kind: 'pause', dueInMs: 9_000, givesUpInMs: undefined, why: 'sick' },
      filesWaiting: 1,
    },
    'paying a.csv: 1,200 of 20,000 rows, 1,199 paid, 1 in doubt, trying again in 9 s, sick; 1 file waiting',
  ],
  [{ kind: 'idle', last: undefined, rowsInDoubt: 0 }, 'waiting for files'],
  [
    { kind: 'idle', last: { fileName: 'a.csv', atMs: noonMs }, rowsInDoubt: 2 },
    'waiting for files; the last was a.csv at 2026-11-21 14:03:05; 2 rows in doubt, asked about until settled',
  ],
])('of an operator, %# is one line', (news, text) => {
  expect(show(news)).toBe(`2026-11-21 14:03:05  ${text}`);
});

test('a program reads one event a line', () => {
  const address = { host: '127.0.0.1', port: 8765 };
  expect([
    read(started),
    read({ kind: 'health-opened', address }),
    read({ kind: 'standing-by', owner }),
    read({ kind: 'standing-by', owner: undefined }),
    read({ kind: 'working', inbox: '/srv/inbox', hasTakenOver: true }),
    read({ kind: 'inbox-skipped', fileName: 'a.csv' }),
    read({ kind: 'stopping', graceMs: 45_000 }),
  ]).toEqual([
    { at, event: 'started', isSandbox: true, inbox: '/srv/in\nbox', outbox: '/srv/outbox' },
    { at, event: 'health-opened', url: 'http://127.0.0.1:8765/healthz' },
    { at, event: 'standing-by', sender: { pid: 12, command: 'watch', since: at } },
    { at, event: 'standing-by', sender: null },
    { at, event: 'working', hasTakenOver: true, inbox: '/srv/inbox' },
    { at, event: 'inbox-skipped', file: 'a.csv' },
    { at, event: 'stopping', graceMs: 45_000 },
  ]);
});

test('what is left in the inbox is told once, while it is there', () => {
  const told: string[] = [];
  const report = makeLeftReporter((news) => {
    if (news.kind === 'inbox-skipped') told.push(news.fileName);
  });
  for (const names of [['a', 'b'], ['a', 'b', 'c'], ['a'], ['a', 'b']]) report(names);
  expect(told).toEqual(['a', 'b', 'c', 'b']);
});

const fileOf = (kind: ReportedFile['kind'], number: number): ReportedFile => ({
  kind,
  number,
  path: `/outbox/${kind}.${number}`,
  temporaryPath: '',
  batchId: '',
  sha256: '',
  eventSeq: 1,
  atMs: 0,
  state: 'published',
});

/** A batch at rest, with the files of its first rest and one update. */
function rested(paid: number, failed: number, isAlarm = false, changes: Partial<Batch> = {}): WatchNews {
  const alarms = isAlarm ? [{ ...makeTotal('failed', 1), alarmRows: 1 }] : [];
  const totals = [makeTotal('paid', paid), makeTotal('failed', failed), ...alarms];
  const batch = makeBatch({ fileName: 'a\nb.csv', ...changes });
  const files = [fileOf('result', 0), fileOf('exceptions', 0), fileOf('result-update', 1)];
  const summary = summariseBatch(batch, totals, [], { exceptionsOk: false });
  const reports = { summary, files, filesWritten: 1, otherReferences: noOtherReferences };
  return { kind: 'batch-settled', reports };
}

test('a batch is named with its file and the report to open', () => {
  const batch = '2026-11-21 14:03:05  batch 4K7Q2M9XWD of a?b.csv done: ';
  expect(show(rested(2, 0))).toMatch(`${batch}2 paid (`);
  expect(show(rested(2, 0))).toMatch(/\) -> \/outbox\/result-update\.1$/);
  expect(show(rested(2, 3))).toMatch(/; 3 rows need review -> \/outbox\/exceptions\.0$/);
  expect(show(rested(2, 0, true))).toContain('; ALARM: 1 row contradicts what was called proved; ');
  expect(read(rested(2, 1, true))).toMatchObject({
    event: 'batch-settled',
    file: 'a\nb.csv',
    byStatus: { paid: { rows: 2, amount: '201.00' } },
    exceptions: 2,
    alarms: 1,
    files: ['/outbox/result.0', '/outbox/exceptions.0', '/outbox/result-update.1'],
  });
});

test('a halted batch says how it goes on', () => {
  const why = {
    reasonCode: 'EM053',
    reason: verbatim('Insufficient funds'),
    remedy: verbatim('Fund the account then resume'),
  };
  const halted = rested(2, 0, false, { status: 'halted', ...why });
  expect(show(halted)).toContain(
    '; Insufficient funds. Fund the account then resume: "paydrop resume 4K7Q2M9XWD" -> ',
  );
  expect(read(halted)).toMatchObject({
    status: 'halted',
    reasonCode: 'EM053',
    reason: 'Insufficient funds',
    remedy: 'Fund the account then resume',
  });
});

test('--help says where files are dropped', async () => {
  const help = await makeCommandLine([]).command(watchCommand).getHelp();
  expect(help).toMatch(/paydrop watch .*dropped into\s+inbox\//);
  let text = '';
  await makeCommandLine(['watch', '--help'])
    .command(watchCommand)
    .parseAsync('watch --help', {}, (_error, _options, output) => void (text = output));
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'inbox/ under dataDir, or where the setting folders.inbox says',
  );
});
