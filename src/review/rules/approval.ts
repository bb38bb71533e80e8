/** Approval before paying: which batches wait for it, and what exactly is approved. */
import { createHash } from 'node:crypto';
import { type Satang, sumSatang, toSatang } from '../../core/money.ts';
import { type BatchStatus, type HoldReason, isSealed, type PayoutStatus } from '../../core/payout.ts';
import type { BatchReason, StatusTotal } from '../../core/ports.ts';
import type { Decision } from './terms.ts';

/** `approval` of the settings. */
export interface ApprovalPolicy {
  readonly when: 'never' | 'always' | 'above';
  /** With `above`: a batch that would pay more than this waits. */
  readonly aboveSatang: Satang;
  /** How many people it takes: with two, one proposes and another approves. */
  readonly people: 1 | 2;
}

/** What a batch would pay. */
interface ToBePaid {
  readonly rows: number;
  readonly amountSatang: Satang;
}

/**
 * How many people must approve a batch before any row of it is paid; undefined when none need. It may have no such row when
 * it is sealed: what was rejected can be corrected, or validated anew.
 */
export function decideApproval(
  policy: ApprovalPolicy,
  { amountSatang }: Pick<ToBePaid, 'amountSatang'>,
): 1 | 2 | undefined {
  switch (policy.when) {
    case 'never':
      return undefined;
    case 'always':
      return policy.people;
    case 'above':
      return amountSatang > policy.aboveSatang ? policy.people : undefined;
  }
}

/** Of a batch that was not above it when it was sealed: what it may come to, and how many approve it when it does. */
export interface ApprovalBound {
  readonly aboveSatang: Satang;
  readonly people: 1 | 2;
}

/** What a batch that needs no approval as it is sealed is held to from then on. */
export const boundOf = ({ when, aboveSatang, people }: ApprovalPolicy): ApprovalBound | undefined =>
  when === 'above' ? { aboveSatang, people } : undefined;

/** Nothing is paid of these, whatever is decided about others. */
const neverPaid: readonly PayoutStatus[] = ['rejected', 'cancelled'];

/**
 * How many people must approve a batch by now that was below its bound when it was sealed: rows that were corrected, or
 * validated anew, make it more. What has failed counts, since it may be tried again without being looked at.
 */
export function decideApprovalNow(
  { aboveSatang, people }: ApprovalBound,
  totals: readonly Pick<StatusTotal, 'status' | 'amountSatang'>[],
): 1 | 2 | undefined {
  const amounts = totals.filter(({ status }) => !neverPaid.includes(status));
  const amountSatang = sumSatang(amounts.map((total) => total.amountSatang));
  return decideApproval({ when: 'above', aboveSatang, people }, { amountSatang });
}

/** Nobody could ever approve what is taken in. */
export const describeNobody = (when: ApprovalPolicy['when']): string =>
  `approval.when is "${when}", and there is no user yet who could approve: "paydrop user add NAME --role admin" makes the first (docs/review.md); or set approval.when to "never"`;

/** Our code for a batch at rest of which rows wait for approval. */
export const approvalCode = 'approval';

/** Why a batch rests. */
export const describeWaiting = (batchId: string): BatchReason => ({
  code: approvalCode,
  reason: 'it waits for approval: nothing that was not approved is paid',
  remedy: `Look at it ("paydrop status ${batchId}"), then approve it ("paydrop approve --batch ${batchId}"); it goes on when its file is run again, or with a watcher`,
});

/** Why a batch waits anew that counted as approved. */
export const describeTakenBack = (batchId: string, rowNo: number, why: string): BatchReason => {
  const { code, remedy } = describeWaiting(batchId);
  const reason = `row ${rowNo} is not what a signed approval names: ${why}; the batch waits for approval again`;
  return {
    code,
    reason,
    remedy: `Find out whether somebody has changed the journal ("paydrop audit"), or approval.keys. ${remedy}`,
  };
};

