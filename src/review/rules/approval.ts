/** Approval before paying: the batches that wait for it, and the exact matter of an approval. */
import { message, type Message } from '../../core/message.ts';
import { createHash } from 'node:crypto';
import { type Satang, sumSatang, toSatang } from '../../core/money.ts';
import { type BatchStatus, type HoldReason, isSealed, type PayoutStatus } from '../../core/payout.ts';
import type { BatchReason, StatusTotal } from '../../core/ports.ts';
import type { Decision } from './terms.ts';

/** `approval` of the settings. */
export interface ApprovalPolicy {
  readonly when: 'never' | 'always' | 'above';
  /** The limit of `above`: a batch that would pay more waits. */
  readonly aboveSatang: Satang;
  /** The number of people; with two, one proposes and another approves. */
  readonly people: 1 | 2;
}

/** The rows that a batch would pay. */
interface ToBePaid {
  readonly rows: number;
  readonly amountSatang: Satang;
}

/**
 * The number of people who must approve a batch before any row of it is paid; undefined for none. A batch without
 * payable rows counts, too: its rejected rows can be corrected, or validated again.
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

/** The bound of a batch that was sealed below it, and the number of people who approve above it. */
interface ApprovalBound {
  readonly aboveSatang: Satang;
  readonly people: 1 | 2;
}

/** The bound of a batch that needs no approval when it is sealed. */
export const boundOf = ({ when, aboveSatang, people }: ApprovalPolicy): ApprovalBound | undefined =>
  when === 'above' ? { aboveSatang, people } : undefined;

/** Statuses of rows that are never paid, whatever is decided about others. */
const neverPaid: readonly PayoutStatus[] = ['rejected', 'cancelled'];

/**
 * The number of people who must now approve a batch that was sealed below its bound: corrected or revalidated rows may
 * raise its sum. Failed rows count, since they may be retried without a look.
 */
export function decideApprovalNow(
  { aboveSatang, people }: ApprovalBound,
  totals: readonly Pick<StatusTotal, 'status' | 'amountSatang'>[],
): 1 | 2 | undefined {
  const amounts = totals.filter(({ status }) => !neverPaid.includes(status));
  const amountSatang = sumSatang(amounts.map((total) => total.amountSatang));
  return decideApproval({ when: 'above', aboveSatang, people }, { amountSatang });
}

/** The message for a setting that requires approval while no user could give it. */
export const describeNobody = (when: ApprovalPolicy['when']): string =>
  `approval.when is "${when}", and there is no user yet who could approve: "paydrop user add NAME --role admin" makes the first (docs/review.md); or set approval.when to "never"`;

/** The code of a batch that rests with rows waiting for approval. */
export const approvalCode = 'approval';

/** The reason why a batch rests. */
export const describeWaiting = (batchId: string): BatchReason => ({
  code: approvalCode,
  reason: message('batch.awaits-approval'),
  remedy: message('batch.approve-it', { batch: batchId }),
});

/** The reason why a batch that counted as approved waits again. */
export const describeTakenBack = (batchId: string, rowNo: number, why: string): BatchReason => {
  const { code, remedy } = describeWaiting(batchId);
  return {
    code,
    reason: message('batch.approval-taken-back', { row: rowNo, why }),
    remedy: message('batch.find-out-what-changed', { remedy }),
  };
};

/** The facts that distinguish one approval from another. */
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
  /** The digest of its present instruction; null without one. */
  readonly digest: string | null;
}

/** The rows that wait for approval. */
export interface Waiting extends ToBePaid {
  /** SHA-256 (hex), named by an approval, which is invalid once any of the rows has changed. */
  readonly version: string;
}

/** The digest over the batch, its payer account, and exactly the rows that an approval releases. */
export class WaitingDigest {
  readonly #hash = createHash('sha256');
  #rows = 0;
  #amountSatang = 0n;

  constructor({ batchId, digest, payerAccount }: ApprovedBatch) {
    const head = ['approval/2', batchId, digest, payerAccount];
    this.#hash.update(`${JSON.stringify(head)}\n`);
  }

  /** Adds a row, in the order of the file. */
  add({ rowNo, amountSatang, digest }: WaitingRow): void {
    this.#hash.update(`${rowNo} ${amountSatang} ${digest ?? ''}\n`);
    this.#rows += 1;
    this.#amountSatang += amountSatang;
  }

  /** Ends the digest. Called once. */
  end(): Waiting {
    const amountSatang = toSatang(this.#amountSatang);
    return { rows: this.#rows, amountSatang, version: this.#hash.digest('hex') };
  }
}

/** The approval of a batch, as the journal has it. */
export interface ApprovalState {
  /** Null where the batch needs none. */
  readonly people: 1 | 2 | null;
  readonly digest: string | null;
  readonly payerAccount: string;
  readonly approvedDigest: string | null;
  readonly approvedPayer: string | null;
}

/** True when approved rows of the batch may be paid: its rows and its payer account are still the approved ones. */
export const isApproved = ({
  people,
  digest,
  payerAccount,
  approvedDigest,
  approvedPayer,
}: ApprovalState): boolean =>
  people === null || (digest !== null && approvedDigest === digest && approvedPayer === payerAccount);

/** Holds for exceeded limits of the settings; lifting one pays the row nevertheless. */
export const limitHolds: readonly HoldReason[] = ['limit', 'new-payee', 'day-limit', 'service-day'];

/** Decisions that newly release a payment; a person who had a part in the file checks none of them. */
export const releasingDecisions: readonly Decision[] = [
  'approve-batch',
  'go-on',
  'retry',
  'retry-corrected',
  'resume-batch',
  'resume-payer',
];

/** The deciders on an approval, as its proposal names them. */
interface Approvers {
  readonly people: number;
  readonly makerId: number | null;
  readonly checkerId: number | null;
}

/**
 * True when enough proved people have approved; the last of them must have had no part in the file.
 * @param isOfRow a decision about one row: one person is never enough, because that decision needs neither the right to
 * check nor a signature
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

/** The reason why a batch cannot be approved; undefined when it can. */
export function whyNotApprove(status: BatchStatus, waiting: ToBePaid | undefined): Message | undefined {
  if (!isSealed(status)) return message('batch.not-sealed', { status: message(`batch-is.${status}`) });
  if (waiting === undefined) return message('approve.not-needed');
  return waiting.rows === 0 ? message('approve.nothing-waits') : undefined;
}
