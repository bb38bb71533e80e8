/**
 * One row of an input file: cells in, an instruction or every issue of the row out (design: "The files"). Pure;
 * duplicates.ts and the journal find issues that involve other rows (a payoutId twice).
 */
import { describeCharacter, isUnseen } from '../../core/characters.ts';
import { showCell, showProxy } from '../../core/cell-text.ts';
import { integerDigitsMax, parseBaht, type Satang } from '../../core/money.ts';
import { payeeNameScript } from '../../core/payee-name.ts';
import type { Issue, RowCells, RowColumn, StagedRow } from '../../core/payout-file.ts';
import type { HoldReason, Instruction } from '../../core/payout.ts';
import { readProxyId } from '../../core/proxy-id.ts';
import {
  type Examine,
  examineAscii,
  readIdCell,
  type ReportCell,
  readTextCell,
  reportTooLong,
  reportUnfitText,
  type TextRule,
} from './text-cell.ts';

/** The rules that may differ between companies; all others are the bank's or paydrop's. */
export interface RowRules {
  /** The limit above which an amount is held, not rejected; null for no limit. */
  readonly payoutSatangMax: Satang | null;
}

/** A parsed row, without an instruction when it has an issue; the file's total still counts a readable amount. */
type ParsedRow = Pick<StagedRow, 'instruction' | 'amountSatang' | 'holds' | 'issues'>;

const noHolds: readonly HoldReason[] = [];
const limitHold: readonly HoldReason[] = ['limit'];
const noIssues: readonly Issue[] = [];

type Report = ReportCell<RowColumn>;

const examineName: Examine = (cell, text, rule, tell) => {
  reportTooLong(text, rule, tell);
  if (reportUnfitText(cell, text, rule, tell) || payeeNameScript(text) !== 'other') return;
  tell('name-script', explainScript(text));
};

/** Explains why a name is neither plain Latin nor Thai; Thai marks and special spaces do not make a Latin name Thai. */
function explainScript(name: string): string {
  const foreign = /[^\x20-\x7e\u0e01-\u0e3a\u0e40-\u0e5b\u00a0\u200b-\u200d\u2060\ufeff]/u.exec(name)?.[0];
  const other = foreign ?? (/\p{L}/u.test(name) ? /[^\x20-\x7e]/u.exec(name)?.[0] : undefined);
  if (other !== undefined && isUnseen(other))
    return `${describeCharacter(other)} stands in this name and cannot be seen there: type the name again, with plain spaces`;
  const what =
    other === undefined ? 'no letter stands in it' : `${describeCharacter(other)} cannot be compared`;
  return `${what}: write the name in plain Latin letters (A-Z) or in Thai, or leave it empty`;
}

type TextColumn = 'payeeName' | 'reference1' | 'reference2';

/** The rule of references (§2.5). */
const referenceRule: TextRule = { prefix: 'reference', charactersMax: 20, examine: examineAscii };

const idRule: TextRule = { prefix: 'payout-id', charactersMax: 64, examine: examineAscii };

const textRules: Readonly<Record<TextColumn, TextRule>> = {
  // The proxyName of a payee check (§2.4), the smaller of the bank's two sizes; Thai names keep to it, too.
  payeeName: { prefix: 'name', charactersMax: 160, examine: examineName },
  reference1: referenceRule,
  reference2: referenceRule,
};

const readText = (cells: RowCells, column: TextColumn, report: Report): string | null =>
  readTextCell(cells[column], column, textRules[column], report);

function readAmount(cell: string, report: Report): Satang | null {
  const amount = parseBaht(cell);
  if (amount === undefined) {
    const { code, message } = explainAmount(cell);
    report('amount', code, message);
    return null;
  }
  if (amount === 0n)
    report('amount', 'amount-zero', 'nothing can be paid with 0: remove the row or correct the amount');
  return amount;
}

function readProxy(cells: RowCells, report: Report): Pick<Instruction, 'proxyType' | 'proxyNo'> | null {
  const declared = cells.proxyType.trim();
  const isKnown = declared === '' || declared === 'NATID' || declared === 'MSISDN';
  if (!isKnown) {
    report(
      'proxyType',
      'proxy-type',
      'only NATID (citizen or tax ID) or MSISDN (mobile number) can stand here, or nothing',
    );
  }
  const text = cells.proxyNo.trim();
  if (text.startsWith('=') || text.startsWith('@')) {
    report(
      'proxyNo',
      'formula',
      'a formula stands here: give the number itself, in a column formatted as text',
    );
    return null;
  }
  const reading = readProxyId(text, isKnown && declared !== '' ? declared : undefined);
  if (reading.ok) return isKnown ? reading : null;
  // Without a readable type, a missing type is not reported yet.
  if (isKnown || reading.code !== 'proxy-ambiguous') report('proxyNo', reading.code, reading.message);
  return null;
}

/**
 * Reads one row. Reports every issue of the row, in the columns' order; an amount above the limit is a hold, not an
 * issue.
 * @param line the line of the file at which the row starts
 */
