/** Effect of a received callback on the registration that it means. Pure. */
import { message, verbatim } from '../../core/message.ts';
import { type CallbackDecision, decideCallback } from './callback.ts';
import { type CallbackRecord, moveRegistration, type RegistrationChange } from './change.ts';
import type { Registration } from './registration.ts';

/** paydrop's code for a registration about which the bank has reported both outcomes. */
const contradictedCode = 'contradicted';

/** The bank's own code and text; a contradiction gets paydrop's words. */
function composeReason({ callback }: CallbackRecord, before: Registration, { to }: CallbackDecision) {
  const { respCode, respDesc, outcome } = callback;
  if (to !== 'contradicted') return { reasonCode: respCode, reason: verbatim(respDesc) };
  const known =
    before.status === 'contradicted'
      ? message('registration.both-outcomes')
      : message(`registration-is.${before.status}`);
  const reason = message('registration.contradicted', {
    outcome: message(`registration-is.${outcome}`),
    code: respCode,
    known,
  });
  return { reasonCode: contradictedCode, reason };
}

/**
 * The guarded change that takes a callback, which it includes; undefined when the callback tells nothing new.
 * @param isLatest false when it means an attempt that a later one of the registration follows
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
