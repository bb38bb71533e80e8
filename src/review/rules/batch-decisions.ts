/** Decisions about a batch as a whole, and about a payer account. */
import { message, type Message } from '../../core/message.ts';
import { hash } from 'node:crypto';
import { paydropCommand } from '../../core/command-line.ts';
import { countRows } from '../../core/exit-code.ts';
import { isSealed } from '../../core/payout.ts';
import type { Batch, BatchReason, HoldTotal, StatusTotal } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { accountHolds, dayHolds, unsentStatuses } from '../../payout/rules/operator.ts';
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

/** The reason why a decision on a batch is impossible; undefined when it is possible. */
export function decideBatch(
  decision: Decision,
  batch: Batch,
  totals: readonly StatusTotal[],
  holds: readonly HoldTotal[],
): Message | undefined {
  const status = message(`batch-is.${batch.status}`);
  if (!isSealed(batch.status)) return message('batch.not-sealed', { status });
  const unsent = countRows(totals, unsentStatuses);
  if (decision === 'cancel-batch') return unsent === 0 ? message('batch.all-sent') : undefined;
  if (batch.status === 'paused' && batch.reasonCode === approvalCode)
    return message('batch.approve-first', {
      command: paydropCommand(undefined, 'approve', '--batch', batch.batchId),
    });
  const isStopped = batch.status === 'halted' || batch.status === 'paused';
  const isHeld = holds.some(
    ({ hold, rows }) => rows > 0 && [...accountHolds, ...dayHolds, 'similar'].includes(hold),
  );
  return isStopped || isHeld ? undefined : message('batch.nothing-held', { status });
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
): Message | undefined {
  if (decision === 'halt-payer') return halt === undefined ? undefined : message('payer.halted-already');
  return halt === undefined && pause === undefined ? message('payer.not-stopped') : undefined;
}

/** The reason of a halt by a person. */
export const haltByOperator = (maker: string, note: string): BatchReason => ({
  code: 'halted-by-operator',
  reason: message('payer.halted-by', { person: maker, note }),
  remedy: message('payer.lift'),
});

// ---------------------------------------------------------------- in words

function describeBreakKey(key: string): Message {
  const [date = '', kind = '', ...rest] = key.split('/');
  return message('target.break', { day: showDate(date), what: `${kind}, ${rest.join('/')}` });
}

/** "payer account ******5924" or "direct debit of VENDOR01, COMP000001". */
export function describePayer(payerAccount: string): Message {
  const company = directDebitOf(payerAccount);
  if (company === undefined) return message('target.payer', { account: maskDigits(payerAccount) });
  return company === '' ? message('target.direct-debit') : message('target.direct-debit-of', { company });
}

/** "batch 7B3KQ0M9ZX", "break of 2026-11-20: amount-mismatch, PD8S…" or "payer account ******5924". */
export function describeTarget(kind: Exclude<TargetKind, 'payout' | 'registration'>, key: string): Message {
  switch (kind) {
    case 'batch':
      return message('target.batch', { batch: key });
    case 'payer':
      return describePayer(readPayerKey(key).payerAccount);
    case 'registration-batch':
      return message('target.registrations', { batch: key });
    case 'break':
      return describeBreakKey(key);
    case 'statement':
      return message('target.statement', { day: showDate(key) });
    case 'day':
      return message('target.missing-statement', { day: showDate(key) });
    case 'callback':
      return message('target.callback', { id: key });
    case 'file':
      return message('target.file', { name: key });
  }
}
