/** Recognises the form of a statement file by its first bytes. */
import { message, type Message, type PlainCode } from '../../core/message.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import type { StatementRefused } from '../ports.ts';

/** Form of a statement's bytes; `other` cannot be opened. */
export type StatementForm = 'plain' | 'gzip' | 'zip' | 'other';

interface FormFinding {
  readonly form: StatementForm;
  /** Description for a message: "a 7z archive". */
  readonly what: Message;
  /** Cure for `other`; left out: the common one for archives and encrypted files. */
  readonly cure?: Message;
  /** Extension of the stored file's name. */
  readonly ending: 'csv' | 'gz' | 'zip' | 'bin';
}

/** Bytes at the start that are examined. */
export const formBytes = 512;

/** The first `formBytes` bytes, extended by the next ones. */
export const addToHead = (head: Buffer, next: Uint8Array): Buffer =>
  head.length < formBytes ? Buffer.concat([head, next.subarray(0, formBytes - head.length)]) : head;

const zip: FormFinding = { form: 'zip', what: message('statement-form.zip'), ending: 'zip' };
const gzip: FormFinding = { form: 'gzip', what: message('statement-form.gzip'), ending: 'gz' };
const plain: FormFinding = { form: 'plain', what: message('statement-form.text'), ending: 'csv' };
const other = (what: PlainCode & `statement-form.${string}`): FormFinding => ({
  form: 'other',
  what: message(what),
  ending: 'bin',
});

/** Latin-1 texts of the first bytes. */
const starts: readonly (readonly [start: string, finding: FormFinding])[] = [
  ['PK\x03\x04', zip],
  ['PK\x05\x06', zip],
  ['PK\x07\x08', zip],
  ['\x1f\x8b', gzip],
  ["7z\xbc\xaf'\x1c", other('statement-form.7z')],
  ['Rar!\x1a', other('statement-form.rar')],
  ['BZh', other('statement-form.bzip2')],
  ['\xfd7zXZ\0', other('statement-form.xz')],
  ['\x28\xb5\x2f\xfd', other('statement-form.zstandard')],
  ['Salted__', other('statement-form.openssl')],
  ['-----BEGIN PGP', other('statement-form.pgp')],
  ['%PDF', other('statement-form.pdf')],
  ['\xd0\xcf\x11\xe0', other('statement-form.old-excel')],
  ['\xff\xfe', plain],
  ['\xfe\xff', plain],
];

const webPage: FormFinding = {
  ...other('statement-form.web-page'),
  cure: message('statement-file.see-in-browser'),
};
const json: FormFinding = {
  ...other('statement-form.json'),
  cure: message('statement-file.look-at-it'),
};
const empty: FormFinding = { ...other('statement-form.empty'), cure: message('statement-file.fetch-again') };
const unknown = other('statement-form.unknown');

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

/** Returns a rejection as a value; rethrows any other error. */
export function asRefused(error: unknown): StatementRefused {
  if (error instanceof FileRejected) return { kind: 'refused', refusal: error.rejection };
  throw error;
}
