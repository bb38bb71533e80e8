/**
 * Similar payouts and payoutIds: the same amount to the same payee under another payoutId may be a mistake, so a person
 * looks first.
 */
import { counted, message, type Message } from '../../core/message.ts';
import { showCount } from '../../core/figures.ts';
import { dayMs, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { showCell } from '../../core/cell-text.ts';
import { decideHold } from '../../core/change.ts';
import { moneyMoved, type Payout, type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import type { Change, EarlierPayment, PaymentLikeness } from '../../core/ports.ts';

/** Statuses in which an earlier payout was paid or may be, so that a like one is held. */
export const mayBePaidStatuses: readonly PayoutStatus[] = payoutStatuses.filter(
  (status) => moneyMoved(status) !== 'no',
);

/** The payment to search for before a payout's intent; undefined when the setting is 0, or an operator has looked. */
export function likenessOf(
  { instruction, acceptedHolds }: Payout,
  companyId: string,
  /** limits.similarDays: days of 24 hours to search back; 0 turns the search off. */
  days: number,
  nowMs: number,
): PaymentLikeness | undefined {
  if (days === 0 || acceptedHolds.includes('similar')) return undefined;
  const { payoutId, proxyType, proxyNo, amountSatang, reference1 } = instruction;
  const payment = { payoutId, proxyType, proxyNo, amountSatang, reference1 };
  return { companyId, ...payment, sinceMs: nowMs - days * dayMs };
}

/** Holds a ready payout that is like an earlier one, and names that one. */
export function decideSimilarHold(payout: Payout, earlier: EarlierPayment, nowMs: number): Change {
  const { batchId, rowNo } = earlier;
  const day = formatBangkokDateTime(earlier.submittedAtMs).slice(0, 10);
  const isPaid = moneyMoved(earlier.status) === 'yes';
  const place = message('row.sent', { row: rowNo, file: earlier.fileName, batch: batchId, day });
  const text = message(isPaid ? 'reason.paid-the-same' : 'reason.maybe-paid-the-same', {
    payoutId: showCell(earlier.payoutId),
    place,
  });
  const change = decideHold(payout, 'similar', { code: 'similar-payment', text }, nowMs);
  const detail = { ...change.event.detail, earlier: { batchId, rowNo, status: earlier.status } };
  return { ...change, event: { ...change.event, detail } };
}

/** A number without letters, with zeros as decimals: 1001.0, 1,001.00; with a decimal comma 1001,0 and 1.001,00. */
const zeroDecimals = /^(\d[\d,' ]*)\.0+$|^(?!\d{1,3},000$)(\d[\d.' ]*),0+$/;

/**
 * A number in the exponent form of spreadsheets (1.2E+05) and programs (1.2E5); a hexadecimal code (12E5, 1e10) does
 * not match.
 */
const exponential = /^(\d)(?:[.,](\d*?)0*e\+?|e\+)(\d{1,2})$/;

/** Longest cell that is a number; longer ones are rejected. */
const numberCharactersMax = 80;

/** The digits of an id that was converted to a number on its way; any other id unchanged. */
function undoNumber(id: string): string {
  if (id.length > numberCharactersMax) return id;
  const bare = id.replaceAll(/^[^0-9a-z]+|[^0-9a-z]+$/g, '');
  const [, first = '', others = '', exponent = ''] = exponential.exec(bare) ?? [];
  if (first !== '' && others.length <= Number(exponent))
    return (first + others).padEnd(Number(exponent) + 1, '0');
  return bare.replace(zeroDecimals, '$1$2');
}

/**
 * The common key of ids that differ only by what spreadsheets, programs and retyping change: case, leading zeros,
 * decimals of zeros, an exponent, punctuation and blanks. The journal stores it beside each id.
 */
export function computeSimilarKey(id: string): string {
  return undoNumber(id.toLowerCase())
    .replaceAll(/[^0-9a-z]+/g, '')
    .replace(/^0+/, '');
}

/** Least number of like rows for which a file is held as a whole. */
const likeRowsMin = 5;

/** The likeness of a file: its rows in common with other files that are paid or under way. */
export interface FileLikeness {
  /** Rows to be paid. */
  readonly rows: number;
  /** Rows whose payee and amount another file has, too. */
  readonly likeRows: number;
  /** The other file with the most of them. */
  readonly other: { readonly batchId: string; readonly fileName: string; readonly rows: number };
}

/** Codes of rows held with their whole file: a row that is like another, and one that only stands in the same file. */
export const likeFileCodes = { like: 'like-file', other: 'in-like-file' } as const;

/**
 * Reason why a whole file waits for an operator: it may repeat another file under new payoutIds. Undefined when it need
 * not wait.
 */
export function findLikeFile({ rows, likeRows, other }: FileLikeness): Message | undefined {
  if (likeRows < likeRowsMin || likeRows * 2 < rows) return undefined;
  return message('reason.like-file', {
    likeRows: showCount(likeRows),
    rows: counted(rows, 'row'),
    otherRows: showCount(other.rows),
    file: showCell(other.fileName),
    batch: other.batchId,
  });
}

/** The row that a sealed one conflicts with, named like the store's columns. */
interface ClashingRow {
  readonly other_batch_id: string;
  readonly other_row_no: number;
  readonly other_file_name: string;
  readonly other_status: PayoutStatus;
}

export function describePlace(other: ClashingRow, batchId: string): Message {
  const { other_row_no: row, other_batch_id: batch, other_file_name: file } = other;
  return batch === batchId
    ? message('row.of-file', { row })
    : message('row.of-other-file', { row, file, batch });
}

/** Reason why a row whose payoutId is taken is not paid. */
export const describeClaimed = (other: ClashingRow, batchId: string): Message =>
  message('reason.claimed', {
    place: describePlace(other, batchId),
    status: message(`payout-is.${other.other_status}`),
    advice: adviseClaimed(other.other_status),
  });

/** Advice for a payoutId that was sent again, by the status of the row that has it. */
export function adviseClaimed(status: PayoutStatus): Message {
  switch (status) {
    case 'ready':
    case 'held':
      return message('claimed-by.waiting');
    case 'cancelled':
      return message('claimed-by.cancelled');
    case 'staged':
    case 'rejected':
    case 'unpayable':
    case 'submitted':
    case 'paid':
    case 'failed':
    case 'unresolved':
    case 'disputed':
      return message('claimed-by.sent');
  }
}
