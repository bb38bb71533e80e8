/** The bank's statements, what they say of each payout, and where they differ from the journal. Dates are YYYYMMDD. */
import type { BreakRecord } from '../../reconcile/rules/types.ts';
import type { LineStatus } from '../../reconcile/rules/statement.ts';
import { counted, flag, integer, text } from './column.ts';
import { index, table, uniqueIndex } from './table.ts';

/** The run that judges statements, of any day: the last to begin. Its date is empty. */
export const statementRun = table('statement_run', { columns: { date: text().key(), run_id: text() } });

/** `AcceptedStatement`, and the matching that accepted it. */
export const statementVersion = table('statement_version', {
  columns: {
    date: text(),
    version: integer(),
    run_id: text(),
    sha256: text(),
    original_sha256: text(),
    original_path: text(),
    reading: text(),
    /** These four are JSON. */
    statement: text(),
    totals: text(),
    changes: text(),
    files: text(),
    accepted_at_ms: integer(),
    /** JSON: where it came from. */
    provenance: text(),
  },
  key: ['date', 'version'],
});

/** `BreakRecord`. */
export const statementBreak = table('statement_break', {
  columns: {
    id: counted(),
    date: text(),
    key: text(),
    kind: text<BreakRecord['kind']>(),
    state: text<BreakRecord['state']>().oneOf('open', 'closed'),
    version: integer(),
    severity: text<BreakRecord['severity']>(),
    line_at: integer().orNull(),
    reason: text(),
    /** JSON. */
    attempt: text().orNull(),
    /** JSON. */
    lines: text(),
    opened_at_ms: integer(),
    closed_at_ms: integer().orNull(),
    /** JSON. */
    closed_by: text().orNull(),
    /** The matching that last moved it. */
    moved_by: text(),
  },
  checks: [`(state = 'closed') = (closed_at_ms is not null)`],
  indexes: [
    uniqueIndex('statement_break_open', 'date, key, kind', `state = 'open'`),
    index('statement_break_by_key', 'key'),
    index('statement_break_moved', 'moved_by, date, state, severity'),
    index('statement_break_by_severity', 'date, severity, id, opened_at_ms', `state = 'open'`),
    /** Accepted breaks are judged with each statement of their day, and shown with it. */
    index('statement_break_accepted', 'date, severity, key', `closed_by ->> '$.kind' = 'accepted'`),
  ],
});

/** A batch whose rows a statement has changed; reported once the statement is accepted. */
export const statementReport = table('statement_report', {
  columns: { batch_id: text(), date: text(), run_id: text(), is_due: flag() },
  key: ['batch_id', 'date'],
});

/**
 * A line with its day's version. One that agrees in everything has its attempt and no cells; any other has its key and, if
 * it may be ours, its cells.
 */
export const statementLine = table('statement_line', {
  columns: {
    date: text(),
    version: integer(),
    /** The payout of the attempt that the line agrees with; 0 for any other line, as is the attempt's number. */
    payout_seq: integer(),
    attempt_no: integer(),
    /** The place in the original. */
    line: integer(),
    status: text<LineStatus>(),
    key: text().orNull(),
    /** JSON. */
    cells: text().orNull(),
  },
  key: ['date', 'version', 'payout_seq', 'attempt_no', 'line'],
  indexes: [index('statement_line_by_key', 'key', 'cells is not null')],
});

/** A version that has begun to be recorded and was not accepted, with the last event and the last break before. */
export const statementReading = table('statement_reading', {
  columns: { date: text().key(), event_seq: integer(), break_id: integer() },
});
