/** The one way to change a payout. */
import { sql, type SqlBool } from 'kysely';
import { encodeMessage } from '../../core/message.ts';
import { decideNextNumber } from '../../core/attempt-numbers.ts';
import { ForbiddenChangeError, requireAllowed } from '../../core/change.ts';
import { attemptStatuses, canMoveAttempt } from '../../core/payout.ts';
import type { Attempt, AttemptStatus, Payout, PayoutStatus, TransferOrder } from '../../core/payout.ts';
import type { AttemptKey, Change, PayoutEnd } from '../../core/ports.ts';
import { isReferenceOf, readAttemptNumber } from '../../core/reference.ts';
import type { PayerKey } from '../../payout/ports.ts';
import { mayHalt } from '../../payout/rules/brake.ts';
import type { UseMove } from '../../payout/rules/limits.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';
import { isApproved } from '../../review/rules/approval.ts';
import { describeState, saltDetail } from '../../review/rules/payout-chain.ts';
import type { Engine } from '../engine.ts';
import { makeGroupCommit } from '../group-commit.ts';
import { claimKeyOf, type ClaimOfRow, encodeHolds, holdBits } from '../schema.ts';
import { type Body, define, query, type Statement, together } from '../statements.ts';
import { isApprovedBySignature, keepToBound } from '../review/approvals.ts';
import { isDecided, isDecidedByEnough, keepHand, markDecided } from '../review/proposals.ts';
import { type AppendedEvent, appendEvent, makeSalt } from './chain.ts';
import { type ClaimGuard, claimGuardOf, moveClaim, selectClaim } from './claims.ts';
import { isWithinLimits, readUseMoves, recordUse } from './day-use.ts';
import { keepAsked } from './digests.ts';
import { recordChange } from './open-payouts.ts';
import type { PayerCounts } from './payer-counts.ts';
import { readLatestEventSeq, toAttempt } from './rows.ts';

/** A payout as it will be, its sets as bits. */
type PayoutValues = Omit<Payout, 'reason' | 'holds' | 'acceptedHolds'> &
  ClaimOfRow & {
    readonly reason: string | null;
    readonly holds: number;
    readonly acceptedHolds: number;
    readonly statusBefore: PayoutStatus;
    readonly versionBefore: number;
    readonly versionAfter: number;
    readonly eventSeq: number;
    /** False where a person has acknowledged the alarm. */
    readonly keepsAlarm: boolean;
    /** The bit of `approval` where it must have been approved as it is, where it stays so, and where it is so now. */
    readonly approvalNeeded: number;
    readonly approvalKept: number;
    readonly approvalGiven: number;
  };

const approvalBit = sql.lit(holdBits.approval);

function updatePayout(values: PayoutValues) {
  return query
    .updateTable('payout')
    .set((eb) => ({
      status: values.status,
      holds: values.holds,
      reason_code: values.reasonCode,
      reason: values.reason,
      attempt_no: values.attemptNo,
      bank_payee_name: values.bankPayeeName,
      bank_payee_name_th: values.bankPayeeNameTh,
      submitted_at_ms: values.submittedAtMs,
      settled_at_ms: values.settledAtMs,
      settled_by: values.settledBy,
      // The journal alone says whether it was approved.
      accepted_holds: sql<number>`(${values.acceptedHolds} & ~${approvalBit}) | (${eb.ref('accepted_holds')} & ${values.approvalKept}) | ${values.approvalGiven}`,
      // A decision alone clears an alarm; a later change that does not know of it does not.
      is_alarm: sql<number>`max(${eb.ref('is_alarm')} * ${values.keepsAlarm}, ${values.isAlarm})`,
      is_acknowledged: values.isAcknowledged,
      version: values.versionAfter,
      last_event_seq: values.eventSeq,
    }))
    .where((eb) => sql<SqlBool>`(${eb.ref('accepted_holds')} & ${approvalBit}) >= ${values.approvalNeeded}`)
    .where('seq', '=', values.seq)
    .where('version', '=', values.versionBefore)
    .where('status', '=', values.statusBefore);
}

