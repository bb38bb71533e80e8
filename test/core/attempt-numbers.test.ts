import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideNextNumber, type NextNumber } from '../../src/core/attempt-numbers.ts';
import { attemptStatuses } from '../../src/core/payout.ts';
import { attemptsMax, computeTransRefNo, readAttemptNumber } from '../../src/core/reference.ts';
import { makeSubmitted, payer } from '../support/core-fixtures.ts';

type EarlierSend = Parameters<typeof decideNextNumber>[0][number];

const { order } = makeSubmitted().attempt;
const refOf = (number: number): string => computeTransRefNo(payer.companyId, 'INV-1', number);

/** A send under a number, refused in a reply that bore our requestUID unless changed. */
const send = (number: number, changes: Partial<EarlierSend> = {}): EarlierSend => ({
  order: { ...order, transRefNo: refOf(number) },
  status: 'refused',
  acknowledged: false,
  sends: 1,
  refusals: 1,
  unprovenRefusals: 0,
  hasFailedItem: false,
  ...changes,
});

const unproven = { refusals: 0, unprovenRefusals: 1 } as const;
const calledFailed = { status: 'failed', refusals: 0 } as const;
const free = (number: number): NextNumber => ({ kind: 'free', number });

describe('the next number', () => {
  test.each<[string, EarlierSend[], NextNumber['kind'] | number]>([
    ['is 1 before the first send', [], 1],
    ['is the same after a refusal', [send(1)], 1],
    ['is the same after six refusals', Array.from({ length: 6 }, () => send(1)), 1],
    ['is the same after a refusal for the payout', [send(1, { status: 'failed' })], 1],
    ['is the same where no byte left', [send(1, { sends: 0, refusals: 0 })], 1],
    ['follows a failed item', [send(1, { status: 'failed', hasFailedItem: true, acknowledged: true })], 2],
    ['follows a failed item of one of its sends', [send(1, { hasFailedItem: true }), send(1)], 2],
    [
      'is for a person where people called another send of it failed',
      [send(1, { hasFailedItem: true }), send(1, calledFailed)],
      'undecided',
    ],
    ['stays with the highest', [send(1, { hasFailedItem: true }), send(2)], 2],
    ['is none while the bank may complete one', [send(1), send(1, { status: 'unresolved' })], 'open'],
    ['is none after a payment', [send(1, { status: 'paid' })], 'open'],
    ['is none where the bank holds it', [send(1, { ...calledFailed, acknowledged: true })], 'kept'],
    ['is none where one of its sends was held', [send(1, { acknowledged: true }), send(1)], 'kept'],
    ['is for a person after people called it failed', [send(1, calledFailed)], 'undecided'],
    ['is the same on the day of an unproven refusal', [send(1, unproven)], 1],
    ['has no hundredth', [send(attemptsMax, { hasFailedItem: true })], 'used-up'],
  ])('%s', (_name, earlier, expected) => {
    const next = decideNextNumber(earlier, order, false);
    if (typeof expected === 'number') expect(next).toEqual(free(expected));
    else expect(next.kind).toBe(expected);
  });

  test.each([
    ['tranDate', '20261122'],
    ['termId', 'TERM0002'],
    ['amountText', '200.00'],
    ['proxyNo', '0810000002'],
    ['payerAccount', '0000999999'],
    ['reference1', 'OTHER'],
  ] as const)('is for a person after an unproven refusal with another %s', (key, value) => {
    const changed = { ...order, [key]: value };
    expect(decideNextNumber([send(1, unproven)], changed, false).kind).toBe('undecided');
    expect(decideNextNumber([send(1, unproven)], changed, true)).toEqual(free(1));
    expect(decideNextNumber([send(1)], changed, false)).toEqual(free(1));
  });

  test('is never one that the bank holds, whatever a person decides', () => {
    const kept = send(1, { ...calledFailed, acknowledged: true });
    expect(decideNextNumber([kept], order, true)).toEqual({ kind: 'kept', transRefNo: refOf(1) });
  });

  test('stays with a number of which a send may still be completed beside a failed one, until a person decides', () => {
    const shown = { hasFailedItem: true, acknowledged: true } as const;
    for (const open of [send(1, calledFailed), send(1, unproven)]) {
      expect(decideNextNumber([open, send(1, shown)], order, false).kind).toBe('undecided');
      expect(decideNextNumber([open, send(1, shown)], order, true)).toEqual(free(2));
    }
    const kept = send(1, { ...calledFailed, acknowledged: true });
    expect(decideNextNumber([kept, send(1, shown)], order, true).kind).toBe('kept');
  });

  const sends = fc.record({
    number: fc.integer({ min: 1, max: 4 }),
    status: fc.constantFrom(...attemptStatuses),
    acknowledged: fc.boolean(),
    hasFailedItem: fc.boolean(),
    refusals: fc.integer({ min: 0, max: 2 }),
    unprovenRefusals: fc.integer({ min: 0, max: 1 }),
  });

  test('is the highest or the one after it, and the one after it only where a failed item was shown', () => {
    fc.assert(
      fc.property(fc.array(sends, { maxLength: 5 }), fc.boolean(), (plans, isDecided) => {
        const earlier = plans.map(({ number, ...plan }) => send(number, { ...plan, sends: 2 }));
        const next = decideNextNumber(earlier, order, isDecided);
        if (next.kind !== 'free') return;
        const numbers = earlier.map((one) => readAttemptNumber(one.order.transRefNo));
        const highest = Math.max(0, ...numbers);
        const latest = earlier.filter((_, at) => numbers[at] === highest);
        if (next.number === highest + 1) {
          expect(highest === 0 || latest.some(({ hasFailedItem }) => hasFailedItem)).toBe(true);
          return;
        }
        expect(next.number).toBe(highest);
        expect(latest.some(({ acknowledged }) => acknowledged)).toBe(false);
      }),
    );
  });
});
