/**
 * What reconciling needs of the bank and of the disk: the statement asked for, brought, kept, opened and read.
 * A date is "YYYYMMDD" in Bangkok throughout.
 */
import type { Satang } from './money.ts';
import type { StatementLine, StatementWords } from './statement.ts';

/** What the bank says when it is asked for a day's statement (§2.7, §7.2). */
export type StatementOffer =
  /** `address` and `key` are secrets: whoever has them has the file. */
  | { readonly kind: 'offered'; readonly address: string; readonly key: string | null }
  /** AU00002: there is no file for the date, or not yet. */
  | { readonly kind: 'not-found' }
  /** Asking again will not help before somebody has acted. */
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }
  /** We may not ask at all: `text` says what to do about it. */
  | { readonly kind: 'not-allowed'; readonly code: string; readonly text: string }
  /** No usable answer came: worth asking again. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retryAfterMs: number | null };

/** Endpoint 8. */
export interface StatementDesk {
  /** @param companyId null for all companies of the partner */
  request(date: string, companyId: string | null): Promise<StatementOffer>;
}

/** Why a statement was not taken: nothing of it may be used. */
export interface StatementRefusal {
  /** A short, stable name of the rule, for programs: "amount-unreadable". */
  readonly code: string;
  /** Line of the file, from 1; null when no one line is meant. */
  readonly line: number | null;
  /** The bank's name of the column; null when no one column is meant. */
  readonly column: string | null;
  /** What is wrong and what to do about it; never a secret, a whole number of a person, or an address's query. */
  readonly message: string;
}

export interface StatementRefused {
  readonly kind: 'refused';
  readonly refusal: StatementRefusal;
}

export type StatementDelivery =
  | { readonly kind: 'delivered'; readonly sizeBytes: number }
  /** It came whole and is no statement: worth keeping, to be looked at. */
  | { readonly kind: 'web-page'; readonly refusal: StatementRefusal }
  /** It did not come, or not whole: what has been handed over is to be thrown away. */
  | StatementRefused;

/** Brings the file from its signed address. */
export interface StatementCourier {
  /**
   * Hands the file's bytes over as they come, each block once the one before is taken; what `take` throws is thrown.
   * None of our credentials or headers goes to the address.
   */
  bring(
    address: string,
    take: (bytes: Uint8Array) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<StatementDelivery>;
}

/** What the bytes of a statement are, told by the first of them; `other` is nothing that we can open. */
export type StatementForm = 'plain' | 'gzip' | 'zip' | 'other';

/** The bank's bytes as they came, in the statements folder. */
export interface KeptOriginal {
  readonly path: string;
  /** SHA-256 (hex) of all bytes. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly form: StatementForm;
  /** False when the same bytes had been kept before. */
  readonly isNew: boolean;
}

/** An original on its way to the disk; closed before it is kept, it is gone. */
export interface OriginalDraft extends AsyncDisposable {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the bytes durable and gives them their name. */
  keep(): Promise<KeptOriginal>;
}

export interface StatementVault {
  draft(date: string): Promise<OriginalDraft>;
  /** Keeps a copy of a file that a person has given. */
  keepFile(date: string, path: string): Promise<KeptOriginal | StatementRefused>;
  /** Puts the key beside an original that could not be opened, for the owner of the folder; returns its path. */
  keepKey(original: KeptOriginal, key: string): Promise<string>;
  /** Removes what a crash has left half written, unless it was written to since `beforeMs`. */
  removeLeftovers(beforeMs: number): Promise<void>;
}

/** A statement in plain text; closing it removes what was unpacked for it. */
export interface OpenedStatement extends AsyncDisposable {
  readonly kind: 'opened';
  readonly path: string;
  readonly form: Exclude<StatementForm, 'other'>;
}

export interface StatementOpener {
  /** @param key the bank's unZipKey, for a ZIP that is encrypted */
  open(path: string, key: string | null): Promise<OpenedStatement | StatementRefused>;
}

/** Facts of a whole statement, known once its last line has been read. */
export interface StatementTotals {
  readonly lines: number;
  readonly amountSatang: Satang;
  readonly feeSatang: Satang;
  readonly netSatang: Satang;
  /** SHA-256 (hex) of the plain text: the same statement has the same, however it was packed. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** What reading yields: lines, then a summary; or, at any point, a refusal, after which nothing before it counts. */
export type StatementPart =
  | { readonly kind: 'lines'; readonly lines: readonly StatementLine[] }
  | { readonly kind: 'summary'; readonly totals: StatementTotals }
  | StatementRefused;

export interface StatementReader {
  /** Reads a plain statement. Nothing of it may be applied before the summary has come. */
  read(path: string): AsyncIterable<StatementPart>;
}

/** The codes and names of §3.2, and what they are commonly called. */
export const commonStatementWords: StatementWords = {
  complete: ['010004', 'COMPLETE', 'COMPLETED', 'SUCCESS', 'SUCCESSFUL'],
  failed: [
    '030002',
    '030003',
    'VALIDATE FAILED',
    'VALIDATE_FAILED',
    'TRANSFER FAILED',
    'TRANSFER_FAILED',
    'FAIL',
    'FAILED',
    'REJECTED',
  ],
  inProcess: [
    '010001',
    '010002',
    '010003',
    '030004',
    'RECEIVE',
    'VALIDATE',
    'TRANSFER',
    'PROCESSING',
    'PENDING',
  ],
};
