/**
 * The journal's own records of batches in archives, and the rule which may go there: the same wherever an archive
 * is, in a file beside the journal or in tables of its database.
 */
import { sql } from 'kysely';
import { finalStatuses } from '../../core/payout.ts';
import type { Meaning } from '../../payout/ports.ts';
import type { ArchiveFacts } from '../../payout/rules/archive.ts';
import { isOfWholeDay } from '../../reconcile/ports.ts';
import { batchReads } from '../payouts/batches.ts';
import { keepPaidPayees } from '../payouts/day-use.ts';
import { isArchivedSeq, literal } from '../schema.ts';
import {
  type Body,
  change,
  define,
  inDialect,
  query,
  type Reading,
  select,
  selectFirst,
  textStatement,
} from '../statements.ts';

// ---------------------------------------------------------------- what may go

const ended = sql.join(finalStatuses.filter((status) => status !== 'disputed').map(literal));

/** A row of the batch that a decision is about. */
const isAboutRow = inDialect({
  sqlite: sql`p.seq = cast(i.key as integer)`,
  postgres: sql`p.seq = case when i.kind = 'payout' then cast(i.key as bigint) end`,
});
const asList = inDialect({
  sqlite: sql`json_group_array(date)`,
  postgres: sql`cast(coalesce(json_agg(date), '[]') as text)`,
});

const daysOfBatch = sql`
select a.tran_date as date from payout p join attempt a on a.payout_seq = p.seq where p.batch_id = b.batch_id
union select s.date from statement_break s cross join attempt a cross join payout p
  where s.state = 'open' and a.trans_ref_no = s.key and p.seq = a.payout_seq and p.batch_id = b.batch_id`;

type Flags = 'isDone' | 'isReported' | 'isFileOpen';
type FactsRow = Omit<ArchiveFacts, 'days' | Flags> &
  Readonly<Record<Flags, number>> & { readonly dates: string };

/** Facts of done batches that came to rest before a moment, the oldest first; of one alone when it is named. */
const selectFacts = (beforeMs: number, batchId: string | undefined) =>
  textStatement<FactsRow>(sql`
select b.batch_id as "batchId", b.file_name as "fileName", b.rows, b.status = 'done' as "isDone",
  max(b.rested_at_ms, b.recalled_at_ms, coalesce((select max(e.at_ms) from payout p join event e on e.payout_seq = p.seq
    where p.batch_id = b.batch_id), 0)) as "latestMs",
  (select count(*) from payout p where p.batch_id = b.batch_id
    and (p.status not in (${ended}) or p.holds <> 0)) as "openRows",
  (select count(*) from payout p where p.batch_id = b.batch_id and p.is_alarm = 1) as "alarmRows",
  (select count(*) from payout p join attempt a on a.payout_seq = p.seq where p.batch_id = b.batch_id
    and (a.next_inquiry_at_ms is not null or a.status not in ('paid', 'failed', 'refused'))) as "openAttempts",
  b.reported_event_seq >= max(b.rested_event_seq, 0)
    and not exists (select 1 from statement_report d where d.batch_id = b.batch_id) as "isReported",
  exists (select 1 from intake_item i where i.batch_id = b.batch_id and i.outcome is null)
    or exists (select 1 from taken_file t where t.batch_id = b.batch_id
      and t.growth_sha256 is not null and t.growth_sha256 is distinct from t.closed_sha256) as "isFileOpen",
  (select count(*) from proposal_item i where i.status = 'open' and (i.kind = 'batch' and i.key = b.batch_id
    or i.kind = 'payout' and exists (select 1 from payout p where ${isAboutRow} and p.batch_id = b.batch_id)))
    as "openDecisions",
  (select ${asList} from (${daysOfBatch}) as d) as dates
from batch b
where b.status = 'done' and b.rested_at_ms < ${beforeMs}${batchId === undefined ? sql`` : sql` and b.batch_id = ${batchId}`}
  and not exists (select 1 from archived_batch a where a.batch_id = b.batch_id)
order by b.rested_at_ms, b.batch_id`);

