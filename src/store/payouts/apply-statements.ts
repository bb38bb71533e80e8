/** The statements behind `apply`, each prepared once: a payout passes through them twice. */
import type { DatabaseSync } from 'node:sqlite';
import { type ExpressionBuilder, sql } from 'kysely';
import { type AttemptStatus, attemptStatuses, canMoveAttempt, type PayoutStatus } from '../../core/payout.ts';
import { attemptColumns, eventColumns, literal, similarKeyOf } from '../schema.ts';
import type { AttemptTable, EventTable, PayoutRowTable, Tables } from '../schema.ts';
import { pick, prepare, type Prepared, query } from '../statements.ts';
import type { toAttemptState, toPayoutState } from './rows.ts';

/** Names one claim and the row that is or wants to be its holder. */
export interface ClaimOfRow {
  readonly companyId: string;
  readonly payoutId: string;
  readonly seq: number;
}

type PayoutValues = ReturnType<typeof toPayoutState> &
  ClaimOfRow & {
    readonly statusBefore: PayoutStatus;
    readonly versionBefore: number;
    readonly versionAfter: number;
    readonly eventSeq: number;
  };

type AttemptStateValues = ReturnType<typeof toAttemptState> & {
  readonly payout_seq: number;
  readonly attempt_no: number;
};

/** What the claim must say before a payout may change. */
export type ClaimGuard = 'none' | 'held-by-row' | 'not-held-by-another';

type InstructionValues = Pick<
  PayoutRowTable,
  'seq' | 'proxy_type' | 'proxy_no' | 'payee_name' | 'reference1' | 'reference2'
>;

function updatePayout(values: PayoutValues) {
  return query
    .updateTable('payout')
    .set((eb) => ({
      status: values.status,
      holds: values.holds,
      reason_code: values.reason_code,
      reason: values.reason,
      attempt_no: values.attempt_no,
      bank_payee_name: values.bank_payee_name,
      bank_payee_name_th: values.bank_payee_name_th,
      submitted_at_ms: values.submitted_at_ms,
      settled_at_ms: values.settled_at_ms,
      settled_by: values.settled_by,
      accepted_holds: values.accepted_holds,
      // Only a decision clears an alarm; a later change that does not know of it does not.
      is_alarm: eb.fn<number>('max', [eb.ref('is_alarm'), eb.val(values.is_alarm)]),
      version: values.versionAfter,
      last_event_seq: values.eventSeq,
    }))
    .where('seq', '=', values.seq)
    .where('version', '=', values.versionBefore)
    .where('status', '=', values.statusBefore);
}

function selectClaim(eb: ExpressionBuilder<Tables, 'payout'>, values: ClaimOfRow) {
  return eb
    .selectFrom('claim')
    .select('claim.payout_seq')
    .where('claim.company_id', '=', values.companyId)
    .where('claim.similar_key', '=', similarKeyOf(values.payoutId))
    .where('claim.payout_id', '=', values.payoutId);
}

function preparePayoutUpdates(db: DatabaseSync): Record<ClaimGuard, Prepared<PayoutValues, unknown>> {
  return {
    none: prepare(db, (values: PayoutValues) => updatePayout(values)),
    'held-by-row': prepare(db, (values: PayoutValues) =>
      updatePayout(values).where((eb) =>
        eb.exists(selectClaim(eb, values).whereRef('claim.payout_seq', '=', 'payout.seq')),
      ),
    ),
    'not-held-by-another': prepare(db, (values: PayoutValues) =>
      updatePayout(values).where((eb) =>
        eb.not(eb.exists(selectClaim(eb, values).whereRef('claim.payout_seq', '<>', 'payout.seq'))),
      ),
    ),
  };
}

/** The statuses from which an attempt may become `to`, itself included. */
const sourcesOf = (to: AttemptStatus): AttemptStatus[] =>
  attemptStatuses.filter((from) => canMoveAttempt(from, to));

function prepareAttemptUpdate(db: DatabaseSync, to: AttemptStatus): Prepared<AttemptStateValues, unknown> {
  return prepare(db, (values: AttemptStateValues) =>
    query
      .updateTable('attempt')
      .set((eb) => ({
        status: values.status,
        sends: values.sends,
        last_sent_at_ms: values.last_sent_at_ms,
        last_sent_bank_ms: values.last_sent_bank_ms,
        turned_away: values.turned_away,
        // Never unset, whatever a later change believes.
        acknowledged: eb.fn<number>('max', [eb.ref('acknowledged'), eb.val(values.acknowledged)]),
        contested: eb.fn<number>('max', [eb.ref('contested'), eb.val(values.contested)]),
        inquiries: values.inquiries,
        last_inquiry_at_ms: values.last_inquiry_at_ms,
        last_finding: values.last_finding,
        next_inquiry_at_ms: values.next_inquiry_at_ms,
        sys_ref_no: values.sys_ref_no,
        fee_text: values.fee_text,
      }))
      .where('payout_seq', '=', values.payout_seq)
      .where('attempt_no', '=', values.attempt_no)
      .where('status', 'in', sourcesOf(to)),
  );
}

