/** Registrations that wait for a person: rows, and callbacks of unknown registrations. */
import { asMessage, inEnglish } from '../../core/message.ts';
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
    title: `${registrationId} (row ${row.rowNo} of batch ${batchId})`,
    sinceMs,
    ...noMoney,
    reason: reason ?? asMessage(`it is ${row.status}`),
    remedy: inEnglish(remedyOfRegistration(row)),
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
export function decideUnknownCallback(decision: Decision, isWaiting: boolean): string | undefined {
  if (decision !== 'acknowledge')
    return 'a callback of an unknown registration can be taken note of, and nothing else';
  return isWaiting
    ? undefined
    : 'it no longer waits: its registration was found, or it was acknowledged before';
}

/** Shows a waiting callback, with the last digits of its account. @param one a callback that waits */
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
    reason: 'the bank has called back about a registration that this journal has not sent',
    remedy:
      'Find out whether it was made by other means or by another program. A file with it is held until a person decides; acknowledge it once it is explained',
    options: optionsOf(asker, ['acknowledge'], (decision) => decideUnknownCallback(decision, true)),
  };
}
