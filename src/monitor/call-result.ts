/** What a call to the bank came to, as one of a few words: labels of a metric must not grow without end. */
import { STATUS_CODES } from 'node:http';
import { findBankStatus } from '../core/bank-status.ts';

export const endpoints = ['token', 'tokenRefresh', 'payeeCheck', 'transfer', 'inquiry', 'statement'] as const;

/** What is counted of one exchange with the bank. */
export interface CallRecord {
  readonly endpoint: (typeof endpoints)[number];
  readonly outcome: 'answered' | 'lost' | 'not-sent' | 'withheld';
  readonly httpStatus: number | undefined;
  /** statusCode of a business answer. */
  readonly code: string | undefined;
  readonly elapsedMs: number;
}

/**
 * A code of §7.3; `other-code` for one that the table lacks; the HTTP status of an answer without a code; otherwise
 * the outcome: `lost` (bytes may have left), `not-sent`, `withheld` (stopped by ourselves at the last moment).
 */
export function nameCallResult({ outcome, code, httpStatus }: CallRecord): string {
  if (outcome !== 'answered') return outcome;
  if (code !== undefined) return findBankStatus(code) === undefined ? 'other-code' : code;
  const isKnown = httpStatus !== undefined && Object.hasOwn(STATUS_CODES, httpStatus);
  return isKnown ? `http-${httpStatus}` : 'http-other';
}

/** True for a call that the bank had a part in: its time says how quick the bank is. */
export const isTimed = ({ outcome }: CallRecord): boolean => outcome === 'answered' || outcome === 'lost';
