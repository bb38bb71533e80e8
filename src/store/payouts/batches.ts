/** Batches: reads of them, their own life once they are sealed, the halts of a payer account, and reports. */
import { sql } from 'kysely';
import { decodeMessage, encodeMessage } from '../../core/message.ts';
import { statementCodes } from '../../core/exit-code.ts';
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type { HoldReason } from '../../core/payout.ts';
import type {
  Batch,
  BatchReader,
  BatchReason,
  HoldTotal,
  PayerPause,
  StatusTotal,
} from '../../core/ports.ts';
import type {
  BatchStanding,
  BatchStore,
  PayerHalt,
  PayerBreakerStore,
  PayerHaltHistory,
} from '../../payout/ports.ts';
import { likeFileCodes } from '../../payout/rules/similar.ts';
import type { ReportStore } from '../../reports/ports.ts';
import { appendJournalFact } from '../review/person-chain.ts';
import { isConcluded, keepReports, moveKept, readReports } from '../batch-steps.ts';
import { decodeHolds, isInDoubt } from '../schema.ts';
import {
  type BodiesOf,
  type Body,
  change,
  define,
  query,
  type Reading,
  select,
  selectFirst,
} from '../statements.ts';
import { asText, joinParts, partsOfAmount, readLatestEventSeq, sumAmount, toBatch } from './rows.ts';

const readByStatement = (record: {
  readonly statement_rows: number;
  readonly statement_since_ms: number | null;
}): Pick<StatusTotal, 'byStatement'> =>
  record.statement_rows === 0
    ? {}
    : { byStatement: { rows: record.statement_rows, firstSentAtMs: record.statement_since_ms ?? 0 } };

const readCorrection = (correctionSatang: Satang) => (correctionSatang === 0n ? {} : { correctionSatang });

/** True of a row in doubt that a statement settles and no inquiry does. */
const isByStatement = sql<boolean>`(${isInDoubt(sql.ref('status'))} and reason_code in (${sql.join(
  statementCodes.map((code) => sql.lit(code)),
)}))`;

/** True of a row that is held with its whole file. */
const isOfFile = sql<boolean>`reason_code in (${sql.join(
  Object.values(likeFileCodes).map((code) => sql.lit(code)),
)})`;

function selectTotals(batchId: string) {
  const amount = partsOfAmount(sql.ref('amount_satang'));
  const sealed = partsOfAmount(sql.ref('sealed_satang'));
  return query
    .selectFrom('payout')
    .select(['status', (eb) => eb.fn.countAll<number>().as('rows')])
    .select(sumAmount(sql.ref('amount_satang')))
    .select([
      sql<number>`count(*) - count(amount_satang)`.as('unreadable_amounts'),
      sql<number>`sum(is_alarm)`.as('alarm_rows'),
      sql<number>`sum(is_acknowledged)`.as('acknowledged_rows'),
      sql<number>`sum(case when ${isByStatement} then 1 else 0 end)`.as('statement_rows'),
      sql<number | null>`min(case when ${isByStatement} then submitted_at_ms end)`.as('statement_since_ms'),
      asText(sql`sum(${amount.high} - ${sealed.high})`).as('corrected_high'),
      asText(sql`sum(${amount.low} - ${sealed.low})`).as('corrected_low'),
    ])
    .where('batch_id', '=', batchId)
    .groupBy('status')
    .orderBy('status');
}

/** The totals of a batch whose rows stand in an archive; empty for any other. */
function* readArchivedTotals(batchId: string): Reading<StatusTotal[]> {
  const archived = query.selectFrom('archived_batch').select('totals').where('batch_id', '=', batchId);
  const totals = JSON.parse((yield* selectFirst(archived))?.totals ?? '[]') as StatusTotal[];
  return totals.map(({ correctionSatang = zeroSatang, ...total }) => ({
    ...total,
    amountSatang: toSatang(BigInt(total.amountSatang)),
    ...readCorrection(toSatang(BigInt(correctionSatang))),
  }));
}

const batchById = define((values: { batchId: string }) =>
  query.selectFrom('batch').selectAll().where('batch_id', '=', values.batchId),
);

