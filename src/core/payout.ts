/**
 * The life of an attempt and of a payout (design: "A payout's life"), as data.
 * The store's guards and the commands derive what they allow from these tables;
 * nothing else decides what may follow what.
 */
import type { Satang } from './money.ts';

export type ProxyType = 'NATID' | 'MSISDN';

/** What one valid row asks for. Proxy and amount are normalised, the texts are trimmed. */
export interface Instruction {
  readonly payoutId: string;
  readonly proxyType: ProxyType;
  /** 10 digits (MSISDN) or 13 digits (NATID). */
  readonly proxyNo: string;
  readonly payeeName: string | null;
  readonly amountSatang: Satang;
  readonly reference1: string | null;
  readonly reference2: string | null;
}

export const payoutStatuses = [
  'staged',
  'rejected',
  'ready',
  'held',
  'cancelled',
  'unpayable',
  'submitted',
  'paid',
  'failed',
  'unresolved',
  'disputed',
] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

export const attemptStatuses = ['recorded', 'sent', 'paid', 'failed', 'refused', 'unresolved'] as const;
export type AttemptStatus = (typeof attemptStatuses)[number];

/** Statuses of an attempt that the bank may have completed, or may yet complete: no other is made beside it. */
export const openAttemptStatuses: readonly AttemptStatus[] = ['recorded', 'sent', 'paid', 'unresolved'];

/** Why a payout is held; a payout has a set of them, each lifted only by its own event. */
export const holdReasons = [
  'approval',
  'name',
  'limit',
  'halted',
  'paused',
  'unavailable',
  'similar',
  'new-payee',
  'day-limit',
  'service-day',
  'resend',
] as const;
export type HoldReason = (typeof holdReasons)[number];

interface PayoutTransition {
  readonly from: PayoutStatus;
  readonly to: PayoutStatus;
  /** The name of what happened; the event that records it carries it. */
  readonly cause: string;
}

const anyButPaid = payoutStatuses.filter((status) => status !== 'paid' && status !== 'staged');
/** A person can take note of what it is: an alarm in any status, and what ended otherwise than paid. */
const acknowledgeable = payoutStatuses.filter((status) => status !== 'staged');
const notInDoubt = anyButPaid.filter((status) => status !== 'submitted' && status !== 'unresolved');