/** The update for each state of the claim. */
const updatePayoutWhere: Record<ClaimGuard, Statement<PayoutValues, unknown>> = {
  none: define((values: PayoutValues) => updatePayout(values)),
  'held-by-row': define((values: PayoutValues) =>
    updatePayout(values).where((eb) =>
      eb.exists(selectClaim(eb, values).whereRef('claim.payout_seq', '=', 'payout.seq')),
    ),
  ),
  'not-held-by-another': define((values: PayoutValues) =>
    updatePayout(values).where((eb) =>
      eb.not(eb.exists(selectClaim(eb, values).whereRef('claim.payout_seq', '<>', 'payout.seq'))),
    ),
  ),
};

/** The statuses from which an attempt may become `to`, itself included. */
const sourcesOf = (to: AttemptStatus): AttemptStatus[] =>
  attemptStatuses.filter((from) => canMoveAttempt(from, to));

/** The columns of an attempt that may change after its intent was recorded. */
const attemptState = (values: Attempt) => ({
  status: values.status,
  sends: values.sends,
  last_sent_at_ms: values.lastSentAtMs,
  last_sent_bank_ms: values.lastSentBankMs,
  refusals: values.refusals,
  unproven_refusals: values.unprovenRefusals,
  refusal_code: values.refusalCode,
  uncounted_sends: values.uncountedSends,
  has_failed_item: values.hasFailedItem,
  acknowledged: values.acknowledged,
  reference_conflict: values.referenceConflict,
  inquiries: values.inquiries,
  last_inquiry_at_ms: values.lastInquiryAtMs,
  last_finding: values.lastFinding,
  next_inquiry_at_ms: values.nextInquiryAtMs,
  sys_ref_no: values.sysRefNo,
  fee_text: values.feeText,
});

const defineAttemptUpdate = (to: AttemptStatus): Statement<Attempt, unknown> =>
  define((values: Attempt) =>
    query
      .updateTable('attempt')
      .set((eb) => ({
        ...attemptState(values),
        // The flag is never unset, whatever a later change believes.
        acknowledged: eb.fn<number>('max', [eb.ref('acknowledged'), eb.val(values.acknowledged)]),
        reference_conflict: eb.fn<number>('max', [
          eb.ref('reference_conflict'),
          eb.val(values.referenceConflict),
        ]),
        // An attempt that comes alive again takes the flag back.
        has_failed_item:
          to === 'unresolved'
            ? values.hasFailedItem
            : eb.fn<number>('max', [eb.ref('has_failed_item'), eb.val(values.hasFailedItem)]),
      }))
      .where('payout_seq', '=', values.payoutSeq)
      .where('attempt_no', '=', values.attemptNo)
      .where('status', 'in', sourcesOf(to)),
  );

const updateAttempt = Object.fromEntries(
  attemptStatuses.map((to) => [to, defineAttemptUpdate(to)]),
) as Record<AttemptStatus, Statement<Attempt, unknown>>;

const insertAttempt = define((values: Attempt & TransferOrder) =>
  query.insertInto('attempt').values({
    ...attemptState(values),
    payout_seq: values.payoutSeq,
    attempt_no: values.attemptNo,
    trans_ref_no: values.transRefNo,
    channel_id: values.channelId,
    term_id: values.termId,
    company_id: values.companyId,
    payer_account: values.payerAccount,
    tran_date: values.tranDate,
    tran_time: values.tranTime,
    proxy_type: values.proxyType,
    proxy_no: values.proxyNo,
    proxy_name: values.proxyName,
    amount_text: values.amountText,
    reference1: values.reference1,
    reference2: values.reference2,
    order_hash: values.orderHash,
    intent_at_ms: values.intentAtMs,
  }),
);

const attemptStatus = define((values: { payoutSeq: number; attemptNo: number }) =>
  query
    .selectFrom('attempt')
    .select('status')
    .where('payout_seq', '=', values.payoutSeq)
    .where('attempt_no', '=', values.attemptNo),
);

/** Every attempt of the payoutId, of whatever file. */
const earlierAttempts = define((values: ClaimOfRow) =>
  query
    .selectFrom('payout_place as o')
    .innerJoin('attempt as a', 'a.payout_seq', 'o.payout_seq')
    .selectAll('a')
    .where('o.payout_id', '=', values.id)
    .where('a.company_id', '=', values.companyId)
    .orderBy('a.attempt_no'),
);

