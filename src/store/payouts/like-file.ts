/** Files that are so like earlier ones that they may be one of these again: found at the seal, by payee and amount. */
import { type Expression, sql } from 'kysely';
import { encodeMessage, type Message } from '../../core/message.ts';
import { findLikeFile, likeFileCodes, mayBePaidStatuses } from '../../payout/rules/similar.ts';
import { addBits, encodeHolds, hasBits, holdBits, literal, removeBits } from '../schema.ts';
import { type Body, change, inDialect, query, type Reading, select, selectFirst } from '../statements.ts';
import { type BulkMove, moveInTurn, type OnPayout } from './bulk.ts';
import { makeTables, type Sealing, sealingQuery, sealingTables } from './sealing-tables.ts';

/** Statuses of rows that are not sent yet and may be: a like row of them counts, too. */
const waitingStatuses = ['ready', 'held'] as const;

/** The reason why all rows are held: they are so like those of other files that it may be one of these again. */
export interface LikeFile {
  readonly reason: Message;
  /** True when every row is like one of another file. */
  readonly isWhole: boolean;
}

/**
 * Finds the files that this one is like, and makes its rows findable by payee and amount, for files that come after.
 * @param sinceMs rows of other files that were sent before are not like; undefined when none is looked for
 */
export function* findLikeFileOf(sealing: Sealing, sinceMs: number | undefined): Body<LikeFile | undefined> {
  yield* makeTables(sealingTables.payments);
  const firstSeq = sinceMs === undefined ? null : yield* findFirstSeq(sealing, sinceMs);
  if (firstSeq === null || sinceMs === undefined) {
    yield* recordPayees(selectStaged(sealing.batchId));
    return undefined;
  }
  yield* sortPayments(sealing.batchId, firstSeq);
  yield* confirmOthers(sealing, firstSeq, sinceMs);
  const sorted = sealingQuery.selectFrom('sealing_payment').orderBy('place');
  yield* recordPayees(sorted.select(['proxy_no', 'amount_satang', 'seq']));
  const other = yield* selectFirst(selectMostLike());
  if (other === undefined) return undefined;
  const counted = sealingQuery
    .selectFrom('sealing_payment')
    .select((eb) => [eb.fn.countAll<number>().as('rows'), eb.fn.count<number>('other_seq').as('likeRows')]);
  const [counts = { rows: 0, likeRows: 0 }] = yield* select(counted);
  const reason = findLikeFile({ ...counts, other });
  return reason === undefined ? undefined : { reason, isWhole: counts.rows === counts.likeRows };
}

/** The first row of the batches that were worked since, or are: rows before it are of no interest. */
function* findFirstSeq({ batchId, companyId }: Sealing, sinceMs: number): Reading<number | null> {
  const firstRow = () =>
    query
      .selectFrom('batch as b')
      .innerJoin('payout as p', 'p.batch_id', 'b.batch_id')
      .select((eb) => eb.fn.min<number | null>('p.seq').as('seq'))
      .where('p.row_no', '=', 1)
      .where('b.batch_id', '<>', batchId)
      .where('b.company_id', '=', companyId);
  // Two statements are used, since each has an index of its own.
  const open = firstRow().where('b.status', 'not in', [sql.lit('done'), sql.lit('rejected')] as never);
  const rested = firstRow().where('b.rested_at_ms', '>=', sinceMs);
  const found = [...(yield* select(open)), ...(yield* select(rested))];
  const seqs = found.flatMap(({ seq }) => seq ?? []);
  return seqs.length === 0 ? null : Math.min(...seqs);
}

/** The latest row of another file, from `firstSeq` on, that pays the payee of `of` as much; whatever became of it. */
const selectOther = (of: string, firstSeq: number) =>
  query
    .selectFrom('payee_place as o')
    .select('o.payout_seq')
    .where(sql<boolean>`o.proxy_no = ${sql.ref(`${of}.proxy_no`)}`)
    .where(sql<boolean>`o.amount_satang = ${sql.ref(`${of}.amount_satang`)}`)
    .where('o.payout_seq', '>=', firstSeq)
    .orderBy('o.payout_seq', 'desc')
    .limit(1);

