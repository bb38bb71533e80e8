/** Settles payouts in doubt, now, and writes the due updates of the batches that it has changed. */
import { countAlarms, countRows, inDoubtStatuses } from '../core/exit-code.ts';
import type { Payout } from '../core/payout.ts';
import type { Progress } from '../core/progress.ts';
import type { Logger } from '../platform/log.ts';
import { systemClock } from '../platform/clock.ts';
import { type Settled, settleOnRequest, settleNow, settleRow } from '../payout/settle.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { notifyAtEnd } from './notices/attention.ts';
import { requireJournal } from './open-store.ts';
import { reportIfSettled } from './run-file.ts';
import {
  type AskingSession,
  makeContext,
  nameOwner,
  openSession,
  SenderBusyError,
  type Session,
} from './session.ts';

interface SettleOptions {
  /** Batch to settle; all batches when undefined. */
  readonly batchId: string | undefined;
  /** Time to go on while the bank gives no answer. */
  readonly waitMs: number;
  readonly interrupted: AbortSignal;
  readonly progress: Progress;
}

export interface SettleOutcome extends Settled {
  readonly settled: number;
  readonly inDoubt: number;
  /** The process with the right to send that has asked; undefined when this process did. */
  readonly askedBy?: string;
  /** Transfers that the other process has not asked about in time. */
  readonly unasked?: number;
  /** Rows with an alarm in the batches that have changed. */
  readonly alarms: number;
  /** Rows still in doubt in batches at rest: further inquiries tell nothing more about them. */
  readonly left: readonly { readonly batchId: string; readonly rows: number }[];
  readonly files: readonly string[];
  /** Why not every report that was due could be written. */
  readonly failure?: Error | undefined;
}

/** Senders that look for requests to ask about now. */
const listeners: readonly string[] = ['run', 'watch'];

/**
 * Settles in this process, or requests it from the run or watcher with the right to send; undefined for an unknown batch.
 * @throws SenderBusyError when another command has that right
 */
export async function settleOrRequest(
  loaded: LoadedSettings,
  log: Logger,
  options: SettleOptions,
): Promise<SettleOutcome | undefined> {
  try {
    await using session = await openSession(loaded, log, 'settle');
    return await settle(session, options);
  } catch (error) {
    if (!(error instanceof SenderBusyError) || !listeners.includes(error.owner?.command ?? '')) throw error;
    return requestFrom(error.owner, loaded, options);
  }
}

async function requestFrom(
  owner: SenderBusyError['owner'],
  loaded: LoadedSettings,
  { batchId, waitMs, interrupted, progress }: SettleOptions,
): Promise<SettleOutcome | undefined> {
  await using journal = await requireJournal(loaded);
  if (batchId !== undefined && (await journal.batch(batchId)) === undefined) return undefined;
  // A run settles only the batch of its own file.
  const batches = await journal.batches();
  const running = new Set(batches.filter(({ status }) => status === 'running').map((one) => one.batchId));
  const isInProgress = (id: string): boolean => owner?.command === 'watch' || running.has(id);
  const { timeoutMs } = loaded.settings.bank;
  const context = { journal, clock: systemClock, settle: loaded.settings.settle };
  const { batchIds, ...settled } = await settleOnRequest(
    context,
    { batchId, waitMs, timeoutMs, isInProgress, progress },
    interrupted,
  );
  let alarms = 0;
  for (const id of batchIds) alarms += countAlarms(await journal.totals(id));
  return { ...settled, askedBy: nameOwner(owner), ended: [], left: [], alarms, files: [] };
}

/** Undefined when there is no such batch. */
async function settle(session: Session, options: SettleOptions): Promise<SettleOutcome | undefined> {
  const { batchId, waitMs, interrupted, progress } = options;
  if (batchId !== undefined && (await session.journal.batch(batchId)) === undefined) return undefined;
  const touched = new Set<string>();
  const { journal } = session;
  const countInDoubt = async (): Promise<number> =>
    batchId === undefined
      ? journal.countInDoubt()
      : countRows(await journal.totals(batchId), inDoubtStatuses);
  const showOne = makeInquiryCounter(await countInDoubt(), progress);
  const waitOver = new AbortController();
  const stop = AbortSignal.any([interrupted, waitOver.signal]);
  const counted = makeContext(session, stop, (payout) => {
    showOne(payout);
    if (payout !== undefined && payout.status !== 'submitted') touched.add(payout.batchId);
  });
  const context = { ...counted, reportWait: progress.showWait?.bind(progress) };
  const settled = await settleNow(context, { batchId, waitMs, waitOver });
  for (const ended of settled.ended) touched.add(ended);
  const files: string[] = [];
  let failure: Error | undefined;
  for (const changed of touched) {
    try {
      files.push(...((await reportIfSettled(session, changed)) ?? []));
    } catch (error) {
      failure ??= error as Error;
    }
  }
  const inDoubt = await countInDoubt();
  let alarms = 0;
  for (const changed of touched) alarms += countAlarms(await journal.totals(changed));
  const left: SettleOutcome['left'][number][] = [];
  for (const ended of settled.ended) {
    const rows = countRows(await journal.totals(ended), inDoubtStatuses);
    if (rows > 0) left.push({ batchId: ended, rows });
  }
  await notifyAtEnd(session, true, interrupted);
  const count = Math.max(0, settled.asked - inDoubt);
  return { ...settled, settled: count, inDoubt, alarms, left, files, failure };
}

/** The time in ms that a person waits for the bank's answer. */
const answerWithinMs = 20_000;

/** Asks the bank about one payout in doubt, at the wish of a person, and settles it as `settle` does. */
export async function askBankNow(session: AskingSession, seq: number, end: AbortSignal): Promise<void> {
  // Another process may have recorded a loss of the journal: an answer then proves less.
  await session.readPast?.();
  const stop = AbortSignal.any([end, AbortSignal.timeout(answerWithinMs)]);
  await settleRow(
    makeContext(session, stop, () => {}),
    seq,
  );
}

/** Requests to the bank that people on the page wait for: ended, and waited for, before the journal is closed. */
export class PageRequests implements AsyncDisposable {
  readonly #end = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  async make<Answer>(request: (end: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const answer = request(this.#end.signal);
    this.#underWay.add(answer);
    try {
      return await answer;
    } finally {
      this.#underWay.delete(answer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.allSettled(this.#underWay);
  }
}

/** Counts the answers to the inquiries. @param rowsTotal in doubt before the first */
function makeInquiryCounter(
  rowsTotal: number,
  progress: Progress,
): (payout: Pick<Payout, 'status'> | undefined) => void {
  let [asked, paid, settled] = [0, 0, 0];
  const show = (): void => {
    const counts = { rowsDone: Math.min(asked, rowsTotal), paid, inDoubt: Math.max(0, rowsTotal - settled) };
    progress.show({ phase: 'inquiring', rowsTotal, ...counts });
  };
  show();
  return (payout) => {
    asked += 1;
    if (payout?.status === 'paid') paid += 1;
    if (payout !== undefined && !inDoubtStatuses.includes(payout.status)) settled += 1;
    show();
  };
}
