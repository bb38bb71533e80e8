/** What a decision is about, in words, where it is no payout. */
import { maskDigits } from '../../core/proxy-id.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { directDebitOf, readPayerKey } from './batch-decisions.ts';
import type { TargetKind } from './proposal.ts';

function describeBreakKey(key: string): string {
  const [date = '', kind = '', ...rest] = key.split('/');
  return `break of ${showDate(date)}: ${kind}, ${rest.join('/')}`;
}

/** "payer account ******5924", "direct debit of VENDOR01, COMP000001". */
export function describePayer(payerAccount: string): string {
  const company = directDebitOf(payerAccount);
  if (company === undefined) return `payer account ${maskDigits(payerAccount)}`;
  return company === '' ? 'direct debit' : `direct debit of ${company}`;
}

/** "batch 7B3KQ0M9ZX", "break of 2026-11-20: amount-mismatch, PD8S…", "payer account ******5924". */
export function describeTarget(kind: Exclude<TargetKind, 'payout' | 'registration'>, key: string): string {
  switch (kind) {
    case 'batch':
      return `batch ${key}`;
    case 'payer':
      return describePayer(readPayerKey(key).payerAccount);
    case 'registration-batch':
      return `registrations ${key}`;
    case 'break':
      return describeBreakKey(key);
    case 'statement':
      return `statement of ${showDate(key)}`;
    case 'day':
      return `the missing statement of ${showDate(key)}`;
    case 'callback':
      return `callback ${key} of an unknown registration`;
    case 'file':
      return `refused file ${key}`;
  }
}
