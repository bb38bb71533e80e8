import { expect, test } from 'vitest';
import { isQuiet, renderReport } from '../../src/cli/reconcile-report.ts';
import { type Satang, toSatang } from '../../src/core/money.ts';
import { nothingRecorded, type Recorded } from '../../src/reconcile/record.ts';
import type { BreakKind } from '../../src/reconcile/rules/types.ts';

const causedBy = (cause: string): Partial<Recorded> => ({ causes: new Map([[cause, 1]]) });
const none: ReadonlyMap<BreakKind, number> = new Map();

test.each<readonly [boolean, string, ReadonlyMap<BreakKind, number>, Partial<Recorded>]>([
  [true, 'nothing', none, {}],
  [true, 'what was proved and settled', none, { ...causedBy('proved'), closed: 2 }],
  [false, 'a break that is open on the day', new Map([['twice', 1]]), {}],
  [false, 'a break that was opened on another day', none, { opened: 1, openedOnOtherDays: 1 }],
  [false, 'a late proof', none, causedBy('late-proof')],
  [false, 'a second proof', none, causedBy('second-proof')],
  [false, 'a dispute', none, causedBy('statement-contradicts')],
  [false, 'an attempt that was closed and lives', none, causedBy('earlier-attempt-alive')],
  [false, 'an alarm', none, causedBy('alarm-raised')],
])('%s: it is quiet after %s', (expected, _, openBreaks, changes) => {
  expect(isQuiet(openBreaks, { ...nothingRecorded(), ...changes })).toBe(expected);
});

type Report = Parameters<typeof renderReport>[0];
type Places = Record<string, { readonly count: number; readonly satang: Satang }>;

/** What is printed of a day with these figures. */
function print(
  lines: Places,
  paid: Places,
  {
    figures = [],
    reading = 'settings whole',
    ...changes
  }: Partial<Report> & { readonly figures?: readonly object[]; readonly reading?: string } = {},
): string {
  const statement = {
    reading,
    date: '20261120',
    version: 2,
    originalPath: 'original.csv',
    acceptedAtMs: 0,
    statement: { feeSatang: toSatang(1_000_00n), netSatang: toSatang(79_247_917_00n) },
    changes: { figures },
  };
  const reconciled = {
    statement,
    totals: { lines: new Map(Object.entries(lines)), paid: new Map(Object.entries(paid)) },
    recorded: nothingRecorded(),
    isRepeat: false,
    supersedes: 1,
    files: [],
  } as unknown as Report['reconciled'];
  const shown = { updates: [], isWatched: false, isShortOfUpdates: false, isSandbox: false, nowMs: 0 };
  return renderReport({ reconciled, breaks: [], openBreaks: none, ...shown, ...changes });
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

test.each<readonly [string, Partial<Report> & { readonly reading?: string }]>([
  ['Both sides tie out to the satang: matched and breaks make up each total.\n', {}],
  [
    'Each side adds up to the satang: matched and breaks make up each total.\n',
    { openBreaks: new Map([['twice', 1]]) },
  ],
  [
    'Each side adds up to the satang: matched and breaks make up each total. The day had not ended: reconcile it again.\n',
    { reading: 'settings part' },
  ],
])('%s', (said, changes) => {
  expect(print({}, {}, changes)).toContain(said);
});
