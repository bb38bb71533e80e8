/** The bank's daily statement (§2.7): its columns, and its lines as we read them. */
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import { agreeOn, type CodeMeaning, readStatusCode } from '../../core/status-codes.ts';

/** Columns of a statement. The scheme's word in them is a setting (`bank.scheme`): here PROXY. */
export const statementColumns = [
  'NO',
  'EFFECTIVE DATE',
  'TRANSREF NO',
  'SYS REF NO',
  'CHANNEL ID',
  'PAYER ACCOUNT',
  'PROXY TYPE',
  'PROXY NO',
  'PROXY NAME (EN)',
  'PROXY NAME (TH)',
  'REFERENCE1',
  'REFERENCE2',
  'AMOUNT',
  'FEE',
  'NET AMOUNT',
  'STATUS',
  'REASON CODE',
  'REASON DESC',
  'PARTNER ID',
  'CLIENT ID',
  'COMPANY ID',
  'CHARGE TYPE',
  'EFFECTIVE TIME',
] as const;
export type StatementColumn = (typeof statementColumns)[number];

/** Version of the reading rules; a higher one judges the same bytes anew. */
export const readingRules = 2;

/** Common words for the scheme in columns and file names, whatever the paths of the bank's interface contain. */
export const commonSchemes: readonly string[] = ['proxy', 'promptpay'];

/**
 * Status of a line's transfer. `contradiction`: STATUS means complete or failed, and REASON CODE something else;
 * `other`: a word unknown to interface and settings.
 */
export type LineStatus = 'complete' | 'failed' | 'in-process' | 'contradiction' | 'other';

/** Fields of a line, in the order in which it is stored. */
const lineFields = [
  'line',
  'no',
  'effectiveDate',
  'effectiveTime',
  'transRefNo',
  'sysRefNo',
  'channelId',
  'payerAccount',
  'proxyType',
  'proxyNo',
  'proxyName',
  'proxyNameTh',
  'reference1',
  'reference2',
  'amountSatang',
  'feeSatang',
  'netSatang',
  'statusText',
  'status',
  'reasonCode',
  'reasonDesc',
  'partnerId',
  'clientId',
  'companyId',
  'chargeType',
  'fault',
] as const;
type AmountField = Extract<(typeof lineFields)[number], `${string}Satang`>;
type TextField = Exclude<(typeof lineFields)[number], AmountField | 'line' | 'status'>;

/**
 * One transfer in the statement. Texts are trimmed, and empty when the file has none; they are as written, except
 * `effectiveDate`, which is YYYYMMDD. `chargeType` is `Our` when the payer bears the fee, `Ben` when the payee does.
 * `fault` (by `encodeMessage`) names an unreadable cell, without a person's whole number: a line with one proves nothing.
 */
export interface StatementLine
  extends Readonly<Record<TextField, string>>, Readonly<Record<AmountField, Satang>> {
  /** Line of the file where its record begins; the header is line 1. */
  readonly line: number;
  readonly status: LineStatus;
}

/** The words of each status, in STATUS and in REASON CODE; compared without case. */
export interface StatementWords {
  readonly complete: readonly string[];
  readonly failed: readonly string[];
  readonly inProcess: readonly string[];
}

/** The codes and names of §3.2. */
export const bankWords: StatementWords = {
  complete: ['010004', 'COMPLETE'],
  failed: ['030002', '030003', 'VALIDATE FAILED', 'VALIDATE_FAILED', 'TRANSFER FAILED', 'TRANSFER_FAILED'],
  inProcess: ['010001', '010002', '010003', '030004', 'RECEIVE', 'VALIDATE', 'TRANSFER', 'PROCESSING'],
};

/** Words in common use by banks. */
const commonNames: StatementWords = {
  complete: ['COMPLETED', 'SUCCESS', 'SUCCESSFUL'],
  failed: ['FAIL', 'FAILED', 'REJECTED'],
  inProcess: ['PENDING'],
};

/** The words known without the settings. */
export const commonStatementWords: StatementWords = {
  complete: [...bankWords.complete, ...commonNames.complete],
  failed: [...bankWords.failed, ...commonNames.failed],
  inProcess: [...bankWords.inProcess, ...commonNames.inProcess],
};

const meanings = {
  complete: 'paid',
  failed: 'failed',
  'in-process': 'open',
} as const satisfies Partial<Record<LineStatus, CodeMeaning>>;

/**
 * Makes a reader of a line's codes. STATUS counts only while REASON CODE, by a code of §7.3 or by one of the words,
 * does not contradict it; a contradiction is neither paid nor failed.
 */
export function makeStatusReader({ complete, failed, inProcess }: StatementWords) {
  const index = new Map<string, keyof typeof meanings>();
  const add = (words: readonly string[], status: keyof typeof meanings): void => {
    for (const word of words) index.set(word.trim().toUpperCase(), status);
  };
  add(inProcess, 'in-process');
  add(failed, 'failed');
  add(complete, 'complete');
  const find = (word: string): keyof typeof meanings | undefined =>
    index.get(word) ?? index.get(word.toUpperCase());
  return (statusText: string, reasonCode: string): LineStatus => {
    const status = find(statusText);
    if (status === undefined || reasonCode === '') return status ?? 'other';
    const word = find(reasonCode);
    const code = readStatusCode(reasonCode.toUpperCase());
    const said = agreeOn(meanings[status], word && meanings[word], code);
    return said === 'contradiction' ? said : status;
  };
}

/** The bank's code behind a word whose leading zero a spreadsheet has dropped (10004); undefined for any other word. */
export function findDamagedCode(statusText: string): string | undefined {
  const code = `0${statusText.trim().replace(/[.,]0+$/, '')}`;
  return Object.values(bankWords).some((words: readonly string[]) => words.includes(code)) ? code : undefined;
}

/** Encodes a line as a JSON list, with amounts as texts. */
export function encodeLine(line: StatementLine): string {
  const cells: (string | number)[] = [];
  for (const name of lineFields) {
    const cell = line[name];
    cells.push(typeof cell === 'bigint' ? String(cell) : cell);
  }
  return JSON.stringify(cells);
}

/** An empty line. */
export const blankLine = Object.fromEntries(
  lineFields.map((name) => [name, name.endsWith('Satang') ? zeroSatang : name === 'line' ? 0 : '']),
) as unknown as StatementLine;

/** Decodes a line stored as a list. */
export function decodeLine(text: string): StatementLine {
  const cells = JSON.parse(text) as readonly (string | number)[];
  const line: Record<string, string | number | Satang> = { ...blankLine };
  let place = 0;
  for (const name of lineFields) {
    const cell = cells[place] ?? '';
    line[name] = typeof line[name] === 'bigint' ? toSatang(BigInt(cell)) : cell;
    place += 1;
  }
  return line as unknown as StatementLine;
}
