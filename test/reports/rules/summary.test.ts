import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import { renderSummary, stripSecrets, summariseBatch } from '../../../src/reports/rules/summary.ts';
import { makeBatch, makeTotal, noonMs, noOtherReferences } from '../../support/report-fixtures.ts';

const options = { exceptionsOk: false };
const totals = [
  makeTotal('held', 1, 5n),
  makeTotal('paid', 2, 200n),
  makeTotal('submitted', 3, 95n),
  makeTotal('failed', 0),
];
const whole = makeBatch({ rows: 6, totalSatang: toSatang(300n) });

describe('the figures of a batch', () => {
  test('are ordered, added up and judged', () => {
    const summary = summariseBatch(whole, totals, [{ hold: 'name', rows: 1 }], options);
    expect(summary.totals.map((total) => total.status)).toEqual(['held', 'submitted', 'paid']);
    expect(summary).toMatchObject({
      rows: 6,
      amountSatang: 300n,
      addsUp: true,
      exceptionRows: 4,
      inDoubtRows: 3,
      exitCode: 4,
    });
  });

  test.each([
    ['a row too many', { rows: 5 }],
    ['a row too few', { rows: 7 }],
    ['a satang more', { totalSatang: toSatang(299n) }],
    ['an unreadable amount', { unreadableAmounts: 1 }],
  ])('do not add up with %s', (_name, changes) => {
    expect(summariseBatch({ ...whole, ...changes }, totals, [], options).addsUp).toBe(false);
  });

  test('of a file rejected as a whole are none', () => {
    const rejected = makeBatch({ status: 'rejected', rows: 10, totalSatang: toSatang(5n) });
    expect(summariseBatch(rejected, [], [], options)).toMatchObject({ addsUp: true, rows: 0, exitCode: 5 });
  });
});

test('the summary file says it all, amounts as decimal strings', () => {
  const summary = summariseBatch(whole, totals, [{ hold: 'name', rows: 1 }], options);
  const files = [{ kind: 'result', name: 'payouts.result.csv', rows: 6, sha256: 'cd'.repeat(32) }] as const;
  const context = {
    isSandbox: true,
    bankAddress: 'http://me:secret@127.0.0.1:4123/bank?key=1',
    nowMs: noonMs + 9000,
    otherReferences: { rows: 2, firstRowNos: [3, 6] },
  };
  expect(JSON.parse(JSON.stringify(renderSummary(summary, files, context)))).toEqual({
    batchId: '4K7Q2M9XWD',
    file: 'เงินเดือน payouts.csv',
    sha256: 'ab'.repeat(32),
    isSandbox: true,
    bank: 'http://127.0.0.1:4123/bank',
    companyId: 'COMP000001',
    status: 'done',
    reasonCode: null,
    reason: null,
    remedy: null,
    exitCode: 4,
    rows: 6,
    amount: '3.00',
    unreadableAmounts: 0,
    byStatus: {
      held: { rows: 1, amount: '0.05', unreadableAmounts: 0 },
      submitted: { rows: 3, amount: '0.95', unreadableAmounts: 0 },
      paid: { rows: 2, amount: '2.00', unreadableAmounts: 0 },
    },
    holds: { name: 1 },
    addsUp: true,
    alarms: 0,
    exceptions: 4,
    inDoubt: 3,
    otherReferences: { rows: 2, firstRowNos: [3, 6] },
    startedAt: '2026-11-21T14:03:05+07:00',
    sealedAt: '2026-11-21T14:03:05+07:00',
    restedAt: '2026-11-21T14:03:08+07:00',
    reportedAt: '2026-11-21T14:03:14+07:00',
    durationMs: 3200,
    files: [{ kind: 'result', name: 'payouts.result.csv', rows: 6, sha256: 'cd'.repeat(32) }],
  });
});

test('the summary tells of a pace that fell below the settings, and of no other', () => {
  const summary = summariseBatch(makeBatch(), [], [], options);
  const context = { isSandbox: false, bankAddress: 'x', nowMs: noonMs, otherReferences: noOtherReferences };
  const pace = { limit: 2, ceiling: 16, why: 'HTTP 429' };
  expect(renderSummary(summary, [], { ...context, pace })).toMatchObject({
    lowestPace: { transfersAtOnce: 2, settings: 16, why: 'HTTP 429' },
  });
  expect(renderSummary(summary, [], context)).not.toHaveProperty('lowestPace');
});

test('the summary of a batch that has not come to rest counts its time until now', () => {
  const summary = summariseBatch(makeBatch({ restedAtMs: null, sealedAtMs: null }), [], [], options);
  const rendered = renderSummary(summary, [], {
    isSandbox: false,
    bankAddress: 'x',
    nowMs: noonMs + 9000,
    otherReferences: noOtherReferences,
  });
  expect(rendered).toMatchObject({ restedAt: null, sealedAt: null, durationMs: 9000 });
});

test.each([
  ['https://bank.example/base', 'https://bank.example/base'],
  ['https://user:p@ss@bank.example/base#x', 'https://bank.example/base'],
  ['https://bank.example/?apikey=1\n2', 'https://bank.example/'],
  ['https://bank.example/a@b', 'https://bank.example/a@b'],
  ['sandbox', 'sandbox'],
])('%j is shown as %j', (address, shown) => {
  expect(stripSecrets(address)).toBe(shown);
});
