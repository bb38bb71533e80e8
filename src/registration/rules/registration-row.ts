/**
 * One row of a registration file: cells in, an instruction or every issue of the row out (§2.2). Pure; the seal finds what
 * needs other rows (a registrationId twice, registrations that a callback could not tell apart).
 */
import { counted, message, type Message } from '../../core/message.ts';
import { showCell, showProxy } from '../../core/cell-text.ts';
import { explainNoDigits, findNumberDamage, joinDigitGroups } from '../../core/digits.ts';
import type { Issue } from '../../core/payout-file.ts';
import {
  examineAscii,
  readIdCell,
  type ReportCell,
  readTextCell,
  type TextRule,
} from '../../intake/rules/text-cell.ts';
import type { RegistrationInstruction } from './registration.ts';
import type { RegistrationCells, RegistrationColumn, RegistrationFileRow } from './registration-file.ts';

/** Values for empty cells; an empty value stands for none. */
export interface RegistrationDefaults {
  readonly vendorId: string;
  readonly companyId: string;
}

/** Without an instruction when it has an issue. */
type ParsedRegistration = Pick<RegistrationFileRow, 'instruction' | 'issues'>;

/** Columns whose last four characters alone an issue shows. */
export const maskedRegistrationColumns: ReadonlySet<string> = new Set<RegistrationColumn>([
  'customerId',
  'accountNo',
]);

type Report = ReportCell<RegistrationColumn>;
type TextColumn = Exclude<RegistrationColumn, 'registrationId' | 'accountNo'>;

/** References return in the callback, which identifies its registration only by them: ASCII alone arrives unchanged. */
const referenceRule: TextRule = { prefix: 'reference', charactersMax: 20, examine: examineAscii };

const idRule: TextRule = { prefix: 'registration-id', charactersMax: 64, examine: examineAscii };

const textRules: Readonly<Record<TextColumn, TextRule>> = {
  customerId: { prefix: 'customer-id', charactersMax: 64, examine: examineAscii },
  vendorId: { prefix: 'vendor-id', charactersMax: 10, examine: examineAscii },
  companyId: { prefix: 'company-id', charactersMax: 15, examine: examineAscii },
  ref1: referenceRule,
  ref2: referenceRule,
  ref3: referenceRule,
  ref4: referenceRule,
};

const readText = (cells: RegistrationCells, column: TextColumn, report: Report): string | null =>
  readTextCell(cells[column], column, textRules[column], report);

/** Reads the customerId, which travels in a header and so must be ASCII; it may be a number, such as a national ID. */
function readCustomerId(cells: RegistrationCells, report: Report): string {
  const text = cells.customerId.trim();
  const damage = findNumberDamage(text);
  if (damage !== undefined) report('customerId', `customer-id-${damage.kind}`, damage.message);
  else if (text === '') {
    report('customerId', 'customer-id-missing', message('issue.customer-id-missing'));
  } else readText(cells, 'customerId', report);
  return text;
}

/** A company code or ID: the row's own, or that of the settings. */
function readCode(
  cells: RegistrationCells,
  column: keyof RegistrationDefaults,
  defaults: RegistrationDefaults,
  report: Report,
): string {
  const text = readText(cells, column, report) ?? defaults[column];
  const { prefix } = textRules[column];
  if (text === '') {
    report(column, `${prefix}-missing`, message('issue.code-missing', { column }));
  } else if (text.includes(' ')) report(column, `${prefix}-spaces`, message('issue.code-spaces'));
  return text;
}

/** §2.2 */
const accountDigitsMax = 13;
/** Least digits of an account in Thailand: with fewer, a leading zero is gone, or digits are missing. */
const accountDigitsMin = 10;

/** Reads an account number: its digits, also in groups as people write them (123-4-56789-0). */
export function readAccountNo(cell: string, report: Report): string | null {
  const text = cell.trim();
  const tell = (code: string, issue: Message): null => {
    report('accountNo', code, issue);
    return null;
  };
  if (text === '') return tell('account-missing', message('issue.account-missing'));
  if (/^[=@+]/.test(text)) {
    return tell('formula', message('issue.account-formula', { first: text.charAt(0) }));
  }
  const digits = joinDigitGroups(text);
  if (!/^[0-9]+$/.test(digits)) {
    const fault = explainNoDigits(text, 'groups');
    return tell(`account-${fault.kind}`, fault.message);
  }
  const length = counted(digits.length, 'digit');
  if (digits.length > accountDigitsMax)
    return tell(
      'account-length',
      message('issue.account-length', { digits: length, most: accountDigitsMax }),
    );
  if (digits.length < accountDigitsMin)
    return tell(
      'account-damaged',
      message('issue.account-damaged', { digits: length, least: accountDigitsMin }),
    );
  return digits;
}

const noIssues: readonly Issue[] = [];

/**
 * Reads one row. Every issue of the row is reported, in the columns' order.
 * @param line of the file at which the row starts
 */
export function parseRegistrationRow(
  cells: RegistrationCells,
  line: number,
  defaults: RegistrationDefaults,
): ParsedRegistration {
  let issues: Issue[] | undefined;
  const report: Report = (column, code, issue) => {
    const cell = cells[column];
    const shown = maskedRegistrationColumns.has(column) ? showProxy(cell) : showCell(cell);
    (issues ??= []).push({ line, column, code, value: cell === '' ? null : shown, message: issue });
  };
  const registrationId = readIdCell(cells.registrationId, 'registrationId', 'registration', idRule, report);
  const customerId = readCustomerId(cells, report);
  const vendorId = readCode(cells, 'vendorId', defaults, report);
  const companyId = readCode(cells, 'companyId', defaults, report);
  const accountNo = readAccountNo(cells.accountNo, report);
  const refs: RegistrationInstruction['refs'] = [
    readText(cells, 'ref1', report),
    readText(cells, 'ref2', report),
    readText(cells, 'ref3', report),
    readText(cells, 'ref4', report),
  ];
  if (issues !== undefined || accountNo === null) return { instruction: null, issues: issues ?? noIssues };
  const instruction = { registrationId, customerId, vendorId, companyId, accountNo, refs };
  return { instruction, issues: noIssues };
}
