/** Finds users besides root and this process's who could change a file or folder, by its owner and mode. */
import { statSync } from 'node:fs';

/** Result of `stat`. */
interface Held {
  readonly uid: number;
  readonly mode: number;
}

/**
 * `own`: no other user may write there. `shared`: others may drop files there, if they belong to its owner or its
 * group.
 */
export type Keeping = 'own' | 'shared';

const groupWrites = 0o020;
const worldWrites = 0o002;

/**
 * The fault, with the command that corrects it; undefined when there is none.
 * @param userId of this process @forTests
 */
export function findForeignHand(
  path: string,
  { uid, mode }: Held,
  userId: number,
  keeping: Keeping,
): string | undefined {
  const isWorlds = (mode & worldWrites) !== 0;
  if (keeping === 'shared')
    return isWorlds ? `every user of this machine may write to ${path}: run chmod o-w ${path}` : undefined;
  if (uid !== 0 && uid !== userId)
    return `${path} belongs to another user (${uid}), who may change it: run chown ${userId} ${path}`;
  if (isWorlds) return `every user of this machine may write to ${path}: run chmod go-w ${path}`;
  return (mode & groupWrites) === 0
    ? undefined
    : `the group of ${path} may write to it: run chmod g-w ${path}`;
}

/** The same for an existing path; undefined when nothing is there, or the system has no owners. */
export function lookForForeignHand(path: string, keeping: Keeping): string | undefined {
  const userId = process.geteuid?.();
  if (userId === undefined) return undefined;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && findForeignHand(path, stats, userId, keeping);
  } catch {
    // A later use meets the fault and reports it.
    return undefined;
  }
}
