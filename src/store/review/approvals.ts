/** Approvals: the parts of a batch that wait for one, and the parts that one lets go on. */
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { decodeMessageIfAny, encodeMessage, stopInEnglish, verbatim } from '../../core/message.ts';
import { formatBangkokDate } from '../../core/bangkok-time.ts';
import { toSatang, zeroSatang } from '../../core/money.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import { computeInstructionDigest } from '../../core/reference.ts';
import type { BatchReason, DecisionItem } from '../../core/ports.ts';
import { LimitForecast, type LimitFinding } from '../../payout/rules/limits.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';
import {
  approvalCode,
  type ApprovalState,
  areEnough,
  type ApprovalPolicy,
  boundOf,
  decideApproval,
  decideApprovalNow,
  isApproved,
  WaitingDigest,
} from '../../review/rules/approval.ts';
import {
  type ApprovalFigures,
  type FiguredRow,
  Figures,
  isToPay,
} from '../../review/rules/approval-figures.ts';
import type { CountedRow } from '../../review/rules/proposal-figures.ts';
import type { ApprovalStore, BatchApproval, LimitsNow } from '../../review/ports.ts';
import { batchReads } from '../payouts/batches.ts';
import { moveAll } from '../payouts/bulk.ts';
import { isDayCounted, limitReads } from '../payouts/day-use.ts';
import { recordOpen } from '../payouts/open-payouts.ts';
import {
  type BatchPage,
  type InstructionColumns,
  isOnPage,
  joinParts,
  pagesOf,
  readInstruction,
  readLatestEventSeq,
} from '../payouts/rows.ts';
import { addBits, decodeHolds, hasBits, holdBits, literal, removeBits } from '../schema.ts';
import {
  type BodiesOf,
  type Body,
  change,
  define,
  query,
  type Reading,
  select,
  selectFirst,
  textStatement,
} from '../statements.ts';
import type { Proposal, TargetKind } from '../../review/rules/proposal.ts';
import {
  type KeptApproval,
  type Signers,
  type SigningTerms,
  proveApproval,
} from '../../review/rules/proved-approval.ts';
import { personReads } from './people.ts';
import { isDecided, markDecided, proposalReads, readHands, readHandsOfSent } from './proposals.ts';

/** The columns that an approval is compared with, of a batch that needs one. */
const approvalColumns = [
  'batch_id as batchId',
  'approval_people as people',
  'digest',
  'versions_digest as versionsDigest',
  'payer_account as payerAccount',
  'approved_digest as approvedDigest',
  'approved_payer as approvedPayer',
] as const;

type ApprovalRecord = ApprovalState & { readonly batchId: string; readonly versionsDigest: string | null };

export const selectApproval = (batchId: string) =>
  query.selectFrom('batch').select(approvalColumns).where('batch_id', '=', batchId);

/** True of a row that is to be paid, and not approved yet as it is. */
const isWaiting = (isAnyApproved: boolean) =>
  isAnyApproved ? sql<SqlBool>`(accepted_holds & ${sql.lit(holdBits.approval)}) = 0` : sql<SqlBool>`true`;

interface Page extends BatchPage {
  /** The bits of `accepted_holds` with which a row does not wait. */
  readonly approvedBits: number;
}

/** The bits with which a row that was approved does not wait, unless the batch has to be approved again. */
const approvedBitsOf = (batch: ApprovalRecord): number => (isApproved(batch) ? holdBits.approval : 0);

/** True of a row, as `p`, that an approval of its batch lets go on. */
const waits = ({ approvedBits }: Pick<Page, 'approvedBits'>): RawBuilder<SqlBool> =>
  sql`p.status in ('ready', 'held') and (p.accepted_holds & ${approvedBits}) = 0`;

/** A row with 64-bit amounts that are read as text. */
interface WaitingRecord {
  readonly row_no: number;
  readonly amount_text: string;
  readonly digest: string | null;
}

/** The digest of what a row asks for now, as `p` and `r`: its file may have asked for something else. */
const presentDigest = sql<string | null>`coalesce(
  (select v.digest from instruction_version v where v.payout_seq = p.seq order by v.version desc limit 1), r.digest)`;

const waitingPage = define((values: Page) =>
  textStatement<WaitingRecord>(
    sql`select p.row_no, cast(p.amount_satang as text) as amount_text, ${presentDigest} as digest
      from payout p join payout_row r on r.seq = p.seq
      where ${isOnPage(values)} and ${waits(values)} order by p.row_no`,
  ),
);

