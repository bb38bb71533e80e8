/** Reports now and then what a run waits for. */
import type { WorkerContext } from './context.ts';
import { decideWait, type WaitScene } from './rules/wait.ts';

/** Interval in ms of reports. */
const reportEveryMs = 1_000;

type Waiting = Pick<WaitScene, 'givesUpAtMs' | 'nextInquiryAtMs' | 'lastProgressAtMs'>;

/**
 * Reports until told to end; does nothing without a display.
 * @param read facts that only the waiting part knows
 */
export async function reportWaits(
  context: WorkerContext,
  read: () => Waiting | Promise<Waiting>,
  end: AbortSignal,
): Promise<void> {
  const { reportWait, gate, run, asking, settle, clock } = context;
  if (reportWait === undefined) return;
  const { lostUntilMs, notFoundTrustMs } = settle;
  const trustsFromMs = lostUntilMs === undefined ? undefined : lostUntilMs + notFoundTrustMs;
  while (!end.aborted) {
    const known = await read();
    const { isSending } = run;
    const underWay = run.inFlight.size + asking.size;
    const breaker = gate.state;
    reportWait(decideWait({ nowMs: clock.now(), breaker, isSending, underWay, trustsFromMs, ...known }));
    await clock.sleep(reportEveryMs, end);
  }
  reportWait(undefined);
}
