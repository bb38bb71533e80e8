/** The lines of a day's statement from the book (§2.7), and how they are written as CSV. */
import { dayMs, formatBangkokTime, parseBangkokDate } from '../../core/bangkok-time.ts';
import { formatBaht, parseBaht, toSatang } from '../../core/money.ts';
import { type StatementColumn, statementColumns } from '../../reconcile/rules/statement.ts';
import { computeState, hasEnded, type Transfer } from '../book.ts';
import type { FindPayee } from '../directory.ts';
import type { StatementTable } from './table.ts';

/** A Bangkok day, and the moment of the bank's view of it. */
export interface StatementDay {
  /** YYYYMMDD. */
  readonly date: string;
  readonly startMs: number;
  /** The day's last moment, or now during the day: later events belong to the next day. */
  readonly asOfMs: number;
}

/** A day "YYYYMMDD" in the bank's present view; undefined for text that is not a day. */
export function computeStatementDay(date: string, nowMs: number): StatementDay | undefined {
  const startMs = parseBangkokDate(date);
  return startMs === undefined ? undefined : { date, startMs, asOfMs: Math.min(nowMs, startMs + dayMs - 1) };
}

/** A line's cells in the order of `statementColumns`; amounts are decimal baht without separators. */
export type StatementCells = readonly string[];

/** Position of each column. */
export const columnPlaces = Object.fromEntries(
  statementColumns.map((column, place) => [column, place]),
) as Readonly<Record<StatementColumn, number>>;

/** Facts for lines besides the transfer. */
export interface LineTerms {
  readonly table: StatementTable;
  readonly partnerId: string;
  /** Client of the settings, for transfers without one. */
  readonly clientId: string;
  /** Companies whose lines are included; the first is used for lines outside the book. */
  readonly companyIds: ReadonlySet<string>;
  /** Payer account of lines outside the book. */
  readonly payerAccount: string;
  readonly findPayee: FindPayee;
}

/** NET AMOUNT of an amount and a fee in decimal baht; empty when one is unreadable. */
export function computeNet(
  amount: string,
  fee: string,
  chargeType: string,
  net: StatementTable['net'],
): string {
  const amountSatang = parseBaht(amount);
  const feeSatang = parseBaht(fee);
  if (amountSatang === undefined || feeSatang === undefined) return '';
  const isPayees = chargeType === 'Ben';
  if (net === 'received') return formatBaht(toSatang(amountSatang - (isPayees ? feeSatang : 0n)));
  return formatBaht(toSatang(amountSatang + (isPayees ? 0n : feeSatang)));
}

/**
 * True for a transfer of these companies that entered on the day, or was in process at the end of the previous day and
 * ended on this one.
 */
export function isOfDay(
  transfer: Transfer,
  { date, startMs, asOfMs }: StatementDay,
  companyIds: ReadonlySet<string>,
): boolean {
  if (!companyIds.has(transfer.companyId)) return false;
  if (transfer.createdOn === date) return true;
  return transfer.createdOn < date && transfer.endsAtMs >= startMs && hasEnded(transfer, asOfMs);
}

/** AMOUNT, FEE and NET AMOUNT of a transfer. */
function toFigures(transfer: Transfer, hasFailed: boolean, table: StatementTable): readonly string[] {
  const { failedAmount } = table;
  if (hasFailed && failedAmount !== 'sent')
    return Array<string>(3).fill(failedAmount === 'zero' ? '0.00' : '');
  const amount = formatBaht(transfer.amountSatang);
  const fee = formatBaht(transfer.feeSatang);
  return [amount, fee, computeNet(amount, fee, table.chargeType, table.net)];
}

