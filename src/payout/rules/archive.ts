/**
 * Decides which batches may leave the journal for an archive. A batch stays if it is still needed and could not be
 * reached in an archive.
 */
import { dayMs } from '../../core/bangkok-time.ts';
import { type Message, message } from '../../core/message.ts';
import { lossCure } from './journal-place.ts';
import { showDate } from './lost-journal.ts';

/** A Bangkok day (YYYYMMDD) on which rows of a batch were sent. */
interface ArchiveDay {
  readonly date: string;
  /** True when its present statement was read after the day had ended. */
  readonly isReconciled: boolean;
  readonly openBreaks: number;
}

/** Facts about a batch that is to leave the journal. */
export interface ArchiveFacts {
  readonly batchId: string;
  readonly fileName: string;
  readonly rows: number;
  readonly isDone: boolean;
  /** Time of its latest event, its return from an archive included. */
  readonly latestMs: number;
  /** Rows that have not ended, or have a hold. */
  readonly openRows: number;
  readonly alarmRows: number;
  /** Attempts that are still inquired about, or have no known outcome. */
  readonly openAttempts: number;
  /** True when its reports show its end, and no statement has changed it since. */
  readonly isReported: boolean;
  /** True when the watcher is working on its file, or the file was changed since it was read. */
  readonly isFileOpen: boolean;
  /** Proposals about it or one of its rows that are not decided or not applied yet. */
  readonly openDecisions: number;
  readonly days: readonly ArchiveDay[];
}

/** Moments that the last activity of a batch must precede. */
export interface ArchivePolicy {
  /** Start of the requested day, epoch milliseconds. */
  readonly beforeMs: number;
  /** Batches later than this are still searched for like payouts, or watched for a late proof. */
  readonly quietSinceMs: number;
}

interface ArchiveLimits {
  readonly similarDays: number;
  readonly likeFileDays: number;
  /** Time in ms for which superseded attempts are inquired about. */
  readonly giveUpAfterMs: number;
}

/** Least stay in days of a batch that has come back from an archive: it may still be in use. */
const quietDaysMin = 1;

export function computeArchivePolicy(beforeMs: number, limits: ArchiveLimits, nowMs: number): ArchivePolicy {
  const quietDays = Math.max(limits.similarDays, limits.likeFileDays, quietDaysMin);
  return { beforeMs, quietSinceMs: nowMs - Math.max(quietDays * dayMs, limits.giveUpAfterMs) };
}

/** The obstacle that keeps a batch in the journal. */
export interface ArchiveObstacle {
  /** A short, stable name, for programs. */
  readonly code:
    | 'not-done'
    | 'too-young'
    | 'still-compared'
    | 'rows-open'
    | 'alarm'
    | 'attempts-open'
    | 'not-reported'
    | 'file-open'
    | 'decisions-open'
    | 'not-reconciled'
    | 'breaks-open'
    | 'changed'
    | 'large';
  readonly text: Message;
}

const nameDays = (days: readonly ArchiveDay[]): Message => {
  const [day = '', ...others] = days.map(({ date }) => showDate(date));
  return others.length === 0
    ? message('archive.one-day', { day })
    : message('archive.days', { day, count: others.length });
};

