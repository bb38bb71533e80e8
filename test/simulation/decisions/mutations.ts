/** Deliberate bugs in how people decide. */
import type { Mutation, Patch } from '../mutations.ts';

const decided = (name: string, ...patches: readonly Patch[]): Mutation => ({
  name,
  patches,
  playedOn: 'decisions',
});

/** A bug in what the real journal does when an account is resumed. */
const inJournal = (name: string, find: string, replace: string): Mutation => ({
  name,
  patches: [{ file: 'store/payouts/batches.ts', find, replace }],
  playedOn: 'decided-in-journal',
});

export const ofDecisions: readonly Mutation[] = [
  decided('somebody checks his own proposal', {
    file: 'review/rules/proposal.ts',
    find: 'if (isOwn && request.people === 2) return',
    replace: 'if (isOwn && request.people === 1) return',
  }),
  decided('whoever has corrected a row checks what is paid of its file', {
    file: 'review/rules/proposal.ts',
    find: 'return involved.includes(person.personId)',
    replace: 'return involved.includes(-1)',
  }),
  decided('somebody withdraws what another has proposed', {
    file: 'review/rules/proposal.ts',
    find: 'return person.personId !== null && person.personId === proposal.makerId',
    replace: 'return person.personId !== null',
  }),
  decided('what has changed since is decided on all the same', {
    file: 'review/payout-target.ts',
    find: 'if (changed !== undefined) return changed;',
    replace: 'if (changed === null) return changed;',
  }),
  decided('one of two people is enough', {
    file: 'review/rules/proposal.ts',
    find: 'return isProved && decisionTerms[decision].needsSecond && people > 1 ? 2 : 1;',
    replace: 'return isProved && decisionTerms[decision].needsEvidence && people > 1 ? 2 : 1;',
  }),
  decided(
    'the number of what is paid is released',
    {
      file: 'core/payout.ts',
      find: "  { from: 'cancelled', to: 'cancelled', cause: 'released' },",
      replace:
        "  { from: 'cancelled', to: 'cancelled', cause: 'released' }, { from: 'paid', to: 'paid', cause: 'released' },",
    },
    {
      file: 'review/rules/payout-decisions.ts',
      find: "  if (payout.status !== 'cancelled')\n    return message(holder",
      replace: "  if (payout.status !== 'cancelled' && payout.status !== 'paid')\n    return message(holder",
    },
    {
      file: 'review/rules/payout-decisions.ts',
      find: "  if (open !== undefined) return message('release.may-be-paid'",
      replace: "  if (open === null) return message('release.may-be-paid'",
    },
  ),
  decided('called failed by people before the statements are read', {
    file: 'review/rules/payout-decisions.ts',
    find: "  if (attempt.acknowledged && trace === 'unread')",
    replace: "  if (attempt.acknowledged && trace === 'found')",
  }),
  decided('tried again by people without asking about the earlier references', {
    file: 'payout/pre-send-checks.ts',
    find: 'await clearSuperseded(context, payout, batch.companyId);',
    replace: "{ kind: 'clear', cleared: [] };",
  }),
  decided('what a killed command has left is never applied', {
    file: 'review/review.ts',
    find: "of await journal.proposals(['approved'], Number.MAX_SAFE_INTEGER, 1_000))",
    replace: "of await journal.proposals(['stale'], Number.MAX_SAFE_INTEGER, 1_000))",
  }),
  decided('a correction pays the amount of the file', {
    file: 'review/rules/payout-decisions.ts',
    find: '    ...(amount === null ? {} : { amount }),',
    replace: '    ...(amount === null || proxyNo !== null ? {} : { amount }),',
  }),
  {
    name: 'an item is not ended with its change',
    patches: [
      {
        file: 'store/payouts/apply.ts',
        find: '  if (change.decision !== undefined) yield* markDecided(change.decision);\n',
        replace: '',
      },
    ],
    playedOn: 'decided-in-journal',
  },
  inJournal(
    'an account that is resumed takes along what is halted for another cause',
    "yield* change(ofAccount.where('is_halted_with_payer', '=', 1)",
    "yield* change(ofAccount.where('status', '=', 'halted')",
  ),
  inJournal(
    'what an account alone has halted stays so when the account is resumed',
    'if (isLifted) yield* goOnWithPayer(',
    'if (!isLifted) yield* goOnWithPayer(',
  ),
];
