/**
 * Files that prove the outcome of a payout: each kept once, under the SHA-256 of its bytes, readable by its owner
 * alone. paydrop never changes, opens or runs them.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dayMs } from '../core/bangkok-time.ts';
import {
  AtomicFile,
  errorCode,
  hashFile,
  OutputFileError,
  publishFile,
  removeOldTemporaries,
} from '../platform/durable-file.ts';
import { composeName } from '../watch/rules/drop-folder.ts';
import type { EvidenceFile } from './rules/proposal.ts';

/** The limit of one file: a scanned letter of many pages. */
export const evidenceBytesMax = 16_777_216;
/** The limit of a file name, which is displayed and written into headers. */
const nameBytesMax = 120;

/** The folder under `dataDir`. It belongs in backups with the journal: its files cannot be made again. */
export const evidenceFolderOf = (dataDir: string): string => join(dataDir, 'evidence');

/** The reason why a file is not kept. */
export type EvidenceRefusal = 'empty' | 'tooLarge';

/** Removes the path and terminal control characters from a file name. */
const nameOf = (name: string): string => composeName(name.split(/[/\\]/).at(-1) ?? '', '', nameBytesMax);

/** A file under a temporary name, deleted when its owner closes it. */
export interface PreparedEvidence extends AsyncDisposable {
  readonly file: EvidenceFile;
  /** Keeps the file permanently, before anything refers to it. The same bytes are kept once. @throws OutputFileError */
  keep(): Promise<void>;
}

/**
 * Reads the bytes of a file in. A refused decision leaves no trace of its file.
 * @param isCut tells, at the end of the bytes, whether some are missing
 * @throws OutputFileError where the disk does not take it
 */
export async function prepareEvidence(
  folder: string,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  isCut: () => boolean = () => false,
): Promise<PreparedEvidence | EvidenceRefusal> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeOldTemporaries(folder, /^new-/, Date.now() - dayMs);
  await using file = await AtomicFile.open(join(folder, `new-${randomBytes(6).toString('hex')}`));
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > evidenceBytesMax) return 'tooLarge';
    await file.write(chunk);
  }
  if (isCut()) return 'tooLarge';
  if (size === 0) return 'empty';
  const prepared = await file.finish();
  const { sha256, temporaryPath } = prepared;
  return {
    file: { name: nameOf(name), sha256, bytes: size },
    keep: async () => {
      const state = await publishFile({ ...prepared, path: join(folder, sha256) });
      if (state === 'gone')
        throw new OutputFileError(`${temporaryPath} was taken away before it was kept: decide again`);
    },
    [Symbol.asyncDispose]: () => rm(temporaryPath, { force: true }),
  };
}

/** The path of a kept file; undefined where the file is gone or changed. */
export async function locateEvidence(
  folder: string,
  { sha256 }: Pick<EvidenceFile, 'sha256'>,
): Promise<string | undefined> {
  const path = join(folder, sha256);
  return (await hashFile(path)) === sha256 ? path : undefined;
}

/** The fault of a kept file; undefined when it is present and unchanged. */
export function findEvidenceFault(folder: string, { name, sha256 }: EvidenceFile): string | undefined {
  try {
    const found = createHash('sha256')
      .update(readFileSync(join(folder, sha256)))
      .digest('hex');
    return found === sha256 ? undefined : `its file ${name} is not what was kept`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return `its file ${name} is gone: put evidence/${sha256} back`;
    return `its file ${name} cannot be read: ${errorCode(error)}`;
  }
}
