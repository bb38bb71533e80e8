/** The lines of a day's statement, as the book has them (§2.7). */
import { dayMs, formatBangkokTime, parseBangkokDate } from '../../core/bangkok-time.ts';
import { formatBaht, parseBaht, toSatang } from '../../core/money.ts';
import { type StatementColumn, statementColumns } from '../../reconcile/rules/statement.ts';
import { computeState, hasEnded, type Transfer } from '../book.ts';
import type { FindPayee } from '../directory.ts';
import type { StatementTable } from './table.ts';

/** A Bangkok day, and the moment as of which the bank tells of it. */
export interface StatementDay {
  /** YYYYMMDD. */
  readonly date: string;
  readonly startMs: number;
  /** The day's last moment, or now while the day lasts: what comes later is the next day's. */
  readonly asOfMs: number;
}

/** A day "YYYYMMDD" as the bank sees it now; undefined for text that names no day. */
export function computeStatementDay(date: string, nowMs: number): StatementDay | undefined {
  const startMs = parseBangkokDate(date);
  return startMs === undefined ? undefined : { date, startMs, asOfMs: Math.min(nowMs, startMs + dayMs - 1) };
}

/** A line's cells in the order of `statementColumns`; amounts are decimal baht without separators. */
export type StatementCells = readonly string[];

/** Where a column stands. */
export const columnPlaces = Object.fromEntries(
  statementColumns.map((column, place) => [column, place]),
) as Readonly<Record<StatementColumn, number>>;

/** What lines say that is not a transfer's own. */
export interface LineTerms {
  readonly table: StatementTable;
  readonly partnerId: string;
  /** The settings' own, for transfers that do not say whose they are. */
  readonly clientId: string;
  /** Whose lines there are; the first stands in lines that the book does not have. */
  readonly companyIds: ReadonlySet<string>;
  /** Stands in lines that the book does not have. */
  readonly payerAccount: string;
  readonly findPayee: FindPayee;
}

/** NET AMOUNT of an amount and a fee in decimal baht; empty when one of them cannot be read. */
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

/** A day of these companies has what entered on it, and what was in process when the day before ended and has ended on it. */
export function isOfDay(
  transfer: Transfer,
  { date, startMs, asOfMs }: StatementDay,
  companyIds: ReadonlySet<string>,
): boolean {
  if (!companyIds.has(transfer.companyId)) return false;
  if (transfer.createdOn === date) return true;
  return transfer.createdOn < date && transfer.endsAtMs >= startMs && hasEnded(transfer, asOfMs);
}

/** AMOUNT, FEE and NET AMOUNT. */
function toFigures(transfer: Transfer, hasFailed: boolean, table: StatementTable): readonly string[] {
  const { failedAmount } = table;
  if (hasFailed && failedAmount !== 'sent')
    return Array<string>(3).fill(failedAmount === 'zero' ? '0.00' : '');
  const amount = formatBaht(transfer.amountSatang);
  const fee = formatBaht(transfer.feeSatang);
  return [amount, fee, computeNet(amount, fee, table.chargeType, table.net)];
}

/** The line of a transfer, its NO still empty. */
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

/** The day's lines in the order in which their transfers entered. */
export const readDayLines = (
  transfers: IteratorObject<Transfer>,
  day: StatementDay,
  terms: LineTerms,
): Iterable<StatementCells> =>
  transfers
    .filter((transfer) => isOfDay(transfer, day, terms.companyIds))
    .map((transfer) => toCells(transfer, day, terms));