/** The columns that the seal of a batch keeps of its approval, by what is still staged. */
export function* decideAtSeal(batchId: string, policy: ApprovalPolicy | undefined) {
  if (policy === undefined || policy.when === 'never') return {};
  const staged = (yield* batchReads.totals(batchId)).find(({ status }) => status === 'staged');
  const people = decideApproval(policy, staged ?? { amountSatang: zeroSatang });
  if (people !== undefined) return { approval_people: people };
  const bound = boundOf(policy);
  if (bound === undefined) return {};
  return {
    approval_bound_satang: String(bound.aboveSatang),
    approval_bound_people: bound.people,
  };
}

const boundColumns = define((values: { batchId: string }) =>
  query
    .selectFrom('batch')
    .select(['approval_bound_satang as above', 'approval_bound_people as people'])
    .where('batch_id', '=', values.batchId)
    .where('approval_people', 'is', null)
    .where('approval_bound_satang', 'is not', null),
);

/** Makes a batch wait that has come to more than its bound, in the transaction of the change that makes it more. */
export function* keepToBound(batchId: string): Body<void> {
  const bound = yield* boundColumns.get({ batchId });
  if (bound === undefined || bound.above === null || bound.people === null) return;
  const { above, people } = bound;
  const aboveSatang = toSatang(BigInt(above));
  const needed = decideApprovalNow({ aboveSatang, people }, yield* batchReads.totals(batchId));
  if (needed === undefined) return;
  yield* change(query.updateTable('batch').set({ approval_people: needed }).where('batch_id', '=', batchId));
}

/** Reads the approval at one moment. */
export function* readApproval(batchId: string): Reading<BatchApproval | undefined> {
  const batch = yield* selectFirst(selectApproval(batchId));
  return batch === undefined ? undefined : yield* readWaiting(batch);
}

/** The rows that an approval lets go on. */
function* readWaiting(batch: ApprovalRecord): Reading<BatchApproval | undefined> {
  const { batchId, people } = batch;
  if (people === null) return undefined;
  const all = new WaitingDigest(batch);
  const approvedBits = approvedBitsOf(batch);
  for (const page of yield* pagesOf(batchId)) {
    const rows = yield* waitingPage.all({ batchId, approvedBits, ...page });
    for (const { row_no: rowNo, amount_text: amount, digest } of rows)
      all.add({ rowNo, amountSatang: BigInt(amount), digest });
  }
  return { people, ...all.end() };
}

const mayBePaid = sql.join(mayBePaidStatuses.map(literal));

interface FiguredPage extends Page, CountedDay {
  readonly likeSinceMs: number;
}

/** A row as it is counted. */
export interface CountedRecord {
  readonly seq: number;
  readonly row_no: number;
  readonly proxy_no: string | null;
  readonly amount_text: string | null;
  readonly digest: string | null;
  readonly status: PayoutStatus;
  readonly holds: number;
  readonly accepted_holds: number;
  readonly is_new: number;
}

/** A row with the records of its payee from before, and the payee's sum on the day. */
interface FiguredRecord extends CountedRecord {
  readonly payout_id: string | null;
  readonly payee_name: string | null;
  readonly waits: number;
  readonly is_like: number;
  readonly use_high: string | null;
  readonly use_low: string | null;
}

export const paidBefore = (also: RawBuilder<SqlBool>): RawBuilder<SqlBool> =>
  sql`exists (select 1 from payee_place o join payout q on q.seq = o.payout_seq
    where o.proxy_no = r.proxy_no and ${also})`;

/** @param counted the sum of the payee on the day, as `u` */
const defineFigured = (uses: RawBuilder<unknown>, counted: (day: CountedDay) => RawBuilder<unknown>) =>
  define((values: FiguredPage) =>
    textStatement<FiguredRecord>(
      sql`select p.seq, p.row_no, r.payout_id, r.proxy_no, r.payee_name, cast(p.amount_satang as text) as amount_text, ${presentDigest} as digest,
        p.status, p.holds, p.accepted_holds, ${waits(values)} as waits,
        ${waits(values)} and not ${paidBefore(sql`q.status = 'paid'`)}
          and not exists (select 1 from paid_payee g where g.proxy_no = r.proxy_no) as is_new,
        ${waits(values)} and ${paidBefore(sql`o.amount_satang = p.amount_satang and q.batch_id <> p.batch_id
          and q.status in (${mayBePaid}) and q.submitted_at_ms >= ${values.likeSinceMs}`)} as is_like,
        ${uses}
      from payout p join payout_row r on r.seq = p.seq ${counted(values)}
      where ${isOnPage(values)} order by p.row_no`,
    ),
  );

