/** Payout files in a temporary folder, read as the program reads them. */
import { inEnglish } from '../../src/core/message.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { FileRejection, Inspection, SealTotals, StagedRow } from '../../src/core/payout-file.ts';
import { makePayoutFileReader, type PayoutFileOptions } from '../../src/intake/formats/payout-file.ts';
import type { FileReader, ReadPart } from '../../src/intake/ports.ts';

type PayoutFileLimits = PayoutFileOptions['limits'];

export const columns = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';

export const noLimits: PayoutFileLimits = {
  rowsMax: null,
  bytesMax: null,
  payoutSatangMax: null,
  fileSatangMax: null,
};

export const defaults: PayoutFileOptions = {
  columns: {},
  carry: [],
  encoding: 'auto',
  delimiter: 'auto',
  control: 'none',
  trailerMark: 'TRAILER',
  finalLineEnd: 'required',
  numberAfterAmount: 'refused',
  guardFormulas: true,
  limits: noLimits,
};

/** A rejection with its message in English. */
export interface SaidRejection extends Omit<FileRejection, 'message'> {
  readonly message: string;
}

export const sayRejection = (rejection: FileRejection): SaidRejection => ({
  ...rejection,
  message: inEnglish(rejection.message),
});

export interface WholeReading<Row = StagedRow, Totals = SealTotals> {
  readonly extraColumns: readonly string[];
  readonly rows: readonly Row[];
  readonly totals: Totals | undefined;
  readonly rejection: SaidRejection | undefined;
}

/** Gathers everything that a reading yields. */
export async function gather<Row, Totals>(
  parts: AsyncIterable<ReadPart<Row, Totals>>,
): Promise<WholeReading<Row, Totals>> {
  const rows: Row[] = [];
  let extraColumns: readonly string[] = [];
  let totals: Totals | undefined;
  let rejection: SaidRejection | undefined;
  for await (const part of parts) {
    switch (part.kind) {
      case 'header':
        ({ extraColumns } = part);
        break;
      case 'rows':
        rows.push(...part.rows);
        break;
      case 'summary':
        ({ totals } = part);
        break;
      case 'rejected':
        rejection = sayRejection(part.rejection);
        break;
    }
  }
  return { extraColumns, rows, totals, rejection };
}

/** A reading of a file that was rejected before its first row. */
const unread = { extraColumns: [], rows: [], totals: undefined };

export const readPath = (path: string, options: Partial<PayoutFileOptions> = {}): Promise<WholeReading> =>
  readWhole(makePayoutFileReader({ ...defaults, ...options }), path);

export async function readWhole<Row, Totals>(
  reader: FileReader<Row, Totals>,
  path: string,
): Promise<WholeReading<Row, Totals>> {
  const inspected = await reader.inspect(path);
  if (inspected.kind === 'rejected') return { ...unread, rejection: sayRejection(inspected.rejection) };
  return gather(reader.read(inspected.inspection));
}

export async function inspectPath(
  path: string,
  options: Partial<PayoutFileOptions> = {},
): Promise<Inspection> {
  const inspected = await makePayoutFileReader({ ...defaults, ...options }).inspect(path);
  if (inspected.kind === 'rejected') throw new Error(inEnglish(inspected.rejection.message));
  return inspected.inspection;
}

export interface Folder {
  /** Writes a file and returns its path. */
  write(content: string | Uint8Array, name?: string): Promise<string>;
  path(name: string): string;
  /** Writes a file and reads it. */
  read(content: string | Uint8Array, options?: Partial<PayoutFileOptions>): Promise<WholeReading>;
}

/** A folder for one test file, removed with all that is in it. */
export function useFolder(): Folder {
  let root = '';
  let written = 0;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'paydrop-files-'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  const path = (name: string): string => join(root, name);
  const write = async (content: string | Uint8Array, name?: string): Promise<string> => {
    written += 1;
    const target = path(name ?? `payouts-${written}.csv`);
    await writeFile(target, content);
    return target;
  };
  return { path, write, read: async (content, options) => readPath(await write(content), options) };
}

/** Lines under the usual header, each with a line end. */
export function file(...lines: readonly string[]): string {
  return [columns, ...lines].map((line) => `${line}\n`).join('');
}

/** A good row with this payoutId. */
export function row(payoutId: string, amount = '100.00', name = 'Somchai Jaidee'): string {
  return `${payoutId},MSISDN,0812345678,${name},${amount},,`;
}
