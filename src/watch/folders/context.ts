/** What the parts of the drop folder have in common. */
import type { Clock, Log } from '../../core/ports.ts';
import type { Disk } from '../../platform/disk.ts';
import type { IntakeRules } from '../rules/drop-folder.ts';

/** The settings' `watch`. */
export interface IntakeSettings {
  readonly stillMs: number;
  readonly marker: 'none' | 'done';
  readonly polling: boolean;
  readonly pollMs: number;
  /** How often everything is read anew; and how soon a file that could not be claimed is tried again. */
  readonly rescanMs: number;
}

export interface FoldersContext {
  /** Absolute, all four. */
  readonly folders: Readonly<Record<'inbox' | 'work' | 'archive' | 'rejected', string>>;
  readonly disk: Disk;
  readonly rules: IntakeRules;
  readonly watch: IntakeSettings;
  readonly clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  readonly elapsedMs: () => number;
  readonly log: Log;
  /**
   * Letters alone; none for the inbox of payout files. It stands in the names of what is on its way: of the drop folders
   * that share rejected/, each knows its own files there.
   */
  readonly label?: string;
  /** Names of folders in the inbox that are drop folders of their own. */
  readonly inboxesWithin?: readonly string[];
}
