/** Guarded changes of a registration: decisions compose them, and a journal applies or refuses them. */
import type { DecisionItem } from '../../core/ports.ts';
import type { Reason } from '../../core/change.ts';
import type { RegistrationCallback } from './callback.ts';
import type { Registration, RegistrationAttempt, RegistrationCause } from './registration.ts';

export interface RegistrationEventDraft {
  readonly cause: RegistrationCause;
  readonly atMs: number;
  /** Small, JSON-encodable, free of secrets and of full numbers. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Payer under which the circuit breaker of the payouts keeps halts and pauses of registrations. */
export interface RegistrationPayer {
  readonly companyId: string;
  readonly payerAccount: string;
}

/** A callback as received; kept for ever. */
export interface CallbackRecord {
  /** `callbackKey`: equal for repeats. */
  readonly key: string;
  readonly callback: RegistrationCallback;
  /** The body, byte for byte, as text. */
  readonly body: string;
  /** `msg-hdr` without its key. */
  readonly header: Readonly<Record<string, string>>;
  readonly fromAddress: string;
  readonly receivedAtMs: number;
}

/**
 * One guarded change: applied only if the registration still has the version and status of `before`, and the transition
 * table allows the move; a retry, only if its registrationId is free or its own, and no other row of its identity waits to
 * be sent or is awaited. `after` carries every changeable field; the journal raises the version by one.
 */
export interface RegistrationChange {
  readonly before: Registration;
  readonly after: Registration;
  readonly event: RegistrationEventDraft;
  /** Inserted (its attempt number is new) or updated, in the same transaction. */
  readonly attempt?: RegistrationAttempt;
  /**
   * Set on the change that records an intent: it is applied only if the row holds the claim on its registrationId, no other
   * registration of its identity is awaited, its batch is running, and no halt of `payout/circuit-breaker.ts` is in force
   * for any of these payers (`RegistrationPayer`).
   */
  readonly intent?: { readonly payers: readonly RegistrationPayer[] };
  /** Set on a person's release: the claim is given back. */
  readonly isReleased?: true;
  /** Set when `after.instruction` differs from the row's earlier one: both are kept with it. */
  readonly isCorrected?: true;
  /** Applied only while this item of an approved proposal is open, and marks it as done. */
  readonly decision?: DecisionItem;
  /** Kept, and bound to this registration, in the same transaction; its key is new, or was kept unbound. */
  readonly callback?: CallbackRecord;
}

export type RegistrationPatch = Partial<Omit<Registration, 'seq' | 'batchId' | 'rowNo' | 'version'>>;

interface RegistrationMove {
  readonly registration: Registration;
  readonly patch: RegistrationPatch;
  readonly cause: RegistrationCause;
  readonly nowMs: number;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly attempt?: RegistrationAttempt | undefined;
}

/** Keeps an acknowledgement through a change that tells nothing new. */
const quietCauses: readonly RegistrationCause[] = [
  'request-renewed',
  'answered-late',
  'released',
  'acknowledged-by-person',
];

/** Composes a guarded change: the registration as it was read, what changes, and the event that records why. */
export function moveRegistration(move: RegistrationMove): RegistrationChange {
  const { registration, patch, cause, nowMs, detail = {}, attempt } = move;
  const isAcknowledged = registration.isAcknowledged && quietCauses.includes(cause);
  const after: Registration = { ...registration, isAcknowledged, ...patch };
  const event = { cause, atMs: nowMs, detail };
  return {
    before: registration,
    after,
    event,
    ...(attempt === undefined ? {} : { attempt }),
  };
}

/** The registration after a change was applied: the store raises the version by one. */
export const afterRegistrationChange = ({ before, after }: RegistrationChange): Registration => ({
  ...after,
  version: before.version + 1,
});

export const registrationReason = ({ code, text }: Reason): RegistrationPatch => ({
  reasonCode: code,
  reason: text,
});
