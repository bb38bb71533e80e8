/** Deliberate bugs in what files wait for approval by; each is found by approvals.ts. */
import type { Mutation } from './mutations.ts';

const inApprovals = (name: string, file: string, find: string, replace: string): Mutation => ({
  name,
  patches: [{ file, find, replace }],
  playedOn: 'approvals',
});

export const ofApprovals: readonly Mutation[] = [
  {
    name: 'the intent does not look for the approval',
    patches: [
      {
        file: 'store/payouts/apply.ts',
        find: 'if (!gate.isApproved) return false;',
        replace: '',
      },
      {
        file: 'store/payouts/apply.ts',
        find: 'const approvalNeeded = isIntent === true && approvers !== null ? bit : 0;',
        replace: 'const approvalNeeded = isIntent === undefined && approvers !== null ? 0 : 0;',
      },
    ],
    playedOn: 'approvals',
  },
  inApprovals(
    'a corrected row stays approved',
    'store/payouts/apply.ts',
    'return { approvalNeeded, approvalKept: 0, approvalGiven: isGiven ? bit : 0 };',
    'return { approvalNeeded, approvalKept: bit, approvalGiven: isGiven ? bit : 0 };',
  ),
  inApprovals(
    'approved though it has changed since it was proposed',
    'store/review/approvals.ts',
    '  if ((yield* readWaiting(batch))?.version !== version) return false;',
    '',
  ),
  inApprovals(
    'approved by whoever had a part in it',
    'store/review/proposals.ts',
    '  return (yield* hands.all({ batchId })).map(({ person_id: personId }) => personId);',
    '  return (yield* hands.all({ batchId: `${batchId}?` })).map(({ person_id: personId }) => personId);',
  ),
  inApprovals(
    'what is corrected or validated anew is not held against the bound',
    'store/payouts/apply.ts',
    'for (const batchId of raised) yield* keepToBound(batchId);',
    '',
  ),
  inApprovals(
    'one person alone approves what he has decided about a row',
    'review/rules/approval.ts',
    ' || (people === 1 && isOfRow)) return false;',
    ') return isOfRow && makerId === null;',
  ),
];
