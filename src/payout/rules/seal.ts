/**
 * The seal: a batch is paid as it was sealed. The digest of each row's instruction is compared when its intent is made,
 * and that of the whole batch before its first send and after its last. A difference means damage, or a change from
 * outside the program.
 */
import { showBaht, showCount } from '../../core/figures.ts';
import { counted, listed, type Message, message } from '../../core/message.ts';
import type { Satang } from '../../core/money.ts';
import type { Payout } from '../../core/payout.ts';
import type { Batch, BatchReason } from '../../core/ports.ts';
import { computeInstructionDigest } from '../../core/reference.ts';
import type { KeptSeal } from './journal-place.ts';

/** Totals of all rows of a batch, and digests over them. */
interface BatchSeal {
  readonly rows: number;
  /** Sum of the readable amounts. */
  readonly totalSatang: Satang;
  /** Digest over the digests of all sealed instructions, in row order. */
  readonly digest: string | null;
  /** Digest over the digests of the versions that came into force later, in that order; null when there is none. */
  readonly versionsDigest: string | null;
}

/** The seals of a batch, for comparison. */
export interface SealReading {
  /** Seal as recorded in the journal. */
  readonly recorded: BatchSeal;
  /** Seal as the rows show it now. */
  readonly present: BatchSeal;
  /** Values of `versionsDigest` after each later version, as the versions show them now. */
  readonly versionsDigests: readonly string[];
  /** Seals as stored outside the journal, as far as readable; a copy may lack the latest versions. */
  readonly kept: readonly KeptSeal[];
}

/** Code for a journal whose sealed rows were changed. */
export const journalChanged = 'journal-changed';

const remedy = message('seal.find-out', { restore: message('journal.restore-backup') });

/** Reason why a row may not be sent; undefined when it is as sealed. */
export function findChangedRow(
  { payout, digest }: { readonly payout: Payout; readonly digest: string | null },
  { companyId, batchId }: Batch,
): BatchReason | undefined {
  const { rowNo, instruction } = payout;
  if (digest === computeInstructionDigest({ companyId, batchId, rowNo }, instruction)) return undefined;
  const reason = message('seal.row-changed', { row: rowNo, batch: batchId });
  return { code: journalChanged, reason, remedy };
}

/** Reason why nothing of a batch may be sent; undefined when all of it is as sealed. */
export function findChangedBatch(
  batchId: string,
  { recorded, present, versionsDigests, kept }: SealReading,
): BatchReason | undefined {
  const differences: Message[] = [];
  if (recorded.rows !== present.rows)
    differences.push(
      message('seal.other-rows', { rows: counted(present.rows, 'row'), before: showCount(recorded.rows) }),
    );
  if (recorded.totalSatang !== present.totalSatang) {
    const [amount, before] = [showBaht(present.totalSatang), showBaht(recorded.totalSatang)];
    differences.push(message('seal.other-sum', { amount, before }));
  }
  const isSame = recorded.digest === present.digest && recorded.versionsDigest === present.versionsDigest;
  if (!isSame) differences.push(message('seal.other-digests'));
  const isKept = kept.every(
    ({ digest, versionsDigest }) =>
      digest === present.digest && (versionsDigest === null || versionsDigests.includes(versionsDigest)),
  );
  if (!isKept) differences.push(message('seal.other-kept-digests'));
  if (differences.length === 0) return undefined;
  const reason = message('seal.batch-changed', { batch: batchId, differences: listed(differences) });
  return { code: journalChanged, reason, remedy };
}
