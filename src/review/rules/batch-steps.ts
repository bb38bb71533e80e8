/** The progress of a batch in steps, for people. */
import { countRows, inDoubtStatuses, toBeSentStatuses } from '../../core/exit-code.ts';
import { isSealed, type PayoutStatus } from '../../core/payout.ts';
import type { Batch, StatusTotal } from '../../core/ports.ts';

const batchSteps = ['sealed', 'checked', 'approval', 'paying', 'result'] as const;
type BatchStep = (typeof batchSteps)[number];

export interface StepState {
  readonly step: BatchStep;
  /** `stopped`: the batch waits for a person. */
  readonly state: 'done' | 'now' | 'later' | 'stopped';
  /** The finished and the total number of rows; undefined for a step without numbers. */
  readonly done?: number | undefined;
  readonly of?: number | undefined;
}

/** The facts about a batch. */
interface SteppedBatch {
  readonly batch: Pick<Batch, 'status'>;
  readonly totals: readonly StatusTotal[];
  /** Undefined where the batch needs no approval. */
  readonly approval:
    { readonly people: 1 | 2; readonly waitingRows: number; readonly given: number } | undefined;
  readonly hasResult: boolean;
}

const unsent: readonly PayoutStatus[] = [...toBeSentStatuses, 'held'];
/** Statuses of rows that were refused before anything was sent. */
const notTried = ['rejected', 'cancelled'] as const;

/** Returns the steps in their order; a batch that needs no approval lacks that step. */
export function computeBatchSteps({
  batch,
  totals,
  approval,
  hasResult,
}: SteppedBatch): readonly StepState[] {
  const rows = totals.reduce((sum, total) => sum + total.rows, 0);
  const toSend = rows - countRows(totals, notTried);
  const sent = toSend - countRows(totals, unsent);
  const isRead = isSealed(batch.status);
  const waits = approval !== undefined && approval.waitingRows > 0;
  const isStopped = batch.status === 'halted' || batch.status === 'paused';
  const isPaid = isRead && sent === toSend && countRows(totals, inDoubtStatuses) === 0;
  const paying = isStopped ? 'stopped' : isPaid ? 'done' : waits || !isRead ? 'later' : 'now';
  return [
    { step: 'sealed', state: isRead ? 'done' : batch.status === 'rejected' ? 'stopped' : 'now' },
    // The bank checks each payee right before its turn, so this step ends when sending begins.
    { step: 'checked', state: !isRead ? 'later' : sent > 0 || isPaid ? 'done' : waits ? 'later' : 'now' },
    ...(approval === undefined
      ? []
      : [
          {
            step: 'approval',
            state: waits ? 'stopped' : 'done',
            done: waits ? approval.given : approval.people,
            of: approval.people,
          } as const,
        ]),
    { step: 'paying', state: paying, done: sent, of: toSend },
    // A result is final when no row is open any more; before that it tells how things stand.
    { step: 'result', state: !hasResult ? 'later' : isPaid ? 'done' : 'now' },
  ];
}
