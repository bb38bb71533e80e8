/** `paydrop move`: moves a journal from its file into a PostgreSQL database, where several machines may work it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { countOf } from '../../core/figures.ts';
import { describeNoFile, siteOfDatabase, siteOfFile } from '../../payout/rules/journal-place.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { complainAboutJournalUrl, nameJournalUrl } from '../../settings/journal-url.ts';
import { requireJournalUrl, SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import { journalFileName, JournalRefusedError, openConnection, openReader } from '../../store/connection.ts';
import { requireIdentity } from '../../store/identity.ts';
import { type Gone, readGone } from '../../store/moved.ts';
import { readHighWaterMark } from '../../store/high-water-mark.ts';
import { type JournalAddress, openDatabaseJournal } from '../../store/postgres/open.ts';
import { drive } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';
import { lockOwnJournal, openOwnJournal } from '../journal/own-journal.ts';
import { describeIdentity, requireJournal } from '../open-store.ts';
import { findSender, type SenderLockOwner } from '../sender-lock.ts';
import { SenderBusyError } from '../session.ts';
import {
  carryOver,
  findJournalThere,
  lookAhead,
  type Move,
  type MoveAhead,
  type MoveEnd,
  type Way,
} from './carry-over.ts';
import { countRows } from './tables.ts';

interface MoveWish {
  /** Address of the database; that of the settings when left out. */
  readonly to: string | undefined;
  /** Brings archived batches back into the journal first. */
  readonly recalls: boolean;
}

interface Ways {
  readonly journalId: string;
  readonly dataDir: string;
  /** Address of the database, without user and password. */
  readonly database: string;
  /** False where the journal is in the database and no file is here: nothing to move. */
  readonly hasFile: boolean;
}

/** Contents of a move, and what blocks it. */
export interface MovePlan extends Ways {
  readonly ahead: MoveAhead;
  readonly rows: number;
  /** Batches in archives beside the file. */
  readonly archivedBatches: number;
  /** The process that sends from the file; undefined when none does. */
  readonly sender: SenderLockOwner | undefined;
}

export type Moved = Ways & MoveEnd;

/**
 * Moves the journal. No other process may send or change anything meanwhile.
 * @throws SenderBusyError while another process may send
 * @throws SettingsError without a journal, or without an address
 * @throws JournalRefusedError when the journal may not go there, or the copy differs from the original
 */
export async function moveJournal(
  loaded: LoadedSettings,
  log: Logger,
  { to, recalls }: MoveWish,
): Promise<Moved> {
  const address = readAddress(loaded, to);
  const source = inFile(loaded);
  const there = await findWithoutFile(source, address);
  if (there !== undefined) return { ...there, kind: 'was-there' };
  await using stack = new AsyncDisposableStack();
  // Refuses a missing journal: opening it for writing would make one.
  if (peekGone(source) === undefined) await (await requireJournal(source))[Symbol.asyncDispose]();
  const lock = await lockOwnJournal(source, 'move', log, systemClock, {});
  if ('heldBy' in lock) throw new SenderBusyError(lock.heldBy);
  stack.use(lock);
  // Opens it as a sender does: a journal that is lost, a copy or another's does not move.
  if (peekGone(source) === undefined) {
    await using journal = await openOwnJournal(source, log, systemClock, {});
    await takeArchivesAlong(journal, recalls);
  }
  using db = openConnection(pathOf(source));
  const way = findWay(db, source, address);
  const onTable: Move['onTable'] = (table, rows) => log.info({ table, rows }, 'rows are on their way');
  const end = await carryOver(db, { ...way, nowMs: systemClock.now(), onTable });
  return { ...describeWay(way), ...end };
}

/** Says what a move would do. @throws as `moveJournal` does, but not for a sender, which may work until the move */
export async function planMove(loaded: LoadedSettings, { to, recalls }: MoveWish): Promise<MovePlan> {
  const address = readAddress(loaded, to);
  const source = inFile(loaded);
  const there = await findWithoutFile(source, address);
  if (there !== undefined)
    return { ...there, ahead: 'nothing', rows: 0, archivedBatches: 0, sender: undefined };
  const gone = peekGone(source);
  let archivedBatches = 0;
  if (gone === undefined) {
    await using journal = await requireJournal(source);
    archivedBatches = await countArchived(journal, recalls);
  }
  using db = openReader(pathOf(source));
  const way = findWay(db, source, address);
  const ahead = await lookAhead(way, gone);
  return {
    ...describeWay(way),
    ahead,
    rows: countRows(db),
    archivedBatches,
    // A process that sends from the database blocks no move.
    sender: ahead === 'nothing' ? undefined : findSender(source.dataDir),
  };
}

