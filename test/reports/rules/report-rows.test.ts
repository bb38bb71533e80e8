import { inEnglish, verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { payoutStatuses } from '../../../src/core/payout.ts';
import {
  describeIssue,
  isException,
  payoutLines,
  uniteCarried,
} from '../../../src/reports/rules/report-rows.ts';
import { makeRejectedRow, makeRow } from '../../support/report-fixtures.ts';

/** A rendered row by its columns' names. */
const named = (columns: readonly string[], cells: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? 'MISSING']));

const resultOf = (row: ReturnType<typeof makeRow>) =>
  named(payoutLines.resultColumns, payoutLines.renderResult(row));
const exceptionOf = (row: ReturnType<typeof makeRow>) =>
  named(payoutLines.exceptionColumns, payoutLines.renderException('4K7Q2M9XWD', row));

describe('a row of the result file', () => {
  test('has the columns of the design, in its order', () => {
    expect(payoutLines.renderResultHeader([]).join(', ')).toBe(
      'rowNo, payoutId, proxyType, proxyNo, payeeName, amount, reference1, reference2, status, final, reasonCode, ' +
        'reason, transRefNo, sysRefNo, fee, bankPayeeName, bankPayeeNameTh, attempts, submittedAt, settledAt, settledBy',
    );
  });

  test('shows what was sent where the row is valid', () => {
    expect(payoutLines.renderResult(makeRow({ rowNo: 7, extras: ['x', 'y'] })).join('|')).toBe(
      '7|INV-0007|MSISDN|0812345678|Somchai J|100.50|R1||paid|true|IC000|Fund transfer executed successfully|' +
        'PDABCDEFGHJKMNPQRS01|SYS0000000001|0.00|SOMCHAI J|สมชาย จ|1|' +
        '2026-11-21T14:03:05+07:00|2026-11-21T14:03:06+07:00|reply|x|y',
    );
  });

  test('shows the cells as they were written, and every issue, where it is rejected', () => {
    expect(resultOf(makeRejectedRow(3))).toMatchObject({
      payoutId: '=cmd',
      proxyNo: '1.10E+12',
      payeeName: 'ก, "ข"',
      amount: '1.005',
      final: 'true',
      reasonCode: 'amount-decimals cells-missing',
      reason: 'line 4, amount: at most 2 decimals (found "1.005"); line 4: a cell is missing',
      transRefNo: '',
      submittedAt: '',
      attempts: '0',
    });
  });

  test('adds the reason that the store gave to the issues of the rules', () => {
    const row = makeRow({
      status: 'rejected',
      reasonCode: 'payout-claimed',
      reason: verbatim('paid in an earlier file'),
    });
    expect(resultOf(row)).toMatchObject({ reasonCode: 'payout-claimed', reason: 'paid in an earlier file' });
    const both = {
      ...makeRejectedRow(1),
      reasonCode: 'payout-claimed',
      reason: verbatim('paid in an earlier file'),
    };
    expect(resultOf(both)['reasonCode']).toBe('amount-decimals cells-missing payout-claimed');
    expect(resultOf(both)['reason']).toMatch(/cell is missing; paid in an earlier file$/);
  });

  test.each([
    [['name'], null, null, 'name', 'the bank holds another name (held: name)'],
    [
      ['limit', 'similar'],
      null,
      null,
      'limit similar',
      'its amount is above limits.bahtPerPayout of the settings; another payout is like it (held: limit, similar)',
    ],
    [['halted'], 'EM053', 'Insufficient funds', 'EM053', 'Insufficient funds (held: halted)'],
  ] as const)('held for %j with code %s says so', (holds, code, text, reasonCode, reason) => {
    const row = makeRow({
      status: 'held',
      holds,
      reasonCode: code,
      reason: text === null ? null : verbatim(text),
    });
    expect(resultOf(row)).toMatchObject({ status: 'held', final: 'false', reasonCode, reason });
  });

  test('says which statuses are final', () => {
    const final = payoutStatuses.filter((status) => resultOf(makeRow({ status }))['final'] === 'true');
    expect(final).toEqual(['rejected', 'cancelled', 'unpayable', 'paid', 'failed', 'disputed']);
  });

  test.each([
    [['a'], 3, ['a', '', '']],
    [['a', 'b', 'c'], 2, ['a', 'b']],
    [[], 0, []],
  ])('carried-through cells %j fill %i columns', (extras, count, cells) => {
    expect(
      payoutLines.renderResult(makeRow({ extras }), count).slice(payoutLines.resultColumns.length),
    ).toEqual(cells);
  });

  test('a carried-through column never has the name of another', () => {
    const extras = payoutLines
      .renderResultHeader(['note', 'Status', 'input.status', 'note'])
      .slice(payoutLines.resultColumns.length);
    expect(extras).toEqual(['note', 'input.Status', 'input.input.status', 'input.note']);
  });
});

