/** Endpoint 8: the address of a day's statement (§2.7, §7.2). */
import { fieldLengths } from '../../bank/wire.ts';
import type { AnswerRequest, SandboxBank } from '../bank.ts';
import type { Client } from '../clients.ts';
import type { Delivery } from '../delivery.ts';
import { type Body, textOf } from '../fields.ts';
import { describeStatus } from '../status-texts.ts';
import { pickEdits } from './edits.ts';
import { computeStatementDay, isOfDay, type StatementDay } from './lines.ts';
import type { StatementTable } from './table.ts';

/** Descriptions of the codes of §7.2. */
const statuses: Readonly<Record<string, string>> = {
  0: 'Success',
  AU00001: 'Invalid Message Format',
  AU00002: 'File not Found',
  AU00003: 'Invalid CompanyID Format',
};

/** First fields of an answer. */
export function describeStatement(code: string, detail?: string): Readonly<Record<string, string>> {
  const text = statuses[code] ?? describeStatus(code);
  return { statusCode: code, statusDesc: detail === undefined ? text : `${text}: ${detail}` };
}

const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/** The day of the date field, under the table's names; undefined for none, or for two that differ. */
function readDay(body: Body, { dateField }: StatementTable, nowMs: number): StatementDay | undefined {
  const names = dateField === 'either' ? (['date', 'Date'] as const) : [dateField];
  const given = names.map((name) => body[name]).filter((value) => value !== undefined && value !== null);
  const [date, ...others] = new Set(given);
  if (typeof date !== 'string' || others.length > 0 || !datePattern.test(date)) return undefined;
  return computeStatementDay(date.replaceAll('-', ''), nowMs);
}

const companyPattern = new RegExp(`^[A-Za-z0-9]{1,${fieldLengths.companyID}}$`);

function isCompanyId(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'string' && (value.trim() === '' || companyPattern.test(value));
}

/** @param earlier requests for the day before this one */
function isReady(
  bank: SandboxBank,
  day: StatementDay,
  earlier: ReturnType<SandboxBank['book']['statementRequests']>,
  nowMs: number,
): boolean {
  const { today, notBefore } = bank.statements.table;
  if (nowMs < day.startMs) return false;
  if (day.asOfMs === nowMs && !today) return false;
  const waitedMs = nowMs - (earlier[0]?.atMs ?? nowMs);
  return earlier.length + 1 >= notBefore.requests && waitedMs >= notBefore.seconds * 1_000;
}

function hasLines(
  { book, statements: { table } }: SandboxBank,
  day: StatementDay,
  companyIds: ReadonlySet<string>,
  issue: number,
): boolean {
  return (
    table.emptyDays ||
    pickEdits(table.edits, day, issue).some(({ edit }) => edit === 'add') ||
    book.transfers(book.count).some((transfer) => isOfDay(transfer, day, companyIds))
  );
}

/**
 * Scope of the file count: each partner and company counts its own; the settings' own company shares its count with all
 * its partner's files.
 */
function nameScope({ clients }: SandboxBank, { partnerId }: Client, companyId: string): string | undefined {
  const parts = [partnerId ?? '', companyId === clients.homeCompanyId ? '' : companyId];
  return parts.join('/') === '/' ? undefined : parts.join('/');
}

/** Counts the request and issues the file if there is one. */
function answerDay(
  bank: SandboxBank,
  client: Client,
  body: Body,
  day: StatementDay,
  nowMs: number,
): Delivery {
  const { book, statements, clients } = bank;
  /** Empty: all companies of the partner. */
  const companyId = textOf(body, 'companyID').trim();
  const partners = clients.companiesOfPartner(client);
  const companyIds = companyId === '' ? partners : partners.intersection(new Set([companyId]));
  const scope = nameScope(bank, client, companyId);
  const earlier = book.statementRequests(day.date, scope);
  const number = earlier.filter((request) => request.isIssued).length + 1;
  const isIssued =
    companyIds.size > 0 && isReady(bank, day, earlier, nowMs) && hasLines(bank, day, companyIds, number);
  const recorded = book.countStatement({ date: day.date, atMs: nowMs, isIssued, scope });
  if (!isIssued) return { body: describeStatement('AU00002'), recorded };
  const { partnerId = statements.table.partnerId } = client;
  // `<PartnerID>_<CompanyID>_PROXY_<yyyymmdd>.csv`, without the company's part for a file of all companies (§2.7).
  const parts = [partnerId, companyId, bank.names.inCapitals, day.date];
  const csvName = `${parts.filter((part) => part !== '').join('_')}.csv`;
  const transferCount = book.count;
  const put = statements.put({ day, partnerId, companyIds, csvName, number, transferCount }, nowMs);
  return { body: { ...describeStatement('0'), ...put }, recorded };
}

export function createReconcile(bank: SandboxBank): AnswerRequest {
  return (body, nowMs, client) => {
    const { table } = bank.statements;
    const day = readDay(body, table, nowMs);
    if (day === undefined) {
      const detail = `${table.dateField === 'Date' ? 'Date' : 'date'} must be a date YYYY-MM-DD`;
      return { body: describeStatement('AU00001', detail) };
    }
    if (!isCompanyId(body['companyID'])) return { body: describeStatement('AU00003') };
    const behaviour = bank.findBehaviour('statement', {});
    if (behaviour?.code !== undefined) return { body: describeStatement(behaviour.code), behaviour };
    return { ...answerDay(bank, client, body, day, nowMs), behaviour };
  };
}
