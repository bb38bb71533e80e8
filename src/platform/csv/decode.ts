/** The text of an inspected file, in blocks: what payout files and statements are read from. */
import type { Inspection } from '../../core/payout-file.ts';
import { type OpenedFile, readBlocks } from './open.ts';
import { headBytes } from './records.ts';

/** A few hundred rows: the fewer live at once, the fewer outlive the young generation and swell the heap. */
const stretchBytes = 16_384;

/**
 * The file's text as UTF-8 without its mark, block by block.
 * @param take sees the bytes as they are on the disk
 */
export async function* decodeBlocks(
  file: OpenedFile,
  { encoding, bomBytes }: Inspection,
  take: (bytes: Buffer) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding, { fatal: true });
  let skip = bomBytes;
  for await (const block of readBlocks(file.handle)) {
    take(block);
    const text = block.subarray(skip);
    skip = Math.max(0, skip - block.length);
    yield decoder === undefined ? text : Buffer.from(decoder.decode(text, { stream: true }));
  }
  if (decoder !== undefined) yield Buffer.from(decoder.decode());
}

/** The first blocks, enough for any header; `isWhole` when there is nothing behind them. */
export async function gatherHead(
  blocks: AsyncGenerator<Buffer>,
): Promise<{ readonly head: Buffer; readonly isWhole: boolean }> {
  let head = Buffer.alloc(0);
  while (head.length < headBytes) {
    const next = await blocks.next();
    if (next.done === true) return { head, isWhole: true };
    head = Buffer.concat([head, next.value]);
  }
  return { head, isWhole: false };
}

/** The first stretch is no longer than the others: what lives long at the start is taken for long-lived ever after. */
export function* cutIntoStretches(block: Buffer): Generator<Buffer> {
  for (let from = 0; from < block.length; from += stretchBytes)
    yield block.subarray(from, from + stretchBytes);
}
