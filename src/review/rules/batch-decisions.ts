/** What people may decide about a batch as a whole, and about a payer account. */
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
 * What a decision about a batch was made on: it is another batch, to whoever decides, when this differs.
 * @param payerAccount of the settings: what is resumed is paid from this one
 */
export function versionOfBatch(batch: Batch, payerAccount: string = batch.payerAccount): string {
  const { status, reasonCode, restedAtMs, payerAccount: own } = batch;
  const present = [status, reasonCode ?? '', restedAtMs ?? ''];
  return (payerAccount === own ? present : [...present, hash('sha256', payerAccount)]).join(' ');
}

/** What a decision about a batch is about: all of it that has not been sent. */
export const sumUnsent = (totals: readonly Pick<StatusTotal, 'status' | 'amountSatang'>[]): Satang =>
  sumSatang(
    totals.filter(({ status }) => unsentStatuses.includes(status)).map(({ amountSatang }) => amountSatang),
  );

/** Why a batch cannot be decided on so; undefined when it can. */
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

/** Under which halts and pauses of registrations are kept. */
const directDebit = servicePayer('').payerAccount;

/** Of the account of a halt or pause of registrations: the vendor and company, or empty for all; else undefined. */
export function directDebitOf(payerAccount: string): string | undefined {
  if (payerAccount === directDebit) return '';
  return payerAccount.startsWith(`${directDebit} `)
    ? payerAccount.slice(directDebit.length + 1).replace('/', ', ')
    : undefined;
}

/** @throws RangeError for what `payerKeyOf` has not made */
export function readPayerKey(key: string): PayerKey {
  // That of a company has a stroke of its own.
  const named = key.indexOf(`/${directDebit}`);
  const place = named < 0 ? key.lastIndexOf('/') : named;
  if (place < 0) throw new RangeError('a payer account is named by its company and number');
  return { companyId: key.slice(0, place), payerAccount: key.slice(place + 1) };
}

/**
 * What a decision about an account was made on. A halt is one for as long as it is in force, whatever pause there is beside
 * it; a pause is renewed by each probe that fails, and stays the same to whoever decides.
 */
export function versionOfPayer(
  halt: { readonly sinceMs: number } | undefined,
  pause: object | undefined,
): string {
  if (halt !== undefined) return `${halt.sinceMs} `;
  return pause === undefined ? ' ' : ' paused';
}

/** Why an account cannot be decided on so; undefined when it can. */
export function decidePayer(
  decision: Decision,
  halt: object | undefined,
  pause: object | undefined,
): string | undefined {
  if (decision === 'halt-payer') return halt === undefined ? undefined : 'it is halted already';
  return halt === undefined && pause === undefined ? 'it is neither halted nor paused' : undefined;
}

/** Why an account is halted that a person has halted. */
export const haltByOperator = (maker: string, note: string): BatchReason => ({
  code: 'halted-by-operator',
  reason: `${maker} has halted it: ${note}`,
  remedy: 'Ask the person who halted it; "paydrop halt --lift" lets it go on',
});

// ---------------------------------------------------------------- in words

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
