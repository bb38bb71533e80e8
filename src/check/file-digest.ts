/**
 * The digest in an approval of a file's batch, computed from the file alone: on another machine it proves that the
 * waiting batch equals this file.
 */
import type { Inspection, StagedRow } from '../core/payout-file.ts';
import { computeBatchId, computeInstructionDigest, DigestOfAll } from '../core/reference.ts';
import type { PayoutFileReader, RejectedFile } from '../intake/ports.ts';
import { type Waiting, WaitingDigest } from '../review/rules/approval.ts';

interface DigestTerms {
  readonly companyId: string;
  /** Paying account. */
  readonly payerAccount: string;
  /** Rows that do not wait: another file has their payoutId, or they were cancelled. */
  readonly without: ReadonlySet<number>;
}

export interface FileDigest extends Waiting {
  readonly kind: 'digest';
  readonly batchId: string;
}

/** Computes the digest. Reads the file twice: contradictory rows are known only at its end. */
export async function computeFileDigest(
  reader: PayoutFileReader,
  path: string,
  terms: DigestTerms,
): Promise<FileDigest | RejectedFile> {
  const inspected = await reader.inspect(path);
  if (inspected.kind === 'rejected') return inspected;
  const { inspection } = inspected;
  const batchId = computeBatchId(inspection.sha256);
  const all = new DigestOfAll();
  const digestOf = ({ rowNo, instruction }: StagedRow): string | undefined =>
    instruction === null
      ? undefined
      : computeInstructionDigest({ companyId: terms.companyId, batchId, rowNo }, instruction);
  const first = await readRows(reader, inspection, (row) => {
    const digest = digestOf(row);
    if (digest !== undefined) all.add(digest);
  });
  if ('kind' in first) return first;
  const left = new Set([...terms.without, ...first.conflictingRowNos]);
  const batch = { batchId, digest: all.end(), versionsDigest: null, payerAccount: terms.payerAccount };
  const waiting = new WaitingDigest(batch);
  const second = await readRows(reader, inspection, (row) => {
    const digest = digestOf(row);
    if (digest === undefined || left.has(row.rowNo)) return;
    waiting.add({ rowNo: row.rowNo, amountSatang: row.instruction?.amountSatang ?? 0n, digest });
  });
  if ('kind' in second) return second;
  return { kind: 'digest', batchId, ...waiting.end() };
}

async function readRows(reader: PayoutFileReader, inspection: Inspection, take: (row: StagedRow) => void) {
  for await (const part of reader.read(inspection)) {
    if (part.kind === 'rows') for (const row of part.rows) take(row);
    else if (part.kind === 'summary') return part.totals;
    else if (part.kind === 'rejected') return part;
  }
  throw new Error(`reading ${inspection.path} ended without totals`);
}