const figuredPage = {
  alone: defineFigured(sql`null as use_high, null as use_low`, () => sql``),
  withUse: defineFigured(
    sql`cast(u.high as text) as use_high, cast(u.low as text) as use_low`,
    ({ companyId, date }) =>
      sql`left join day_use u on u.company_id = ${companyId} and u.date = ${date} and u.kind = 'payee' and u.key = r.proxy_no`,
  ),
};

export const toCountedRow = (record: CountedRecord): Omit<CountedRow, 'reasonCode'> => ({
  seq: record.seq,
  rowNo: record.row_no,
  proxyNo: record.proxy_no,
  amountSatang: record.amount_text === null ? null : BigInt(record.amount_text),
  digest: record.digest,
  status: record.status,
  holds: decodeHolds(record.holds),
  acceptedHolds: decodeHolds(record.accepted_holds),
  isNewPayee: record.is_new === 1,
});

const toFiguredRow = (record: FiguredRecord): FiguredRow => ({
  ...toCountedRow(record),
  payoutId: record.payout_id,
  payeeName: record.payee_name,
  isWaiting: record.waits === 1,
  isLike: record.is_like === 1,
});

/** Reads the figures at one moment. */
export function* readFigures(
  batchId: string,
  likeSinceMs: number,
  ahead?: LimitsNow,
): Reading<ApprovalFigures | undefined> {
  const named = ['file_name as fileName', 'like_reason as likeReason', 'company_id as companyId'] as const;
  const batch = yield* selectFirst(selectApproval(batchId).select(named));
  if (batch === undefined) return undefined;
  const { companyId } = batch;
  const foreseen = ahead && (yield* beginForecast(companyId, batchId, ahead));
  const date = foreseen?.day.date ?? '';
  const figures = new Figures({ ...batch, likeReason: decodeMessageIfAny(batch.likeReason) });
  const approvedBits = approvedBitsOf(batch);
  const rowsOf = figuredPage[foreseen === undefined ? 'alone' : 'withUse'];
  const asked = { batchId, approvedBits, likeSinceMs, companyId, date };
  for (const page of yield* pagesOf(batchId)) {
    for (const record of yield* rowsOf.all({ ...asked, ...page })) {
      const row = toFiguredRow(record);
      figures.add(row, foreseen !== undefined && isToPay(row) ? yield* foresee(foreseen, record, row) : []);
    }
  }
  return figures.end();
}

interface CountedDay {
  readonly companyId: string;
  readonly date: string;
}

/** A forecast of the limits over time, as if all rows came up to be sent now. */
interface Foreseen {
  readonly forecast: LimitForecast;
  readonly day: CountedDay;
  /** True when sums are kept of the day: a payee without one was paid nothing. */
  readonly isCounted: boolean;
}

function* beginForecast(companyId: string, batchId: string, { limits, nowMs }: LimitsNow): Reading<Foreseen> {
  const day = { companyId, date: formatBangkokDate(nowMs) };
  const use = yield* limitReads.dayUse(companyId, day.date, batchId);
  return { forecast: new LimitForecast(limits, use, nowMs), day, isCounted: yield* isDayCounted(day) };
}

function* foresee(
  { forecast, day, isCounted }: Foreseen,
  { use_high: high, use_low: low }: FiguredRecord,
  { proxyNo, amountSatang, acceptedHolds, isNewPayee }: FiguredRow,
): Reading<readonly LimitFinding[]> {
  if (proxyNo === null || amountSatang === null) return [];
  let payeeSatang = zeroSatang;
  if (high !== null && low !== null) payeeSatang = joinParts(high, low);
  else if (!isCounted && forecast.limits.satangPerPayeePerDay !== null)
    payeeSatang = yield* limitReads.payeeUse(day.companyId, day.date, proxyNo);
  const instruction = { proxyNo, amountSatang: toSatang(amountSatang) };
  return forecast.add({ instruction, acceptedHolds }, { payeeSatang, isPayeeKnown: !isNewPayee });
}

