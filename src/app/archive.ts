/** `paydrop archive`: moves finished batches out of the journal into an archive. */
import { counted, inEnglish, message } from '../core/message.ts';
import { parseBangkokDate } from '../core/bangkok-time.ts';
import type { Clock } from '../core/ports.ts';
import type { ArchiveStore } from '../payout/ports.ts';
import {
  type ArchiveFacts,
  type ArchiveObstacle,
  type ArchivePolicy,
  computeArchivePolicy,
  findArchiveObstacle,
} from '../payout/rules/archive.ts';
import { describeLoss, isInQuestion, showDate } from '../payout/rules/lost-journal.ts';
import { systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { makeDayHeads } from '../evidence/day-heads.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { requireJournal } from './open-store.ts';
import { findJournalPlace } from './journal/place.ts';
import { lockOwnJournal, openOwnJournal } from './journal/own-journal.ts';
import { SenderBusyError } from './session.ts';

interface ArchiveOptions {
  /** YYYYMMDD in Bangkok: only batches without any event since that day move. */
  readonly beforeDate: string;
  /** True: reports what would move, and moves nothing. */
  readonly isDryRun: boolean;
  readonly stop: AbortSignal;
}

interface StayingBatch {
  readonly batch: ArchiveFacts;
  readonly obstacle: ArchiveObstacle;
}

export interface Archived {
  /** Name of the archive; undefined when nothing has moved. */
  readonly archive: string | undefined;
  /** Batches that have moved; in a dry run, those that would. */
  readonly moved: readonly ArchiveFacts[];
  readonly stays: readonly StayingBatch[];
  readonly bytesGivenBack: number;
  /** True when a stop was requested before every due batch had moved. */
  readonly isStopped: boolean;
}

/**
 * SQLite: takes the sender lock, so nothing is sent meanwhile. PostgreSQL: runs alongside the sender; each batch moves in
 * one transaction, which checks that nothing of the batch is open and that no worker holds one of its rows.
 * @throws SenderBusyError while another process may send from the file
 * @throws SettingsError without a journal, for a day in the future, and while a loss is in question
 */
export async function archiveBatches(
  loaded: LoadedSettings,
  log: Logger,
  { beforeDate, isDryRun, stop }: ArchiveOptions,
): Promise<Archived> {
  const nowMs = systemClock.now();
  const beforeMs = parseBangkokDate(beforeDate);
  if (beforeMs === undefined || beforeMs > nowMs)
    throw new SettingsError(`--before: ${showDate(beforeDate)} is yet to come: name a day that has begun`);
  const isBeside = findJournalPlace(loaded).kind === 'database';
  await using journal = await (isBeside ? requireJournal(loaded) : openAlone(loaded, log));
  const loss = await journal.loss();
  if (isInQuestion(loss))
    throw new SettingsError(`nothing is archived now. ${inEnglish(describeLoss(loss))}.`);
  const { similarDays, likeFileDays } = loaded.settings.limits;
  const { giveUpAfterMs } = loaded.settings.settle;
  const policy = computeArchivePolicy(beforeMs, { similarDays, likeFileDays, giveUpAfterMs }, nowMs);
  // Makes the heads of the days while their events still stand in one place.
  const makeHeads = () => makeDayHeads(journal, journal.journalId, nowMs);
  // A concurrent sender may have made the same head: the second try finds it.
  if (!isDryRun)
    await makeHeads().catch(async (error: unknown) => {
      if (!isBeside) throw error;
      await makeHeads();
    });
  return await moveDue(journal, { policy, isDryRun, stop, clock: systemClock });
}

interface Moving extends Pick<ArchiveOptions, 'isDryRun' | 'stop'> {
  readonly policy: ArchivePolicy;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Writers wait until a batch has moved: a batch that takes more than seconds stays while other processes work.
 * Measured on a busy machine against the longest wait of a write (30 s).
 */
const besideRowsMax = 30_000;

const tooLarge: ArchiveObstacle = {
  code: 'large',
  text: message('archive.large', { rows: counted(besideRowsMax, 'row') }),
};

/** Moves the due batches. @forTests */
export async function moveDue(
  journal: ArchiveStore & Pick<Store, 'workers'>,
  { policy, isDryRun, stop, clock }: Moving,
): Promise<Archived> {
  const stays: StayingBatch[] = [];
  const mayGo: ArchiveFacts[] = [];
  const isAlone = !((await journal.workers?.()) ?? []).some(({ isThere }) => isThere);
  for (const batch of await journal.archiveFacts(policy.beforeMs)) {
    const isTooLarge = !isAlone && batch.rows > besideRowsMax;
    const obstacle = findArchiveObstacle(batch, policy) ?? (isTooLarge ? tooLarge : undefined);
    if (obstacle === undefined) mayGo.push(batch);
    else stays.push({ batch, obstacle });
  }
  const found = { archive: undefined, moved: mayGo, stays, bytesGivenBack: 0, isStopped: false };
  if (isDryRun || mayGo.length === 0 || stop.aborted) return found;
  const archive = await journal.makeArchive(clock.now());
  const moved: ArchiveFacts[] = [];
  let left = mayGo.length;
  try {
    for (const batch of mayGo) {
      if (stop.aborted) break;
      left -= 1;
      if (await journal.archiveBatch(batch.batchId, archive, policy, clock.now())) moved.push(batch);
      else stays.push({ batch, obstacle: changedMeanwhile });
      // Lets signals arrive between two batches.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    if (moved.length === 0) await journal.dropArchive(archive);
  }
  const bytesGivenBack = left > 0 ? 0 : await journal.giveSpaceBack();
  return {
    archive: moved.length === 0 ? undefined : archive,
    moved,
    stays,
    bytesGivenBack,
    isStopped: left > 0,
  };
}

const changedMeanwhile: ArchiveObstacle = { code: 'changed', text: message('archive.changed') };

/** Opens the journal with the sender lock. */
async function openAlone(loaded: LoadedSettings, log: Logger) {
  // Refuses a missing journal: opening it for writing would make one.
  await (await requireJournal(loaded))[Symbol.asyncDispose]();
  await using stack = new AsyncDisposableStack();
  const lock = await lockOwnJournal(loaded, 'archive', log, systemClock, {});
  if ('heldBy' in lock) throw new SenderBusyError(lock.heldBy);
  stack.use(lock);
  const journal = stack.use(await openOwnJournal(loaded, log, systemClock, {}, lock));
  const owned = stack.move();
  return { ...journal, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
