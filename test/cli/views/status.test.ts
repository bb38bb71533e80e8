import { inEnglish, message, verbatim } from '../../../src/core/message.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { statusCommand } from '../../../src/cli/status.ts';
import { showBatch, showPayout } from '../../../src/cli/views/status.ts';
import type { StatusTotal } from '../../../src/core/ports.ts';
import type { BatchStatus } from '../../../src/core/payout.ts';
import type { PayoutEvent } from '../../../src/payout/ports.ts';
import { makeSubmitted } from '../../support/core-fixtures.ts';
import { makeBatch, makeBatchOf, makeRow, makeTotal, noonMs } from '../../support/report-fixtures.ts';

const fileName = 'two\nlines\u001B[31m\u2028.csv';

/** What an auditor asks for first. */
const settled =
  "settled 2026-11-21 14:03:06 by the bank's reply to the transfer; " +
  "the bank's reference (sysRefNo) is SYS0000000001; fee 0.00";

test('a name keeps to its line and steers no terminal', () => {
  const batch = makeBatch({ fileName });
  expect(showBatch({ batch, totals: [], holds: [] }).text).toMatch(/ {2}two\?lines\?\[31m\?\.csv$/m);
  const [first = ''] = showBatch({ batch, totals: [], holds: [] }).text.split('\n');
  expect(first).toContain('.csv');
});

test('nor does what a file or the bank says of a payout', () => {
  const row = makeRow({ cells: { ...makeRow().cells, payoutId: 'A\tB' }, reason: verbatim('no\rmoney') });
  const text = showPayout({ row, batch: makeBatch({ fileName }), attempts: [], events: [] }).text;
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^A\?B {2}/),
    expect.stringContaining('of two?lines?[31m?.csv, batch '),
    '  name in the file  Somchai J',
    '  name at the bank  SOMCHAI J, สมชาย จ',
    '  references        R1',
    '  paid (IC000: no?money)',
    `  ${settled}`,
    '  remedy: Nothing to do',
  ]);
});

test('a rehearsal says so', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'paydrop-status-'));
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const config = join(import.meta.dirname, '../../../config/sandbox.yaml');
  const options = {
    config,
    dataDir,
    json: false,
    logLevel: 'silent',
    batch: undefined,
    statements: false,
  } as const;
  try {
    await statusCommand.handler({ ...options, _: [], $0: 'paydrop' });
    expect(write.mock.calls.map(([text]) => text).join('')).toBe(
      '*** SANDBOX: a rehearsal, no real money moves ***\n\n' +
        `No batches yet: there is no journal in ${dataDir}.\n`,
    );
  } finally {
    write.mockRestore();
    await rm(dataDir, { recursive: true });
  }
});

test('a stop is told in words, of a batch and of a payout', () => {
  const stop = {
    code: 'disk',
    text: message('health.disk'),
    remedy: message('health.goes-on-when-over'),
    command: 'df -h /data',
  } as const;
  const said = { ...stop, text: 'the disk refuses writes', remedy: inEnglish(stop.remedy) };
  const row = makeRow({ status: 'ready' });
  const batch = makeBatchOf([row]);
  const ofBatch = showBatch({ batch, totals: [makeTotal('ready')], holds: [], stops: [stop] });
  expect(ofBatch.json).toMatchObject({ stops: [said] });
  const ofRow = showPayout({ row, batch, attempts: [], events: [], stops: [stop] });
  expect(ofRow.json).toMatchObject({ stops: [said], next: [{ why: `first: ${said.text}` }, {}] });
  expect(ofRow.text).toContain(`NOT SENDING: ${said.text}`);
});

