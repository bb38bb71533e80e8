/** Charts: the marks are as long as what they stand for, and nothing that may have moved is too small to see. */
import { describe, expect, test } from 'vitest';
import {
  calendar,
  chartKey,
  columnChart,
  histogram,
  lineChart,
  shareBar,
  stepsChart,
} from '../../../src/review/web/charts.ts';

const numbersOf = (text: string, name: string): number[] =>
  [...text.matchAll(new RegExp(`<rect[^>]* ${name}="([\\d.]+)`, 'g'))].map(([, value]) => Number(value));

describe('a bar of shares', () => {
  test('a share under 0.7% is 0.7% wide, and all fit', () => {
    const { text } = shareBar(
      [
        { fill: 'paid', size: 999_000n, title: 'Paid' },
        { fill: 'unknown', size: 1n, title: 'Unknown' },
        { fill: 'none', size: 0n, title: 'Not paid' },
        { fill: 'wait', size: 999_000n, title: 'Not sent' },
      ],
      'Money',
    );
    const widths = numbersOf(text, 'width');
    expect(widths).toHaveLength(3);
    expect(widths[1]).toBe(0.7);
    expect(widths[0]).toBeCloseTo(widths[2] ?? 0, 1);
    expect((numbersOf(text, 'x')[2] ?? 0) + (widths[2] ?? 0)).toBeCloseTo(100, 1);
    expect(text).toContain('<title>Unknown</title>');
  });

  test('without money it is empty', () => {
    expect(shareBar([{ fill: 'paid', size: 0n, title: 'Paid' }], 'Money').text).not.toContain('<rect');
  });

  test('escapes what it names', () => {
    expect(shareBar([{ fill: 'paid', size: 1n, title: '<b>' }], '"').text).toContain(
      '<title>&lt;b&gt;</title>',
    );
    expect(chartKey([['paid', '<b>']]).text).toContain('&lt;b&gt;</li>');
  });
});

describe('columns', () => {
  const day = (place: number, paid: bigint, unknown: bigint) => ({
    name: String(place),
    under: 'Mon',
    href: `/day/${place}`,
    title: `Day ${place}`,
    parts: [
      { fill: 'paid', size: paid },
      { fill: 'unknown', size: unknown },
    ] as const,
    mark: unknown > 0n ? '? 1' : undefined,
    isNow: place === 3,
  });
  const draw = (days: readonly ReturnType<typeof day>[]) =>
    columnChart(days, 'Days', (size) => `${size} M`).text;

  test('an unknown part is at least 3 px high, with its count above', () => {
    const text = draw([day(1, 1_000_000n, 1n), day(2, 2_000_000n, 0n), day(3, 0n, 0n)]);
    const heights = numbersOf(text, 'height');
    expect(heights).toEqual([65, 3, 130]);
    expect(text).toContain('class="t-unknown">? 1</text>');
    expect(text).toContain('2000000 M');
    expect(text.match(/<a href/g)).toHaveLength(2);
    expect(text).toContain('role="group"');
    expect(text).not.toContain(' style=');
  });

  test('every second name hides on phones, the last one never', () => {
    const names = [
      ...draw([day(1, 1n, 0n), day(2, 1n, 0n), day(3, 1n, 0n)]).matchAll(/y="187"[^>]*class="([^"]*)"/g),
    ];
    expect(names.map(([, classes]) => classes)).toEqual(['', 'hide', 't-ink']);
  });

  test('without money the axis is flat', () => {
    const text = draw([day(1, 0n, 0n)]);
    expect(text.match(/<line/g)).toHaveLength(1);
    expect(text).not.toContain('<rect');
  });
});

test('classes of size: the largest fills the height, the smallest is still seen', () => {
  const { text } = histogram(
    [
      { title: 'under 1,000: 200', count: 200, border: '1k', isLarge: false },
      { title: '1–2,000: none', count: 0, border: '2k', isLarge: false },
      { title: 'over 2,000: 1', count: 1, border: undefined, isLarge: true },
    ],
    'Sizes',
  );
  expect(numbersOf(text, 'height')).toEqual([104, 3]);
  expect(text).toContain('class="f-acc"');
  expect(text.match(/y="146"/g)).toHaveLength(2);
});

test('steps start at one total and end at the other', () => {
  const { text } = stepsChart(
    { name: 'Bank', text: '100.00', size: 10_000n },
    [
      { name: 'Missing', text: '+50.00', size: 5_000n, fill: 'alarm' },
      { name: 'In process', text: '−20.00', size: -2_000n, fill: 'unknown' },
    ],
    { name: 'Ours', text: '130.00', size: 13_000n },
    'From the total of the bank to ours',
  );
  const [tops, heights] = [numbersOf(text, 'y'), numbersOf(text, 'height')];
  expect(heights[0]).toBe(4);
  expect(heights[3]).toBe(4);
  // Up by 50 from the bank's level, then down by 20 to ours.
  expect((tops[1] ?? 0) + (heights[1] ?? 0)).toBeCloseTo((tops[0] ?? 0) + 2, 1);
  expect(tops[2]).toBe(tops[1]);
  expect((tops[2] ?? 0) + (heights[2] ?? 0)).toBeCloseTo((tops[3] ?? 0) + 2, 1);
});

test('a day has its sign and its words, and a link if it has a page', () => {
  const { text } = calendar([
    { name: '1', sign: '✓', kind: 'yes', title: '1 Nov: agrees', href: '/reconciliation/20261101' },
    { name: '2', sign: '', kind: 'off', title: '2 Nov: nothing paid', href: undefined },
  ]);
  expect(text).toMatch(/<li class="yes"><a href="\/reconciliation\/20261101" title="1 Nov: agrees">/);
  expect(text).toMatch(/<li class="off"><span title="2 Nov: nothing paid">/);
});

test('a line breaks where nothing is known, and pauses are shaded', () => {
  const { text } = lineChart({
    label: 'Answer time',
    lines: [{ kind: 'l1', values: [0, 5, undefined, 2] }],
    titles: ['a', undefined, undefined, undefined],
    shades: [{ from: 2, to: 3, title: 'Paused' }],
    guide: 4,
  });
  expect([...text.matchAll(/points="([^"]+)"/g)].map(([, points]) => points)).toEqual([
    '5,80.0 15,0.0',
    '35,48.0 38,48.0',
  ]);
  expect(text).toMatch(/<rect x="20" width="10"[^>]*class="shade"/);
  expect(text).toContain('viewBox="0 -4 40 88"');
  expect(text).toContain('preserveAspectRatio="none"');
  expect(text.match(/class="hit"/g)).toHaveLength(1);
});
