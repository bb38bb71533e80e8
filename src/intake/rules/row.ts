/**
 * One row of an input file: cells in, an instruction or every issue of the row out (design: "The files"). Pure;
 * duplicates.ts and the journal find issues that involve other rows (a payoutId twice).
 */
import { message, type Message, type PlainCode } from '../../core/message.ts';
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
function explainScript(name: string): Message {
  const foreign = /[^\x20-\x7e\u0e01-\u0e3a\u0e40-\u0e5b\u00a0\u200b-\u200d\u2060\ufeff]/u.exec(name)?.[0];
  const other = foreign ?? (/\p{L}/u.test(name) ? /[^\x20-\x7e]/u.exec(name)?.[0] : undefined);
  if (other === undefined) return message('issue.name-letters');
  const code = isUnseen(other) ? 'issue.name-unseen' : 'issue.name-script';
  return message(code, { character: describeCharacter(other) });
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
    const fault = explainAmount(cell);
    report('amount', fault.code, fault.message);
    return null;
  }
  if (amount === 0n) report('amount', 'amount-zero', message('issue.amount-zero'));
  return amount;
}

function readProxy(cells: RowCells, report: Report): Pick<Instruction, 'proxyType' | 'proxyNo'> | null {
  const declared = cells.proxyType.trim();
  const isKnown = declared === '' || declared === 'NATID' || declared === 'MSISDN';
  if (!isKnown) report('proxyType', 'proxy-type', message('issue.proxy-type'));
  const text = cells.proxyNo.trim();
  if (text.startsWith('=') || text.startsWith('@')) {
    report('proxyNo', 'formula', message('issue.proxy-formula'));
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
  const report: Report = (column, code, issue) => {
    const cell = cells[column];
    const shown = column === 'proxyNo' ? showProxy(cell) : showCell(cell);
    (issues ??= []).push({ line, column, code, value: cell === '' ? null : shown, message: issue });
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

/** One entry for each kind of bad amount; the first match is reported. */
const badAmounts: readonly (readonly [code: string, pattern: RegExp, issue: PlainCode])[] = [
  ['amount-missing', /^\s*$/, 'issue.amount-missing'],
  ['amount-formula', /^\s*[=@]/, 'issue.amount-formula'],
  ['amount-apostrophe', /^\s*['’]/, 'issue.amount-apostrophe'],
  ['amount-damaged', /^\s*#/, 'issue.amount-damaged'],
  ['amount-exponent', /^\s*[+-]?\d+([.,]\d*)?e[+-]?\d+\s*$/i, 'issue.amount-exponent'],
  ['amount-thai-digits', /[๐-๙]/, 'issue.amount-thai-digits'],
  ['amount-currency', /\p{Sc}|\bTHB\b|\bbaht\b|บาท/iu, 'issue.amount-currency'],
  ['amount-negative', /^\s*(?:[-\u2212]\s*[\d.]|\(.*\)\s*$|.*\d-\s*$)/, 'issue.amount-negative'],
  ['amount-sign', /^\s*\+/, 'issue.amount-sign'],
  ['amount-decimals', /^\s*\d+\.\d{3,}\s*$/, 'issue.amount-decimals'],
  ['amount-separator', /^\s*\d+(?:[.,' \u00a0\u202f]\d+)*(?:[,.]\d*)?\s*$/, 'issue.amount-separator'],
  ['amount-point', /^\s*\.\d+\s*$/, 'issue.amount-point-first'],
];

const digitsPattern = /^\d+(?:\.\d{1,2})?$/;
const pointAtEndPattern = /^\d+\.$/;

/** The limit above which a cell is not examined: such a long text was not meant as an amount. */
const explainedCharactersMax = 64;

/** Explains a cell that the strict parser `parseBaht` has refused. */
function explainAmount(cell: string): Pick<Issue, 'code' | 'message'> {
  const other = { code: 'amount-characters', message: message('issue.amount-characters') };
  if (cell.length > explainedCharactersMax) return other;
  if (parseBaht(cell.trim()) !== undefined) {
    return { code: 'amount-spaces', message: message('issue.amount-spaces') };
  }
  if (digitsPattern.test(cell)) {
    return { code: 'amount-digits', message: message('issue.amount-digits', { most: integerDigitsMax }) };
  }
  if (pointAtEndPattern.test(cell)) {
    return { code: 'amount-point', message: message('issue.amount-point-last') };
  }
  const kind = badAmounts.find(([, pattern]) => pattern.test(cell));
  if (kind !== undefined) return { code: kind[0], message: message(kind[2]) };
  const [strange] = /[^\x20-\x7e]/u.exec(cell) ?? [];
  if (strange === undefined) return other;
  return {
    ...other,
    message: message('issue.amount-character', { character: describeCharacter(strange) }),
  };
}
