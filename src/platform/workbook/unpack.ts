/** A workbook's archive: each part is unpacked on request, under limits. */
import { type FileEntry, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js';
import { FileRejected } from '../csv/open.ts';
import { decodeXml, XmlError } from './xml.ts';

/** Most bytes of a workbook's file; 100,000 payouts take some 4 MB. */
export const packedBytesMax = 33_554_432;
/** Most bytes of all parts, as the archive declares them before unpacking; 100,000 payouts take some 50 MB. */
const unpackedBytesMax = 134_217_728;
/** Most parts; a workbook has some ten, and one or more for each sheet. */
const partsMax = 2_000;

const asCsv = 'save the sheet as "CSV UTF-8" and give that file';

export const rejectTooLarge = (what: string): FileRejected =>
  new FileRejected('workbook-too-large', `the workbook ${what}: ${asCsv}, or split it`);

export const rejectCutShort = (): FileRejected =>
  new FileRejected('workbook-damaged', `the workbook is damaged or cut short: save it again, or ${asCsv}`);

/** Most characters of a quoted text: names in a workbook may have any length. */
const damageCharactersMax = 200;

/**
 * Rejects a damaged workbook. Saving it again is no cure: a spreadsheet drops what it cannot read.
 * @param what the fault, and its place
 * @param line number of the row in the sheet
 */
export function rejectDamaged(what: string, line: number | null = null): FileRejected {
  const cure = 'have the program that made it write it again, or give the rows as "CSV UTF-8"';
  const said = what.slice(0, damageCharactersMax);
  return new FileRejected('workbook-damaged', `the workbook is damaged, ${said}: ${cure}`, line);
}

/** Returns rejections unchanged, also those that the library has wrapped in its own error. */
function asRejection(error: unknown, partName?: string): FileRejected {
  if (error instanceof FileRejected) return error;
  if (error instanceof XmlError) return rejectDamaged(`its part ${partName} has ${error.message}`);
  return error instanceof Error && error.cause instanceof FileRejected ? error.cause : rejectCutShort();
}

/** Unpacks a part, up to the size that the archive declares. */
async function unpackPart(part: FileEntry): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  let bytes = 0;
  const sink = new WritableStream<Uint8Array>({
    write: (block) => {
      bytes += block.length;
      if (bytes > part.uncompressedSize) throw rejectCutShort();
      blocks.push(block);
    },
  });
  await part.getData(sink, { useWebWorkers: false, checkCrc32: true, checkOverlappingEntry: true });
  return Buffer.concat(blocks);
}

/** Key of a name: archive programs compare names without regard to case. */
const keyOf = (name: string): string => name.replace(/^\//, '').toLowerCase();

async function listParts(archive: ZipReader<unknown>): Promise<ReadonlyMap<string, readonly FileEntry[]>> {
  const parts = new Map<string, FileEntry[]>();
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
    const key = keyOf(entry.filename);
    if (!entry.directory) parts.set(key, [...(parts.get(key) ?? []), entry]);
  }
  return parts;
}

function requireWorkbook(parts: ReadonlyMap<string, unknown>): void {
  if (parts.has('xl/workbook.xml')) return;
  const what = 'a ZIP archive that holds no Excel workbook (.ods, .docx, .xlsb and the like are none)';
  throw new FileRejected(
    'not-a-csv',
    `the file is ${what}: save the sheet as .xlsx or "CSV UTF-8" and give that file`,
  );
}

/** The parts of a workbook, by name. */
export class WorkbookParts implements AsyncDisposable {
  readonly #archive: ZipReader<unknown>;
  readonly #parts: ReadonlyMap<string, readonly FileEntry[]>;

  private constructor(archive: ZipReader<unknown>, parts: ReadonlyMap<string, readonly FileEntry[]>) {
    this.#archive = archive;
    this.#parts = parts;
  }

  /** @throws FileRejected for a file that is not a workbook, or is damaged, encrypted or too large */
  static async open(bytes: Uint8Array): Promise<WorkbookParts> {
    const archive = new ZipReader(new Uint8ArrayReader(bytes), { useWebWorkers: false });
    try {
      const parts = await listParts(archive);
      requireWorkbook(parts);
      return new WorkbookParts(archive, parts);
    } catch (error) {
      await archive.close();
      throw asRejection(error);
    }
  }

  has(name: string): boolean {
    return this.#parts.has(keyOf(name));
  }

  /**
   * Reads what it needs from a part's XML.
   * @throws FileRejected when the part is missing, duplicated or damaged
   */
  async read<Taken>(name: string, take: (xml: string) => Taken): Promise<Taken> {
    const [part, ...others] = this.#parts.get(keyOf(name)) ?? [];
    if (part === undefined) throw rejectDamaged(`its part ${name} is missing`);
    if (others.length > 0) throw rejectDamaged(`its part ${name} is there twice`);
    try {
      return take(decodeXml(await unpackPart(part)));
    } catch (error) {
      throw asRejection(error, name);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#archive.close();
  }
}
