import { verbatim } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterChange } from '../../../src/core/change.ts';
import { type Attempt, canMoveAttempt, canMovePayout, type Payout } from '../../../src/core/payout.ts';
import type { Change } from '../../../src/core/ports.ts';
import { decideInquiry } from '../../../src/payout/rules/after-inquiry.ts';
import { decideReply } from '../../../src/payout/rules/after-transfer.ts';
import { decideIntent, noBankNames } from '../../../src/payout/rules/intent.ts';
import type { InquiryReading, TransferFinding } from '../../../src/payout/rules/read-reply.ts';
import { holdForSuperseded, isCleared, isTrusted } from '../../../src/payout/rules/superseded.ts';
import { caseAt, makePayout, makeSubmitted, noonMs, payer, policy } from '../../support/core-fixtures.ts';

const reason = { code: 'EV033', text: verbatim('why'), retryAfterMs: undefined };

function expectInTable(change: Change, attempt: Attempt): void {
  expect(canMovePayout(change.before.status, change.after.status, change.event.cause)).toBe(true);
  if (change.attempt !== undefined) expect(canMoveAttempt(attempt.status, change.attempt.status)).toBe(true);
}

describe('an intent', () => {
  const base = { number: 1, cleared: [], names: noBankNames, payer, policy, nowMs: noonMs };

  test('stores everything that will be sent and counts the send before it happens', () => {
    const { change, attempt } = decideIntent({ ...base, payout: makePayout(), attemptsRecorded: 0 });
    expect(change).toMatchObject({ isIntent: true, after: { status: 'submitted', attemptNo: 1 } });
    expect(attempt).toMatchObject({ attemptNo: 1, status: 'recorded', sends: 1, lastSentAtMs: noonMs });
    expect(attempt.order).toMatchObject({
      ...payer,
      tranDate: '20261121',
      tranTime: '12:00:00',
      amountText: '100.00',
      proxyName: 'Somchai Jaidee',
    });
    expectInTable(change, attempt);
  });

  test('is recorded after every attempt before it, and bears the number that it is given', () => {
    const { attempt } = decideIntent({ ...base, number: 2, payout: makePayout(), attemptsRecorded: 4 });
    expect(attempt).toMatchObject({ attemptNo: 5 });
    expect(attempt.order.transRefNo).toMatch(/02$/);
  });

  test('never sends a Thai name', () => {
    const { instruction } = makePayout();
    const payout = makePayout({ instruction: { ...instruction, payeeName: 'สมชาย ใจดี' } });
    expect(decideIntent({ ...base, payout, attemptsRecorded: 0 }).attempt.order.proxyName).toBeNull();
  });
});

type Row = readonly [string, TransferFinding, Partial<Payout>, Partial<Attempt>];