/** One line a transition, its cause beside it. A row enters the table as `staged` or `rejected`. */
export const payoutTransitions = [
  { from: 'staged', to: 'ready', cause: 'sealed' },
  { from: 'staged', to: 'held', cause: 'sealed' },
  { from: 'staged', to: 'rejected', cause: 'sealed' },
  { from: 'ready', to: 'held', cause: 'hold-added' },
  { from: 'held', to: 'held', cause: 'hold-added' },
  { from: 'held', to: 'held', cause: 'hold-lifted' },
  { from: 'held', to: 'ready', cause: 'hold-lifted' },
  { from: 'ready', to: 'cancelled', cause: 'cancelled' },
  { from: 'held', to: 'cancelled', cause: 'cancelled' },
  { from: 'ready', to: 'unpayable', cause: 'payee-check-refused' },
  { from: 'ready', to: 'submitted', cause: 'intent-recorded' },
  // Called ended, and the bank works on one of its attempts after all: in doubt again, an alarm.
  { from: 'ready', to: 'unresolved', cause: 'earlier-attempt-alive' },
  { from: 'held', to: 'unresolved', cause: 'earlier-attempt-alive' },
  { from: 'failed', to: 'unresolved', cause: 'earlier-attempt-alive' },
  // The journal was lost, and the bank knows a reference that it does not.
  { from: 'ready', to: 'unresolved', cause: 'found-after-loss' },
  { from: 'ready', to: 'failed', cause: 'found-after-loss' },
  { from: 'held', to: 'unresolved', cause: 'found-after-loss' },
  { from: 'held', to: 'failed', cause: 'found-after-loss' },
  { from: 'submitted', to: 'unresolved', cause: 'found-after-loss' },
  { from: 'unresolved', to: 'unresolved', cause: 'found-after-loss' },
  { from: 'submitted', to: 'submitted', cause: 'outcome-in-doubt' },
  { from: 'submitted', to: 'submitted', cause: 'inquired' },
  // By a person: whoever sends asks at once.
  { from: 'submitted', to: 'submitted', cause: 'inquiry-requested' },
  { from: 'submitted', to: 'submitted', cause: 'sending-again' },
  { from: 'submitted', to: 'paid', cause: 'proved' },
  { from: 'submitted', to: 'failed', cause: 'refused-for-payout' },
  { from: 'submitted', to: 'failed', cause: 'inquiry-failed' },
  { from: 'submitted', to: 'held', cause: 'refused-for-line' },
  { from: 'submitted', to: 'unresolved', cause: 'given-up' },
  { from: 'unresolved', to: 'unresolved', cause: 'inquired' },
  // The reply comes after all, to a process that another has taken over from and that has given the payout up since.
  { from: 'unresolved', to: 'unresolved', cause: 'outcome-in-doubt' },
  { from: 'unresolved', to: 'failed', cause: 'refused-for-payout' },
  { from: 'unresolved', to: 'failed', cause: 'inquiry-failed' },
  { from: 'unresolved', to: 'failed', cause: 'decided-failed' },
  // Another of its attempts may still be with the bank.
  { from: 'unresolved', to: 'unresolved', cause: 'decided-failed' },
  { from: 'unresolved', to: 'paid', cause: 'decided-paid' },
  { from: 'disputed', to: 'paid', cause: 'decided-paid' },
  { from: 'submitted', to: 'failed', cause: 'statement-failed' },
  { from: 'unresolved', to: 'failed', cause: 'statement-failed' },
  { from: 'unresolved', to: 'paid', cause: 'proved' },
  { from: 'failed', to: 'ready', cause: 'tried-again' },
  { from: 'unpayable', to: 'ready', cause: 'tried-again' },
  { from: 'rejected', to: 'ready', cause: 'tried-again' },
  // Paid as another payee or amount than its file has.
  ...(['failed', 'unpayable', 'rejected', 'held'] as const).flatMap((from) => [
    { from, to: 'ready', cause: 'corrected' } as const,
    { from, to: 'held', cause: 'corrected' } as const,
  ]),
  // Another row may have its payoutId from now on.
  { from: 'cancelled', to: 'cancelled', cause: 'released' },
  ...acknowledgeable.map((status) => ({ from: status, to: status, cause: 'acknowledged' }) as const),
  ...notInDoubt.map((from) => ({ from, to: 'paid', cause: 'late-proof' }) as const),
  // Another attempt of a payout that is paid turns out to be paid as well: an alarm.
  { from: 'paid', to: 'paid', cause: 'second-proof' },
  { from: 'paid', to: 'paid', cause: 'inquired' },
  // An attempt of it had come alive again, and has ended: the row stays what it is.
  ...notInDoubt.map((status) => ({ from: status, to: status, cause: 'inquired' }) as const),
  ...anyButPaid.map((status) => ({ from: status, to: status, cause: 'alarm-raised' }) as const),
  { from: 'paid', to: 'paid', cause: 'alarm-raised' },
  // A statement tells of one of its attempts, and the row stays what it is.
  ...anyButPaid.map((status) => ({ from: status, to: status, cause: 'statement-read' }) as const),
  { from: 'paid', to: 'paid', cause: 'statement-read' },
  { from: 'paid', to: 'disputed', cause: 'statement-contradicts' },
] as const satisfies readonly PayoutTransition[];

export type PayoutCause = (typeof payoutTransitions)[number]['cause'];