function* shared(batchId: string, nowMs: number) {
  return { batchId, nowMs, eventBase: yield* readLatestEventSeq() };
}

/** Rows that are ready and were not approved as they are wait for it; inside the caller's transaction. */
function* holdWaiting(batch: ApprovalRecord, why: BatchReason, nowMs: number): Body<number> {
  return yield* moveAll({
    ...(yield* shared(batch.batchId, nowMs)),
    from: 'ready',
    to: 'held',
    cause: 'hold-added',
    which: (payout) => payout.and([isWaiting(isApproved(batch))]),
    set: (payout) => ({
      holds: addBits(payout.ref('holds'), holdBits.approval),
      reason_code: why.code,
      reason: encodeMessage(why.reason),
    }),
    detail: { hold: 'approval', ...stopInEnglish(why) },
  });
}

/** Holds each ready row that was not approved. @returns how many rows changed */
export function* holdUnapproved(batchId: string, why: BatchReason, nowMs: number): Body<number> {
  const batch = yield* selectFirst(selectApproval(batchId));
  if (batch === undefined || batch.people === null) return 0;
  const moved = yield* holdWaiting(batch, why, nowMs);
  if (moved > 0) yield* recordOpen(batchId);
  return moved;
}

/** Lifts the hold of every row that waits, and marks it as approved; inside the caller's transaction. */
function* letGoOn(batch: ApprovalRecord, detail: object, nowMs: number): Body<void> {
  const why = { code: approvalCode, reason: verbatim('approved'), remedy: verbatim('') };
  yield* holdWaiting(batch, why, nowMs);
  const bit = holdBits.approval;
  const accepted = sql<number>`accepted_holds | ${sql.lit(bit)}`;
  const move = {
    ...(yield* shared(batch.batchId, nowMs)),
    from: 'held',
    cause: 'hold-lifted',
    detail: { lifted: ['approval'], ...detail },
  } as const;
  yield* moveAll({
    ...move,
    to: 'ready',
    which: (payout) => payout('holds', '=', bit),
    set: () => ({ holds: 0, accepted_holds: accepted, reason_code: null, reason: null }),
  });
  yield* moveAll({
    ...move,
    to: 'held',
    which: (payout) => payout.and([hasBits(payout.ref('holds'), bit)]),
    set: (payout) => ({ holds: removeBits(payout.ref('holds'), bit), accepted_holds: accepted }),
  });
  // A row is held for something else alone, since before it had to be approved again.
  const isHeldOnly = query
    .updateTable('payout')
    .set({ accepted_holds: accepted })
    .where('batch_id', '=', batch.batchId)
    .where('status', '=', 'held');
  yield* change(isHeldOnly);
}

/** A row that waits, as people are shown it, with the digest that stands beside it. */
type ShownRecord = InstructionColumns & { readonly row_no: number; readonly digest: string | null };

const shownPage = define((values: Page) =>
  textStatement<ShownRecord>(
    sql`select p.row_no, r.payout_id, r.proxy_type, r.proxy_no, r.payee_name, r.reference1, r.reference2,
        cast(p.amount_satang as text) as amount_text, ${presentDigest} as digest
      from payout p join payout_row r on r.seq = p.seq
      where ${isOnPage(values)} and ${waits(values)} order by p.row_no`,
  ),
);

/** The first row that waits whose digest is not that of what people are shown of it. */
function* findForgedRow(
  batchId: string,
  approvedBits: number,
  companyId: string,
): Reading<number | undefined> {
  for (const page of yield* pagesOf(batchId))
    for (const record of yield* shownPage.all({ batchId, approvedBits, ...page })) {
      const { row_no: rowNo } = record;
      const instruction = readInstruction(record);
      const place = { companyId, batchId, rowNo };
      const digest = instruction && computeInstructionDigest(place, instruction);
      if (digest !== record.digest) return rowNo;
    }
  return undefined;
}