describe('after a transfer', () => {
  const unknown = {
    kind: 'unknown',
    scope: 'payout',
    reason,
    acknowledged: false,
    referenceConflict: false,
  } as const;
  const rows: Row[] = [
    [
      'paid',
      { kind: 'paid', reason, sysRefNo: 'S', feeText: '1.00' },
      { status: 'paid', settledBy: 'reply' },
      { status: 'paid', feeText: '1.00', nextInquiryAtMs: null },
    ],
    [
      'refused for the payout',
      { kind: 'failed', scope: 'payout', reason, bearsRequestUid: true },
      { status: 'failed' },
      { status: 'failed' },
    ],
    [
      'refused for the payer',
      { kind: 'failed', scope: 'payer', reason, bearsRequestUid: true },
      { status: 'held', holds: ['halted'] },
      { status: 'failed' },
    ],
    [
      'refused for the service',
      { kind: 'failed', scope: 'service', reason, bearsRequestUid: true },
      { status: 'held', holds: ['paused'] },
      { status: 'failed' },
    ],
    [
      '403',
      { kind: 'refused', scope: 'payer', reason, bearsRequestUid: true },
      { status: 'held', holds: ['halted'] },
      { status: 'refused' },
    ],
    [
      '429',
      { kind: 'refused', scope: 'service', reason, bearsRequestUid: true },
      { status: 'submitted' },
      { status: 'refused', sends: 1 },
    ],
    [
      'not sent',
      { kind: 'not-sent', scope: 'service', reason },
      { status: 'submitted' },
      { status: 'refused', sends: 0, lastSentAtMs: null },
    ],
    [
      'credentials refused',
      { kind: 'not-sent', scope: 'payer', reason },
      { status: 'held', holds: ['halted'] },
      { status: 'refused', sends: 0 },
    ],
    [
      'aborted before it was sent',
      { kind: 'aborted-before-send' },
      { status: 'held', holds: ['paused'] },
      { status: 'refused', sends: 0 },
    ],
    ['a timeout', unknown, { status: 'submitted' }, { status: 'sent', acknowledged: false }],
    [
      'in process',
      { ...unknown, acknowledged: true },
      { status: 'submitted' },
      { status: 'sent', acknowledged: true },
    ],
    [
      'another’s reference',
      { ...unknown, acknowledged: true, referenceConflict: true },
      { status: 'submitted' },
      { status: 'sent', referenceConflict: true },
    ],
  ];

  test.each(rows)('%s', (_name, finding, payoutAfter, attemptAfter) => {
    const { payout, attempt } = makeSubmitted();
    const change = decideReply(caseAt(noonMs + 10, { payout, attempt }), finding);
    expect(change.after).toMatchObject(payoutAfter);
    expect(change.attempt).toMatchObject(attemptAfter);
    expectInTable(change, attempt);
  });

  test('of which one send is aborted stays in doubt, since another may have arrived, and is asked about again', () => {
    const { payout, attempt } = makeSubmitted(noonMs, { sends: 2 });
    const change = decideReply(caseAt(noonMs, { payout, attempt }), { kind: 'aborted-before-send' });
    expect(change).toMatchObject({
      after: { status: 'submitted', reasonCode: 'too-late-to-send' },
      attempt: { status: 'sent', sends: 1, lastSentAtMs: attempt.lastSentAtMs },
    });
    expect(change.attempt?.nextInquiryAtMs).toBeGreaterThan(noonMs);
    expectInTable(change, attempt);
  });

  test('whose repetition is refused by the gateway stays in doubt, for the same reason', () => {
    const { payout, attempt } = makeSubmitted(noonMs, { sends: 2 });
    const change = decideReply(caseAt(noonMs, { payout, attempt }), {
      kind: 'refused',
      scope: 'payer',
      reason,
      bearsRequestUid: true,
    });
    expect(change).toMatchObject({ after: { status: 'submitted' }, attempt: { status: 'sent' } });
  });
});

describe('after a transfer that another process has given up meanwhile', () => {
  const unknown = {
    kind: 'unknown',
    scope: 'payout',
    reason,
    acknowledged: true,
    referenceConflict: false,
  } as const;
  const cases: Row[] = [
    ['paid', { kind: 'paid', reason, sysRefNo: 'S', feeText: null }, { status: 'paid' }, { status: 'paid' }],
    [
      'refused',
      { kind: 'failed', scope: 'payout', reason, bearsRequestUid: true },
      { status: 'failed' },
      { status: 'failed' },
    ],
    [
      'refused for the payer',
      { kind: 'failed', scope: 'payer', reason, bearsRequestUid: true },
      { status: 'unresolved', holds: [] },
      { status: 'unresolved', acknowledged: false, refusals: 1 },
    ],
    ['in process', unknown, { status: 'unresolved' }, { status: 'unresolved', acknowledged: true }],
    [
      'another’s reference',
      { ...unknown, referenceConflict: true },
      { status: 'unresolved', isAlarm: true },
      { status: 'unresolved', referenceConflict: true },
    ],
    [
      '403',
      { kind: 'refused', scope: 'payer', reason, bearsRequestUid: true },
      { status: 'unresolved', holds: [] },
      { status: 'unresolved', refusals: 1 },
    ],
    [
      'not sent',
      { kind: 'not-sent', scope: 'service', reason },
      { status: 'unresolved' },
      { status: 'unresolved', sends: 0, lastSentAtMs: null },
    ],
    [
      'aborted',
      { kind: 'aborted-before-send' },
      { status: 'unresolved' },
      { status: 'unresolved', sends: 0 },
    ],
  ];

  test.each(cases)('%s', (_name, finding, payoutAfter, attemptAfter) => {
    const { payout, attempt } = makeSubmitted(noonMs, { status: 'unresolved', nextInquiryAtMs: null });
    const known = caseAt(noonMs + 10, { payout: { ...payout, status: 'unresolved' }, attempt });
    const change = decideReply(known, finding);
    expect(change.after).toMatchObject(payoutAfter);
    expect(change.attempt).toMatchObject({ ...attemptAfter, nextInquiryAtMs: null });
    expectInTable(change, attempt);
  });
});

