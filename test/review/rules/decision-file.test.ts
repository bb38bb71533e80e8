import { inEnglishIfAny, verbatim } from '../../../src/core/message.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { registrationLines } from '../../../src/registration/rules/report-rows.ts';
import { payoutLines } from '../../../src/reports/rules/report-rows.ts';
import { headingOf } from '../../../src/reports/rules/column-words.ts';
import { type FiledRecord, readDecisions } from '../../../src/review/rules/decision-file.ts';
import { decisionWords, readDecision } from '../../../src/review/rules/decision-words.ts';

const plain: Readonly<Record<string, string>> = {
  batchId: '4K7Q2M9XWD',
  rowNo: '2',
  version: '3',
  payoutId: 'PAY-2',
  decision: 'retry',
  note: 'the account is open again',
};

/** A file of these rows, each given as what differs. */
function file(...rows: readonly Readonly<Record<string, string>>[]): FiledRecord[] {
  return [
    { line: 1, cells: payoutLines.exceptionColumns },
    ...rows.map((row, at) => ({
      line: at + 2,
      cells: payoutLines.exceptionColumns.map((column) => ({ ...plain, ...row })[column] ?? ''),
    })),
  ];
}

/** What is refused, as `line column code`. */
function refusals(records: readonly FiledRecord[]): readonly string[] {
  const reading = readDecisions(records);
  if (reading.kind === 'decisions') return [];
  return reading.issues.map(({ line, column, code }) => [line, column ?? '-', code].join(' '));
}

describe('a filled-in file', () => {
  test('gives what was decided, and says how much was not', () => {
    const corrected = {
      rowNo: '4',
      payoutId: '000123',
      decision: 'retry-corrected',
      newProxyNo: '081-234-5678',
      newAmount: '12.5',
    };
    expect(readDecisions(file({}, { decision: '', note: 'ask Mali' }, corrected))).toEqual({
      kind: 'decisions',
      undecided: 1,
      decisions: [
        {
          line: 2,
          batchId: '4K7Q2M9XWD',
          rowNo: 2,
          version: 3,
          payoutId: 'PAY-2',
          decision: 'retry',
          newProxyNo: null,
          newAmount: null,
          note: 'the account is open again',
        },
        {
          line: 4,
          batchId: '4K7Q2M9XWD',
          rowNo: 4,
          version: 3,
          payoutId: '000123',
          decision: 'retry-corrected',
          newProxyNo: '0812345678',
          newAmount: '12.50',
          note: 'the account is open again',
        },
      ],
    });
  });

  test('loses the apostrophes that our CSV put there, and no others', () => {
    const escaped = file({ batchId: "'2M7KASA5ND", payoutId: "'000123", note: "''quoted'" });
    expect(readDecisions(escaped)).toMatchObject({
      decisions: [{ batchId: '2M7KASA5ND', payoutId: '000123', note: "'quoted'" }],
    });
    const [head, ...rows] = file({ payoutId: "'000123" });
    const workbook = [{ line: 1, cells: head!.cells.map(headingOf) }, ...rows];
    expect(readDecisions(workbook)).toMatchObject({ decisions: [{ payoutId: "'000123" }] });
  });

  const damaged: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['an unknown decision', { decision: 'retyr' }, '2 decision decision-unknown'],
    ['no note', { note: ' ' }, '2 note note-missing'],
    ['a correction with another decision', { newAmount: '5.00' }, '2 newAmount correction-unread'],
    [
      'a correction without a decision',
      { decision: '', newProxyNo: '0812345678' },
      '2 newProxyNo decision-missing',
    ],
    [
      'retry-corrected without a correction',
      { decision: 'retry-corrected' },
      '2 decision correction-missing',
    ],
    [
      'a number that lost its zero',
      { decision: 'retry-corrected', newProxyNo: '812345678' },
      '2 newProxyNo proxy-damaged',
    ],
    [
      'an exponent for a number',
      { decision: 'retry-corrected', newProxyNo: '1.10E+12' },
      '2 newProxyNo proxy-damaged',
    ],
    [
      'an amount with separators',
      { decision: 'retry-corrected', newAmount: '1,250.00' },
      '2 newAmount new-amount',
    ],
    ['an amount of nothing', { decision: 'retry-corrected', newAmount: '0' }, '2 newAmount new-amount'],
    ['a batch id that became a number', { batchId: '1.23E+09' }, '2 batchId batch-id-damaged'],
    ['a row number that became a date', { rowNo: '2-Jan' }, '2 rowNo row-no-damaged'],
    ['no version', { version: '' }, '2 version version-damaged'],
    ['a payoutId that became an exponent', { payoutId: '1.2E+15' }, '2 payoutId payout-id-damaged'],
    ['no payoutId', { payoutId: '' }, '2 payoutId payout-id-missing'],
  ];
  test.each(damaged)('is refused with %s', (_, row, issue) => {
    expect(refusals(file(row))).toEqual([issue]);
  });

  test('is refused as a whole, with every issue by its line', () => {
    const records = file({}, { rowNo: '3', note: '' }, { rowNo: '4', decision: 'pay' }, {});
    expect(refusals(records)).toEqual([
      '3 note note-missing',
      '4 decision decision-unknown',
      '5 - row-repeated',
    ]);
  });

  test('names the decisions that come nearest, in either language', () => {
    const nearest = (written: string) => {
      const read = readDecision(written);
      return read.kind === 'unknown' ? read.nearest : read.decision;
    };
    expect(nearest('retyr')[0]).toBe('retry');
    expect(nearest('confirm')[0]).toMatch(/^confirm/);
    expect(nearest('ส่งจ่าย')).toContain('retry');
    expect(nearest('x'.repeat(100_000))).toHaveLength(2);
    for (const [code, ...labels] of decisionWords)
      for (const word of [code, ...labels])
        expect(nearest(`  ${word.toUpperCase()} `.replace('-', ' '))).toBe(code);
  });

  test('is refused where a sheet shows something else than it holds, or hides a decision', () => {
    const [head, row] = file({});
    const placeOf = (column: string) => payoutLines.exceptionColumns.indexOf(column);
    const fault = (column: string, code: string) => ({
      place: placeOf(column),
      code,
      message: verbatim('x'),
    });
    const refusalsWith = (more: Partial<FiledRecord>) => refusals([head!, { ...row!, ...more }]);
    expect(
      refusalsWith({
        faults: [fault('payoutId', 'cell-digits'), fault('note', 'cell-date'), fault('remedy', 'cell-error')],
      }),
    ).toEqual(['2 payoutId cell-digits']);
    expect(refusalsWith({ faults: [fault('note', 'cell-error')] })).toEqual(['2 note cell-error']);
    expect(refusalsWith({ isHidden: true })).toEqual(['2 - row-hidden']);
    expect(refusals([head!, { ...file({ decision: '' })[1]!, isHidden: true }])).toEqual([]);
  });
});

