/** Keeps the adaptive limits of this process within the limit of all machines together. */
import { countDoubt, countUnderWay, type WorkerContext } from './context.ts';
import { clampLimit, type SharedKind, shareOf } from './rules/shared-limit.ts';
import type { Share } from './share.ts';

/** Interval in ms at which the machines exchange their news of the bank. */
const tellEveryMs = 1_000;

const kinds: readonly SharedKind[] = ['transfers', 'checks'];

/** Nothing is shared without `share`. */
type Sharing = Pick<WorkerContext, 'adaptiveLimits' | 'clock' | 'log' | 'share' | 'journal' | 'run' | 'runs'>;

/** Reports this process's news and follows that of the others, until told to end. */
export async function keepLimitsShared(sharing: Sharing, end: AbortSignal): Promise<void> {
  const { share, clock } = sharing;
  if (share === undefined) return;
  while (!end.aborted) {
    await shareLimits(sharing, share);
    sharing.adaptiveLimits.transfers.noteDoubt(await countLeftInDoubt(sharing));
    await clock.sleep(tellEveryMs, end);
  }
}

/**
 * The rows in doubt without those under way. The larger of two counts is subtracted, since requests begin and end while
 * the journal is read.
 */
async function countLeftInDoubt({ journal, share, run, runs }: Sharing): Promise<number> {
  const before = countUnderWay({ runs }, run);
  const inDoubt = await countDoubt({ journal, share });
  return Math.max(0, inDoubt - Math.max(before, countUnderWay({ runs }, run)));
}

async function shareLimits({ adaptiveLimits, log }: Sharing, share: Share): Promise<void> {
  const { atWork, wholes } = await share.readLimits();
  for (const kind of kinds) {
    const limit = adaptiveLimits[kind];
    const { ceiling } = limit.state;
    const heard = limit.takeHeard();
    const found = wholes[kind];
    const isNews =
      heard.trouble !== null || (heard.answers > 0 && found !== undefined && found.limit < found.ceiling);
    const whole = isNews ? await share.tellLimit(kind, heard, ceiling) : found;
    const fitted = clampLimit(whole, ceiling, atWork.machines, heard.round);
    const before = limit.state.limit;
    limit.bind(shareOf(fitted, atWork), fitted);
    limit.noteMachines(atWork.machines);
    const { state } = limit;
    if (state.limit < before)
      log('info', 'fewer requests at a time', { kind, limit: state.limit, why: state.why });
  }
}
