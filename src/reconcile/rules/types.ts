/** The words of reconciliation: what is compared, what a comparison can show, and what is kept of it. */
import type { Satang } from '../../core/money.ts';
import type {
  Attempt,
  AttemptStatus,
  Payout,
  PayoutStatus,
  SettledBy,
  TransferOrder,
} from '../../core/payout.ts';
import type { Provenance } from './custody.ts';
import type { StatementLine } from './statement.ts';

/** What the journal knows of one attempt, as far as a statement speaks of it. */
export interface AttemptFacts {
  readonly payoutSeq: number;
  readonly payoutId: string;
  readonly batchId: string;
  readonly rowNo: number;
  readonly attemptNo: number;
  readonly payoutStatus: PayoutStatus;
  readonly attemptStatus: AttemptStatus;
  readonly order: Pick<
    TransferOrder,
    | 'transRefNo'
    | 'companyId'
    | 'payerAccount'
    | 'tranDate'
    | 'proxyType'
    | 'proxyNo'
    | 'proxyName'
    | 'amountText'
  > &
    // Not in breaks that an older program kept.
    Partial<Pick<TransferOrder, 'tranTime' | 'reference1'>>;
  /** Bytes may have left this often. */
  readonly sends: number;
  readonly acknowledged: boolean;
  readonly contested: boolean;
  readonly lastInquiryAtMs: number | null;
  readonly lastFinding: Attempt['lastFinding'];
  readonly sysRefNo: string | null;
  /** transFee of the reply, as the bank wrote it; null when no reply bore one. */
  readonly feeText: string | null;
  /** What has settled the payout, where this is its latest attempt; not in breaks that an older program kept. */
  readonly settledBy?: SettledBy | null;
  /** It was in doubt, and failed by a statement's word; left out where that is not known. */
  readonly isFailedByStatement?: boolean;
  /** In doubt, and its reference went before on its day: which send a failure is of a line does not tell. */
  readonly isRepeatedOnDay?: boolean;
  /** Another attempt of the row is paid, too, and the row bears an alarm for it. */
  readonly isPaidOtherwise?: boolean;
}

/** The facts of an attempt as the journal holds it now. */
export function factsOf(payout: Payout, attempt: Attempt): AttemptFacts {
  const { seq, batchId, rowNo, instruction, status } = payout;
  const { attemptNo, order, sends, acknowledged, referenceConflict, lastInquiryAtMs, lastFinding } = attempt;
  const { sysRefNo, feeText } = attempt;
  const owner = { payoutSeq: seq, payoutId: instruction.payoutId, batchId, rowNo, payoutStatus: status };
  const known = {
    attemptNo,
    attemptStatus: attempt.status,
    order,
    sends,
    acknowledged,
    contested: referenceConflict,
  };
  const settledBy = attemptNo === payout.attemptNo ? payout.settledBy : null;
  return { ...owner, ...known, lastInquiryAtMs, lastFinding, sysRefNo, feeText, settledBy };
}

/** A line with the same key in the present version of another day's statement. */
export interface OtherDayLine {
  /** YYYYMMDD of that statement. */
  readonly date: string;
  readonly line: StatementLine;
}

/** The lines with one key in the present version of one day's statement, in file order. */
export interface DayLines {
  /** YYYYMMDD of the statement. */
  readonly date: string;
  readonly lines: readonly StatementLine[];
}

/** The statements that have been read. */
export interface DaysRead {
  /** The company whose payouts the journal holds. */
  readonly companyId: string;
  /** Each day's present version. */
  readonly days: ReadonlyMap<string, number>;
  /** When each day's present version was accepted; now, of the day that is read. */
  readonly acceptedAtMs: ReadonlyMap<string, number>;
  /** Days whose statement is of the whole day: only there can anything be absent for good. */
  readonly wholeDates: ReadonlySet<string>;
  /** Days whose statement has a line that cannot be read and may be of any transfer: nothing is absent there. */
  readonly unreadDates: ReadonlySet<string>;
  /** The day whose statement is read now; undefined when none is read anew. */
  readonly readNow: string | undefined;
  /** Where each day's present statement came from, as far as that was noted. */
  readonly provenances?: ReadonlyMap<string, Provenance | null>;
}