describe('the head', () => {
  const [head, ...rows] = file({}, { rowNo: '7' });
  const decide = (cells: readonly string[]) => readDecisions([{ line: 3, cells }, ...rows]);

  test.each([
    ['in both languages', headingOf],
    ['in both, on one line', (column: string) => headingOf(column).replace('\n', ' ')],
    ['in Thai', (column: string) => headingOf(column).split('\n')[1] ?? ''],
    ['in other cases, with blanks', (column: string) => ` ${column.toUpperCase()} `],
    [
      'with a mark of the file before it',
      (column: string) => (column === 'batchId' ? `\ufeff${column}` : column),
    ],
  ])('is read %s', (_, change) => {
    expect(decide(head!.cells.map(change))).toMatchObject({
      kind: 'decisions',
      decisions: [{ rowNo: 2 }, { rowNo: 7 }],
    });
  });

  test('may have carried columns that are called as ours are in Thai', () => {
    const carried = ['หมายเหตุ', 'สถานะ', 'input.decision', 'branch'];
    expect(decide([...head!.cells, ...carried])).toMatchObject({ kind: 'decisions', decisions: [{}, {}] });
  });

  test('must name what is needed, once', () => {
    const without = (name: string) => head!.cells.map((column) => (column === name ? 'x' : column));
    expect(refusals([{ line: 3, cells: without('version') }, ...rows])).toEqual(['3 version column-missing']);
    expect(refusals([{ line: 3, cells: [...head!.cells, 'note'] }, ...rows])).toEqual([
      '3 note column-doubled',
    ]);
    expect(refusals([{ line: 3, cells: ['payoutId', 'proxyNo', 'amount'] }])).toEqual([
      '3 batchId column-missing',
    ]);
    expect(refusals([{ line: 1, cells: ['', ' '] }])).toEqual(['1 - file-empty']);
  });

  test.each([
    ['newAmount', 'newAmount*'],
    ['newAmount', 'newAmount\u200b'],
    ['newAmount', 'New amount (baht)'],
    ['newAmount', 'จำนวนเงินใหม่*'],
    ['newAmount', `newAmount*\nจำนวนเงินใหม่`],
    ['newProxyNo', 'new_proxy_no'],
    ['note', 'n\u043ete'],
    ['decision', 'decision:'],
  ])('is refused when a heading is all but ours: %s as %j', (column, heading) => {
    const renamed = head!.cells.map((one) => (one === column ? heading : one));
    expect(refusals([{ line: 3, cells: renamed }, ...rows])).toEqual([`3 ${heading} column-unclear`]);
    const reading = decide(renamed);
    const [issue] = reading.kind === 'refused' ? reading.issues : [];
    const [, cure = ''] = /write it as (\w+)/.exec(inEnglishIfAny(issue?.message)) ?? [];
    expect(decide(renamed.map((one) => (one === heading ? cure : one)))).toMatchObject({ kind: 'decisions' });
    const added = refusals([{ line: 3, cells: [...renamed, column] }, ...rows]);
    expect(added.filter((code) => !code.endsWith('note-missing'))).toEqual([]);
  });

  test('may have carried columns that look like ours, which are there', () => {
    const carried = ['newAmount2', 'New amount', 'Note (internal)'];
    expect(decide([...head!.cells, ...carried])).toMatchObject({ kind: 'decisions' });
  });

  test('tells each column wherever it stands, and rows in whatever order', () => {
    const records = file(
      {},
      { rowNo: '3', decision: 'cancel' },
      { decision: '' },
      { rowNo: '5', decision: 'ดำเนินการต่อ' },
    );
    const expected = readDecisions(records);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...payoutLines.exceptionColumns.keys()], {
          minLength: payoutLines.exceptionColumns.length,
        }),
        (order) => {
          const moved = records.map(({ line, cells }) => ({
            line,
            cells: order.map((place) => cells[place] ?? ''),
          }));
          expect(readDecisions(moved)).toEqual(expected);
        },
      ),
    );
    const [first, ...others] = records;
    expect(readDecisions([first!, ...others.toReversed()])).toMatchObject({
      undecided: 1,
      decisions: [{ rowNo: 5 }, { rowNo: 3 }, { rowNo: 2 }],
    });
  });
});

