/** Registrations that wait for a person: rows, and callbacks of unknown registrations. */
import { type Message, message } from '../../core/message.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { RegistrationCallback } from '../../registration/rules/callback.ts';
import type { RegistrationOption } from '../../registration/rules/decisions.ts';
import type { RegistrationRow } from '../../registration/rules/registration-batch.ts';
import { describeRegistrationReason, remedyOfRegistration } from '../../registration/rules/report-rows.ts';
import { type Asker, optionsOf, type QueueItem } from './queue.ts';
import type { Decision } from './terms.ts';

/** A registration in the queue. */
interface QueuedRegistration {
  readonly row: RegistrationRow;
  readonly batchId: string;
  readonly sinceMs: number;
  readonly options: readonly RegistrationOption[];
}

/** A registration moves no money. */
const noMoney = { amountSatang: null, moneyMoved: 'no' } as const;

/** Lists the possible decisions only: the page of the registration explains the rest. */
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
    title: message('target.row', { id: registrationId, row: row.rowNo, batch: batchId }),
    sinceMs,
    ...noMoney,
    reason: reason ?? message('queue.it-is', { status: message(`registration-is.${row.status}`) }),
    remedy: remedyOfRegistration(row),
    options: optionsOf(asker, possible, () => undefined, 'registration'),
  };
}

/** A kept callback whose registration is unknown. */
interface UnknownCallback {
  readonly id: number;
  readonly callback: RegistrationCallback;
  readonly receivedAtMs: number;
}

export const versionOfCallback = ({ receivedAtMs }: Pick<UnknownCallback, 'receivedAtMs'>): string =>
  String(receivedAtMs);

/** The reason why a decision on a callback is impossible; undefined when it is possible. */
export function decideUnknownCallback(decision: Decision, isWaiting: boolean): Message | undefined {
  if (decision !== 'acknowledge') return message('callback.decisions');
  return isWaiting ? undefined : message('callback.waits-no-more');
}

/** Shows a waiting callback, with the last digits of its account. @param one a callback that waits */
export function callbackItem(one: UnknownCallback, asker?: Asker): QueueItem {
  const { id, callback, receivedAtMs } = one;
  const { vendorId, companyId, accountNo } = callback.identity;
  return {
    kind: 'callback',
    key: String(id),
    version: versionOfCallback(one),
    title: message('target.account-outcome', {
      company: `${vendorId}, ${companyId}`,
      account: maskDigits(accountNo),
      outcome: message(`registration-is.${callback.outcome}`),
    }),
    sinceMs: receivedAtMs,
    ...noMoney,
    reason: message('queue.unknown-callback'),
    remedy: message('queue.explain-callback'),
    options: optionsOf(asker, ['acknowledge'], (decision) => decideUnknownCallback(decision, true)),
  };
}