/** The rows that are still staged, by payee and amount. */
const selectStaged = (batchId: string) =>
  query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .select([sql<string>`r.proxy_no`.as('proxy_no'), 'p.amount_satang', 'p.seq'])
    .where('p.batch_id', '=', batchId)
    .where('p.status', '=', literal('staged'))
    .orderBy('r.proxy_no')
    .orderBy('p.amount_satang')
    .orderBy('p.seq');

/** With a limit SQLite sorts before it looks up, so that neighbours are looked up one after the other. */
const noLimit = inDialect<number>({ sqlite: sql`-1`, postgres: sql`null` });

/** SQLite hands the rows on as they were sorted. */
const inSortedOrder = inDialect({ sqlite: sql`null`, postgres: sql`s.proxy_no, s.amount_satang, s.seq` });

/** Fills the table of the rows that are still staged, each with what may be like it. */
function* sortPayments(batchId: string, firstSeq: number): Body<void> {
  const staged = selectStaged(batchId).limit(noLimit);
  const rows = query
    .selectFrom(staged.as('s'))
    .select(['s.proxy_no', 's.amount_satang', 's.seq', selectOther('s', firstSeq).as('other_seq')])
    .orderBy(inSortedOrder);
  const columns = ['proxy_no', 'amount_satang', 'seq', 'other_seq'] as const;
  yield* change(sealingQuery.insertInto('sealing_payment').columns(columns).expression(rows));
}

/** The rows among these that are paid, or may yet be, for the same company. */
function selectStanding({ companyId }: Sealing, seqs: Expression<unknown>, sinceMs: number) {
  const sentAtMs = sql`coalesce(p.submitted_at_ms, p.settled_at_ms)`;
  return (
    query
      .selectFrom(sql<{ seq: number }>`(${seqs})`.as('c'))
      // SQLite keeps the order of a cross join.
      .crossJoin('payout as p')
      .crossJoin('batch as b')
      .select(['p.seq', 'p.batch_id'])
      .whereRef('p.seq', '=', 'c.seq')
      .whereRef('b.batch_id', '=', 'p.batch_id')
      .where('b.company_id', '=', companyId)
      .where((eb) =>
        eb.or([
          eb.and([
            eb('p.status', 'in', mayBePaidStatuses.map(literal)),
            sql<boolean>`${sentAtMs} >= ${sinceMs}`,
          ]),
          eb.and([eb('p.status', 'in', waitingStatuses.map(literal)), eb('b.sealed_at_ms', '>=', sinceMs)]),
        ]),
      )
  );
}

/** SQLite keeps the order of what a cross join begins with. */
const latestFirst = inDialect({ sqlite: sql`null`, postgres: sql`c.seq desc` });

/** Leaves each row with the latest one that is like it and stands; nothing may have come of the one found first. */
function* confirmOthers(sealing: Sealing, firstSeq: number, sinceMs: number): Body<void> {
  const found = sql`select distinct other_seq as seq from sealing_payment where other_seq is not null order by 1`;
  const keep = sealingQuery.insertInto('sealing_other').columns(['seq', 'batch_id']);
  yield* change(keep.expression(selectStanding(sealing, found, sinceMs)));
  const earlier = sql`select o.payout_seq as seq from payee_place as o
    where o.proxy_no = sealing_payment.proxy_no and o.amount_satang = sealing_payment.amount_satang
      and o.payout_seq >= ${firstSeq} and o.payout_seq < sealing_payment.other_seq
    order by o.payout_seq desc limit ${noLimit}`;
  const latest = selectStanding(sealing, earlier, sinceMs)
    .clearSelect()
    .select('p.seq')
    .orderBy(latestFirst)
    .limit(1);
  const isUnconfirmed = sql<boolean>`other_seq is not null
    and not exists (select 1 from sealing_other as k where k.seq = other_seq)`;
  yield* change(sealingQuery.updateTable('sealing_payment').set({ other_seq: latest }).where(isUnconfirmed));
  const rest = sealingQuery
    .selectFrom('sealing_payment as s')
    .innerJoin('payout as p', 'p.seq', 's.other_seq')
    .select(['p.seq', 'p.batch_id'])
    .distinct()
    .where(isUnconfirmed);
  yield* change(keep.expression(rest));
}