describe('an alarm', () => {
  const row = makeRow({
    isAlarm: true,
    reasonCode: 'paid-twice',
    reason: verbatim('two transfers were made'),
  });
  const batch = makeBatchOf([row]);
  const history = { row, batch, attempts: [], events: [] };

  test('is told with its batch', () => {
    const shown = showBatch({ batch, totals: [{ ...makeTotal('paid'), alarmRows: 1 }], holds: [] });
    expect(shown.text).toContain('ALARM: 1 row contradicts');
    expect(shown.json).toMatchObject({ alarms: 1 });
    expect(showBatch({ batch, totals: [makeTotal('paid')], holds: [] }).text).not.toContain('ALARM');
  });

  test('is told with its payout, whose remedy is that of the alarm', () => {
    const shown = showPayout(history);
    expect(shown.text).toMatch(/ALARM: .*\n {2}remedy: Two transfers were made/);
    expect(shown.json).toMatchObject({
      isAlarm: true,
      remedy: expect.stringContaining('return one') as string,
    });
    expect(showPayout({ ...history, row: makeRow() }).text).not.toContain('ALARM');
  });
});

test.each([
  [1, '1 row is ready to be sent: by a watcher, or when its file is run again'],
  [2, '2 rows are ready to be sent: by a watcher, or when its file is run again'],
])('a batch that is done, and %i of its rows is to be sent after all, says so', (rows, line) => {
  const totals = [makeTotal('paid', 2), makeTotal('ready', rows)];
  expect(showBatch({ batch: makeBatch(), totals, holds: [] }).text).toContain(line);
  expect(showBatch({ batch: makeBatch(), totals: [makeTotal('paid')], holds: [] }).text).not.toContain(
    'ready',
  );
});

test('a batch that a person has cancelled is not to be resumed', () => {
  const batch = makeBatch({
    status: 'halted',
    reasonCode: 'cancelled',
    reason: verbatim('cancelled by a person'),
  });
  expect(showBatch({ batch, totals: [makeTotal('submitted')], holds: [] }).text).not.toContain('resume');
});

test('a batch, for an operator and for a program', () => {
  const why = {
    reasonCode: 'EM053',
    reason: verbatim('Insufficient funds'),
    remedy: verbatim('Fund the account'),
  };
  const { text, json } = showBatch({
    batch: makeBatch({ status: 'halted', ...why, fileName: 'a.csv' }),
    totals: [makeTotal('paid', 2), makeTotal('held', 1)],
    holds: [{ hold: 'halted', rows: 1 }],
  });
  expect(text).toBe(`4K7Q2M9XWD  2026-11-21 14:03:05  halted     a.csv
            0 rows, 0.00 baht: 1 held (100.50), 2 paid (201.00)
            held: 1 halted
            EM053: Insufficient funds
            remedy: Fund the account
            to go on: paydrop resume 4K7Q2M9XWD`);
  expect(JSON.stringify(json)).toBe(
    '{"kind":"payouts","batchId":"4K7Q2M9XWD","file":"a.csv","status":"halted","state":"halted","reasonCode":"EM053","reason":"Insufficient funds",' +
      '"remedy":"Fund the account","rows":0,"amount":"0.00","unreadableAmounts":0,"startedAt":"2026-11-21T14:03:05+07:00",' +
      '"restedAt":"2026-11-21T14:03:08+07:00","byStatus":{"held":{"rows":1,"amount":"100.50"},' +
      '"paid":{"rows":2,"amount":"201.00"}},"holds":{"halted":1},"holdRemedies":{},"alarms":0,"fileGrown":null,"proposal":null,"approval":null,"stops":[],' +
      '"next":[{"command":"paydrop resume 4K7Q2M9XWD","why":"to go on"}]}',
  );
});

test.each<[BatchStatus, string, readonly StatusTotal[], boolean, RegExp | null]>([
  ['done', 'done', [makeTotal('paid')], false, null],
  [
    'done',
    'done',
    [makeTotal('rejected', 2), makeTotal('failed')],
    false,
    /3 rows need review: paydrop list --batch 4K7Q2M9XWD --status rejected failed$/,
  ],
  [
    'done',
    'done',
    [makeTotal('unresolved')],
    false,
    /asks the bank what became of 1 row in doubt: paydrop settle 4K7Q2M9XWD$/,
  ],
  [
    'done',
    'done',
    [{ ...makeTotal('paid', 3), alarmRows: 2 }],
    false,
    /2 rows bear an alarm: paydrop list --batch 4K7Q2M9XWD --alarms$/,
  ],
  [
    'running',
    'in doubt',
    [makeTotal('paid'), makeTotal('submitted', 2)],
    false,
    /asks the bank what became of 2 rows in doubt: paydrop settle 4K7Q2M9XWD$/,
  ],
  ['running', 'in doubt', [makeTotal('submitted')], true, /paydrop settle 4K7Q2M9XWD$/],
  ['running', 'running', [makeTotal('ready'), makeTotal('submitted')], true, /paydrop settle/],
  [
    'running',
    'stopped',
    [makeTotal('ready')],
    false,
    /goes on when its file is run again, or with a watcher$/,
  ],
])('a batch that is %s is called %s', (status, state, totals, isSending, end) => {
  const { text } = showBatch({ batch: makeBatch({ status }), totals, holds: [] }, isSending);
  expect(text).toContain(`14:03:05  ${state.padEnd(9)}  `);
  expect(text).toMatch(end ?? /\)$/);
});

