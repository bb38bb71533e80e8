import { verbatim } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decideAbandoned,
  decideAnswer,
  decideOverdue,
} from '../../../src/registration/rules/after-answer.ts';
import { afterRegistrationChange } from '../../../src/registration/rules/change.ts';
import { companyPayer, decideIntent, servicePayer } from '../../../src/registration/rules/intent.ts';
import type { AnswerFacts, AnswerFinding } from '../../../src/registration/rules/read-answer.ts';
import {
  canMoveRegistration,
  isOpenRegistration,
  registrationStatuses,
  type RegistrationStatus,
} from '../../../src/registration/rules/registration.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import {
  instruction,
  makeRegistration,
  makeRegistrationAttempt,
} from '../../support/registration-fixtures.ts';

type Answered = Parameters<typeof decideAnswer>[0];

const facts: AnswerFacts = {
  httpStatus: 200,
  statusCode: 'CBS001',
  statusDesc: 'Invalid Account No',
  severity: 'ERROR',
  ddrOapiSeqId: null,
  elapsedMs: 12,
  xRequestId: 'x-1',
  requestUid: undefined,
  bankDateMs: undefined,
  why: undefined,
};
const reason = { code: 'CBS001', text: verbatim('Invalid Account No') };

const submitted = makeRegistration({
  status: 'submitted',
  attemptNo: 1,
  submittedAtMs: noonMs,
  awaitedUntilMs: noonMs + 1_000,
});

const answered = (finding: AnswerFinding, changes: Partial<Answered> = {}): Answered => ({
  registration: submitted,
  attempt: makeRegistrationAttempt(),
  finding,
  facts,
  nowMs: noonMs + 5,
  ...changes,
});

const findings: Readonly<Record<string, AnswerFinding>> = {
  acknowledged: { kind: 'acknowledged', reason, ddrOapiSeqId: '7' },
  'turned down for itself': { kind: 'turned-down', scope: 'registration', reason },
  'turned down for its company': { kind: 'turned-down', scope: 'company', reason },
  'turned down for the service': { kind: 'turned-down', scope: 'service', reason },
  'too many': { kind: 'usage-exceeded', reason },
  'not sent, our credentials': { kind: 'not-sent', scope: 'company', reason },
  'not sent, the service': { kind: 'not-sent', scope: 'service', reason },
  'kept back': { kind: 'aborted-before-send' },
  unknown: { kind: 'unknown', scope: 'registration', reason },
};

describe('the intent', () => {
  const { change, attempt } = decideIntent({
    registration: makeRegistration({ attemptNo: 2, respCode: 'I0001', settledAtMs: 1, isAcknowledged: true }),
    instruction,
    companyId: 'COMP000001',
    requestUid: 'uid',
    ipAddress: '192.0.2.7',
    answerWithinMs: 86_400_000,
    nowMs: noonMs,
  });

  test('has the next attempt, and the wait begins with it', () => {
    expect(attempt).toMatchObject({ attemptNo: 3, requestUid: 'uid', ipAddress: '192.0.2.7', instruction });
    expect(change.attempt).toEqual(attempt);
    expect(change.after).toMatchObject({
      status: 'submitted',
      attemptNo: 3,
      submittedAtMs: noonMs,
      awaitedUntilMs: noonMs + 86_400_000,
      settledAtMs: null,
      respCode: null,
      isAcknowledged: false,
    });
    expect(change.event).toEqual({ cause: 'intent-recorded', atMs: noonMs, detail: { requestUid: 'uid' } });
  });

  test('is refused under a halt of the service or of its company', () => {
    const payers = [servicePayer('COMP000001'), companyPayer('COMP000001', instruction)];
    expect(change.intent).toEqual({ payers });
    expect(payers.map(({ payerAccount }) => payerAccount)).toEqual([
      'direct-debit',
      'direct-debit VENDOR0001/COMP000001',
    ]);
  });
});

describe('what an answer does to a submitted registration', () => {
  test.each<[string, RegistrationStatus, string, object]>([
    ['acknowledged', 'acknowledged', 'acknowledged', { awaitedUntilMs: noonMs + 1_000, reasonCode: null }],
    ['turned down for itself', 'failed', 'turned-down', { settledBy: 'reply', reasonCode: 'CBS001' }],
    ['turned down for its company', 'held', 'turned-down-for-all', { holds: ['halted'], settledBy: null }],
    ['turned down for the service', 'held', 'turned-down-for-all', { holds: ['paused'] }],
    ['too many', 'held', 'turned-down-for-all', { holds: ['paused'], reasonCode: 'CBS001' }],
    ['not sent, our credentials', 'held', 'turned-down-for-all', { holds: ['halted'] }],
    ['not sent, the service', 'held', 'turned-down-for-all', { holds: ['paused'] }],
    ['kept back', 'held', 'turned-down-for-all', { holds: ['paused'], reasonCode: 'kept-back' }],
    ['unknown', 'in-doubt', 'outcome-in-doubt', { reasonCode: 'CBS001', settledAtMs: null }],
  ])('%s: %s', (name, status, cause, after) => {
    const change = decideAnswer(answered(findings[name]!));
    expect(change?.after).toMatchObject({ status, ...after });
    expect(change?.event.cause).toBe(cause);
    expect(change?.attempt).toMatchObject({ statusCode: 'CBS001', elapsedMs: 12, httpStatus: 200 });
    expect(change?.event.detail).toMatchObject({ statusCode: 'CBS001', xRequestId: 'x-1' });
  });
});

