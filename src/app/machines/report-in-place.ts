/** Reports of a process whose place another may take at any moment. */
import { PlaceTakenError } from '../../store/connection.ts';

/**
 * Writes reports. Once another process has taken the place before they are recorded, they are obsolete: the new sender
 * writes its own, and looked for leftovers before these existed.
 * @param clear removes the reports
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
