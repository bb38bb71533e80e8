/**
 * Moves batches out of the journal and back. A batch stands in one of the two, whole. Out: its rows are copied and
 * synced, the copy is read again from the disk, and one transaction of the journal names the archive and lets the rows
 * go; killed before that, the journal has them as before. Back: one transaction of the journal.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import {
  type ArchiveFacts,
  type ArchivePolicy,
  describeMissingArchive,
  describeOtherArchive,
  findArchiveObstacle,
} from '../../payout/rules/archive.ts';
import { finalStatuses } from '../../core/payout.ts';
import { isOfWholeDay } from '../../reconcile/ports.ts';
import { inTransaction, JournalRefusedError, openConnection, openReader } from '../connection.ts';
import type { Reader } from '../engine.ts';
import { readSchemaVersion } from '../migrations.ts';
import { batchReads } from '../payouts/batches.ts';
import { keepPaidPayees } from '../payouts/day-use.ts';
import { recordOpen } from '../payouts/open-payouts.ts';
import { define, drive, query, type Reading } from '../statements.ts';
import { digestBatch, explainReading, makeReadable, movedTables, openArchive } from './archive-file.ts';

const ended = finalStatuses.filter((status) => status !== 'disputed').map((status) => `'${status}'`);

/** Facts of done batches that came to rest before a moment, the oldest first; of one alone when it is named. */
const factsOfBatches = `
select b.batch_id as batchId, b.file_name as fileName, b.rows, b.status = 'done' as isDone,
  max(b.rested_at_ms, b.recalled_at_ms, coalesce((select max(e.at_ms) from payout p join event e on e.payout_seq = p.seq
    where p.batch_id = b.batch_id), 0)) as latestMs,
  (select count(*) from payout p where p.batch_id = b.batch_id
    and (p.status not in (${ended.join(', ')}) or p.holds <> 0)) as openRows,
  (select count(*) from payout p where p.batch_id = b.batch_id and p.is_alarm = 1) as alarmRows,
  (select count(*) from payout p join attempt a on a.payout_seq = p.seq where p.batch_id = b.batch_id
    and (a.next_inquiry_at_ms is not null or a.status not in ('paid', 'failed', 'refused'))) as openAttempts,
  b.reported_event_seq >= max(b.rested_event_seq, 0)
    and not exists (select 1 from statement_report d where d.batch_id = b.batch_id) as isReported,
  exists (select 1 from intake_item i where i.batch_id = b.batch_id and i.outcome is null)
    or exists (select 1 from taken_file t where t.batch_id = b.batch_id
      and t.growth_sha256 is not null and t.growth_sha256 is not t.closed_sha256) as isFileOpen,
  (select count(*) from proposal_item i where i.status = 'open' and (i.kind = 'batch' and i.key = b.batch_id
    or i.kind = 'payout' and exists (select 1 from payout p
      where p.seq = cast(i.key as integer) and p.batch_id = b.batch_id))) as openDecisions,
  (select json_group_array(date) from (
    select a.tran_date as date from payout p join attempt a on a.payout_seq = p.seq where p.batch_id = b.batch_id
    union select s.date from statement_break s cross join attempt a cross join payout p
      where s.state = 'open' and a.trans_ref_no = s.key and p.seq = a.payout_seq and p.batch_id = b.batch_id)) as dates
from batch b
where b.status = 'done' and b.rested_at_ms < ?1 and (?2 is null or b.batch_id = ?2)
  and not exists (select 1 from archived_batch a where a.batch_id = b.batch_id)
order by b.rested_at_ms, b.batch_id`;

