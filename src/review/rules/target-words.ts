/** What a decision is about, in words, where it is no payout. */
import { maskDigits } from '../../core/proxy-id.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { readPayerKey } from './batch-decisions.ts';
import type { TargetKind } from './proposal.ts';

function describeBreakKey(key: string): string {
  const [date = '', kind = '', ...rest] = key.split('/');
  return `break of ${showDate(date)}: ${kind}, ${rest.join('/')}`;
}

/** "batch 7B3KQ0M9ZX", "break of 2026-11-20: amount-mismatch, PD8S…", "payer account ******5924". */
export function describeTarget(kind: Exclude<TargetKind, 'payout'>, key: string): string {
  switch (kind) {
    case 'batch':
      return `batch ${key}`;
    case 'payer':
      return `payer account ${maskDigits(readPayerKey(key).payerAccount)}`;
    case 'break':
      return describeBreakKey(key);
    case 'statement':
      return `statement of ${showDate(key)}`;
    case 'day':
      return `the missing statement of ${showDate(key)}`;
    case 'file':
      return `refused file ${key}`;
  }
}
