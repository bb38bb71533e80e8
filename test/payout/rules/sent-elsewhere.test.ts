/** A completed item that is none of our sends by day and time, where another journal may have used the reference again. */
import { describe, expect, test } from 'vitest';
import type { Payout } from '../../../src/core/payout.ts';
import { decideInquiry } from '../../../src/payout/rules/after-inquiry.ts';
import type { Case } from '../../../src/payout/rules/case.ts';
import type { SendMoment } from '../../../src/payout/rules/inquiry-items.ts';
import type { SettlePolicy } from '../../../src/payout/rules/resend.ts';
import { decideSuperseded } from '../../../src/payout/rules/superseded.ts';
import { caseAt, makeSubmitted, noonMs, policy } from '../../support/core-fixtures.ts';

const reason = { code: 'IC000', text: 'said by the bank' };
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
        after: { status: 'unresolved', isAlarm: true },
        attempt: { status: 'unresolved' },
      });
    expect(decideSuperseded(ended(gap), complete(own))?.after.status).toBe('paid');
  });
});

test('proves an attempt that was made after the gap, and any where there was none', () => {
  for (const moment of others)
    for (const changes of [{ lostUntilMs: noonMs - 1 }, { missesSinceMs: noonMs - 1 }, {}])
      expect(decideInquiry(inDoubt(changes), complete(moment)).keep.after.status).toBe('paid');
});
