/** Endpoint 8: where is the statement of a day (§2.7, §7.2)? */
import { fieldLengths } from '../../bank/wire.ts';
import type { Answer, AnswerRequest, BusinessTerms } from '../business.ts';
import { textOf } from '../fields.ts';
import type { Body } from '../fields.ts';
import { describeStatus } from '../status-texts.ts';
import { pickEdits } from './edits.ts';
import { computeStatementDay, isOfDay } from './lines.ts';
import type { StatementDay } from './lines.ts';
import type { StatementTable } from './table.ts';

/** §7.2. */
const statuses = {
  0: 'Success',
  AU00001: 'Invalid Message Format',
  AU00002: 'File not Found',
  AU00003: 'Invalid CompanyID Format',
} as const;
type Code = keyof typeof statuses;

/** What an answer begins with. */
export function describeStatement(code: string, detail?: string): Readonly<Record<string, string>> {
  const text = Object.hasOwn(statuses, code) ? statuses[code as Code] : describeStatus(code);
  return { statusCode: code, statusDesc: detail === undefined ? text : `${text}: ${detail}` };
}

/** The value of the date field, under the name or names that the table wants; undefined when it is not there or not one. */
function readDateField(body: Body, dateField: StatementTable['dateField']): string | undefined {
  const names = dateField === 'either' ? (['date', 'Date'] as const) : [dateField];
  const values = new Set(names.flatMap((name) => body[name] ?? []));
  const [value] = values;
  return values.size === 1 && typeof value === 'string' ? value : undefined;
}

const datePattern = /^\d{4}-\d{2}-\d{2}$/;

function readDay(body: Body, table: StatementTable, nowMs: number): StatementDay | undefined {
  const date = readDateField(body, table.dateField) ?? '';
  return datePattern.test(date) ? computeStatementDay(date.replaceAll('-', ''), nowMs) : undefined;
}

const companyPattern = new RegExp(`^[A-Za-z0-9]{1,${fieldLengths.companyID}}$`);

function isCompanyId(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'string' && (value.trim() === '' || companyPattern.test(value));
}

/** Undefined for all of the partner's. */
function readCompanyId(body: Body): string | undefined {
  const text = textOf(body, 'companyID')?.trim();
  return text === '' ? undefined : text;
}

/** The requests for a day, the present one included. */
interface Asked {
  readonly requests: number;
  readonly firstAtMs: number;
}

function isReady(terms: BusinessTerms, day: StatementDay, asked: Asked, nowMs: number): boolean {
  const { today, notBefore } = terms.statements.table;
  if (nowMs < day.startMs) return false;
  if (day.asOfMs === nowMs && !today) return false;
  return asked.requests >= notBefore.requests && nowMs >= asked.firstAtMs + notBefore.seconds * 1_000;
}

function hasLines(terms: BusinessTerms, day: StatementDay, issue: number): boolean {
  const { table } = terms.statements;
  if (table.emptyDays) return true;
  if (pickEdits(table.edits, day, issue).some(({ edit }) => edit === 'add')) return true;
  for (const transfer of terms.book.transfers(terms.book.count)) if (isOfDay(transfer, day)) return true;
  return false;
}

/** `<PartnerID>_<CompanyID>_PROXY_<yyyymmdd>.csv`, without the company's part when all are asked for (§2.7). */
function nameFile(terms: BusinessTerms, companyId: string | undefined, { date }: StatementDay): string {
  const parts = [terms.statements.table.partnerId, companyId ?? [], terms.names.inCapitals, date].flat();
  return `${parts.join('_')}.csv`;
}

/** Counts the request and gives the file out if there is one. */
function answerDay(
  terms: BusinessTerms,
  body: Body,
  day: StatementDay,
  nowMs: number,
): Omit<Answer, 'behaviour'> {
  const { book, statements } = terms;
  const companyId = readCompanyId(body);
  const before = book.statementTally(day.date);
  const number = before.issued + 1;
  const asked = { requests: before.asked + 1, firstAtMs: before.firstAskedAtMs ?? nowMs };
  const isIssued =
    (companyId === undefined || companyId === terms.companyId) &&
    isReady(terms, day, asked, nowMs) &&
    hasLines(terms, day, number);
  const recorded = book.countStatement({ date: day.date, atMs: nowMs, isIssued });
  if (!isIssued) return { body: describeStatement('AU00002'), recorded };
  const put = statements.put(
    { day, companyId, number, transferCount: book.count },
    nameFile(terms, companyId, day),
    nowMs,
  );
  return { body: { ...describeStatement('0'), ...put }, recorded };
}

/** Makes the endpoint. */
export function createReconcile(terms: BusinessTerms): AnswerRequest {
  return (body, nowMs) => {
    const day = readDay(body, terms.statements.table, nowMs);
    if (day === undefined) {
      const detail = `${terms.statements.table.dateField === 'Date' ? 'Date' : 'date'} must be a date YYYY-MM-DD`;
      return { body: describeStatement('AU00001', detail), behaviour: undefined };
    }
    if (!isCompanyId(body['companyID'])) return { body: describeStatement('AU00003'), behaviour: undefined };
    const behaviour = terms.findBehaviour('statement', {});
    if (behaviour?.code !== undefined) return { body: describeStatement(behaviour.code), behaviour };
    return { ...answerDay(terms, body, day, nowMs), behaviour };
  };
}