export function* readArchiveFacts(
  db: DatabaseSync,
  beforeMs: number,
  batchId: string | null = null,
): Generator<ArchiveFacts> {
  const reading = db.prepare(
    `select (select reading from statement_version where date = ?1 order by version desc limit 1) as reading,
       (select count(*) from statement_break where date = ?1 and state = 'open') as open_breaks`,
  );
  for (const row of db.prepare(factsOfBatches).all(beforeMs, batchId)) {
    const { dates, isDone, isReported, isFileOpen, ...facts } = row;
    const days = (JSON.parse(String(dates)) as string[]).toSorted().map((date) => {
      const day = reading.get(date);
      const isReconciled = typeof day?.['reading'] === 'string' && isOfWholeDay(day['reading']);
      return { date, isReconciled, openBreaks: Number(day?.['open_breaks']) };
    });
    const flags = { isDone: isDone === 1, isReported: isReported === 1, isFileOpen: isFileOpen === 1 };
    yield { ...(facts as unknown as ArchiveFacts), ...flags, days };
  }
}

/** Told how far a move has come, so that a test can end the process there. */
export type OnStep = (step: 'copied' | 'verified' | 'named' | 'removed' | 'committed') => void;

export interface ArchiveOrder {
  readonly batchId: string;
  /** Of the file, beside the journal. */
  readonly archive: string;
  readonly policy: ArchivePolicy;
  readonly nowMs: number;
  readonly onStep?: OnStep;
}

const rowsOf = (seq: string): string => `${seq} in (select seq from payout where batch_id = ?)`;

/** Copies a batch into the archive, durably. */
function copyBatch(path: string, journalPath: string, batchId: string): void {
  using db = openConnection(path, 'delete');
  db.prepare('attach ? as journal').run(journalPath);
  inTransaction(db, () => {
    for (const name of ['batch', 'report'])
      db.prepare(`insert into ${name} select * from journal.${name} where batch_id = ?`).run(batchId);
    for (const { name, seq } of movedTables)
      db.prepare(
        `insert into ${name} select * from journal.${name} where ${seq} in (
           select seq from journal.payout where batch_id = ?)`,
      ).run(batchId);
    recordPlaces(db, batchId);
  });
}

/** What is looked for by other than its number: where its payees are paid an amount, and what waits for a person. */
function recordPlaces(db: DatabaseSync, batchId: string): void {
  db.prepare(
    `insert or ignore into payee_place select r.proxy_no, p.amount_satang, p.seq
     from payout p join payout_row r on r.seq = p.seq
     where p.batch_id = ? and r.proxy_no is not null and p.amount_satang is not null order by 1, 2, 3`,
  ).run(batchId);
  drive(db, recordOpen(batchId));
}

/** What the disk has of a batch; an empty file has nothing. */
export const digestCopy = (path: string, batchId: string): string =>
  explainReading(path, () => {
    if (!existsSync(path)) throw new JournalRefusedError(describeMissingArchive(path));
    using db = openReader(path);
    return readSchemaVersion(db) === 0 ? '' : digestBatch(db, batchId);
  });

/** Moves a batch into an archive. @returns false when it may not go any more, or has changed since it was copied */
export function archiveBatch(db: DatabaseSync, journalPath: string, order: ArchiveOrder): boolean {
  const { batchId, archive, policy, nowMs, onStep = () => {} } = order;
  const path = join(dirname(journalPath), archive);
  copyBatch(path, journalPath, batchId);
  onStep('copied');
  const digest = digestCopy(path, batchId);
  onStep('verified');
  const isMoved = inTransaction(db, () => {
    const [facts] = readArchiveFacts(db, Number.MAX_SAFE_INTEGER, batchId);
    if (facts === undefined || findArchiveObstacle(facts, policy) !== undefined) return false;
    if (digestBatch(db, batchId) !== digest) return false;
    nameArchive(db, { batchId, archive, digest, nowMs });
    onStep('named');
    removeRows(db, batchId);
    onStep('removed');
    return true;
  });
  onStep('committed');
  return isMoved;
}

/** Rows of one status that follow one another have the same distance between number and place in the file. */
const keepRows = `
insert into archived_rows
select min(seq), max(seq), ?1, min(row_no), status from (
  select seq, row_no, status, seq - row_number() over (partition by status order by seq) as run, seq - row_no as distance
  from payout where batch_id = ?1)
group by status, run, distance`;

