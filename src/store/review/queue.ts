/** The queue of a person beside the payouts, in SQL, and people's notes beside it. */
import { decodeStop, payerBreakerReads, payerBreakerWrites } from '../payouts/batches.ts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { zeroSatang } from '../../core/money.ts';
import type { HoldReason } from '../../core/payout.ts';
import type { Batch } from '../../core/ports.ts';
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { QueueStore, RowsOfAccount, TakenItem } from '../../review/ports.ts';
import { versionOfPayer } from '../../review/rules/batch-decisions.ts';
import { accountHolds, ownCauses, waitsFor } from '../../payout/rules/operator.ts';
import { likeFileCodes } from '../../payout/rules/similar.ts';
import {
  addRows,
  draftNoted,
  type KeptNote,
  type RefusedFile,
  type ReviewNote,
  type RowsOfBatch,
  runItemMark,
} from '../../review/rules/queue.ts';
import type { FileKindName } from '../../watch/rules/drop-folder.ts';
import type { IntakeRefusal } from '../../watch/rules/rejection-reason.ts';
import { joinParts, sumAmount, toBatch } from '../payouts/rows.ts';
import { decodeHolds, hasBits, holdBits, literal } from '../schema.ts';
import { type BodiesOf, type Body, change, query, type Reading, select, selectFirst } from '../statements.ts';
import { appendPersonEvent } from './person-chain.ts';
import { isDecided, markDecided } from './proposals.ts';

const records = makeRowMapping({ json: [], own: ['seq', 'event_seq'] });
const kept = makeRowMapping({ json: [], own: [] });

/** The totals of the rows that are counted together. */
const countRows = (amount: string, sinceMs: string) =>
  [
    sql<number>`count(*)`.as('rows'),
    ...sumAmount(sql.ref(amount)),
    sql<number>`min(${sql.ref(sinceMs)})`.as('since_ms'),
  ] as const;

interface Counted {
  readonly batch_id: string;
  readonly rows: number;
  readonly high: string;
  readonly low: string;
  readonly since_ms: number;
}

const toRows = ({ batch_id: batchId, rows, high, low, since_ms: sinceMs }: Counted): RowsOfBatch => ({
  batchId,
  rows,
  amountSatang: joinParts(high, low),
  sinceMs,
  forApproval: 0,
  holds: [],
});

const batchTableOf = { payout: 'batch', registration: 'registration_batch' } as const;
const kindNames = ['payout', 'registration'] as const;