/** Records that the bank has shown a failed item for an attempt. */
const keepFailedItem = define((values: AttemptKey) =>
  query
    .updateTable('attempt')
    .set({ has_failed_item: sql.lit(1), acknowledged: sql.lit(1) })
    .where('payout_seq', '=', values.payoutSeq)
    .where('attempt_no', '=', values.attemptNo)
    .where('has_failed_item', '=', sql.lit(0)),
);

const gateOfBatch = define((values: { batchId: string }) =>
  query
    .selectFrom('batch as b')
    .leftJoin('payer_halt as s', (join) =>
      join
        .onRef('s.company_id', '=', 'b.company_id')
        .onRef('s.payer_account', '=', 'b.payer_account')
        .on('s.lifted_at_ms', 'is', null),
    )
    .select(['b.company_id', 'b.payer_account', 'b.status', 's.since_ms as stopped_since_ms'])
    .select(['b.approval_people', 'b.digest', 'b.approved_digest', 'b.approved_payer'])
    .where('b.batch_id', '=', values.batchId),
);

/** The facts about a row's batch, read once a transaction. */
interface Gate {
  readonly companyId: string;
  readonly payerAccount: string;
  /** True while the batch is running and its payer account is not halted. */
  readonly isOpen: boolean;
  /** How many people must approve it; null where it needs no approval. */
  readonly approvers: 1 | 2 | null;
  /** True when the parts of it that were approved may be paid. */
  readonly isApproved: boolean;
}

/** The further checks in the transaction of a send, where other machines send from the same journal. */
export interface SendGuards {
  /** True while this process has the right to send; asked once in a transaction that sends anything. */
  fence(): Body<boolean>;
  /** True when an intent may be recorded after what other machines have done meanwhile. */
  mayIntend(change: Change, companyId: string): Body<boolean>;
  /** Notes that these are sent now: once in a transaction. */
  noteSends(sent: readonly AttemptKey[]): Body<void>;
  /** The counts until now; asked once in a transaction that counts anything. */
  openCounts(): Body<PayerCounts>;
  /** @returns true when the payer account is halted by it */
  countEnd(counts: PayerCounts, end: PayoutEnd, payer: PayerKey, atMs: number): boolean;
  /** Keeps what was counted: once in a transaction. */
  keepCounts(counts: PayerCounts): Body<void>;
}

interface Transaction {
  readonly guards: SendGuards | undefined;
  /** True when this process may send, as far as others let it. */
  readonly hasRight: boolean;
  /** Attempts that are sent on the strength of it. */
  readonly sent: AttemptKey[];
  readonly gates: Map<string, Gate>;
  readonly counts: PayerCounts;
  /** Batches that may have come to more than what needs no approval. */
  readonly raised: Set<string>;
  latestEventSeq: number;
  /** The last number that a change has taken for its event, recorded or not. */
  drawnEventSeq: number;
}

interface Applier {
  apply(changes: readonly Change[]): Promise<readonly boolean[]>;
  /** Takes nothing more, and resolves when all that was asked for is settled. */
  end(): Promise<void>;
}

/** True of a change on the strength of which bytes leave. */
const isSendOf = ({ isIntent, isRepetition }: Change): boolean => isIntent === true || isRepetition === true;

function* readGate(batchId: string): Body<readonly [batchId: string, gate: Gate] | undefined> {
  const record = yield* gateOfBatch.get({ batchId });
  if (record === undefined) return undefined;
  const isOpen = record.status === 'running' && record.stopped_since_ms === null;
  const { company_id: companyId, payer_account: payerAccount, digest, approval_people: approvers } = record;
  const approved = { approvedDigest: record.approved_digest, approvedPayer: record.approved_payer };
  const gate = {
    companyId,
    payerAccount,
    isOpen,
    approvers,
    isApproved: isApproved({ people: approvers, digest, payerAccount, ...approved }),
  };
  return [batchId, gate];
}

function gateOf({ gates }: Transaction, batchId: string): Gate {
  const gate = gates.get(batchId);
  if (gate === undefined) throw new ForbiddenChangeError(`there is no batch ${batchId}`);
  return gate;
}

