import { sayRejection } from '../../support/payout-file-kit.ts';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter, type ZipWriterAddDataOptions } from '@zip.js/zip.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeStatementUnpacker } from '../../../src/reconcile/file/unpacker.ts';
import { csv, row } from '../../support/statement-file-kit.ts';

type UnpackerOptions = Parameters<typeof makeStatementUnpacker>[0];

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-archive-'));
});
afterEach(() => rm(folder, { recursive: true }));

const key = 'k3y-of-the-day';
const bytesMax = 100_000_000;
const statement = csv(Array.from({ length: 300 }, (_, at) => row(at + 1)));
const text = Buffer.from(statement);

type Entry = readonly [name: string, content: Uint8Array, options?: ZipWriterAddDataOptions];

async function zip(...entries: readonly Entry[]): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [name, content, options] of entries)
    await writer.add(name, new Uint8ArrayReader(content), options);
  return Buffer.from(await writer.close());
}

const crypto = { password: key, zipCrypto: true };
const aes = (encryptionStrength: 1 | 2 | 3) => ({ password: key, encryptionStrength });

/** Opens these bytes, and tells what came of it and what was left behind. */
async function open(bytes: Uint8Array, withKey: string | null = key, changes: Partial<UnpackerOptions> = {}) {
  const path = join(folder, '20261120.0123456789.original.bin');
  await writeFile(path, bytes);
  const unpacker = makeStatementUnpacker({ folder, bytesMax, ...changes });
  const opened = await unpacker.open(path, withKey);
  if (opened.kind === 'refused')
    return { ...sayRejection(opened.refusal), left: (await readdir(folder)).length - 1 };
  await using statementFile = opened;
  const { mode } = await stat(statementFile.path);
  return { form: opened.form, text: await readFile(opened.path, 'utf8'), isPrivate: (mode & 0o077) === 0 };
}

