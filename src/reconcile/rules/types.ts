/** The types of reconciliation: the facts compared, the possible results, and the stored records. */
import type { Message } from '../../core/message.ts';
import { isSettledByStatement } from '../../core/exit-code.ts';
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

/** The journal's facts about one attempt that a statement can concern. */
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
    | 'tranTime'
    | 'reference1'
  >;
  /** Number of requests whose bytes may have left. */
  readonly sends: number;
  readonly acknowledged: boolean;
  readonly referenceConflict: boolean;
  readonly lastInquiryAtMs: number | null;
  readonly lastFinding: Attempt['lastFinding'];
  readonly sysRefNo: string | null;
  /** transFee of the reply, as written by the bank; null without one. */
  readonly feeText: string | null;
  /** Evidence that settled the payout, if this is its latest attempt. */
  readonly settledBy: SettledBy | null;
  /** True when it was in doubt, and failed by a statement; left out when unknown. */
  readonly isFailedByStatement?: boolean;
  /**
   * True when it is in doubt and its reference was sent before on its day: a failed line does not tell which send
   * failed.
   */
  readonly isRepeatedOnDay?: boolean;
  /** True while the row is in doubt and only a statement settles it (`statementCodes`); left out when unknown. */
  readonly isByStatement?: boolean;
  /** True when another attempt of the row is paid, too, and the row has an alarm for it. */
  readonly isPaidOtherwise?: boolean;
}

/** The facts of an attempt as the journal has it now. */
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
    referenceConflict,
  };
  const settledBy = attemptNo === payout.attemptNo ? payout.settledBy : null;
  const isByStatement = isSettledByStatement(payout);
  return { ...owner, ...known, lastInquiryAtMs, lastFinding, sysRefNo, feeText, settledBy, isByStatement };
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
  /** The company of the journal's payouts. */
  readonly companyId: string;
  /** Present version of each day. */
  readonly days: ReadonlyMap<string, number>;
  /** Time at which each day's present version was accepted; now, for the day being read. */
  readonly acceptedAtMs: ReadonlyMap<string, number>;
  /** Days with a statement of the whole day: only there is an absence final. */
  readonly wholeDates: ReadonlySet<string>;
  /** Days whose statement has an unreadable line that may belong to any transfer: nothing counts as absent there. */
  readonly unreadDates: ReadonlySet<string>;
  /** The day being read; undefined when no statement is being read. */
  readonly readNow: string | undefined;
  /** Origin of each day's present statement. */
  readonly provenances?: ReadonlyMap<string, Provenance>;
}

/** The facts shared by all keys of one day. */
export interface StatementDay {
  /** YYYYMMDD of the statement. */
  readonly date: string;
  /** The company of the journal's payouts. */
  readonly companyId: string;
  /** Days with a statement of the whole day: only there is an absence final. */
  readonly readDates: ReadonlySet<string>;
  /** Days whose statement has an unreadable line that may belong to any transfer: nothing counts as absent there. */
  readonly unreadDates: ReadonlySet<string>;
}

/** One key in one day's statement, with all known facts of both sides. */
export interface DayFacts {
  /** `lineKeyOf` of its lines: the transRefNo, or the own identity of a line without one. */
  readonly key: string;
  /** The statement's lines with this key, in file order; usually one, none when the statement does not have it. */
  readonly lines: readonly StatementLine[];
  /** The attempt with this transRefNo, of any day. */
  readonly attempt: AttemptFacts | undefined;
  readonly otherDayLines: readonly OtherDayLine[];
  /** A lost part of the journal may have made a later attempt: a failure settles nothing until it was searched for. */
  readonly mayHaveLaterAttempt?: boolean;
  /** A request of the attempt may be under way: a failure settles nothing until it is answered. */
  readonly isUnderWay?: boolean;
  /** True when other evidence settled our side after these lines were judged. */
  readonly isSettledSince?: boolean;
}

/** Kinds of differences between journal and statement, most severe first; a line's satang count under its first. */
export const breakKinds = [
  /** Complete, and so is another attempt of the same payout: money went out twice. */
  'paid-twice',
  /** Failed on our side and paid on the bank's, or the reverse; or in doubt, with a line that cannot settle it. */
  'status-mismatch',
  /** STATUS and REASON CODE of one line contradict each other: it proves neither paid nor failed. */
  'status-contradiction',
  /**
   * A cell of the line cannot be read, or has lost digits, so that it proves nothing. Or an absent attempt may be such
   * a line.
   */
  'line-unreadable',
  'payee-mismatch',
  'amount-mismatch',
  'other-company',
  'payer-mismatch',
  /** More than one line for one transfer. */
  'duplicate-line',
  'unmatched-bank-line',
  /** Paid on our side; missing in its day's statement. */
  'missing-at-bank',
  /** In doubt, missing in the statements of its day and the next, never acknowledged, and not found by inquiry. */
  'no-trace',
  'unknown-status-word',
  'fee-mismatch',
  'net-mismatch',
  'date-mismatch',
  /** The statement shows it in process. */
  'pending-at-bank',
  /** In doubt, and missing in its day's statement; absence proves nothing. */
  'pending-not-in-statement',
] as const;
export type BreakKind = (typeof breakKinds)[number];