describe('what an answer tells besides', () => {
  const tell = (changes: Partial<AnswerFacts>) =>
    decideAnswer(answered(findings['acknowledged']!, { facts: { ...facts, ...changes } }));

  test('the requestUID under which it went again is kept beside the first one', () => {
    const renewed = tell({ requestUid: 'UID-2' });
    expect(renewed?.attempt).toMatchObject({ renewedUid: 'UID-2' });
    expect(renewed?.event.detail).toMatchObject({ requestUid: 'UID-2' });
    const first = tell({ requestUid: makeRegistrationAttempt().requestUid });
    expect(first?.attempt).toMatchObject({ renewedUid: null });
    expect(first?.event.detail).not.toHaveProperty('requestUid');
  });

  test.each([
    ['its clock', { bankDateMs: noonMs - 65_000 }, -65_005],
    ['no clock', {}, null],
    ['the time of another moment', { bankDateMs: noonMs, elapsedMs: 60_001 }, null],
  ])('%s', (_what, changes, bankOffsetMs) => {
    expect(tell(changes)?.attempt).toMatchObject({ bankOffsetMs });
  });
});

test.each([
  ['acknowledged', 'yes'],
  ['turned down for itself', 'no'],
  ['turned down for its company', 'no'],
  ['too many', 'no'],
  ['not sent, our credentials', 'no'],
  ['not sent, the service', 'no'],
  ['kept back', 'no'],
  ['unknown', null],
] as const)('%s: the bank has taken it: %s', (name, taken) => {
  expect(decideAnswer(answered(findings[name]!))?.attempt).toMatchObject({ taken });
});

test.each(['registered', 'refused', 'contradicted', 'unanswered'] as const)(
  'an answer to what the callback has made %s adds its facts, and changes nothing else',
  (status) => {
    const registration = makeRegistration({ status, attemptNo: 1, isAlarm: true, isAcknowledged: true });
    const change = decideAnswer(answered(findings['unknown']!, { registration }));
    expect(change?.after).toEqual(registration);
    expect(change?.event).toMatchObject({ cause: 'answered-late', detail: { finding: 'unknown' } });
    expect(change?.attempt).toMatchObject({ statusCode: 'CBS001' });
  },
);

describe('an answer that comes when another process has taken over and left its registration in doubt', () => {
  const registration = afterRegistrationChange(decideAbandoned(submitted, noonMs + 1));

  test.each<[string, RegistrationStatus, string, object]>([
    ['acknowledged', 'acknowledged', 'acknowledged', { reasonCode: null, awaitedUntilMs: noonMs + 1_000 }],
    ['turned down for itself', 'failed', 'turned-down', { settledBy: 'reply', awaitedUntilMs: null }],
    ['turned down for its company', 'in-doubt', 'answered-late', { reasonCode: 'sender-ended' }],
    ['too many', 'in-doubt', 'answered-late', { reasonCode: 'sender-ended' }],
    ['not sent, the service', 'in-doubt', 'answered-late', { reasonCode: 'sender-ended' }],
    ['kept back', 'in-doubt', 'answered-late', { awaitedUntilMs: noonMs + 1_000 }],
    ['unknown', 'in-doubt', 'answered-late', { awaitedUntilMs: noonMs + 1_000 }],
  ])('%s: %s', (name, status, cause, after) => {
    const change = decideAnswer(answered(findings[name]!, { registration }));
    expect(change?.after).toMatchObject({ status, ...after });
    expect(change?.event.cause).toBe(cause);
    expect(change?.attempt).toMatchObject({ statusCode: 'CBS001', httpStatus: 200 });
  });
});

test('an answer to an earlier attempt changes nothing', () => {
  const registration = { ...submitted, attemptNo: 2 };
  for (const finding of Object.values(findings))
    expect(decideAnswer(answered(finding, { registration }))).toBeUndefined();
});

test('whatever the answer and the status, only moves of the table come out, and an end is waited for no more', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...registrationStatuses),
      fc.constantFrom(...Object.values(findings)),
      fc.constantFrom(0, 1, 2),
      (status, finding, attemptNo) => {
        const awaitedUntilMs = isOpenRegistration(status) ? noonMs + 1_000 : null;
        const registration = makeRegistration({ status, attemptNo, awaitedUntilMs });
        const change = decideAnswer(answered(finding, { registration }));
        if (change === undefined) return;
        const { after, event } = change;
        expect(canMoveRegistration(status, after.status, event.cause)).toBe(true);
        expect(after.awaitedUntilMs !== null).toBe(isOpenRegistration(after.status));
        expect(after.status === 'held').toBe(after.holds.length > 0);
        expect(afterRegistrationChange(change)).toEqual({ ...after, version: registration.version + 1 });
      },
    ),
  );
});

test('what a process has left behind is in doubt, and waited for as long as before', () => {
  const change = decideAbandoned(submitted, noonMs + 9);
  expect(change.after).toMatchObject({ status: 'in-doubt', awaitedUntilMs: submitted.awaitedUntilMs });
  expect(change.event.cause).toBe('outcome-in-doubt');
  expect(change.attempt).toBeUndefined();
});

describe('without a callback', () => {
  test.each([
    ['acknowledged', 999, undefined],
    ['acknowledged', 1_000, 'unanswered'],
    ['in-doubt', 999, undefined],
    ['in-doubt', 1_000, 'unanswered'],
    ['submitted', 9_999, undefined],
    ['registered', 9_999, undefined],
  ] as const)('%s after %i ms: %s', (status, afterMs, next) => {
    const registration = makeRegistration({ status, attemptNo: 1, awaitedUntilMs: noonMs + 1_000 });
    const change = decideOverdue(registration, noonMs + afterMs);
    expect(change?.after.status).toBe(next);
    if (change === undefined) return;
    expect(change.event.cause).toBe('time-passed');
    expect(change.after).toMatchObject({ settledBy: 'time', awaitedUntilMs: null });
    expect(change.event.detail).toMatchObject({ wasInDoubt: status === 'in-doubt' });
  });
});
