/** A file to which somebody wrote after its rows had been read: when it is looked at, and what is said of it. */
import { countOf, showAmount } from '../../core/figures.ts';
import { printable } from '../../core/outgoing-text.ts';
import type { BatchReason } from '../../core/ports.ts';

/** What a file is now to which somebody wrote after its rows had been read. */
export interface FileGrowth {
  /** Of the whole file: dropped again as it is, it ends the alarm. */
  readonly sha256: string;
  readonly bytes: number;
  /** Rows that were not read, and so not paid; null where they cannot be told from those that were. */
  readonly rows: number | null;
  /** Of these rows, in decimal baht; null where they have none. */
  readonly amount: string | null;
  /** The first of them. */
  readonly payoutIds: readonly string[];
  readonly seenAtMs: number;
  /** Where the whole file stands, absolute, while a copy of it was worked. */
  readonly original?: string;
  /** Nobody writes to it any more, and its notice is made. */
  readonly isTold: boolean;
}

/** A file whose rows were read: it is looked at again until nobody can still have it open. */
export interface TakenFile {
  readonly itemId: string;
  readonly batchId: string;
  readonly fileName: string;
  /** Where its bytes stand, absolute. */
  readonly path: string;
  /** Survives a rename and a restart, as a device's number does not. */
  readonly inode: string;
  /** Of the bytes that were read. */
  readonly bytes: number;
  readonly sha256: string;
  /** Looked at until then; null while it stands in work/. */
  readonly untilMs: number | null;
  readonly isWatched: boolean;
  readonly growth: FileGrowth | null;
  /** Left out of a file of payouts. */
  readonly kind?: 'registration' | undefined;
}

/** Of `stat`. */
interface Held {
  readonly uid: bigint;
  readonly nlink: bigint;
}

/**
 * True for a file that somebody else may still change once it is ours: it belongs to another user than root and this
 * process's, or has a second name elsewhere. @param userId undefined where the system has no owners
 */
export const isHeldByOthers = ({ uid, nlink }: Held, userId: number | undefined): boolean =>
  nlink > 1n || (userId !== undefined && uid !== 0n && uid !== BigInt(userId));

/** A writer that pauses for longer writes into a file that was archived long ago. */
export const watchedForMs = 3_600_000;
/** Nobody has written to it for so long: what was added is told. */
export const stillForMs = 10_000;
/** Files that were archived longer ago than this are looked at less often. */
const freshForMs = 300_000;
const lookEveryMs = { fresh: 2_000, old: 60_000 } as const;

/** True when a file is to be looked at now. @param lastLookMs undefined for never, in this process */
export function isLookDue(
  { untilMs, growth }: Pick<TakenFile, 'untilMs' | 'growth'>,
  lastLookMs: number | undefined,
  nowMs: number,
): boolean {
  if (lastLookMs === undefined || lastLookMs > nowMs) return true;
  const isFresh = growth?.isTold === false || untilMs === null || untilMs - nowMs > watchedForMs - freshForMs;
  return nowMs - lastLookMs >= (isFresh ? lookEveryMs.fresh : lookEveryMs.old);
}

/** True when the hour is over; one that lies further off than that was counted by a clock since set back. */
export const isWatchOver = ({ untilMs }: Pick<TakenFile, 'untilMs'>, nowMs: number): boolean =>
  untilMs !== null && (nowMs >= untilMs || untilMs - nowMs > watchedForMs);

/** What was not paid: `50 rows of 500.00 baht (A51, A52, …)`. */
function describeRows(
  { rows, amount, payoutIds, bytes }: FileGrowth,
  before: number,
  kind: TakenFile['kind'],
): string {
  if (rows === null)
    return `it had ${before} bytes and has ${bytes}, and what it holds now is not what was read with rows added`;
  const names =
    payoutIds.length === 0 ? '' : ` (${payoutIds.join(', ')}${rows > payoutIds.length ? ', …' : ''})`;
  const worth = amount === null ? '' : ` of ${showAmount(amount)} baht`;
  const undone = kind === 'registration' ? 'registered' : 'paid';
  return `${countOf(rows, 'row')}${worth}${names} ${rows === 1 ? 'was' : 'were'} added, and not ${undone}`;
}

/** In one sentence, for a notice, `/healthz` and `status`. */
export function describeGrowth(
  { fileName, batchId, bytes, kind }: Pick<TakenFile, 'fileName' | 'batchId' | 'bytes' | 'kind'>,
  growth: FileGrowth,
): string {
  return `${printable(fileName)} was written to after batch ${batchId} had been read from it: ${describeRows(growth, bytes, kind)}`;
}

/** The cure. */
export function remedyOfGrowth(
  { batchId, path, kind }: Pick<TakenFile, 'batchId' | 'path' | 'kind'>,
  { original = path }: FileGrowth,
): string {
  const others =
    kind === 'registration'
      ? 'refused by their registrationIds, the others are registered'
      : 'refused by their payoutIds, the others are paid';
  const inbox = kind === 'registration' ? 'inbox/registrations' : 'the inbox';
  return (
    `Have the partner send the whole file again, or drop ${printable(original)} into ${inbox}: rows of batch ${batchId} are ` +
    `${others}. "paydrop verify ${batchId} --seen" ends the alarm otherwise`
  );
}

/** Why a batch is halted whose file has grown before anything of it was sent. */
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
  reason: `${printable(fileName)} was written to after its ${countOf(rows, 'row')} had been read: nothing of it was sent`,
  remedy:
    `Have the whole file: "paydrop resume ${batchId}" pays the ${countOf(rows, 'row that was', 'rows that were')} read, and the whole file, dropped ` +
    `again, the others. If these rows are wrong: "paydrop cancel ${batchId}"`,
});