export const batchReads = {
  *batches() {
    const newestFirst = query
      .selectFrom('batch')
      .selectAll()
      .orderBy('started_at_ms', 'desc')
      .orderBy(sql`rowid`, 'desc');
    return (yield* select(newestFirst)).map(toBatch);
  },
  *batch(batchId): Reading<Batch | undefined> {
    const record = yield* batchById.get({ batchId });
    return record === undefined ? undefined : toBatch(record);
  },
  *totals(batchId): Reading<StatusTotal[]> {
    const records = yield* select(selectTotals(batchId));
    if (records.length === 0) return yield* readArchivedTotals(batchId);
    return records.map((record) => ({
      status: record.status,
      rows: record.rows,
      amountSatang: joinParts(record.high, record.low),
      unreadableAmounts: record.unreadable_amounts,
      alarmRows: record.alarm_rows,
      ...(record.acknowledged_rows === 0 ? {} : { acknowledgedRows: record.acknowledged_rows }),
      ...readByStatement(record),
      ...readCorrection(joinParts(record.corrected_high, record.corrected_low)),
    }));
  },
  *holdTotals(batchId): Reading<HoldTotal[]> {
    const bySet = query
      .selectFrom('payout')
      .select(['holds', (eb) => eb.fn.countAll<number>().as('rows')])
      .select(sql<number>`sum(case when ${isOfFile} then 1 else 0 end)`.as('file_rows'))
      .where('batch_id', '=', batchId)
      .where('holds', '<>', 0)
      .groupBy('holds')
      .orderBy('holds');
    const totals = new Map<HoldReason, { rows: number; fileRows: number }>();
    for (const { holds, rows, file_rows: fileRows } of yield* select(bySet)) {
      for (const hold of decodeHolds(holds)) {
        const known = totals.get(hold) ?? { rows: 0, fileRows: 0 };
        totals.set(hold, { rows: known.rows + rows, fileRows: known.fileRows + fileRows });
      }
    }
    return [...totals].map(([hold, { rows, fileRows }]) =>
      hold === 'similar' && rows === fileRows ? { hold, rows, isOfFile: true } : { hold, rows },
    );
  },
  reports: (batchId) => readReports('report', batchId),
} satisfies Partial<BodiesOf<BatchReader>>;

/** The moment at which a batch comes to rest, by the clock and, since clocks are set back, by the events. */
function* describeRest(nowMs: number) {
  return { rested_at_ms: nowMs, rested_event_seq: yield* readLatestEventSeq() };
}

/** The number of applied approvals of a batch. */
function* countApprovals(batchId: string): Reading<number> {
  const applied = query
    .selectFrom('proposal_item as i')
    .innerJoin('proposal as p', 'p.proposal_id', 'i.proposal_id')
    .select('i.item_no')
    .where(({ and }) => and({ 'i.kind': 'batch', 'i.key': batchId, 'i.status': 'applied' }))
    .where('p.decision', '=', 'approve-batch');
  return (yield* select(applied)).length;
}

const updateBatch = (batchId: string) => query.updateTable('batch').where('batch_id', '=', batchId);

