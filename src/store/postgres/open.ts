/**
 * Opens the journal of a PostgreSQL database, and refuses one that is another's, newer, lost or restored. It is done in two
 * steps, so that the right to send, which stands in the journal itself, can be taken between them.
 */
import type { ClientBase } from 'pg';
import {
  type DatabaseIdentity,
  describeBehind,
  describeMoved,
  isBoundTo,
  type JournalProgress,
  keepFurthest,
  siteOfDatabase,
} from '../../payout/rules/journal-place.ts';
import { JournalRefusedError } from '../connection.ts';
import { type HighWaterMark, HighWaterMarkFile } from '../high-water-mark.ts';
import { readProgress, requireIdentity, writeIdentity } from '../identity.ts';
import { recordLoss } from '../loss.ts';
import { readFact } from '../meta.ts';
import {
  decideTables,
  type JournalOpening,
  type Opening,
  readMarkedTerminals,
  readOpening,
  requireTerminals,
} from '../opening.ts';
import { readLatestEventSeq } from '../payouts/rows.ts';
import { requireArrived, requireNoFile } from '../moved.ts';
import { bindPlace, readPlace, readTerminals, writeMoment } from '../place.ts';
import { bindServerKind, readServerKind, requireServerKind, type ServerKind } from '../server-kind.ts';
import type { Body } from '../statements.ts';
import type { Store } from '../store.ts';
import { driveOn } from './drive.ts';
import { makePostgresEngine, type PostgresEngine } from './engine.ts';
import { asPostgresRefusal } from './errors.ts';
import { makePostgresJournal } from './journal.ts';
import { knownTables, migrateTables, readTablesVersion, tablesVersion } from './migrations.ts';
import { readWorkRates } from './bank-calls.ts';
import type { OwnWorker } from './send-guards.ts';
import { makeFileClaims } from './file-claims.ts';
import { makeWorkerStore } from './workers.ts';
import { requireSameDatabase, requireServer } from './server.ts';
import { type Joining, noteJoined, noteWitness, readMoments } from './unmarked.ts';

/** The address of the database in which a journal is. */
export interface JournalAddress {
  /** The URL, `postgres://…`, which may hold a password. */
  readonly url: string;
  /** The URL for messages, without user and password. */
  readonly name: string;
}

/** A journal whose tables are there and which belongs to no other. Its owner closes it after whatever it opens. */
export interface PreparedJournal extends AsyncDisposable {
  readonly engine: PostgresEngine;
  /** Aborted, with the refusal as its reason, when a connection has led to another database than before, or to an older copy. */
  readonly refused: AbortSignal;
  /**
   * Checks place and high-water marks, and keeps the latter up to date while the journal is open.
   * @param own the worker that this process is; nothing is sent without one
   * @throws JournalRefusedError when it is lost or restored
   */
  takeUp(own?: OwnWorker): Promise<Store>;
}

/** The facts about the database while the journal is open. */
interface Known {
  identity: DatabaseIdentity | undefined;
  /** The latest event that this process has committed: a database that is behind it is a copy. */
  latestEventSeq: number;
  readonly refused: AbortController;
}

/**
 * Makes the tables, or brings them up to date, where this process may.
 * @returns undefined when there is no journal and it is not to be made (`beside`)
 * @throws JournalRefusedError when the server will not do, or the journal is another bank's, company's or the sandbox's, of
 * a newer program or lost
 * @throws JournalWriteError when the server cannot be reached
 */