/** The first obstacle that keeps a batch in the journal; undefined when it may go. */
export function findArchiveObstacle(facts: ArchiveFacts, policy: ArchivePolicy): ArchiveObstacle | undefined {
  const unread = facts.days.filter(({ isReconciled }) => !isReconciled);
  const broken = facts.days.filter(({ openBreaks }) => openBreaks > 0);
  const { openRows, alarmRows, openAttempts, openDecisions } = facts;
  const obstacles: readonly (false | ArchiveObstacle)[] = [
    !facts.isDone && { code: 'not-done', text: message('archive.not-done') },
    facts.latestMs >= policy.beforeMs && { code: 'too-young', text: message('archive.too-young') },
    facts.latestMs >= policy.quietSinceMs && {
      code: 'still-compared',
      text: message('archive.still-compared'),
    },
    openRows > 0 && { code: 'rows-open', text: message('archive.rows-open', { count: openRows }) },
    alarmRows > 0 && { code: 'alarm', text: message('archive.alarm', { count: alarmRows }) },
    openAttempts > 0 && {
      code: 'attempts-open',
      text: message('archive.attempts-open', { count: openAttempts }),
    },
    !facts.isReported && { code: 'not-reported', text: message('archive.not-reported') },
    facts.isFileOpen && { code: 'file-open', text: message('archive.file-open') },
    openDecisions > 0 && {
      code: 'decisions-open',
      text:
        openDecisions === 1
          ? message('archive.one-decision-open')
          : message('archive.decisions-open', { count: openDecisions }),
    },
    unread.length > 0 && {
      code: 'not-reconciled',
      text: message('archive.not-reconciled', { days: nameDays(unread) }),
    },
    broken.length > 0 && {
      code: 'breaks-open',
      text: message('archive.breaks-open', { days: nameDays(broken) }),
    },
  ];
  return obstacles.find((obstacle) => obstacle !== false);
}

const archiveNamePattern = /^journal-archive-(\d{4,})\.db$/;

/** Name of an archive file. Different from `archive/`, the folder of input files. */
export const archiveNameOf = (number: number): string =>
  `journal-archive-${String(number).padStart(4, '0')}.db`;

/** The archive of a journal in a database: tables of the same database. */
export const tablesArchive = 'database';

export const describeOtherTables = (batchId: string): string =>
  `the archive in the database does not have batch ${batchId} as it was archived: it was changed by hand; have the ` +
  'database put back to before that, or look at "paydrop audit" with the person who did it';

/** The number in the name of an archive; undefined for any other name. */
export function readArchiveNumber(name: string): number | undefined {
  const [, digits] = archiveNamePattern.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const putBack = 'put it back beside journal.db, from where you keep it';

export const describeMissingArchive = (path: string): string =>
  `${path} is missing: payouts that were archived are in it. ${putBack[0]?.toUpperCase()}${putBack.slice(1)}`;

/** Message about an archive that the journal names, or that was put beside it. */
export const describeUnreadableArchive = (path: string, why: string): string =>
  `${path} cannot be read (${why}): the archive is damaged, or is none; journal.db is another file. Look at the disk, then ` +
  `${putBack}. A file that never was an archive of this journal belongs elsewhere`;

export const describeOtherArchive = (path: string, batchId: string): string =>
  `${path} does not have batch ${batchId} as it was archived: it is another file, or was changed; ${putBack}`;

/** Message about an archive with payouts that the journal does not know. */
export const describeAhead = (dataDir: string, names: readonly string[]): string =>
  `journal.db in ${dataDir} is an older copy: it had come further when ${names.join(', ')} beside it was made. ${lossCure}`;

/** Message about archives without their journal. */
export const describeArchivesAlone = (dataDir: string, names: readonly string[]): string =>
  `the journal that worked in ${dataDir} is lost: ${names.join(', ')} is there, journal.db is not. ${lossCure}`;

/** Message about an archive whose history of a batch contradicts the journal's. */
export const describeUnlike = (archive: string): string =>
  `${archive} and journal.db are of two histories: the same batch, or other rows under the same numbers, went on in both. ` +
  'Put back the journal that belongs to the archive; else take the archive away, and ask the bank about each of its days';

/** Names the archives in one line; empty without archives. */
export function describeArchives(
  archives: readonly { readonly archive: string; readonly isThere: boolean }[],
  what: string,
): string[] {
  const names = archives.map(({ archive, isThere }) =>
    isThere ? archive : `${archive} (MISSING: ${putBack})`,
  );
  return names.length === 0 ? [] : [`${what}: ${names.join(', ')}.`];
}
