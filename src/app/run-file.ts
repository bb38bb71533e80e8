/** Brings one file from the disk to its reports: what `run` does for each FILE. */
import { basename, resolve } from 'node:path';
import type { FileRejection, Inspection } from '../core/payout-file.ts';
import type { Payout } from '../core/payout.ts';
import type { Batch } from '../core/ports.ts';
import { makeRowCounter, type Progress } from '../core/progress.ts';
import { ingestFile } from '../intake/ingest.ts';
import { haltUnsent, isConcluded, isNothingLeft } from '../payout/conclude.ts';
import type { LowestLimit } from '../payout/rules/adaptive-limit.ts';
import { followPayer, runBatch } from '../payout/run-batch.ts';
import { finishReports, removeUnrecorded, requireReportable } from '../reports/batch-reports.ts';
import { writeReports, type WrittenReports } from '../reports/write-reports.ts';
import { grownReason, type TakenFile } from '../watch/rules/file-growth.ts';
import { reportInPlace } from './machines/report-in-place.ts';
import { makeContext, type RunSession, toLog } from './session.ts';

export interface RunFileOptions {
  readonly waitMs: number;
  readonly exceptionsOk: boolean;
  readonly interrupted: AbortSignal;
  readonly progress: Progress;
}

export type FileOutcome =
  /** `batchId`: the batch of its bytes, where they are known. */
  | {
      readonly kind: 'rejected';
      readonly rejection: FileRejection;
      readonly batchId?: string | undefined;
    }
  /** `isRepeat`: the bytes were processed before, and this run paid nothing. */
  | {
      readonly kind: 'rested';
      readonly reports: WrittenReports;
      readonly isRepeat: boolean;
      readonly pace: LowestLimit | undefined;
      /** The file, if it was written to after its rows had been read. */
      readonly grown?: TakenFile | undefined;
    }
  | { readonly kind: 'interrupted'; readonly batch: Batch | undefined };

/** Reads, pays, settles and reports one file, or resumes it. */
export async function runFile(
  session: RunSession,
  path: string,
  options: RunFileOptions,
): Promise<FileOutcome> {
  const { journal, reader, clock, loaded } = session;
  const { companyId, payerAccount } = loaded.settings.bank;
  const { interrupted: stop, progress } = options;
  const onRows = (rowsDone: number): void =>
    progress.show({ phase: 'reading', rowsDone, rowsTotal: undefined, inDoubt: 0 });
  const { findTrace, approval } = session;
  const { likeFileDays } = loaded.settings.limits;
  let bytes = 0;
  let knownAs: string | undefined;
  const mayRead = async (batchId: string, { sizeBytes }: Inspection): Promise<boolean> => {
    [bytes, knownAs] = [sizeBytes, batchId];
    // Recorded before the batch: after any crash the journal knows who had it taken in.
    if ((await journal.batch(batchId)) === undefined) await session.noteRunner?.(batchId);
    return true;
  };
  const given = { companyId, payerAccount, likeFileDays, approval, findTrace, mayRead };
  const context = { journal, reader, clock, ...given, stop, onRows };
  const ingested = await ingestFile(context, path, basename(path));
  switch (ingested.kind) {
    case 'rejected': {
      const rejected = { rejection: ingested.rejection, batchId: knownAs };
      await session.noteRefused?.(basename(path), rejected);
      return { kind: 'rejected', ...rejected };
    }
    case 'turned-away':
    case 'stopped':
      return { kind: 'interrupted', batch: undefined };
    case 'batch':
      return runKnown(session, ingested.batch, { path: resolve(path), bytes }, options);
  }
}

/** A file as of the reading of its rows. */
type ReadFile = Pick<TakenFile, 'path' | 'bytes'>;

/** Growth of a file since its rows were read, in the form kept for `status`. */
async function findGrown(session: RunSession, batch: Batch, file: ReadFile): Promise<TakenFile | undefined> {
  const growth = await session.findGrowth?.(batch, file);
  if (growth === undefined) return undefined;
  const { batchId, fileName, sha256 } = batch;
  const named = { itemId: `run-${batchId}`, batchId, fileName, sha256 };
  return { ...named, ...file, inode: '', untilMs: null, isWatched: false, growth };
}

