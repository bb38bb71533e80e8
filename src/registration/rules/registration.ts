/**
 * The life of a direct-debit registration, as data. There is no inquiry (§4): a sent registration awaits the bank's
 * callback, and is not sent again while one may still come.
 */
import type { RegistrationOrder } from '../../core/bank-port.ts';
import type { Payout } from '../../core/payout.ts';

/** Contents of one valid row (§2.2); texts are trimmed. */
export interface RegistrationInstruction extends Omit<RegistrationOrder, 'requestUid' | 'ipAddress'> {
  /** The partner's own id, unique within the company for ever. */
  readonly registrationId: string;
}

export const registrationStatuses = [
  'staged',
  'rejected',
  'ready',
  'held',
  'cancelled',
  'submitted',
  'in-doubt',
  'acknowledged',
  'unanswered',
  'registered',
  'refused',
  'failed',
  'contradicted',
] as const;
export type RegistrationStatus = (typeof registrationStatuses)[number];

/**
 * Why a registration waits; each hold is lifted by its own event. `similar`: another has almost the same registrationId.
 * `called-back`: the bank reported such a registration before this one was sent. `paused`, `halted`: hold all.
 */
export const registrationHolds = ['paused', 'halted', 'similar', 'called-back'] as const;
export type RegistrationHold = (typeof registrationHolds)[number];

interface RegistrationTransition {
  readonly from: RegistrationStatus;
  readonly to: RegistrationStatus;
  /** Name of the event that causes the move; the recorded event carries it. */
  readonly cause: string;
}

/** Statuses of sent registrations whose end the bank has not reported. */
export const awaitedStatuses = [
  'submitted',
  'in-doubt',
  'acknowledged',
] as const satisfies readonly RegistrationStatus[];

/** Waiting to be sent, or sent and not ended: beside one, no other row of its identity may be sent. */
export const unendedStatuses = [
  'ready',
  'held',
  ...awaitedStatuses,
] as const satisfies readonly RegistrationStatus[];

/** Believed not to be with the bank, and not ended by it: a callback about an earlier sending proves otherwise. */
const withdrawn = ['ready', 'held', 'cancelled', 'failed'] as const satisfies readonly RegistrationStatus[];

/** One line a transition, its cause beside it. A row enters the table as `staged` or `rejected`. @forTests */
export const registrationTransitions = [
  { from: 'staged', to: 'ready', cause: 'sealed' },
  { from: 'staged', to: 'held', cause: 'sealed' },
  { from: 'staged', to: 'rejected', cause: 'sealed' },
  { from: 'ready', to: 'held', cause: 'hold-added' },
  { from: 'held', to: 'held', cause: 'hold-added' },
  { from: 'held', to: 'held', cause: 'hold-lifted' },
  { from: 'held', to: 'ready', cause: 'hold-lifted' },
  { from: 'ready', to: 'cancelled', cause: 'cancelled' },
  { from: 'held', to: 'cancelled', cause: 'cancelled' },
  { from: 'ready', to: 'submitted', cause: 'intent-recorded' },
  { from: 'submitted', to: 'submitted', cause: 'request-renewed' },
  { from: 'submitted', to: 'acknowledged', cause: 'acknowledged' },
  { from: 'submitted', to: 'in-doubt', cause: 'outcome-in-doubt' },
  { from: 'submitted', to: 'failed', cause: 'turned-down' },
  // The fault lies with the company or the service: this row counts as not sent.
  { from: 'submitted', to: 'held', cause: 'turned-down-for-all' },
  // Another process has taken over during the send, and the answer has come to the one before.
  { from: 'in-doubt', to: 'acknowledged', cause: 'acknowledged' },
  { from: 'in-doubt', to: 'failed', cause: 'turned-down' },
  { from: 'in-doubt', to: 'in-doubt', cause: 'answered-late' },
  // The callback has come before the answer, which only adds its facts.
  { from: 'registered', to: 'registered', cause: 'answered-late' },
  { from: 'refused', to: 'refused', cause: 'answered-late' },
  { from: 'contradicted', to: 'contradicted', cause: 'answered-late' },
  { from: 'unanswered', to: 'unanswered', cause: 'answered-late' },
  ...awaitedStatuses.flatMap((from) => [
    { from, to: 'registered', cause: 'called-back' } as const,
    { from, to: 'refused', cause: 'called-back' } as const,
  ]),
  { from: 'in-doubt', to: 'unanswered', cause: 'time-passed' },
  { from: 'acknowledged', to: 'unanswered', cause: 'time-passed' },
  { from: 'unanswered', to: 'registered', cause: 'called-back' },
  { from: 'unanswered', to: 'refused', cause: 'called-back' },
  // Believed not to be with the bank: an alarm, since another one may have been made in its place.
  ...withdrawn.map((from) => ({ from, to: 'registered', cause: 'called-back-after-all' }) as const),
  ...withdrawn.map((from) => ({ from, to: 'refused', cause: 'called-back-after-all' }) as const),
  { from: 'registered', to: 'contradicted', cause: 'contradicted' },
  { from: 'refused', to: 'contradicted', cause: 'contradicted' },
  { from: 'contradicted', to: 'contradicted', cause: 'contradicted' },
  // Decisions by people, with evidence.
  ...(['in-doubt', 'unanswered', 'contradicted'] as const).flatMap((from) => [
    { from, to: 'registered', cause: 'decided' } as const,
    { from, to: 'refused', cause: 'decided' } as const,
  ]),
  { from: 'in-doubt', to: 'failed', cause: 'decided' },
  { from: 'unanswered', to: 'failed', cause: 'decided' },
  ...(['failed', 'refused', 'unanswered', 'rejected'] as const).map(
    (from) => ({ from, to: 'ready', cause: 'tried-again' }) as const,
  ),
  ...(['cancelled', 'rejected'] as const).map(
    (status) => ({ from: status, to: status, cause: 'released' }) as const,
  ),
  ...registrationStatuses
    .filter((status) => status !== 'staged')
    .map((status) => ({ from: status, to: status, cause: 'acknowledged-by-person' }) as const),
] as const satisfies readonly RegistrationTransition[];

