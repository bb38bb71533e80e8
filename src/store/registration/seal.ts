/**
 * The seal of a file of registrations: one transaction that turns its staged rows into ready, held or rejected ones and
 * takes the claims. What all rows share is done by one statement each; only rows that clash with another are taken singly.
 */
import { type Expression, sql } from 'kysely';
import { encodeMessage, message, type Message } from '../../core/message.ts';
import { showCell } from '../../core/cell-text.ts';
import { countOf } from '../../core/figures.ts';
import type { Issue } from '../../core/payout-file.ts';
import type { RegistrationBatch } from '../../registration/ports.ts';
import {
  type Clash,
  contradictedInFile,
  explainCalled,
  explainClaimed,
  explainIndistinct,
  explainSimilar,
} from '../../registration/rules/clash.ts';
import type { RegistrationSealTotals } from '../../registration/rules/registration-file.ts';
import {
  type RegistrationHold,
  type RegistrationStatus,
  unendedStatuses,
} from '../../registration/rules/registration.ts';
import { type ClaimKey, claimKeyOf } from '../schema.ts';
import { type Body, change, define, defineHere, query, selectFirst } from '../statements.ts';
import { appendRegistrationEvent, nextRegistrationHashOf, readLatestRegistrationEventSeq } from './chain.ts';
import { giveClaimBack, selectClaims, takeClaims } from './claims.ts';
import { readReading, recordPlaces } from './ingest.ts';
import { registrationBatchReads } from './reads.ts';
import { encodeHolds, statusLiteral } from './rows.ts';
import { textOfColumns } from '../payouts/chain.ts';

/** Clashing rows that are read at a time. */
const clashPageRows = 1_000;

/** Rows whose hashes one statement computes: what each call of a function of ours takes of memory is free at its end. */
const hashPageRows = 1_000;

interface Sealing extends Pick<RegistrationBatch, 'batchId' | 'companyId'> {
  readonly nowMs: number;
  /** The event of a row is `eventBase` + its row number: one statement can number them all. */
  readonly eventBase: number;
}

/** Seals a batch whose file has been read to its end. @throws Error when what was staged is not what was read */
export function* sealRegistrations(batchId: string, totals: RegistrationSealTotals, nowMs: number) {
  const { companyId } = yield* readReading(batchId);
  yield* requireRows(batchId, totals.rows);
  const eventBase = yield* readLatestRegistrationEventSeq();
  const sealing: Sealing = { batchId, companyId, nowMs, eventBase };
  for (const rowNo of totals.conflictingRowNos) yield* rejectConflict(sealing, rowNo);
  yield* takeClaims(sealing);
  yield* settleEach(sealing, claimedRows, rejectClaimed);
  yield* settleEach(sealing, indistinctRows, rejectIndistinct);
  yield* settleEach(sealing, similarRows, holdSimilar);
  yield* settleEach(sealing, calledRows, holdCalled);
  for (const to of ['ready', 'held'] as const) yield* release(sealing, to);
  yield* recordPlaces(batchId);
  const news = yield* readLatestRegistrationEventSeq();
  const sealed = { status: 'sealed', rows: totals.rows, sealed_at_ms: nowMs, latest_news_seq: news } as const;
  yield* change(query.updateTable('registration_batch').set(sealed).where('batch_id', '=', batchId));
  const batch = yield* registrationBatchReads.registrationBatch(batchId);
  if (batch === undefined) throw new Error(`batch ${batchId} was sealed and is not there`);
  return batch;
}

function* requireRows(batchId: string, rows: number): Body<void> {
  const counted = query
    .selectFrom('registration')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('batch_id', '=', batchId);
  const staged = (yield* selectFirst(counted))?.rows ?? 0;
  if (staged === rows) return;
  throw new Error(
    `batch ${batchId}: ${countOf(staged, 'row')} were staged, ${countOf(rows, 'row')} were read`,
  );
}

// ---------------------------------------------------------------- the other row

/** The row that another one clashes with. */
interface Other {
  readonly batch_id: string;
  readonly row_no: number;
  readonly file_name: string;
  readonly status: RegistrationStatus;
  readonly registration_id: string | null;
}

const describePlace = ({ batch_id: batch, row_no: row, file_name }: Other, batchId: string): Message =>
  batch === batchId
    ? message('row.of-file', { row })
    : message('row.of-other-file', { row, file: showCell(file_name), batch });