async function runKnown(
  session: RunSession,
  known: Batch,
  file: ReadFile,
  options: RunFileOptions,
): Promise<FileOutcome> {
  const { journal, log, loaded, outbox, adaptiveLimits, clock } = session;
  const isRepeat = await isNothingLeft(journal, known);
  const isHalted = known.status === 'sealed' && (await findGrown(session, known, file)) !== undefined;
  if (isHalted) await haltUnsent(journal, known, grownReason(known), clock.now());
  const others = new Set<string>();
  if (!isRepeat && !isHalted) {
    await requireReportableBatch(session, known);
    const { payerAccount } = loaded.settings.bank;
    const batch = await followPayer(journal, known, payerAccount, toLog(log), clock.now());
    const end = await payWithProgress(session, batch, options, others);
    if (end === 'interrupted') {
      await finishReports(journal, outbox, batch.batchId);
      await reportOthers(session, others);
      return { kind: 'interrupted', batch };
    }
  }
  const pace = isRepeat ? undefined : adaptiveLimits.transfers.lowest;
  const reports = await restBatch(session, known.batchId, options.exceptionsOk, pace);
  await reportOthers(session, others);
  return { kind: 'rested', reports, isRepeat, pace, grown: await findGrown(session, known, file) };
}

const workbookRowsMaxOf = ({ settings }: RunSession['loaded']): number =>
  settings.output.workbook ? settings.output.workbookRows : 0;

/** Checks that a batch can be reported on, before any row of it is sent or asked about. */
export const requireReportableBatch = (
  { journal, outbox, loaded }: RunSession,
  batch: Batch,
): Promise<void> => requireReportable(journal, outbox, batch, workbookRowsMaxOf(loaded));

/** Writes the due reports of a batch at rest. */
export async function restBatch(
  session: RunSession,
  batchId: string,
  exceptionsOk: boolean,
  pace?: LowestLimit,
): Promise<WrittenReports> {
  const { loaded, clock, bankAddress, journal, outbox } = session;
  const { isSandbox } = loaded;
  const { similarDays } = loaded.settings.limits;
  const context = {
    isSandbox,
    bankAddress,
    nowMs: clock.now(),
    exceptionsOk,
    pace,
    similarDays,
    guardFormulas: loaded.settings.output.guardFormulas,
    workbookRowsMax: workbookRowsMaxOf(loaded),
  };
  return reportInPlace(
    () => writeReports(journal, outbox, batchId, context),
    () => removeUnrecorded(journal, outbox, batchId),
  );
}

/** @param others receives the other batches whose rows have changed */
async function payWithProgress(
  session: RunSession,
  batch: Batch,
  options: RunFileOptions,
  others: Set<string>,
): ReturnType<typeof runBatch> {
  const waitOver = new AbortController();
  const stop = AbortSignal.any([options.interrupted, waitOver.signal]);
  const countOwn = await makeCounter(session, batch, options.progress);
  const count = (payout: Payout | undefined): void => {
    if (payout !== undefined && payout.batchId !== batch.batchId) others.add(payout.batchId);
    else countOwn(payout);
  };
  session.adaptiveLimits.transfers.forgetLowest();
  const reportWait = options.progress.showWait?.bind(options.progress);
  const context = { ...makeContext(session, stop, count, batch), reportWait };
  const { waitMs, interrupted } = options;
  return runBatch(context, batch, { waitMs, interrupted, waitOver });
}

/** Reports a late proof for a row of another file in that file's own update, not in this one's. */
async function reportOthers(session: RunSession, others: ReadonlySet<string>): Promise<void> {
  for (const batchId of others) {
    const paths = await reportIfSettled(session, batchId);
    if (paths !== undefined) session.log.warn({ batchId, paths }, 'rows of another file have changed');
  }
}

/** Writes the due update of a changed batch, if it is settled. @returns its paths; undefined when it is not settled */
export async function reportIfSettled(
  session: RunSession,
  batchId: string,
): Promise<readonly string[] | undefined> {
  if (!(await isConcluded(session.journal, batchId))) return undefined;
  const { files, filesWritten } = await restBatch(session, batchId, false);
  return files.slice(files.length - filesWritten).map(({ path }) => path);
}

/** Shows where the batch stands now, and counts rows as they progress. */
async function makeCounter(
  session: RunSession,
  batch: Batch,
  progress: Progress,
): Promise<(payout: Payout | undefined) => void> {
  const count = makeRowCounter(batch.rows, await session.journal.totals(batch.batchId));
  const show = (payout?: Payout): void => {
    const figures = count(payout);
    const phase = figures.rowsDone + figures.inDoubt >= batch.rows ? 'settling' : 'paying';
    const pace = session.adaptiveLimits.transfers.state;
    progress.show({ phase, rowsTotal: batch.rows, ...figures, pace });
  };
  show();
  return (payout) => payout !== undefined && show(payout);
}
