/** What a callback that was received makes of the registration that it means. Pure. */
import { type CallbackDecision, decideCallback } from './callback.ts';
import { type CallbackRecord, moveRegistration, type RegistrationChange } from './change.ts';
import type { Registration } from './registration.ts';

/** Our own code for a registration of which the bank has told both outcomes. */
const contradictedCode = 'contradicted';

/** The bank's own code and text; what contradicts itself is said in our words. */
function composeReason({ callback }: CallbackRecord, before: Registration, { to }: CallbackDecision) {
  const { respCode, respDesc, outcome } = callback;
  if (to !== 'contradicted') return { reasonCode: respCode, reason: respDesc };
  const known = before.status === 'contradicted' ? 'both outcomes' : before.status;
  const reason = `the bank calls it ${outcome} (${respCode}) after it was known as ${known}`;
  return { reasonCode: contradictedCode, reason };
}

/**
 * The guarded change by which a callback is taken, itself in it; undefined when it says what is known.
 * @param isLatest false when it means an attempt that another one of the registration has followed
 */
export function decideTakenCallback(
  registration: Registration,
  record: CallbackRecord,
  isLatest: boolean,
  nowMs: number,
): RegistrationChange | undefined {
  const { outcome, respCode, respDesc, applyDtm, requestUid } = record.callback;
  const decision = decideCallback(registration.status, outcome, isLatest);
  if (decision === undefined) return undefined;
  const change = moveRegistration({
    registration,
    patch: {
      status: decision.to,
      holds: [],
      ...composeReason(record, registration, decision),
      respCode,
      respDesc,
      applyDtm,
      settledAtMs: nowMs,
      settledBy: 'callback',
      awaitedUntilMs: null,
      isAlarm: registration.isAlarm || decision.isAlarm,
    },
    cause: decision.cause,
    nowMs,
    detail: { outcome, respCode, applyDtm, requestUid, receivedAtMs: record.receivedAtMs },
  });
  return { ...change, callback: record };
}
