/** When the world is told that a watcher is not ready, and when that it is ready again. Pure. */
import type { Health, HealthReason } from '../../watch/rules/health.ts';

type Code = HealthReason['code'];

/** One trouble: since when it is there, or is not there any more; by a clock that nobody sets. */
interface TroubleState {
  readonly isThere: boolean;
  readonly sinceMs: number;
  readonly isTold: boolean;
  /** When it was told of in the last hour. */
  readonly toldAtMs: readonly number[];
}

/** What is remembered from one look to the next. */
export interface Readiness {
  readonly troubles: ReadonlyMap<Code, TroubleState>;
  /** The latest notice says that it is not ready. */
  readonly isToldUnready: boolean;
  /** Since when it has been ready, or has stood by without a trouble; undefined while it is not. */
  readonly readySinceMs: number | undefined;
}

/** Passes by itself, or is meant. */
const noTroubles: readonly Code[] = ['standby', 'starting', 'stopping'];
export const isTrouble = ({ code }: Pick<HealthReason, 'code'>): boolean => !noTroubles.includes(code);

/** What keeps a process from its journal: one that starts or stands by sees that, too. */
const alwaysSeen: readonly Code[] = ['disk', 'journal-locked', 'journal-away'];

/** One that stands by is never ready; it is as well as it can be when nothing else is against it. */
const isStandingBy = ({ reasons }: Pick<Health, 'reasons'>): boolean =>
  reasons.length > 0 && reasons.every(({ code }) => code === 'standby');

/** A pause goes on by itself: only a long one is told of. */
const patience: Partial<Record<Code, number>> = { 'payer-paused': 10 };

/** A trouble that comes and goes is told so often an hour. */
const perHourMax = 3;
const hourMs = 3_600_000;

/** @param toldCodes those that the latest notice named, of an earlier process; none after one that said `ready` */
export const beginReadiness = (toldCodes: readonly string[], nowMs: number): Readiness => ({
  troubles: new Map(
    toldCodes.map((code) => [
      code as Code,
      // As long as the first look is to come it is taken for granted.
      { isThere: true, sinceMs: nowMs, isTold: true, toldAtMs: [nowMs] },
    ]),
  ),
  isToldUnready: toldCodes.length > 0,
  readySinceMs: undefined,
});

/**
 * What a look at the health means.
 * @param nowMs by a clock that nobody sets
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
  // One that starts, or stands by, does not look at everything: what it does not see may be there all the same.
  const isBlind = !health.reasons.every(isTrouble);
  for (const code of new Set([...before.troubles.keys(), ...there])) {
    const known = before.troubles.get(code);
    const isKept = isBlind && known !== undefined && !there.has(code) && !alwaysSeen.includes(code);
    troubles.set(code, isKept ? known : follow(known, there.has(code), nowMs, afterMs));
  }
  const hasTroubles = [...troubles.values()].some(({ isThere }) => isThere);
  const isWell = health.ready || (isStandingBy(health) && !hasTroubles);
  const readySinceMs = isWell ? (before.readySinceMs ?? nowMs) : undefined;
  // A trouble that is not seen now has no reason to be told with.
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

/** One that has been away for long enough is told of anew when it comes back. */
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
