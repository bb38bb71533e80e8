/** Consequences of the bank's answer to a registration, and of one that came too late or never. */
import { message } from '../../core/message.ts';
import type { Reason } from '../../core/change.ts';
import type { BatchReason } from '../../core/ports.ts';
import { tellsTime } from '../../payout/rules/clock-skew.ts';
import {
  moveRegistration,
  type RegistrationChange,
  type RegistrationPatch,
  registrationReason,
} from './change.ts';
import type { AnswerFacts, AnswerFinding } from './read-answer.ts';
import type { Registration, RegistrationAttempt, RegistrationHold } from './registration.ts';

/** An answer, with the registration as it stands now. */
interface Answered {
  readonly registration: Registration;
  /** The attempt that was answered. */
  readonly attempt: RegistrationAttempt;
  readonly finding: AnswerFinding;
  readonly facts: AnswerFacts;
  readonly nowMs: number;
}

const keptBack: Reason = {
  code: 'kept-back',
  text: message('registration.kept-back'),
};

/**
 * The change by an answer, whatever has become of its registration meanwhile: after the callback, the answer only adds its
 * facts. Undefined for the answer to an earlier attempt, or when nothing waits for it any more.
 */
export function decideAnswer(answered: Answered): RegistrationChange | undefined {
  const { registration, attempt } = answered;
  if (registration.attemptNo !== attempt.attemptNo) return undefined;
  switch (registration.status) {
    case 'submitted':
      return decideFinding(answered);
    case 'in-doubt':
      return decideAfterAbandoned(answered);
    case 'registered':
    case 'refused':
    case 'contradicted':
    case 'unanswered':
      return moveOn(answered, {}, 'answered-late', { finding: answered.finding.kind });
    case 'staged':
    case 'rejected':
    case 'ready':
    case 'held':
    case 'cancelled':
    case 'acknowledged':
    case 'failed':
      return undefined;
  }
}

/**
 * The answer to a process that lost its place, after another one left the row in doubt: an answer about this registration
 * alone ends the doubt; any other only adds its facts, and the callback is awaited as before.
 */
function decideAfterAbandoned(answered: Answered): RegistrationChange {
  const { finding } = answered;
  const isOfItself =
    finding.kind === 'acknowledged' || (finding.kind === 'turned-down' && finding.scope === 'registration');
  return isOfItself
    ? decideFinding(answered)
    : moveOn(answered, {}, 'answered-late', { finding: finding.kind });
}

function decideFinding(answered: Answered): RegistrationChange {
  const { finding, nowMs } = answered;
  switch (finding.kind) {
    case 'acknowledged':
      return moveOn(answered, { status: 'acknowledged', reasonCode: null, reason: null }, 'acknowledged', {});
    case 'turned-down':
      return finding.scope === 'registration'
        ? moveOn(answered, { ...ended(finding.reason, nowMs), status: 'failed' }, 'turned-down', {})
        : giveBack(answered, holdForScope[finding.scope], finding.reason);
    case 'usage-exceeded':
      return giveBack(answered, 'paused', finding.reason);
    case 'not-sent':
      return giveBack(answered, holdForScope[finding.scope], finding.reason);
    case 'aborted-before-send':
      return giveBack(answered, 'paused', keptBack);
    case 'unknown': {
      const patch = { ...registrationReason(finding.reason), status: 'in-doubt' } as const;
      return moveOn(answered, patch, 'outcome-in-doubt', { code: finding.reason.code });
    }
  }
}

const holdForScope = { company: 'halted', service: 'paused' } as const satisfies Record<
  string,
  RegistrationHold
>;

const ended = (reason: Reason, nowMs: number): RegistrationPatch => ({
  ...registrationReason(reason),
  settledAtMs: nowMs,
  settledBy: 'reply',
  awaitedUntilMs: null,
});

/** Treats the row as not sent: the attempt has ended, and the next send makes a new one. */
function giveBack(answered: Answered, hold: RegistrationHold, reason: Reason): RegistrationChange {
  const patch = {
    ...registrationReason(reason),
    status: 'held',
    holds: [hold],
    awaitedUntilMs: null,
  } as const;
  return moveOn(answered, patch, 'turned-down-for-all', { hold, code: reason.code });
}

