/** The bank's answers to sends, minute by minute, from the events of payouts. */
import type { PayoutCause } from '../../core/payout.ts';

/** The recording of a send, and what it came to. */
export const answerCauses = [
  'intent-recorded',
  'proved',
  'refused-for-payout',
  'refused-for-line',
  'outcome-in-doubt',
] as const satisfies readonly PayoutCause[];

export interface BankEvent {
  readonly payoutSeq: number;
  readonly cause: PayoutCause;
  readonly atMs: number;
}

interface Answer {
  readonly atMs: number;
  readonly tookMs: number;
  /** True for an answer, or a silence, that leaves the outcome in doubt. */
  readonly isUnclear: boolean;
}

/** The first event after each send. @param events in their order */
function findAnswers(events: readonly BankEvent[]): readonly Answer[] {
  const sentAtMs = new Map<number, number>();
  const answers: Answer[] = [];
  for (const { payoutSeq, cause, atMs } of events) {
    if (cause === 'intent-recorded') {
      sentAtMs.set(payoutSeq, atMs);
      continue;
    }
    const since = sentAtMs.get(payoutSeq);
    if (since === undefined) continue;
    sentAtMs.delete(payoutSeq);
    answers.push({ atMs, tookMs: Math.max(0, atMs - since), isUnclear: cause === 'outcome-in-doubt' });
  }
  return answers;
}

export interface AnswerFigures {
  readonly answers: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly unclear: number;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;

function measure(answers: readonly Answer[]): AnswerFigures | undefined {
  if (answers.length === 0) return undefined;
  const times = answers.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
  return {
    answers: answers.length,
    medianMs: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    unclear: answers.filter(({ isUnclear }) => isUnclear).length,
  };
}

/** The minutes shown, and their length in ms. */
export const [minutesShown, minuteMs] = [60, 60_000];

export interface BankHour {
  readonly fromMs: number;
  /** Undefined without an answer. */
  readonly whole: AnswerFigures | undefined;
  /** Undefined for a minute without an answer. */
  readonly minutes: readonly (AnswerFigures | undefined)[];
}

/** @param fromMs the start of the hour */
export function measureHour(events: readonly BankEvent[], fromMs: number): BankHour {
  const answers = findAnswers(events).filter(({ atMs }) => atMs >= fromMs);
  const byMinute = Map.groupBy(answers, ({ atMs }) => Math.floor((atMs - fromMs) / minuteMs));
  return {
    fromMs,
    whole: measure(answers),
    minutes: Array.from({ length: minutesShown }, (_, minute) => measure(byMinute.get(minute) ?? [])),
  };
}

/** A time in which nothing was sent, in minutes of the hour; undefined outside it. */
export function shadeOf(
  hour: Pick<BankHour, 'fromMs'>,
  sinceMs: number,
  untilMs: number,
): { readonly from: number; readonly to: number } | undefined {
  const [from, to] = [sinceMs, untilMs].map((atMs) =>
    Math.min(minutesShown, Math.max(0, (atMs - hour.fromMs) / minuteMs)),
  );
  return from === undefined || to === undefined || to <= from ? undefined : { from, to };
}
