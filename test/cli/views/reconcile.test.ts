import { verbatim } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import type { NotFetched, ReconcileReport } from '../../../src/app/reconcile.ts';
import { showNoStatement, showReport } from '../../../src/cli/views/reconcile.ts';
import { type Satang, toSatang } from '../../../src/core/money.ts';
import { noneRecorded } from '../../support/reconcile-kit.ts';

type Places = Record<string, { readonly count: number; readonly satang: Satang }>;

/** What is printed of a day with these figures. */
function print(
  lines: Places,
  paid: Places,
  { figures = [], ...changes }: Partial<ReconcileReport> & { readonly figures?: readonly object[] } = {},
): string {
  const statement = {
    date: '20261120',
    version: 2,
    originalPath: 'original.csv',
    acceptedAtMs: 0,
    provenance: { from: 'file', user: 'alice', isForced: false },
    statement: { feeSatang: toSatang(1_000_00n), netSatang: toSatang(79_247_917_00n) },
    changes: { figures },
  };
  const reconciled = {
    statement,
    totals: { lines: new Map(Object.entries(lines)), paid: new Map(Object.entries(paid)) },
    recorded: noneRecorded,
    isRepeat: false,
    supersedes: 1,
    files: [],
  } as unknown as ReconcileReport['reconciled'];
  return showReport({
    kind: 'reconciled',
    reconciled,
    isWhole: true,
    breaks: [],
    openBreaks: new Map(),
    acceptedBreaks: 0,
    updates: [],
    isWatched: false,
    failure: undefined,
    isSandbox: false,
    nowMs: 0,
    ...changes,
  }).text;
}

test('every amount has thousands separators', () => {
  const before = { count: 1_235, satang: '7924891700' };
  const after = { count: 1_234, satang: '7924791700' };
  const matched = { count: 1_234, satang: toSatang(79_247_917_00n) };
  const figures = [{ side: 'statement', place: 'matched', before, after }];
  const text = print({ matched }, { matched }, { figures });
  expect(text).toContain('fees 1,000.00, net 79,247,917.00');
  expect(text).toContain('statement matched: 1,235 (79,248,917.00) -> 1,234 (79,247,917.00)');
});

test('lines that failed on both sides are told apart from those that moved money', () => {
  const matched = { count: 2, satang: toSatang(3_00n) };
  const text = print({ matched, 'agreed-failed': { count: 1, satang: toSatang(9_00n) } }, { matched });
  expect(text).toContain(`Statement               Count   Baht
matched                     3  12.00
  paid                      2   3.00
  failed on both sides      1   9.00
breaks                      0   0.00
total                       3  12.00
`);
  expect(text).toContain(`Paid by us  Count  Baht
matched         2  3.00
breaks          0  0.00
total           2  3.00
`);
});

test.each([
  [true, 'The watcher that runs writes the result updates.'],
  [false, 'reconcile the day again when it has ended'],
])(
  'result updates that are due beside a sender (a watcher: %s) are not taken for written',
  (isWatched, said) => {
    expect(print({}, {}, { updates: undefined, isWatched })).toContain(said);
  },
);

test.each<readonly [string, Partial<ReconcileReport>]>([
  ['Both sides tie out to the satang: matched and breaks make up each total.\n', {}],
  [
    'Each side adds up to the satang: matched and breaks make up each total.\n',
    { openBreaks: new Map([['duplicate-line', 1]]) },
  ],
  [
    'Each side adds up to the satang: matched and breaks make up each total. The day is not complete: it had not ended, or a line cannot be read. Reconcile it again.\n',
    { isWhole: false },
  ],
])('%s', (said, changes) => {
  expect(print({}, {}, changes)).toContain(said);
});

test.each([
  ['missing', 'there is no such file: check its name', 'there is no such file: check its name'],
  ['amount-unreadable', 'wrong', 'the statement is refused, nothing of it is used: line 3, AMOUNT: wrong'],
])('of a file that is %s its name and the reason are said', (what, why, said) => {
  const code = what === 'missing' ? 'file-missing' : what;
  const place = what === 'missing' ? { line: null, column: null } : { line: 3, column: 'AMOUNT' };
  const refusal = { code, ...place, message: verbatim(why) };
  const fetched = { kind: 'unusable', refusal } as const;
  expect(showNoStatement({ kind: 'no-statement', date: undefined, file: 'nope.csv', fetched })).toEqual({
    exitCode: 5,
    text: `paydrop: nope.csv: ${said}`,
    json: {
      date: null,
      file: 'nope.csv',
      outcome: 'unusable',
      reason: said,
      refusal: { ...refusal, message: why },
    },
  });
});

test.each<readonly [number, string, NotFetched]>([
  [5, 'see reconcile.companyId', { kind: 'refused', code: 'AU00003', text: 'Invalid CompanyID Format' }],
  [
    6,
    'the bank does not let us ask for statements (TK001): correct them',
    { kind: 'not-allowed', code: 'TK001', text: 'correct them' },
  ],
])('exit %i: %s', (exitCode, said, fetched) => {
  const shown = showNoStatement({ kind: 'no-statement', date: '20261120', file: undefined, fetched });
  expect(shown).toMatchObject({ exitCode, text: expect.stringContaining(said) });
});

test('a day ties out with what people have accepted, and says so', () => {
  const matched = { count: 1, satang: toSatang(1_00n) };
  const text = print({ matched }, { matched }, { acceptedBreaks: 2 });
  expect(text).toContain('Both sides tie out to the satang, with what people have accepted: matched');
  expect(text).toContain('Open breaks: none\nBreaks accepted by people: 2');
});