const reading = (kind: InquiryReading['kind']): InquiryReading => ({
  kind,
  reason,
  sysRefNo: null,
  send: null,
  moments: [{ tranDate: '', tranTime: '' }],
  isTwice: false,
  sends: [],
  isOfLast: true,
  isTrouble: false,
});

describe('after an inquiry', () => {
  const trusted = noonMs + policy.notFoundTrustMs;

  function decide(
    kind: InquiryReading['kind'],
    attemptChanges: Partial<Attempt>,
    nowMs: number,
    status?: 'unresolved',
  ) {
    const { payout, attempt } = makeSubmitted(noonMs, { status: 'sent', ...attemptChanges });
    const known = status === undefined ? payout : { ...payout, status };
    const step = decideInquiry(caseAt(nowMs, { payout: known, attempt }), reading(kind));
    expectInTable(step.keep, attempt);
    if (step.sendAgain !== undefined) expectInTable(step.sendAgain, attempt);
    return step;
  }

  test.each([
    ['complete', {}, trusted, 'paid'],
    ['failed', {}, trusted, 'failed'],
    ['in-process', {}, trusted, 'submitted'],
    ['nothing-said', {}, trusted, 'submitted'],
    ['not-found', {}, noonMs + 5_000, 'submitted'],
    ['not-found', { acknowledged: true }, trusted, 'unresolved'],
    ['not-found', { sends: 3 }, trusted, 'unresolved'],
    ['not-found', { lastSentAtMs: noonMs + 200_000 }, noonMs + 330_000, 'unresolved'],
    ['not-found', { status: 'refused', sends: 0, lastSentAtMs: null }, noonMs + 330_000, 'held'],
    ['complete', { referenceConflict: true }, trusted, 'unresolved'],
    ['failed', { referenceConflict: true }, trusted, 'unresolved'],
    ['in-process', {}, noonMs + policy.giveUpAfterMs, 'unresolved'],
    ['nothing-said', {}, noonMs + policy.giveUpAfterMs, 'unresolved'],
  ] as const)('%s with %j at +%i ends as %s', (kind, changes, nowMs, status) => {
    expect(decide(kind, changes, nowMs).keep.after.status).toBe(status);
  });

  test('sends the same attempt again only when all conditions hold', () => {
    const step = decide('not-found', {}, trusted);
    expect(step.sendAgain?.attempt).toMatchObject({ sends: 2, attemptNo: 1, lastSentAtMs: trusted });
  });

  test('sends again what never left as soon as the bank says that it knows nothing', () => {
    const step = decide('not-found', { status: 'refused', sends: 0, lastSentAtMs: null }, noonMs + 3_000);
    expect(step.sendAgain?.attempt).toMatchObject({ sends: 1 });
  });

  test('asks again no later than the moment a not-found can be trusted', () => {
    const step = decide('not-found', { inquiries: 12 }, noonMs + 5_000);
    expect(step.keep.attempt?.nextInquiryAtMs).toBe(trusted);
  });

  test.each([
    ['complete', 'paid'],
    ['failed', 'failed'],
    ['not-found', 'unresolved'],
    ['in-process', 'unresolved'],
    ['nothing-said', 'unresolved'],
  ] as const)('an unresolved one with %s becomes %s', (kind, status) => {
    expect(decide(kind, { status: 'unresolved' }, trusted, 'unresolved').keep.after.status).toBe(status);
  });
});