describe('a row of the exceptions file', () => {
  test('has the columns of the design, in its order', () => {
    expect(payoutLines.exceptionColumns.join(', ')).toBe(
      'batchId, rowNo, version, payoutId, proxyType, proxyNo, payeeName, amount, status, moneyMoved, reasonCode, ' +
        'reason, remedy, transRefNo, decision, newProxyNo, newAmount, note, reference1, reference2, bankPayeeName, ' +
        'bankPayeeNameTh',
    );
  });

  test('leaves four cells to the person', () => {
    const cells = payoutLines.renderException('4K7Q2M9XWD', makeRow({ status: 'failed' }));
    expect(cells).toHaveLength(payoutLines.exceptionColumns.length);
    const empty = payoutLines.exceptionColumns.filter((_, place) => cells[place] === '');
    expect(empty).toEqual(['decision', 'newProxyNo', 'newAmount', 'note', 'reference2']);
  });

  test('has references, both names and what was carried through, for whoever sees nothing but it', () => {
    const row = makeRow({ status: 'failed', extras: ['B1', 'pay on Friday'] });
    expect(exceptionOf(row)).toMatchObject({
      payeeName: 'Somchai J',
      reference1: 'R1',
      reference2: '',
      bankPayeeName: 'SOMCHAI J',
      bankPayeeNameTh: 'สมชาย จ',
    });
    const carried = payoutLines.exceptionColumns.length;
    expect(payoutLines.renderExceptionHeader(['branch', 'Note']).slice(carried)).toEqual([
      'branch',
      'input.Note',
    ]);
    expect(payoutLines.renderException('4K7Q2M9XWD', row, 3).slice(carried)).toEqual([
      'B1',
      'pay on Friday',
      '',
    ]);
    expect(exceptionOf(makeRejectedRow(2))).toMatchObject({ reference1: '', bankPayeeNameTh: '' });
  });

  test('names batch, row and version, and says what is known about the money', () => {
    const row = makeRow({ rowNo: 9, status: 'unresolved', reasonCode: 'ET001', reason: verbatim('Timeout') });
    expect(exceptionOf(row)).toMatchObject({
      batchId: '4K7Q2M9XWD',
      rowNo: '9',
      version: '4',
      amount: '100.50',
      moneyMoved: 'unknown',
      reasonCode: 'ET001',
      transRefNo: 'PDABCDEFGHJKMNPQRS01',
    });
    expect(exceptionOf(row)['remedy']).toMatch(/^Do not pay it again by hand/);
    expect(exceptionOf(makeRejectedRow(2))).toMatchObject({
      moneyMoved: 'no',
      amount: '1.005',
      version: '1',
    });
  });

  test('is for what a person must look at', () => {
    const looked = payoutStatuses.filter((status) =>
      isException({ status, isAlarm: false, isAcknowledged: false }),
    );
    expect(looked).toEqual([
      'rejected',
      'held',
      'unpayable',
      'submitted',
      'failed',
      'unresolved',
      'disputed',
    ]);
  });
});

test.each([
  [
    { line: 7, column: 'amount', code: 'c', value: '', message: verbatim('is empty') },
    'line 7, amount: is empty',
  ],
  [
    { line: 7, column: null, code: 'c', value: null, message: verbatim('too many cells') },
    'line 7: too many cells',
  ],
  [
    { line: 7, column: 'proxyNo', code: 'c', value: '**78', message: verbatim('no') },
    'line 7, proxyNo: no (found "**78")',
  ],
])('an issue names its place: %j', (issue, text) => {
  expect(inEnglish(describeIssue(issue))).toBe(text);
});

describe('carried columns of several batches', () => {
  const unite = (...batches: readonly (readonly string[])[]) =>
    uniteCarried(batches.map((extraColumns, at) => ({ batchId: `B${at}`, extraColumns })));

  test('stand once where they are called the same, in whatever case', () => {
    const { columns, arrange } = unite(['branch', 'memo'], ['Memo', 'due'], []);
    expect(columns).toEqual(['branch', 'memo', 'due']);
    expect([arrange('B0', ['BKK', 'a']), arrange('B1', ['b', 'now']), arrange('B2', [])]).toEqual([
      ['BKK', 'a', ''],
      ['', 'b', 'now'],
      ['', '', ''],
    ]);
  });

  test('keep what stands twice in one file, and fill up what is cut short', () => {
    const { columns, arrange } = unite(['', ''], ['', 'x']);
    expect(columns).toEqual(['', '', 'x']);
    expect([arrange('B0', ['1', '2']), arrange('B1', ['3'])]).toEqual([
      ['1', '2', ''],
      ['3', '', ''],
    ]);
  });
});