/** Attempt: one line a transition. A late proof moves any of them to `paid`. */
export const attemptTransitions = [
  { from: 'recorded', to: 'sent' },
  { from: 'recorded', to: 'refused' },
  { from: 'recorded', to: 'unresolved' },
  { from: 'recorded', to: 'failed' },
  { from: 'sent', to: 'failed' },
  { from: 'sent', to: 'refused' },
  { from: 'sent', to: 'unresolved' },
  { from: 'refused', to: 'sent' },
  { from: 'refused', to: 'failed' },
  { from: 'refused', to: 'unresolved' },
  { from: 'unresolved', to: 'failed' },
  // Called failed, and the bank shows it in process after all: in doubt again, an alarm.
  { from: 'failed', to: 'unresolved' },
  ...attemptStatuses.filter((from) => from !== 'paid').map((from) => ({ from, to: 'paid' }) as const),
] as const satisfies readonly { from: AttemptStatus; to: AttemptStatus }[];

/** Steps on the way that no reader of a result cares about: they alone make no row a changed one. */
export const quietCauses: readonly PayoutCause[] = [
  'outcome-in-doubt',
  'inquired',
  'inquiry-requested',
  'sending-again',
  'statement-read',
  'released',
  'acknowledged',
];

/** True when the table has this move for this cause. */
export function canMovePayout(from: PayoutStatus, to: PayoutStatus, cause: PayoutCause): boolean {
  return payoutTransitions.some((row) => row.from === from && row.to === to && row.cause === cause);
}

/** True when the table has this move; staying where it is is always allowed (a fact was added). */
export function canMoveAttempt(from: AttemptStatus, to: AttemptStatus): boolean {
  return from === to || attemptTransitions.some((row) => row.from === from && row.to === to);
}

/** The statuses from which this cause leads to this status. */
export function sourceStatuses(to: PayoutStatus, cause: PayoutCause): PayoutStatus[] {
  return payoutTransitions.filter((row) => row.to === to && row.cause === cause).map((row) => row.from);
}

/** Statuses that nothing but a late proof, a dispute or a decision will change. */
export const finalStatuses: readonly PayoutStatus[] = [
  'paid',
  'failed',
  'unpayable',
  'rejected',
  'cancelled',
  'disputed',
];

/** Statuses that give the claim on the payoutId back. */
export const claimReleasingStatuses: readonly PayoutStatus[] = ['failed', 'unpayable', 'rejected'];

const moneyMovedByStatus: Readonly<Record<PayoutStatus, 'no' | 'unknown' | 'yes'>> = {
  staged: 'no',
  rejected: 'no',
  ready: 'no',
  held: 'no',
  cancelled: 'no',
  unpayable: 'no',
  submitted: 'unknown',
  paid: 'yes',
  failed: 'no',
  unresolved: 'unknown',
  disputed: 'unknown',
};

/** What is known about the money of a payout in this status. */
export const moneyMoved = (status: PayoutStatus): 'no' | 'unknown' | 'yes' => moneyMovedByStatus[status];

export const batchStatuses = [
  'ingesting',
  'sealed',
  'running',
  'paused',
  'halted',
  'done',
  'rejected',
] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** True when the whole file was read and accepted: its rows stand, and may be paid. */
export const isSealed = (status: BatchStatus): boolean => status !== 'ingesting' && status !== 'rejected';

/** `done` goes on running when a person lets a held row go on. */
export const batchTransitions = [
  { from: 'ingesting', to: 'sealed' },
  { from: 'ingesting', to: 'rejected' },
  { from: 'rejected', to: 'ingesting' },
  { from: 'sealed', to: 'running' },
  { from: 'running', to: 'paused' },
  { from: 'paused', to: 'running' },
  { from: 'running', to: 'halted' },
  { from: 'paused', to: 'halted' },
  { from: 'halted', to: 'running' },
  { from: 'running', to: 'done' },
  { from: 'paused', to: 'done' },
  { from: 'halted', to: 'done' },
  { from: 'done', to: 'running' },
] as const satisfies readonly { from: BatchStatus; to: BatchStatus }[];

/** True when the table has this move. */
export function canMoveBatch(from: BatchStatus, to: BatchStatus): boolean {
  return batchTransitions.some((row) => row.from === from && row.to === to);
}