export function parseRow(cells: RowCells, line: number, rules: RowRules): ParsedRow {
  let issues: Issue[] | undefined;
  const report: Report = (column, code, message) => {
    const cell = cells[column];
    const shown = column === 'proxyNo' ? showProxy(cell) : showCell(cell);
    (issues ??= []).push({ line, column, code, value: cell === '' ? null : shown, message });
  };
  const payoutId = readIdCell(cells.payoutId, 'payoutId', 'payout', idRule, report);
  const proxy = readProxy(cells, report);
  const payeeName = readText(cells, 'payeeName', report);
  const amountSatang = readAmount(cells.amount, report);
  const reference1 = readText(cells, 'reference1', report);
  const reference2 = readText(cells, 'reference2', report);
  if (issues !== undefined || proxy === null || amountSatang === null) {
    return { instruction: null, amountSatang, holds: noHolds, issues: issues ?? noIssues };
  }
  const { proxyType, proxyNo } = proxy;
  const isOverLimit = rules.payoutSatangMax !== null && amountSatang > rules.payoutSatangMax;
  return {
    instruction: { payoutId, proxyType, proxyNo, payeeName, amountSatang, reference1, reference2 },
    amountSatang,
    holds: isOverLimit ? limitHold : noHolds,
    issues: noIssues,
  };
}

// ---------------------------------------------------------------- faults of amounts

const amountCure = 'write baht in digits with at most two decimals, as 1234.50';

/** One entry for each kind of bad amount; the first match is reported. */
const badAmounts: readonly (readonly [code: string, pattern: RegExp, message: string])[] = [
  ['amount-missing', /^\s*$/, `the amount is empty: ${amountCure}`],
  ['amount-formula', /^\s*[=@]/, 'a formula stands here: give its result, as 1234.50'],
  [
    'amount-apostrophe',
    /^\s*['’]/,
    `an apostrophe stands before the number, as in files for a spreadsheet: leave it out and ${amountCure}`,
  ],
  ['amount-damaged', /^\s*#/, 'a spreadsheet shows an error here instead of a value: correct the cell'],
  [
    'amount-exponent',
    /^\s*[+-]?\d+([.,]\d*)?e[+-]?\d+\s*$/i,
    `an exponent, as a spreadsheet writes it, may have lost digits: format the column as text and ${amountCure}`,
  ],
  ['amount-thai-digits', /[๐-๙]/, `Thai digits cannot be read as an amount: ${amountCure}`],
  [
    'amount-currency',
    /\p{Sc}|\bTHB\b|\bbaht\b|บาท/iu,
    `a currency stands beside the number: leave it out and ${amountCure}`,
  ],
  [
    'amount-negative',
    /^\s*(?:[-\u2212]\s*[\d.]|\(.*\)\s*$|.*\d-\s*$)/,
    'a negative amount cannot be paid: remove the row or correct the sign',
  ],
  ['amount-sign', /^\s*\+/, `leave the plus sign out: ${amountCure}`],
  [
    'amount-decimals',
    /^\s*\d+\.\d{3,}\s*$/,
    'no amount is smaller than a satang: give at most two decimals (a point is never a thousands separator)',
  ],
  [
    'amount-separator',
    /^\s*\d+(?:[.,' \u00a0\u202f]\d+)*(?:[,.]\d*)?\s*$/,
    `thousands separators and decimal commas can be misread: ${amountCure}`,
  ],
  ['amount-point', /^\s*\.\d+\s*$/, `a digit must stand before the point: ${amountCure}`],
];

const digitsPattern = /^\d+(?:\.\d{1,2})?$/;
const pointAtEndPattern = /^\d+\.$/;

/** The limit above which a cell is not examined: such a long text was not meant as an amount. */
const explainedCharactersMax = 64;

/** Explains a cell that the strict parser `parseBaht` has refused. */
function explainAmount(cell: string): Pick<Issue, 'code' | 'message'> {
  const other = { code: 'amount-characters', message: `this is no amount: ${amountCure}` };
  if (cell.length > explainedCharactersMax) return other;
  if (parseBaht(cell.trim()) !== undefined) {
    return { code: 'amount-spaces', message: 'spaces stand around the amount: remove them' };
  }
  if (digitsPattern.test(cell)) {
    const message = `more than ${integerDigitsMax} digits before the point cannot be sent: correct the amount`;
    return { code: 'amount-digits', message };
  }
  if (pointAtEndPattern.test(cell)) {
    return { code: 'amount-point', message: `a digit must stand after the point: ${amountCure}` };
  }
  const kind = badAmounts.find(([, pattern]) => pattern.test(cell));
  if (kind !== undefined) return { code: kind[0], message: kind[2] };
  const [strange] = /[^\x20-\x7e]/u.exec(cell) ?? [];
  if (strange === undefined) return other;
  return {
    ...other,
    message: `${describeCharacter(strange)} stands in this amount, type it again: ${amountCure}`,
  };
}
