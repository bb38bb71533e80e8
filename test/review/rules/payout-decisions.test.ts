import { describe, expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/message.ts';
import {
  type Attempt,
  type PayoutStatus,
  payoutStatuses,
  payoutTransitions,
} from '../../../src/core/payout.ts';
import { optionsFor, type ReviewedPayout } from '../../../src/review/rules/payout-decisions.ts';
import { causeOf, payoutDecisions } from '../../../src/review/rules/terms.ts';
import { makePayout, makeSubmitted, noonMs } from '../../support/core-fixtures.ts';
import { makeRow } from '../../support/report-fixtures.ts';

const makeAttempt = (changes: Partial<Attempt>): Attempt => ({ ...makeSubmitted().attempt, ...changes });

/** A row in a status, as it is when nothing else stands in the way. */
function reviewed(status: PayoutStatus, changes: Partial<ReviewedPayout> = {}): ReviewedPayout {
  const holds = status === 'held' ? (['similar'] as const) : [];
  const payout = makePayout({ status, holds });
  const { seq, batchId, rowNo, instruction } = payout;
  const row = makeRow({ ...payout, instruction });
  const attempts = ['unresolved', 'submitted'].includes(status)
    ? [makeAttempt({ payoutSeq: seq, status: status === 'submitted' ? 'sent' : 'unresolved' })]
    : [];
  const holder = { payoutId: instruction.payoutId, batchId, rowNo, fileName: 'a.csv', status };
  const facts = { attempts, holder, similar: [], rules: { payoutSatangMax: null } } as const;
  return { row, batchId, payout, ...facts, traceOf: () => 'none', nowMs: noonMs, ...changes };
}

const possible = (facts: ReviewedPayout): readonly string[] =>
  optionsFor(facts).flatMap(({ decision, whyNot }) => (whyNot === undefined ? [decision] : []));

describe('what people may decide', () => {
  test.for<[PayoutStatus, readonly string[]]>([
    ['staged', []],
    ['rejected', ['retry', 'retry-corrected', 'acknowledge']],
    ['ready', ['cancel']],
    ['held', ['go-on', 'cancel', 'retry-corrected']],
    ['cancelled', ['release']],
    ['unpayable', ['retry', 'retry-corrected', 'acknowledge']],
    ['submitted', []],
    ['paid', []],
    ['failed', ['retry', 'retry-corrected', 'acknowledge']],
    ['unresolved', ['confirm-paid', 'confirm-failed']],
    ['disputed', ['confirm-paid', 'acknowledge']],
  ])('about what is %s: %j', ([status, decisions]) => {
    expect(possible(reviewed(status))).toEqual(decisions);
  });

  test.for(payoutStatuses.filter((status) => status !== 'staged'))(
    'an alarm ends, whatever the status: %s',
    (status) => {
      const facts = reviewed(status);
      const payout = facts.payout && { ...facts.payout, isAlarm: true };
      expect(possible({ ...facts, payout, row: { ...facts.row, isAlarm: true } })).toContain('acknowledge');
    },
  );

  test('nothing that the transition table does not have', () => {
    for (const decision of payoutDecisions) {
      const sources = payoutTransitions
        .filter(({ cause }) => cause === causeOf[decision])
        .map(({ from }) => from);
      for (const status of payoutStatuses)
        if (!(sources as readonly string[]).includes(status))
          expect(possible(reviewed(status)), `${decision} of ${status}`).not.toContain(decision);
    }
  });

  test('every reason why not is a sentence that names something', () => {
    for (const status of payoutStatuses)
      for (const { whyNot } of optionsFor(reviewed(status)))
        if (whyNot !== undefined) expect(inEnglish(whyNot)).toMatch(/^\S.{10,}[^.]$/);
  });
});

describe('what may be paid is neither failed nor released', () => {
  const open = makeAttempt({ status: 'unresolved' });
  const inDoubt = (attempt: Partial<typeof open>, trace: 'none' | 'found' | 'unread') => {
    const facts = reviewed('unresolved');
    const seq = facts.payout?.seq ?? 0;
    return possible({ ...facts, attempts: [{ ...open, payoutSeq: seq, ...attempt }], traceOf: () => trace });
  };

  test.for([
    ['never known to the bank', {}, 'unread', true],
    ['never known, and its day has no trace', {}, 'none', true],
    ['never known, and in a statement', {}, 'found', false],
    ['in process', { lastFinding: 'in-process' }, 'none', false],
    ['complete, though not ours', { lastFinding: 'complete', referenceConflict: true }, 'none', false],
    ['known, and statements are missing', { acknowledged: true }, 'unread', false],
    ['known, and no statement has a trace', { acknowledged: true }, 'none', true],
    ['known, and in a statement', { acknowledged: true }, 'found', false],
  ] as const)('%s', ([, attempt, trace, isPossible]) => {
    expect(inDoubt(attempt, trace).includes('confirm-failed')).toBe(isPossible);
  });

  test('a cancelled payoutId of which another attempt is open keeps its number', () => {
    const facts = reviewed('cancelled');
    expect(possible({ ...facts, attempts: [makeAttempt({ status: 'unresolved' })] })).toEqual([]);
    expect(possible({ ...facts, holder: undefined })).toEqual([]);
  });
});
