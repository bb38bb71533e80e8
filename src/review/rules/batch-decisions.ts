/** Decisions about a batch as a whole, and about a payer account. */
import { message } from '../../core/message.ts';
import { hash } from 'node:crypto';
import { paydropCommand } from '../../core/command-line.ts';
import { countRows } from '../../core/exit-code.ts';
import { type Satang, sumSatang } from '../../core/money.ts';
import { isSealed } from '../../core/payout.ts';
import type { Batch, BatchReason, HoldTotal, StatusTotal } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { batchWideHolds, dayHolds, unsentStatuses } from '../../payout/rules/operator.ts';
import { servicePayer } from '../../registration/rules/intent.ts';
import { approvalCode } from './approval.ts';
import type { TargetKind } from './proposal.ts';
import type { Decision } from './terms.ts';

/**
 * The version of a batch that a decision refers to; a decision on another version is refused.
 * @param payerAccount the account in the settings, from which a resumed batch is paid
 */
export function versionOfBatch(batch: Batch, payerAccount: string = batch.payerAccount): string {
  const { status, reasonCode, restedAtMs, payerAccount: own } = batch;
  const present = [status, reasonCode ?? '', restedAtMs ?? ''];
  return (payerAccount === own ? present : [...present, hash('sha256', payerAccount)]).join(' ');
}

/** The sum of the unsent rows, which a decision about a batch concerns. */
export const sumUnsent = (totals: readonly Pick<StatusTotal, 'status' | 'amountSatang'>[]): Satang =>
  sumSatang(
    totals.filter(({ status }) => unsentStatuses.includes(status)).map(({ amountSatang }) => amountSatang),
  );

/** The reason why a decision on a batch is impossible; undefined when it is possible. */
export function decideBatch(
  decision: Decision,
  batch: Batch,
  totals: readonly StatusTotal[],
  holds: readonly HoldTotal[],
): string | undefined {
  if (!isSealed(batch.status)) return `it is ${batch.status}: nothing of it can be paid`;
  const unsent = countRows(totals, unsentStatuses);
  if (decision === 'cancel-batch')
    return unsent === 0 ? 'all of it is with the bank, or has ended' : undefined;
  if (batch.status === 'paused' && batch.reasonCode === approvalCode)
    return `it waits for approval, which this does not lift: "${paydropCommand(undefined, 'approve', '--batch', batch.batchId)}"`;
  const isStopped = batch.status === 'halted' || batch.status === 'paused';
  const isHeld = holds.some(
    ({ hold, rows }) => rows > 0 && [...batchWideHolds, ...dayHolds, 'similar'].includes(hold),
  );
  return isStopped || isHeld ? undefined : `it is ${batch.status}, and nothing of it is held as a whole`;
}

/** A payer account, which a halt or a pause concerns as a whole. */
export interface PayerKey {
  readonly companyId: string;
  readonly payerAccount: string;
}

export const payerKeyOf = ({ companyId, payerAccount }: PayerKey): string => `${companyId}/${payerAccount}`;

/** The account under which halts and pauses of registrations are kept. */
const directDebit = servicePayer('').payerAccount;

/** The vendor and company of a halt or pause of registrations, empty for all; undefined for a payer account. */
export function directDebitOf(payerAccount: string): string | undefined {
  if (payerAccount === directDebit) return '';
  return payerAccount.startsWith(`${directDebit} `)
    ? payerAccount.slice(directDebit.length + 1).replace('/', ', ')
    : undefined;
}

/** @throws RangeError for a key that `payerKeyOf` has not made */
export function readPayerKey(key: string): PayerKey {
  // The key of direct debit has a slash of its own.
  const named = key.indexOf(`/${directDebit}`);
  const place = named < 0 ? key.lastIndexOf('/') : named;
  if (place < 0) throw new RangeError('a payer account is named by its company and number');
  return { companyId: key.slice(0, place), payerAccount: key.slice(place + 1) };
}

/**
 * The version of an account that a decision refers to. A halt keeps one version while it is in force, whatever pause
 * there is. Each failed probe renews a pause; its version stays the same.
 */
export function versionOfPayer(
  halt: { readonly sinceMs: number } | undefined,
  pause: object | undefined,
): string {
  if (halt !== undefined) return `${halt.sinceMs} `;
  return pause === undefined ? ' ' : ' paused';
}

/** The reason why a decision on an account is impossible; undefined when it is possible. */
export function decidePayer(
  decision: Decision,
  halt: object | undefined,
  pause: object | undefined,
): string | undefined {
  if (decision === 'halt-payer') return halt === undefined ? undefined : 'it is halted already';
  return halt === undefined && pause === undefined ? 'it is neither halted nor paused' : undefined;
}

/** The reason of a halt by a person. */
export const haltByOperator = (maker: string, note: string): BatchReason => ({
  code: 'halted-by-operator',
  reason: message('payer.halted-by', { person: maker, note }),
  remedy: message('payer.lift'),
});

// ---------------------------------------------------------------- in words

function describeBreakKey(key: string): string {
  const [date = '', kind = '', ...rest] = key.split('/');
  return `break of ${showDate(date)}: ${kind}, ${rest.join('/')}`;
}

/** Returns "payer account ******5924" or "direct debit of VENDOR01, COMP000001". */
export function describePayer(payerAccount: string): string {
  const company = directDebitOf(payerAccount);
  if (company === undefined) return `payer account ${maskDigits(payerAccount)}`;
  return company === '' ? 'direct debit' : `direct debit of ${company}`;
}

/** Returns "batch 7B3KQ0M9ZX", "break of 2026-11-20: amount-mismatch, PD8S…" or "payer account ******5924". */
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
