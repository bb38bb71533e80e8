/**
 * One row of a registration file: cells in, an instruction or every issue of the row out (§2.2). Pure; the seal finds what
 * needs other rows (a registrationId twice, registrations that a callback could not tell apart).
 */
import { showCell, showProxy } from '../../core/cell-text.ts';
import { explainNoDigits, findNumberDamage, joinDigitGroups } from '../../core/digits.ts';
import { countOf } from '../../core/figures.ts';
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
    report(
      'customerId',
      'customer-id-missing',
      'customerId is empty: say whose account it is, by your own number of the customer',
    );
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
    const message = `${column} is empty: give it, or set registration.${column} for all rows`;
    report(column, `${prefix}-missing`, message);
  } else if (text.includes(' ')) report(column, `${prefix}-spaces`, 'a space stands inside: remove it');
  return text;
}

/** §2.2 */
const accountDigitsMax = 13;
/** Least digits of an account in Thailand: with fewer, a leading zero is gone, or digits are missing. */
const accountDigitsMin = 10;

/** Reads an account number: its digits, also in groups as people write them (123-4-56789-0). */
export function readAccountNo(cell: string, report: Report): string | null {
  const text = cell.trim();
  const tell = (code: string, message: string): null => {
    report('accountNo', code, message);
    return null;
  };
  if (text === '') return tell('account-missing', 'accountNo is empty: give the account to be debited');
  if (/^[=@+]/.test(text)) {
    return tell(
      'formula',
      `a text that starts with ${text.charAt(0)} would run as a formula: give the digits alone`,
    );
  }
  const digits = joinDigitGroups(text);
  if (!/^[0-9]+$/.test(digits)) {
    const { kind, message } = explainNoDigits(text, 'with single hyphens or spaces between them');
    return tell(`account-${kind}`, message);
  }
  if (digits.length > accountDigitsMax) {
    const message = `${countOf(digits.length, 'digit')}: an account number has at most ${accountDigitsMax}, digits are too many`;
    return tell('account-length', message);
  }
  if (digits.length < accountDigitsMin) {
    const message =
      `${countOf(digits.length, 'digit')}: an account number has ${accountDigitsMin} or more; a leading zero is gone, as when a ` +
      'spreadsheet takes it for a number, or digits are missing: format the column as text and write it again';
    return tell('account-damaged', message);
  }
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
  const report: Report = (column, code, message) => {
    const cell = cells[column];
    const shown = maskedRegistrationColumns.has(column) ? showProxy(cell) : showCell(cell);
    (issues ??= []).push({ line, column, code, value: cell === '' ? null : shown, message });
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
