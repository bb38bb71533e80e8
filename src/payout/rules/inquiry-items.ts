/**
 * Reads the items of an inquiry (§2.6) about a transfer: each by all its codes together, compared with the sends, since
 * a reference may have been used more than once.
 */
import { message, verbatim } from '../../core/message.ts';
import type { InquiryItem } from '../../core/bank-port.ts';
import type { Reason } from '../../core/change.ts';
import { keepBankText } from '../../core/outgoing-text.ts';
import type { Attempt, TransferOrder } from '../../core/payout.ts';
import {
  agreeOn,
  type CodeMeaning,
  findBankStatus,
  readStatusCode,
  readTransferStatus,
} from '../../core/status-codes.ts';

/** The fields of a send that identify its item. */
export type AskedSend = Pick<TransferOrder, 'tranDate' | 'tranTime' | 'reference1'>;

/** Day and time of a send (§2.5) as its item shows them; both empty when the item lacks one. */
type SendMoment = Pick<TransferOrder, 'tranDate' | 'tranTime'>;

/** The transfer that an inquiry asks about. */
export interface AskedTransfer {
  readonly transRefNo: string;
  /** Sends under this reference, oldest first; empty when they are unknown, so that any item counts. */
  readonly sends: readonly AskedSend[];
}

export type ItemsReading =
  | {
      readonly kind: 'complete';
      readonly reason: Reason;
      readonly sysRefNo: string | null;
      /** The completed send; null when the item does not identify it. */
      readonly send: AskedSend | null;
      readonly moments: readonly SendMoment[];
      /** The bank shows two completed transfers under this reference: paid twice. */
      readonly isTwice: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly reason: Reason;
      readonly sysRefNo: string | null;
      /** Sends that the bank shows as failed; empty when the sends are unknown. */
      readonly sends: readonly AskedSend[];
      readonly moments: readonly SendMoment[];
      /** False when the last send is not among them: its outcome is open. */
      readonly isOfLast: boolean;
    }
  | { readonly kind: 'in-process'; readonly reason: Reason; readonly moments: readonly SendMoment[] };

/** True when two sends have the same day and time. */
export const isSameSend = (one: SendMoment, other: SendMoment): boolean =>
  one.tranDate === other.tranDate && one.tranTime === other.tranTime;

/** The attempt that an answer names by its day and time; undefined when it names none of these. */
export const findNamed = (attempts: readonly Attempt[], send: AskedSend | null): Attempt | undefined =>
  attempts.find(({ order }) => send !== null && isSameSend(order, send));

/** True when the bank shows this send as failed. */
export function isShownFailed(
  reading: ItemsReading | { readonly kind: 'not-found' | 'nothing-said' },
  send: AskedSend,
): boolean {
  if (reading.kind !== 'failed') return false;
  const { sends, isOfLast } = reading;
  return sends.length === 0 ? isOfLast : sends.some((failed) => isSameSend(failed, send));
}

/**
 * Reads the items with our transRefNo: paid when one proves it, failed when all say so, in process otherwise. Undefined
 * without such items.
 */
export function readItems(
  items: readonly InquiryItem[],
  { transRefNo, sends }: AskedTransfer,
): ItemsReading | undefined {
  const ours = items.filter((item) => item.transRefNo === transRefNo);
  const completed = ours.filter((item) => readItem(item) === 'paid');
  const [complete] = completed;
  if (complete !== undefined) {
    const { sysRefNo = null } = complete;
    const facts = {
      send: findSend(complete, sends),
      moments: completed.map(momentOf),
      isTwice: areSeveral(completed),
    };
    return { kind: 'complete', reason: reasonOf(complete), sysRefNo, ...facts };
  }
  const contradiction = ours.find((item) => readItem(item) === 'contradiction');
  if (contradiction !== undefined) return inProcess(contradiction, contradictionOf(contradiction));
  const open = ours.find((item) => readItem(item) === 'open');
  if (open !== undefined) return inProcess(open, reasonOf(open));
  const last = sends.at(-1);
  const failed = ours.findLast((item) => last === undefined || isOf(item, last, sends));
  const shown = failed ?? ours.at(-1);
  if (shown === undefined) return undefined;
  return {
    kind: 'failed',
    reason: failed === undefined ? failedElsewhere : reasonOf(failed),
    sysRefNo: shown.sysRefNo ?? null,
    sends: sends.filter((send) => ours.some((item) => isOf(item, send, sends))),
    moments: ours.map(momentOf),
    isOfLast: failed !== undefined,
  };
}

