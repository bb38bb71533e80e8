/**
 * Reads one sheet of a workbook as rows of texts. A separate thread does it, with limits of memory and time: a
 * malicious workbook can only stop that thread.
 */
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { message } from '../../core/message.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import { FileRejected, type OpenedFile } from '../csv/open.ts';
import type { SheetChoice, SheetHead, SheetRow } from './sheet.ts';
import { packedBytesMax, rejectTooLarge } from './unpack.ts';

/** Start data of the thread. */
export interface ReadOrder extends SheetChoice {
  readonly bytes: Uint8Array;
}

/** Replies of the thread, one per request: the head, the rows in pages, the end; or, at any point, a rejection. */
export type ReadReply =
  | { readonly kind: 'head'; readonly head: SheetHead }
  | { readonly kind: 'rows'; readonly rows: readonly SheetRow[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'rejected'; readonly rejection: FileRejection };

interface ReadLimits {
  /** Time in ms for each reply; the first one takes nearly all of it. */
  readonly timeoutMs: number;
  readonly heapMb: number;
}

/** Limits; 100,000 payouts take some 10 seconds and 500 MB. @forTests */
export const usualLimits: ReadLimits = { timeoutMs: 60_000, heapMb: 1_024 };

/** The thread's file has this module's extension, in the sources and in the build. */
const threadUrl = new URL(`./read-thread${extname(import.meta.filename)}`, import.meta.url);

/** First bytes of an archive, such as a workbook. */
const archiveStart = Buffer.from([0x50, 0x4b, 0x03, 0x04]);

/** True for bytes that begin like a workbook. */
const isArchive = (head: Uint8Array): boolean => archiveStart.equals(head.subarray(0, archiveStart.length));

/** The same for an opened file. */
export async function beginsAsArchive({ handle }: OpenedFile): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(archiveStart.length),
    0,
    archiveStart.length,
    0,
  );
  return bytesRead === archiveStart.length && isArchive(buffer);
}

/**
 * All bytes of a workbook's file.
 * @throws FileRejected when there are too many
 */
export async function readWorkbookBytes({ handle, sizeBytes }: OpenedFile): Promise<Uint8Array<ArrayBuffer>> {
  if (sizeBytes > packedBytesMax)
    throw rejectTooLarge(message('workbook.many-bytes', { most: packedBytesMax }));
  const bytes = new Uint8Array(sizeBytes);
  const { bytesRead } = await handle.read(bytes, 0, sizeBytes, 0);
  return bytesRead === sizeBytes ? bytes : bytes.slice(0, bytesRead);
}

async function ask(thread: Worker, { timeoutMs }: ReadLimits): Promise<ReadReply> {
  const signal = AbortSignal.timeout(timeoutMs);
  thread.postMessage('next', []);
  try {
    const [reply] = (await once(thread, 'message', { signal })) as [ReadReply];
    return reply;
  } catch (error) {
    if (signal.aborted) throw rejectTooLarge(message('workbook.slow', { seconds: timeoutMs / 1000 }));
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw rejectTooLarge(message('workbook.much-memory'));
    throw new Error('the thread that reads a workbook has failed', { cause: error });
  }
}

/**
 * Reads one sheet: its head first, then its rows in pages; rows that show nothing are left out.
 * @throws FileRejected for a file that is not a workbook, or is damaged, encrypted, empty or too large
 */
export async function* readSheet(
  bytes: Uint8Array<ArrayBuffer>,
  { preferredName }: SheetChoice = {},
  limits: ReadLimits = usualLimits,
): AsyncGenerator<SheetHead | readonly SheetRow[]> {
  const order: ReadOrder = { bytes, ...(preferredName === undefined ? {} : { preferredName }) };
  const resourceLimits = { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 32 };
  const thread = new Worker(threadUrl, { workerData: order, transferList: [bytes.buffer], resourceLimits });
  try {
    for (;;) {
      const reply = await ask(thread, limits);
      if (reply.kind === 'end') return;
      if (reply.kind === 'rejected') {
        const { code, message: why, line, column } = reply.rejection;
        throw new FileRejected(code, why, line, column);
      }
      yield reply.kind === 'head' ? reply.head : reply.rows;
    }
  } finally {
    await thread.terminate();
  }
}
