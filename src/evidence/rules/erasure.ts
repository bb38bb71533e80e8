/**
 * What of a row may be erased, and when: everything that names its payee, wherever it stands in the journal. What the row
 * was, what it paid and when, and every hash stay; commitments stand for what is gone.
 */
import { dayMs } from '../../core/bangkok-time.ts';
import { type Attempt, finalStatuses, type PayoutStatus } from '../../core/payout.ts';
import type { Batch, ResultRow } from '../../core/ports.ts';
import { decodeLine, encodeLine } from '../../reconcile/rules/statement.ts';
import { eraseNames } from '../../review/rules/payout-chain.ts';

/** Of a row as its file has it: as a list without cells. */
export const erasedCells = '[]';

/** What a file is called that was kept as evidence for the row alone. */
export const erasedFileName = 'erased';

/** Statements that come late, complaints and decisions need the payee: by then they are over. */
export const erasableAfterDays = 90;

/** Of a disputed one somebody may still have to ask its payee. */
const isEnded = (status: PayoutStatus): boolean => finalStatuses.includes(status) && status !== 'disputed';

/** A row as far as these rules look at it. */
interface EndedRow {
  readonly row: Pick<ResultRow, 'status' | 'isAlarm'>;
  readonly batch: Pick<Batch, 'status' | 'startedAtMs'>;
  readonly attempts: readonly Pick<Attempt, 'status' | 'nextInquiryAtMs'>[];
  readonly events: readonly { readonly atMs: number }[];
}

/** Why a row keeps its personal cells, in words that follow "it". */
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

const nobody = { proxyNo: '', reference1: '', reference2: '' };

/** A line of a statement, as it is kept. */
export const eraseLine = (text: string): string =>
  encodeLine({ ...decodeLine(text), ...nobody, proxyName: '', proxyNameTh: '' });

/** The attempt of a break, as JSON. */
export function eraseBreakAttempt(text: string): string {
  const attempt = JSON.parse(text) as { readonly order: object };
  const order = { ...attempt.order, ...nobody, proxyName: null };
  return JSON.stringify({ ...attempt, order });
}

/** The detail of an event without what tells of its payee. */
export interface ErasedDetail {
  readonly detail: string;
  /** Of the event of an intent: the hash of what was sent, and what is left in its place. */
  readonly orderHash: { readonly before: string; readonly after: string } | undefined;
}

/**
 * The detail of an event without the hash of what was sent, by which the number could be tried out, and without the name
 * by which the bank knows the payee.
 * @returns undefined of any other event, and of one that an older program has written
 */
export function erasePayeeOf(detail: string): ErasedDetail | undefined {
  const said = JSON.parse(detail) as {
    readonly orderHash?: unknown;
    readonly bankNames?: unknown;
    readonly salt?: unknown;
  };
  const tells = typeof said.orderHash === 'string' || typeof said.bankNames === 'string';
  if (!tells || typeof said.salt !== 'string') return undefined;
  const erased = eraseNames(detail);
  if (typeof said.orderHash !== 'string') return { detail: erased, orderHash: undefined };
  const { orderHash } = JSON.parse(erased) as { readonly orderHash: { readonly sha256: string } };
  return { detail: erased, orderHash: { before: said.orderHash, after: orderHash.sha256 } };
}
