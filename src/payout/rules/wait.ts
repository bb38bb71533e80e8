/** What a run waits for, for whoever watches it. Pure. */
import type { Wait, WaitKind } from '../../core/progress.ts';
import { type BreakerState, isPausing, outsideHours } from './circuit-breaker.ts';
import { aroundMidnight, clocksDiffer } from './clock-skew.ts';

/** How a run stands when it is looked at. */
export interface WaitScene {
  readonly nowMs: number;
  /** The breaker as the rows meet it. */
  readonly breaker: BreakerState;
  /** Rows are being handed out: each of them waits for the breaker. */
  readonly isSending: boolean;
  /** Transfers and inquiries that the bank has not answered yet. */
  readonly underWay: number;
  readonly lastProgressAtMs: number;
  /** Undefined when nothing is to be asked about, and while rows are handed out. */
  readonly nextInquiryAtMs?: number | undefined;
  /** From when on it is asked about what a lost journal had sent; left out when none was lost. */
  readonly trustsFromMs?: number | undefined;
  readonly givesUpAtMs: number | undefined;
}

/** A bank that answers sooner than this is not waited for. */
const slowAnswerMs = 2_000;

/** Why the breaker is paused: its own codes say more than that it is. */
const kindsOfPause: Readonly<Record<string, WaitKind>> = {
  [outsideHours]: 'opening',
  [aroundMidnight]: 'midnight',
  [clocksDiffer]: 'clocks',
};

/** Undefined while rows get on. */
export function decideWait(scene: WaitScene): Wait | undefined {
  const { nowMs, breaker, isSending, nextInquiryAtMs: askedAtMs, trustsFromMs = 0 } = scene;
  const waitFor = (kind: WaitKind, atMs?: number, why?: string): Wait => ({
    kind,
    dueInMs: atMs === undefined ? undefined : Math.max(0, atMs - nowMs),
    givesUpInMs: scene.givesUpAtMs === undefined ? undefined : Math.max(0, scene.givesUpAtMs - nowMs),
    why,
  });
  const isToAsk = askedAtMs !== undefined && askedAtMs > nowMs;
  if (isPausing(breaker, nowMs) && !isToAsk) {
    const kind = kindsOfPause[breaker.why?.code ?? ''] ?? 'pause';
    return waitFor(kind, breaker.pausedUntilMs, kind === 'pause' ? breaker.why?.reason : undefined);
  }
  if (askedAtMs !== undefined) return waitFor('inquiry', askedAtMs);
  if (isSending && trustsFromMs > nowMs) return waitFor('recovery', trustsFromMs);
  const isSlow = scene.underWay > 0 && nowMs - scene.lastProgressAtMs >= slowAnswerMs;
  // An account that is tried again says why it was paused.
  return isSlow ? waitFor('answer', undefined, breaker.why?.reason) : undefined;
}