/** The settings as before the move, with the journal in its file. */
const inFile = (loaded: LoadedSettings): LoadedSettings => ({
  ...loaded,
  journalUrl: { ok: true, secret: '', from: 'move' },
});

const pathOf = ({ dataDir }: Pick<LoadedSettings, 'dataDir'>): string => join(dataDir, journalFileName);

/** @throws SettingsError where no address is given, or two */
function readAddress({ journalUrl }: LoadedSettings, to: string | undefined): JournalAddress {
  const set = requireJournalUrl(journalUrl);
  const url = to ?? set;
  if (url === '')
    throw new SettingsError('name the database: with --to, in journal.url, or in PAYDROP_JOURNAL_URL');
  const complaint = complainAboutJournalUrl(url);
  if (complaint !== undefined) throw new SettingsError(`--to ${complaint}`);
  const name = nameJournalUrl(url);
  if (set !== '' && nameJournalUrl(set) !== name)
    throw new SettingsError(
      `--to names ${name}, and ${journalUrl.ok ? journalUrl.from : 'journal.url'} names ${nameJournalUrl(set)}: leave --to out`,
    );
  return { url, name };
}

/** The file's mark of a move; undefined without a file, or where it cannot be read, which opening it reports. */
function peekGone(source: LoadedSettings): Gone | undefined {
  if (!existsSync(pathOf(source))) return undefined;
  try {
    using db = openReader(pathOf(source));
    return drive(db, readGone());
  } catch {
    return undefined;
  }
}

/** @throws JournalRefusedError when the journal belongs to another bank, another company or the sandbox */
function findWay(db: DatabaseSync, source: LoadedSettings, address: JournalAddress): Way {
  const { dataDir } = source;
  const from = siteOfFile(dataDir);
  const journalId = drive(db, requireIdentity(from, describeIdentity(source)));
  return { journalId, from, to: siteOfDatabase(dataDir, address.name), address };
}

const describeWay = ({ journalId, from, address }: Way): Ways => ({
  journalId,
  dataDir: from.dataDir,
  database: address.name,
  hasFile: true,
});

/**
 * The state where there is no file: a journal that began in the database never had one.
 * @returns undefined where there is a file, or no trace of a journal
 * @throws JournalRefusedError when the database lacks the journal that worked here, or it may not be used
 */
async function findWithoutFile(source: LoadedSettings, address: JournalAddress): Promise<Ways | undefined> {
  const { dataDir } = source;
  if (existsSync(pathOf(source))) return undefined;
  const journalId = await findJournalThere({ to: siteOfDatabase(dataDir, address.name), address });
  const mark = readHighWaterMark(dataDir);
  if (mark !== undefined && mark.journalId !== journalId)
    throw new JournalRefusedError(describeNoFile(siteOfFile(dataDir), mark.journalId, address.name));
  if (journalId === undefined) return undefined;
  // Opens it as a sender does: a journal older than its mark, or another bank's, does not count as being there.
  const opening = { dataDir, stamp: describeIdentity(source), access: 'beside' } as const;
  await (await openDatabaseJournal(opening, address))?.[Symbol.asyncDispose]();
  return { journalId, dataDir, database: address.name, hasFile: false };
}

/** @throws JournalRefusedError for archived batches, which are files beside the journal's, unless they come back */
async function countArchived(journal: Pick<Store, 'archives'>, recalls: boolean): Promise<number> {
  const archives = await journal.archives();
  const batches = archives.reduce((sum, archive) => sum + archive.batches, 0);
  if (batches === 0 || recalls) return batches;
  const names = archives.map(({ archive }) => archive).join(', ');
  throw new JournalRefusedError(
    `${countOf(batches, 'batch', 'batches')} of the journal ${batches === 1 ? 'stands' : 'stand'} in ${names}, which ` +
      'a database cannot read: "paydrop move --recall" brings them back into the journal first, each whole, so that they ' +
      'go along',
  );
}

async function takeArchivesAlong(journal: Store, recalls: boolean): Promise<void> {
  if ((await countArchived(journal, recalls)) === 0) return;
  const batchIds = (await journal.batches()).map(({ batchId }) => batchId);
  await journal.recall('batch', batchIds, systemClock.now());
}