/** Keeps the rows that wait as they are approved, so that the version which was signed can be computed anew. */
const keepApproved = define((values: { batchId: string; proposalId: number; approvedBits: number }) =>
  query
    .insertInto('approved_row')
    .columns(['batch_id', 'proposal_id', 'row_no', 'amount_satang', 'digest'])
    .expression((eb) =>
      eb
        .selectFrom('payout as p')
        .innerJoin('payout_row as r', 'r.seq', 'p.seq')
        .select((row) => [
          'p.batch_id',
          sql<number>`cast(${values.proposalId} as bigint)`.as('proposal_id'),
          'p.row_no',
          sql<string>`cast(${row.ref('p.amount_satang')} as text)`.as('amount_satang'),
          presentDigest.as('digest'),
        ])
        .where('p.batch_id', '=', values.batchId)
        .where(waits(values)),
    ),
);

const approvedRows = define((values: { batchId: string; proposalId: number }) =>
  query
    .selectFrom('approved_row')
    .select(['row_no as rowNo', 'amount_satang as amountText', 'digest'])
    .where('batch_id', '=', values.batchId)
    .where('proposal_id', '=', values.proposalId)
    .orderBy('row_no'),
);

const approvingProposals = define((values: { batchId: string }) =>
  query
    .selectFrom('approved_row')
    .select('proposal_id as proposalId')
    .distinct()
    .where('batch_id', '=', values.batchId)
    .orderBy('proposal_id'),
);

/** The approval of a batch by one proposal, as it was kept. */
function* readApproved(batchId: string, proposal: Proposal): Reading<KeptApproval | undefined> {
  const named = ['sha256 as fileSha256', 'digest as batchDigest', 'payer_account as payerAccount'] as const;
  const batch = yield* selectFirst(query.selectFrom('batch').select(named).where('batch_id', '=', batchId));
  if (batch === undefined) return undefined;
  const { proposalId } = proposal;
  const rows = (yield* approvedRows.all({ batchId, proposalId })).map(({ amountText, ...row }) => ({
    ...row,
    amountSatang: BigInt(amountText),
  }));
  return { ...batch, batchId, proposal, rows, signatures: yield* personReads.signaturesOf(proposalId) };
}

/** True of a batch that was approved by a signature: each correction in it takes another one. */
export function* isApprovedBySignature(batchId: string): Reading<boolean> {
  return (yield* approvingProposals.get({ batchId })) !== undefined;
}

/** Every approval that was kept of a batch, the oldest first. */
function* readApprovals(batchId: string): Reading<KeptApproval[]> {
  const approvals: KeptApproval[] = [];
  for (const { proposalId } of yield* approvingProposals.all({ batchId })) {
    const proposal = yield* proposalReads.proposal(proposalId);
    const approval = proposal && (yield* readApproved(batchId, proposal));
    if (approval !== undefined) approvals.push(approval);
  }
  return approvals;
}

/** The records of the people who sign, at one moment. */
function* readSigners(): Reading<Signers> {
  const { passkeys } = yield* personReads.persons();
  return { passkeys, events: yield* personReads.personEvents(0, Number.MAX_SAFE_INTEGER) };
}

/** The reason why the approval is not signed as the settings ask; the rows were kept before, in this transaction. */
function* findUnsigned(
  batchId: string,
  proposal: Proposal,
  terms: SigningTerms,
): Reading<string | undefined> {
  const approval = yield* readApproved(batchId, proposal);
  if (approval === undefined) return undefined;
  const proof = proveApproval(approval, yield* readSigners(), terms);
  return proof.kind === 'unproved' ? proof.why : undefined;
}

/** An approval that is refused takes back what its transaction has kept. */
export class UnsignedApprovalError extends Error {
  override readonly name = 'UnsignedApprovalError';
}

/**
 * Lets what waits of a batch go on, if it is what was looked at and enough people have approved it.
 * @param signing the demands on its signature; null where none is asked for
 * @returns false, with nothing changed, when it is not
 * @throws UnsignedApprovalError, with nothing changed, when no signature proves it
 */
