/** The notices of a run: one for each file that ends, and for what has been in doubt for too long. */
import { basename } from 'node:path';
import { openNotifier } from './notifier.ts';
import type { FileOutcome } from './run-file.ts';
import type { Session } from './session.ts';

/** How long a run that has ended waits for its notices to be taken; the next process tries what is left. */
const deliveryWaitMs = 5_000;

export interface RunNotices {
  /** A notice that cannot be made changes nothing about what was paid. */
  notify(path: string, outcome: FileOutcome): Promise<void>;
  /** Tries once what is due. */
  deliver(stop: AbortSignal): Promise<void>;
}

export async function openNotices({ loaded, journal, log, clock }: Session): Promise<RunNotices> {
  const notices = await openNotifier(loaded, journal, log, clock);
  return {
    notify: async (path, outcome) => {
      try {
        if (outcome.kind === 'rested' && !outcome.isRepeat) await notices.notifyOfBatch(outcome.reports);
        if (outcome.kind === 'rejected') await notices.notifyOfRejection(basename(path), outcome.rejection);
      } catch (error) {
        notices.noteFailure(error);
      }
    },
    deliver: async (stop) => {
      await notices.notifyOfDoubt().catch(() => undefined);
      await notices.deliverOnce(deliveryWaitMs, stop);
    },
  };
}
