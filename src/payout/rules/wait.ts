/** Decides what a run waits for, for display. Pure. */
import { inEnglish, type Message } from '../../core/message.ts';
import type { Wait, WaitKind } from '../../core/progress.ts';
import { type BreakerState, isPausing, outsideHours } from './circuit-breaker.ts';
import { aroundMidnight, clocksDiffer } from './clock-skew.ts';

/** The state of a run at one moment. */
export interface WaitScene {
  readonly nowMs: number;
  /** The breaker as the rows meet it. */
  readonly breaker: BreakerState;
  /** True while rows are handed out; each of them waits for the breaker. */
  readonly isSending: boolean;
  /** Transfers and inquiries without an answer yet. */
  readonly underWay: number;
  readonly lastProgressAtMs: number;
  /** Undefined without an inquiry to make, and while rows are handed out. */
  readonly nextInquiryAtMs?: number | undefined;
  /** Time from which the bank's answers about a lost journal's sends are trusted; left out when none was lost. */
  readonly trustsFromMs?: number | undefined;
  readonly givesUpAtMs: number | undefined;
}

/** Time in ms before an answer counts as slow. */
const slowAnswerMs = 2_000;

/** Kinds of wait for a pause, by the codes that say more than that it is one. */
const kindsOfPause: Readonly<Record<string, WaitKind>> = {
  [outsideHours]: 'opening',
  [aroundMidnight]: 'midnight',
  [clocksDiffer]: 'clocks',
};

/** The present wait; undefined while rows make progress. */
export function decideWait(scene: WaitScene): Wait | undefined {
  const { nowMs, breaker, isSending, nextInquiryAtMs: askedAtMs, trustsFromMs = 0 } = scene;
  const waitFor = (kind: WaitKind, atMs?: number, why?: Message): Wait => ({
    kind,
    dueInMs: atMs === undefined ? undefined : Math.max(0, atMs - nowMs),
    givesUpInMs: scene.givesUpAtMs === undefined ? undefined : Math.max(0, scene.givesUpAtMs - nowMs),
    why: why && inEnglish(why),
  });
  const isToAsk = askedAtMs !== undefined && askedAtMs > nowMs;
  if (isPausing(breaker, nowMs) && !isToAsk) {
    const kind = kindsOfPause[breaker.why?.code ?? ''] ?? 'pause';
    return waitFor(kind, breaker.pausedUntilMs, kind === 'pause' ? breaker.why?.reason : undefined);
  }
  if (askedAtMs !== undefined) return waitFor('inquiry', askedAtMs);
  if (isSending && trustsFromMs > nowMs) return waitFor('recovery', trustsFromMs);
  const isSlow = scene.underWay > 0 && nowMs - scene.lastProgressAtMs >= slowAnswerMs;
  // An account that is tried again names the reason of its pause.
  return isSlow ? waitFor('answer', undefined, breaker.why?.reason) : undefined;
}
