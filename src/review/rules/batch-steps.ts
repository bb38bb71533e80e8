/** How far a batch has come, step by step, for people who look at it. */
import { countRows, inDoubtStatuses, toBeSentStatuses } from '../../core/exit-code.ts';
import { isSealed, type PayoutStatus } from '../../core/payout.ts';
import type { Batch, StatusTotal } from '../../core/ports.ts';

export const batchSteps = ['sealed', 'checked', 'approval', 'paying', 'result'] as const;
export type BatchStep = (typeof batchSteps)[number];

export interface StepState {
  readonly step: BatchStep;
  /** `stopped`: it waits for a person. */
  readonly state: 'done' | 'now' | 'later' | 'stopped';
  /** How much of it is done, of how much; undefined where that is no number. */
  readonly done?: number | undefined;
  readonly of?: number | undefined;
}

/** What is known of a batch. */
export interface SteppedBatch {
  readonly batch: Pick<Batch, 'status'>;
  readonly totals: readonly StatusTotal[];
  /** Undefined where it needs none. */
  readonly approval:
    { readonly people: 1 | 2; readonly waitingRows: number; readonly given: number } | undefined;
  readonly hasResult: boolean;
}

const unsent: readonly PayoutStatus[] = [...toBeSentStatuses, 'held'];
/** What was refused before anything was sent. */
const notTried = ['rejected', 'cancelled'] as const;

/** In their order; a batch that needs no approval has no such step. */
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
    // Each payee is asked about before its turn.
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
    { step: 'result', state: hasResult ? 'done' : 'later' },
  ];
}