type AbsenceAlone = Extract<BreakKind, 'missing-at-bank' | 'no-trace' | 'pending-not-in-statement'>;
/** A day's statement lacks an attempt of that day, as far as its lines can be read. */
export type AbsenceKind = AbsenceAlone | 'line-unreadable';
/** A line that contradicts us. */
export type LineBreakKind = Exclude<BreakKind, AbsenceAlone>;

/**
 * `critical`: money moved, or may have, that we had called unmoved. `high`: money may be lost. `medium`: figures or
 * words differ. `low`: waits.
 */
export const severities = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof severities)[number];

/** One difference of one key. */
export interface BreakFinding {
  readonly kind: BreakKind;
  readonly severity: Severity;
  /** Day of the statement: for an absence the attempt's own day, else the line's. */
  readonly date: string;
  /** Index of the line among the key's lines; null for an absence. */
  readonly lineAt: number | null;
  /** Description of the difference, without full proxy or account numbers. */
  readonly reason: Message;
  /** True when newer evidence has corrected it already: it is reported, and closed at once. */
  readonly isResolved?: boolean;
  /** True when a later day's statement agrees with us: it is reported when its own day is read, and not afterwards. */
  readonly isOutdated?: boolean;
}

/** Places of lines without a difference. */
export const agreedPlaces = [
  /** Our transfer, complete on both sides. */
  'matched',
  /** Like matched, but the transfer is of another Bangkok day than the statement. */
  'matched-other-day',
  /** Like matched; it was in doubt until this line proved it paid. */
  'settled-paid',
  /** Like settled-paid, but the transfer is of another Bangkok day. */
  'settled-paid-other-day',
  /** Failed on both sides. */
  'agreed-failed',
  /** In doubt until this line showed the failure. */
  'settled-failed',
  /** Lines of another company of the partner. */
  'others',
] as const;
/** Place of a line's figures; each line has exactly one. */
export type LineClass = (typeof agreedPlaces)[number] | BreakKind;

/** Place of an attempt that we call paid; each one of the statement's day has exactly one. */
export type PaidClass = 'matched' | 'settled-paid' | 'found-other-day' | BreakKind;

/**
 * The step to record because of the lines; `decideOnStatement` decides it again on fresh records. `prove`: paid,
 * whatever we believed. `fail`: in doubt, and failed at the bank. `dispute`: paid on our side, and failed at the bank.
 * `doubt`: known to the bank, which settles nothing. `reopen`: it failed by a statement that was superseded, and no
 * other says so.
 */
export type StatementStep = 'prove' | 'fail' | 'dispute' | 'doubt' | 'reopen';

/** The result of comparing one key. */
export interface Judgement {
  /** Places, in the order of the key's lines. */
  readonly lineClasses: readonly LineClass[];
  /** Undefined unless the attempt is of the statement's day and we call it paid, at least after the step. */
  readonly paidClass: PaidClass | undefined;
  /** Every difference, one of each kind, most severe first. */
  readonly breaks: readonly BreakFinding[];
  readonly step: StatementStep | undefined;
  /** Index of the line that the step rests on; null for none. */
  readonly stepLineAt: number | null;
}

/** The closure of a break. */
export type BreakClosure =
  /** A new version of the same day's statement no longer shows it. */
  | { readonly kind: 'corrected'; readonly version: number }
  /** Another day's statement has the missing line, or no longer repeats this one. */
  | { readonly kind: 'later-statement'; readonly date: string }
  /** Our own side has changed: an inquiry or people have settled the attempt. */
  | { readonly kind: 'settled'; readonly attemptStatus: AttemptStatus }
  /** The key was judged by other settings, such as the words of STATUS. */
  | { readonly kind: 'judged-anew' }
  /** People have accepted it: it counts as explained as long as it says the same. */
  | BreakAcceptance;

/** The people who accepted a break. */
export interface BreakAcceptance {
  readonly kind: 'accepted';
  readonly by: string;
  /** Null when one person was enough. */
  readonly checkedBy: string | null;
  /** Number of the proposal. */
  readonly proposal: number;
}

/** True for a break that people have accepted. */
export const isAccepted = ({ closedBy }: Pick<BreakRecord, 'closedBy'>): boolean =>
  closedBy?.kind === 'accepted';

/** A break as stored, with both sides as of its last judgement. */
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

/** Count and amount of one place. */
export interface Figures {
  readonly count: number;
  readonly satang: Satang;
}
