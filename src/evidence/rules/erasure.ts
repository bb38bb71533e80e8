/**
 * Decides what may be erased of a row, and when: every cell that names its payee, anywhere in the journal. The kind of
 * the row, its amount, its times, and every hash stay; commitments replace the erased data.
 */
import { dayMs } from '../../core/bangkok-time.ts';
import { type Attempt, finalStatuses, type PayoutStatus } from '../../core/payout.ts';
import type { Batch, ResultRow } from '../../core/ports.ts';
import { decodeLine, encodeLine } from '../../reconcile/rules/statement.ts';
import { eraseNames } from '../../review/rules/payout-chain.ts';

/** Cells of a row in its file, as an empty list. */
export const erasedCells = '[]';

/** New name of a file that was stored as evidence for the row alone. */
export const erasedFileName = 'erased';

/** Days after which statements, complaints and decisions no longer need the payee. */
const erasableAfterDays = 90;

/** A disputed row has not ended: its payee may still have to be asked. */
const isEnded = (status: PayoutStatus): boolean => finalStatuses.includes(status) && status !== 'disputed';

/** The fields of a row that these rules use. */
interface EndedRow {
  readonly row: Pick<ResultRow, 'status' | 'isAlarm'>;
  readonly batch: Pick<Batch, 'status' | 'startedAtMs'>;
  readonly attempts: readonly Pick<Attempt, 'status' | 'nextInquiryAtMs'>[];
  readonly events: readonly { readonly atMs: number }[];
}

/** Reason why a row keeps its personal cells, in words that follow "it". */
export function whyNotErase({ row, batch, attempts, events }: EndedRow, nowMs: number): string | undefined {
  const isOpen = attempts.some(
    ({ status, nextInquiryAtMs }) =>
      nextInquiryAtMs !== null || !['paid', 'failed', 'refused'].includes(status),
  );
  if (!isEnded(row.status) || isOpen) return `is ${row.status}: what may still be paid keeps its payee`;
  if (row.isAlarm) return 'has an alarm: that needs the payee';
  if (batch.status !== 'done') return `is of a batch that is ${batch.status}`;
  const lastMs = Math.max(batch.startedAtMs, ...events.map(({ atMs }) => atMs));
  return nowMs - lastMs < erasableAfterDays * dayMs
    ? `has changed within ${erasableAfterDays} days: statements and complaints may come yet`
    : undefined;
}

const erasedPayee = { proxyNo: '', reference1: '', reference2: '' };

/** Erases a stored line of a statement. */
export const eraseLine = (text: string): string =>
  encodeLine({ ...decodeLine(text), ...erasedPayee, proxyName: '', proxyNameTh: '' });

/** Erases the attempt of a break, given as JSON. */
export function eraseBreakAttempt(text: string): string {
  const attempt = JSON.parse(text) as { readonly order: object };
  const order = { ...attempt.order, ...erasedPayee, proxyName: null };
  return JSON.stringify({ ...attempt, order });
}

/** The detail of an event without the facts about its payee. */
interface ErasedDetail {
  readonly detail: string;
  /** For an intent: the hash of the order, and its replacement. */
  readonly orderHash: { readonly before: string; readonly after: string } | undefined;
}

/**
 * Erases from an event's detail the hash of the order, which would permit guessing the number, and the bank's name of
 * the payee.
 * @returns undefined for any other event
 */
export function erasePayeeOf(detail: string): ErasedDetail | undefined {
  const said = JSON.parse(detail) as {
    readonly orderHash?: unknown;
    readonly bankNames?: unknown;
  };
  const tells = typeof said.orderHash === 'string' || typeof said.bankNames === 'string';
  if (!tells) return undefined;
  const erased = eraseNames(detail);
  if (typeof said.orderHash !== 'string') return { detail: erased, orderHash: undefined };
  const { orderHash } = JSON.parse(erased) as { readonly orderHash: { readonly sha256: string } };
  return { detail: erased, orderHash: { before: said.orderHash, after: orderHash.sha256 } };
}
