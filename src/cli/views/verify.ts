/** What `verify` prints: a batch's files, each with what has become of it. */
import type { Verified, VerifiedFile } from '../../app/verify.ts';
import { toLines } from '../../core/outgoing-text.ts';
import { alignColumns, showPath, type Shown } from './shown.ts';

const words: Readonly<Record<VerifiedFile['state'], string>> = {
  'as-recorded': 'as recorded',
  changed: 'CHANGED',
  missing: 'MISSING',
  'not-archived': 'of a run: not archived',
};

export function showVerified({ batch, files, isWhole }: Verified): Shown {
  const { batchId, fileName: file } = batch;
  const rows = files.map(({ kind, path, state }) => [
    kind,
    words[state],
    path === null ? file : showPath(path),
  ]);
  const end = isWhole
    ? 'All are as they were recorded.'
    : 'The bytes of a file above are not those that were recorded: find out who changed it; the journal has what became of each row.';
  return {
    json: { batchId, file, isWhole, files },
    text: toLines([...alignColumns([['File', 'State', 'Path'], ...rows]), '', end]),
  };
}
