/** Whether the journal answers now. */
import type { Clock } from '../../core/ports.ts';
import { endsWithin } from '../../platform/signal.ts';
import { JournalWriteError } from '../../store/connection.ts';
import { findJournalPlace, type JournalSettings, nameJournal } from './place.ts';

/** A database that is away is waited for, by whoever asks it, for longer than anybody wants to be told late. */
const answersMs = 5_000;

/** What came of a question to the journal: what the answer is, or that a database has not given one in time. */
export async function answerInTime(
  settings: JournalSettings,
  clock: Pick<Clock, 'sleep'>,
  answer: Promise<unknown>,
): Promise<unknown> {
  const isInTime = findJournalPlace(settings).kind === 'file' || (await endsWithin(clock, answersMs, answer));
  if (isInTime) return answer;
  return new JournalWriteError(`${nameJournal(settings)} does not answer: look at that server`, {
    cause: Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }),
  });
}

/** What work has failed with; undefined where it has not. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/**
 * Looks whether the journal answers, with one question at a time: each that a database away was asked before would have to
 * be waited for before anything else is written.
 * @param ask rejects with what keeps the journal from answering
 * @returns gives what keeps it from answering; undefined when it answers
 */
export function makeJournalProbe(
  settings: JournalSettings,
  clock: Pick<Clock, 'sleep'>,
  ask: () => Promise<unknown>,
): () => Promise<unknown> {
  let underWay: Promise<unknown> | undefined;
  return () => {
    underWay ??= failureOf(ask()).finally(() => {
      underWay = undefined;
    });
    return answerInTime(settings, clock, underWay);
  };
}
