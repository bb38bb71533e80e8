/** A workbook's archive: each part is unpacked on request, under limits. */
import { type FileEntry, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js';
import { message, type Message, verbatim } from '../../core/message.ts';
import { FileRejected } from '../csv/open.ts';
import { decodeXml, XmlError } from './xml.ts';

/** Most bytes of a workbook's file; 100,000 payouts take some 4 MB. */
export const packedBytesMax = 33_554_432;
/** Most bytes of all parts, as the archive declares them before unpacking; 100,000 payouts take some 50 MB. */
const unpackedBytesMax = 134_217_728;
/** Most parts; a workbook has some ten, and one or more for each sheet. */
const partsMax = 2_000;

export const rejectTooLarge = (what: Message): FileRejected =>
  new FileRejected('workbook-too-large', message('workbook.too-large', { what }));

export const rejectCutShort = (): FileRejected =>
  new FileRejected('workbook-damaged', message('workbook.cut-short'));

/** Most characters of a name: names in a workbook may have any length. */
const nameCharactersMax = 100;

/** A name or a fault of a workbook, for a message. */
export const quoteBriefly = (text: string): Message => verbatim(text.slice(0, nameCharactersMax));

/**
 * Rejects a damaged workbook. Saving it again is no cure: a spreadsheet drops what it cannot read.
 * @param what the fault, and its place
 * @param line number of the row in the sheet
 */
export function rejectDamaged(what: Message, line: number | null = null): FileRejected {
  return new FileRejected('workbook-damaged', message('workbook.damaged', { what }), line);
}

/** Returns rejections unchanged, also those that the library has wrapped in its own error. */
function asRejection(error: unknown, partName = ''): FileRejected {
  if (error instanceof FileRejected) return error;
  if (error instanceof XmlError) {
    const [part, fault] = [quoteBriefly(partName), quoteBriefly(error.message)];
    return rejectDamaged(message('workbook.part-has', { part, fault }));
  }
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
    if (entries > partsMax) throw rejectTooLarge(message('workbook.many-parts', { most: partsMax }));
    unpackedBytes += entry.uncompressedSize;
    if (unpackedBytes > unpackedBytesMax)
      throw rejectTooLarge(message('workbook.many-unpacked-bytes', { most: unpackedBytesMax }));
    if (entry.encrypted) throw new FileRejected('workbook-encrypted', message('workbook.encrypted'));
    const key = keyOf(entry.filename);
    if (!entry.directory) parts.set(key, [...(parts.get(key) ?? []), entry]);
  }
  return parts;
}

function requireWorkbook(parts: ReadonlyMap<string, unknown>): void {
  if (parts.has('xl/workbook.xml')) return;
  throw new FileRejected('not-a-csv', message('workbook.no-workbook'));
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
    if (part === undefined)
      throw rejectDamaged(message('workbook.part-missing', { part: quoteBriefly(name) }));
    if (others.length > 0) throw rejectDamaged(message('workbook.part-twice', { part: quoteBriefly(name) }));
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
