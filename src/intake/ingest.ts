/**
 * Reads a file into the journal. Its totals and duplicates are known, and its batch is sealed, before any row
 * is sent.
 */
import { message, type Message } from '../core/message.ts';
import type { FileRejection, Inspection, SealTotals, StagedRow } from '../core/payout-file.ts';
import { isSealed } from '../core/payout.ts';
import type { Batch, Clock } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { RegistrationFileRow, RegistrationSealTotals } from '../registration/rules/registration-file.ts';
import type { ApprovalPolicy } from '../review/rules/approval.ts';
import type {
  BatchStart,
  FileJournal,
  FileReader,
  IntakeStore,
  RegistrationFileJournal,
  RejectedFile,
  TakenBatch,
} from './ports.ts';

/** The context in which a file of any kind is taken in. */
interface FileContext<Row, Totals> {
  readonly reader: FileReader<Row, Totals>;
  readonly clock: Clock;
  readonly companyId: string;
  /** The moment of the drop, where it was before now. */
  readonly droppedAtMs?: number;
  /** Asked once the bytes are known, before any row is read in; false leaves the file alone. */
  readonly mayRead?: (batchId: string, inspection: Inspection) => Promise<boolean>;
  /** Asked about a file that the journal lacks: the path of another journal's report or file for the same bytes. */
  readonly findTrace?: ((inspection: Inspection) => Promise<string | undefined>) | undefined;
  /** Aborted when the process is asked to stop; the next run reads a half-read file again from the start. */
  readonly stop: AbortSignal;
  /** Called with the number of rows read. */
  readonly onRows: (rows: number) => void;
}

export interface IngestContext extends FileContext<StagedRow, SealTotals> {
  readonly journal: IntakeStore;
  readonly payerAccount: string;
  /** `limits.likeFileDays`. */
  readonly likeFileDays: number;
  /** Asked when the file is sealed: whether its rows wait for approval; left out: they do not. */
  readonly approval?: (() => Promise<ApprovalPolicy>) | undefined;
}

interface RegistrationIngestContext<Taken extends TakenBatch> extends FileContext<
  RegistrationFileRow,
  RegistrationSealTotals
> {
  readonly journal: RegistrationFileJournal<Taken>;
}

type Ingested<Taken extends TakenBatch = Batch> =
  /** `isNew` is false when the same bytes were sealed before, under this or another name. */
  | { readonly kind: 'batch'; readonly batch: Taken; readonly isNew: boolean }
  /** Rejected as a whole. The batch is undefined when the bytes could not be hashed. */
  | (RejectedFile & { readonly batch: Taken | undefined })
  | { readonly kind: 'turned-away' }
  | { readonly kind: 'stopped' };

/** The differences between kinds of files once their rows are readable. */
interface Intake<Row, Totals, Taken extends TakenBatch> {
  readonly journal: Omit<FileJournal<Row, Taken, never>, 'startIngest'>;
  start(file: Omit<BatchStart, 'payerAccount'>): Promise<void>;
  seal(batchId: string, totals: Totals): Promise<Taken>;
  /** The things to check before a file that another journal contains is given to this one. */
  readonly otherJournal: Message;
}

/** Takes a file of payouts in, or finds the batch of its bytes. */
export function ingestFile(context: IngestContext, path: string, fileName: string): Promise<Ingested> {
  const { journal, clock, payerAccount, likeFileDays } = context;
  const intake: Intake<StagedRow, SealTotals, Batch> = {
    journal,
    start: (file) => journal.startIngest({ ...file, payerAccount }),
    seal: async (batchId, totals) => {
      const approval = await context.approval?.();
      return journal.seal(batchId, totals, clock.now(), likeFileDays, approval);
    },
    otherJournal: message('other-journal.payouts'),
  };
  return takeIn(context, intake, path, fileName);
}

/** Takes a file of registrations in, or finds the batch of its bytes. */
export function ingestRegistrations<Taken extends TakenBatch>(
  context: RegistrationIngestContext<Taken>,
  path: string,
  fileName: string,
): Promise<Ingested<Taken>> {
  const { journal, clock } = context;
  const intake: Intake<RegistrationFileRow, RegistrationSealTotals, Taken> = {
    journal,
    start: (file) => journal.startIngest(file),
    seal: (batchId, totals) => journal.seal(batchId, totals, clock.now()),
    otherJournal: message('other-journal.registrations'),
  };
  return takeIn(context, intake, path, fileName);
}

async function takeIn<Row, Totals, Taken extends TakenBatch>(
  context: FileContext<Row, Totals>,
  intake: Intake<Row, Totals, Taken>,
  path: string,
  fileName: string,
): Promise<Ingested<Taken>> {
  const inspected = await context.reader.inspect(path);
  if (inspected.kind === 'rejected') return { ...inspected, batch: undefined };
  const { inspection } = inspected;
  if ((await context.mayRead?.(computeBatchId(inspection.sha256), inspection)) === false)
    return { kind: 'turned-away' };
  const known = await findSealed(intake.journal, inspection);
  if (known !== undefined) return { kind: 'batch', batch: known, isNew: false };
  const trace = await context.findTrace?.(inspection);
  if (trace !== undefined) {
    const rejection = refuseKnownElsewhere(trace, intake.otherJournal);
    return { kind: 'rejected', rejection, batch: undefined };
  }
  return readIntoJournal(context, intake, inspection, fileName);
}

/** @param trace path of the report or file of the journal that took these bytes */
const refuseKnownElsewhere = (trace: string, otherJournal: Message): FileRejection => ({
  code: 'taken-by-another-journal',
  line: null,
  column: null,
  message: message('file.taken-by-another-journal', { trace, cure: otherJournal }),
});

async function findSealed<Taken extends TakenBatch>(
  journal: { batch(batchId: string): Promise<Taken | undefined> },
  inspection: Inspection,
): Promise<Taken | undefined> {
  const batch = await journal.batch(computeBatchId(inspection.sha256));
  if (batch === undefined) return undefined;
  if (batch.sha256 !== inspection.sha256) {
    throw new Error(
      `two files share the batch id ${batch.batchId}: ${batch.fileName} was first; nothing is sent`,
    );
  }
  return isSealed(batch.status) ? batch : undefined;
}

async function readIntoJournal<Row, Totals, Taken extends TakenBatch>(
  context: FileContext<Row, Totals>,
  { journal, ...intake }: Intake<Row, Totals, Taken>,
  inspection: Inspection,
  fileName: string,
): Promise<Ingested<Taken>> {
  const { clock, companyId } = context;
  const { sha256 } = inspection;
  const batchId = computeBatchId(sha256);
  const start = async (extraColumns: readonly string[]): Promise<void> => {
    const nowMs = clock.now();
    const { droppedAtMs = nowMs } = context;
    await intake.start({ batchId, sha256, fileName, companyId, droppedAtMs, extraColumns, nowMs });
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
      case 'summary':
        return { kind: 'batch', batch: await intake.seal(batchId, part.totals), isNew: true };
      case 'rejected': {
        if (!isStarted) await start([]);
        const { code, message: why } = part.rejection;
        await journal.rejectBatch(batchId, code, why, clock.now());
        return { ...part, batch: await journal.batch(batchId) };
      }
    }
  }
  throw new Error(`the reader of ${fileName} ended without a summary`);
}
