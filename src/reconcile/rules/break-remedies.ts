/** What a person does about a break, in words that a finance officer can act on. Total: every kind has an answer. */
import type { AttemptStatus } from '../../core/payout.ts';
import type { BreakKind, BreakRecord } from './types.ts';

const kindRemedies: Record<BreakKind, string> = {
  'paid-twice':
    'Two transfers were made for this payout: make sure with both transRefNos that the payee got both, have one of them returned, ' +
    'and tell the partner',
  'status-mismatch':
    'Do not pay it again: the lines of the statement contradict each other; ask the bank with the transRefNo which of them holds',
  'payee-mismatch':
    "Ask the bank with the transRefNo and sysRefNo who was credited; if it was not the row's payee, have the transfer returned " +
    'before it is paid again',
  'amount-mismatch':
    'Ask the bank with the transRefNo and sysRefNo which amount was moved, and have the difference put right; do not pay the rest in ' +
    'a new file before',
  'other-company':
    'Ask the bank with the transRefNo why a transfer of ours is booked for another company, and have it put right',
  'payer-mismatch': 'Ask the bank with the transRefNo why another account was debited, and have it put right',
  'duplicate-line':
    'Ask the bank whether one transfer is listed twice or two were made, and have the second one returned; one listed twice is put ' +
    'right in a corrected statement',
  'unmatched-bank-line':
    'Find out who sent it: another program with the same company ID, or this one with a journal that was lost ("paydrop show" and ' +
    'the transRefNo); if nobody did, ask the bank at once',
  'missing-at-bank':
    "Look for it in the next day's statement; if it is not there either, ask the bank with the transRefNo and sysRefNo, and do not " +
    'pay it again meanwhile',
  'no-trace':
    'It stays unresolved: ask the bank in writing whether it knows the transRefNo; do not pay it again before it has answered',
  'unknown-status-word':
    'Ask the bank what the word in STATUS means and add it to reconcile.words in the settings, then reconcile the day again',
  'fee-mismatch': 'Compare with the fee that is agreed with the bank, and have the difference put right',
  'net-mismatch':
    'Compare amount, fee and net amount with the charge type that is agreed with the bank, and ask it for the figures',
  'date-mismatch':
    'Make sure in which day it is to be booked, and that no other statement has it too; ask the bank for a corrected statement',
  'pending-at-bank':
    'Do not pay it again: wait for a later statement, or ask what became of it with "paydrop settle"',
  'pending-not-in-statement':
    'Do not pay it again, absence proves nothing: ask what became of it with "paydrop settle", and reconcile the next day\'s statement',
};

const paidAfterAll = (before: string): string =>
  `It is paid, though ${before}: make sure that nobody has paid it by other means meanwhile, have one of the two ` +
  'returned if so, and tell the partner';

/** The other side of `status-mismatch`, by what we had said before. */
const statusRemedies: Partial<Record<AttemptStatus, string>> = {
  paid:
    'Do not pay it again: the bank had confirmed it, and its statement says that it failed; ask the bank with the transRefNo and ' +
    'sysRefNo which of the two holds, and tell the partner that the payment is disputed',
  failed: paidAfterAll('we had called it failed'),
  refused: paidAfterAll('the bank had refused it'),
};

const mayMean = (meaning: string): string =>
  `Do not pay it again: the word may mean that ${meaning}; ask the bank what it means and add it to reconcile.words in ` +
  'the settings, then reconcile the day again';

/** A word that nobody knows, by what we had said before. */
const wordRemedies: Partial<Record<AttemptStatus, string>> = {
  paid: mayMean('the money went back'),
  failed: mayMean('the bank has paid what we call failed'),
  refused: mayMean('the bank has paid what it had refused'),
};

const lostRemedy =
  'Do not pay it again: the bank says that it failed, and the journal was lost; ask with "paydrop settle", which looks for a ' +
  'later attempt first, then reconcile the day again';

const earlierRemedy =
  'Do not pay it again: find out who sent the transfer of that day, such as this program with a journal that was lost ("paydrop ' +
  'show" and the transRefNo); if it was complete, ask the bank whether the payee was paid twice';

const deadEnds: Partial<Record<BreakKind, string>> = {
  'payee-mismatch': 'The failed transfer names another payee',
  'amount-mismatch': 'The failed transfer names another amount',
};

/** What to do about a break; never empty. */
export function describeBreakRemedy({
  kind,
  severity,
  attempt,
  lines,
  lineAt,
}: Pick<BreakRecord, 'kind' | 'severity' | 'attempt' | 'lines' | 'lineAt'>): string {
  const line = lines[lineAt ?? -1];
  if (kind === 'status-mismatch') {
    if (severity === 'low') return lostRemedy;
    const isContradicted = lines.some(({ status }) => status !== line?.status);
    if (isContradicted) return kindRemedies[kind];
    const known = attempt === null ? undefined : statusRemedies[attempt.attemptStatus];
    return known ?? kindRemedies[kind];
  }
  if (kind === 'date-mismatch' && severity === 'high') return earlierRemedy;
  if (kind === 'unknown-status-word') {
    const known = attempt === null ? undefined : wordRemedies[attempt.attemptStatus];
    return known ?? kindRemedies[kind];
  }
  if (line?.status === 'failed') {
    const deadEnd = deadEnds[kind];
    if (deadEnd !== undefined) {
      return `${deadEnd}: no money moved by it, but ask the bank whether the reference is ours before it is tried again`;
    }
  }
  return kindRemedies[kind];
}
