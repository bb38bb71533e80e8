/**
 * The text that a checker signs, readable and kept byte for byte. A passkey signs its SHA-256 and shows no amounts; the
 * digests can be recomputed on another machine.
 */
import { hash } from 'node:crypto';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht, type Satang } from '../../core/money.ts';
import { printable } from '../../core/outgoing-text.ts';
import type { Decision } from './terms.ts';

/** A batch that is approved. */
export interface SignedBatch {
  readonly batchId: string;
  /** The digest of exactly the waiting rows; `paydrop check` computes it on any machine, from the file alone. */
  readonly version: string;
  /** SHA-256 (hex) of its file. */
  readonly fileSha256: string;
}

/** The matter that is approved. */
export interface SignedMatter {
  readonly isSandbox: boolean;
  readonly companyId: string;
  readonly journalId: string;
  readonly proposalId: number;
  readonly decision: Decision;
  /** The batches of an approval before paying; none for other decisions. */
  readonly batches: readonly SignedBatch[];
  /** The number of paid rows, or of decided items, as counted when the proposal was made. */
  readonly rows: number;
  readonly totalSatang: Satang;
  /** The digest of the proposal over its frozen items and their versions, corrections included. */
  readonly digest: string;
}

/** The signer, and the moment. */
interface SignedAct {
  readonly personId: number;
  /** The name with which the person signs in. */
  readonly person: string;
  /** A random value, used once. */
  readonly nonce: string;
  readonly atMs: number;
}

/** The format of digest and text; a changed format has another number. */
const format = 'paydrop approval v1';

/** One line for each value, whatever characters a name contains. */
const line = (name: string, value: string | number): string => `${name}: ${printable(String(value))}`;

export const describeMoney = (isSandbox: boolean): string => (isSandbox ? 'sandbox, no real money' : 'real');

export const describeTotal = (satang: Satang): string => `${formatBaht(satang)} baht`;

/** Makes the lines in a fixed order, without a newline after the last. */
export function makeSignedText(matter: SignedMatter, { personId, person, nonce, atMs }: SignedAct): string {
  const { isSandbox, companyId, journalId, proposalId, decision, batches } = matter;
  const isPayment = decision === 'approve-batch';
  return [
    format,
    line('purpose', isPayment ? 'pay these rows' : 'carry out this decision'),
    line('money', describeMoney(isSandbox)),
    line('company', companyId),
    line('journal', journalId),
    line('proposal', proposalId),
    line('decision', decision),
    ...batches.flatMap(({ batchId, version, fileSha256 }) => [
      line('batch', batchId),
      line('digest of its rows', version),
      line('sha-256 of its file', fileSha256),
    ]),
    line('rows', matter.rows),
    line('total', describeTotal(matter.totalSatang)),
    line('digest', matter.digest),
    line('person', `${personId} ${person}`),
    line('nonce', nonce),
    line('time', formatBangkokDateTime(atMs)),
  ].join('\n');
}

/** The signed challenge of a text: base64url, as browsers write it. */
export const computeChallenge = (text: string): string => hash('sha256', text, 'base64url');

/** The lines of a signed text by name; empty where a line is missing. */
export interface SignedLines {
  readonly company: string;
  readonly journal: string;
  readonly proposal: string;
  readonly decision: string;
  readonly digest: string;
  readonly person: string;
  readonly money: string;
  /** The count in decimal digits. */
  readonly rows: string;
  /** The sum, such as "1,234.50 baht". */
  readonly total: string;
  readonly time: string;
  readonly batches: readonly SignedBatch[];
}

/** Reads a signed text; a text in another format yields empty lines. */
export function readSignedLines(text: string): SignedLines {
  const [first, ...lines] = text.split('\n');
  const pairs = first === format ? lines.map((one) => one.split(/: (.*)/s, 2) as [string, string?]) : [];
  const only = (name: string): string => {
    const found = pairs.filter(([said]) => said === name);
    return found.length === 1 ? (found[0]?.[1] ?? '') : '';
  };
  const batches = pairs.flatMap(([name, batchId = ''], place): SignedBatch[] => {
    const [[, version = ''] = [], [, fileSha256 = ''] = []] = pairs.slice(place + 1, place + 3);
    return name === 'batch' ? [{ batchId, version, fileSha256 }] : [];
  });
  return {
    company: only('company'),
    journal: only('journal'),
    proposal: only('proposal'),
    decision: only('decision'),
    digest: only('digest'),
    person: only('person'),
    money: only('money'),
    rows: only('rows'),
    total: only('total'),
    time: only('time'),
    batches,
  };
}

/** The value of a name in a signed text; empty where it is missing. */
export const readSignedValue = (text: string, name: string): string =>
  text
    .split('\n')
    .find((one) => one.startsWith(`${name}: `))
    ?.slice(name.length + 2) ?? '';
