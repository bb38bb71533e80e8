/** Old files: a batch that has waited too long is held for a person before more of it is sent. */
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
  const age = describeAge(ageMs);
  const since =
    batch.ageFromMs > batch.startedAtMs
      ? `a person last let it go on ${age} ago`
      : `its file was dropped ${age} ago`;
  return {
    code: 'batch-too-old',
    reason: `${since}; after ${hoursMax} h (limits.batchMaxAgeHours) a person decides before anything more of it is sent`,
    remedy:
      'Make sure that its unsent rows are still to be paid and were not paid by other means, then resume the batch; ' +
      'or cancel it',
  };
}

/**
 * An age in words. A part of a minute counts as a minute, so that an age just over the limit does not read like the
 * limit.
 */
function describeAge(ageMs: number): string {
  const minutes = Math.ceil(ageMs / minuteMs);
  return `${Math.floor(minutes / minutesPerHour)} h ${minutes % minutesPerHour} min`;
}
