/** Waits for the sender's place of a journal that several machines work, and helps the sender meanwhile. */
import type { Batch } from '../../core/ports.ts';
import { help } from '../../payout/help.ts';
import { waitForAny } from '../../platform/signal.ts';
import { makeContext, type Session, toLog } from '../session.ts';
import { answerInTime, failureOf } from '../journal/probe.ts';
import type { SenderLockOwner } from '../sender-lock.ts';
import type { MachinePlace } from './machine-place.ts';

/** Interval at which the sender's lease is checked. */
const standbyPollMs = 500;

/**
 * Looks between two records of the journal's progress, whichever process made it: once the sender is gone, no other
 * process may know.
 */
const looksBetweenMarks = 6;

/** The session of a helper. */
export type HelpingSession = Session & { readonly place: MachinePlace };

interface StandingBy {
  /** Aborted by a request to stop. */
  readonly stop: AbortSignal;
  /** Called each time with the process that sends. */
  readonly reportOwner: (owner: SenderLockOwner | undefined) => void;
  /** Called with what keeps it from the journal; with undefined when nothing does. */
  readonly noteTrouble: (error: unknown) => void;
  /** Other work until the stop; must not throw. */
  readonly beside?: ((session: HelpingSession, stop: AbortSignal) => Promise<void>) | undefined;
}

/** Longest wait for that other work to end before this process sends: an inbox may never answer. */
const besideEndsMs = 5_000;

export interface Helped {
  /** Resolves when no request sent as a helper is under way any more. */
  readonly ended: Promise<void>;
}

/**
 * Helps until this process has the sender's place, or is stopped.
 * @throws JournalRefusedError when the journal turns out to be another than before
 */
export async function helpSender(session: HelpingSession, standing: StandingBy): Promise<Helped> {
  const { place, clock, journal, runs, refused } = session;
  const over = new AbortController();
  const end = AbortSignal.any([standing.stop, ...(refused ? [refused] : [])]);
  const stop = AbortSignal.any([end, over.signal]);
  const ended = help({
    journal,
    clock,
    log: toLog(session.log),
    share: place.share,
    runs,
    isHeld: () => place.keeper.isHeld,
    runningBatches: () => findRunning(session),
    openContext: (until, count, batch) => makeContext(session, until, count, batch),
    count: () => {},
    stop,
  }).then(() => place.endFormer());
  const beside = new AbortController();
  void (standing.beside?.(session, stop) ?? Promise.resolve()).finally(() => beside.abort());
  const look = async (no: number): Promise<void> => {
    if (no % looksBetweenMarks === 0) await journal.requireNothingLost?.();
    await place.step();
  };
  for (let no = 0; place.role === 'helper' && !end.aborted; no += 1) {
    standing.reportOwner(place.sender);
    await clock.sleep(standbyPollMs, end);
    if (end.aborted) break;
    // Awaited to its end: the look may take the sender's place.
    const looked = failureOf(look(no));
    standing.noteTrouble(await answerInTime(session.loaded, clock, looked));
    standing.noteTrouble(await looked);
  }
  over.abort();
  await waitForAny(clock, besideEndsMs, beside.signal);
  try {
    refused?.throwIfAborted();
    if (place.role !== 'helper') await journal.requireNothingLost?.('of-all');
    // Reads what an operator has stated about the journal while this process helped.
    await session.readPast?.();
  } catch (error) {
    await ended;
    throw error;
  }
  return { ended };
}

/** Running batches, the oldest first. */
async function findRunning({ journal, readPast }: HelpingSession): Promise<readonly Batch[]> {
  const running = (await journal.runnableBatches()).filter(
    ({ batch, hasReady }) => batch.status === 'running' && hasReady,
  );
  if (running.length > 0) await readPast?.();
  return running.map(({ batch }) => batch);
}
