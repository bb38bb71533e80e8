/** The tables of reconciliation: the fate of each statement, its breaks, and lines that belong to other days. */
import { type Selectable, sql, type SqlBool } from 'kysely';
import { toSatang } from '../../core/money.ts';
import type { AcceptedStatement, StatementRun, StatementTotals } from '../../reconcile/ports.ts';
import type { BreakMove } from '../../reconcile/rules/breaks.ts';
import { decodeLine, encodeLine } from '../../reconcile/rules/statement.ts';
import type { Provenance } from '../../reconcile/rules/custody.ts';
import type { BreakRecord } from '../../reconcile/rules/types.ts';
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { Tables } from '../schema.ts';

/** True of an accepted break, in the words of the index. */
export const isAcceptedBreak = sql<SqlBool>`closed_by ->> '$.kind' = 'accepted'`;

const { toRow, toRecord } = makeRowMapping({
  json: ['attempt', 'closed_by', 'reason', 'totals', 'changes', 'files', 'provenance'],
  // Columns for the store alone.
  own: ['id', 'moved_by', 'run_id'],
});

/** A break as a row of its table; `id` is not known yet. */
export const toBreakColumns = ({ record }: BreakMove, { runId }: StatementRun) => ({
  ...toRow({ ...record, lines: record.lines.map(encodeLine) }),
  moved_by: runId,
});

export const toBreakRecord = (row: Selectable<Tables['statement_break']>): BreakRecord => ({
  ...toRecord<BreakRecord>(row),
  lines: (JSON.parse(row.lines) as string[]).map(decodeLine),
});

export function toVersionColumns(
  accepted: AcceptedStatement,
  { runId }: StatementRun,
): Tables['statement_version'] {
  const statement = JSON.stringify(accepted.statement, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return { ...toRow({ ...accepted, statement }), run_id: runId };
}

/** The origin of a version, as its row has it. */
export const decodeProvenance = (text: string) => JSON.parse(text) as Provenance;

export function toAcceptedStatement(row: Tables['statement_version']): AcceptedStatement {
  const statement = JSON.parse(row.statement, (name, value: unknown) =>
    name.endsWith('Satang') ? toSatang(BigInt(value as string)) : value,
  ) as StatementTotals;
  return { ...toRecord<AcceptedStatement>(row), statement };
}
