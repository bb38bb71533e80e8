/** What the journal throws beside plain bugs. */

/** The journal may not be used with these settings or files. The message says what differs, and the cure. */
export class JournalRefusedError extends Error {
  override readonly name = 'JournalRefusedError';
}

/** The journal could not be written: the disk or the file is broken or full. The message has the cure. */
export class JournalWriteError extends Error {
  override readonly name = 'JournalWriteError';
}

/** SQLite's primary result codes (the low byte of `errcode`) that we tell apart. */
export const sqliteCodes = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  constraint: 19,
  notADatabase: 26,
};

/** The primary result code of an error that SQLite raised; undefined for any other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

const cures: ReadonlyMap<number | undefined, string> = new Map([
  [sqliteCodes.busy, 'another process has kept it locked for too long: wait until that process has ended'],
  [sqliteCodes.readOnly, 'it is read-only: let this user write the file and its folder'],
  [sqliteCodes.ioError, 'the disk reports an error: check the disk before anything else'],
  [sqliteCodes.corrupt, 'the file is damaged: put back the newest whole copy of it'],
  [sqliteCodes.full, 'the disk is full: free some space'],
]);

/** The failure of a transaction, with its cure; nothing of that transaction is in the journal. */
export function asWriteError(error: unknown): unknown {
  const cure = cures.get(sqliteCodeOf(error));
  if (cure === undefined) return error;
  return new JournalWriteError(`the journal cannot be written: ${cure}, then run it again`, { cause: error });
}