function prepareAttempts(db: DatabaseSync) {
  return {
    update: Object.fromEntries(attemptStatuses.map((to) => [to, prepareAttemptUpdate(db, to)])) as Record<
      AttemptStatus,
      Prepared<AttemptStateValues, unknown>
    >,
    insert: prepare(db, (values: AttemptTable) =>
      query.insertInto('attempt').values(pick(values, attemptColumns)),
    ),
    status: prepare(db, (values: { payoutSeq: number; attemptNo: number }) =>
      query
        .selectFrom('attempt')
        .select('status')
        .where('payout_seq', '=', values.payoutSeq)
        .where('attempt_no', '=', values.attemptNo),
    ),
  };
}

function ofClaim(values: ClaimOfRow) {
  return query
    .updateTable('claim')
    .where('company_id', '=', values.companyId)
    .where('similar_key', '=', similarKeyOf(values.payoutId))
    .where('payout_id', '=', values.payoutId);
}

function insertClaim(values: ClaimOfRow) {
  return query.insertInto('claim').values({
    company_id: values.companyId,
    similar_key: similarKeyOf(values.payoutId),
    payout_id: values.payoutId,
    payout_seq: values.seq,
    attempts_recorded: 0,
  });
}

const claimKey = ['company_id', 'similar_key', 'payout_id'] as const;

function prepareClaims(db: DatabaseSync) {
  return {
    /** Counts one more intent; changes nothing when the attempt is not the next one. */
    count: prepare(db, (values: ClaimOfRow & { attemptNo: number; attemptsBefore: number }) =>
      ofClaim(values)
        .set({ attempts_recorded: values.attemptNo })
        .where('attempts_recorded', '=', values.attemptsBefore),
    ),
    /** Skips the numbers of attempts that were found after a loss; changes nothing when one of them is known. */
    raise: prepare(db, (values: ClaimOfRow & { attemptNo: number; attemptsBelow: number }) =>
      ofClaim(values)
        .set({ attempts_recorded: values.attemptNo })
        .where('attempts_recorded', '<', values.attemptsBelow),
    ),
    giveBack: prepare(db, (values: ClaimOfRow) =>
      ofClaim(values).set({ payout_seq: null }).where('payout_seq', '=', values.seq),
    ),
    takeIfFree: prepare(db, (values: ClaimOfRow) =>
      insertClaim(values).onConflict((conflict) =>
        conflict
          .columns(claimKey)
          .doUpdateSet((eb) => ({ payout_seq: eb.ref('excluded.payout_seq') }))
          .where('claim.payout_seq', 'is', null),
      ),
    ),
    /** From any row that is not paid itself. */
    takeForPaid: prepare(db, (values: ClaimOfRow) =>
      insertClaim(values).onConflict((conflict) =>
        conflict
          .columns(claimKey)
          .doUpdateSet((eb) => ({ payout_seq: eb.ref('excluded.payout_seq') }))
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('payout')
                  .select('payout.seq')
                  .whereRef('payout.seq', '=', 'claim.payout_seq')
                  .where('payout.status', 'in', [literal('paid'), literal('disputed')]),
              ),
            ),
          ),
      ),
    ),
  };
}

/** Every statement of `apply`. */
export function prepareApply(db: DatabaseSync) {
  return {
    /** Only a row that never had an instruction gets one. */
    validated: prepare(db, (values: InstructionValues) =>
      query
        .updateTable('payout_row')
        .set({
          proxy_type: values.proxy_type,
          proxy_no: values.proxy_no,
          payee_name: values.payee_name,
          reference1: values.reference1,
          reference2: values.reference2,
        })
        .where('seq', '=', values.seq)
        .where('proxy_type', 'is', null),
    ),
    payout: preparePayoutUpdates(db),
    attempt: prepareAttempts(db),
    claim: prepareClaims(db),
    gate: prepare(db, (values: { batchId: string }) =>
      query
        .selectFrom('batch as b')
        .leftJoin('line_stop as s', (join) =>
          join
            .onRef('s.company_id', '=', 'b.company_id')
            .onRef('s.payer_account', '=', 'b.payer_account')
            .on('s.lifted_at_ms', 'is', null),
        )
        .select(['b.company_id', 'b.payer_account', 'b.status', 's.since_ms as stopped_since_ms'])
        .where('b.batch_id', '=', values.batchId),
    ),
    appendEvent: prepare(db, (values: EventTable) =>
      query.insertInto('event').values(pick(values, eventColumns)),
    ),
  };
}

export type ApplyStatements = ReturnType<typeof prepareApply>;

/** Number of the latest event; 0 before the first. */
export function prepareLatestEventSeq(db: DatabaseSync): () => number {
  const statement = prepare(db, (_values: object) =>
    query.selectFrom('event').select((eb) => sql<number>`coalesce(${eb.fn.max('seq')}, 0)`.as('seq')),
  );
  return () => statement.get({})?.seq ?? 0;
}
