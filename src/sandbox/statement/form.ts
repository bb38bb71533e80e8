/** The form in which a statement's bytes are given out: as they are, gzip, or a ZIP that a key opens. */
import { pipeline, Readable } from 'node:stream';
import { constants, crc32, createGzip, deflateRawSync } from 'node:zlib';
import { configure, ZipWriter, type ZipWriterAddDataOptions } from '@zip.js/zip.js';
import type { IssuedFile } from './signed-statements.ts';

configure({ useWebWorkers: false });

const blockBytes = 1 << 20;

function* zeros(bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(blockBytes);
  for (let left = bytes; left > 0; left -= blockBytes) yield block.subarray(0, Math.min(left, blockBytes));
}

/** Deflated zeros: a block that is flushed can be repeated, so a great bomb is made at once. */
function* deflatedZeros(bytes: number): Generator<Buffer> {
  const deflate = (block: Buffer): Buffer => deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH });
  const whole = deflate(Buffer.alloc(blockBytes));
  for (const block of zeros(bytes)) yield block.length === blockBytes ? whole : deflate(block);
  yield deflateRawSync(Buffer.alloc(0));
}

function crc32OfZeros(bytes: number): number {
  let sum = 0;
  for (const block of zeros(bytes)) sum = crc32(block, sum);
  return sum;
}

async function writeEntries(
  writer: ZipWriter<unknown>,
  { table: { form, bombBytes }, csvName, damage }: IssuedFile,
  source: Iterable<Buffer>,
): Promise<void> {
  const add = (name: string, content: Iterable<Buffer>, options: ZipWriterAddDataOptions = {}) =>
    writer.add(name, ReadableStream.from<Uint8Array>(content), options);
  if (damage === 'bomb')
    await add(csvName, deflatedZeros(bombBytes), {
      passThrough: 'compressed',
      compressionMethod: 8,
      uncompressedSize: bombBytes,
      // A ZIP with AES has none.
      ...(form === 'zipcrypto' ? { crc32: crc32OfZeros(bombBytes) } : {}),
    });
  else await add(`${damage === 'path' ? '../../' : ''}${csvName}`, source);
  if (damage === 'two-entries') await add(`copy-of-${csvName}`, [Buffer.from('NO\r\n')]);
  await writer.close();
}

function zip(file: IssuedFile, source: Iterable<Buffer>): Readable {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const password = file.damage === 'wrong-key' ? `not ${file.unZipKey}` : file.unZipKey;
  const writer = new ZipWriter(writable, { password, zipCrypto: file.table.form === 'zipcrypto' });
  // Whoever reads hears of a failure through the stream; a client that has gone away needs to hear nothing.
  writeEntries(writer, file, source).catch((cause: unknown) => {
    writable.abort(cause).catch(() => {});
  });
  return Readable.fromWeb(readable);
}

function gzip(source: Iterable<Buffer>): Readable {
  const packed = createGzip();
  // Whoever reads hears of a failure through the stream itself.
  pipeline(source, packed, () => {});
  return packed;
}

/** The file's bytes, made as they are read. */
export function packStatement(file: IssuedFile, source: Iterable<Buffer>): Readable {
  const plain = file.damage === 'bomb' ? zeros(file.table.bombBytes) : source;
  switch (file.table.form) {
    case 'plain':
      return Readable.from(plain);
    case 'gzip':
      return gzip(plain);
    case 'zipcrypto':
    case 'aes':
      return zip(file, source);
  }
}
