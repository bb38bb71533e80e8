/** The shared context of the parts of the drop folder. */
import type { Clock, Log } from '../../core/ports.ts';
import type { Disk } from '../../platform/disk.ts';
import type { IntakeRules } from '../rules/drop-folder.ts';

/** `watch` of the settings. */
interface IntakeSettings {
  readonly stillMs: number;
  readonly marker: 'none' | 'done';
  readonly polling: boolean;
  readonly pollMs: number;
  /** The interval between full reads of the inbox, and the delay before a failed claim is retried. */
  readonly rescanMs: number;
}

export interface FoldersContext {
  /** Absolute paths. */
  readonly folders: Readonly<Record<'inbox' | 'work' | 'archive' | 'rejected', string>>;
  readonly disk: Disk;
  readonly rules: IntakeRules;
  readonly watch: IntakeSettings;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number;
  readonly log: Log;
  /**
   * Letters only; none for the inbox of payout files. Names of files on their way contain it, so that each of the drop
   * folders that share rejected/ knows its own files there.
   */
  readonly label?: string;
  /** Names of folders in the inbox that are drop folders themselves. */
  readonly inboxesWithin?: readonly string[];
}