/** @param places payee, amount and row, in this order */
function* recordPayees(places: Expression<unknown>): Body<void> {
  const columns = ['proxy_no', 'amount_satang', 'payout_seq'] as const;
  yield* change(query.insertInto('payee_place').columns(columns).expression(places));
}

/** The file that has the most like rows. */
const selectMostLike = () =>
  sealingQuery
    .selectFrom('sealing_payment as s')
    .innerJoin('sealing_other as o', 'o.seq', 's.other_seq')
    .innerJoin('batch as b', 'b.batch_id', 'o.batch_id')
    .select(['b.batch_id as batchId', 'b.file_name as fileName', (eb) => eb.fn.countAll<number>().as('rows')])
    .groupBy(['b.batch_id', 'b.file_name'])
    .orderBy('rows', 'desc')
    .orderBy('b.batch_id')
    .limit(1);

/** Holds all rows. The reason stands with the batch: in each row it would double what a file of many rows takes. */
export function holdAll(like: LikeFile | undefined, added: number): BulkMove['set'] {
  if (like === undefined) return (payout) => ({ holds: addBits(payout.ref('holds'), added) });
  const { reason, isWhole } = like;
  const liked = sealingQuery.selectFrom('sealing_payment').select('seq').where('other_seq', 'is not', null);
  const code = isWhole
    ? sql<string>`${likeFileCodes.like}`
    : sql<string>`case when seq in (${liked}) then ${likeFileCodes.like} else ${likeFileCodes.other} end`;
  return (payout) => ({
    holds: addBits(payout.ref('holds'), holdBits.similar | added),
    // A row keeps a reason of its own, which is to be looked at by itself.
    reason_code: sql<string>`coalesce(reason_code, ${code})`,
    reason: sql<string>`case when reason_code is null then reason else coalesce(reason, ${encodeMessage(reason)}) end`,
  });
}

/**
 * Lets go on what was held with its whole file: an operator has compared the two files. A row that is like one of the other
 * is not held for that again. Returns how many rows changed.
 */
export function releaseLikeFile(batchId: string, nowMs: number): Body<number> {
  const lifted = encodeHolds(['similar']);
  const detail = { lifted: ['similar'], by: 'people' };
  const shared = { from: 'held', cause: 'hold-lifted', detail } as const;
  const accepted = (payout: OnPayout) => ({
    reason_code: null,
    reason: null,
    accepted_holds: sql<number>`case when reason_code = ${likeFileCodes.like}
      then ${addBits(payout.ref('accepted_holds'), lifted)} else accepted_holds end`,
  });
  const isOfFile = (payout: OnPayout) => payout('reason_code', 'in', Object.values(likeFileCodes));
  const isAlone = (payout: OnPayout) => payout('holds', '=', lifted);
  return moveInTurn(batchId, nowMs, [
    {
      ...shared,
      to: 'ready',
      which: (payout) => payout.and([isOfFile(payout), isAlone(payout)]),
      set: (payout) => ({ ...accepted(payout), holds: 0 }),
    },
    {
      ...shared,
      to: 'held',
      which: (payout) => payout.and([isOfFile(payout), hasBits(payout.ref('holds'), lifted)]),
      set: (payout) => ({ ...accepted(payout), holds: removeBits(payout.ref('holds'), lifted) }),
    },
  ]);
}