const dayFacts = define(({ date }: { date: string }) =>
  textStatement<{ readonly reading: string | null; readonly openBreaks: number }>(
    sql`select (select reading from statement_version where date = ${date} order by version desc limit 1) as reading,
      (select count(*) from statement_break where date = ${date} and state = 'open') as "openBreaks"`,
  ),
);

/** @param batchId the one batch that is read */
export function* readArchiveFacts(beforeMs: number, batchId?: string): Reading<ArchiveFacts[]> {
  const found: ArchiveFacts[] = [];
  for (const row of yield* select(selectFacts(beforeMs, batchId))) {
    const { dates, isDone, isReported, isFileOpen, ...facts } = row;
    const days = [];
    for (const date of (JSON.parse(dates) as string[]).toSorted()) {
      const day = yield* dayFacts.get({ date });
      const isReconciled = typeof day?.reading === 'string' && isOfWholeDay(day.reading);
      days.push({ date, isReconciled, openBreaks: day?.openBreaks ?? 0 });
    }
    const flags = { isDone: isDone === 1, isReported: isReported === 1, isFileOpen: isFileOpen === 1 };
    found.push({ ...facts, ...flags, days });
  }
  return found;
}

// ---------------------------------------------------------------- what is kept

export interface Naming {
  readonly batchId: string;
  /** The name of the archive. */
  readonly archive: string;
  /** SHA-256 (hex) over what the archive has of its rows. */
  readonly digest: string;
  readonly nowMs: number;
}

const whole = (value: number) => sql<number>`cast(${value} as bigint)`;