/** A batch `b` of this kind that a refused file `i` has become. */
const isTaken = (kind: FileKindName, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  sql`exists (select 1 from ${sql.table(batchTableOf[kind])} as b where ${condition})`;
const hasItsBytes = sql<SqlBool>`b.batch_id = i.batch_id and b.sealed_at_ms is not null`;
const hasItsNameLater = sql<SqlBool>`b.file_name = i.file_name and b.sealed_at_ms > i.ended_at_ms`;

const { approval, halted, paused, unavailable, similar } = holdBits;

/** The sets of holds that the account alone lifts. */
const heldByAccount = listSetsOf(accountHolds);

function listSetsOf(holds: readonly HoldReason[]): readonly number[] {
  let sets: readonly number[] = [0];
  for (const hold of holds) sets = [...sets, ...sets.map((set) => set | holdBits[hold])];
  return sets.slice(1);
}

function* writeNote(note: ReviewNote): Body<void> {
  const event_seq = yield* appendPersonEvent(draftNoted(note));
  yield* change(query.insertInto('review_note').values({ ...records.toRow(note), event_seq }));
}

/** Reads every note, a page at a time. */
export function* readNotes(afterSeq: number, limit: number): Reading<KeptNote[]> {
  const page = query.selectFrom('review_note').selectAll().where('seq', '>', afterSeq);
  return (yield* select(page.orderBy('seq').limit(limit))).map((row) => kept.toRecord<KeptNote>(row));
}

export const queueReads = {
  *refusedFiles(limit): Reading<RefusedFile[]> {
    const waiting = query
      .selectFrom('intake_item as i')
      .select(['i.item_id', 'i.kind', 'i.file_name', 'i.ended_at_ms', 'i.refusal'])
      .where('i.outcome', '=', sql.lit('rejected'))
      // The bytes of a file may have come to the folder of the other kind first.
      .where((eb) => eb.not(eb.or(kindNames.map((kind) => isTaken(kind, hasItsBytes)))))
      // The refusal of a run waits until a file of this kind and name is taken, or refused again.
      .where((eb) =>
        eb.not(
          eb.and([
            eb('i.item_id', 'like', `${runItemMark}%`),
            eb.or([
              ...kindNames.map((kind) => eb.and([eb('i.kind', '=', kind), isTaken(kind, hasItsNameLater)])),
              eb.exists(
                eb
                  .selectFrom('intake_item as later')
                  .select('later.item_id')
                  .where('later.outcome', '=', sql.lit('rejected'))
                  .where('later.item_id', 'like', `${runItemMark}%`)
                  .whereRef('later.kind', '=', 'i.kind')
                  .whereRef('later.file_name', '=', 'i.file_name')
                  .whereRef('later.item_id', '>', 'i.item_id'),
              ),
            ]),
          ]),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('review_note as n')
              .select('n.seq')
              .where('n.kind', '=', 'file')
              .whereRef('n.key', '=', 'i.item_id')
              .where('n.version', '=', sql<string>`cast(i.ended_at_ms as text)`)
              .where('n.what', '=', 'noted'),
          ),
        ),
      )
      .orderBy('i.ended_at_ms', 'desc')
      .limit(limit);
    return (yield* select(waiting)).map(({ item_id: itemId, file_name, kind, ended_at_ms, refusal }) => {
      const { code, message } = JSON.parse(refusal ?? '') as IntakeRefusal;
      return { itemId, kind, fileName: file_name, endedAtMs: ended_at_ms ?? 0, code, message };
    });
  },
  *payerHalts() {
    const standing = query
      .selectFrom('payer_halt')
      .select(['company_id as companyId', 'payer_account as payerAccount', 'since_ms as sinceMs'])
      .select(['code', 'reason', 'remedy'])
      .where('lifted_at_ms', 'is', null);
    return (yield* select(standing)).map((halt) => ({ ...halt, ...decodeStop(halt) }));
  },
  *haltedWithPayer({ companyId, payerAccount }): Reading<Batch[]> {
    const ofAccount = query
      .selectFrom('batch')
      .selectAll()
      .where(({ and }) =>
        and({ company_id: companyId, payer_account: payerAccount, is_halted_with_payer: 1 }),
      )
      .orderBy('age_from_ms')
      .orderBy('batch_id');
    return (yield* select(ofAccount)).map(toBatch);
  },
  *heldBatches(): Reading<RowsOfBatch[]> {
    const isLike = sql<number>`case when ${sql.ref('p.cause')} in (${sql.join(
      Object.values(likeFileCodes).map((code) => sql.lit(code)),
    )}) then 1 else 0 end`;
    const held = query
      .selectFrom('open_payout as p')
      .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
      .select(['p.batch_id', 'p.holds', 'b.status', 'b.is_halted_with_payer as isWithPayer'])
      .select(isLike.as('is_like'))
      .select(countRows('p.amount_satang', 'p.placed_at_ms'))
      .where('p.status', '=', literal('held'))
      // Such a row is decided on by itself.
      .where('p.cause', 'not in', [...ownCauses])
      .where((eb) => hasBits(eb.ref('p.holds'), approval | halted | paused | unavailable | similar))
      .groupBy(['p.batch_id', 'p.holds', 'b.status', 'b.is_halted_with_payer', isLike]);
    const found = new Map<string, RowsOfBatch>();
    const add = (rows: RowsOfBatch): void =>
      void found.set(rows.batchId, addRows(rows, found.get(rows.batchId)));
    for (const row of yield* select(held)) {
      const holds = decodeHolds(row.holds);
      const waits = waitsFor(holds, row.is_like === 1 ? likeFileCodes.like : '');
      const isStopped = row.status === 'done' || (row.status === 'halted' && row.isWithPayer === 0);
      const forApproval = holds.includes('approval') ? row.rows : 0;
      const rows = { ...toRows(row), forApproval, holds };
      if (waits === 'batch' || (waits === 'account' && isStopped)) add(rows);
      // A row that waits for a decision of its own, too, is counted there.
      else if (forApproval > 0) add({ ...rows, rows: 0, amountSatang: zeroSatang });
    }
    const stopped = query
      .selectFrom('batch as b')
      .leftJoin('payout as p', (join) =>
        join.onRef('p.batch_id', '=', 'b.batch_id').on('p.status', '=', literal('ready')),
      )
      .select('b.batch_id')
      .select(sql<number>`count(p.seq)`.as('rows'))
      .select(sumAmount(sql.ref('p.amount_satang')))
      .select(sql<number>`coalesce(min(b.rested_at_ms), 0)`.as('since_ms'))
      .where('b.status', '=', 'halted')
      .where('b.is_halted_with_payer', '=', 0)
      .groupBy('b.batch_id');
    for (const row of yield* select(stopped)) {
      const { sinceMs = row.since_ms } = found.get(row.batch_id) ?? {};
      add({ ...toRows(row), sinceMs });
    }
    return [...found.values()];
  },
  *rowsOfAccount({ companyId, payerAccount }): Reading<RowsOfAccount> {
    const isOfAccount = sql<SqlBool>`b.company_id = ${companyId} and b.payer_account = ${payerAccount}`;
    const isOpen = sql<SqlBool>`(b.status in ('sealed', 'running', 'paused') or b.is_halted_with_payer = 1)`;
    const ready = query
      .selectFrom('payout as p')
      .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
      .select(['p.batch_id', 'p.amount_satang'])
      .where('p.status', '=', literal('ready'))
      .where(isOfAccount)
      .where(sql<SqlBool>`(b.status = 'done' or ${isOpen})`);
    const held = query
      .selectFrom('batch as b')
      .innerJoin('open_payout as p', 'p.batch_id', 'b.batch_id')
      .select(['p.batch_id', 'p.amount_satang'])
      .where('p.status', '=', literal('held'))
      .where('p.holds', 'in', heldByAccount)
      .where('p.cause', 'not in', [...ownCauses])
      .where(isOfAccount)
      .where(isOpen);
    const unsent = query
      .selectFrom(ready.unionAll(held).as('p'))
      .select(sql<number>`count(*)`.as('rows'))
      .select(sumAmount(sql.ref('p.amount_satang')))
      .select(sql<number>`count(distinct p.batch_id)`.as('batches'));
    const found = yield* selectFirst(unsent);
    return {
      rows: found?.rows ?? 0,
      amountSatang: joinParts(found?.high ?? '0', found?.low ?? '0'),
      batches: found?.batches ?? 0,
    };
  },
  *reviewNotes(kind, keys): Reading<ReviewNote[]> {
    if (keys.length === 0) return [];
    const ofKeys = query
      .selectFrom('review_note')
      .selectAll()
      .where('kind', '=', kind)
      .where('key', 'in', [...keys])
      .orderBy('seq');
    return (yield* select(ofKeys)).map((row) => records.toRecord<ReviewNote>(row));
  },
  *takenBy(personId, sinceMs, limit): Reading<TakenItem[]> {
    const seq = sql`case when n.kind = 'payout' then cast(n.key as bigint) end`;
    const waits = sql<
      string | null
    >`(select p.payout_id from open_payout as p where p.seq = ${seq} and p.is_acknowledged = 0)`;
    const taken = query
      .selectFrom('review_note as n')
      .select(['n.kind', 'n.key', 'n.at_ms as atMs', waits.as('payoutId')])
      .where('n.person_id', '=', personId)
      .where('n.what', '=', 'taken')
      .where((eb) => eb.or([eb(waits, 'is not', null), eb('n.at_ms', '>=', sinceMs)]))
      .where('n.kind', '<>', 'group')
      .where((eb) => eb.or([eb('n.kind', '<>', 'payout'), eb(waits, 'is not', null)]))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('review_note as later')
              .select('later.seq')
              .whereRef('later.kind', '=', 'n.kind')
              .whereRef('later.key', '=', 'n.key')
              .whereRef('later.seq', '>', 'n.seq'),
          ),
        ),
      )
      .orderBy('n.seq', 'desc')
      .limit(limit);
    return (yield* select(taken)).flatMap(({ kind, ...item }) =>
      kind === 'group' ? [] : [{ kind, ...item }],
    );
  },
} satisfies Partial<BodiesOf<QueueStore>>;

/** Writes that are one transaction each. */
export const queueWrites = {
  *addReviewNote(note) {
    yield* writeNote(note);
  },
  *noteItem(item, note) {
    if (!(yield* isDecided(item))) return false;
    yield* writeNote(note);
    yield* markDecided(item);
    return true;
  },
  *resumePayer(item, { companyId, payerAccount }, version, nowMs) {
    if (!(yield* isDecided(item))) return false;
    const halt = yield* payerBreakerReads.payerHalt(companyId, payerAccount);
    const pause = yield* payerBreakerReads.payerPause(companyId, payerAccount);
    if (versionOfPayer(halt, pause) !== version) return false;
    yield* payerBreakerWrites.clearPayerPause(companyId, payerAccount);
    yield* payerBreakerWrites.liftPayerHalt(companyId, payerAccount, nowMs);
    yield* markDecided(item);
    return true;
  },
} satisfies Partial<BodiesOf<QueueStore>>;
