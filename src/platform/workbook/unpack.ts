/**
 * The parts of a workbook that hold its cells, taken out of its archive under limits and packed anew without compression.
 * What reads them next meets one archive that cannot be read in two ways, and nothing that it would have to unpack.
 */
import {
  type Entry,
  type FileEntry,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
} from '@zip.js/zip.js';
import { FileRejected } from '../csv/open.ts';

/** A workbook's file; 100,000 payouts take some 4 MB. */
export const packedBytesMax = 33_554_432;
/** All its parts, by what the archive says of them before anything is unpacked; 100,000 payouts take some 50 MB. */
const unpackedBytesMax = 134_217_728;
/** A workbook has some ten, and one or more for each sheet. */
const partsMax = 2_000;

const asCsv = 'save the sheet as "CSV UTF-8" and give that file';

export const rejectTooLarge = (what: string): FileRejected =>
  new FileRejected('workbook-too-large', `the workbook ${what}: ${asCsv}, or split it`);

export const rejectDamaged = (): FileRejected =>
  new FileRejected('workbook-damaged', `the workbook is damaged or cut short: save it again, or ${asCsv}`);

const cellParts =
  /^(?:\[Content_Types\]\.xml|_rels\/\.rels|xl\/(?:[\w.-]+\.xml|_rels\/[\w.-]+\.rels|worksheets\/[\w.-]+\.xml))$/i;

const isCellPart = (entry: Entry): entry is FileEntry =>
  !entry.directory && cellParts.test(entry.filename.replace(/^\//, ''));

async function listParts(archive: ZipReader<unknown>): Promise<readonly FileEntry[]> {
  const parts = new Map<string, FileEntry>();
  let [entries, unpackedBytes] = [0, 0];
  for await (const entry of archive.getEntriesGenerator()) {
    entries += 1;
    if (entries > partsMax) throw rejectTooLarge(`has more than ${partsMax} parts`);
    unpackedBytes += entry.uncompressedSize;
    if (unpackedBytes > unpackedBytesMax)
      throw rejectTooLarge(`unpacks to more than ${unpackedBytesMax} bytes`);
    if (entry.encrypted)
      throw new FileRejected(
        'workbook-encrypted',
        `the workbook is encrypted: save it without a password, or ${asCsv}`,
      );
    if (!isCellPart(entry)) continue;
    if (parts.has(entry.filename.toLowerCase())) throw rejectDamaged();
    parts.set(entry.filename.toLowerCase(), entry);
  }
  return [...parts.values()];
}

/** Unpacks a part, and no more of it than the archive has said that there is. */
async function unpackPart(part: FileEntry): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  let bytes = 0;
  const sink = new WritableStream<Uint8Array>({
    write: (block) => {
      bytes += block.length;
      if (bytes > part.uncompressedSize) throw rejectDamaged();
      blocks.push(block);
    },
  });
  await part.getData(sink, { useWebWorkers: false, checkCrc32: true, checkOverlappingEntry: true });
  return Buffer.concat(blocks);
}

/** Fixed, so that the same parts are the same bytes. */
const lastModDate = new Date(Date.UTC(1980, 0, 2));

/** Between us and our own rejection the library may have put errors of its own. */
function asRejection(error: unknown): FileRejected {
  if (error instanceof FileRejected) return error;
  return error instanceof Error && error.cause instanceof FileRejected ? error.cause : rejectDamaged();
}

/**
 * Packs what holds cells anew.
 * @throws FileRejected for a workbook that is damaged, encrypted, too large, or none
 */
export async function repackCells(bytes: Uint8Array): Promise<Uint8Array> {
  const archive = new ZipReader(new Uint8ArrayReader(bytes), { useWebWorkers: false });
  try {
    const parts = await listParts(archive);
    if (!parts.some(({ filename }) => filename.endsWith('xl/workbook.xml'))) {
      const what = 'a ZIP archive that holds no Excel workbook (.ods, .docx, .xlsb and the like are none)';
      throw new FileRejected(
        'not-a-csv',
        `the file is ${what}: save the sheet as .xlsx or "CSV UTF-8" and give that file`,
      );
    }
    const packed = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, level: 0, lastModDate });
    for (const part of parts) await packed.add(part.filename, new Uint8ArrayReader(await unpackPart(part)));
    return await packed.close();
  } catch (error) {
    throw asRejection(error);
  } finally {
    await archive.close();
  }
}
