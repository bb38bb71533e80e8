/** The statements folder itself, before anything is put into it. */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { probeFolders } from '../../platform/disk-probe.ts';
import { errorCode, failWith, OutputFileError } from '../../platform/durable-file.ts';

/** A file has the folder's name, or that of one above it. */
const takenCodes: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR']);

/**
 * Creates the folder (for its owner only) when it is not there, and sees that files can be put into it.
 * @returns its whole path
 * @throws OutputFileError that names the folder and the cure
 */
export async function openStatementFolder(folder: string): Promise<string> {
  const root = resolve(folder);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!takenCodes.has(errorCode(error))) throw failWith('create', root, error);
    const cure = 'move away what stands there, or name another folder in folders.statements of the settings';
    throw new OutputFileError(`cannot create the folder ${root}: the path is taken by a file; ${cure}`, {
      cause: error,
    });
  }
  const trouble = await probeFolders([root]);
  if (trouble !== undefined) throw new OutputFileError(trouble.why);
  return root;
}