/**
 * The halt is looked up for the batch's account, so the bytes must name that account and no other, and bear a
 * reference of the payoutId.
 */
function checkOrder({ before }: Change, order: TransferOrder | undefined, gate: Gate): void {
  if (order?.companyId !== gate.companyId || order.payerAccount !== gate.payerAccount)
    throw new ForbiddenChangeError(`payout ${before.seq}: the order names another company or payer account`);
  if (!isReferenceOf(order.transRefNo, gate.companyId, before.instruction.payoutId))
    throw new ForbiddenChangeError(`payout ${before.seq}: the order bears another payout’s reference`);
}

/**
 * A row is paid as it was approved: one that asks for something else from now on is not, unless as many people as
 * the batch needs have decided on that very change after the batch itself was approved. A signed approval is of exact rows: a
 * change of one waits for another.
 */
function* readApprovalBits(change: Change, { approvers, isApproved: isBatchApproved }: Gate) {
  const { isIntent, isCorrected, isValidated, decision } = change;
  const bit = holdBits.approval;
  const approvalNeeded = isIntent === true && approvers !== null ? bit : 0;
  if (isCorrected !== true && isValidated !== true)
    return { approvalNeeded, approvalKept: bit, approvalGiven: 0 };
  const isGiven =
    approvers !== null &&
    isBatchApproved &&
    decision !== undefined &&
    !change.before.holds.includes('approval') &&
    !(yield* isApprovedBySignature(change.before.batchId)) &&
    (yield* isDecidedByEnough(decision, change.before.batchId, approvers));
  return { approvalNeeded, approvalKept: 0, approvalGiven: isGiven ? bit : 0 };
}

/** False while the batch or the payer account is stopped: nothing leaves then, not even what was sent before. */
function* maySend(transaction: Transaction, change: Change, gate: Gate): Body<boolean> {
  const [{ guards, hasRight }, isIntent] = [transaction, change.isIntent === true];
  if (!gate.isOpen || !hasRight) return false;
  if (!isIntent) return true;
  if (!gate.isApproved) return false;
  return guards === undefined || (yield* guards.mayIntend(change, gate.companyId));
}

/** The moves that the change makes on days that are counted; undefined where nothing may be sent on the strength of it. */
function* readMoves(
  transaction: Transaction,
  change: Change,
  gate: Gate,
): Body<readonly UseMove[] | undefined> {
  if (!isSendOf(change)) return yield* readUseMoves(change, gate.companyId);
  const [isAllowed, moves] = yield* together([
    maySend(transaction, change, gate),
    readUseMoves(change, gate.companyId),
  ]);
  return isAllowed ? moves : undefined;
}

/** True for the right number: earlier attempts were asked about before the intent, and one may be alive, or new, since. */
function* bearsRightNumber({ before, attempt, failedItems = [] }: Change, ofRow: ClaimOfRow): Body<boolean> {
  if (attempt === undefined) return false;
  const { transRefNo, ...content } = attempt.order;
  const isShown = (one: Attempt): boolean =>
    failedItems.some((key) => key.payoutSeq === one.payoutSeq && key.attemptNo === one.attemptNo);
  const earlier =
    attempt.attemptNo === 1
      ? []
      : (yield* earlierAttempts.all(ofRow)).map(toAttempt).map((one) => ({
          ...one,
          hasFailedItem: one.hasFailedItem || isShown(one),
        }));
  const next = decideNextNumber(earlier, content, before.acceptedHolds.includes('resend'));
  return next.kind === 'free' && next.number === readAttemptNumber(transRefNo);
}