describe('a statement is opened', () => {
  test.each<[string, string, () => Uint8Array | Promise<Uint8Array>]>([
    ['as gzip', 'gzip', () => gzipSync(text)],
    [
      'as gzip in two members',
      'gzip',
      () => Buffer.concat([gzipSync(text.subarray(0, 99)), gzipSync(text.subarray(99))]),
    ],
    ['as a ZIP without a key', 'zip', () => zip(['P_PROXY_20261120.csv', text])],
    ['as a ZIP that is stored', 'zip', () => zip(['s.csv', text, { level: 0 }])],
    ['as a ZIP under ZipCrypto', 'zip', () => zip(['s.csv', text, crypto])],
    ['as a ZIP under ZipCrypto that is stored', 'zip', () => zip(['s.csv', text, { ...crypto, level: 0 }])],
    ['as a ZIP under AES-128', 'zip', () => zip(['s.csv', text, aes(1)])],
    ['as a ZIP under AES-256', 'zip', () => zip(['s.csv', text, aes(3)])],
    ['as a ZIP64', 'zip', () => zip(['s.csv', text, { zip64: true }])],
  ])('%s', async (_, form, make) => {
    expect(await open(await make())).toEqual({ form, text: statement, isPrivate: true });
    expect(await readdir(folder)).toHaveLength(1);
  });

  test('as it is when it is plain, which is not copied', async () => {
    const path = join(folder, 's.csv');
    await writeFile(path, text);
    const opened = await makeStatementUnpacker({ folder, bytesMax }).open(path, null);
    expect(opened).toMatchObject({ kind: 'opened', form: 'plain', path });
    if (opened.kind === 'opened') await opened[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual(['s.csv']);
  });
});

/** The archive without its last bytes; with one byte in its middle changed. */
const cut = async (whole: Promise<Uint8Array> | Uint8Array, bytes: number) =>
  (await whole).subarray(0, -bytes);
const damage = async (whole: Promise<Uint8Array> | Uint8Array) => {
  const bytes = Buffer.from(await whole);
  bytes[Math.floor(bytes.length / 2)]! ^= 0x55;
  return bytes;
};
/** The compression method, in both headers of a ZIP, made into one that nobody knows. */
const unknownMethod = async () => {
  const bytes = await zip(['s.csv', text]);
  bytes.writeUInt16LE(99 - 1, 8);
  bytes.writeUInt16LE(99 - 1, bytes.indexOf('PK\x01\x02') + 10);
  return bytes;
};
/** The archive with what a function does to it; `local` and `central` are where its two records of the file begin. */
const forge = async (
  change: (bytes: Buffer, local: number, central: number) => Uint8Array | void,
): Promise<Uint8Array> => {
  const bytes = await zip(['s.csv', text]);
  return change(bytes, 0, bytes.indexOf('PK\x01\x02')) ?? bytes;
};
const endSignature = 'PK\x05\x06';
const lines = (count: number) => Buffer.from(`${'0,'.repeat(50)}\n`.repeat(count));

describe('is refused clearly, and nothing is left behind', () => {
  test.each<[string, () => Uint8Array | Promise<Uint8Array>, string]>([
    ['an empty file', () => Buffer.alloc(0), 'form-unknown'],
    ['a web page', () => Buffer.from('\n<!DOCTYPE html><html>'), 'form-unknown'],
    ['a JSON text', () => Buffer.from('{"error":1}'), 'form-unknown'],
    ['a 7z archive', () => Buffer.from("7z\xbc\xaf'\x1c\0\0", 'latin1'), 'form-unknown'],
    ['bytes that are no text', () => Buffer.from([65, 0, 1, 2]), 'form-unknown'],
    ['gzip cut short', () => cut(gzipSync(text), 12), 'gzip-damaged'],
    ['gzip with a damaged byte', () => damage(gzipSync(text)), 'gzip-damaged'],
    ['a ZIP in gzip', async () => gzipSync(await zip(['s.csv', text])), 'archive-content'],
    ['a web page in a ZIP', () => zip(['s.csv', Buffer.from('<html>')]), 'archive-content'],
    ['an empty file in a ZIP', () => zip(['s.csv', Buffer.alloc(0)]), 'archive-content'],
    ['a ZIP with nothing in it', () => zip(), 'zip-entries'],
    ['a ZIP with two files', () => zip(['a.csv', text], ['b.csv', text]), 'zip-entries'],
    ['a ZIP with a folder', () => zip(['a/', Buffer.alloc(0), { directory: true }]), 'zip-entries'],
    [
      'a ZIP with a folder and a file',
      () => zip(['a/', Buffer.alloc(0), { directory: true }], ['b', text]),
      'zip-entries',
    ],
    ['a path in the ZIP', () => zip(['a/s.csv', text]), 'zip-path'],
    ['a path that leads out', () => zip(['../s.csv', text]), 'zip-path'],
    ['a path from the root', () => zip(['/etc/s.csv', text]), 'zip-path'],
    ['a path of another system', () => zip(['a\\s.csv', text]), 'zip-path'],
    ['a ZIP cut short', () => cut(zip(['s.csv', text]), 40), 'zip-truncated'],
    ['half a ZIP', () => cut(zip(['s.csv', text, aes(3)]), 1_000), 'zip-truncated'],
    ['a ZIP with a damaged byte', () => damage(zip(['s.csv', text])), 'zip-damaged'],
    ['the same, stored', () => damage(zip(['s.csv', text, { level: 0 }])), 'zip-damaged'],
    ['the same, under ZipCrypto', () => damage(zip(['s.csv', text, crypto])), 'zip-key-wrong'],
    ['the same, under AES', () => damage(zip(['s.csv', text, aes(3)])), 'zip-key-wrong'],
    ['an unknown method', unknownMethod, 'zip-method'],
    [
      'another name before the file',
      () => forge((zipped) => void zipped.write('t.csv', 30)),
      'zip-disagrees',
    ],
    [
      'another method before the file',
      () => forge((zipped, local) => void zipped.writeUInt16LE(0, local + 8)),
      'zip-disagrees',
    ],
    [
      'another size before the file',
      () =>
        forge((zipped, local) => {
          zipped.writeUInt16LE(zipped.readUInt16LE(local + 6) & ~8, local + 6);
          zipped.writeUInt32LE(99, local + 18);
          zipped.writeUInt32LE(99, local + 22);
        }),
      'zip-disagrees',
    ],
    [
      'a table of contents that counts two files and has one',
      () => forge((zipped) => void zipped.writeUInt16LE(2, zipped.lastIndexOf(endSignature) + 10)),
      'zip-damaged',
    ],
    [
      'a second table of contents',
      async () => {
        const other = await zip(['t.csv', lines(3)]);
        return forge((zipped) => Buffer.concat([zipped, other]));
      },
      'zip-disagrees',
    ],
    ['bytes before the file', () => forge((zipped) => Buffer.concat([lines(1), zipped])), 'form-unknown'],
    ['a ZIP of another key', () => zip(['s.csv', text, { ...aes(3), password: 'other' }]), 'zip-key-wrong'],
  ])('%s', async (_, make, code) => {
    const found = await open(await make());
    expect(found).toMatchObject({ code, left: 0, line: null });
    expect(found).toHaveProperty('message', expect.stringMatching(/as a file|fetch the statement again/));
    expect(JSON.stringify(found)).not.toContain(key);
  });

  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['a web page', Buffer.from('<html>')],
    ['a JSON text', Buffer.from('{}')],
  ])('%s is not to be opened by hand', async (_, bytes) => {
    expect(JSON.stringify(await open(bytes))).not.toMatch(/by hand|7-Zip|as a file/);
  });

  test('a ZIP that is encrypted, without a key', async () => {
    const missing = await open(await zip(['s.csv', text, aes(3)]), null);
    expect(missing).toMatchObject({
      code: 'zip-key-missing',
      // Typed on a command line, every user of the machine could read the key.
      message: expect.not.stringMatching(/-p<key>/),
    });
    expect(await open(await zip(['s.csv', text, crypto]), '')).toMatchObject({ code: 'zip-key-missing' });
  });

  test('two files in a ZIP by their names', async () => {
    const found = await open(await zip(['a.csv', text], ['b.csv', text]));
    expect(found).toHaveProperty(
      'message',
      expect.stringMatching(/a\.csv, b\.csv.*7-Zip, which asks for the key/),
    );
  });

  // One in 256 wrong keys passes ZipCrypto's own check, as these do: what comes out then is nonsense.
  test.each([
    [
      'wrong-8',
      'UEsDBBQACQAAAAAAdF0AAAAAAAAAAAAAAAAFAAAAcy5jc3bQdpfHnh6XmuyO+oJId0Ft2xXr/fyzSREyDhtH3VBLBwic9wNSHQAAABEAAABQSwECAAMUAAkAAAAAAHRdnPcDUh0AAAARAAAABQAAAAAAAAAAAAAApIEAAAAAcy5jc3ZQSwUGAAAAAAEAAQAzAAAAUAAAAAAA',
    ],
    [
      'wrong-30',
      'UEsDBBQACQAIAAAAdF0AAAAAAAAAAAAAAAAFAAAAcy5jc3Ywq5uSYj/YiPZBkjM6nBODpmWdyGD0t3NpkBwBuvYBUEsHCJz3A1IfAAAAEQAAAFBLAQIAAxQACQAIAAAAdF2c9wNSHwAAABEAAAAFAAAAAAAAAAAAAACkgQAAAABzLmNzdlBLBQYAAAAAAQABADMAAABSAAAAAAA=',
    ],
  ])('a wrong key that ZipCrypto takes at first: %s', async (wrong, base64) => {
    const bytes = Buffer.from(base64, 'base64');
    expect(await open(bytes, 'right')).toMatchObject({ text: 'NO,AMOUNT\n1,1.00\n' });
    expect(await open(bytes, wrong)).toMatchObject({ code: 'zip-key-wrong', left: 0 });
  });

  test.each(['gzip', 'zip'])('a bomb in a %s, as soon as it shows', async (kind) => {
    const bomb = Buffer.alloc(4_000_000, 'x');
    const bytes = kind === 'gzip' ? gzipSync(bomb) : await zip(['s.csv', bomb]);
    const limits = { ratioFromBytes: 1_000_000 };
    expect(await open(bytes, key, limits)).toMatchObject({ code: 'archive-bomb', left: 0 });
    expect(await open(bytes, key, { bytesMax: 2_000_000 })).toMatchObject({
      code: 'statement-too-large',
      left: 0,
    });
    expect(await open(bytes, key, { ratioFromBytes: 8_000_000 })).toMatchObject({ text: bomb.toString() });
  });

  test('a ZIP whose header tells a smaller size than it has', async () => {
    const bytes = await zip(['s.csv', lines(20_000)]);
    bytes.writeUInt32LE(10, bytes.indexOf('PK\x01\x02') + 24);
    expect(await open(bytes)).toMatchObject({ left: 0, code: expect.stringMatching(/^zip-/) });
  });

  test('a table of contents that would fill the memory', async () => {
    const end = await zip(['s.csv', text]).then((bytes) => bytes.subarray(bytes.lastIndexOf('PK\x05\x06')));
    const table = Buffer.alloc(2_000_000);
    table.write('PK\x01\x02');
    end.writeUInt32LE(table.length, 12);
    end.writeUInt32LE(4, 16);
    const bytes = Buffer.concat([Buffer.from('PK\x03\x04'), table, end]);
    const found = await open(bytes);
    expect(found).toMatchObject({
      code: 'zip-damaged',
      left: 0,
      message: expect.stringContaining('far too long'),
    });
  });

  test('a plain statement that is too large', async () => {
    expect(await open(text, null, { bytesMax: 1_000 })).toMatchObject({ code: 'statement-too-large' });
  });
});
