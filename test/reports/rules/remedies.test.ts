import { inEnglish, verbatim } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { holdReasons, moneyMoved, payoutStatuses } from '../../../src/core/payout.ts';
import { bankStatuses } from '../../../src/core/status-codes.ts';
import { describeRemedy } from '../../../src/reports/rules/remedies.ts';

const codes = [null, 'ZZ999', '030002', '030003', 'not-found', ...bankStatuses.map((status) => status.code)];

const combinations = payoutStatuses.flatMap((status) =>
  codes.flatMap((reasonCode) =>
    [[], ...holdReasons.map((hold) => [hold]), [...holdReasons]].map((holds) => ({
      status,
      reasonCode,
      issues: [],
      holds,
    })),
  ),
);

const remedyOf = (row: Parameters<typeof describeRemedy>[0]): string => inEnglish(describeRemedy(row));

describe('a remedy', () => {
  test('is there for every status, code and hold', () => {
    for (const row of combinations) {
      const remedy = remedyOf(row);
      expect(remedy).toMatch(/^[A-Z].{8,}/);
      expect(remedy).not.toMatch(/undefined|null|\.\./);
    }
  });

  test('forbids to pay by hand exactly what the bank may have paid', () => {
    for (const row of combinations) {
      expect({ row, forbids: remedyOf(row).startsWith('Do not pay it again') }).toEqual({
        row,
        forbids: moneyMoved(row.status) === 'unknown',
      });
    }
  });

  test('of a hold that no watcher looks at again names what lets it go on', () => {
    const held = { status: 'held', reasonCode: 'XX999', issues: [], holds: ['unavailable'] } as const;
    expect(remedyOf(held)).toMatch(/, or have it tried at once with "paydrop resume" and the batch$/);
  });

  test('of something settled never says to inquire', () => {
    const settled = combinations.filter(({ status }) => status === 'failed' || status === 'unpayable');
    for (const row of settled) expect(remedyOf(row)).not.toMatch(/inquire|settle/i);
  });

  test('of a held row speaks of each of its holds', () => {
    for (const hold of holdReasons) {
      const alone = remedyOf({ status: 'held', reasonCode: null, holds: [hold], issues: [] });
      expect(
        remedyOf({ status: 'held', reasonCode: 'EM053', holds: [...holdReasons], issues: [] }),
      ).toContain(alone);
    }
  });

  test.each([
    ['failed', 'EM069', [], /^Reduce or split the amount\. No money moved/],
    ['failed', 'ET001', [], /^No money moved/],
    ['failed', '030002', [], /^The bank refused it at validation/],
    ['unpayable', 'EV006', [], /^Ask the payee for a registered proxy ID\. No money moved/],
    ['held', 'EM053', ['halted'], /^Fund the payer account then resume the batch\. Sending is halted/],
    ['held', null, [], /^Not paid/],
    [
      'held',
      'similar',
      ['similar'],
      /^Another payoutId differs from this one only in case, leading zeros, decimals of zeros, punctuation or blanks/,
    ],
    ['held', 'similar-payment', ['similar'], /^Another payoutId has paid, or may have paid, the same payee/],
    ['held', 'EM053', ['similar', 'halted'], /Another payoutId looks like this one, or has paid/],
    [
      'held',
      'batch-too-old',
      ['halted'],
      /^Make sure that it is still to be paid.* "paydrop resume" and its batch id$/,
    ],
    ['unresolved', 'EM066', [], /In process at the bank: inquire and do not send again$/],
    ['rejected', 'amount-decimals', [], /^Nothing was sent: correct the row/],
    [
      'rejected',
      'payout-id-claimed',
      [],
      /^Nothing was sent for this row\. Do not pay it again: .* "paydrop show" .* or that one was cancelled/,
    ],
    ['rejected', null, [], /^Nothing was sent: correct the row/],
    ['paid', 'IC000', [], /^Nothing to do$/],
  ] as const)('%s with %s and holds %j', (status, reasonCode, holds, pattern) => {
    expect(remedyOf({ status, reasonCode, holds, issues: [] })).toMatch(pattern);
  });

  test('of a hold that a person lifts names both commands, and what to give them', () => {
    const held = { status: 'held', issues: [] } as const;
    const judged = [
      ['thai-name-differs', 'name'],
      ['similar', 'similar'],
      ['similar-payment', 'similar'],
      ['limit', 'limit'],
    ] as const;
    for (const [reasonCode, hold] of judged) {
      expect(remedyOf({ ...held, reasonCode, holds: [hold] })).toMatch(
        /"paydrop resume" and its payoutId.* "paydrop cancel" and its payoutId/,
      );
    }
  });

  test.each([
    ['failed', 'EM069', 'under the same payoutId'],
    ['failed', 'EM003', 'under the same payoutId'],
    ['unpayable', 'EV051', 'under the same payoutId'],
    ['rejected', 'proxy-length', 'under the same payoutId'],
  ] as const)(
    'of a corrected %s row (%s) keeps its payoutId, so that it is paid once',
    (status, code, words) => {
      const remedy = remedyOf({ status, reasonCode: code, holds: [], issues: [] });
      expect(remedy).toContain(words);
      expect(remedy.match(/remove (?:that|the) cause/g) ?? []).toHaveLength(status === 'failed' ? 1 : 0);
    },
  );

  test.each(['payout-id-missing', 'payout-id-length', 'duplicate-differs'])(
    'of a row whose payoutId is wrong (%s) does not keep it',
    (reasonCode) => {
      const remedy = remedyOf({ status: 'rejected', reasonCode, holds: [], issues: [] });
      expect(remedy).not.toContain('under the same payoutId');
    },
  );

  test('of an unresolved row names the question and the statement', () => {
    const remedy = remedyOf({ status: 'unresolved', reasonCode: 'not-found', holds: [], issues: [] });
    expect(remedy).toMatch(/"paydrop settle" asks it once more, .*"paydrop reconcile"/);
  });

  test('of a rejected row covers each cause once', () => {
    const issue = (code: string) => ({ line: 2, column: null, code, value: null, message: verbatim('x') });
    const issues = [issue('amount-zero'), issue('proxy-length'), issue('duplicate-repeat')];
    const remedy = remedyOf({ status: 'rejected', reasonCode: 'amount-zero', holds: [], issues });
    expect(remedy).toMatch(
      /^Nothing was sent: correct the row as .*\. Nothing was sent for this row: the first row/,
    );
    expect(remedy.match(/correct the row/g)).toHaveLength(1);
  });
});
