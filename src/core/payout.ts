/**
 * The life of an attempt and of a payout (design: "A payout's life"), as data. The store's guards and the commands
 * derive what they allow from these tables; nothing else defines the transitions.
 */
import type { Message } from './message.ts';
import type { Satang } from './money.ts';

export type ProxyType = 'NATID' | 'MSISDN';

/** The instruction of one valid row. Proxy and amount are normalised, the texts are trimmed. */
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

/** Statuses of an attempt that the bank may have completed, or may yet complete; no other attempt is made beside it. */
export const openAttemptStatuses: readonly AttemptStatus[] = ['recorded', 'sent', 'paid', 'unresolved'];

/**
 * Reasons to hold a payout; a payout has a set of them, each lifted only by its own event. The journal keeps them by their
 * place here: a new reason goes to the end.
 */
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
  /** Name of the cause, recorded with the event. */
  readonly cause: string;
}

const anyButPaid = payoutStatuses.filter((status) => status !== 'paid' && status !== 'staged');
/** Statuses that a person can acknowledge: an alarm in any status, and a row that ended other than paid. */
const acknowledgeable = payoutStatuses.filter((status) => status !== 'staged');
const notInDoubt = anyButPaid.filter((status) => status !== 'submitted' && status !== 'unresolved');

/** One line per transition, with its cause. A row enters the table as `staged` or `rejected`. @forTests */
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
  // The payout counted as ended, but the bank is working on one of its attempts: in doubt again, an alarm.
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
  // Requested by a person: the process that sends inquires at once.
  { from: 'submitted', to: 'submitted', cause: 'inquiry-requested' },
  { from: 'submitted', to: 'submitted', cause: 'sending-again' },
  { from: 'submitted', to: 'paid', cause: 'proved' },
  { from: 'submitted', to: 'failed', cause: 'refused-for-payout' },
  { from: 'submitted', to: 'failed', cause: 'inquiry-failed' },
  { from: 'submitted', to: 'held', cause: 'refused-for-line' },
  { from: 'submitted', to: 'unresolved', cause: 'given-up' },
  { from: 'unresolved', to: 'unresolved', cause: 'inquired' },
  // A late reply reaches a process after another took over its work and called the payout unresolved.
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
  // A person corrected the payee or amount of the file.
  ...(['failed', 'unpayable', 'rejected', 'held'] as const).flatMap((from) => [
    { from, to: 'ready', cause: 'corrected' } as const,
    { from, to: 'held', cause: 'corrected' } as const,
  ]),
  // Another row may use the payoutId from now on.
  { from: 'cancelled', to: 'cancelled', cause: 'released' },
  ...acknowledgeable.map((status) => ({ from: status, to: status, cause: 'acknowledged' }) as const),
  ...notInDoubt.map((from) => ({ from, to: 'paid', cause: 'late-proof' }) as const),
  // Another attempt of a paid payout turns out to be paid as well: an alarm.
  { from: 'paid', to: 'paid', cause: 'second-proof' },
  { from: 'paid', to: 'paid', cause: 'inquired' },
  // An attempt of the row came alive again and has ended; the row keeps its status.
  ...notInDoubt.map((status) => ({ from: status, to: status, cause: 'inquired' }) as const),
  ...anyButPaid.map((status) => ({ from: status, to: status, cause: 'alarm-raised' }) as const),
  { from: 'paid', to: 'paid', cause: 'alarm-raised' },
  // A statement reports one of its attempts; the row keeps its status.
  ...anyButPaid.map((status) => ({ from: status, to: status, cause: 'statement-read' }) as const),
  { from: 'paid', to: 'paid', cause: 'statement-read' },
  { from: 'paid', to: 'disputed', cause: 'statement-contradicts' },
] as const satisfies readonly PayoutTransition[];

export type PayoutCause = (typeof payoutTransitions)[number]['cause'];

/** Attempt: one line per transition. A late proof moves any of them to `paid`. @forTests */
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
  // The attempt counted as failed, and the bank shows it in process: in doubt again, an alarm.
  { from: 'failed', to: 'unresolved' },
  ...attemptStatuses.filter((from) => from !== 'paid').map((from) => ({ from, to: 'paid' }) as const),
] as const satisfies readonly { from: AttemptStatus; to: AttemptStatus }[];

/** Causes that do not matter to a reader of results: they alone do not make a row a changed one. */
export const quietCauses: readonly PayoutCause[] = [
  'outcome-in-doubt',
  'inquired',
  'inquiry-requested',
  'sending-again',
  'statement-read',
  'released',
  'acknowledged',
];

/** True when the table has this transition for this cause. */
export function canMovePayout(from: PayoutStatus, to: PayoutStatus, cause: PayoutCause): boolean {
  return payoutTransitions.some((row) => row.from === from && row.to === to && row.cause === cause);
}

/** True when the table has this transition; staying in a status is always allowed (a fact was added). */
export function canMoveAttempt(from: AttemptStatus, to: AttemptStatus): boolean {
  return from === to || attemptTransitions.some((row) => row.from === from && row.to === to);
}