const nameOther = (other: Other, batchId: string): Message =>
  message('clash.named', {
    registrationId: showCell(other.registration_id ?? ''),
    row: describePlace(other, batchId),
  });

const selectOther = () =>
  query
    .selectFrom('registration as o')
    .innerJoin('registration_row as n', 'n.seq', 'o.seq')
    .innerJoin('registration_batch as b', 'b.batch_id', 'o.batch_id')
    .select(['o.batch_id', 'o.row_no', 'b.file_name', 'o.status', 'n.registration_id']);

/** A row of the file that is still staged. */
interface StagedRow {
  readonly seq: number;
  readonly row_no: number;
  readonly line: number;
  readonly registration_id: string;
  readonly identity_key: string;
}

interface PageOfBatch {
  readonly batchId: string;
  readonly companyId: string;
  readonly afterRowNo: number;
}

const selectStaged = ({ batchId, afterRowNo }: PageOfBatch) =>
  query
    .selectFrom('registration as p')
    .innerJoin('registration_row as r', 'r.seq', 'p.seq')
    .innerJoin('registration_asked as a', 'a.seq', 'p.seq')
    .select(['p.seq', 'p.row_no', 'r.line', 'a.registration_id', 'a.identity_key'])
    .where('p.batch_id', '=', batchId)
    .where('p.row_no', '>', afterRowNo)
    .where('p.status', '=', statusLiteral('staged'))
    .orderBy('p.row_no')
    .limit(clashPageRows);

/** Looks through the staged rows that may clash, page by page, and settles each that still does. */
function* settleEach(
  sealing: Sealing,
  clashing: ReturnType<typeof define<PageOfBatch, StagedRow>>,
  settle: (sealing: Sealing, row: StagedRow) => Body<void>,
): Body<void> {
  let afterRowNo = 0;
  for (;;) {
    const page = yield* clashing.all({ ...sealing, afterRowNo });
    for (const row of page) yield* settle(sealing, row);
    afterRowNo = page.at(-1)?.row_no ?? afterRowNo;
    if (page.length < clashPageRows) return;
  }
}

// ---------------------------------------------------------------- rejecting

const updateRejected = define(
  (values: { seq: number; code: string; reason: string; issues: string; nowMs: number; eventSeq: number }) =>
    query
      .updateTable('registration')
      .set({ status: 'rejected', holds: 0, settled_by: 'rules', version: 2, settled_at_ms: values.nowMs })
      .set({ reason_code: values.code, reason: values.reason, issues: values.issues })
      .set({ last_event_seq: values.eventSeq, last_news_seq: values.eventSeq })
      .where('seq', '=', values.seq)
      .where('status', '=', statusLiteral('staged')),
);

/** Rejects one staged row for an issue that only the seal could find. */
function* reject(sealing: Sealing, row: StagedRow, { code, column, message: why }: Clash): Body<void> {
  const { batchId, companyId, nowMs, eventBase } = sealing;
  const value = column === 'registrationId' ? showCell(row.registration_id) : null;
  const issue: Issue = { line: row.line, column, code, value, message: why };
  const eventSeq = eventBase + row.row_no;
  const issues = JSON.stringify([issue]);
  const reason = encodeMessage(why);
  if ((yield* updateRejected.run({ seq: row.seq, code, reason, issues, nowMs, eventSeq })) === 0) return;
  yield* giveClaimBack.run({ ...claimKeyOf(companyId, row.registration_id), seq: row.seq });
  const moved = { from: 'staged', to: 'rejected', cause: 'sealed' } as const;
  const detail = JSON.stringify({ code });
  const at = { companyId, batchId, rowNo: row.row_no, seq: eventSeq, atMs: nowMs, attemptNo: 0 };
  yield* appendRegistrationEvent(row.seq, { ...at, ...moved, detail });
}

const stagedAt = define((values: PageOfBatch) => selectStaged(values).clearLimit().limit(1));

function* rejectConflict(sealing: Sealing, rowNo: number): Body<void> {
  const row = yield* stagedAt.get({ ...sealing, afterRowNo: rowNo - 1 });
  if (row?.row_no !== rowNo) throw new Error(`batch ${sealing.batchId} has no staged row ${rowNo}`);
  yield* reject(sealing, row, contradictedInFile);
}