/** The line of a transfer, with an empty NO. */
function toCells(
  transfer: Transfer,
  { date, asOfMs }: StatementDay,
  { table, partnerId, clientId, findPayee }: LineTerms,
): StatementCells {
  const { transRefNo, sysRefNo, channelId, payerAccount, proxyType, proxyNo, companyId } = transfer;
  const isEnded = hasEnded(transfer, asOfMs);
  const time = formatBangkokTime(isEnded ? transfer.endsAtMs : transfer.acceptedAtMs);
  const payee = findPayee(proxyNo, transfer.proxyName);
  const state = computeState(transfer, asOfMs);
  return [
    '',
    date,
    transRefNo,
    sysRefNo,
    channelId,
    payerAccount,
    proxyType,
    proxyNo,
    payee.name,
    payee.nameTh,
    transfer.reference1,
    transfer.reference2,
    ...toFigures(transfer, isEnded && transfer.end !== 'complete', table),
    table.status === 'code' ? state.tranStatusCode : state.tranStatusDesc,
    state.statusCode,
    state.statusDesc,
    partnerId,
    transfer.clientId ?? clientId,
    companyId,
    table.chargeType,
    time,
  ];
}

/** The day's lines, in the order in which their transfers entered. */
export const readDayLines = (
  transfers: IteratorObject<Transfer>,
  day: StatementDay,
  terms: LineTerms,
): Iterable<StatementCells> =>
  transfers
    .filter((transfer) => isOfDay(transfer, day, terms.companyIds))
    .map((transfer) => toCells(transfer, day, terms));

const linesPerChunk = 500;
const byteOrderMark = '\uFEFF';

const special = /[",\r\n]/;

const quote = (text: string): string => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Separator that occurs in no valid cell, so that one search covers a line. */
const betweenCells = '\u001F';

/** Joins cells without the CSV package, which takes several times as long for a statement of a million lines. */
function joinCells(cells: readonly string[]): string {
  const hasSpecial = special.test(cells.join(betweenCells));
  return (hasSpecial ? cells.map(quote) : cells).join(',');
}

const amountPlaces = [columnPlaces['AMOUNT'], columnPlaces['FEE'], columnPlaces['NET AMOUNT']];

/** "1234.50" as "1,234.50"; any other text unchanged. */
function separateThousands(text: string): string {
  const amount = parseBaht(text);
  return amount === undefined ? text : formatBaht(amount).replaceAll(/\B(?=(\d{3})+\.)/g, ',');
}

function writeLine(cells: StatementCells, place: number, { thousands }: StatementTable): string {
  const written = [...cells];
  if (written[0] === '') written[0] = String(place);
  if (thousands) {
    for (const at of amountPlaces) written[at] = separateThousands(written[at] ?? '');
  }
  return joinCells(written);
}

/** Difference between a Thai letter's code point and its TIS-620 byte. */
const thaiShift = 0x0e_01 - 0xa1;

/** Encodes ASCII and Thai as windows-874; other characters become question marks. */
function encodeWindows874(text: string): Buffer {
  const toByte = (letter: string): string =>
    /[\u0E01-\u0E5B]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) - thaiShift) : '?';
  return Buffer.from(text.replaceAll(/[\u0080-\uFFFF]/g, toByte), 'latin1');
}

/**
 * Writes header and lines in chunks, without keeping them.
 * @param word the scheme's word in capitals, which replaces PROXY in the columns
 */
export function* writeStatement(
  lines: Iterable<StatementCells>,
  word: string,
  table: StatementTable,
): Generator<Buffer> {
  const encode = (text: string): Buffer =>
    table.encoding === 'utf-8' ? Buffer.from(text) : encodeWindows874(text);
  const lineEnd = table.lineEnd === 'crlf' ? '\r\n' : '\n';
  const header = joinCells(statementColumns.map((column) => column.replace(/^PROXY\b/, word)));
  let chunk = [`${table.bom ? byteOrderMark : ''}${header}`];
  let place = 0;
  for (const cells of lines) {
    place += 1;
    chunk.push(writeLine(cells, place, table));
    if (chunk.length < linesPerChunk) continue;
    yield encode(`${chunk.join(lineEnd)}${lineEnd}`);
    chunk = [];
  }
  if (chunk.length > 0) yield encode(`${chunk.join(lineEnd)}${lineEnd}`);
}