describe('before a next attempt', () => {
  const later = noonMs + 3_600_000;
  const clears = (status: Attempt['status'], kind: InquiryReading['kind']) =>
    isCleared(caseAt(later, makeSubmitted(noonMs, { status })), reading(kind));

  test.each([
    ['failed', 'failed', true],
    ['failed', 'not-found', true],
    ['refused', 'not-found', true],
    ['failed', 'in-process', false],
    ['failed', 'nothing-said', false],
    ['failed', 'complete', false],
    ['unresolved', 'not-found', false],
    ['sent', 'failed', false],
    ['paid', 'not-found', false],
  ] as const)('an attempt that is %s here and %s at the bank lets it go on: %s', (status, kind, isClear) => {
    expect(clears(status, kind)).toBe(isClear);
  });

  test.each([
    [{ status: 'refused' }, noonMs + 1_000, false],
    [{ status: 'failed' }, noonMs + policy.notFoundTrustMs - 1, false],
    [{ status: 'failed' }, noonMs + policy.notFoundTrustMs, true],
    [{ status: 'failed', hasFailedItem: true }, noonMs + 1_000, true],
  ] as const)('a not-found about %j at %i is trusted: %s', (changes, nowMs, expected) => {
    const { attempt } = makeSubmitted(noonMs, changes);
    expect(isTrusted(attempt, policy, { nowMs, bankNowMs: undefined })).toBe(expected);
  });

  test.each([
    ['failed', 'earlier-attempt-open'],
    ['paid', 'paid-by-earlier-attempt'],
  ] as const)('an earlier one that is %s holds it: %s', (status, code) => {
    const superseded = caseAt(later, makeSubmitted(noonMs, { status }));
    const change = holdForSuperseded(makePayout({ attemptNo: 1 }), superseded, 'complete');
    expect(change.after).toMatchObject({ status: 'held', holds: ['unavailable'], reasonCode: code });
  });
});

describe('a repetition', () => {
  test('that the bank refuses leaves the first send in doubt, and shows nothing of its reference', () => {
    const { payout, attempt } = makeSubmitted(noonMs, { sends: 2 });
    const change = decideReply(caseAt(noonMs, { payout, attempt }), {
      kind: 'failed',
      scope: 'payout',
      reason,
      bearsRequestUid: true,
    });
    expect(change).toMatchObject({
      after: { status: 'submitted' },
      attempt: { status: 'sent', acknowledged: false, sends: 2, refusals: 1 },
    });
  });
});

describe('every decision', () => {
  const findings = fc.constantFrom<InquiryReading['kind'][]>(
    'complete',
    'in-process',
    'failed',
    'not-found',
    'nothing-said',
  );
  const attempts = fc.record({
    status: fc.constantFrom<Attempt['status'][]>('recorded', 'sent', 'refused', 'unresolved'),
    sends: fc.integer({ min: 0, max: 4 }),
    acknowledged: fc.boolean(),
    referenceConflict: fc.boolean(),
    inquiries: fc.integer({ min: 0, max: 40 }),
  });

  test('stays in the tables, and sends again only what no reply has ever acknowledged', () => {
    const elapsed = fc.integer({ min: 0, max: 2 * policy.giveUpAfterMs });
    fc.assert(
      fc.property(findings, attempts, elapsed, (kind, changes, elapsedMs) => {
        const { payout, attempt } = makeSubmitted(noonMs, changes);
        const step = decideInquiry(caseAt(noonMs + elapsedMs, { payout, attempt }), reading(kind));
        for (const change of [step.keep, step.sendAgain ?? step.keep]) {
          expectInTable(change, attempt);
          expect(afterChange(change).version).toBe(payout.version + 1);
        }
        if (step.sendAgain === undefined) return;
        expect(changes.acknowledged || changes.referenceConflict).toBe(false);
        expect(elapsedMs).toBeLessThanOrEqual(policy.intentMaxAgeMs);
        expect(kind).toBe('not-found');
      }),
    );
  });
});
