import { inEnglish } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { FileRejected } from '../../../src/platform/csv/open.ts';
import { WorkbookParts } from '../../../src/platform/workbook/unpack.ts';
import { makeBomb, makeTextXlsx, zipParts } from '../../support/workbook-kit.ts';

async function readAll(bytes: Uint8Array): Promise<void> {
  await using parts = await WorkbookParts.open(bytes);
  for (const name of ['xl/workbook.xml', 'xl/worksheets/sheet9.xml']) await parts.read(name, (xml) => xml);
}

async function refuse(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const error: unknown = await readAll(bytes).then(
    () => undefined,
    (raised: unknown) => raised,
  );
  return error instanceof FileRejected
    ? `${error.rejection.code}: ${inEnglish(error.rejection.message)}`
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

test('a part is read when it is asked for, under its name in any case, and only where there is one', async () => {
  const parts = { 'xl/workbook.xml': '<x/>', 'xl/Styles.xml': '<y/>', 'xl/a.xml': '1', 'xl/A.xml': '2' };
  await using archive = await WorkbookParts.open(await zipParts({ ...parts, 'xl/image1.png': '\0' }));
  const read = (name: string) => archive.read(name, (xml) => xml);
  expect(await read('/xl/styles.xml')).toBe('<y/>');
  await expect(read('xl/theme.xml')).rejects.toThrow('its part xl/theme.xml is missing');
  await expect(read('xl/a.xml')).rejects.toThrow('its part xl/a.xml is there twice');
  await expect(read('xl/image1.png')).rejects.toThrow(
    'its part xl/image1.png has characters that are no UTF-8',
  );
});