/** What tells one approval from another. */
interface ApprovedBatch {
  readonly batchId: string;
  /** `BatchSeal.digest`: over all rows as their file has them. */
  readonly digest: string | null;
  readonly payerAccount: string;
}

/** A row that is paid once it is approved. */
export interface WaitingRow {
  readonly rowNo: number;
  readonly amountSatang: bigint;
  /** Of what it asks for now; null where it asks for nothing. */
  readonly digest: string | null;
}

/** What waits for approval. */
export interface Waiting extends ToBePaid {
  /** SHA-256 (hex): an approval names it, and is of no use when anything of it has changed since. */
  readonly version: string;
}

/** Over the batch, the account that it is paid from, and exactly those rows that an approval lets go on. */
export class WaitingDigest {
  readonly #hash = createHash('sha256');
  #rows = 0;
  #amountSatang = 0n;

  constructor({ batchId, digest, payerAccount }: ApprovedBatch) {
    const head = ['approval/2', batchId, digest, payerAccount];
    this.#hash.update(`${JSON.stringify(head)}\n`);
  }

  /** In the order of the file. */
  add({ rowNo, amountSatang, digest }: WaitingRow): void {
    this.#hash.update(`${rowNo} ${amountSatang} ${digest ?? ''}\n`);
    this.#rows += 1;
    this.#amountSatang += amountSatang;
  }

  /** Called once. */
  end(): Waiting {
    const amountSatang = toSatang(this.#amountSatang);
    return { rows: this.#rows, amountSatang, version: this.#hash.digest('hex') };
  }
}

/** An approval as the journal has it of a batch. */
export interface ApprovalState {
  /** Null where the batch needs none. */
  readonly people: 1 | 2 | null;
  readonly digest: string | null;
  readonly payerAccount: string;
  readonly approvedDigest: string | null;
  readonly approvedPayer: string | null;
}

/** True when rows of the batch that were approved may be paid: what was approved is what it is now, and pays from where. */
export const isApproved = ({
  people,
  digest,
  payerAccount,
  approvedDigest,
  approvedPayer,
}: ApprovalState): boolean =>
  people === null || (digest !== null && approvedDigest === digest && approvedPayer === payerAccount);

/** Holds for what the settings do not allow: whoever lifts one lets it be paid all the same. */
export const limitHolds: readonly HoldReason[] = ['limit', 'new-payee', 'day-limit', 'service-day'];

/** Decisions by which something is paid that was not, or not so: nobody checks one who had a part in the file. */
export const lettingPay: readonly Decision[] = [
  'approve-batch',
  'go-on',
  'retry',
  'retry-corrected',
  'resume-batch',
];

/** Why somebody may not check such a decision, or take it alone. */
export const involvedWords = 'you uploaded the file, or corrected a row in it, and cannot approve it';

/** Whoever has decided on an approval, as its proposal names them. */
interface Approvers {
  readonly people: number;
  readonly makerId: number | null;
  readonly checkerId: number | null;
}

/**
 * True when enough people, each of whom has proved who he is, have approved; the last of them must have had no part in it.
 * @param isOfRow it is a change of a row: whoever decides on that alone need not be one who may check, and signs nothing
 */
export function areEnough(
  { people, makerId, checkerId }: Approvers,
  needed: 1 | 2,
  involved: readonly number[],
  isOfRow = false,
): boolean {
  if (makerId === null || people < needed || (people === 1 && isOfRow)) return false;
  const last = people === 1 ? makerId : checkerId;
  if (last === null || involved.includes(last)) return false;
  return people === 1 || checkerId !== makerId;
}

/** Why a batch cannot be approved; undefined when it can. */
export function whyNotApprove(status: BatchStatus, waiting: ToBePaid | undefined): string | undefined {
  if (!isSealed(status)) return `it is ${status}: nothing of it can be paid`;
  if (waiting === undefined) return 'it needs no approval';
  return waiting.rows === 0 ? 'nothing of it waits for approval' : undefined;
}
