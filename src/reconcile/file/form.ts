/** Recognises the form of a statement file by its first bytes. */
import { FileRejected } from '../../platform/csv/open.ts';
import type { StatementRefused } from '../ports.ts';
import { fetchAgain } from '../rules/statement.ts';

/** Form of a statement's bytes; `other` cannot be opened. */
export type StatementForm = 'plain' | 'gzip' | 'zip' | 'other';

interface FormFinding {
  readonly form: StatementForm;
  /** Description for a message: "a 7z archive". */
  readonly what: string;
  /** Cure for `other`; left out: the common one for archives and encrypted files. */
  readonly cure?: string;
  /** Extension of the stored file's name. */
  readonly ending: 'csv' | 'gz' | 'zip' | 'bin';
}

/** Bytes at the start that are examined. */
export const formBytes = 512;

/** The first `formBytes` bytes, extended by the next ones. */
export const addToHead = (head: Buffer, next: Uint8Array): Buffer =>
  head.length < formBytes ? Buffer.concat([head, next.subarray(0, formBytes - head.length)]) : head;

const zip: FormFinding = { form: 'zip', what: 'a ZIP archive', ending: 'zip' };
const gzip: FormFinding = { form: 'gzip', what: 'a gzip file', ending: 'gz' };
const plain: FormFinding = { form: 'plain', what: 'a text', ending: 'csv' };
const other = (what: string): FormFinding => ({ form: 'other', what, ending: 'bin' });

/** Latin-1 texts of the first bytes. */
const starts: readonly (readonly [start: string, finding: FormFinding])[] = [
  ['PK\x03\x04', zip],
  ['PK\x05\x06', zip],
  ['PK\x07\x08', zip],
  ['\x1f\x8b', gzip],
  ["7z\xbc\xaf'\x1c", other('a 7z archive')],
  ['Rar!\x1a', other('a RAR archive')],
  ['BZh', other('a bzip2 file')],
  ['\xfd7zXZ\0', other('an xz file')],
  ['\x28\xb5\x2f\xfd', other('a Zstandard file')],
  ['Salted__', other('a file encrypted with OpenSSL')],
  ['-----BEGIN PGP', other('a file encrypted with PGP')],
  ['%PDF', other('a PDF')],
  ['\xd0\xcf\x11\xe0', other('an old Excel file')],
  ['\xff\xfe', plain],
  ['\xfe\xff', plain],
];

const webPage: FormFinding = {
  ...other('a web page, not a statement'),
  cure: `a login or an error page, perhaps: see in a browser what it says, then ${fetchAgain}`,
};
const json: FormFinding = {
  ...other('a JSON text, not a statement'),
  cure: `look at it, then ${fetchAgain}`,
};
const empty: FormFinding = { ...other('empty'), cure: fetchAgain };
const unknown = other('in a form that we do not know');

/** Control characters that do not occur in text. */
// oxlint-disable-next-line no-control-regex
const noText = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** @param head the first `formBytes` bytes, or all of a shorter file */
export function findForm(head: Uint8Array): FormFinding {
  if (head.length === 0) return empty;
  const text = Buffer.from(head).toString('latin1');
  const known = starts.find(([start]) => text.startsWith(start));
  if (known !== undefined) return known[1];
  const [first] = text.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (first === '<') return webPage;
  if (first === '{') return json;
  return noText.test(text) ? unknown : plain;
}

/** End of every refusal of a packed form. */
export const byHand =
  'open it by hand (7z x FILE asks for the key; or with whatever the bank says it is) and go on with --file and what comes out';

/** Returns a rejection as a value; rethrows any other error. */
export function asRefused(error: unknown): StatementRefused {
  if (error instanceof FileRejected) return { kind: 'refused', refusal: error.rejection };
  throw error;
}