/** The statuses from which this cause leads to this status. */
export function sourceStatuses(to: PayoutStatus, cause: PayoutCause): PayoutStatus[] {
  return payoutTransitions.filter((row) => row.to === to && row.cause === cause).map((row) => row.from);
}

/** Statuses that change only by a late proof, a dispute or a decision. */
export const finalStatuses: readonly PayoutStatus[] = [
  'paid',
  'failed',
  'unpayable',
  'rejected',
  'cancelled',
  'disputed',
];

/** Statuses that release the claim on the payoutId. */
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

/** Whether money moved, for a payout in this status. */
export const moneyMoved = (status: PayoutStatus): 'no' | 'unknown' | 'yes' => moneyMovedByStatus[status];

/** @forTests */
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

/** True when the whole file was read and accepted, so that its rows may be paid. */
export const isSealed = (status: BatchStatus): boolean => status !== 'ingesting' && status !== 'rejected';

/** Transitions of a batch. `done` goes back to running when a person releases a held row. @forTests */
export const batchTransitions = [
  { from: 'ingesting', to: 'sealed' },
  { from: 'ingesting', to: 'rejected' },
  { from: 'rejected', to: 'ingesting' },
  { from: 'sealed', to: 'running' },
  { from: 'sealed', to: 'halted' },
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

/** True when the table has this transition. */
export function canMoveBatch(from: BatchStatus, to: BatchStatus): boolean {
  return batchTransitions.some((row) => row.from === from && row.to === to);
}

/** A payout as the store holds it. */
export interface Payout {
  /** The store's number of the row. */
  readonly seq: number;
  readonly batchId: string;
  /** Number of the data row in the file, from 1. */
  readonly rowNo: number;
  readonly instruction: Instruction;
  /** Number of changes; a change names the version on which it was decided. */
  readonly version: number;
  readonly status: PayoutStatus;
  readonly holds: readonly HoldReason[];
  /** The bank's or our own code for the present status; its text is in `reason`. */
  readonly reasonCode: string | null;
  readonly reason: Message | null;
  /** `Attempt.attemptNo` of this row's latest attempt; 0 before the first. */
  readonly attemptNo: number;
  readonly bankPayeeName: string | null;
  readonly bankPayeeNameTh: string | null;
  readonly submittedAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly settledBy: SettledBy | null;
  /** Holds that a person has lifted for this row: the same finding does not hold it again. */
  readonly acceptedHolds: readonly HoldReason[];
  /** A contradiction to a proved outcome: a person must look at it, whatever the status. */
  readonly isAlarm: boolean;
  /** A person has acknowledged the row, and no change since matters to a reader of results. */
  readonly isAcknowledged: boolean;
}

export type SettledBy = 'rules' | 'check' | 'reply' | 'inquiry' | 'statement' | 'decision';

/** Content of a transfer request (§2.5) without the two request ids; stored before it is sent. */
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
  /** Name in Latin letters; no other can be sent (§4 rule 5). */
  readonly proxyName: string | null;
  /** Decimal baht, as on the wire. */
  readonly amountText: string;
}

/** The result of an inquiry about one reference. */
export type InquiryFinding = 'complete' | 'in-process' | 'failed' | 'not-found' | 'nothing-said';

/**
 * One send under a reference, with its identical repetitions. A refused reference that goes again is a separate send.
 */
export interface Attempt {
  readonly payoutSeq: number;
  /** Number of the send of the payoutId, from 1, over all files. The attempt's number is that of its transRefNo. */
  readonly attemptNo: number;
  readonly status: AttemptStatus;
  readonly order: TransferOrder;
  /** SHA-256 (hex) over the order. */
  readonly orderHash: string;
  readonly intentAtMs: number;
  /** Number of requests whose bytes may have left. */
  readonly sends: number;
  readonly lastSentAtMs: number | null;
  /** The bank's time of that send, from its `Date` header; null until the bank tells it. */
  readonly lastSentBankMs: number | null;
  /** Sends that ended in a refusal with our requestUID: they had no effect. */
  readonly refusals: number;
  /** Sends that ended in a refusal without our requestUID; it counts only beside a trusted "not found". */
  readonly unprovenRefusals: number;
  /** Code of the latest refusal; null before the first. */
  readonly refusalCode: string | null;
  /**
   * Sends that do not count toward `resendsMax`: refused for the payer or the service, or a trial without an answer
   * while no other transfer got one either.
   */
  readonly uncountedSends: number;
  /** The bank has shown a failed item or a failed statement line for it; unset when the attempt comes alive again. */
  readonly hasFailedItem: boolean;
  /** A reply or inquiry has shown that the bank knows this reference; never unset. */
  readonly acknowledged: boolean;
  /**
   * The bank's answer suggests that the reference, or its details, are not ours (EM001 on a first send, EM059, EM067).
   * An inquiry carries no amount or payee, so only a statement line can prove it paid.
   */
  readonly referenceConflict: boolean;
  readonly inquiries: number;
  readonly lastInquiryAtMs: number | null;
  readonly lastFinding: InquiryFinding | null;
  /** Time of the next inquiry; null when none is due. */
  readonly nextInquiryAtMs: number | null;
  readonly sysRefNo: string | null;
  /** transFee of §2.5, as written by the bank. */
  readonly feeText: string | null;
}
