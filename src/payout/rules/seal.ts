/**
 * What was sealed is what is paid: the digest of each row's instruction is compared when its intent is made, that of the
 * whole batch before its first send and after its last. What differs was changed behind the program, or is damaged.
 */
import { countOf, showBaht, showCount } from '../../core/figures.ts';
import type { Satang } from '../../core/money.ts';
import type { Payout } from '../../core/payout.ts';
import type { Batch, BatchReason } from '../../core/ports.ts';
import { computeInstructionDigest } from '../../core/reference.ts';
import { restoreBackup, type KeptSeal } from './journal-place.ts';

/** What all rows of a batch add up to, and digests over them. */
export interface BatchSeal {
  readonly rows: number;
  /** Of the readable amounts. */
  readonly totalSatang: Satang;
  /** Over the digests of all sealed instructions, in row order. */
  readonly digest: string | null;
  /** Over the digests of the versions that came into force later, in that order; null when there is none. */
  readonly versionsDigest: string | null;
}

/** All that tells whether a batch is as it was sealed. */
export interface SealReading {
  /** As the journal has recorded it. */
  readonly recorded: BatchSeal;
  /** As its rows show it now. */
  readonly present: BatchSeal;
  /** What `versionsDigest` was after each later version, as the versions show it now. */
  readonly versionsDigests: readonly string[];
  /** As it was kept outside the journal, wherever that can be read; a copy may lag behind by some versions. */
  readonly kept: readonly KeptSeal[];
}

/** Our code for a journal whose sealed rows are not what they were. */
export const journalChanged = 'journal-changed';

const remedy =
  'Nothing more is sent from this payer account. Find out who or what has changed journal.db. Then ' +
  `${restoreBackup}; or stop this batch with "paydrop cancel" and its id, pay what is left of it from a new file, and let ` +
  'the others go on with "paydrop resume"';

/** Why a row may not be sent; undefined when it is as it was sealed. */
export function findChangedRow(
  { payout, digest }: { readonly payout: Payout; readonly digest: string | null },
  { companyId, batchId }: Batch,
): BatchReason | undefined {
  const { rowNo, instruction } = payout;
  if (digest === computeInstructionDigest({ companyId, batchId, rowNo }, instruction)) return undefined;
  const reason = `row ${rowNo} of batch ${batchId} is not what was sealed: it was changed in the journal`;
  return { code: journalChanged, reason, remedy };
}

/** Why nothing of a batch may be sent; undefined when all of it is as it was sealed. */
export function findChangedBatch(
  batchId: string,
  { recorded, present, versionsDigests, kept }: SealReading,
): BatchReason | undefined {
  const differences: string[] = [];
  if (recorded.rows !== present.rows)
    differences.push(`${countOf(present.rows, 'row')} instead of ${showCount(recorded.rows)}`);
  if (recorded.totalSatang !== present.totalSatang) {
    const [now, then] = [present.totalSatang, recorded.totalSatang].map(showBaht);
    differences.push(`${now} baht instead of ${then}`);
  }
  const isSame = recorded.digest === present.digest && recorded.versionsDigest === present.versionsDigest;
  if (!isSame) differences.push('other digests of its rows');
  const isKept = kept.every(
    ({ digest, versionsDigest }) =>
      digest === present.digest && (versionsDigest === null || versionsDigests.includes(versionsDigest)),
  );
  if (!isKept) differences.push('other digests than were kept outside it');
  if (differences.length === 0) return undefined;
  const reason = `batch ${batchId} is not what was sealed: the journal shows ${differences.join(', ')}`;
  return { code: journalChanged, reason, remedy };
}
