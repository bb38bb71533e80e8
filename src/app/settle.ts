/** Settles what is in doubt, now, and writes what is due for the batches that it has changed. */
import { countAlarms, countRows, inDoubtStatuses } from '../core/exit-code.ts';
import { type Settled, settleNow } from '../payout/settle.ts';
import { reportIfSettled } from './run-file.ts';
import { makeContext, type Session } from './session.ts';

export interface SettleOptions {
  /** One batch; all of them when undefined. */
  readonly batchId: string | undefined;
  /** How long to go on while the bank tells nothing. */
  readonly waitMs: number;
  readonly interrupted: AbortSignal;
}

export interface SettleOutcome extends Settled {
  readonly inDoubt: number;
  /** Rows that bear an alarm in the batches that have changed. */
  readonly alarms: number;
  readonly files: readonly string[];
}

/** Undefined when there is no such batch. */
export async function settle(session: Session, options: SettleOptions): Promise<SettleOutcome | undefined> {
  const { batchId, waitMs, interrupted } = options;
  if (batchId !== undefined && (await session.journal.batch(batchId)) === undefined) return undefined;
  const touched = new Set<string>();
  const waitOver = new AbortController();
  const context = makeContext(session, AbortSignal.any([interrupted, waitOver.signal]), (payout) => {
    if (payout !== undefined && payout.status !== 'submitted') touched.add(payout.batchId);
  });
  const settled = await settleNow(context, { batchId, waitMs, waitOver });
  for (const ended of settled.ended) touched.add(ended);
  const files: string[] = [];
  for (const changed of touched) files.push(...((await reportIfSettled(session, changed)) ?? []));
  const { journal } = session;
  const inDoubt =
    batchId === undefined
      ? await journal.countInDoubt()
      : countRows(await journal.totals(batchId), inDoubtStatuses);
  let alarms = 0;
  for (const changed of touched) alarms += countAlarms(await journal.totals(changed));
  return { ...settled, inDoubt, alarms, files };
}