describe('a file of registrations', () => {
  const own = {
    batchId: '4K7Q2M9XWD',
    rowNo: '2',
    version: '3',
    registrationId: 'REG-2',
    accountNo: '9900000001',
    decision: 'retry',
    note: 'by mail',
  };
  const registrations = (...rows: readonly Readonly<Record<string, string>>[]): FiledRecord[] => [
    { line: 1, cells: [...registrationLines.exceptionColumns, 'payoutId'] },
    ...rows.map((row, at) => ({
      line: at + 2,
      cells: [
        ...registrationLines.exceptionColumns.map(
          (column) => (({ ...own, ...row }) as Readonly<Record<string, string>>)[column] ?? '',
        ),
        'carried',
      ],
    })),
  ];

  test('is known by its columns, whatever it carries through, and read by the same rules', () => {
    const corrected = { rowNo: '3', registrationId: "'000123", decision: 'แก้ไขแล้วส่งลงทะเบียนใหม่' };
    expect(
      readDecisions(registrations({}, { ...corrected, newAccountNo: '123-4-56789-0' }, { decision: '' })),
    ).toMatchObject({
      kind: 'decisions',
      undecided: 1,
      decisions: [
        { registrationId: 'REG-2', decision: 'retry', newAccountNo: null, version: 3 },
        { registrationId: '000123', decision: 'retry-corrected', newAccountNo: '1234567890' },
      ],
    });
  });

  test('of payouts that carries a registrationId through stays one of payouts', () => {
    const [head, ...rows] = file({});
    const carrying = [
      { line: 1, cells: [...(head?.cells ?? []), 'registrationId'] },
      ...rows.map(({ line, cells }) => ({ line, cells: [...cells, 'REG-1'] })),
    ];
    expect(readDecisions(carrying)).toMatchObject({ decisions: [{ payoutId: 'PAY-2' }] });
  });

  test.each([
    ['a decision about payouts', { decision: 'confirm-paid' }, '2 decision decision-unknown'],
    ['no registrationId', { registrationId: '' }, '2 registrationId registration-id-missing'],
    [
      'one that became an exponent',
      { registrationId: '1.2E+15' },
      '2 registrationId registration-id-damaged',
    ],
    ['an account without its correction', { newAccountNo: '9900000002' }, '2 newAccountNo correction-unread'],
    ['a correction without an account', { decision: 'retry-corrected' }, '2 decision correction-missing'],
    [
      'an account that lost its zero',
      { decision: 'retry-corrected', newAccountNo: '99000001' },
      '2 newAccountNo account-damaged',
    ],
  ])('is refused with %s', (_, row, issue) => {
    expect(refusals(registrations(row))).toEqual([issue]);
  });
});
