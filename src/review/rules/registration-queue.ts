/** What waits for a person of registrations: rows, and callbacks of which nobody knows whose they are. */
import { maskDigits } from '../../core/proxy-id.ts';
import type { RegistrationCallback } from '../../registration/rules/callback.ts';
import type { RegistrationOption } from '../../registration/rules/decisions.ts';
import type { RegistrationRow } from '../../registration/rules/registration-batch.ts';
import { describeRegistrationReason, remedyOfRegistration } from '../../registration/rules/report-rows.ts';
import { type Asker, optionsOf, type QueueItem } from './queue.ts';
import type { Decision } from './terms.ts';

/** A registration in the queue. */
export interface QueuedRegistration {
  readonly row: RegistrationRow;
  readonly batchId: string;
  readonly sinceMs: number;
  readonly options: readonly RegistrationOption[];
}

/** No money is moved by a registration. */
const noMoney = { amountSatang: null, moneyMoved: 'no' } as const;

/** Only what is possible is named: a registration has a page of its own, which says why the rest is not. */
export function registrationItem(queued: QueuedRegistration, asker?: Asker): QueueItem {
  const { row, batchId, sinceMs, options } = queued;
  const possible = options.filter(({ whyNot }) => whyNot === undefined).map(({ decision }) => decision);
  const registrationId = row.cells.registrationId.trim();
  const [, reason] = describeRegistrationReason(row);
  return {
    kind: 'registration',
    key: String(row.seq),
    version: String(row.version),
    name: `registration:${registrationId}`,
    title: `${registrationId} (row ${row.rowNo} of batch ${batchId})`,
    sinceMs,
    ...noMoney,
    reason: reason === '' ? `it is ${row.status}` : reason,
    remedy: remedyOfRegistration(row),
    options: optionsOf(asker, possible, () => undefined, 'registration'),
  };
}

/** A callback that was kept, though no registration is known that it means. */
export interface UnknownCallback {
  readonly id: number;
  readonly callback: RegistrationCallback;
  readonly receivedAtMs: number;
}

export const versionOfCallback = ({ receivedAtMs }: Pick<UnknownCallback, 'receivedAtMs'>): string =>
  String(receivedAtMs);

/** Why a callback cannot be decided on so; undefined when it can. */
export function decideUnknownCallback(decision: Decision, isWaiting: boolean): string | undefined {
  if (decision !== 'acknowledge')
    return 'a callback of an unknown registration can be taken note of, and nothing else';
  return isWaiting ? undefined : 'it no longer waits: its registration has turned up, or it was acknowledged';
}

/** The account is shown by its end; @param one that waits */
export function callbackItem(one: UnknownCallback, asker?: Asker): QueueItem {
  const { id, callback, receivedAtMs } = one;
  const { vendorId, companyId, accountNo } = callback.identity;
  return {
    kind: 'callback',
    key: String(id),
    version: versionOfCallback(one),
    title: `${vendorId}, ${companyId}, account ${maskDigits(accountNo)}: ${callback.outcome}`,
    sinceMs: receivedAtMs,
    ...noMoney,
    reason: 'the bank has told of a registration that was not sent from here',
    remedy:
      'See whether it was made by other means, or by another program; a file with it is held until a person has looked; acknowledge it once it is no longer needed',
    options: optionsOf(asker, ['acknowledge'], (decision) => decideUnknownCallback(decision, true)),
  };
}