// ---------------------------------------------------------------- claims

const claimedRows = define((values: PageOfBatch) =>
  selectStaged(values).where((eb) =>
    eb.exists(
      selectClaims(values.companyId, eb.ref('a.registration_id'), eb.ref('a.similar_key'), true).where(
        'c.registration_seq',
        '<>',
        eb.ref('p.seq'),
      ),
    ),
  ),
);

const claimHolder = define((values: ClaimKey) =>
  selectOther().where('o.seq', 'in', selectClaims(values.companyId, values.id, values.similarKey, true)),
);

function* rejectClaimed(sealing: Sealing, row: StagedRow): Body<void> {
  const { companyId, batchId } = sealing;
  const other = yield* claimHolder.get(claimKeyOf(companyId, row.registration_id));
  if (other === undefined) throw new Error(`registration ${row.seq} clashes with nothing`);
  yield* reject(sealing, row, explainClaimed(describePlace(other, batchId), other.status));
}

// ---------------------------------------------------------------- identities

/** Others of an identity that are ready, held or awaited, or stand before the row in its own file. */
const selectOfIdentity = (
  values: { batchId: string },
  identity: Expression<string> | string,
  seq: Expression<number> | number,
) =>
  selectOther()
    .innerJoin('registration_asked as i', 'i.seq', 'o.seq')
    .where('i.identity_key', '=', identity)
    .where('o.seq', '<>', seq)
    .where((eb) =>
      eb.or([
        eb('o.status', 'in', unendedStatuses.map(statusLiteral)),
        eb.and([
          eb('o.status', '=', statusLiteral('staged')),
          eb('o.batch_id', '=', values.batchId),
          eb('o.seq', '<', seq),
        ]),
      ]),
    );

const indistinctRows = define((values: PageOfBatch) =>
  selectStaged(values).where((eb) =>
    eb.exists(selectOfIdentity(values, eb.ref('a.identity_key'), eb.ref('p.seq'))),
  ),
);

const sameIdentity = define((values: { batchId: string; identity: string; seq: number }) =>
  selectOfIdentity(values, values.identity, values.seq).orderBy('o.seq').limit(1),
);

function* rejectIndistinct(sealing: Sealing, row: StagedRow): Body<void> {
  const { batchId } = sealing;
  const other = yield* sameIdentity.get({ batchId, identity: row.identity_key, seq: row.seq });
  // The row before it in its file was rejected itself.
  if (other === undefined) return;
  yield* reject(sealing, row, explainIndistinct(nameOther(other, batchId)));
}

// ---------------------------------------------------------------- holds

const addHold = define((values: { seq: number; added: number; code: string; reason: string }) =>
  query
    .updateTable('registration')
    .set((eb) => ({
      holds: sql<number>`(${eb.ref('holds')} | cast(${values.added} as integer))`,
      reason_code: values.code,
      reason: values.reason,
    }))
    .where('seq', '=', values.seq),
);

const hold = (row: StagedRow, added: RegistrationHold, { code, message: why }: Clash): Body<number> =>
  addHold.run({ seq: row.seq, added: encodeHolds([added]), code, reason: encodeMessage(why) });

const similarRows = define((values: PageOfBatch) =>
  selectStaged(values).where((eb) =>
    eb.exists(selectClaims(values.companyId, eb.ref('a.registration_id'), eb.ref('a.similar_key'), false)),
  ),
);

const similarHolder = define((values: ClaimKey) =>
  selectOther()
    .where('o.seq', 'in', selectClaims(values.companyId, values.id, values.similarKey, false))
    .orderBy('b.sealed_at_ms', (order) => order.asc().nullsLast())
    .orderBy('o.seq')
    .limit(1),
);

function* holdSimilar({ companyId, batchId }: Sealing, row: StagedRow): Body<void> {
  const other = yield* similarHolder.get(claimKeyOf(companyId, row.registration_id));
  if (other === undefined) throw new Error(`registration ${row.seq} is similar to nothing`);
  yield* hold(row, 'similar', explainSimilar(nameOther(other, batchId)));
}

/** Callbacks that belong to no registration, and those that say that it is registered. */
const selectCalls = (identity: Expression<string> | string) =>
  query
    .selectFrom('registration_callback as k')
    .select(['k.registration_seq', 'k.outcome'])
    .where('k.identity_key', '=', identity)
    .where((eb) =>
      eb.or([eb('k.registration_seq', 'is', null), eb('k.outcome', '=', sql.lit('registered'))]),
    );

