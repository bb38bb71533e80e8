/** What is said of a person's file before it is taken for a statement. */
import { message } from '../../src/core/message.ts';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findDay, findNoFile } from '../../src/app/reconcile.ts';
import type { FetchContext } from '../../src/reconcile/fetch.ts';
import { makeStatementReader } from '../../src/reconcile/file/reader.ts';
import { makeStatementUnpacker } from '../../src/reconcile/file/unpacker.ts';
import { readZipKey } from '../../src/settings/secrets.ts';
import { csv, header, readerDefaults, row } from '../support/statement-file-kit.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** The two parts of a kit that a day is found with. */
const makeKit = (): FetchContext =>
  ({
    unpacker: makeStatementUnpacker({ folder, bytesMax: 1_000_000 }),
    reader: makeStatementReader(readerDefaults),
  }) as unknown as FetchContext;

async function put(content: string | Uint8Array, name = 'mine.csv'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test('what is no file is told apart', async () => {
  expect(await findNoFile(join(folder, 'nope.csv'))).toMatchObject({ code: 'file-missing' });
  await mkdir(join(folder, 'a'));
  expect(await findNoFile(join(folder, 'a'))).toMatchObject({ code: 'file-directory' });
  await symlink('a', join(folder, 'b'));
  expect(await findNoFile(join(folder, 'b'))).toMatchObject({ code: 'file-link' });
  expect(await findNoFile(await put(''))).toBeUndefined();
});

test.each([
  ['its name', '', 'P_C_PROXY_20261120.csv', '20261120'],
  ['its name, packed', 'PK', 'P_C_PROXY_20261120.csv.zip', '20261120'],
  ['its lines', csv([row(1, { 'EFFECTIVE DATE': '20261119' })]), 'mine.csv', '20261119'],
  [
    'its lines that have a day',
    csv([row(1, { STATUS: '030003', 'EFFECTIVE DATE': '' }), row(2)]),
    'mine.csv',
    '20261120',
  ],
  [
    'its lines that can be read',
    csv([row(1, { 'EFFECTIVE DATE': '25691120' }), row(2)]),
    'mine.csv',
    '20261120',
  ],
  ['a line that cannot be read, by its day', csv([row(1, { AMOUNT: 'x' })]), 'mine.csv', '20261120'],
  ['its lines, where the name has no day', csv([row(1)]), 'mine_20261399.csv', '20261120'],
])('the day is told by %s', async (_, content, name, expected) => {
  expect(await findDay(makeKit(), await put(content, name), undefined)).toBe(expected);
});

test('a day that is asked for counts, unless the name of the file tells another', async () => {
  const path = await put(csv([row(1)]));
  expect(await findDay(makeKit(), path, '20261118')).toBe('20261118');
  const named = await put(csv([row(1)]), 'P_C_PROXY_20261120.csv');
  expect(await findDay(makeKit(), named, '20261120')).toBe('20261120');
  await expect(findDay(makeKit(), named, '20261118')).rejects.toThrow(
    '--date says 2026-11-18, and the name of the file 2026-11-20: leave --date out',
  );
});

test('a name with a day of the Buddhist era says how the file is to be called', async () => {
  const name = 'P_C_PROXY_25691120.csv';
  const path = await put(csv([row(1)]), name);
  const rename = /the name of the file says 25691120, which is of the Buddhist era: rename it to (\S+) if/;
  for (const asked of [undefined, '20261120']) {
    const refused = await findDay(makeKit(), path, asked).catch((error: unknown) => error);
    expect(refused).toMatchObject({ message: expect.stringMatching(rename) });
    const [, cure = ''] = rename.exec(String(refused)) ?? [];
    expect(await findDay(makeKit(), await put(csv([row(1)]), cure), asked)).toBe('20261120');
  }
});

test.each([
  ['a web page', '<html></html>', 'form-unknown'],
  ['an empty file', '', 'form-unknown'],
  ['another table', 'a,b\r\n1,2\r\n', 'header-missing'],
  ['a file of another calendar', csv([row(1, { 'EFFECTIVE DATE': '25691120' })]), 'lines-unreadable'],
  ['a ZIP that is none', 'PK\x03\x04', 'zip-truncated'],
])('%s is refused for what it is, not for its name', async (_, content, code) => {
  expect(await findDay(makeKit(), await put(content), undefined)).toMatchObject({ code });
});

test.each([
  ['has no lines', `${header}\r\n`],
  ['has lines of several days', csv([row(1), row(2, { 'EFFECTIVE DATE': '20261119' })])],
])('a day is asked for when the file %s', async (_, content) => {
  await expect(findDay(makeKit(), await put(content), undefined)).rejects.toThrow('add --date YYYY-MM-DD');
});

test('an encrypted ZIP that a person has is read with a key from a file or the environment', async () => {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  const statement = Buffer.from(csv([row(1, { 'EFFECTIVE DATE': '20261119' })]));
  await writer.add('s.csv', new Uint8ArrayReader(statement), { password: 'k3y', encryptionStrength: 3 });
  const path = await put(await writer.close(), 'mine.zip');
  expect(await findDay(makeKit(), path, undefined)).toMatchObject({
    code: 'zip-key-missing',
    message: message('statement-zip.key-missing'),
  });
  const keyFile = await put('k3y\n', 'key');
  await chmod(keyFile, 0o600);
  const readDay = (file: string | undefined, env: Record<string, string>) =>
    findDay(makeKit(), path, undefined, readZipKey(file, env));
  expect(await readDay(keyFile, {})).toBe('20261119');
  expect(await readDay('nowhere', { PAYDROP_UNZIP_KEY: 'k3y' })).toBe('20261119');
  expect(await readDay(keyFile, { PAYDROP_UNZIP_KEY: 'other' })).toMatchObject({ code: 'zip-key-wrong' });
  await chmod(keyFile, 0o644);
  expect(() => readZipKey(keyFile, {})).toThrow(`--key-file ${keyFile} is open to every user`);
  expect(readZipKey(undefined, { PAYDROP_UNZIP_KEY: '' })).toBeNull();
});