export async function prepareJournal(
  wanted: JournalOpening,
  { url, name }: JournalAddress,
): Promise<PreparedJournal | undefined> {
  const opening = readOpening(wanted, (dataDir) => siteOfDatabase(dataDir, name));
  requireNoFile(opening.site);
  const known: Known = { identity: undefined, latestEventSeq: 0, refused: new AbortController() };
  await using stack = new AsyncDisposableStack();
  try {
    const engine = stack.use(makePostgresEngine(url, (client) => requireKnown(client, opening, known)));
    const tables = await prepareTables(engine, opening);
    if (tables === 'absent') return undefined;
    const journalId = await engine.read(() => requireIdentity(opening.site, opening.stamp));
    await engine.read(() => requireArrived(opening.site));
    await takeServerKind(engine, opening);
    const owned = stack.move();
    return {
      engine,
      refused: known.refused.signal,
      takeUp: async (own) => {
        const journal = await takeUp({ engine, opening, known, journalId, own, isMade: tables === 'made' });
        return {
          ...journal,
          workers: makeWorkerStore(engine).workers,
          workRates: () => engine.read(readWorkRates),
          fileClaims: makeFileClaims(engine),
        };
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  } catch (error) {
    throw asPostgresRefusal(opening.site.journal, error);
  }
}

/**
 * Opens the journal for a process that does not send; undefined when there is none and it is not to be made (`beside`).
 * @throws as `prepareJournal` does
 */
export async function openDatabaseJournal(
  wanted: JournalOpening,
  address: JournalAddress,
): Promise<Store | undefined> {
  const prepared = await prepareJournal(wanted, address);
  if (prepared === undefined) return undefined;
  await using stack = new AsyncDisposableStack();
  stack.use(prepared);
  const journal = stack.use(await prepared.takeUp());
  const owned = stack.move();
  return { ...journal, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The kind that the journal keeps of the server at a loopback address; undefined without one, or if it cannot be read. */
export async function peekServerKind({ url }: JournalAddress): Promise<ServerKind | undefined> {
  await using engine = makePostgresEngine(url);
  try {
    await withClient(engine, async () => {});
    return await engine.read(readServerKind);
  } catch {
    // The opening of the journal says what is wrong with it.
    return undefined;
  }
}

/** Requires that each connection is to the database that the first was to, and has what was committed since. */
async function requireKnown(client: ClientBase, { site, access }: Opening, known: Known): Promise<void> {
  const present = await requireServer(client, site, access === 'own');
  known.identity ??= present;
  try {
    requireSameDatabase(site, known.identity, present);
    // The number is read now: while the answer is on its way, more is committed.
    const { latestEventSeq } = known;
    if (latestEventSeq === 0 || (await driveOn(client, readLatestEventSeq())) >= latestEventSeq) return;
    throw new JournalRefusedError(
      `${site.holder} is an older copy (noticed while it was at work). ${site.lossCure}`,
    );
  } catch (error) {
    if (error instanceof JournalRefusedError) known.refused.abort(error);
    throw error;
  }
}

// ---------------------------------------------------------------- tables

/** Uses a connection for work that no body does. */
async function withClient<T>({ pool }: PostgresEngine, use: (client: ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await use(client);
  } finally {
    client.release(true);
  }
}

/** Brings the tables up to date where this process may; `absent` when there are none and it may not. */
async function prepareTables(engine: PostgresEngine, opening: Opening): Promise<'ready' | 'made' | 'absent'> {
  const { stamp, nowMs, site } = opening;
  const version = await withClient(engine, readTablesVersion);
  const isBegun = version > 0 && (await engine.read(() => readFact('journalId'))) !== undefined;
  const tables = decideTables(opening, version, knownTables, isBegun);
  if (tables !== 'to-be-made') return tables;
  if (version < tablesVersion)
    await withClient(engine, (client) => migrateTables(client, { journal: site.journal, nowMs }));
  const isMade = await engine.write(() => begin(stamp, nowMs));
  // Another machine has begun it meanwhile.
  if (!isMade && !isBegun) decideTables(opening, tablesVersion, knownTables, true);
  return isMade ? 'made' : 'ready';
}

/** Begins a journal; false where it has begun. */
function* begin(stamp: JournalOpening['stamp'], nowMs: number): Body<boolean> {
  if ((yield* readFact('journalId')) !== undefined) return false;
  yield* writeIdentity(stamp);
  yield* writeMoment('newSinceMs', nowMs);
  return true;
}

/** Records the first answer of the server in a journal that has none; a reader changes nothing. */
async function takeServerKind(
  engine: PostgresEngine,
  { access, site, stamp: { serverKind } }: Opening,
): Promise<void> {
  const isNew = await engine.read(() => requireServerKind(site, serverKind));
  if (isNew && serverKind !== undefined && access === 'own')
    await engine.write(() => bindServerKind(serverKind));
}

// ---------------------------------------------------------------- place and marks

interface Prepared {
  readonly engine: PostgresEngine;
  readonly opening: Opening;
  readonly known: Known;
  readonly journalId: string;
  readonly own: OwnWorker | undefined;
  /** True when this process has made it just now. */
  readonly isMade: boolean;
}

async function takeUp({ engine, opening, known, journalId, own, isMade }: Prepared): Promise<Store> {
  const { access, recovery, dataDir, site, highWaterMark } = opening;
  const read = (): Promise<HighWaterMark> => engine.read(() => readProgress(journalId));
  if (access === 'beside') {
    const missing = describeBehind(site, highWaterMark, await read());
    if (missing !== undefined) throw new JournalRefusedError(missing);
    return makePostgresJournal({ engine, journalId });
  }
  const copies = opening.openMarks?.(journalId);
  const behindCopies = await copies?.describeMissing(site, read);
  let present = await read();
  const missing = describeBehind(site, highWaterMark, present) ?? behindCopies;
  if (missing !== undefined && recovery === undefined) throw new JournalRefusedError(missing);
  const isBehind = missing !== undefined;
  const joining = { marks: copies?.marks ?? [], workerId: own?.workerId ?? 0, isMade };
  await engine.write(() => takePlace(opening, known.identity, isBehind, joining));
  const file = new HighWaterMarkFile(dataDir, highWaterMark, () => present, copies);
  const keep = (found: HighWaterMark): void => {
    // The present moment counts: while it was read, more was noted.
    present = keepFurthest(present, found);
    file.advance();
    known.latestEventSeq = present.latestEventSeq;
  };
  const advance = async (): Promise<void> => keep(await read());
  await advance();
  const { newSinceMs, missesSinceMs } = await engine.read(readMoments);
  const note = (latestSeq: number, kind: SeqKind = 'latestEventSeq'): void => {
    present = { ...present, [kind]: Math.max(present[kind], latestSeq) };
    file.note(present[kind], kind);
    known.latestEventSeq = present.latestEventSeq;
  };
  // A process that first helps and then sends is another worker each time.
  let witness: number | undefined;
  const requireNothingLost: Store['requireNothingLost'] = async (marks) => {
    const seen = present;
    const found = await read();
    const behind =
      describeBehind(site, seen, found) ??
      (marks === 'of-all' ? await copies?.describeMissing(site, read) : undefined);
    if (behind !== undefined) {
      const error = new JournalRefusedError(behind);
      known.refused.abort(error);
      throw error;
    }
    keep(found);
    const { workerId } = own ?? {};
    if (found.unmarkedSinceMs > 0 || workerId === undefined || workerId === witness) return;
    await engine.write(() => noteWitness(workerId));
    witness = workerId;
  };
  const settled = (): Promise<void> => file.settled();
  const mark = { seals: file.seals, settled, close: () => file.close(), advance, note };
  const moments = { newSinceMs, missesSinceMs };
  const journal = makePostgresJournal({ engine, own, journalId, ...moments, highWaterMark: mark });
  return { ...journal, requireNothingLost };
}

type SeqKind = 'latestEventSeq' | 'latestRegistrationEventSeq';

/**
 * Binds the journal to its database: once, or when a person says that it goes on there.
 * @param isBehind the high-water marks show that something is missing
 * @throws JournalRefusedError when it is bound to another place, and no person says that it goes on here
 */
function* takePlace(
  opening: Opening,
  database: DatabaseIdentity | undefined,
  isBehind: boolean,
  { marks, ...worker }: Pick<Joining, 'isMade' | 'workerId'> & { readonly marks: readonly JournalProgress[] },
): Body<void> {
  const { recovery, nowMs, stamp, restores, adopts, site, sentFrom, highWaterMark } = opening;
  requireTerminals(opening, yield* readTerminals());
  const kept = yield* readPlace();
  const present = { termId: stamp.termId, file: undefined, database };
  const moved = describeMoved(site, kept, present);
  const isSaid = recovery !== undefined || adopts;
  if (moved !== undefined && !isSaid) throw new JournalRefusedError(moved);
  if (recovery !== undefined) yield* recordLoss(recovery, isBehind || moved !== undefined || restores, nowMs);
  yield* noteJoined({ ...worker, marks: [highWaterMark, ...marks], isSaid, nowMs });
  if (!isSaid && isBoundTo(kept, present)) return;
  const ofCopies = marks.flatMap(({ terminals: named }) => named);
  const terminals = [...ofCopies, ...readMarkedTerminals(opening), ...sentFrom];
  yield* bindPlace({ present, terminals, isSaid, adopts, restores, nowMs });
}
