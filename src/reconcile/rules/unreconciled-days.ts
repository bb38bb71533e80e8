/** Days whose statement is still to come. A date is "YYYYMMDD" in Bangkok throughout. */
import { dayMs, formatBangkokDate } from '../../core/bangkok-time.ts';

/** What is asked of the store. */
export interface UnreconciledDays {
  /** Those of these days on which something was sent, and whose present statement is not of the whole day, or not there. */
  daysWithoutStatement(dates: readonly string[]): Promise<readonly string[]>;
  /** Days whose present statement was read before they had ended. */
  daysReadInPart(): Promise<readonly string[]>;
  /** The first day on which anything was sent; undefined before that. */
  firstDaySent(): Promise<string | undefined>;
}

/** So far back days without a statement are told of. */
const lookBackDays = 31;

/** The last days that ended before a moment, the newest first. @param skipped so many of the newest are left out */
export function listPastDays(nowMs: number, skipped = 0): readonly string[] {
  return Array.from({ length: lookBackDays - skipped }, (_, place) =>
    formatBangkokDate(nowMs - (place + 1 + skipped) * dayMs),
  );
}