/** The payout as the store holds it. */
export interface Payout {
  /** The store's own number of the row. */
  readonly seq: number;
  readonly batchId: string;
  /** Counts the file's data rows from 1. */
  readonly rowNo: number;
  readonly instruction: Instruction;
  /** Counts the changes; a change names the version it was decided on. */
  readonly version: number;
  readonly status: PayoutStatus;
  readonly holds: readonly HoldReason[];
  /** The bank's or our own code for the present status, with its text. */
  readonly reasonCode: string | null;
  readonly reason: string | null;
  /** `Attempt.attemptNo` of the latest of this row; 0 before the first. */
  readonly attemptNo: number;
  readonly bankPayeeName: string | null;
  readonly bankPayeeNameTh: string | null;
  readonly submittedAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly settledBy: SettledBy | null;
  /** Holds that a person has lifted for this very row: what they looked at does not hold it again. */
  readonly acceptedHolds: readonly HoldReason[];
  /** Something contradicted what we had called proved: a person must look at it, whatever the status. */
  readonly isAlarm: boolean;
  /** A person has taken note of it, and nothing has changed since but what no reader of a result cares about. */
  readonly isAcknowledged: boolean;
}

export type SettledBy = 'rules' | 'check' | 'reply' | 'inquiry' | 'statement' | 'decision';

/** Everything that a transfer request carries (§2.5) but the two request ids; stored before it is sent. */
export interface TransferOrder extends Pick<
  Instruction,
  'proxyType' | 'proxyNo' | 'reference1' | 'reference2'
> {
  readonly transRefNo: string;
  readonly channelId: string;
  readonly termId: string;
  readonly companyId: string;
  readonly payerAccount: string;
  /** YYYYMMDD in Bangkok. */
  readonly tranDate: string;
  /** HH:mm:ss in Bangkok. */
  readonly tranTime: string;
  /** Only a name in Latin letters can be sent (§4 rule 5). */
  readonly proxyName: string | null;
  /** Decimal baht as on the wire. */
  readonly amountText: string;
}

/** What an inquiry showed about one reference. */
export type InquiryFinding = 'complete' | 'in-process' | 'failed' | 'not-found' | 'nothing-said';

/** One send under a reference, with its identical repetitions. A refused reference goes again as a send of its own. */
export interface Attempt {
  readonly payoutSeq: number;
  /** Counts the sends of the payoutId from 1, over all files; the attempt's own number is that of its transRefNo. */
  readonly attemptNo: number;
  readonly status: AttemptStatus;
  readonly order: TransferOrder;
  /** SHA-256 (hex) over the order. */
  readonly orderHash: string;
  readonly intentAtMs: number;
  /** How often bytes may have left. */
  readonly sends: number;
  readonly lastSentAtMs: number | null;
  /** The bank's own time of that send, as its `Date` header told it; null while the bank has not told it since. */
  readonly lastSentBankMs: number | null;
  /** Sends of these that ended in a refusal that bore our requestUID: they did nothing. */
  readonly refusals: number;
  /** Sends of these that ended in a refusal without our requestUID: it counts beside a trusted "not found" alone. */
  readonly unprovenRefusals: number;
  /** Code of the latest refusal; null before the first. */
  readonly refusalCode: string | null;
  /**
   * Sends of these that do not count toward `resendsMax`: refused for the payer or the service, or a trial that got no
   * answer while no other transfer got one either.
   */
  readonly uncountedSends: number;
  /** The bank has shown a failed item, or a failed statement line, for it; unset when it comes alive again. */
  readonly hasFailedItem: boolean;
  /** A reply or inquiry has shown that the bank knows this reference; never unset. */
  readonly acknowledged: boolean;
  /**
   * The bank answered as if the reference, or its details, were not ours (EM001 on a first send, EM059, EM067):
   * an inquiry carries no amount or payee, so only a statement line can prove it paid.
   */
  readonly referenceConflict: boolean;
  readonly inquiries: number;
  readonly lastInquiryAtMs: number | null;
  readonly lastFinding: InquiryFinding | null;
  /** When to ask next; null when nothing is to be asked. */
  readonly nextInquiryAtMs: number | null;
  readonly sysRefNo: string | null;
  /** transFee of §2.5 as the bank wrote it. */
  readonly feeText: string | null;
}
