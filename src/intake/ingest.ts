/** Reads a payout file into the journal: totals and duplicates are known, and the batch sealed, before any money moves. */
import type { FileRejection, Inspection } from '../core/payout-file.ts';
import { isSealed } from '../core/payout.ts';
import type { Batch, Clock } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { ApprovalPolicy } from '../review/rules/approval.ts';
import type { IntakeStore, PayoutFileReader, RejectedFile } from './ports.ts';

export interface IngestContext {
  readonly journal: IntakeStore;
  readonly reader: PayoutFileReader;
  readonly clock: Clock;
  readonly companyId: string;
  readonly payerAccount: string;
  /** limits.likeFileDays */
  readonly likeFileDays: number;
  /** Asked when the file is sealed: whether its rows wait for approval. They do not when this is left out. */
  readonly approval?: (() => Promise<ApprovalPolicy>) | undefined;
  /** When the file was dropped, where that was before now. */
  readonly droppedAtMs?: number;
  /** Asked when the bytes are known, before any row is read in; false leaves the file alone. */
  readonly mayRead?: (batchId: string, inspection: Inspection) => Promise<boolean>;
  /** Asked about a file that the journal does not know: where another journal has left its report, or the file itself. */
  readonly findTrace?: ((inspection: Inspection) => Promise<string | undefined>) | undefined;
  /** Aborted when the process is asked to stop; a half-read file is read again from the start next time. */
  readonly stop: AbortSignal;
  /** Told how many rows have been read. */
  readonly onRows: (rows: number) => void;
}

export type Ingested =
  /** `isNew` is false when the same bytes were sealed before, under this or any other name. */
  | { readonly kind: 'batch'; readonly batch: Batch; readonly isNew: boolean }
  /** Rejected as a whole. The batch is undefined when the bytes could not even be hashed. */
  | (RejectedFile & { readonly batch: Batch | undefined })
  | { readonly kind: 'turned-away' }
  | { readonly kind: 'stopped' };

/** Takes a file in, or finds the batch that its bytes already are. */
export async function ingestFile(context: IngestContext, path: string, fileName: string): Promise<Ingested> {
  const inspected = await context.reader.inspect(path);
  if (inspected.kind === 'rejected') return { ...inspected, batch: undefined };
  const { inspection } = inspected;
  if ((await context.mayRead?.(computeBatchId(inspection.sha256), inspection)) === false)
    return { kind: 'turned-away' };
  const known = await findSealed(context.journal, inspection);
  if (known !== undefined) return { kind: 'batch', batch: known, isNew: false };
  const trace = await context.findTrace?.(inspection);
  if (trace !== undefined)
    return { kind: 'rejected', rejection: refuseKnownElsewhere(trace), batch: undefined };
  return readIntoJournal(context, inspection, fileName);
}

/** @param trace path of what the journal that took these bytes has left */
const refuseKnownElsewhere = (trace: string): FileRejection => ({
  code: 'taken-by-another-journal',
  line: null,
  column: null,
  message:
    `${trace} shows that these very bytes were taken before, and this journal does not know them: another one has them, ` +
    'or this one is an older copy. Look there first: they may be paid. If the journal was lost or replaced, ' +
    '"paydrop run --journal-lost --since YYYY-MM-DD FILE.." asks the bank about every payout before it sends one',
});

async function findSealed(journal: IntakeStore, inspection: Inspection): Promise<Batch | undefined> {
  const batch = await journal.batch(computeBatchId(inspection.sha256));
  if (batch === undefined) return undefined;
  if (batch.sha256 !== inspection.sha256) {
    throw new Error(
      `two files share the batch id ${batch.batchId}: ${batch.fileName} was first; nothing is sent`,
    );
  }
  return isSealed(batch.status) ? batch : undefined;
}

async function readIntoJournal(
  context: IngestContext,
  inspection: Inspection,
  fileName: string,
): Promise<Ingested> {
  const { journal, clock, companyId, payerAccount } = context;
  const { sha256 } = inspection;
  const batchId = computeBatchId(sha256);
  const start = async (extraColumns: readonly string[]): Promise<void> => {
    const nowMs = clock.now();
    const { droppedAtMs = nowMs } = context;
    const file = { batchId, sha256, fileName, droppedAtMs, extraColumns };
    await journal.startIngest({ ...file, companyId, payerAccount, nowMs });
  };
  let isStarted = false;
  let rows = 0;
  for await (const part of context.reader.read(inspection)) {
    if (context.stop.aborted) return { kind: 'stopped' };
    switch (part.kind) {
      case 'header':
        await start(part.extraColumns);
        isStarted = true;
        break;
      case 'rows':
        await journal.stage(batchId, part.rows);
        rows += part.rows.length;
        context.onRows(rows);
        break;
      case 'summary': {
        const { likeFileDays } = context;
        const approval = await context.approval?.();
        const batch = await journal.seal(batchId, part.totals, clock.now(), likeFileDays, approval);
        return { kind: 'batch', batch, isNew: true };
      }
      case 'rejected': {
        if (!isStarted) await start([]);
        const { code, message } = part.rejection;
        await journal.rejectBatch(batchId, code, message, clock.now());
        return { ...part, batch: await journal.batch(batchId) };
      }
    }
  }
  throw new Error(`the reader of ${fileName} ended without a summary`);
}
