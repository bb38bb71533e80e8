/** Bugs in reading the bank's statements, in judging them and in taking them; nothing of them is in the program. */
import type { Mutation } from './mutations.ts';

const inStatements = (name: string, file: string, find: string, replace: string): Mutation => ({
  name,
  patches: [{ file, find, replace }],
  playedOn: 'statements',
});

export const ofStatements: readonly Mutation[] = [
  inStatements(
    'a statement fails what is under way',
    'reconcile/rules/evidence.ts',
    "  if (attempt.status === 'recorded') return attempt.inquiries === 0;",
    '  if (nowMs > 0) return false;',
  ),
  inStatements(
    'a proof thrown away when a statement was read meanwhile',
    'payout/apply-change.ts',
    'return decideOnClosed(current, latest);',
    'return decideOnClosed === undefined ? decideOnClosed : undefined;',
  ),
  inStatements(
    'a statement cut short takes the place of a whole one',
    'reconcile/rules/custody.ts',
    'return isForced ? undefined : findIncomplete(seen);',
    'return isForced ? undefined : findIncomplete({ ...seen, lost: { count: 0, key: undefined } });',
  ),
  inStatements(
    'an empty statement taken for the day on which we have paid',
    'reconcile/rules/custody.ts',
    'if (owners.own > 0 || paidCount === 0) return undefined;',
    'if (owners.own >= 0 || paidCount === 0) return undefined;',
  ),
  inStatements(
    'an empty statement of the morning closes the day when it comes again',
    'reconcile/read-lines.ts',
    'if (sha256 === custody.presentSha256 && !custody.closesDay) return undefined;',
    'if (sha256 === custody.presentSha256) return undefined;',
  ),
  inStatements(
    'a failure that no statement tells any more stands',
    'reconcile/rules/evidence.ts',
    "const isByStatement = attemptStatus === 'failed' && isFailedByStatement && lastFinding !== 'failed';",
    "const isByStatement = attemptStatus === 'paid' && isFailedByStatement && lastFinding !== 'failed';",
  ),
  inStatements(
    'a line failed by its STATUS alone',
    'reconcile/rules/statement.ts',
    "return said === 'contradiction' ? said : status;",
    "return said === 'contradiction' && status !== 'failed' ? said : status;",
  ),
  inStatements(
    'a line complete by its STATUS alone',
    'reconcile/rules/statement.ts',
    "return said === 'contradiction' ? said : status;",
    "return said === 'contradiction' && status !== 'complete' ? said : status;",
  ),
  inStatements(
    'what a line contradicts stays failed',
    'reconcile/rules/judge-day.ts',
    "    case 'contradiction':\n      return bookStatus === 'unpaid' && !isFinished ? 'doubt' : note;",
    "      return bookStatus === 'unpaid' && !isFinished ? 'doubt' : note;\n    case 'contradiction':\n      return note;",
  ),
  inStatements(
    'a line in process taken for a failure',
    'reconcile/rules/judge-day.ts',
    "    case 'in-process':\n    case 'contradiction':\n",
    "    case 'in-process':\n      return bookStatus === 'pending' ? 'fail' : note;\n    case 'contradiction':\n",
  ),
  inStatements(
    'an attempt that came alive again keeps no other from being made',
    'core/payout.ts',
    "['recorded', 'sent', 'paid', 'unresolved'];",
    "['recorded', 'sent', 'paid'];",
  ),
  inStatements(
    'a late proof by a statement raises no alarm',
    'reconcile/rules/decide-statement.ts',
    'const isAlarm = !isDoubt || !isOpenAttempt(attempt);',
    'const isAlarm = false;',
  ),
];
