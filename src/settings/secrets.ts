/** A secret in a file of its own. */
import { readFileSync, statSync } from 'node:fs';

/** The secret and where it came from, or why it cannot be had. */
export type SecretReading =
  | { readonly ok: true; readonly secret: string; readonly from: string }
  | { readonly ok: false; readonly message: string };

const secretBytesMax = 4_096;
/** Permission bits of everybody but the owner and the group. */
const othersMask = 0o007;

/**
 * Reads a file that holds a secret and nothing else; a line end after it is not part of it.
 * @param setting the key that names the file, for messages
 * @param path absolute
 */
export function readSecretFile(setting: string, path: string): SecretReading {
  const refuse = (why: string): SecretReading => ({ ok: false, message: `${setting} ${path} ${why}` });
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return refuse('is not a file: name the file that holds the secret');
    if (process.platform !== 'win32' && (stats.mode & othersMask) !== 0) {
      return refuse(`is open to every user of this machine: run chmod 600 ${path}`);
    }
    if (stats.size > secretBytesMax)
      return refuse(`holds more than ${secretBytesMax} bytes: it must hold the secret alone`);
    const secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (secret === '') return refuse('is empty: write the secret into it');
    return { ok: true, secret, from: path };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    return refuse(`cannot be read (${code}): correct the path or the file's owner`);
  }
}

/**
 * Wrong usage or settings: exit 2. The message names the place and the cure.
 * It has a file of its own so that the command line can throw it without loading the settings' reader.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
