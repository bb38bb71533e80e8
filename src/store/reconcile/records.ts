/** Lines and breaks as the store keeps them: JSON text, amounts as whole satang in text. */
import type { Selectable } from 'kysely';
import { toSatang } from '../../core/money.ts';
import type {
  AcceptedStatement,
  StatementFile,
  StatementRun,
  StatementTotals,
} from '../../reconcile/ports.ts';
import type { BreakMove } from '../../reconcile/rules/breaks.ts';
import type { LineStatus, StatementLine } from '../../reconcile/rules/statement.ts';
import type { EncodedTotals } from '../../reconcile/rules/tally.ts';
import type { AttemptFacts, BreakClosure, BreakRecord } from '../../reconcile/rules/types.ts';
import type { StatementBreakTable, StatementVersionTable } from './tables.ts';

/** One line as a JSON list: a million of them are written and few are read. */
export function encodeLine(line: StatementLine): string {
  return JSON.stringify([
    line.line,
    line.no,
    line.effectiveDate,
    line.effectiveTime,
    line.transRefNo,
    line.sysRefNo,
    line.channelId,
    line.payerAccount,
    line.proxyType,
    line.proxyNo,
    line.proxyName,
    line.proxyNameTh,
    line.reference1,
    line.reference2,
    String(line.amountSatang),
    String(line.feeSatang),
    String(line.netSatang),
    line.statusText,
    line.status,
    line.reasonCode,
    line.reasonDesc,
    line.partnerId,
    line.clientId,
    line.companyId,
    line.chargeType,
  ]);
}

type LineCells = readonly [number, ...string[]];

export function decodeLine(text: string): StatementLine {
  const [line, ...texts] = JSON.parse(text) as LineCells;
  const cell = (place: number): string => texts[place] ?? '';
  const satang = (place: number) => toSatang(BigInt(cell(place)));
  return {
    line,
    no: cell(0),
    effectiveDate: cell(1),
    effectiveTime: cell(2),
    transRefNo: cell(3),
    sysRefNo: cell(4),
    channelId: cell(5),
    payerAccount: cell(6),
    proxyType: cell(7),
    proxyNo: cell(8),
    proxyName: cell(9),
    proxyNameTh: cell(10),
    reference1: cell(11),
    reference2: cell(12),
    amountSatang: satang(13),
    feeSatang: satang(14),
    netSatang: satang(15),
    statusText: cell(16),
    status: cell(17) as LineStatus,
    reasonCode: cell(18),
    reasonDesc: cell(19),
    partnerId: cell(20),
    clientId: cell(21),
    companyId: cell(22),
    chargeType: cell(23),
  };
}

const encodeLines = (lines: readonly StatementLine[]): string => JSON.stringify(lines.map(encodeLine));
export const decodeLines = (text: string): StatementLine[] => (JSON.parse(text) as string[]).map(decodeLine);

/** A break as a row of its table; `id` is not known yet. */
export function toBreakColumns({ record }: BreakMove, { runId }: StatementRun) {
  const { attempt, closedBy } = record;
  return {
    date: record.date,
    key: record.key,
    kind: record.kind,
    state: record.state,
    version: record.version,
    loudness: record.loudness,
    line_at: record.lineAt,
    reason: record.reason,
    attempt: attempt === null ? null : JSON.stringify(attempt),
    lines: encodeLines(record.lines),
    opened_at_ms: record.openedAtMs,
    closed_at_ms: record.closedAtMs,
    closed_by: closedBy === null ? null : JSON.stringify(closedBy),
    moved_by: runId,
  };
}

export function toBreakRecord(row: Selectable<StatementBreakTable>): BreakRecord {
  return {
    key: row.key,
    kind: row.kind,
    loudness: row.loudness,
    date: row.date,
    lineAt: row.line_at,
    reason: row.reason,
    version: row.version,
    attempt: row.attempt === null ? null : (JSON.parse(row.attempt) as AttemptFacts),
    lines: decodeLines(row.lines),
    openedAtMs: row.opened_at_ms,
    state: row.state,
    closedAtMs: row.closed_at_ms,
    closedBy: row.closed_by === null ? null : (JSON.parse(row.closed_by) as BreakClosure),
  };
}

type EncodedStatementTotals = Readonly<
  Record<'amountSatang' | 'feeSatang' | 'netSatang' | 'sha256', string> &
    Record<'lines' | 'sizeBytes', number>
>;

export function toVersionColumns(
  accepted: AcceptedStatement,
  { runId }: StatementRun,
): StatementVersionTable {
  const { amountSatang, feeSatang, netSatang, ...rest } = accepted.statement;
  const statement: EncodedStatementTotals = {
    ...rest,
    amountSatang: String(amountSatang),
    feeSatang: String(feeSatang),
    netSatang: String(netSatang),
  };
  return {
    date: accepted.date,
    version: accepted.version,
    run_id: runId,
    sha256: accepted.sha256,
    original_sha256: accepted.originalSha256,
    original_path: accepted.originalPath,
    reading: accepted.reading,
    statement: JSON.stringify(statement),
    totals: JSON.stringify(accepted.totals),
    changes: JSON.stringify(accepted.changes),
    files: JSON.stringify(accepted.files),
    accepted_at_ms: accepted.acceptedAtMs,
  };
}

export const toStatementFiles = (text: string): readonly StatementFile[] =>
  JSON.parse(text) as StatementFile[];

export function toAcceptedStatement(row: StatementVersionTable): AcceptedStatement {
  const { amountSatang, feeSatang, netSatang, ...rest } = JSON.parse(row.statement) as EncodedStatementTotals;
  const statement: StatementTotals = {
    ...rest,
    amountSatang: toSatang(BigInt(amountSatang)),
    feeSatang: toSatang(BigInt(feeSatang)),
    netSatang: toSatang(BigInt(netSatang)),
  };
  return {
    date: row.date,
    version: row.version,
    sha256: row.sha256,
    originalSha256: row.original_sha256,
    originalPath: row.original_path,
    reading: row.reading,
    statement,
    totals: JSON.parse(row.totals) as EncodedTotals,
    changes: JSON.parse(row.changes) as AcceptedStatement['changes'],
    files: toStatementFiles(row.files),
    acceptedAtMs: row.accepted_at_ms,
  };
}
