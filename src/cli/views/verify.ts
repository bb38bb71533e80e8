/** Output of `verify`: a batch's files, each with its state. */
import type { Verified, VerifiedFile } from '../../app/verify.ts';
import { listOf, viewOf } from '../../core/view.ts';
import { toLines } from '../../core/outgoing-text.ts';
import { alignColumns, showPath, type Shown } from './shown.ts';

const words: Readonly<Record<VerifiedFile['state'], string>> = {
  'as-recorded': 'as recorded',
  changed: 'CHANGED',
  missing: 'MISSING',
  'not-archived': 'of a run: not archived',
};

const changedEnd =
  'The bytes of a file above are not those that were recorded: find out who changed it; the journal has what became of each row.';
const missingEnd =
  'A file above is not where it was written: find out who moved or removed it; the journal has what became of each row.';
const missingOfMachinesEnd =
  'A file above is not on this machine: each keeps the files that it took in and the reports that it wrote, so run this on the machine whose path it is, too; one that is missing there was moved or removed.';

const verifiedFileView = viewOf<VerifiedFile>()('verified file', {
  kind: ['text', 'input, or kind of report'],
  path: ({ path }) => path,
  state: ['text', 'as-recorded, changed, missing or not-archived'],
});

/** The result of `verify`. @forTests */
export const verifiedView = viewOf<Verified>()('verification', {
  batchId: ({ batch }) => batch.batchId,
  file: ({ batch }) => batch.fileName,
  isWhole: ['flag', 'whether all files are as they were recorded'],
  isOfMachines: ['flag', 'whether several machines work the journal, each with folders of its own'],
  files: [listOf(verifiedFileView), 'each file'],
});

export function showVerified(verified: Verified): Shown {
  const { batch, files, isWhole, isOfMachines } = verified;
  const { fileName: file } = batch;
  const rows = files.map(({ kind, path, state }) => [
    kind,
    words[state],
    path === null ? file : showPath(path),
  ]);
  const ends = isWhole
    ? ['All are as they were recorded.']
    : files.some(({ state }) => state === 'changed')
      ? [changedEnd]
      : [];
  if (files.some(({ state }) => state === 'missing'))
    ends.push(isOfMachines ? missingOfMachinesEnd : missingEnd);
  return {
    json: verifiedView.json(verified),
    text: toLines([...alignColumns([['File', 'State', 'Path'], ...rows]), '', ...ends]),
  };
}
