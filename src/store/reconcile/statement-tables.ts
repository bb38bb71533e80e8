/** Rows of reconciliation's tables: the fate of each statement, its breaks, and lines that belong to other days. */
import { DatabaseSync } from 'node:sqlite';
import { type Selectable, sql, type SqlBool } from 'kysely';
import { toSatang } from '../../core/money.ts';
import type {
  AcceptedStatement,
  Deferred,
  DeferredKey,
  StatementRun,
  StatementTotals,
} from '../../reconcile/ports.ts';
import type { BreakMove } from '../../reconcile/rules/breaks.ts';
import { decodeLine, encodeLine } from '../../reconcile/rules/statement.ts';
import type { Provenance } from '../../reconcile/rules/custody.ts';
import type { BreakRecord } from '../../reconcile/rules/types.ts';
import { makeRowMapping } from '../../platform/record-rows.ts';
import { asWriteError } from '../connection.ts';
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

// ---------------------------------------------------------------- lines to judge once the statement is read

/** The empty name of the database: SQLite keeps it in memory, and what does not fit in a file that no folder lists. */
const nameless = '';

const cacheKib = 8_192;

/** A key without a line has line 0; one whose first line was counted has that line without its text. */
const tables = `
pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -${cacheKib};
create table deferred (key text not null, line integer not null, text text, primary key (key, line)) strict, without rowid;
begin;
`;

interface DeferredRow {
  readonly key: string;
  readonly line: number;
  readonly text: string | null;
}

function guard<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
  return (...args) => {
    try {
      return work(...args);
    } catch (error) {
      throw asWriteError(error);
    }
  };
}

/**
 * Keeps lines in a passing database of its own that nothing else opens.
 * @throws JournalWriteError from its methods, when the disk refuses
 */
export function openDeferred(): Deferred {
  const db = new DatabaseSync(nameless, { defensive: false });
  db.exec(tables);
  const put = db.prepare('insert or ignore into deferred values (?, ?, ?)');
  const anyLine = db.prepare('select 1 from deferred where key = ? and line > 0 limit 1');
  return {
    put: guard((key, line) => void put.run(key, line.line, encodeLine(line))),
    putCounted: guard((key, lineNo) => void put.run(key, lineNo, null)),
    note: guard((keys) => {
      for (const key of keys) put.run(key, 0, null);
    }),
    keys: () => readKeys(db),
    hasLine: guard((key) => anyLine.get(key) !== undefined),
    largestKey: guard(() => {
      const row = db
        .prepare('select count(*) as lines from deferred where line > 0 group by key order by 1 desc limit 1')
        .get();
      return Number(row?.['lines'] ?? 0);
    }),
    [Symbol.dispose]: () => db.close(),
  };
}

function* readKeys(db: DatabaseSync): Generator<DeferredKey> {
  const rows = db
    .prepare('select key, line, text from deferred order by key, line')
    .iterate() as Iterable<unknown> as Iterable<DeferredRow>;
  let key: string | undefined;
  let lines: DeferredKey['lines'][number][] = [];
  for (const row of rows) {
    if (key !== undefined && row.key !== key) {
      yield { key, lines };
      lines = [];
    }
    key = row.key;
    if (row.text !== null) lines.push(decodeLine(row.text));
  }
  if (key !== undefined) yield { key, lines };
}