export function* approveBatch(
  batchId: string,
  item: DecisionItem,
  version: string,
  signing: SigningTerms | null,
  nowMs: number,
): Body<boolean> {
  const proposal = yield* proposalReads.proposal(item.proposalId);
  const batch = yield* selectFirst(selectApproval(batchId).select('company_id as companyId'));
  if (proposal === undefined || batch === undefined || batch.people === null) return false;
  if (proposal.decision !== 'approve-batch' || !(yield* isDecided(item))) return false;
  const involved = yield* readHands(batchId);
  if (!areEnough(proposal, batch.people, involved)) return false;
  if ((yield* readWaiting(batch))?.version !== version) return false;
  if (signing !== null) {
    const approvedBits = approvedBitsOf(batch);
    yield* keepApproved.run({ batchId, proposalId: proposal.proposalId, approvedBits });
    const why = yield* findUnsigned(batchId, proposal, signing);
    if (why !== undefined) throw new UnsignedApprovalError(why);
    const forged = yield* findForgedRow(batchId, approvedBits, batch.companyId);
    if (forged !== undefined)
      throw new UnsignedApprovalError(`row ${forged} is not what its digest says: the journal was changed`);
  }
  const { maker: by, checker, proposalId } = proposal;
  const detail = { by, ...(checker === null ? {} : { checkedBy: checker }), proposal: proposalId };
  yield* letGoOn(batch, detail, nowMs);
  const update = () => query.updateTable('batch').where('batch_id', '=', batchId);
  const approved = {
    approved_digest: batch.digest,
    approved_payer: batch.payerAccount,
    age_from_ms: nowMs,
  };
  yield* change(update().set(approved));
  const running = { status: 'running', reason_code: null, reason: null, remedy: null } as const;
  yield* change(update().set(running).where('status', '=', 'paused').where('reason_code', '=', approvalCode));
  yield* markDecided(item);
  yield* recordOpen(batchId);
  return true;
}

/** The people who left a row out of the batch that a proposal of two people pays: they cancelled it. */
const leftOutBy = (proposalId: number) =>
  query
    .selectFrom('proposal as a')
    .innerJoin('proposal_item as whole', 'whole.proposal_id', 'a.proposal_id')
    .innerJoin('batch as b', 'b.batch_id', 'whole.key')
    .innerJoin('proposal as c', (join) =>
      join
        .onRef('c.made_at_ms', '>=', 'b.started_at_ms')
        .on('c.decision', '=', 'cancel')
        .on('c.status', '=', 'applied'),
    )
    .innerJoin('proposal_item as i', 'i.proposal_id', 'c.proposal_id')
    .innerJoin('payout as p', (join) =>
      join.on(sql<SqlBool>`p.seq = cast(i.key as bigint)`).onRef('p.batch_id', '=', 'b.batch_id'),
    )
    .select('c.maker_id')
    .distinct()
    .where('a.proposal_id', '=', proposalId)
    .where('a.decision', '=', 'approve-batch')
    .where('a.people', '=', 2)
    .where('i.kind', '=', 'payout')
    .where('i.status', '=', 'applied');

export const approvalReads = {
  *involvedIn(proposalId): Reading<number[]> {
    const ofKind = (kind: TargetKind) =>
      query
        .selectFrom('proposal_item as i')
        .where('i.proposal_id', '=', proposalId)
        .where('i.kind', '=', kind);
    const batches = ofKind('batch').select('i.key as batch_id');
    const ofRows = ofKind('payout')
      .innerJoin('payout as p', (join) => join.on(sql<SqlBool>`p.seq = cast(i.key as bigint)`))
      .select('p.batch_id');
    const registrations = ofKind('registration-batch').select('i.key as batch_id');
    const ofRegistrations = ofKind('registration')
      .innerJoin('registration as r', (join) => join.on(sql<SqlBool>`r.seq = cast(i.key as bigint)`))
      .select('r.batch_id');
    const hands = query
      .selectFrom('contributor')
      .select('person_id')
      .distinct()
      .where('batch_id', 'in', batches.union(ofRows).union(registrations).union(ofRegistrations));
    const named = (yield* select(hands)).map(({ person_id: personId }) => personId);
    const leftOut = (yield* select(leftOutBy(proposalId))).flatMap(({ maker_id: id }) => id ?? []);
    return [...named, ...leftOut, ...(yield* readHandsOfSent(proposalId))];
  },
  handsOf: readHands,
  approvalsOf: readApprovals,
  signers: readSigners,
} satisfies Partial<BodiesOf<ApprovalStore>>;

export const approvalWrites = {
  *keepUpload(batchId, personId): Body<void> {
    const hand = { batch_id: batchId, person_id: personId, part: 'uploaded' } as const;
    yield* change(
      query
        .insertInto('contributor')
        .values(hand)
        .onConflict((conflict) => conflict.doNothing()),
    );
  },
} satisfies Partial<BodiesOf<ApprovalStore>>;
