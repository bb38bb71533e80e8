/** The tables of reconciliation: what became of each statement, its breaks, and lines that belong to other days. */
import { type Generated, type Selectable, sql, type SqlBool } from 'kysely';
import { toSatang } from '../../core/money.ts';
import type { AcceptedStatement, DueReport, StatementRun, StatementTotals } from '../../reconcile/ports.ts';
import type { BreakMove } from '../../reconcile/rules/breaks.ts';
import { decodeLine, encodeLine, type LineStatus } from '../../reconcile/rules/statement.ts';
import type { Provenance } from '../../reconcile/rules/custody.ts';
import type { BreakRecord } from '../../reconcile/rules/types.ts';
import { makeRowMapping, type RowOf } from '../../platform/record-rows.ts';

/** As the index has it. */
export const isAcceptedBreak = sql<SqlBool>`closed_by ->> '$.kind' = 'accepted'`;

/** `moved_by` is the matching that last moved it. */
export type StatementBreakTable = RowOf<BreakRecord> & {
  readonly id: Generated<number>;
  readonly moved_by: string;
};

export type StatementVersionTable = RowOf<AcceptedStatement> & { readonly run_id: string };

/** A line with its day's version, as it is kept. */
export interface StatementLineTable {
  /** YYYYMMDD, as in all tables. */
  readonly date: string;
  readonly version: number;
  /** Of the attempt that the line agrees with; 0 for any other line, as its attempt's number. */
  readonly payout_seq: number;
  readonly attempt_no: number;
  /** Where it stands in the original; 0 where an older program did not note it. */
  readonly line: number;
  readonly status: LineStatus;
  readonly key: string | null;
  readonly cells: string | null;
}

export interface StatementTables {
  statement_run: RowOf<StatementRun>;
  statement_version: StatementVersionTable;
  statement_break: StatementBreakTable;
  statement_line: StatementLineTable;
  statement_reading: RowOf<{ readonly date: string; readonly eventSeq: number; readonly breakId: number }>;
  statement_report: RowOf<DueReport & { readonly isDue: number }>;
}

// ---------------------------------------------------------------- rows as records

const { toRow, toRecord } = makeRowMapping({
  json: ['attempt', 'closed_by', 'totals', 'changes', 'files', 'provenance'],
  // What the store alone wants to know.
  own: ['id', 'moved_by', 'run_id'],
});

/** A break as a row of its table; `id` is not known yet. */
export const toBreakColumns = ({ record }: BreakMove, { runId }: StatementRun) => ({
  ...toRow({ ...record, lines: record.lines.map(encodeLine) }),
  moved_by: runId,
});

export const toBreakRecord = (row: Selectable<StatementBreakTable>): BreakRecord => ({
  ...toRecord<BreakRecord>(row),
  lines: (JSON.parse(row.lines) as string[]).map(decodeLine),
});

export function toVersionColumns(
  accepted: AcceptedStatement,
  { runId }: StatementRun,
): StatementVersionTable {
  const statement = JSON.stringify(accepted.statement, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return { ...toRow({ ...accepted, statement }), run_id: runId };
}

/** Where a version came from, as its row has it. */
export const decodeProvenance = (text: string | null) => JSON.parse(text ?? 'null') as Provenance | null;

export function toAcceptedStatement(row: StatementVersionTable): AcceptedStatement {
  const statement = JSON.parse(row.statement, (name, value: unknown) =>
    name.endsWith('Satang') ? toSatang(BigInt(value as string)) : value,
  ) as StatementTotals;
  return { ...toRecord<AcceptedStatement>(row), statement };
}
