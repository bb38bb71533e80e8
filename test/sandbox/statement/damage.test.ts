/** Files that a client must refuse, over real HTTP. */
import { gunzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import type { FileEntry } from '@zip.js/zip.js';
import { expect, test } from 'vitest';
import type { Damage, StatementTableInput } from '../../../src/sandbox/statement/table.ts';
import { openStatementBank, payThree } from '../../support/sandbox-statement-kit.ts';

const bombBytes = 5_000_000;

/** The answer at the signed address of a statement of three lines, and the file as it would be undamaged. */
async function fetchDamaged(damage: Damage, table: StatementTableInput = {}) {
  const bank = await openStatementBank({ bombBytes, ...table, damages: [{ damage, toIssue: 1 }] });
  await payThree(bank);
  const { storageSignedUrl = '', unZipKey = '' } = await bank.statement();
  const response = await fetch(storageSignedUrl, { redirect: 'manual' });
  return { bank, response, unZipKey, storageSignedUrl, undamaged: await bank.download() };
}

const lengthOf = (response: Response) => response.headers.get('content-length');

test('truncated: half of it, as if that were all', async () => {
  const { response, undamaged } = await fetchDamaged('truncated');
  const half = Buffer.from(await response.arrayBuffer());
  expect(half).toEqual(undamaged.subarray(0, Math.floor(undamaged.length / 2)));
});

test('cut: the connection is closed in the middle', async () => {
  const { response, undamaged } = await fetchDamaged('cut');
  expect(lengthOf(response)).toBe(String(undamaged.length));
  await expect(response.arrayBuffer()).rejects.toThrow();
});

test('short-length: less is announced than comes', async () => {
  const { response, undamaged } = await fetchDamaged('short-length');
  expect(lengthOf(response)).toBe(String(Math.floor(undamaged.length / 2)));
});

test('html: a page with status 200', async () => {
  const { response } = await fetchDamaged('html', { form: 'aes' });
  expect(response.status).toBe(200);
  expect(await response.text()).toMatch(/^<!doctype html>/);
});

test('redirect: to another scheme', async () => {
  const { response } = await fetchDamaged('redirect');
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('ftp://127.0.0.1/statement.csv');
});

test('moved: to where the file is', async () => {
  const { response, undamaged, storageSignedUrl } = await fetchDamaged('moved');
  const address = new URL(response.headers.get('location') ?? '', storageSignedUrl);
  expect(Buffer.from(await (await fetch(address)).arrayBuffer())).toEqual(undamaged);
});

test.each([
  ['endless', null],
  ['huge', '10000000000'],
] as const)('%s: it goes on for as long as anybody reads', async (damage, length) => {
  const { response } = await fetchDamaged(damage);
  expect(lengthOf(response)).toBe(length);
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > 3_000_000) break;
  }
  expect(bytes).toBeGreaterThan(3_000_000);
});

async function readEntries(bytes: ArrayBuffer): Promise<FileEntry[]> {
  await using reader = new ZipReader(new Uint8ArrayReader(new Uint8Array(bytes)));
  return (await reader.getEntries({ filenameValidation: 'tolerant' })) as FileEntry[];
}

const open = (entry: FileEntry | undefined, password: string) =>
  entry?.getData(new Uint8ArrayWriter(), { password, useWebWorkers: false });

test.each(['zipcrypto', 'aes'] as const)('bomb: a small %s of zeros that opens', async (form) => {
  const { response, unZipKey } = await fetchDamaged('bomb', { form });
  const bytes = await response.arrayBuffer();
  expect(bytes.byteLength).toBeLessThan(bombBytes / 500);
  const [entry] = await readEntries(bytes);
  expect(entry?.uncompressedSize).toBe(bombBytes);
  expect(Buffer.alloc(bombBytes).equals((await open(entry, unZipKey)) ?? Buffer.alloc(0))).toBe(true);
});

test('bomb: a small gzip of zeros', async () => {
  const { response } = await fetchDamaged('bomb', { form: 'gzip' });
  expect(Buffer.alloc(bombBytes).equals(gunzipSync(await response.arrayBuffer()))).toBe(true);
});

test.each([
  ['path', ['../../PARTNER001_PROXY_20261121.csv']],
  ['two-entries', ['PARTNER001_PROXY_20261121.csv', 'copy-of-PARTNER001_PROXY_20261121.csv']],
] as const)('%s: names %j', async (damage, names) => {
  const { response, unZipKey } = await fetchDamaged(damage, { form: 'aes' });
  const entries = await readEntries(await response.arrayBuffer());
  expect(entries.map(({ filename }) => filename)).toEqual(names);
  expect(Buffer.from((await open(entries[0], unZipKey)) ?? []).toString()).toMatch(/^NO,/);
});

test.each(['zipcrypto', 'aes'] as const)('wrong-key: a %s that the key does not open', async (form) => {
  const { response, unZipKey } = await fetchDamaged('wrong-key', { form, unZipKey: 'right' });
  const [entry] = await readEntries(await response.arrayBuffer());
  await expect(open(entry, unZipKey)).rejects.toThrow();
  expect(Buffer.from((await open(entry, 'not right')) ?? []).toString()).toMatch(/^NO,/);
});
