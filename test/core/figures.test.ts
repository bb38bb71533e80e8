/** Counts and amounts in texts: one way to write them, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countOf, showAmount, showCount } from '../../src/core/figures.ts';
import { projectRoot } from '../tidy/source.ts';

test('counts have separators, and one thing is one', () => {
  expect([showCount(0), showCount(999), showCount(1_234_567)]).toEqual(['0', '999', '1,234,567']);
  expect([countOf(0, 'row'), countOf(1, 'row'), countOf(1_200, 'row')]).toEqual([
    '0 rows',
    '1 row',
    '1,200 rows',
  ]);
  expect([countOf(1, 'row bears', 'rows bear'), countOf(2, 'row bears', 'rows bear')]).toEqual([
    '1 row bears',
    '2 rows bear',
  ]);
  expect([showAmount('0.50'), showAmount('1234567.50')]).toEqual(['0.50', '1,234,567.50']);
});

/** What is counted in our texts. */
const things =
  'rows|files|payouts|batches|transfers|payees|issues|amounts|breaks|lines|payee checks|days|attempts|inquiries|' +
  'events|digits|hours|minutes|exceptions|notices|statements|reports|columns|settings';
const pluralOfNumber = new RegExp(String.raw`\$\{([^{}]+)\} (?:of the )?(?:${things})\b`, 'g');

/** What files, the wire and JSON write: as it stands there it is put into no text. */
const rawForm = /\$\{[^{}]*\bformat(?:Baht|BangkokDateTime)\([^{}]*\}/g;

/** Numbers that are never one: limits, and what is counted from two on. */
const neverOne =
  /Max$|^showCount\(rate\)$|^lines\.length$|^ours\.length$|^all\.length$|^minutes$|^Math\.round\(minutes \/ 60\)$|rowsTotal|ceiling|^erasableAfterDays$|^\w+\.concurrency$/;

const textsOf = (path: string): string => readFileSync(join(projectRoot, 'src', path), 'utf8');
const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('sandbox/'),
);

/** What is signed is a form of its own, which stays byte for byte. */
const signedText = 'review/rules/signed-text.ts';

test('no text shows an amount or a moment in the form of files and JSON', () => {
  expect('`${formatBaht(sum)} baht`'.match(rawForm)).toHaveLength(1);
  const found = sources
    .filter((path) => path !== signedText)
    .flatMap((path) =>
      // A page's own markup has moments for machines, too.
      (
        textsOf(path)
          .replaceAll(/datetime="[^"]*"/g, '')
          .match(rawForm) ?? []
      ).map((all) => `${path}: ${all}`),
    );
  expect(found).toEqual([]);
});

test('no text puts a number before a plural by itself: "1 rows"', () => {
  const found = sources.flatMap((path) =>
    [...textsOf(path).matchAll(pluralOfNumber)].flatMap(([all, number = '']) =>
      neverOne.test(number) ? [] : [`${path}: ${all}`],
    ),
  );
  expect(found).toEqual([]);
});
