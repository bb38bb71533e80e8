/** The lines of a statement to judge once it is read, in a passing database of its own that nothing else opens. */
import { DatabaseSync } from 'node:sqlite';
import type { Deferred, DeferredKey } from '../../reconcile/ports.ts';
import { decodeLine, encodeLine } from '../../reconcile/rules/statement.ts';
import { asWriteError } from '../connection.ts';

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

/** @throws JournalWriteError from its methods, when the disk refuses */
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