/** Writes that are one transaction each. */
export const batchWrites = {
  *moveBatch(batchId, to, why, nowMs, seen?: BatchStanding) {
    const standing = query
      .selectFrom('batch')
      .select(['status', 'reason_code as reasonCode', 'is_halted_with_payer as isWithPayer']);
    const found = yield* selectFirst(standing.where('batch_id', '=', batchId));
    const isAsSeen =
      seen === undefined || (found?.status === seen.status && found.reasonCode === seen.reasonCode);
    // A batch that waits for its account moves as a paused one: it can be halted for a cause of its own.
    const from = found?.isWithPayer === 1 && isAsSeen ? { ...found, status: 'paused' as const } : found;
    const rest = isConcluded(to) ? yield* describeRest(nowMs) : {};
    const own = { ...rest, is_halted_with_payer: 0 };
    return yield* moveKept('batch', batchId, from, to, why, from === found ? seen : undefined, own);
  },
  *haltWithPayer(batchId, nowMs) {
    const halted = query
      .selectFrom('batch as b')
      .innerJoin('payer_halt as h', (join) =>
        join.onRef('h.company_id', '=', 'b.company_id').onRef('h.payer_account', '=', 'b.payer_account'),
      )
      .select(['h.code', 'h.reason', 'h.remedy'])
      .where('b.batch_id', '=', batchId)
      .where('b.status', 'in', ['running', 'paused'])
      .where('h.lifted_at_ms', 'is', null);
    const halt = yield* selectFirst(halted);
    if (halt === undefined) return undefined;
    const { code, reason, remedy } = halt;
    const rest = yield* describeRest(nowMs);
    yield* change(
      updateBatch(batchId).set({
        ...rest,
        status: 'halted',
        is_halted_with_payer: 1,
        reason_code: code,
        reason,
        remedy,
      }),
    );
    return { code, ...decodeStop({ reason, remedy }) };
  },
  *renewAge(batchId, nowMs) {
    const renewed = yield* change(updateBatch(batchId).set({ age_from_ms: nowMs }));
    if (renewed === 0) throw new Error(`there is no batch ${batchId}`);
  },
  *movePayer(batchId, payerAccount, nowMs) {
    const doubtful = query
      .selectFrom('payout as p')
      .select('p.seq')
      .where('p.batch_id', '=', batchId)
      .where(({ ref }) => isInDoubt(ref('p.status')));
    const moved = updateBatch(batchId)
      .set({ payer_account: payerAccount, is_halted_with_payer: 0 })
      .where(({ not, exists }) => not(exists(doubtful)));
    const isMoved = (yield* change(moved)) > 0;
    if (isMoved) yield* appendJournalFact('payer-moved', nowMs, { batchId }, { payerAccount });
    return isMoved;
  },
  *takeBackApproval(batchId, people, nowMs) {
    const taken = { approval_people: people, approved_digest: null, approved_payer: null };
    const approved = updateBatch(batchId)
      .set(taken)
      .where(({ or, eb }) => or([eb('approved_digest', 'is not', null), eb('approval_people', 'is', null)]));
    if ((yield* change(approved)) === 0) return;
    const approvals = yield* countApprovals(batchId);
    yield* appendJournalFact('approval-taken-back', nowMs, { batchId, people, approvals });
  },
} satisfies Partial<BodiesOf<BatchStore>>;

type Stop = Pick<BatchReason, 'reason' | 'remedy'>;

const encodeStop = ({ reason, remedy }: Stop): Record<keyof Stop, string> => ({
  reason: encodeMessage(reason),
  remedy: encodeMessage(remedy),
});

export const decodeStop = ({ reason, remedy }: Readonly<Record<keyof Stop, string>>): Stop => ({
  reason: decodeMessage(reason),
  remedy: decodeMessage(remedy),
});

export const payerBreakerReads = {
  *payerHalt(companyId, payerAccount): Reading<PayerHalt | undefined> {
    const inForce = query
      .selectFrom('payer_halt')
      .select(['company_id as companyId', 'payer_account as payerAccount', 'code', 'reason', 'remedy'])
      .select('since_ms as sinceMs')
      .where(({ and }) => and({ company_id: companyId, payer_account: payerAccount }))
      .where('lifted_at_ms', 'is', null);
    const found = yield* selectFirst(inForce);
    return found && { ...found, ...decodeStop(found) };
  },
  *payerPause(companyId, payerAccount): Reading<PayerPause | undefined> {
    const latest = query
      .selectFrom('payer_pause')
      .select(['company_id as companyId', 'payer_account as payerAccount', 'code', 'reason', 'remedy'])
      .select(['troubles', 'is_transfer', 'since_ms as sinceMs', 'until_ms as untilMs'])
      .where(({ and }) => and({ company_id: companyId, payer_account: payerAccount }));
    const found = yield* selectFirst(latest);
    if (found === undefined) return undefined;
    const { is_transfer: isTransfer, ...pause } = found;
    return { ...pause, ...decodeStop(pause), isTransfer: isTransfer === 1 };
  },
  *wasHaltedFor(companyId, payerAccount, code, sinceMs): Reading<boolean> {
    const recorded = query
      .selectFrom('payer_halt')
      .select('since_ms')
      .where(({ and }) => and({ company_id: companyId, payer_account: payerAccount, code }))
      .where('since_ms', '>=', sinceMs);
    return (yield* selectFirst(recorded)) !== undefined;
  },
} satisfies Partial<BodiesOf<PayerBreakerStore & PayerHaltHistory>>;

