/** Waits for the sender's place of a journal that several machines work, and helps whoever has it meanwhile. */
import type { Batch } from '../../core/ports.ts';
import { help } from '../../payout/help.ts';
import { waitForAny } from '../../platform/signal.ts';
import { makeContext, type Session, toLog } from '../session.ts';
import { answerInTime, failureOf } from '../journal/probe.ts';
import type { SenderLockOwner } from '../sender-lock.ts';
import type { MachinePlace } from './machine-place.ts';

/** How often it is looked whether the sender is still there. */
const standbyPollMs = 500;

/**
 * Every so many looks it is remembered how far the journal has come, whoever has brought it there: once the sender is gone,
 * nobody else may know.
 */
const looksBetweenMarks = 6;

/** A session of a process that helps. */
export type HelpingSession = Session & { readonly place: MachinePlace };

interface StandingBy {
  /** Aborted when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** Told each time who is sending. */
  readonly reportOwner: (owner: SenderLockOwner | undefined) => void;
  /** Told what keeps it from the journal; undefined when nothing does. */
  readonly noteTrouble: (error: unknown) => void;
  /** What else it does meanwhile, until it is stopped; must not throw. */
  readonly beside?: ((session: HelpingSession, stop: AbortSignal) => Promise<void>) | undefined;
}

/** How long what it does beside is waited for before it sends: an inbox may never answer. */
const besideEndsMs = 5_000;

export interface Helped {
  /** Resolves when nothing that it has sent as a helper is under way any more. */
  readonly ended: Promise<void>;
}

/**
 * Helps until this process has the sender's place, or is stopped.
 * @throws JournalRefusedError when the journal turns out to be another one than before
 */
export async function standBy(session: HelpingSession, standing: StandingBy): Promise<Helped> {
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
    // Waited for to its end: it may take the place of the one that sends.
    const looked = failureOf(look(no));
    standing.noteTrouble(await answerInTime(session.loaded, clock, looked));
    standing.noteTrouble(await looked);
  }
  over.abort();
  await waitForAny(clock, besideEndsMs, beside.signal);
  try {
    refused?.throwIfAborted();
    if (place.role !== 'helper') await journal.requireNothingLost?.('of-all');
    // What an operator has said of the journal while this process helped.
    await session.readPast?.();
  } catch (error) {
    await ended;
    throw error;
  }
  return { ended };
}

/** The oldest first. */
async function findRunning({ journal, readPast }: HelpingSession): Promise<readonly Batch[]> {
  const running = (await journal.runnableBatches()).filter(
    ({ batch, hasReady }) => batch.status === 'running' && hasReady,
  );
  if (running.length > 0) await readPast?.();
  return running.map(({ batch }) => batch);
}
