/** Tells whoever watches what a run waits for, now and then. */
import type { WorkerContext } from './context.ts';
import { decideWait, type WaitScene } from './rules/wait.ts';

/** How often it is looked. */
const reportEveryMs = 1_000;

type Waiting = Pick<WaitScene, 'givesUpAtMs' | 'nextInquiryAtMs' | 'lastProgressAtMs'>;

/** Tells it until told to end; does nothing where nobody watches. @param read what the waiting one alone knows */
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
