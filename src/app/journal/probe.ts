/** Whether the journal answers now. */
import type { Clock } from '../../core/ports.ts';
import { endsWithin } from '../../platform/signal.ts';
import { JournalWriteError } from '../../store/connection.ts';
import { findJournalPlace, type JournalSettings, nameJournal } from './place.ts';

/** Time after which a journal counts as not answering: less than the client's own wait for a database that is away. */
const answersMs = 5_000;

/** The outcome of a question to the journal: its answer, or that the database has not answered in time. */
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

/** The error that work has failed with; undefined where it succeeded. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/**
 * Checks whether the journal answers, with one question at a time: questions that pile up while a database is away would
 * delay every later write.
 * @param ask rejects with what keeps the journal from answering
 * @returns a function that gives what keeps the journal from answering; undefined when it answers
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
