/** The regular check of the journal: its interval, and the words about damage. */
import { restoreBackup } from '../../payout/rules/journal-place.ts';

/** The share of time that checks may take: a big journal takes longer, and is checked less often. */
const shareMax = 1 / 1_000;
const pauseMinMs = 3_600_000;
const pauseMaxMs = 86_400_000;

/** The pause between one check and the next. @param tookMs the duration of the last check */
export const computeCheckPauseMs = (tookMs: number): number =>
  Math.min(pauseMaxMs, Math.max(pauseMinMs, tookMs / shareMax));

/** Describes damage, with the cure. @param found SQLite's own words */
export const describeDamage = (found: string): string =>
  `the journal is damaged (${found.replaceAll(/\s+/g, ' ')}): stop every paydrop process, look at the disk, ` +
  `then ${restoreBackup}`;
