import { expect, test } from 'vitest';
import { FileRejected } from '../../../src/platform/csv/open.ts';
import { repackCells } from '../../../src/platform/workbook/unpack.ts';
import { makeBomb, makeTextXlsx, zipParts } from '../../support/workbook-kit.ts';

async function refuse(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const error: unknown = await repackCells(bytes).then(
    () => undefined,
    (raised: unknown) => raised,
  );
  return error instanceof FileRejected
    ? `${error.rejection.code}: ${error.rejection.message}`
    : String(error);
}

const declared = (bytes: number) => () => makeBomb(3_000_000, bytes);

test.each<[string, () => Promise<Uint8Array<ArrayBuffer>>, RegExp]>([
  [
    'says that it is larger than anybody needs',
    declared(1_500_000_000),
    /^workbook-too-large: .*unpacks to more than 134217728/,
  ],
  ['says nothing and unpacks to much', declared(0), /^workbook-damaged/],
  ['says little and unpacks to more', declared(1_000), /^workbook-damaged/],
  [
    'is cut short',
    async () => (await makeTextXlsx([['a']])).slice(0, -200),
    /^workbook-damaged: .*cut short/,
  ],
  [
    'only begins as an archive',
    () => Promise.resolve(new Uint8Array(Buffer.from('PK\u0003\u0004 no more'))),
    /^workbook-damaged/,
  ],
  [
    'is another document',
    () => zipParts({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }),
    /^not-a-csv: .*\.ods/,
  ],
  [
    'is encrypted',
    () => zipParts({ 'xl/workbook.xml': '<x/>' }, 'secret'),
    /^workbook-encrypted: .*without a password/,
  ],
])('an archive that %s is refused', async (_, make, words) => {
  expect(await refuse(await make())).toMatch(words);
});

test('nothing is unpacked but what holds cells', async () => {
  const parts = {
    'xl/workbook.xml': '<x/>',
    'xl/media/image1.png': 'x'.repeat(5_000),
    'docProps/app.xml': '<y/>',
  };
  const packed = Buffer.from(await repackCells(await zipParts(parts))).toString('latin1');
  expect(packed).toContain('xl/workbook.xml');
  expect(packed).not.toMatch(/image1|docProps/);
});
