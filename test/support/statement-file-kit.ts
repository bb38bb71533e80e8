/** Statements as a bank writes them, in a temporary folder. */
import { inEnglish, decodeMessage } from '../../src/core/message.ts';
import { sayRejection, type SaidRejection } from './payout-file-kit.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { makeStatementReader } from '../../src/reconcile/file/reader.ts';
import type { StatementTotals } from '../../src/reconcile/ports.ts';
import {
  commonStatementWords,
  type StatementColumn,
  statementColumns,
  type StatementLine,
} from '../../src/reconcile/rules/statement.ts';

type StatementFileOptions = Parameters<typeof makeStatementReader>[0];

export type Row = Readonly<Partial<Record<StatementColumn, string>>>;

/** A sound line, but for what a test changes. */
export function row(no: number, changes: Row = {}): Readonly<Record<StatementColumn, string>> {
  return {
    NO: String(no),
    'EFFECTIVE DATE': '20261120',
    'TRANSREF NO': `PD${String(no).padStart(16, '0')}01`,
    'SYS REF NO': `SYS${no}`,
    'CHANNEL ID': 'PAYDROP',
    'PAYER ACCOUNT': '0000345924',
    'PROXY TYPE': 'MSISDN',
    'PROXY NO': '0812345678',
    'PROXY NAME (EN)': 'SOMCHAI JAIDEE',
    'PROXY NAME (TH)': 'สมชาย ใจดี',
    REFERENCE1: `INV ${no}`,
    REFERENCE2: '',
    AMOUNT: '1234.50',
    FEE: '2.00',
    'NET AMOUNT': '1232.50',
    STATUS: '010004',
    'REASON CODE': 'IC000',
    'REASON DESC': 'Fund transfer executed successfully',
    'PARTNER ID': 'PARTNER1',
    'CLIENT ID': 'my-app',
    'COMPANY ID': 'COMP000001',
    'CHARGE TYPE': 'Ben',
    'EFFECTIVE TIME': '14:03:05',
    ...changes,
  };
}

export const header = statementColumns.join(',');

/** The file of these rows, without quotation marks. */
export function csv(rows: readonly Row[], columns: readonly StatementColumn[] = statementColumns): string {
  const lines = rows.map((cells) => columns.map((column) => cells[column] ?? '').join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

export const readerDefaults: StatementFileOptions = {
  scheme: 'proxy',
  words: commonStatementWords,
  bytesMax: 1_000_000,
};

let folder = '';

/** For a test file that places files: makes the temporary folder before its tests, and removes it after them. */
export function useStatementFolder(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-statement-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
}

let files = 0;

/** Puts a file into the temporary folder. */
export async function place(content: string | Uint8Array, name = `s${(files += 1)}.csv`): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

export interface WholeStatement {
  readonly lines: readonly StatementLine[];
  readonly totals: StatementTotals | undefined;
  readonly refusal: SaidRejection | undefined;
}

/** The line, with its fault in English. */
const sayFault = (line: StatementLine): StatementLine => ({
  ...line,
  fault: line.fault === '' ? '' : inEnglish(decodeMessage(line.fault)),
});

/** Gathers everything that reading this content yields. */
export async function read(
  content: string | Uint8Array,
  changes: Partial<StatementFileOptions> = {},
): Promise<WholeStatement> {
  const lines: StatementLine[] = [];
  let totals: StatementTotals | undefined;
  let refusal: SaidRejection | undefined;
  const path = await place(content);
  for await (const part of makeStatementReader({ ...readerDefaults, ...changes }).read(path)) {
    if (part.kind === 'lines') lines.push(...part.lines.map(sayFault));
    else if (part.kind === 'summary') ({ totals } = part);
    else refusal = sayRejection(part.refusal);
  }
  return { lines, totals, refusal };
}
