/** Decides when notices report that a watcher is not ready, or ready again. Pure. */
import type { Health, HealthReason } from '../../watch/rules/health.ts';

type Code = HealthReason['code'];

/** One trouble: since when it is present or absent, by a monotonic clock. */
interface TroubleState {
  readonly isThere: boolean;
  readonly sinceMs: number;
  readonly isTold: boolean;
  /** Times of its notices in the last hour. */
  readonly toldAtMs: readonly number[];
}

/** State between two looks. */
export interface Readiness {
  readonly troubles: ReadonlyMap<Code, TroubleState>;
  /** True when the latest notice says that it is not ready. */
  readonly isToldUnready: boolean;
  /** Since when it has been ready, or has stood by without a trouble; undefined while it is not. */
  readonly readySinceMs: number | undefined;
}

/** Codes that pass by themselves, or are intended. */
const noTroubles: readonly Code[] = ['standby', 'starting', 'stopping'];
export const isTrouble = ({ code }: Pick<HealthReason, 'code'>): boolean => !noTroubles.includes(code);

/** Troubles with the journal, which even a process that starts or stands by sees. */
const alwaysSeen: readonly Code[] = ['disk', 'journal-locked', 'journal-away'];

/** True for a process that stands by without a trouble: it is never ready, and needs no person. */
const isStandingBy = ({ reasons }: Pick<Health, 'reasons'>): boolean =>
  reasons.length > 0 && reasons.every(({ code }) => code === 'standby');

/** Factor on the wait: a pause goes on by itself, so that only a long one is reported. */
const patience: Partial<Record<Code, number>> = { 'payer-paused': 10 };

/** Most notices an hour about a trouble that comes and goes. */
const perHourMax = 3;
const hourMs = 3_600_000;

/** @param toldCodes codes of an earlier process's latest notice; empty after a `ready` */
export const beginReadiness = (toldCodes: readonly string[], nowMs: number): Readiness => ({
  troubles: new Map(
    toldCodes.map((code) => [
      code as Code,
      // Counts as present until the first look.
      { isThere: true, sinceMs: nowMs, isTold: true, toldAtMs: [nowMs] },
    ]),
  ),
  isToldUnready: toldCodes.length > 0,
  readySinceMs: undefined,
});

/**
 * Decides on notices after a look at the health.
 * @param nowMs by a monotonic clock
 * @param afterMs how long a trouble, or its end, must have lasted
 */
export function decideReadiness(
  before: Readiness,
  health: Pick<Health, 'ready' | 'reasons'>,
  nowMs: number,
  afterMs: number,
): { readonly after: Readiness; readonly tell: 'not-ready' | 'ready' | undefined } {
  const there = new Set(health.reasons.filter(isTrouble).map(({ code }) => code));
  const troubles = new Map<Code, TroubleState>();
  // A process that starts, or stands by, does not check everything: a trouble that it does not see may still exist.
  const isBlind = !health.reasons.every(isTrouble);
  for (const code of new Set([...before.troubles.keys(), ...there])) {
    const known = before.troubles.get(code);
    const isKept = isBlind && known !== undefined && !there.has(code) && !alwaysSeen.includes(code);
    troubles.set(code, isKept ? known : follow(known, there.has(code), nowMs, afterMs));
  }
  const hasTroubles = [...troubles.values()].some(({ isThere }) => isThere);
  const isWell = health.ready || (isStandingBy(health) && !hasTroubles);
  const readySinceMs = isWell ? (before.readySinceMs ?? nowMs) : undefined;
  // A trouble that is not seen now has no reason to report.
  const news = [...troubles].filter(
    ([code, state]) => there.has(code) && isNews(code, state, nowMs, afterMs),
  );
  if (news.length > 0) {
    for (const [code, state] of news)
      troubles.set(code, { ...state, isTold: true, toldAtMs: [...state.toldAtMs, nowMs] });
    return { after: { troubles, isToldUnready: true, readySinceMs }, tell: 'not-ready' };
  }
  const isReadyAgain = before.isToldUnready && readySinceMs !== undefined && nowMs - readySinceMs >= afterMs;
  const after = { troubles, readySinceMs, isToldUnready: before.isToldUnready && !isReadyAgain };
  return { after, tell: isReadyAgain ? 'ready' : undefined };
}

/** Updates a trouble; one that was absent long enough is reported anew when it comes back. */
function follow(
  before: TroubleState | undefined,
  isThere: boolean,
  nowMs: number,
  afterMs: number,
): TroubleState {
  const toldAtMs = (before?.toldAtMs ?? []).filter((atMs) => nowMs - atMs < hourMs);
  if (before === undefined || before.isThere !== isThere)
    return { isThere, sinceMs: nowMs, isTold: before?.isTold ?? false, toldAtMs };
  const isForgotten = !isThere && nowMs - before.sinceMs >= afterMs;
  return { ...before, toldAtMs, isTold: before.isTold && !isForgotten };
}

function isNews(code: Code, state: TroubleState, nowMs: number, afterMs: number): boolean {
  const { isThere, isTold, sinceMs, toldAtMs } = state;
  const waitMs = afterMs * (patience[code] ?? 1);
  return isThere && !isTold && nowMs - sinceMs >= waitMs && toldAtMs.length < perHourMax;
}