export type RegistrationCause = (typeof registrationTransitions)[number]['cause'];

/** True when the table has this move for this cause. */
export function canMoveRegistration(
  from: RegistrationStatus,
  to: RegistrationStatus,
  cause: RegistrationCause,
): boolean {
  return registrationTransitions.some((row) => row.from === from && row.to === to && row.cause === cause);
}

/** The statuses from which this cause leads to this status. */
export const sourceStatusesOf = (to: RegistrationStatus, cause: RegistrationCause): RegistrationStatus[] =>
  registrationTransitions.filter((row) => row.to === to && row.cause === cause).map((row) => row.from);

/** True while a callback may still come, which only this row's identity assigns to it. */
export const isOpenRegistration = (status: RegistrationStatus): boolean =>
  awaitedStatuses.some((open) => open === status);

// ---------------------------------------------------------------- the records

/** Source of the present status: paydrop's rules, the bank's answer, its callback, time, or people. */
export type RegistrationSettledBy = 'rules' | 'reply' | 'callback' | 'time' | 'decision';

/** One row of a registration file, as the journal holds it; registrations and payouts are numbered apart. */
export interface Registration extends Omit<
  Payout,
  'instruction' | 'status' | 'holds' | 'acceptedHolds' | 'settledBy' | 'bankPayeeName' | 'bankPayeeNameTh'
> {
  /** Contents of the row; null for a rejected row. */
  readonly instruction: RegistrationInstruction | null;
  readonly status: RegistrationStatus;
  readonly holds: readonly RegistrationHold[];
  /** Holds that a person has lifted for this row: they do not hold it again. */
  readonly acceptedHolds: readonly RegistrationHold[];
  readonly settledBy: RegistrationSettledBy | null;
  /** Time from which it counts as unanswered; null unless it is awaited. */
  readonly awaitedUntilMs: number | null;
  /** Code in the callback that reported its end; null without one. */
  readonly respCode: string | null;
  readonly respDesc: string | null;
  readonly applyDtm: string | null;
}

/** One request to register: recorded before it is sent, with what it sends. */
export interface RegistrationAttempt {
  readonly registrationSeq: number;
  /** Counts the intents of its row from 1. */
  readonly attemptNo: number;
  /** Contents of the request, whatever the settings say since. */
  readonly instruction: RegistrationInstruction;
  /** Up to 36 characters, unique for every request (§2.2). */
  readonly requestUid: string;
  /** Recorded before the same went again with a renewed token; null where it did not. */
  readonly renewedUid: string | null;
  readonly ipAddress: string;
  readonly intentAtMs: number;
  /** Status of the bank's answer; null without one. */
  readonly httpStatus: number | null;
  readonly statusCode: string | null;
  readonly statusDesc: string | null;
  readonly severity: string | null;
  readonly ddrOapiSeqId: string | null;
  readonly elapsedMs: number | null;
  /** The bank's clock minus this machine's, by the `Date` of the answer. */
  readonly bankOffsetMs: number | null;
  /** `no`: the answer proves that the bank will never call back about it; null while nothing tells. */
  readonly taken: 'yes' | 'no' | null;
}

/** The requestUID of the latest request of an attempt. */
export const latestRequestUid = ({ requestUid, renewedUid }: RegistrationAttempt): string =>
  renewedUid ?? requestUid;