/** What is the same for all keys of one day. */
export interface StatementDay {
  /** YYYYMMDD of the statement. */
  readonly date: string;
  /** The company whose payouts the journal holds. */
  readonly companyId: string;
  /** Days whose statement is of the whole day: only there can anything be absent for good. */
  readonly readDates: ReadonlySet<string>;
  /** Days whose statement has a line that cannot be read and may be of any transfer: nothing is absent there. */
  readonly unreadDates: ReadonlySet<string>;
}

/** One key as one day's statement shows it, with everything that is known of it on both sides. */
export interface DayFacts {
  /** `lineKeyOf` its lines: the transRefNo, or a line's own identity where it has none. */
  readonly key: string;
  /** The statement's lines with this key, in file order; often one, none when the statement does not know it. */
  readonly lines: readonly StatementLine[];
  /** The attempt with this transRefNo, whatever its day. */
  readonly attempt: AttemptFacts | undefined;
  readonly otherDayLines: readonly OtherDayLine[];
  /** A lost part of the journal may have made a later attempt: what failed settles nothing before it was looked for. */
  readonly mayHaveLaterAttempt?: boolean;
  /** A request of the attempt may be under way: what failed settles nothing before it is answered. */
  readonly isUnderWay?: boolean;
  /** Our side was settled by other evidence after these lines were judged. */
  readonly isSettledSince?: boolean;
}

/** A difference between journal and statement, the most severe first; the first that a line has counts its satang. */
export const breakKinds = [
  /** Complete, and so is another attempt of the same payout: money went out twice. */
  'paid-twice',
  /** We called it failed and the bank paid it, or the other way round; or in doubt, and its line cannot settle it. */
  'status-mismatch',
  /** STATUS and REASON CODE of one line contradict each other: it proves neither paid nor failed. */
  'status-contradiction',
  /** A cell of its line cannot be read, or has lost digits: the line proves nothing. Or such a line may be its own. */
  'line-unreadable',
  'payee-mismatch',
  'amount-mismatch',
  'other-company',
  'payer-mismatch',
  /** More than one line for one transfer. */
  'duplicate-line',
  'unmatched-bank-line',
  /** We call it paid; its day's statement does not have it. */
  'missing-at-bank',
  /** In doubt, in neither its day's statement nor the next day's, never acknowledged, and inquiry finds nothing. */
  'no-trace',
  'unknown-status-word',
  'fee-mismatch',
  'net-mismatch',
  'date-mismatch',
  /** The statement shows it in process. */
  'pending-at-bank',
  /** In doubt and not in its day's statement; absence proves nothing. */
  'pending-not-in-statement',
] as const;
export type BreakKind = (typeof breakKinds)[number];

type AbsenceAlone = Extract<BreakKind, 'missing-at-bank' | 'no-trace' | 'pending-not-in-statement'>;
/** A day's statement lacks an attempt of that day, as far as its lines can be read. */
export type AbsenceKind = AbsenceAlone | 'line-unreadable';
/** A line says something else than we do. */
export type LineBreakKind = Exclude<BreakKind, AbsenceAlone>;

/** `critical`: money moved, or may have, that we had called unmoved. `high`: money may be lost. `medium`: figures or words differ. `low`: waits. */
export const severities = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof severities)[number];

/** One named difference of one key. */
export interface BreakFinding {
  readonly kind: BreakKind;
  readonly severity: Severity;
  /** The statement that it belongs to: for an absence the attempt's own day, else the day of the line. */
  readonly date: string;
  /** Which of the key's lines it speaks of; null for an absence. */
  readonly lineAt: number | null;
  /** What differs, in words, without full proxy or account numbers. */
  readonly reason: string;
  /** Newer evidence has put it right already: it is named, and closed at once. */
  readonly isResolved?: boolean;
  /** A later day's statement says what we say: it is named when its own day is read, and not afterwards. */
  readonly isOutdated?: boolean;
}

