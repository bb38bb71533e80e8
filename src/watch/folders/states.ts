/**
 * The states of one file, from the drop to its end. What stands in the folders alone says which one a file is in; so a
 * crash between any two steps, a restart and a rescan come to the same: look, find the row, do what it says.
 *
 * `claimed/ID/` is below `inbox/.paydrop/`, on the file system of the inbox; `work/ID/` may be on another one.
 */

/** What the folder of one file holds. `part`: nothing that was claimed whole; `several`: more than one file. */
export type FolderHolds = 'nothing' | 'empty' | 'part' | 'file' | 'several';

/** What is done about a file that is found in each state, after a crash as at any other time. */
const recoveries = {
  /** `inbox/NAME`: it grows, or a companion is not there yet. After a crash its stillness is counted from the start. */
  dropped: 'look again',
  /** `inbox/NAME`, unchanged for stillMs: the sidecar goes into `claimed/ID/`, then the file; then the marker goes. */
  finished: 'look again',
  /** `claimed/ID/` without the file, or with something else than was seen to be finished: all of it goes back. */
  claiming: 'put back',
  /** `claimed/ID/` with the file: one rename into work/, or a copy; one that cannot be read for its own sake goes back. */
  claimed: 'bring in',
  /** `work/.ID.RANDOM.tmp/` with a part of it besides, which goes: the file is claimed as before. */
  copying: 'bring in',
  /** In both: the source goes; one that was written to since goes back into the inbox, and its copy is not paid. */
  copied: 'drop source',
  /** `work/ID/` with the file, until its batch has settled or it is turned away; the journal knows what it was. */
  working: 'hand out',
  /** It has its second name in archive/DATE/ or rejected/, durable before the first one goes: it is ended again there. */
  ending: 'hand out',
  /** An empty folder of it, which goes. */
  spent: 'remove',
  /** A folder with what no file of ours looks like: it is said, and left to a person. */
  foreign: 'leave',
  /** `archive/DATE/NAME`, or `rejected/NAME` beside its reason. */
  ended: 'nothing',
} as const;

export type FileState = keyof typeof recoveries;

export type Recovery = (typeof recoveries)[FileState];

/** By what `claimed/ID/` holds, where it tells enough. */
const statesByClaimed = { empty: 'spent', part: 'claiming', several: 'foreign' } as const;
/** By what `work/ID/` holds, where `claimed/ID/` is not there. */
const statesByWork = {
  nothing: 'ended',
  empty: 'spent',
  part: 'foreign',
  file: 'working',
  several: 'foreign',
} as const satisfies Record<FolderHolds, FileState>;

/** The state of a file, by what its two folders hold. A copy under way and a second name elsewhere are met later. */
export function readFileState(claimed: FolderHolds, work: FolderHolds): FileState {
  if (claimed === 'nothing') return statesByWork[work];
  if (claimed === 'file') return work === 'nothing' ? 'claimed' : 'copied';
  return statesByClaimed[claimed];
}

/** What is to be done about a file, by what its two folders hold. */
export const decideRecovery = (claimed: FolderHolds, work: FolderHolds): Recovery =>
  recoveries[readFileState(claimed, work)];