/** False when a guard no longer holds; nothing has changed then. */
function* applyChange(transaction: Transaction, change: Change): Body<boolean> {
  const { before, after, event, attempt, adopts = [] } = change;
  const gate = gateOf(transaction, before.batchId);
  if (change.isIntent === true) checkOrder(change, attempt?.order, gate);
  for (const adopted of adopts) checkOrder(change, adopted.order, gate);
  const useMoves = yield* readMoves(transaction, change, gate);
  if (useMoves === undefined) return false;
  const ofRow = { ...claimKeyOf(gate.companyId, before.instruction.payoutId), seq: before.seq };
  if (change.isIntent === true && !(yield* bearsRightNumber(change, ofRow))) return false;
  if (change.decision !== undefined && !(yield* isDecided(change.decision))) return false;
  if (!(yield* isWithinLimits(change, gate.companyId))) return false;
  const approval = yield* readApprovalBits(change, gate);
  const eventSeq = (transaction.drawnEventSeq += 1);
  const changed = yield* updatePayoutWhere[claimGuardOf(change)].assumeOne({
    ...after,
    reason: after.reason === null ? null : encodeMessage(after.reason),
    holds: encodeHolds(after.holds),
    acceptedHolds: encodeHolds(after.acceptedHolds),
    ...ofRow,
    statusBefore: before.status,
    versionBefore: before.version,
    versionAfter: before.version + 1,
    eventSeq,
    keepsAlarm: event.cause !== 'acknowledged',
    ...approval,
  });
  if (changed === 0) {
    // No number is skipped where changes come one after the other.
    if (transaction.drawnEventSeq === eventSeq) transaction.drawnEventSeq -= 1;
    return false;
  }
  if (change.decision !== undefined) yield* markDecided(change.decision);
  if (change.isCorrected === true && change.decision !== undefined)
    yield* keepHand(change.decision, before.batchId);
  const asksFor = yield* keepAsked(change, gate.companyId);
  if (change.isCorrected === true || change.isValidated === true) transaction.raised.add(before.batchId);
  const appended = toEvent(change, gate.companyId, eventSeq, asksFor, approval.approvalGiven !== 0);
  yield* together([
    recordChange(change),
    recordUse(useMoves, gate.companyId),
    moveClaim(change, ofRow),
    keepAttempts(change),
    appendEvent(before.seq, appended),
  ]);
  if (attempt !== undefined && isSendOf(change)) transaction.sent.push(attempt);
  transaction.latestEventSeq = Math.max(transaction.latestEventSeq, eventSeq);
  applyBrake(transaction, change, gate);
  return true;
}

/** A change that halts the account keeps back what was to be sent by the same transaction, too. */
function applyBrake({ guards, counts, gates }: Transaction, change: Change, gate: Gate): void {
  const { end, attempt, event } = change;
  if (end === undefined || guards === undefined) return;
  const { companyId, payerAccount } = attempt?.order ?? gate;
  if (!guards.countEnd(counts, end, { companyId, payerAccount }, event.atMs)) return;
  for (const [batchId, one] of gates)
    if (one.companyId === companyId && one.payerAccount === payerAccount)
      gates.set(batchId, { ...one, isOpen: false });
}

/** @param asksFor what it commits to, where the row asks for something else by it */
function toEvent(
  change: Change,
  companyId: string,
  seq: number,
  asksFor: string | undefined,
  isApprovalGiven: boolean,
): AppendedEvent {
  const { before, after, event } = change;
  const { cause, atMs } = event;
  const { batchId, rowNo } = before;
  const moved = { seq, from: before.status, to: after.status, attemptNo: after.attemptNo };
  const facts = { ...event.detail, ...describeState(change, isApprovalGiven) };
  const detail = JSON.stringify({ ...saltDetail(facts, makeSalt), asksFor });
  return { companyId, batchId, rowNo, ...moved, cause, atMs, detail };
}

function* keepAttempts({ attempt, isIntent, adopts = [], failedItems = [] }: Change): Body<void> {
  for (const key of failedItems) yield* keepFailedItem.note(key);
  if (attempt !== undefined) yield* keepAttempt(attempt, isIntent === true);
  for (const adopted of adopts) yield* keepAttempt(adopted, true);
}

function* keepAttempt(attempt: Attempt, isNew: boolean): Body<void> {
  if (isNew) {
    yield* insertAttempt.note({ ...attempt, ...attempt.order });
    return;
  }
  const { payoutSeq, attemptNo, status } = attempt;
  if ((yield* updateAttempt[status].assumeOne(attempt)) === 1) return;
  const present = yield* attemptStatus.get({ payoutSeq, attemptNo });
  throw new ForbiddenChangeError(
    present === undefined
      ? `payout ${payoutSeq} has no attempt ${attemptNo}`
      : `attempt ${attemptNo} of payout ${payoutSeq} is ${present.status} and cannot become ${status}`,
  );
}

