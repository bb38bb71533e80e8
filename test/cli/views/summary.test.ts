import { verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../../src/app/session.ts';
import { showForReview } from '../../../src/cli/views/amounts.ts';
import { showOutcome, showPresent } from '../../../src/cli/views/summary.ts';
import { toSatang } from '../../../src/core/money.ts';
import type { Batch, HoldTotal, OtherReferences, StatusTotal } from '../../../src/core/ports.ts';
import type { LowestLimit } from '../../../src/payout/rules/adaptive-limit.ts';
import { type BatchSummary, summariseBatch } from '../../../src/reports/rules/summary.ts';
import type { ReportedFile } from '../../../src/reports/batch-reports.ts';
import type { PresentReports } from '../../../src/reports/write-reports.ts';
import { makeBatch, makeTotal, noonMs, noOtherReferences } from '../../support/report-fixtures.ts';

/** What bears on the text besides the batch. */
interface Scene {
  readonly isSandbox: boolean;
  readonly bankAddress: string;
  readonly isRepeat: boolean;
  readonly pace: LowestLimit | undefined;
  readonly otherReferences: OtherReferences;
}

const plain: Scene = {
  isSandbox: false,
  bankAddress: 'https://bank.example/base',
  isRepeat: false,
  pace: undefined,
  otherReferences: noOtherReferences,
};

function textOf(summary: BatchSummary, files: readonly ReportedFile[], scene: Scene): string {
  const { isSandbox, bankAddress, isRepeat, pace, otherReferences } = scene;
  const clock = { now: () => noonMs };
  const opened = { loaded: { isSandbox }, bankAddress, clock, loss: undefined };
  const reports = { summary, otherReferences, files, filesWritten: 0 };
  const outcome = { kind: 'rested', reports, isRepeat, pace } as const;
  return showOutcome('payouts', opened as unknown as Session, 'payouts.csv', outcome).text;
}

function show(
  totals: readonly StatusTotal[],
  changes: Partial<Batch> = {},
  holds: readonly HoldTotal[] = [],
  context: Partial<Scene> = {},
  exceptionsOk = false,
): string {
  let [rows, satang] = [0, 0n];
  for (const total of totals) [rows, satang] = [rows + total.rows, satang + total.amountSatang];
  const batch = makeBatch({ fileName: 'payouts.csv', rows, totalSatang: toSatang(satang), ...changes });
  return textOf(summariseBatch(batch, totals, holds, { exceptionsOk }), [], { ...plain, ...context });
}

test('reads well', () => {
  const totals = [
    makeTotal('paid', 12_018, 123_456_789_00n),
    makeTotal('failed', 2, 100_000n),
    { ...makeTotal('rejected', 3, 0n), unreadableAmounts: 2 },
  ];
  const batch = makeBatch({
    fileName: 'payouts.csv',
    rows: 12_023,
    totalSatang: toSatang(123_457_789_00n),
    unreadableAmounts: 2,
  });
  const fileOf = (kind: ReportedFile['kind'], state: ReportedFile['state']): ReportedFile => ({
    batchId: batch.batchId,
    kind,
    number: 0,
    path: `/data/outbox/payouts.${batch.batchId}.${kind}.csv`,
    temporaryPath: '',
    sha256: '',
    eventSeq: 0,
    atMs: 0,
    state,
  });
  const files = [fileOf('result', 'published'), fileOf('exceptions', 'gone')];
  const context = { ...plain, isSandbox: true, bankAddress: 'http://127.0.0.1:4123', isRepeat: true };
  expect(textOf(summariseBatch(batch, totals, [], { exceptionsOk: false }), files, context)).toBe(
    `*** SANDBOX: a rehearsal, no real money moves ***

File       payouts.csv
Batch      4K7Q2M9XWD
Processed  2026-11-21 14:03:08, after 3.2 s
           by an earlier run; no payee is paid again
Bank       SANDBOX http://127.0.0.1:4123
State      done

Status      Rows            Baht
--------------------------------
rejected       3            0.00
paid      12,018  123,456,789.00
failed         2        1,000.00
--------------------------------
total     12,023  123,457,789.00  adds up to the file
Rows whose amount cannot be read, and is in no total: 2

Files
  result      /data/outbox/payouts.4K7Q2M9XWD.result.csv
  exceptions  /data/outbox/payouts.4K7Q2M9XWD.exceptions.csv  (taken away since)

Next: 5 rows need review. The exceptions file says what to do about each.`,
  );
});

test('tells that the exceptions file is of before an update', () => {
  const batch = makeBatch({ fileName: 'payouts.csv', rows: 3, totalSatang: toSatang(300n) });
  const summary = summariseBatch(batch, [makeTotal('held', 3, 300n)], [], { exceptionsOk: false });
  const text = textOf(summary, [{ kind: 'result-update', number: 1, path: '/u.csv' } as ReportedFile], plain);
  expect(text).toMatch(
    /3 rows need review\..*\n.*of before the update.*\n {6}"paydrop exceptions --batch 4K7Q2M9XWD --out/,
  );
  expect(textOf(summary, [], plain)).not.toContain('before the update');
});

describe('what to do next', () => {
  test.each<[string, string, RegExp]>([
    ['all paid', show([makeTotal('paid')]), /Next: Nothing to do\.$/],
    [
      'accepted exceptions',
      show([makeTotal('failed', 3)], {}, [], {}, true),
      /Next: 3 rows need review \(see/,
    ],
    ['exceptions', show([makeTotal('failed', 3)]), /Next: 3 rows need review\. The exceptions file/],
    [
      'in doubt',
      show([makeTotal('submitted', 2)]),
      /in doubt: 2\. Do not pay them again by hand\.\n {6}"paydrop settle 4K7Q2M9XWD"/,
    ],
    [
      'in doubt, with other exceptions',
      show([makeTotal('submitted', 2), makeTotal('failed', 3), makeTotal('cancelled', 1)]),
      /asks the bank what became of 2 rows in doubt\.\n {6}3 rows need review besides: see the exceptions file\.$/,
    ],
    [
      'in doubt, with an alarm among them',
      show([{ ...makeTotal('unresolved', 2), alarmRows: 1 }]),
      /Next: ALARM: 1 row contradicts what was called proved before\.\n {6}Transfers in doubt: 2\..*\n.*\.$/,
    ],
    [
      'stopped, with an alarm',
      show([makeTotal('ready'), { ...makeTotal('paid', 2), alarmRows: 2 }], { status: 'running' }),
      /Next: ALARM: 2 rows contradict what was called proved before\.\n {6}It stopped before/,
    ],
    [
      'one row cancelled by a person, the others paid',
      show([makeTotal('paid', 3), makeTotal('cancelled', 1)]),
      /Next: Nothing to do: what is not paid was cancelled or noted by a person\.$/,
    ],
    [
      'in doubt, when nothing runs any more',
      show([makeTotal('paid'), makeTotal('submitted', 2)], { status: 'running' }),
      /State {6}in doubt\n/,
    ],
    ['stopped', show([makeTotal('ready')], { status: 'running' }), /State {6}stopped\n/],
    [
      'rejected',
      show([], { status: 'rejected', reason: verbatim('the file is empty') }),
      /State {6}rejected: the file is empty\n\nNext: The whole file was rejected and nothing of it was sent/,
    ],
    [
      'halted',
      show([makeTotal('held')], { status: 'halted', remedy: verbatim('Fund the payer account') }),
      /Next: It was halted\.\n {6}Fund the payer account\.\n {6}Then let it go on with "paydrop resume 4K7Q2M9XWD"\.$/,
    ],
    [
      'held by a halt',
      show([makeTotal('held')], {}, [{ hold: 'halted', rows: 1 }]),
      /Let them go on with "paydrop resume/,
    ],
    [
      'held with its whole file',
      show([makeTotal('held', 2)], {}, [{ hold: 'similar', rows: 2, isOfFile: true }]),
      /State {6}held\n.*Next: 2 rows held \(similar\)\. Compare its file with the one.*\n {6}"paydrop resume 4K7Q2M9XWD" lets the 2 rows held as similar go on\.\n {6}"paydrop cancel 4K7Q2M9XWD" stops/s,
    ],
    [
      'held for approval',
      show([makeTotal('held', 2), makeTotal('failed')], {}, [{ hold: 'approval', rows: 2 }]),
      /State {6}held\n.*Next: 2 rows held \(approval\)\..*"paydrop approve --batch 4K7Q2M9XWD" approves.*\n {6}1 row needs review besides\.$/s,
    ],
    [
      'in doubt until a statement tells',
      show([
        { ...makeTotal('unresolved', 2), byStatement: { rows: 2, firstSentAtMs: Date.UTC(2026, 10, 19, 5) } },
      ]),
      /by hand\.\n {6}"paydrop reconcile --date 2026-11-19" settles 2 rows by the statement: the bank cannot be asked about them\.$/,
    ],
    [
      'interrupted',
      show([makeTotal('ready')], { status: 'running' }),
      /Run the same file again: it goes on where it was\.$/,
    ],
  ])('%s', (_name, text, pattern) => {
    expect(text).toMatch(pattern);
  });
});

describe('the table', () => {
  test('shouts when it does not add up', () => {
    const text = show([makeTotal('paid', 2, 100n)], { rows: 3, totalSatang: toSatang(1_234_567n) });
    expect(text).toContain('total      2  1.00\nDOES NOT ADD UP: the file has 3 rows, 12,345.67 baht');
  });

  test('says nothing of a sandbox when it is none, and shows no password of the address', () => {
    const text = show([makeTotal('paid')], {}, [], { bankAddress: 'https://me:pw@bank.example/base' });
    expect(text).not.toMatch(/sandbox/i);
    expect(text).toContain('Bank       https://bank.example/base\n');
  });

  test.each([
    ['done', 'unresolved'],
    ['done', 'failed'],
    ['halted', 'held'],
    ['running', 'ready'],
    ['paused', 'submitted'],
  ] as const)('stays within 80 columns with the largest figures: %s, %s', (batchStatus, status) => {
    const totals = [makeTotal(status, 1_000_000, 10n ** 17n), makeTotal('paid', 999_999, 10n ** 21n)];
    const text = show(totals, { status: batchStatus }, [{ hold: 'halted', rows: 1 }], {
      isRepeat: true,
      isSandbox: true,
    });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('is not steered by a file name or by what the bank says', () => {
    const text = show([makeTotal('paid')], {
      fileName: 'a\u001B[2Jb\n\u202E.csv',
      reason: verbatim('x\r\ny'),
    });
    expect(text).toContain('File       a?[2Jb??.csv\n');
    expect(text).toContain('State      done: x??y\n');
  });

  test.each([
    [0, '0.0 s'],
    [3_200, '3.2 s'],
    [59_900, '59.9 s'],
    [61_000, '1 min 1 s'],
    [3_599_999, '59 min 59 s'],
    [3_600_000, '1 h'],
    [93_600_000, '26 h'],
  ])('%i ms are %j', (ms, shown) => {
    expect(show([makeTotal('paid')], { restedAtMs: noonMs + ms })).toContain(`, after ${shown}\n`);
  });

  test('of a batch that has not come to rest says when it began', () => {
    expect(show([makeTotal('ready')], { restedAtMs: null })).toContain(
      'Processed  began 2026-11-21 14:03:05\n',
    );
  });
});

test('tells of a pace that fell below the settings', () => {
  const pace = { limit: 2, ceiling: 16, why: 'HTTP 429' };
  expect(show([makeTotal('paid', 1, 1n)], {}, [], { pace })).toContain(
    '\nConcurrency  reduced to 2 of 16 transfers at once (HTTP 429)\n',
  );
  expect(show([makeTotal('paid', 1, 1n)])).not.toContain('Pace');
});

test.each([
  [1, [3], 'Row 3 pays a payee', 'it is a payment of its own'],
  [2, [3, 6], 'Rows 3, 6 pay a payee', 'they are payments of their own'],
  [
    1_000_000,
    [999_996, 999_997, 999_998, 999_999, 1_000_000],
    'Rows 999996, 999997, 999998, 999999, 1000000 and 999,995 more pay a payee',
    'they are payments of their own',
  ],
])('tells of %i rows like others that have another reference1', (rows, firstRowNos, told, advice) => {
  const text = show([makeTotal('paid')], {}, [], { otherReferences: { rows, firstRowNos } });
  expect(text).toContain(`${told}\nthe amount that another row paid, with another reference1`);
  expect(text).toContain(`Make sure that ${advice}.\n`);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(show([makeTotal('paid')])).not.toContain('reference1');
});

const session = { loaded: { isSandbox: false } } as Partial<Session> as Session;

describe('a file that was not settled', () => {
  const rejection = { code: 'empty', line: null, column: null, message: verbatim('the file is empty') };

  test('because it is rejected as a whole', () => {
    expect(showOutcome('payouts', session, 'a.csv', { kind: 'rejected', rejection })).toEqual({
      exitCode: 5,
      text: 'a.csv: the file is empty\nThe whole file was rejected (empty) and nothing of it was sent.',
      json: { file: 'a.csv', status: 'rejected', exitCode: 5, ...rejection, message: 'the file is empty' },
    });
    const { text } = showOutcome('payouts', session, 'a.csv', {
      kind: 'rejected',
      rejection: { ...rejection, line: 3 },
    });
    expect(text).toMatch(/^a\.csv:3: the file is empty\n/);
  });

  test('because it was interrupted', () => {
    expect(showOutcome('payouts', session, 'a.csv', { kind: 'interrupted', batch: undefined })).toEqual({
      exitCode: 6,
      text: 'a.csv: interrupted; everything that was sent is recorded. Run it again: it goes on where it was.',
      json: { file: 'a.csv', status: 'interrupted', exitCode: 6, batchId: null },
    });
  });
});

test('a row that a person has let go on since is told of, and no row is called none', () => {
  const text = show([makeTotal('paid', 2), makeTotal('ready')]);
  expect(text).toContain('State      done, 1 row is ready to be sent\n');
  expect(text).toMatch(
    /Next: 1 row is ready to be sent\.\n {6}Run the same file again, or leave it to a watcher\.$/,
  );
  for (const status of ['paid', 'cancelled', 'submitted', 'ready'] as const)
    expect(show([makeTotal(status)])).not.toMatch(/\b0 rows|: 0\b/);
  expect(showForReview(0)).toBe('no row needs review');
});

test('what is written of a batch that is being paid says so, and not that it has stopped', () => {
  const totals = [makeTotal('paid', 2, 200n), makeTotal('submitted', 1, 100n)];
  const batch = makeBatch({ status: 'running', rows: 3, totalSatang: toSatang(300n) });
  const nextOf = (isSending: boolean, shown = totals): string | undefined => {
    const summary = summariseBatch(batch, shown, [], { exceptionsOk: false });
    const context = { ...plain, nowMs: noonMs } as unknown as PresentReports['context'];
    return showPresent({ kind: 'payouts', reports: { summary, context, files: [] }, isSending })
      .text.split('\n')
      .find((line) => line.startsWith('Next: '));
  };
  expect(nextOf(true)).toBe('Next: Nothing to do: it is being paid.');
  expect(nextOf(false)).not.toContain('being paid');
  expect(nextOf(true, [{ ...makeTotal('paid', 3, 300n), alarmRows: 1 }])).toContain('ALARM');
});
