/** A completed item that is none of our sends by day and time, where another journal may have used the reference again. */
import { message, verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { Attempt, Payout } from '../../../src/core/payout.ts';
import { decideInquiry, decideReturn } from '../../../src/payout/rules/after-inquiry.ts';
import type { Case } from '../../../src/payout/rules/case.ts';
import type { isSameSend } from '../../../src/payout/rules/inquiry-items.ts';
import type { InquiryReading } from '../../../src/payout/rules/read-reply.ts';
import type { SettlePolicy } from '../../../src/payout/rules/resend.ts';
import { decideSuperseded } from '../../../src/payout/rules/superseded.ts';
import { caseAt, makeSubmitted, noonMs, policy } from '../../support/core-fixtures.ts';

type SendMoment = Parameters<typeof isSameSend>[0];

const reason = { code: 'IC000', text: verbatim('said by the bank') };
const { payout, attempt } = makeSubmitted(noonMs);
const { tranDate, tranTime } = attempt.order;
const complete = (moment: SendMoment) =>
  ({
    kind: 'complete',
    reason,
    sysRefNo: 'S1',
    send: attempt.order,
    moments: [moment],
    isTwice: false,
  }) as const;

const own = { tranDate, tranTime };
const others: readonly SendMoment[] = [
  { tranDate: '', tranTime: '' },
  { tranDate, tranTime: '23:59:59' },
  { tranDate: '20261101', tranTime },
];
const gaps: readonly [string, Partial<SettlePolicy>][] = [
  ['a loss', { lostUntilMs: noonMs }],
  ['the original of a copy', { missesSinceMs: noonMs }],
];

const inDoubt = (changes: Partial<SettlePolicy>): Case => ({
  ...caseAt(noonMs + 60_000, { payout, attempt }),
  policy: { ...policy, ...changes },
});
const ended = (changes: Partial<SettlePolicy>): Case => {
  const failed: Payout = { ...payout, status: 'failed' };
  return { ...inDoubt(changes), payout: failed, attempt: { ...attempt, status: 'failed' } };
};

describe.each(gaps)('after %s', (_name, gap) => {
  test('leaves what is in doubt to a statement', () => {
    for (const moment of others)
      expect(decideInquiry(inDoubt(gap), complete(moment)).keep).toMatchObject({
        after: { status: 'unresolved', reasonCode: 'found-after-loss' },
      });
    expect(decideInquiry(inDoubt(gap), complete(own)).keep.after.status).toBe('paid');
  });

  test('brings what had ended into doubt, loudly, and proves nothing', () => {
    for (const moment of others)
      expect(decideSuperseded(ended(gap), complete(moment))).toMatchObject({
        after: { status: 'unresolved', isAlarm: true, reasonCode: 'found-after-loss' },
        attempt: { status: 'unresolved' },
      });
    expect(decideSuperseded(ended(gap), complete(own))?.after.status).toBe('paid');
    const working = (moment: SendMoment) => ({ kind: 'in-process', reason, moments: [moment] }) as const;
    for (const moment of others)
      expect(decideSuperseded(ended(gap), working(moment))?.after.reasonCode).toBe('found-after-loss');
    expect(decideSuperseded(ended(gap), working(own))?.after.reasonCode).toBe('earlier-attempt-open');
  });
});

describe('a send that was refused', () => {
  const refused: Attempt = {
    ...attempt,
    status: 'refused',
    lastFinding: 'not-found',
    sends: policy.resendsMax + 1,
    refusals: policy.resendsMax + 1,
  };
  const late = (changes: Partial<SettlePolicy>): Case => ({
    ...caseAt(noonMs + policy.giveUpAfterMs, { payout, attempt: refused }),
    policy: { ...policy, ...changes },
  });
  const silent = { kind: 'nothing-said', isTrouble: false, reason } as const;
  const unknown = { kind: 'not-found', reason } as const;

  test.each(gaps)('stays in doubt after %s while the bank does not answer', (_name, gap) => {
    expect(decideReturn(late(gap))).toBeUndefined();
    expect(decideInquiry(late(gap), silent).keep.after.status).toBe('unresolved');
    expect(decideInquiry(late(gap), unknown).keep.after.status).toBe('held');
  });

  test('has moved no money where the journal is whole', () => {
    expect(decideReturn(late({}))?.after.status).toBe('held');
    for (const reading of [silent, unknown])
      expect(decideInquiry(late({}), reading).keep.after.status).toBe('held');
  });
});

test('proves an attempt that was made after the gap, and any where there was none', () => {
  for (const moment of others)
    for (const changes of [{ lostUntilMs: noonMs - 1 }, { missesSinceMs: noonMs - 1 }, {}])
      expect(decideInquiry(inDoubt(changes), complete(moment)).keep.after.status).toBe('paid');
});

describe('an unresolved row says what the bank shows now, and no more that it finds nothing', () => {
  const nothing = {
    reasonCode: 'not-found',
    reason: verbatim('the bank finds nothing under this reference'),
  };
  const unresolved = (changes: Partial<Payout> = {}): Payout => ({
    ...payout,
    status: 'unresolved',
    ...nothing,
    ...changes,
  });
  const decideOn = (row: Payout, reading: InquiryReading, changes: Partial<Attempt> = {}) =>
    decideInquiry(
      {
        ...inDoubt({ lostUntilMs: noonMs }),
        payout: row,
        attempt: { ...attempt, status: 'unresolved', ...changes },
      },
      reading,
    ).keep.after;
  const elsewhere = complete({ tranDate: '', tranTime: '' });
  const inProcess = {
    kind: 'in-process',
    reason: { code: '010001', text: verbatim('in process') },
    moments: [own],
  } as const;
  const notFound = { kind: 'not-found', reason: { code: 'EV034', text: verbatim('not found') } } as const;

  test('complete at another time than it was sent', () => {
    expect(decideOn(unresolved(), elsewhere)).toMatchObject({
      status: 'unresolved',
      reasonCode: 'found-after-loss',
      reason: message('attempt.sent-by-another'),
    });
  });

  test('complete, and contested', () => {
    const contested = { referenceConflict: true };
    expect(decideOn(unresolved(), elsewhere, contested)).toMatchObject({ reasonCode: 'contested-reference' });
    const found = unresolved({ reasonCode: 'found-after-loss', reason: verbatim('the bank knows it') });
    for (const reading of [elsewhere, inProcess])
      expect(decideOn(found, reading, contested)).toMatchObject({ reason: verbatim('the bank knows it') });
  });

  test('in process', () => {
    expect(decideOn(unresolved(), inProcess)).toMatchObject({
      reasonCode: '010001',
      reason: verbatim('in process'),
    });
  });

  test('nothing, which takes nothing back that was shown before', () => {
    const shown = unresolved({ reasonCode: '010001', reason: verbatim('in process') });
    expect(decideOn(shown, notFound)).toMatchObject({
      reasonCode: '010001',
      reason: verbatim('in process'),
    });
  });
});
