/** Headings that are ours to whoever looks at them; what a message says to paste is pasted, and works. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { PayoutFileOptions } from '../../../src/intake/formats/payout-file.ts';
import { makeRegistrationFileReader } from '../../../src/intake/formats/registration-file.ts';
import { makeTextXlsx } from '../../support/workbook-kit.ts';
import { defaults, readWhole, useFolder } from '../../support/payout-file-kit.ts';

const folder = useFolder();

type Options = Pick<PayoutFileOptions, 'columns' | 'carry'>;

/** The settings that a message says to paste. */
function readOffers(message: string): readonly Record<string, Partial<Options>>[] {
  const blocks = message.match(/\b(?:input|registration): \{ (?:columns: \{.*?\}|carry: \[.*?\]) \}/g);
  return (blocks ?? []).map((block) => parse(block) as Record<string, Partial<Options>>);
}

/** A file of these headings, with a row that fits them. */
const contents: Readonly<Record<string, string>> = { payoutId: 'H-1', proxyNo: '0810000001', amount: '7.00' };
const fileOf = (...headings: readonly string[]): string =>
  `${headings.join(',')}\n${headings.map((_, place) => Object.values(contents)[place] ?? 'text').join(',')}\n`;

describe('an optional column whose heading is all but ours', () => {
  test.each([
    ['payeeName', 'payeeName\u200b'],
    ['payeeName', 'payee\u00adName'],
    ['payeeName', '\u200epayeeName\u200f'],
    ['payeeName', 'payee\ufe0fName'],
    ['payeeName', 'payee\u034fName'],
    ['payeeName', 'payee\u3164Name'],
    ['payeeName', 'payeeName*'],
    ['payeeName', '* payeeName'],
    ['payeeName', 'payeeName (optional)'],
    ['payeeName', 'payeeName（ไม่บังคับ）'],
    ['payeeName', 'payeeName [th/en]*'],
    ['payeeName', '[payeeName]'],
    ['payeeName', 'ｐａｙｅｅＮａｍｅ'],
    ['payeeName', 'p\u0430yeeName'],
    ['payeeName', '\u0420\u0410\u0423\u0415\u0415_\u039d\u0410\u039c\u0415'],
    ['payeeName', "'payeeName'"],
    ['payeeName', '“payeeName”'],
    ['payeeName', '"""payeeName"""'],
    ['payeeName', 'Payee\u00a0Name:'],
    ['proxyType', 'proxyType*'],
    ['proxyType', 'pr\u03bfxyType'],
    ['reference1', 'reference1 (max 20)'],
    ['reference1', 'reference¹'],
    ['reference2', 'Reference_2'],
    ['reference1', 'referencel'],
  ])('rejects the file: %s as %j', async (column, heading) => {
    const content = fileOf('payoutId', 'proxyNo', 'amount', heading);
    const { rejection } = await folder.read(content);
    expect(rejection).toMatchObject({ code: 'column-unclear', line: 1 });
    const [mapping, carrying] = readOffers(rejection?.message ?? '');
    const mapped = await folder.read(content.replace('text', ''), {
      columns: mapping?.['input']?.columns ?? {},
    });
    expect(mapped).toMatchObject({
      rejection: undefined,
      extraColumns: [],
      rows: [{ cells: { [column]: '' } }],
    });
    const carried = await folder.read(content, { carry: carrying?.['input']?.carry ?? [] });
    expect(carried).toMatchObject({ rejection: undefined, rows: [{ issues: [], extras: ['text'] }] });
    expect(carried.rows[0]?.cells).toMatchObject({ [column]: '' });
  });

  test.each([
    'reference3',
    'amount2',
    'payeeNameTh',
    'payee',
    'name',
    'proxyTypes',
    'référence1x',
    'หมายเหตุ',
    '(payeeName) of the bank',
    'input.payeeName',
  ])('carries what is none of ours: %s', async (heading) => {
    const { rejection, extraColumns } = await folder.read(fileOf('payoutId', 'proxyNo', 'amount', heading));
    expect([rejection, extraColumns]).toEqual([undefined, [heading]]);
  });

  test('carries it where the file has the column itself', async () => {
    const content = fileOf('payoutId', 'proxyNo', 'amount', 'payeeName', 'payeeName*');
    expect((await folder.read(content)).extraColumns).toEqual(['payeeName*']);
    const mapped = { columns: { payeeName: 'who' } };
    const other = fileOf('payoutId', 'proxyNo', 'amount', 'who', 'payeeName*');
    expect((await folder.read(other, mapped)).extraColumns).toEqual(['payeeName*']);
  });

  test('tells of all of them at once, in settings that hold what was set before', async () => {
    const content = fileOf('payoutId', 'PromptPay', 'amount', 'payeeName*', 'reference1 (max 20)', 'branch*');
    const before: Options = { columns: { proxyNo: 'PromptPay' }, carry: ['other'] };
    const { rejection } = await folder.read(content, before);
    expect(readOffers(rejection?.message ?? '')).toEqual([
      {
        input: {
          columns: { proxyNo: 'PromptPay', payeeName: 'payeeName*', reference1: 'reference1 (max 20)' },
        },
      },
      { input: { carry: ['other', 'payeeName*', 'reference1 (max 20)'] } },
    ]);
  });

  test('only carries what input.carry names, also under our own name', async () => {
    const content = fileOf('payoutId', 'proxyNo', 'amount', 'payeeName');
    const { extraColumns, rows } = await folder.read(content, { carry: ['payeeName'] });
    expect([extraColumns, rows[0]?.instruction?.payeeName]).toEqual([['payeeName'], null]);
  });

  test('is found in a workbook and in registrations, too', async () => {
    const sheet = await makeTextXlsx([
      ['payoutId', 'proxyNo', 'amount', 'payeeName\u200b'],
      ['H-1', '0810000001', '7.00', 'Somchai Jaidee'],
    ]);
    expect((await folder.read(sheet)).rejection?.code).toBe('column-unclear');
    const path = await folder.write('registrationId,customerId,accountNo,ref1*\nR-1,M-1,9900000001,A\n');
    const read = (changes: object) => {
      const options = { ...defaults, columns: {}, defaults: { vendorId: 'V', companyId: 'C' }, ...changes };
      return readWhole(makeRegistrationFileReader(options), path);
    };
    const { rejection } = await read({});
    expect(rejection?.code).toBe('column-unclear');
    const [mapping, carrying] = readOffers(rejection?.message ?? '');
    expect((await read(mapping?.['registration'] ?? {})).rows[0]?.cells.ref1).toBe('A');
    expect((await read(carrying?.['input'] ?? {})).extraColumns).toEqual(['ref1*']);
  });
});

