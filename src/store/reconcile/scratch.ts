/** Lines of a statement while it is judged, in a database of their own that nobody else opens and that does not last. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LineGroup, LineScratch } from '../../reconcile/ports.ts';
import type { StatementLine } from '../../reconcile/rules/statement.ts';
import { asFileWriteError, asWriteError } from '../connection.ts';
import { decodeLine, encodeLine } from './records.ts';

const cacheKib = 8_192;

/**
 * Nothing here need outlive the process: no rollback journal, which the defensive mode would insist on, and no sync. The
 * lock is held from the first write on, and dies with the process.
 */
const tables = `
pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma cache_size = -${cacheKib};
create table page (first_line integer primary key, lines text not null) strict;
create table aside (
  key text not null,
  line integer not null,
  is_counted integer not null,
  text text not null,
  primary key (key, line)
) strict, without rowid;
begin;
`;

/** Between the lines of a page; JSON text has none. */
const pageJoint = '\n';

interface AsideRow {
  readonly key: string;
  readonly is_counted: number;
  readonly text: string;
}

const namePattern = /^\.statement\.[0-9a-f]{12}\.scratch(?:-journal)?$/;
/** So long its owner may take from making a scratch to locking it. */
const unlockedMs = 60_000;

/**
 * Opens a scratch beside the journal, readable by the owner only.
 * @throws JournalWriteError here and from every method, when the disk refuses
 */
export function openLineScratch(journalPath: string): LineScratch {
  const folder = dirname(journalPath);
  removeLeftovers(folder);
  const path = join(folder, `.statement.${randomBytes(6).toString('hex')}.scratch`);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw asFileWriteError(path, error);
  }
  const db = new DatabaseSync(path, { defensive: false });
  const close = (): void => {
    if (db.isOpen) db.close();
    rmSync(path, { force: true });
  };
  try {
    db.exec(tables);
    return makeScratch(db, close);
  } catch (error) {
    close();
    throw asWriteError(error);
  }
}

/** Removes what processes that died have left; a scratch that is locked is in use. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!namePattern.test(name)) continue;
    const path = join(folder, name.replace(/-journal$/, ''));
    const modifiedMs = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (modifiedMs > Date.now() - unlockedMs || isLocked(path)) continue;
    for (const left of [path, `${path}-journal`]) rmSync(left, { force: true });
  }
}

/** Its owner holds SQLite's exclusive lock. What is no database, or is gone, nobody works on. */
function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    using db = new DatabaseSync(path, { timeout: 0, defensive: false });
    db.exec('begin exclusive; rollback');
    return false;
  } catch (error) {
    return (error as { errcode?: number }).errcode === sqliteBusy;
  }
}

const sqliteBusy = 5;

function guard<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
  return (...args) => {
    try {
      return work(...args);
    } catch (error) {
      throw asWriteError(error);
    }
  };
}

function makeScratch(db: DatabaseSync, close: () => void): LineScratch {
  const keepPage = db.prepare('insert into page values (?, ?)');
  const findPage = db.prepare(
    'select lines from page where first_line <= ? order by first_line desc limit 1',
  );
  const aside = db.prepare('insert or ignore into aside values (?, ?, ?, ?)');
  const findAside = db.prepare('select 1 from aside where key = ? limit 1');
  const findKept = (lineNo: number): StatementLine => {
    const page = findPage.get(lineNo);
    const line = page === undefined ? undefined : findLine(String(page['lines']), lineNo);
    if (line === undefined) throw new Error(`line ${lineNo} was not kept`);
    return line;
  };
  return {
    keep: guard((lines) => {
      const [first] = lines;
      if (first !== undefined) keepPage.run(first.line, lines.map(encodeLine).join(pageJoint));
    }),
    setAside: guard((key, line) => void aside.run(key, line.line, 0, encodeLine(line))),
    setCountedAside: guard((key, lineNo) => void aside.run(key, lineNo, 1, encodeLine(findKept(lineNo)))),
    has: guard((key) => findAside.get(key) !== undefined),
    groups: () => readGroups(db),
    largestGroup: guard(() => {
      const row = db
        .prepare(
          'select coalesce(max(lines), 0) as lines from (select count(*) as lines from aside group by key)',
        )
        .get();
      return Number(row?.['lines']);
    }),
    [Symbol.dispose]: close,
  };
}

function* readGroups(db: DatabaseSync): Generator<LineGroup> {
  const rows = db
    .prepare('select key, is_counted, text from aside order by key, line')
    .iterate() as Iterable<unknown> as Iterable<AsideRow>;
  let key: string | undefined;
  let lines: StatementLine[] = [];
  let counted: number[] = [];
  for (const row of rows) {
    if (key !== undefined && row.key !== key) {
      yield { key, lines, counted };
      lines = [];
      counted = [];
    }
    key = row.key;
    if (row.is_counted === 1) counted.push(lines.length);
    lines.push(decodeLine(row.text));
  }
  if (key !== undefined) yield { key, lines, counted };
}

const findLine = (page: string, lineNo: number): StatementLine | undefined =>
  page
    .split(pageJoint)
    .map(decodeLine)
    .find(({ line }) => line === lineNo);