/**
 * The keys of what a change reads or changes and another may change in its transaction: such do not go side by side.
 * Totals over many rows, and decisions for them, are looked at by one change at a time.
 */
function writeSetOf(change: Change): readonly string[] | undefined {
  const { before, limits, likeness, decision, adopts, isCorrected, isValidated, end } = change;
  // A change that may halt the account comes before what is to be sent after it.
  const isHalting = end !== undefined && mayHalt(end);
  const isWide =
    isHalting || [limits, decision, adopts, isCorrected, isValidated].some((part) => part !== undefined);
  const [mightBePaid, mayBePaid] = [before, change.after].map(({ status }) =>
    mayBePaidStatuses.includes(status),
  );
  const { proxyNo, amountSatang } = likeness ?? change.after.instruction;
  const like = likeness !== undefined || mayBePaid !== mightBePaid ? [`like ${proxyNo} ${amountSatang}`] : [];
  return isWide ? undefined : [`payout ${before.seq}`, `claim ${before.instruction.payoutId}`, ...like];
}

/** The keys of changes that are applied together; undefined where they may be anything. */
function writeSetOfAll(changes: readonly Change[]): readonly string[] | undefined {
  const touched = changes.map(writeSetOf);
  return touched.includes(undefined) ? undefined : touched.flatMap((keys) => keys ?? []);
}

function* applyChanges(transaction: Transaction, changes: readonly Change[]): Body<boolean[]> {
  const applied: boolean[] = [];
  for (const change of changes) applied.push(yield* applyChange(transaction, change));
  return applied;
}

function* askRight(guards: SendGuards | undefined, changes: readonly Change[]): Body<boolean> {
  return guards === undefined || !changes.some(isSendOf) || (yield* guards.fence());
}

function* openCounts(guards: SendGuards | undefined, changes: readonly Change[]): Body<PayerCounts> {
  const isAny = changes.some(({ end }) => end !== undefined);
  return guards !== undefined && isAny ? yield* guards.openCounts() : new Map();
}

/** Reads the facts of a transaction once, and not for each change: all of them have one batch, as a rule. */
function* beginTransaction(guards: SendGuards | undefined, changes: readonly Change[]): Body<Transaction> {
  const batchIds = [...new Set(changes.map(({ before }) => before.batchId))];
  const [latestEventSeq, hasRight, counts, found] = yield* together([
    readLatestEventSeq(),
    askRight(guards, changes),
    openCounts(guards, changes),
    together(batchIds.map(readGate)),
  ]);
  const gates = new Map(found.filter((gate) => gate !== undefined));
  return {
    guards,
    hasRight,
    sent: [],
    gates,
    counts,
    raised: new Set(),
    latestEventSeq,
    drawnEventSeq: latestEventSeq,
  };
}

/** Ends a transaction once for all of its changes: a bound adds up the batch. */
function* endTransaction({ raised, guards, sent, counts }: Transaction): Body<void> {
  for (const batchId of raised) yield* keepToBound(batchId);
  if (guards === undefined) return;
  const noting = [];
  if (sent.length > 0) noting.push(guards.noteSends(sent));
  if (counts.size > 0) noting.push(guards.keepCounts(counts));
  yield* together(noting);
}

/**
 * Gathers changes and commits them.
 * @param onCommit told the number of the latest event once it is durable, before anybody else is; what it throws is
 * a failure of the calls, so that nothing is sent on the strength of them
 * @param guards left out where one process alone sends from the journal
 */
export function makeApplier(
  engine: Pick<Engine, 'write' | 'gathering'>,
  onCommit: (latestEventSeq: number) => void = () => {},
  guards?: SendGuards,
): Applier {
  const { ask, end } = makeGroupCommit(engine, {
    begin: (calls) => beginTransaction(guards, calls.flat()),
    apply: applyChanges,
    writeSet: (changes) => writeSetOfAll(changes),
    end: endTransaction,
    onCommit: ({ latestEventSeq }: Transaction) => onCommit(latestEventSeq),
  });
  return {
    end,
    apply: async (changes) => {
      for (const change of changes) requireAllowed(change);
      return changes.length === 0 ? [] : ask(changes);
    },
  };
}