describe('a required column', () => {
  test.each<[string, readonly string[]]>([
    ['with a character that cannot be seen', ['payoutId', 'proxyNo\u200b', 'amount']],
    ['with no-break spaces', ['payout\u00a0Id', 'proxyNo', 'amount']],
    [
      'with marks of a template, and optional ones with them',
      ['payoutId*', 'proxyNo*', 'amount*', 'payeeName*'],
    ],
    ['in words of the partner', ['Payment No', 'PromptPay', 'Total (THB)']],
    ['in letters that look like ours', ['p\u0430youtId', 'proxyNo', 'am\u03bfunt']],
    ['in one word of two', ['payoutId', 'mobile', 'phone', 'amount (baht)']],
  ])('%s is read with the settings of the message', async (_, headings) => {
    const content = fileOf(...headings);
    const { rejection } = await folder.read(content);
    const [offer] = readOffers(rejection?.message ?? '');
    const again = await folder.read(content, { columns: offer?.['input']?.columns ?? {} });
    expect(again.rejection).toBeUndefined();
    expect(again.rows[0]).toMatchObject({ cells: { payoutId: 'H-1', proxyNo: '0810000001' } });
  });

  test('is to be added where no heading can be meant', async () => {
    const { rejection } = await folder.read('payoutId,proxyNo,what,why\nH-1,0810000001,7.00,x\n');
    expect(rejection).toMatchObject({ code: 'column-missing', column: 'amount' });
    expect(readOffers(rejection?.message ?? '')).toEqual([]);
    expect(rejection?.message).toContain('set input.columns.amount');
    const set = { columns: { amount: 'what' } };
    expect((await folder.read('payoutId,proxyNo,what,why\nH-1,0810000001,7.00,x\n', set)).totals?.rows).toBe(
      1,
    );
  });

  const rows = [
    ['payoutId', 'proxyNo', 'amount'],
    ['H-1', '0810000001', '7.00'],
  ];
  const plain = rows.map((cells) => `${cells.join(',')}\n`).join('');

  test.each<[string, string, string, (content: string) => string]>([
    ['spaces', plain.replaceAll(',', ' '), 'commas, semicolons or tabs', (text) => text.replaceAll(' ', ',')],
    [
      'upright strokes',
      plain.replaceAll(',', '|'),
      'commas, semicolons or tabs',
      (text) => text.replaceAll('|', ','),
    ],
    [
      'quotation marks around lines',
      plain.replaceAll(/.+/g, '"$&"'),
      'around whole lines',
      (text) => text.replaceAll('"', ''),
    ],
    ['NEL line ends', plain.replaceAll('\n', '\u0085'), 'U+0085', (text) => text.replaceAll('\u0085', '\n')],
    [
      'NEL line ends and a carried column',
      plain.replaceAll('\n', ',x\u0085'),
      'U+0085',
      (text) => text.replaceAll('\u0085', '\n'),
    ],
    [
      'Unicode line ends',
      plain.replaceAll('\n', '\u2028'),
      'U+2028',
      (text) => text.replaceAll('\u2028', '\n'),
    ],
    [
      'other quotation marks',
      plain.replaceAll(/[^,\n]+/g, "'$&'"),
      'write the cells without',
      (text) => text.replaceAll("'", ''),
    ],
    [
      'doubled quotation marks',
      plain.replaceAll(/[^,\n]+/g, '"""$&"""'),
      'write the cells without',
      (text) => text.replaceAll('"', ''),
    ],
  ])('is not to be mapped in a file with %s', async (_, content, cure, mend) => {
    const { rejection } = await folder.read(content, { finalLineEnd: 'optional' });
    expect(readOffers(rejection?.message ?? '')).toEqual([]);
    expect(rejection?.message).toContain(cure);
    expect((await folder.read(mend(content))).totals?.totalSatang).toBe(700n);
  });
});
