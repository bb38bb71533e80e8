/** A journal that is read through now and then: how often, and what is said of one that is damaged. */
import { restoreBackup } from '../../payout/rules/journal-place.ts';

/** The part of the time that reading it through may take: a big journal takes longer, and is read less often. */
const shareMax = 1 / 1_000;
const pauseMinMs = 3_600_000;
const pauseMaxMs = 86_400_000;

/** How long after one check the next begins. @param tookMs the last check */
export const computeCheckPauseMs = (tookMs: number): number =>
  Math.min(pauseMaxMs, Math.max(pauseMinMs, tookMs / shareMax));

/** With the cure. @param found SQLite's own words */
export const describeDamage = (found: string): string =>
  `the journal is damaged (${found.replaceAll(/\s+/g, ' ')}): stop every paydrop process, look at the disk, ` +
  `then ${restoreBackup}`;
