/**
 * The states of one file, from the drop to its end. What stands in the folders alone says which one a file is in; so a
 * crash between any two steps, a restart and a rescan come to the same: look, find the row, do what it says.
 *
 * `claimed/ID/` is below `inbox/.paydrop/`, on the file system of the inbox; `work/ID/` may be on another one.
 */

/** What the folder of one file holds. `part`: nothing that was claimed whole; `several`: more than one file. */
export type FolderHolds = 'nothing' | 'empty' | 'part' | 'file' | 'several';

export type FileState = (typeof fileStates)[number]['state'];

/** What is done about a file that is found in this state. */
export type Recovery = (typeof fileStates)[number]['recovery'];

export const fileStates = [
  {
    state: 'dropped',
    onDisk: 'inbox/NAME: it grows, or its marker or sidecar is not there yet',
    movedBy: 'whoever drops it',
    next: ['finished'],
    recovery: 'look again',
    afterCrash: 'Its stillness is counted from the start.',
  },
  {
    state: 'finished',
    onDisk: 'inbox/NAME: unchanged for stillMs, its companions beside it',
    movedBy: 'the inbox: the sidecar, then the file into claimed/ID/; then the marker goes',
    next: ['claiming', 'dropped'],
    recovery: 'look again',
    afterCrash: 'Its stillness is counted from the start.',
  },
  {
    state: 'claiming',
    onDisk: 'claimed/ID/ without the file, or with something else than was seen to be finished',
    movedBy: 'the inbox',
    next: ['claimed', 'dropped'],
    recovery: 'put back',
    afterCrash: 'All of it goes back into the inbox, under names that are free.',
  },
  {
    state: 'claimed',
    onDisk: 'claimed/ID/ with the file',
    movedBy: 'the work folder: one rename, or a copy where work/ is on another file system',
    next: ['working', 'copying', 'dropped'],
    recovery: 'bring in',
    afterCrash: 'It is brought in; one that cannot be read for its own sake goes back into the inbox.',
  },
  {
    state: 'copying',
    onDisk: 'claimed/ID/ with the file, work/.ID.RANDOM.tmp/ with a part of it',
    movedBy: 'the work folder',
    next: ['copied'],
    recovery: 'bring in',
    afterCrash: 'The temporary folder goes; the file is claimed as before.',
  },
  {
    state: 'copied',
    onDisk: 'claimed/ID/ and work/ID/, both with the file',
    movedBy: 'the work folder',
    next: ['working'],
    recovery: 'drop source',
    afterCrash:
      'The source goes; one that was written to since goes back into the inbox, and its copy is not paid.',
  },
  {
    state: 'working',
    onDisk: 'work/ID/ with the file',
    movedBy: 'the file queue: when its batch has settled, or the file is turned away',
    next: ['ending'],
    recovery: 'hand out',
    afterCrash: 'It is handed out again; the journal knows what it was.',
  },
  {
    state: 'ending',
    onDisk: 'work/ID/ with the file, which has its second name in archive/DATE/ or rejected/',
    movedBy: 'the archive: the second name is durable before the first one goes',
    next: ['ended', 'spent'],
    recovery: 'hand out',
    afterCrash: 'It is ended again, under the name that is its own already.',
  },
  {
    state: 'spent',
    onDisk: 'claimed/ID/ or work/ID/, empty',
    movedBy: 'whoever emptied it',
    next: ['ended'],
    recovery: 'remove',
    afterCrash: 'The folder goes.',
  },
  {
    state: 'foreign',
    onDisk: 'claimed/ID/ or work/ID/ with what no file of ours looks like',
    movedBy: 'a person',
    next: [],
    recovery: 'leave',
    afterCrash: 'It is said, and left alone.',
  },
  {
    state: 'ended',
    onDisk: 'archive/DATE/NAME, or rejected/NAME beside NAME.reason.txt',
    movedBy: 'a person',
    next: [],
    recovery: 'nothing',
    afterCrash: 'What was needed on the way there goes.',
  },
] as const;

/** The state of a file, by what its two folders hold. A copy under way and a second name elsewhere are met later. */
export function readFileState(claimed: FolderHolds, work: FolderHolds): FileState {
  switch (claimed) {
    case 'empty':
      return 'spent';
    case 'part':
      return 'claiming';
    case 'several':
      return 'foreign';
    case 'file':
      return work === 'nothing' ? 'claimed' : 'copied';
    case 'nothing':
      break;
  }
  switch (work) {
    case 'nothing':
      return 'ended';
    case 'empty':
      return 'spent';
    case 'file':
      return 'working';
    case 'part':
    case 'several':
      return 'foreign';
  }
}

const recoveries = new Map<FileState, Recovery>(fileStates.map(({ state, recovery }) => [state, recovery]));

/** What is to be done about a file, by what its two folders hold. */
export const decideRecovery = (claimed: FolderHolds, work: FolderHolds): Recovery =>
  recoveries.get(readFileState(claimed, work)) ?? 'leave';