describe('what to type next', () => {
  const commandsOf = (changes: Parameters<typeof makeRow>[0]): string => {
    const { attempt } = makeSubmitted(noonMs);
    const row = makeRow({ reasonCode: null, reason: null, ...changes });
    const batch = makeBatch({ fileName: 'my file.csv' });
    const { text } = showPayout({ row, batch, attempts: [attempt], events: [] });
    return text.split('What to type next\n')[1] ?? '';
  };
  const odd = { ...makeRow().cells, payoutId: `-A "b"'c` };

  test.each([
    ['held', { holds: ['name'] }, ['paydrop resume INV-0001', 'paydrop cancel INV-0001']],
    ['held', { holds: ['halted'] }, ['paydrop resume 4K7Q2M9XWD', 'paydrop cancel INV-0001']],
    ['held', { holds: ['similar'], reasonCode: 'in-like-file' }, ['paydrop resume 4K7Q2M9XWD']],
    ['held', { holds: ['name', 'halted'] }, ['paydrop resume INV-0001']],
    ['held', { holds: ['new-payee', 'day-limit'] }, ['paydrop resume INV-0001', 'paydrop cancel INV-0001']],
    [
      'held',
      { holds: ['day-limit', 'service-day'] },
      ['paydrop resume 4K7Q2M9XWD', 'paydrop resume INV-0001', 'paydrop cancel INV-0001'],
    ],
    ['failed', {}, ['paydrop retry INV-0001']],
    ['failed', { isAlarm: true }, ['paydrop ack --note WHY INV-0001']],
    ['paid', { isAlarm: true }, ['paydrop ack --note WHY INV-0001']],
    [
      'unresolved',
      { reasonCode: 'found-after-loss' },
      [
        'paydrop reconcile --date 2026-11-21',
        'paydrop confirm --paid --evidence WHERE --note WHY INV-0001',
        'paydrop confirm --failed --evidence WHERE --note WHY INV-0001',
      ],
    ],
    ['disputed', {}, ['paydrop confirm --paid --evidence WHERE --note WHY INV-0001']],
    ['unpayable', { cells: odd }, [String.raw`paydrop retry -- '-A "b"'\''c'`]],
    [
      'unresolved',
      {},
      [
        'paydrop settle 4K7Q2M9XWD',
        'paydrop reconcile --date 2026-11-21',
        'paydrop confirm --paid --evidence WHERE --note WHY INV-0001',
      ],
    ],
    ['ready', {}, ["paydrop run 'my file.csv'"]],
    ['paid', {}, []],
    ['rejected', {}, []],
  ] as const)('for what is %s %j', (status, changes, commands) => {
    const lines = commandsOf({ status, ...changes }).split('\n');
    for (const [place, command] of commands.entries()) expect(lines[place]).toContain(`  ${command}  `);
    if (commands.length === 0) expect(lines).toEqual(['']);
  });
});

test('what nothing has settled yet says nothing of it, and a bank that gave no reference gives none', () => {
  const show = (changes: Parameters<typeof makeRow>[0]): string =>
    showPayout({ row: makeRow(changes), batch: makeBatch({}), attempts: [], events: [] }).text;
  const unknown = { sysRefNo: null, feeText: null };
  expect(show({ ...unknown, settledAtMs: null, settledBy: null })).not.toMatch(/settled|sysRefNo|fee/);
  expect(show({ ...unknown, settledBy: 'statement' })).toContain("14:03:06 by the bank's statement\n");
});