/** Where lines are counted in which nothing differs. */
export const agreedPlaces = [
  /** Ours, and both sides say the same of it: complete. */
  'matched',
  /** As matched; the transfer is of another Bangkok day than the statement. */
  'matched-other-day',
  /** As matched; it was in doubt until this line proved it paid. */
  'settled-paid',
  /** As settled-paid; the transfer is of another Bangkok day. */
  'settled-paid-other-day',
  /** Both sides say that it failed. */
  'agreed-failed',
  /** In doubt until this line said that it failed. */
  'settled-failed',
  /** Of another company of the partner. */
  'others',
] as const;
/** Where a line's figures are counted; each line in exactly one place. */
export type LineClass = (typeof agreedPlaces)[number] | BreakKind;

/** Where an attempt that we call paid is counted; each one of the statement's day in exactly one place. */
export type PaidClass = 'matched' | 'settled-paid' | 'found-other-day' | BreakKind;

/**
 * What the journal is to record on the strength of the lines; `decideOnStatement` decides it again on fresh records.
 * `prove`: paid, whatever we believed. `fail`: in doubt, and the bank says failed. `dispute`: we had called it paid, and
 * the bank says failed. `doubt`: the bank knows it, and nothing is settled by that. `reopen`: the statement by which it
 * had failed was superseded, and nothing says so any more.
 */
export type StatementStep = 'prove' | 'fail' | 'dispute' | 'doubt' | 'reopen';

/** What the comparison of one key has shown. */
export interface Judgement {
  /** In the order of the key's lines. */
  readonly lineClasses: readonly LineClass[];
  /** Undefined unless the attempt is of the statement's day and we call it paid, or do once the step is taken. */
  readonly paidClass: PaidClass | undefined;
  /** Every difference, one a kind, the most severe first. */
  readonly breaks: readonly BreakFinding[];
  readonly step: StatementStep | undefined;
  /** Which line the step rests on; null for none. */
  readonly stepLineAt: number | null;
}

/** What closed a break. */
export type BreakClosure =
  /** A new version of the same day's statement no longer shows it. */
  | { readonly kind: 'corrected'; readonly version: number }
  /** Another day's statement has the line that was missing, or has it no more when it repeated this one. */
  | { readonly kind: 'later-statement'; readonly date: string }
  /** Our own side has changed: an inquiry or people have settled the attempt. */
  | { readonly kind: 'settled'; readonly attemptStatus: AttemptStatus }
  /** Judged by other settings, such as the words of STATUS. */
  | { readonly kind: 'judged-anew' }
  /** People have accepted it: it counts as explained for as long as it says the same. */
  | BreakAcceptance;

/** Who has accepted a break. */
export interface BreakAcceptance {
  readonly kind: 'accepted';
  readonly by: string;
  /** Null where one person was enough. */
  readonly checkedBy: string | null;
  /** Number of the proposal. */
  readonly proposal: number;
}

/** True for a break that people have accepted. */
export const isAccepted = ({ closedBy }: Pick<BreakRecord, 'closedBy'>): boolean =>
  closedBy?.kind === 'accepted';

/** A break as it is kept, with both sides as they were when it was last judged. */
export interface BreakRecord extends Omit<BreakFinding, 'isResolved' | 'isOutdated'> {
  readonly key: string;
  /** Version of the statement in which it was last seen. */
  readonly version: number;
  readonly attempt: AttemptFacts | null;
  /** All lines of the key, so that it can be judged again without the statement. */
  readonly lines: readonly StatementLine[];
  readonly openedAtMs: number;
  readonly state: 'open' | 'closed';
  readonly closedAtMs: number | null;
  readonly closedBy: BreakClosure | null;
}

/** Count and amount of what stands in one place. */
export interface Figures {
  readonly count: number;
  readonly satang: Satang;
}
