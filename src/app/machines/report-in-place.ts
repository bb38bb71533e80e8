/** Reports of a process whose place another may take at any moment. */
import { PlaceTakenError } from '../../store/connection.ts';

/**
 * Writes reports. Where another has taken the place before they were recorded, they are of no use to anybody: whoever
 * goes on writes its own, and has looked for what others had left before these were there.
 * @param clear removes them
 */
export async function reportInPlace<Written>(
  write: () => Promise<Written>,
  clear: () => Promise<void>,
): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof PlaceTakenError) await clear().catch(() => undefined);
    throw error;
  }
}