test('a payout with its history, for an operator and for a program', () => {
  const { attempt } = makeSubmitted(noonMs, { lastFinding: 'not-found' });
  const { text, json } = showPayout({
    row: makeRow({ holds: ['name'], reason: verbatim('why'), extras: ['BKK'] }),
    batch: makeBatch({ fileName: 'a.csv', extraColumns: ['branch'] }),
    attempts: [attempt],
    events: [makeEvent({ cause: 'proved', detail: { a: 1, b: 'c' } })],
  });
  expect(text).toBe(`INV-0001  100.50 baht to ******5678
  row 1 (line 2) of a.csv, batch 4K7Q2M9XWD
  name in the file  Somchai J
  name at the bank  SOMCHAI J, สมชาย จ
  references        R1
  branch            BKK
  paid [name] (IC000: why)
  ${settled}
  remedy: Nothing to do
  attempt 1: PDMJZVRAZ6BY6NEPV501 recorded, tranDate 20261121, sent 1x, inquired 0x, last one: not-found
  2026-11-21 14:03:05  ready -> submitted  proved  a=1 b=c`);
  expect(JSON.stringify(json)).toBe(
    '{"kind":"payout","payoutId":"INV-0001","batchId":"4K7Q2M9XWD","file":"a.csv","rowNo":1,"line":2,"proxyNo":"******5678",' +
      '"amount":"100.50","status":"paid","holds":["name"],"reasonCode":"IC000","reason":"why","isAlarm":false,' +
      '"remedy":"Nothing to do","sysRefNo":"SYS0000000001","fee":"0.00","attempts":[{"attemptNo":1,"transRefNo":"PDMJZVRAZ6BY6NEPV501","status":"recorded",' +
      '"tranDate":"20261121","amount":"100.00","intentAt":"2026-11-21T14:03:05+07:00","sends":1,"inquiries":0,' +
      '"lastFinding":"not-found","nextInquiryAt":"2026-11-21T14:03:07+07:00","sysRefNo":null,"fee":null}],' +
      '"events":[{"at":"2026-11-21T14:03:05+07:00","cause":"proved","from":"ready","to":"submitted","attemptNo":1,' +
      '"detail":{"a":1,"b":"c"}}],"payeeName":"Somchai J","bankPayeeName":"SOMCHAI J","bankPayeeNameTh":"สมชาย จ",' +
      '"reference1":"R1","reference2":null,"carried":{"branch":"BKK"},"proposal":null,"stops":[],"next":[],' +
      '"settledAt":"2026-11-21T14:03:06+07:00","settledBy":"reply"}',
  );
});

const makeEvent = (changes: Partial<PayoutEvent>): PayoutEvent => ({
  seq: 1,
  payoutSeq: 1,
  atMs: noonMs,
  from: 'ready',
  to: 'submitted',
  attemptNo: 1,
  cause: 'proved',
  detail: {},
  ...changes,
});

test('a batch that a proposal is about names the proposal, and no command that would clash with it', () => {
  const batch = makeBatch({ status: 'halted' });
  const standing = { batch, totals: [makeTotal('held')], holds: [], proposalId: 7 };
  const { text, json } = showBatch(standing);
  expect(text).toContain('proposal 7 about it waits for another person: paydrop proposals 7');
  expect(text).not.toContain('paydrop resume');
  expect(json).toMatchObject({ proposal: 7 });
});

test('a command that the remedy names is named once', () => {
  const reasonCode = 'approval';
  const remedy = 'Look at it, then approve it ("paydrop approve --batch 4K7Q2M9XWD")';
  const batch = makeBatch({
    batchId: '4K7Q2M9XWD',
    status: 'paused',
    reasonCode,
    reason: verbatim('it waits'),
    remedy: verbatim(remedy),
  });
  const textOf = (one: typeof batch): string =>
    showBatch({ batch: one, totals: [makeTotal('held')], holds: [] }).text;
  expect(textOf(batch).split('paydrop approve')).toHaveLength(2);
  expect(textOf({ ...batch, remedy: verbatim('Ask') })).toContain(
    'to approve it: paydrop approve --batch 4K7Q2M9XWD',
  );
});