/** Keeps the answers that a batch must give without its archive; its rows may go until `endMoving`. */
export function* nameArchive({ batchId, archive, digest, nowMs }: Naming): Body<void> {
  const totals = JSON.stringify(yield* batchReads.totals(batchId), (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const latestSeq = sql`coalesce((select max(e.seq) from payout p join event e on e.payout_seq = p.seq
    where p.batch_id = ${batchId}), 0)`;
  yield* change(
    textStatement(sql`
      insert into archived_batch
      select ${batchId}, ${archive}, ${digest}, ${totals}, min(a.tran_date), max(a.tran_date), ${latestSeq},
        ${whole(nowMs)}, 1
      from payout p left join attempt a on a.payout_seq = p.seq where p.batch_id = ${batchId}`),
  );
  // Rows of one status that follow one another have the same distance between number and place in the file.
  yield* change(
    textStatement(sql`
      insert into archived_rows
      select min(seq), max(seq), ${batchId}, min(row_no), status from (
        select seq, row_no, status, seq - row_number() over (partition by status order by seq) as run,
          seq - row_no as distance
        from payout where batch_id = ${batchId}) as r
      group by status, run, distance`),
  );
}

/** Keeps what is looked for by other than the number of a row: its references, and whom it has paid. */
export function* retainReferenced(batchId: string): Body<void> {
  yield* change(
    textStatement(sql`
      insert into used_reference select distinct trans_ref_no, payout_seq from attempt
      where payout_seq in (select seq from payout where batch_id = ${batchId}) order by 1`),
  );
  yield* keepPaidPayees(batchId);
}

/** Forgets where the payees of a batch were paid an amount. */
export function* forgetPlaces(batchId: string): Body<void> {
  yield* change(
    textStatement(sql`
      delete from payee_place where (proxy_no, amount_satang, payout_seq) in (
        select r.proxy_no, p.amount_satang, p.seq from payout p join payout_row r on r.seq = p.seq
        where p.batch_id = ${batchId})`),
  );
}

function* setMoving(batchId: string, isMoving: 0 | 1): Body<void> {
  yield* change(
    textStatement(
      sql`update archived_batch set is_moving = ${sql.lit(isMoving)} where batch_id = ${batchId}`,
    ),
  );
}

/** Lets rows move, inside the transaction that moves them. */
export const beginMoving = (batchId: string): Body<void> => setMoving(batchId, 1);
export const endMoving = (batchId: string): Body<void> => setMoving(batchId, 0);

/** Lets go what names the archive of a batch. */
export function* forgetArchive(batchId: string): Body<void> {
  yield* beginMoving(batchId);
  yield* change(textStatement(sql`delete from archived_rows where batch_id = ${batchId}`));
  yield* change(textStatement(sql`delete from archived_batch where batch_id = ${batchId}`));
}

/** Notes a recall: the batch may still be worked with for a while. */
export function* noteRecalled(batchId: string, nowMs: number): Body<void> {
  yield* change(textStatement(sql`update batch set recalled_at_ms = ${nowMs} where batch_id = ${batchId}`));
}

// ---------------------------------------------------------------- where a batch stands

/** The archive that has a batch, by its name; undefined when the journal has it, or does not know it. */
export const namedArchive = define((values: { batchId: string }) =>
  query.selectFrom('archived_batch').select(['archive', 'digest']).where('batch_id', '=', values.batchId),
);

const archivedRows = define((values: { batchId: string }) =>
  query
    .selectFrom('archived_rows')
    .select(sql<number>`coalesce(sum(last_seq - first_seq + 1), 0)`.as('rows'))
    .where('batch_id', '=', values.batchId),
);

/** Returns how many rows of a batch stand in an archive. */
export function* readArchivedRows(batchId: string): Reading<number> {
  return (yield* archivedRows.get({ batchId }))?.rows ?? 0;
}

type Found = { readonly batchId: string };

const ofSeq = isArchivedSeq(sql.ref('o.payout_seq'));

/** The archived batches that something means, by what it is. */
const meant = {
  batch: define(({ value }: { value: string | number }) =>
    textStatement<Found>(sql`select batch_id as "batchId" from archived_batch where batch_id = ${value}`),
  ),
  date: define(({ value }: { value: string | number }) =>
    textStatement<Found>(
      sql`select batch_id as "batchId" from archived_batch where ${value} between first_date and last_date`,
    ),
  ),
  payoutId: define(({ value }: { value: string | number }) =>
    textStatement<Found>(
      sql`select g.batch_id as "batchId" from payout_place o join archived_rows g on ${ofSeq} where o.payout_id = ${value}`,
    ),
  ),
  transRefNo: define(({ value }: { value: string | number }) =>
    textStatement<Found>(
      sql`select g.batch_id as "batchId" from used_reference o join archived_rows g on ${ofSeq} where o.trans_ref_no = ${value}`,
    ),
  ),
} as const satisfies Record<Meaning, unknown>;

/** Archived batches that any of some values mean; none where all that is meant stands in the journal. */
export function* findArchived(by: Meaning, values: readonly (string | number)[]): Reading<readonly string[]> {
  const found = new Set<string>();
  for (const value of values) for (const { batchId } of yield* meant[by].all({ value })) found.add(batchId);
  return [...found];
}

const archivedRow = define(({ seq }: { seq: number }) =>
  query
    .selectFrom('archived_rows as g')
    .select(['g.batch_id as batchId', 'g.status'])
    .where(isArchivedSeq(sql`cast(${seq} as bigint)`)),
);

/** The place and the status of an archived row; undefined for a row that is not archived. */
export const findArchivedRow = (seq: number) => archivedRow.get({ seq });

/** The archives that the journal names, with how many batches each has. */
export const listNamed = (): Reading<{ readonly archive: string; readonly batches: number }[]> =>
  select(
    textStatement<{ readonly archive: string; readonly batches: number }>(
      sql`select archive, count(*) as batches from archived_batch group by archive order by archive`,
    ),
  );

/** True while any batch stands in an archive. */
export function* hasArchived(): Reading<boolean> {
  return (yield* selectFirst(query.selectFrom('archived_batch').select('batch_id').limit(1))) !== undefined;
}