/** Ends the halt of the batches that were halted with their account; each unsent batch of the account counts its age anew. */
function* goOnWithPayer(companyId: string, payerAccount: string, nowMs: number): Body<void> {
  const ofAccount = query
    .updateTable('batch')
    .where(({ and }) => and({ company_id: companyId, payer_account: payerAccount }));
  const open = ofAccount.where(({ eb, or }) =>
    or([eb('status', 'in', ['sealed', 'running', 'paused']), eb('is_halted_with_payer', '=', 1)]),
  );
  yield* change(open.set({ age_from_ms: nowMs }));
  const going = { status: 'running', reason_code: null, reason: null, remedy: null } as const;
  yield* change(ofAccount.where('is_halted_with_payer', '=', 1).set({ ...going, is_halted_with_payer: 0 }));
}

/** Writes that are one transaction each. */
export const payerBreakerWrites = {
  /** One that is in force already stays as it is: its cause came first. */
  *recordPayerHalt({ companyId, payerAccount, code, reason, remedy, sinceMs }) {
    const payer = { company_id: companyId, payer_account: payerAccount };
    const why = encodeStop({ reason, remedy });
    const record = { ...payer, code, ...why, since_ms: sinceMs, lifted_at_ms: null };
    const insert = query
      .insertInto('payer_halt')
      .values(record)
      .onConflict((conflict) =>
        conflict.columns(['company_id', 'payer_account']).where('lifted_at_ms', 'is', null).doNothing(),
      );
    yield* change(insert);
  },
  *liftPayerHalt(companyId, payerAccount, nowMs) {
    const lift = query
      .updateTable('payer_halt')
      .set({ lifted_at_ms: nowMs })
      .where(({ and }) => and({ company_id: companyId, payer_account: payerAccount }))
      .where('lifted_at_ms', 'is', null);
    const isLifted = (yield* change(lift)) > 0;
    if (isLifted) yield* goOnWithPayer(companyId, payerAccount, nowMs);
    return isLifted;
  },
  *recordPayerPause(pause) {
    const { code, reason, remedy, troubles } = pause;
    const payer = { company_id: pause.companyId, payer_account: pause.payerAccount };
    const times = { since_ms: pause.sinceMs, until_ms: pause.untilMs };
    const why = encodeStop({ reason, remedy });
    const changed = { code, ...why, troubles, is_transfer: pause.isTransfer, ...times };
    const insert = query
      .insertInto('payer_pause')
      .values({ ...payer, ...changed })
      .onConflict((conflict) => conflict.columns(['company_id', 'payer_account']).doUpdateSet(changed));
    yield* change(insert);
  },
  *clearPayerPause(companyId, payerAccount) {
    const clear = query
      .deleteFrom('payer_pause')
      .where(({ and }) => and({ company_id: companyId, payer_account: payerAccount }));
    yield* change(clear);
  },
} satisfies Partial<BodiesOf<PayerBreakerStore>>;

export const reportWrites = {
  /** @throws Error when one of this kind and number was recorded before: none is recorded then */
  *recordReports(reports) {
    yield* keepReports('report', reports);
    for (const [batchId, ofBatch] of Map.groupBy(reports, (report) => report.batchId)) {
      const hashes = ofBatch.map(({ kind, number, sha256 }) => [`${kind} ${number}`, sha256] as const);
      const atMs = Math.max(...ofBatch.map((report) => report.atMs));
      yield* appendJournalFact('reports-written', atMs, { batchId, ...Object.fromEntries(hashes) });
    }
  },
} satisfies Partial<BodiesOf<ReportStore>>;