const inProcess = (item: InquiryItem, reason: Reason): ItemsReading => ({
  kind: 'in-process',
  reason,
  moments: [momentOf(item)],
});

const momentOf = ({ tranDate, tranTime }: InquiryItem): SendMoment =>
  tranDate === undefined || tranTime === undefined ? { tranDate: '', tranTime: '' } : { tranDate, tranTime };

/** True when every item of a reading belongs to one of these sends, by day and time. */
export const areOf = (moments: readonly SendMoment[], sends: readonly SendMoment[]): boolean =>
  moments.length > 0 && moments.every((moment) => sends.some((send) => isSameSend(send, moment)));

/**
 * The meaning of all codes of an item. Beside a failure, a code that the interface lacks, or that says success of any
 * kind, leaves it open.
 */
function readItem({ tranStatusCode, statusCode }: InquiryItem): CodeMeaning | 'contradiction' {
  const status = readTransferStatus(tranStatusCode);
  const isUnclear =
    statusCode !== undefined && (statusCode === 'IC001' || findBankStatus(statusCode) === undefined);
  return agreeOn(status, status === 'failed' && isUnclear ? 'open' : readStatusCode(statusCode));
}

/** The transfer's own code if the item has one, else its tranStatusCode. */
function reasonOf({ statusCode, statusDesc, tranStatusCode, tranStatusDesc }: InquiryItem): Reason {
  const said = statusDesc ?? tranStatusDesc;
  const code = statusCode ?? tranStatusCode ?? 'no-status';
  if (said !== undefined) return { code, text: verbatim(keepBankText(said)) };
  const isMissing = tranStatusCode === undefined;
  const text = isMissing
    ? message('reply.transfer-status-missing')
    : message('reply.transfer-status', { code: keepBankText(tranStatusCode) });
  return { code, text };
}

const contradictionOf = ({ tranStatusCode, statusCode }: InquiryItem): Reason => ({
  code: 'contradictory-item',
  text: message('reply.contradictory-item', { status: tranStatusCode ?? '', code: statusCode ?? '' }),
});

const failedElsewhere: Reason = {
  code: 'failed-elsewhere',
  text: message('reply.failed-elsewhere'),
};

/** True when the items are of different transfers; the same one may be listed twice. */
function areSeveral(items: readonly InquiryItem[]): boolean {
  const areNamed = items.every(({ sysRefNo }) => sysRefNo !== undefined);
  const names = items.map((item) => (areNamed ? item.sysRefNo : `${item.tranDate} ${item.tranTime}`));
  return new Set(names).size > 1;
}

/** Sends of the item's day; all when the item has none. */
function sendsOfDay({ tranDate }: InquiryItem, sends: readonly AskedSend[]): readonly AskedSend[] {
  return tranDate === undefined ? sends : sends.filter((send) => send.tranDate === tranDate);
}

/** The only send of the item's day; on a day with several, the only one of its time. */
function findSend(item: InquiryItem, sends: readonly AskedSend[]): AskedSend | null {
  const ofDay = sendsOfDay(item, sends);
  const possible = ofDay.length === 1 ? ofDay : ofDay.filter(({ tranTime }) => tranTime === item.tranTime);
  return possible.length === 1 ? (possible[0] ?? null) : null;
}

/** True when an item belongs to this send: by day, by time on a day with several, and by reference 1. */
const isOf = (item: InquiryItem, send: AskedSend, sends: readonly AskedSend[]): boolean =>
  findSend(item, sends) === send && hasReference(item, send);

const hasReference = (item: InquiryItem, send: AskedSend): boolean =>
  item.reference1 === undefined || item.reference1.trim() === (send.reference1 ?? '').trim();
