/** What the settings say of deciding, and what holds of it. */
import { expect, test } from 'vitest';
import { applyPolicy, describeDifference, readPolicy } from '../../../src/review/rules/policy.ts';

const settings = {
  dataDir: './data',
  review: { people: 1, tokenFile: './token' },
  approval: { when: 'above', baht: '5000', people: 1, signed: 'optional' },
};

test('is read by the names of the keys, of those that are there', () => {
  expect(readPolicy(settings)).toEqual({
    'review.people': 1,
    'approval.when': 'above',
    'approval.baht': '5000',
    'approval.people': 1,
    'approval.signed': 'optional',
  });
  expect(readPolicy({ review: { tokenFile: 'x' } })).toEqual({});
});

test('what was agreed on stands in the place of what the settings say, and nothing else changes', () => {
  const agreed = { 'review.people': 2, 'approval.when': 'always', 'other.key': 3 };
  expect(applyPolicy(settings, agreed)).toEqual({
    ...settings,
    review: { people: 2, tokenFile: './token' },
    approval: { ...settings.approval, when: 'always' },
  });
  expect(settings.review.people).toBe(1);
  expect(describeDifference(readPolicy(settings), agreed)).toEqual([
    'review.people is 1 in the settings; 2 was agreed on',
    'approval.when is above in the settings; always was agreed on',
  ]);
});