/** Decided once, by the finding: a code alone may be in the answer to another's request. */
const takenBy = {
  acknowledged: 'yes',
  'turned-down': 'no',
  'usage-exceeded': 'no',
  'not-sent': 'no',
  'aborted-before-send': 'no',
  unknown: null,
} as const satisfies Record<AnswerFinding['kind'], RegistrationAttempt['taken']>;

function moveOn(
  { registration, attempt, finding, facts, nowMs }: Answered,
  patch: RegistrationPatch,
  cause: RegistrationChange['event']['cause'],
  detail: Readonly<Record<string, unknown>>,
): RegistrationChange {
  const { xRequestId, why, requestUid = attempt.requestUid, bankDateMs, ...answer } = facts;
  const bankOffsetMs =
    bankDateMs !== undefined && tellsTime(answer.elapsedMs ?? 0) ? bankDateMs - nowMs : null;
  const renewedUid = requestUid === attempt.requestUid ? attempt.renewedUid : requestUid;
  const renewed = requestUid === attempt.requestUid ? {} : { requestUid };
  return moveRegistration({
    registration,
    patch,
    cause,
    nowMs,
    attempt: { ...attempt, ...answer, renewedUid, bankOffsetMs, taken: takenBy[finding.kind] },
    detail: { ...detail, ...answer, ...renewed, xRequestId, why },
  });
}

/** Holds a ready row whose company, or the service, is halted. Undefined for a row that is no longer ready. */
export function decideHalted(
  registration: Registration,
  { code, reason }: BatchReason,
  nowMs: number,
): RegistrationChange | undefined {
  if (registration.status !== 'ready') return undefined;
  return moveRegistration({
    registration,
    patch: { status: 'held', holds: ['halted'], reasonCode: code, reason },
    cause: 'hold-added',
    nowMs,
    detail: { hold: 'halted', code },
  });
}

/**
 * Holds a ready row whose registrationId went to another row, which the bank has called registered after all: it can never
 * be sent. Undefined for a row that is no longer ready, or has its id.
 * @param holder row that has the id now
 */
export function decideDisplaced(
  registration: Registration,
  holder: Registration | undefined,
  nowMs: number,
): RegistrationChange | undefined {
  if (registration.status !== 'ready' || holder?.seq === registration.seq) return undefined;
  const text =
    holder === undefined
      ? message('registration.displaced')
      : message('registration.displaced-by', { row: holder.rowNo, batch: holder.batchId });
  const reason = { code: 'called-back', text };
  return moveRegistration({
    registration,
    patch: { status: 'held', holds: ['called-back'], ...registrationReason(reason) },
    cause: 'hold-added',
    nowMs,
    detail: { hold: 'called-back', code: reason.code },
  });
}

// ---------------------------------------------------------------- no answer, and no callback

/** A submitted row whose process has ended: bytes may have left, so it awaits the callback and is never sent again. */
export function decideAbandoned(registration: Registration, nowMs: number): RegistrationChange {
  const reason = {
    code: 'sender-ended',
    text: message('registration.sender-ended'),
  };
  return moveRegistration({
    registration,
    patch: { ...registrationReason(reason), status: 'in-doubt' },
    cause: 'outcome-in-doubt',
    nowMs,
    detail: { code: reason.code },
  });
}

/** No callback has come in time: the row counts as unanswered (§3.1). Undefined while one may still come. */
export function decideOverdue(registration: Registration, nowMs: number): RegistrationChange | undefined {
  const { status, awaitedUntilMs } = registration;
  if (status !== 'in-doubt' && status !== 'acknowledged') return undefined;
  if (awaitedUntilMs === null || awaitedUntilMs > nowMs) return undefined;
  const reason = {
    code: 'no-callback',
    text: message('registration.no-callback'),
  };
  return moveRegistration({
    registration,
    patch: {
      ...registrationReason(reason),
      status: 'unanswered',
      settledAtMs: nowMs,
      settledBy: 'time',
      awaitedUntilMs: null,
    },
    cause: 'time-passed',
    nowMs,
    detail: { code: reason.code, wasInDoubt: status === 'in-doubt' },
  });
}
