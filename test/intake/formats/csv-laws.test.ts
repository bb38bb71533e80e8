/** Whatever a sender's CSV writer makes of the same rows, they are read the same. */
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { formatBaht, sumSatang, toSatang } from '../../../src/core/money.ts';
import { RecordReader } from '../../../src/platform/csv/records.ts';
import { columns, useFolder } from '../../support/payout-file-kit.ts';

const folder = useFolder();

const thai = [...'กขคงจชซญดตนบปพมยรลวสหอ'];
const latinNames = fc.stringMatching(/^[A-Z][a-z ,;"'.-]{0,20}[a-z]$/);
const thaiNames = fc.string({ unit: fc.constantFrom(...thai), minLength: 2, maxLength: 12 });

const payouts = fc.uniqueArray(
  fc.record({
    payoutId: fc.stringMatching(/^[A-Z][A-Z0-9 ,;"/-]{0,20}[0-9]$/).filter((id) => !id.includes('E+')),
    mobile: fc.integer({ min: 0, max: 99_999_999 }).map((number) => `08${String(number).padStart(8, '0')}`),
    payeeName: fc.oneof(fc.constant(''), latinNames, thaiNames),
    amount: fc.bigInt({ min: 1n, max: 10_000_000n }).map(toSatang),
    note: fc
      .string({ unit: fc.constantFrom(...'ab ,;"\t\n\rก'), maxLength: 8 })
      .filter((text) => !/\r(?!\n)|^\s*$/.test(text)),
  }),
  { selector: ({ payoutId }) => payoutId, minLength: 1, maxLength: 30 },
);

type Encoding = 'utf-8' | 'utf-8 with mark' | 'utf-16le' | 'utf-16be' | 'windows-874';

function encode(text: string, encoding: Encoding): Uint8Array {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8 with mark':
      return Buffer.from(`\ufeff${text}`);
    case 'utf-16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf-16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    case 'windows-874':
      return iconv.encode(text, 'windows-874');
  }
}

describe('reading what a CSV writer wrote', () => {
  const encodings = fc.constantFrom<Encoding>(
    'utf-8',
    'utf-8 with mark',
    'utf-16le',
    'utf-16be',
    'windows-874',
  );
  const delimiters = fc.constantFrom(',', ';', '\t');
  const lineEnds = fc.constantFrom('\n', '\r\n', '\r');

  test('gives the rows, their lines and their total under every encoding, delimiter and line end', async () => {
    const law = fc.asyncProperty(
      payouts,
      encodings,
      delimiters,
      lineEnds,
      fc.boolean(),
      async (list, encoding, delimiter, lineEnd, quoted) => {
        const records = list.map(({ payoutId, mobile, payeeName, amount, note }) => [
          payoutId,
          '',
          mobile,
          payeeName,
          formatBaht(amount),
          '',
          '',
          note,
        ]);
        const text = stringify([[...columns.split(','), 'note'], ...records], {
          delimiter,
          record_delimiter: lineEnd,
          quoted_match: /[\r\n]/,
          quoted,
        });
        const { rows, totals, rejection, extraColumns } = await folder.read(encode(text, encoding), {
          // Two Thai letters can be one letter of UTF-8, so in so short a file the setting must say which.
          encoding: encoding === 'windows-874' ? encoding : 'auto',
        });
        expect(rejection).toBeUndefined();
        expect(extraColumns).toEqual(['note']);
        expect(
          rows.map(({ instruction, extras }) => [
            instruction?.payoutId,
            instruction?.amountSatang,
            ...extras,
          ]),
        ).toEqual(list.map(({ payoutId, amount, note }) => [payoutId, amount, note]));
        expect(rows.map(({ cells }) => cells.payeeName)).toEqual(list.map(({ payeeName }) => payeeName));
        let line = 2;
        for (const [place, row] of rows.entries()) {
          expect(row.line).toBe(line);
          line += 1 + (list[place]?.note.match(/\n/g)?.length ?? 0);
        }
        expect(totals).toMatchObject({
          rows: list.length,
          totalSatang: sumSatang(list.map(({ amount }) => amount)),
        });
      },
    );
    await fc.assert(law, { numRuns: 60 });
  });
});

describe('cutting a stream into records', () => {
  const bytes = fc
    .string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'ก'), maxLength: 60 })
    .map((text) => Buffer.from(text));

  const readIn = (stretches: readonly Buffer[]): string => {
    const reader = new RecordReader(',', 3, 1);
    try {
      return JSON.stringify([...stretches.flatMap((stretch) => reader.read(stretch)), ...reader.end()]);
    } catch (error) {
      return String(error);
    }
  };

  test('gives the same records wherever the stretches are cut', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat({ max: 180 }), { maxLength: 5 }), (whole, cuts) => {
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b),
          whole.length,
        ];
        const stretches = places.slice(1).map((place, index) => whole.subarray(places[index], place));
        expect(readIn(stretches)).toBe(readIn([whole]));
      }),
      { numRuns: 500 },
    );
  });

  test('cuts what has no quotation marks as csv-parse does', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', 'ก', '\t', "'", ';', '😀'), maxLength: 4 });
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.constantFrom('\r\n', '\n', '\r'), fc.boolean(), (all, lineEnd, isEnded) => {
        const text = all.map((cells) => cells.join(',')).join(lineEnd) + (isEnded ? lineEnd : '');
        const reader = new RecordReader(',', 3, 1);
        const read = [...reader.read(Buffer.from(text)), ...reader.end()].map(({ cells }) => cells);
        const options = { relax_column_count: true, skip_empty_lines: true, record_delimiter: lineEnd };
        const isBlank = (cells: readonly string[]): boolean => cells.length === 1 && cells[0]?.trim() === '';
        expect(read).toEqual(parse(text, options).filter((cells) => !isBlank(cells)));
      }),
      { numRuns: 300 },
    );
  });

  test('never fails but by rejecting the file, and keeps every line in order', () => {
    fc.assert(
      fc.property(bytes, (whole) => {
        const reading = readIn([whole]);
        if (reading.startsWith('[')) {
          const lines = (JSON.parse(reading) as { line: number }[]).map(({ line }) => line);
          expect(lines).toEqual(lines.toSorted((a, b) => a - b));
          expect(new Set(lines).size).toBe(lines.length);
        } else expect(reading).toContain('FileRejected: a quotation mark opens');
      }),
      { numRuns: 500 },
    );
  });
});
