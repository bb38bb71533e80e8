/** Old files: a batch that has waited too long is held for a person before more of it is sent. */
import { message } from '../../core/message.ts';
import type { Batch, BatchReason } from '../../core/ports.ts';

const minuteMs = 60_000;
const minutesPerHour = 60;

/** Reason why the batch is too old to send; undefined while it is young enough, or without a limit. */
export function findTooOld(
  batch: Pick<Batch, 'startedAtMs' | 'ageFromMs'>,
  /** limits.batchMaxAgeHours; 0 means no limit. */
  hoursMax: number,
  nowMs: number,
): BatchReason | undefined {
  // Negative after the clock was set back; the batch then counts as young.
  const ageMs = nowMs - batch.ageFromMs;
  if (hoursMax === 0 || ageMs <= hoursMax * minutesPerHour * minuteMs) return undefined;
  const isLetGoOn = batch.ageFromMs > batch.startedAtMs;
  const since = message(isLetGoOn ? 'batch.let-go-on-ago' : 'batch.dropped-ago', splitAge(ageMs));
  return {
    code: 'batch-too-old',
    reason: message('batch.too-old', { since, hours: hoursMax }),
    remedy: message('batch.still-to-be-paid'),
  };
}

/** The hours and minutes of an age. A part of a minute counts as one: an age just over the limit is not the limit. */
function splitAge(ageMs: number): { readonly hours: number; readonly minutes: number } {
  const minutes = Math.ceil(ageMs / minuteMs);
  return { hours: Math.floor(minutes / minutesPerHour), minutes: minutes % minutesPerHour };
}
