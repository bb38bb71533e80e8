/** Files that were written to after their rows had been read: when to look at them, and the words about them. */
import { counted, type Message, message } from '../../core/message.ts';
import { showAmount } from '../../core/figures.ts';
import { joinCommand } from '../../core/command-line.ts';
import { printable } from '../../core/outgoing-text.ts';
import type { BatchReason } from '../../core/ports.ts';

/** The state of a file that was written to after its rows had been read. */
export interface FileGrowth {
  /** SHA-256 (hex) of the whole file; dropping these bytes again ends the alarm. */
  readonly sha256: string;
  readonly bytes: number;
  /** The number of unread, and so unpaid, rows; null where they cannot be told from the read ones. */
  readonly rows: number | null;
  /** The amount of these rows, in decimal baht; null where they have none. */
  readonly amount: string | null;
  /** The first of their ids. */
  readonly payoutIds: readonly string[];
  readonly seenAtMs: number;
  /** The absolute path of the whole file, where a copy of it was worked. */
  readonly original?: string;
  /** Writing has ended, and the notice is sent. */
  readonly isTold: boolean;
}

/** A file whose rows were read; it is watched until no writer can still have it open. */
export interface TakenFile {
  readonly itemId: string;
  readonly batchId: string;
  readonly fileName: string;
  /** The absolute path of its bytes. */
  readonly path: string;
  /** The inode, which survives a rename and a restart, unlike a device's number. */
  readonly inode: string;
  /** The number of bytes that were read. */
  readonly bytes: number;
  readonly sha256: string;
  /** The end of the watching; null while the file stands in work/. */
  readonly untilMs: number | null;
  readonly isWatched: boolean;
  readonly growth: FileGrowth | null;
  /** Left out for a file of payouts. */
  readonly kind?: 'registration' | undefined;
}

/** The facts of `stat`. */
interface Held {
  readonly uid: bigint;
  readonly nlink: bigint;
}

/**
 * True for a file that another user may still change after the claim: its owner is neither root nor this process's
 * user, or it has a second link.
 * @param userId undefined where the system has no owners
 */
export const isHeldByOthers = ({ uid, nlink }: Held, userId: number | undefined): boolean =>
  nlink > 1n || (userId !== undefined && uid !== 0n && uid !== BigInt(userId));

/** The time of watching. A writer that pauses for longer writes into a file that was archived long ago. */
export const watchedForMs = 3_600_000;
/** The time without writing after which the notice of additions is sent. */
export const stillForMs = 10_000;
/** The time since archiving after which a file is checked less often. */
const freshForMs = 300_000;
const lookEveryMs = { fresh: 2_000, old: 60_000 } as const;

/** True when a file is to be checked now. @param lastLookMs undefined for a file that this process has not checked */
export function isLookDue(
  { untilMs, growth }: Pick<TakenFile, 'untilMs' | 'growth'>,
  lastLookMs: number | undefined,
  nowMs: number,
): boolean {
  if (lastLookMs === undefined || lastLookMs > nowMs) return true;
  const isFresh = growth?.isTold === false || untilMs === null || untilMs - nowMs > watchedForMs - freshForMs;
  return nowMs - lastLookMs >= (isFresh ? lookEveryMs.fresh : lookEveryMs.old);
}

/** True when the time of watching is over; an end further off comes from a clock that was set back. */
export const isWatchOver = ({ untilMs }: Pick<TakenFile, 'untilMs'>, nowMs: number): boolean =>
  untilMs !== null && (nowMs >= untilMs || untilMs - nowMs > watchedForMs);

/** Describes the unpaid rows: `50 rows of 500.00 baht (A51, A52, …)`. */
function describeRows(
  { rows, amount, payoutIds, bytes }: FileGrowth,
  before: number,
  kind: TakenFile['kind'],
): Message {
  if (rows === null) return message('growth.replaced', { before, bytes });
  const number = counted(rows, 'row');
  const worth =
    amount === null ? number : message('growth.of-amount', { rows: number, amount: showAmount(amount) });
  const ids = `${payoutIds.join(', ')}${rows > payoutIds.length ? ', …' : ''}`;
  const named = payoutIds.length === 0 ? worth : message('growth.with-ids', { rows: worth, ids });
  return message(`growth.${kind ?? 'payout'}${rows === 1 ? '' : 's'}-added`, { rows: named });
}

/** Describes the growth in one sentence, for a notice, `/healthz` and `status`. */
export const describeGrowth = (
  { fileName, batchId, bytes, kind }: Pick<TakenFile, 'fileName' | 'batchId' | 'bytes' | 'kind'>,
  growth: FileGrowth,
): Message =>
  message('growth.file', {
    file: printable(fileName),
    batch: batchId,
    what: describeRows(growth, bytes, kind),
  });

/** The cure for a grown file; one that still stands in work/ ends in rejected/. */
export function remedyOfGrowth(
  { batchId, path, untilMs, kind }: Pick<TakenFile, 'batchId' | 'path' | 'untilMs' | 'kind'>,
  { original }: FileGrowth,
): Message {
  const isOnItsWay = original === undefined && untilMs === null;
  return message('growth.drop-whole-file', {
    whole: isOnItsWay ? message('growth.from-rejected') : joinCommand(printable(original ?? path)),
    inbox: message(kind === 'registration' ? 'growth.registrations-inbox' : 'health.inbox'),
    others: describeOthers(batchId, kind),
    batch: batchId,
  });
}

/** The end of a whole file that is dropped again. */
export const describeOthers = (batchId: string, kind: TakenFile['kind']): Message =>
  message(kind === 'registration' ? 'growth.other-registrations' : 'growth.other-payouts', {
    batch: batchId,
  });

/** The reason of a halt for a batch whose file has grown before any row was sent. */
export const grownReason = ({
  batchId,
  fileName,
  rows,
}: {
  readonly batchId: string;
  readonly fileName: string;
  readonly rows: number;
}): BatchReason => ({
  code: 'file-grown',
  reason: message('batch.file-grown', { file: printable(fileName), rows: counted(rows, 'row') }),
  remedy: message(rows === 1 ? 'batch.have-whole-file.one' : 'batch.have-whole-file.many', {
    batch: batchId,
    rows: counted(rows, 'row'),
  }),
});
