/**
 * The states of one file, from the drop to its end. The folders alone determine the state, so a crash between
 * any two steps, a restart and a rescan all do the same: look, find the row, act on it.
 *
 * `claimed/ID/` is below `inbox/.paydrop/`, on the file system of the inbox; `work/ID/` may be on another one.
 */

/** The content of a file's folder. `part`: nothing that was claimed whole; `several`: more than one file. */
export type FolderHolds = 'nothing' | 'empty' | 'part' | 'file' | 'several';

/** The action for a file found in each state, after a crash as at any other time. */
const recoveries = {
  /** `inbox/NAME`: it grows, or a companion is missing. After a crash its stillness is counted from the start. */
  dropped: 'look again',
  /** `inbox/NAME`, unchanged for stillMs: the sidecar goes into `claimed/ID/`, then the file; then the marker goes. */
  finished: 'look again',
  /** `claimed/ID/` without the file, or with another file than the finished one: all of it goes back. */
  claiming: 'put back',
  /** `claimed/ID/` with the file: one rename into work/, or a copy; a file that is itself unreadable goes back. */
  claimed: 'bring in',
  /** `work/.ID.RANDOM.tmp/` with a part of the file, which is removed; the file stays claimed. */
  copying: 'bring in',
  /** The file in both: the source goes; a source written to since goes back to the inbox, and its copy is not paid. */
  copied: 'drop source',
  /** `work/ID/` with the file, until its batch has settled or the file is refused; the journal knows its content. */
  working: 'hand out',
  /** The file has its second name in archive/DATE/ or rejected/, durable before the first goes: it is ended again. */
  ending: 'hand out',
  /** An empty folder of the file, which is removed. */
  spent: 'remove',
  /** A folder with content that no paydrop file has: it is logged, and left to a person. */
  foreign: 'leave',
  /** `archive/DATE/NAME`, or `rejected/NAME` beside its reason. */
  ended: 'nothing',
} as const;

type FileState = keyof typeof recoveries;

export type Recovery = (typeof recoveries)[FileState];

/** The states by the content of `claimed/ID/`, where it suffices. */
const statesByClaimed = { empty: 'spent', part: 'claiming', several: 'foreign' } as const;
/** The states by the content of `work/ID/`, where `claimed/ID/` is missing. */
const statesByWork = {
  nothing: 'ended',
  empty: 'spent',
  part: 'foreign',
  file: 'working',
  several: 'foreign',
} as const satisfies Record<FolderHolds, FileState>;

/** The state of a file by its two folders. A copy under way and a second name are found later. @forTests */
export function readFileState(claimed: FolderHolds, work: FolderHolds): FileState {
  if (claimed === 'nothing') return statesByWork[work];
  if (claimed === 'file') return work === 'nothing' ? 'claimed' : 'copied';
  return statesByClaimed[claimed];
}

/** The action for a file, by its two folders. */
export const decideRecovery = (claimed: FolderHolds, work: FolderHolds): Recovery =>
  recoveries[readFileState(claimed, work)];