interface Naming extends Pick<ArchiveOrder, 'batchId' | 'archive' | 'nowMs'> {
  readonly digest: string;
}

/** Keeps what is asked of a batch without opening its archive; its rows may go until `removeRows` has ended. */
export function nameArchive(db: DatabaseSync, { batchId, archive, digest, nowMs }: Naming): void {
  const totals = JSON.stringify(drive(db, batchReads.totals(batchId)), (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  db.prepare(
    `insert into archived_batch
     select ?1, ?2, ?3, ?4, min(a.tran_date), max(a.tran_date),
       coalesce((select max(e.seq) from payout p join event e on e.payout_seq = p.seq where p.batch_id = ?1), 0), ?5, 1
     from payout p left join attempt a on a.payout_seq = p.seq where p.batch_id = ?1`,
  ).run(batchId, archive, digest, totals, nowMs);
  db.prepare(keepRows).run(batchId);
}

/** References are kept as used, and the rows go. */
export function removeRows(db: DatabaseSync, batchId: string): void {
  db.prepare(
    `insert into used_reference select trans_ref_no, payout_seq from attempt where ${rowsOf('payout_seq')} order by 1`,
  ).run(batchId);
  drive(db, keepPaidPayees(batchId));
  deleteRows(db, batchId);
  db.prepare('update archived_batch set is_moving = 0 where batch_id = ?').run(batchId);
}

export function deleteRows(db: DatabaseSync, batchId: string): void {
  db.prepare(
    `delete from payee_place where (proxy_no, amount_satang, payout_seq) in (
       select r.proxy_no, p.amount_satang, p.seq from payout p join payout_row r on r.seq = p.seq where p.batch_id = ?)`,
  ).run(batchId);
  for (const { name, seq } of movedTables.toReversed())
    db.prepare(`delete from ${name} where ${rowsOf(seq)}`).run(batchId);
}

// ---------------------------------------------------------------- back

/** Takes in the rows of a batch from the database that is attached as `archive`. */
export function takeRows(db: DatabaseSync, batchId: string): void {
  for (const { name, seq, key } of movedTables) {
    // Versions are numbered anew, in their order: others may have been made since.
    const columns =
      name === 'instruction_version'
        ? 'batch_id, payout_seq, version, digest, at_ms, instruction, replaced, salt'
        : '*';
    const into = columns === '*' ? name : `${name} (${columns})`;
    const rows = `${seq} in (select seq from archive.payout where batch_id = ?)`;
    db.prepare(
      `insert into ${into} select ${columns} from archive.${name} where ${rows} order by ${key}`,
    ).run(batchId);
  }
  recordPlaces(db, batchId);
}

/** Lets go what names the archive of a batch. */
export function forgetArchive(db: DatabaseSync, batchId: string): void {
  db.prepare('update archived_batch set is_moving = 1 where batch_id = ?').run(batchId);
  for (const name of ['archived_rows', 'archived_batch'])
    db.prepare(`delete from ${name} where batch_id = ?`).run(batchId);
}

/** Does something while an archive is attached as `archive`. */
export function withArchive<Result>(db: DatabaseSync, path: string, use: () => Result): Result {
  using readable = makeReadable(path);
  db.prepare('attach ? as archive').run(readable.path);
  try {
    return use();
  } finally {
    db.exec('detach archive');
  }
}

/**
 * Brings a batch back into the journal, whole; one that stands there is left as it is.
 * @throws JournalRefusedError when its archive is missing, or has not what was moved into it
 */
export function recallBatch(db: DatabaseSync, journalPath: string, batchId: string, nowMs: number): void {
  const known = drive(db, findArchive(journalPath, batchId));
  if (known === undefined) return;
  withArchive(db, known.path, () => {
    requireWhole(known, batchId);
    inTransaction(db, () => {
      // Another process may have brought it back meanwhile.
      if (drive(db, findArchive(journalPath, batchId)) === undefined) return;
      db.prepare('update archived_batch set is_moving = 1 where batch_id = ?').run(batchId);
      db.prepare(
        `delete from used_reference where trans_ref_no in (select a.trans_ref_no
           from archive.payout p join archive.attempt a on a.payout_seq = p.seq where p.batch_id = ?)`,
      ).run(batchId);
      takeRows(db, batchId);
      forgetArchive(db, batchId);
      db.prepare('update batch set recalled_at_ms = ? where batch_id = ?').run(nowMs, batchId);
    });
  });
}

// ---------------------------------------------------------------- where a batch stands

interface FoundArchive {
  readonly archive: string;
  readonly path: string;
  readonly digest: string;
}

const namedArchive = define((values: { batchId: string }) =>
  query.selectFrom('archived_batch').select(['archive', 'digest']).where('batch_id', '=', values.batchId),
);

/** The archive that has a batch; undefined when the journal has it, or nobody knows it. */
export function* findArchive(journalPath: string, batchId: string): Reading<FoundArchive | undefined> {
  const found = yield* namedArchive.get({ batchId });
  if (found === undefined) return undefined;
  const { archive, digest } = found;
  return { archive, path: join(dirname(journalPath), archive), digest };
}

/** Opens the archive that has a batch, to read its rows there; undefined where they stand in the journal. */
export async function openArchiveOf(
  view: Reader,
  journalPath: string,
  batchId: string,
): Promise<(Reader & Disposable) | undefined> {
  const found = await view.read(() => findArchive(journalPath, batchId));
  if (found === undefined) return undefined;
  requireWhole(found, batchId);
  const archive = openArchive(found.path);
  return {
    read: async (makeBody) => drive(archive, makeBody()),
    [Symbol.dispose]: () => archive.close(),
  };
}

const archivedRows = define((values: { batchId: string }) =>
  query
    .selectFrom('archived_rows')
    .select(sql<number>`coalesce(sum(last_seq - first_seq + 1), 0)`.as('rows'))
    .where('batch_id', '=', values.batchId),
);

/** How many rows of a batch stand in an archive. */
export function* readArchivedRows(batchId: string): Reading<number> {
  return (yield* archivedRows.get({ batchId }))?.rows ?? 0;
}

/** @throws JournalRefusedError when an archive has not what was moved into it */
function requireWhole({ path, digest }: FoundArchive, batchId: string): void {
  if (digestCopy(path, batchId) !== digest)
    throw new JournalRefusedError(describeOtherArchive(path, batchId));
}

const ofSeq = (seq: string): string =>
  `archived_rows g on g.first_seq = (select max(first_seq) from archived_rows where first_seq <= ${seq})
   and g.last_seq >= ${seq}`;

/** Which archived batches are meant by something, by what it is. */
const meant = {
  batch: 'select batch_id from archived_batch where batch_id = ?',
  date: 'select batch_id from archived_batch where ? between first_date and last_date',
  payoutId: `select g.batch_id from payout_place o join ${ofSeq('o.payout_seq')} where o.payout_id = ?`,
  transRefNo: `select g.batch_id from used_reference o join ${ofSeq('o.payout_seq')} where o.trans_ref_no = ?`,
} as const;

/** Where an archived row stands, and in which status; undefined for a row that is not archived. */
export function findArchivedRow(db: DatabaseSync, seq: number) {
  const row = db
    .prepare(`select g.batch_id, g.status from (select ? as seq) o join ${ofSeq('o.seq')}`)
    .get(seq);
  return row && { batchId: String(row['batch_id']), status: String(row['status']) };
}

/** Compiled once for each connection: it is asked with each look at a payoutId's attempts. */
const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** Archived batches that are meant by any of some values; none where all that is meant stands in the journal. */
export function findArchived(
  db: DatabaseSync,
  by: keyof typeof meant,
  values: readonly (string | number)[],
): readonly string[] {
  const known = prepared.get(db) ?? prepared.set(db, new Map()).get(db);
  const find = known?.get(by) ?? db.prepare(meant[by]);
  known?.set(by, find);
  return [...new Set(values.flatMap((value) => find.all(value).map((row) => String(row['batch_id']))))];
}