const calledRows = define((values: PageOfBatch) =>
  selectStaged(values).where((eb) => eb.exists(selectCalls(eb.ref('a.identity_key')))),
);

const latestCall = define((values: { identity: string }) =>
  selectCalls(values.identity)
    .leftJoin('registration as o', 'o.seq', 'k.registration_seq')
    .leftJoin('registration_row as n', 'n.seq', 'o.seq')
    .leftJoin('registration_batch as b', 'b.batch_id', 'o.batch_id')
    .select(['o.batch_id', 'o.row_no', 'o.status', 'b.file_name', 'n.registration_id'])
    .orderBy('k.applied_at_ms', 'desc')
    .orderBy('k.id', 'desc')
    .limit(1),
);

/** A callback that means a registration of this journal. */
const isPlaced = <Call extends { readonly batch_id: string | null }>(call: Call): call is Call & Other =>
  call.batch_id !== null;

function* holdCalled({ batchId }: Sealing, row: StagedRow): Body<void> {
  const call = yield* latestCall.get({ identity: row.identity_key });
  if (call === undefined) throw new Error(`registration ${row.seq} was never told of`);
  const other = isPlaced(call) ? nameOther(call, batchId) : message('clash.unknown-registration');
  yield* hold(row, 'called-back', explainCalled(call.outcome, other));
}

// ---------------------------------------------------------------- going on

/** The columns of an event, in the order in which they are selected. */
const eventColumns = [
  'seq',
  'registration_seq',
  'from_status',
  'to_status',
  'cause',
  'at_ms',
  'attempt_no',
  'detail',
  'hash',
] as const;

/** Releases the rows that are still staged as ready, or as held when they have a hold. */
function* release(sealing: Sealing, to: 'ready' | 'held'): Body<void> {
  const { batchId, companyId, nowMs, eventBase } = sealing;
  const eventSeq = sql<number>`${sql.lit(eventBase)} + p.row_no`;
  const shared = {
    companyId,
    batchId,
    from: 'staged',
    to,
    cause: 'sealed',
    atMs: nowMs,
    detail: '{}',
  } as const;
  const text = textOfColumns({
    ...shared,
    rowNo: sql.ref('p.row_no'),
    seq: eventSeq,
    attemptNo: sql.ref('p.attempt_no'),
  });
  const isMeant = to === 'ready' ? sql<boolean>`p.holds = 0` : sql<boolean>`p.holds <> 0`;
  const append = defineHere((values: { afterRowNo: number; lastRowNo: number }) =>
    query
      .insertInto('registration_event')
      .columns(eventColumns)
      .expression(
        query
          .selectFrom('registration as p')
          .select([eventSeq.as('seq'), 'p.seq as registration_seq', 'p.status as from_status'])
          .select([statusLiteral(to).as('to_status'), sql<'sealed'>`'sealed'`.as('cause')])
          .select([sql.lit(nowMs).as('at_ms'), 'p.attempt_no', sql<string>`'{}'`.as('detail')])
          .select(nextRegistrationHashOf(sql.ref('p.seq'), text).as('hash'))
          .where('p.batch_id', '=', batchId)
          .where('p.status', '=', statusLiteral('staged'))
          .where('p.row_no', '>', values.afterRowNo)
          .where('p.row_no', '<=', values.lastRowNo)
          .where(isMeant)
          .orderBy('p.row_no'),
      ),
  );
  const last = query
    .selectFrom('registration')
    .select(({ fn }) => fn.max<number | null>('row_no').as('row_no'));
  const lastRowNo = (yield* selectFirst(last.where('batch_id', '=', batchId)))?.row_no ?? 0;
  for (let afterRowNo = 0; afterRowNo < lastRowNo; afterRowNo += hashPageRows)
    yield* append.run({ afterRowNo, lastRowNo: afterRowNo + hashPageRows });
  const moved = query
    .updateTable('registration as p')
    .set((eb) => ({
      status: to,
      version: eb('version', '+', 1),
      last_event_seq: eventSeq,
      last_news_seq: eventSeq,
    }))
    .where('p.batch_id', '=', batchId)
    .where('p.status', '=', statusLiteral('staged'))
    .where(isMeant);
  yield* change(moved);
}
