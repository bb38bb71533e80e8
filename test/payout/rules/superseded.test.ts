import { verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import {
  type Attempt,
  canMovePayout,
  type Payout,
  type PayoutStatus,
  payoutStatuses,
} from '../../../src/core/payout.ts';
import type { Change } from '../../../src/core/ports.ts';
import type { InquiryReading } from '../../../src/payout/rules/read-reply.ts';
import { decideAfterPaid, decideOnSibling, decideSuperseded } from '../../../src/payout/rules/superseded.ts';
import { caseAt, makePayout, makeSubmitted, noonMs, policy } from '../../support/core-fixtures.ts';

const reason = { code: '010004', text: verbatim('said by the bank') };
const readings: Readonly<Record<InquiryReading['kind'], InquiryReading>> = {
  complete: {
    kind: 'complete',
    reason,
    sysRefNo: 'S1',
    send: null,
    moments: [{ tranDate: '', tranTime: '' }],
    isTwice: false,
  },
  'in-process': { kind: 'in-process', reason, moments: [{ tranDate: '', tranTime: '' }] },
  failed: { kind: 'failed', reason, sysRefNo: null, sends: [], moments: [], isOfLast: true },
  'not-found': { kind: 'not-found', reason },
  'nothing-said': { kind: 'nothing-said', reason: { ...reason, retryAfterMs: undefined }, isTrouble: false },
};
const laterMs = noonMs + 60_000;
const closed = (changes: Partial<Attempt> = {}) =>
  makeSubmitted(noonMs, { status: 'failed', nextInquiryAtMs: null, ...changes }).attempt;
const watch = (
  payout: Payout,
  attempt: Attempt,
  kind: InquiryReading['kind'],
  mayReopen?: boolean,
): Change | undefined => decideSuperseded(caseAt(laterMs, { payout, attempt }), readings[kind], mayReopen);
const owner = (status: PayoutStatus, isAlarm = false) => makePayout({ status, attemptNo: 2, isAlarm });

/** A change that no transition allows would be refused by the journal. */
function outcome(change: Change | undefined) {
  if (change === undefined) return undefined;
  const { before, after, event, attempt } = change;
  expect(canMovePayout(before.status, after.status, event.cause)).toBe(true);
  expect(event.detail['alarm']).toBe(true);
  return [after.status, after.isAlarm, attempt?.status];
}

describe('an attempt that had ended, asked about again', () => {
  test.each(['failed', 'not-found', 'nothing-said'] as const)('says nothing new: %s', (kind) => {
    expect(watch(owner('paid'), closed(), kind)).toBeUndefined();
  });

  test.each(payoutStatuses.filter((status) => status !== 'staged'))('is complete after all: %s', (status) => {
    const change = watch(owner(status), closed(), 'complete');
    expect(outcome(change)).toEqual(['paid', true, 'paid']);
    expect(change?.after.reasonCode).toBe(status === 'paid' ? 'paid-twice' : 'late-proof');
  });

  test.each([
    ['ready', 'unresolved'],
    ['held', 'unresolved'],
    ['failed', 'unresolved'],
    ['submitted', 'submitted'],
    ['unresolved', 'unresolved'],
    ['paid', 'paid'],
    ['cancelled', 'cancelled'],
    ['unpayable', 'unpayable'],
  ] as const)('is in process after all: %s becomes %s', (from, to) => {
    const change = watch(owner(from), closed(), 'in-process');
    expect(outcome(change)).toEqual([to, true, 'unresolved']);
  });

  test('reopens no row whose claim is another’s, and says so all the same', () => {
    const change = watch(owner('failed'), closed(), 'in-process', false);
    expect(outcome(change)).toEqual(['failed', true, 'unresolved']);
  });

  test('is said once', () => {
    const known = closed({ status: 'unresolved' });
    expect(watch(owner('paid', true), known, 'in-process')).toBeUndefined();
    expect(watch(owner('paid'), closed({ status: 'paid' }), 'complete')).toBeUndefined();
  });

  test('proves nothing when its reference may be another’s', () => {
    const change = watch(owner('failed'), closed({ referenceConflict: true }), 'complete');
    expect(outcome(change)).toEqual(['unresolved', true, 'unresolved']);
  });
});

describe('a later attempt whose payout is paid by an earlier one', () => {
  const sent = makeSubmitted(noonMs, { attemptNo: 2, status: 'sent' }).attempt;
  const decide = (finding: Parameters<typeof decideAfterPaid>[1], nowMs = laterMs) =>
    decideAfterPaid(caseAt(nowMs, { payout: owner('paid', true), attempt: sent }), finding);

  test('is paid too: two transfers, an alarm', () => {
    const paid = { kind: 'paid', reason, sysRefNo: 'S2', feeText: '0.00' } as const;
    expect(outcome(decide(paid))).toEqual(['paid', true, 'paid']);
    expect(outcome(decide(readings.complete))).toEqual(['paid', true, 'paid']);
  });

  test.each(['in-process', 'not-found', 'nothing-said'] as const)('is asked about on: %s', (kind) => {
    const { after, attempt } = decide(readings[kind]);
    expect([after.status, attempt?.nextInquiryAtMs]).toEqual(['paid', laterMs + policy.maxDelayMs]);
    const late = decide(readings[kind], noonMs + policy.giveUpAfterMs);
    expect(late.attempt).toMatchObject({ status: 'unresolved', nextInquiryAtMs: null });
  });

  test('has failed: nothing more to ask', () => {
    expect(decide(readings.failed).attempt).toMatchObject({ status: 'failed', nextInquiryAtMs: null });
  });
});

describe('another row with the payoutId of a late proof', () => {
  test.each([
    ['ready', 'held'],
    ['held', 'held'],
    ['submitted', 'submitted'],
    ['unresolved', 'unresolved'],
    ['paid', 'paid'],
  ] as const)('%s becomes %s and bears the alarm', (from, to) => {
    const change = decideOnSibling(owner(from), 'PDABCDEFGHJKMNPQRS01', noonMs);
    expect(outcome(change)).toEqual([to, true, undefined]);
  });

  test.each(['rejected', 'cancelled', 'unpayable', 'failed'] as const)('%s stays as it is', (status) => {
    expect(decideOnSibling(owner(status), 'PDABCDEFGHJKMNPQRS01', noonMs)).toBeUndefined();
  });
});
