/** What comes out of a packed statement, held against limits as it comes, whatever the archive says of itself. */
import type { FileHandle } from 'node:fs/promises';
import { FileRejected } from '../../platform/csv/open.ts';
import { failWith } from '../../platform/durable-file.ts';
import { findForm, formBytes } from './form.ts';

export interface OpenerOptions {
  /** Where archives are unpacked. */
  readonly folder: string;
  /** Of the plain text. */
  readonly bytesMax: number;
  /** How many times its own size an archive may hold, beyond `ratioFromBytes`: 200 beyond 10 MiB when left out. */
  readonly ratioMax?: number;
  readonly ratioFromBytes?: number;
}

/** An archive as it lies on the disk. */
export interface PackedFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  readonly key: string | null;
}

/** A list of like lines shrinks to a fiftieth at most; a bomb to a thousandth. */
const usualRatioMax = 200;
const usualRatioFromBytes = 10_485_760;

/** What every refusal of a packed form ends with. */
export const byHand =
  'open it by hand (7z x -p<key> FILE, or with whatever the bank says it is) and go on with --file and what comes out';

export const throwTooLarge = (bytesMax: number): never => {
  throw new FileRejected(
    'statement-too-large',
    `the statement has more than ${bytesMax} bytes: raise reconcile.maxBytes`,
  );
};

/** Writes what comes out of an archive, and counts it. */
export class Unpacked {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #options: OpenerOptions;
  readonly #packedBytes: number;
  #sizeBytes = 0;
  #head = Buffer.alloc(0);
  /** What ended the unpacking on our side; a library in between may have wrapped it. */
  fault: Error | undefined;

  constructor(handle: FileHandle, path: string, options: OpenerOptions, packedBytes: number) {
    this.#handle = handle;
    this.#path = path;
    this.#options = options;
    this.#packedBytes = packedBytes;
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      this.#weigh(bytes);
      await this.#handle.writeFile(bytes).catch((error: unknown) => {
        throw failWith('write', this.#path, error);
      });
    } catch (error) {
      this.fault = error as Error;
      throw error;
    }
  }

  #weigh(bytes: Uint8Array): void {
    const { bytesMax, ratioMax = usualRatioMax, ratioFromBytes = usualRatioFromBytes } = this.#options;
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > bytesMax) throwTooLarge(bytesMax);
    if (this.#sizeBytes > ratioFromBytes && this.#sizeBytes > this.#packedBytes * ratioMax) {
      const message = `the archive unpacks to more than ${ratioMax} times its size, as no statement does: look at it, then ${byHand}`;
      throw new FileRejected('archive-bomb', message);
    }
    const wanted = formBytes - this.#head.length;
    if (wanted > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, wanted)]);
  }

  /** @throws FileRejected when what came out is no text */
  requireText(): void {
    const { form, what } = findForm(this.#head);
    if (form !== 'plain')
      throw new FileRejected('archive-content', `the archive holds no text: it is ${what}; ${byHand}`);
  }
}
