/** The store behind the capabilities' ports, on PostgreSQL. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { StagedRow } from '../../core/payout-file.ts';
import type { Attempt } from '../../core/payout.ts';
import type { AuditReader } from '../../evidence/ports.ts';
import type { ArchiveStore, PayoutStore } from '../../payout/ports.ts';
import {
  type ArchivePolicy,
  describeOtherTables,
  findArchiveObstacle,
  tablesArchive,
} from '../../payout/rules/archive.ts';
import type { MarkCopy } from '../../payout/rules/journal-place.ts';
import {
  beginMoving,
  endMoving,
  findArchived,
  forgetArchive,
  forgetPlaces,
  hasArchived,
  listNamed,
  nameArchive,
  namedArchive,
  noteRecalled,
  readArchiveFacts,
  retainReferenced,
} from '../archive/archived.ts';
import { becomeArchivist } from '../archivist.ts';
import { JournalRefusedError, JournalWriteError, PlaceTakenError } from '../connection.ts';
import { type Engine, openOn, type Reader, type View } from '../engine.ts';
import { makeDayHeadStore } from '../evidence/day-heads.ts';
import { namingTables } from '../evidence/erasure.ts';
import type { HighWaterMarkFile } from '../high-water-mark.ts';
import { readLoss } from '../loss.ts';
import { type FileGuard, makeBulk } from '../payouts/bulk-work.ts';
import { makeRecorder } from '../payouts/ingest.ts';
import { payoutReads, readHistory, readNamed } from '../payouts/payout-queries.ts';
import { searchReads } from '../payouts/search.ts';
import { openSnapshot } from '../snapshot.ts';
import {
  type Body,
  change,
  define,
  defineHere,
  driveEach,
  type Reading,
  select,
  selectFirst,
  textStatement,
} from '../statements.ts';
import { type KeptMark, makeEngineStore, type Store } from '../store.ts';
import { movedTables } from '../tables.ts';
import { withoutNul } from './compile.ts';
import type { PostgresEngine } from './engine.ts';
import { requireOwnFile } from './file-claims.ts';
import { liftPayerHalt, resumePayer } from './payer-breakers.ts';
import { schemaName } from './pool.ts';
import { makeTokenPlace, reserveRequestSlots } from './bank-calls.ts';
import { archivedNames } from './tables/archived.ts';
import { readMoments } from './unmarked.ts';
import { KnownLoss, makeSendGuards, makeSendReads, type OwnWorker } from './send-guards.ts';
import { hasPlace } from './workers.ts';

/** The high-water mark of this machine. */
type OwnMark = KeptMark & Pick<HighWaterMarkFile, 'close'> & Partial<Pick<MarkCopy, 'settled'>>;

interface PostgresJournalParts {
  /** The engine; its owner closes it after the journal. */
  readonly engine: PostgresEngine;
  readonly journalId: string;
  readonly newSinceMs?: number | undefined;
  readonly missesSinceMs?: number | undefined;
  /** The mark of this machine, closed with the journal. */
  readonly highWaterMark?: OwnMark | undefined;
  /** The worker that this process sends as; left out where it never sends. */
  readonly own?: OwnWorker | undefined;
}

/** The worker of a process that has not taken the right to send: it sends nothing. */
const noWorker: OwnWorker = { workerId: undefined, noteRefused: () => {} };

function* findPayouts(name: string): Reading<Awaited<ReturnType<PayoutStore['findPayouts']>>> {
  const found = [];
  for (const seq of yield* readNamed(name)) found.push(yield* readHistory(seq));
  return found;
}

/** Reads of payouts in the journal and in the archive alike. */
const wholeReads = {
  findPayouts,
  searchPayouts: searchReads.searchPayouts,
  findOwners: searchReads.findOwners,
};

/** Rows of a file from which on the server is told of them at once: it plans for the tables as it last saw them. */
const newRowsMin = 500;
/**
 * Tables that a seal fills. One that was seen empty would be read whole by every statement until it is looked at again; of
 * those that fill later, such as the attempts, the server thinks better when it has never seen them.
 */
const lookAtTables = 'analyze payout, payout_row, payout_place, payee_place, claim, event';

/**
 * The engine for writes of the workers alone. A process that has taken a place has done so in a transaction of its own,
 * so that a lease that is over is no reason to refuse: no other has decided anything meanwhile.
 * @throws PlaceTakenError from a write whose process has lost its place
 */
const fenceWrites = (engine: PostgresEngine, own: OwnWorker): Engine => ({
  ...engine,
  write: (makeBody) => engine.write(() => writeInPlace(own, makeBody)),
});

function* writeInPlace<Result>(own: OwnWorker, makeBody: () => Body<Result>): Body<Result> {
  if (own.workerId !== undefined && !(yield* hasPlace(own.workerId))) {
    own.noteRefused();
    throw new PlaceTakenError('another process has taken the place of this one, and goes on with its work');
  }
  return yield* makeBody();
}

/** Attempts, and which batches that left have the payoutId. In this order: what leaves between the two is met by the second. */
function* readAttempts(companyId: string, payoutId: string) {
  const attempts: readonly Attempt[] = yield* payoutReads.attemptsOf(companyId, payoutId);
  const archived = yield* findArchived('payoutId', [payoutId]);
  return { attempts, isAnyArchived: archived.length > 0 };
}

async function readAllAttempts(
  engine: Engine,
  archives: Pick<ReturnType<typeof makeArchives>, 'recall'>,
  companyId: string,
  payoutId: string,
): Promise<readonly Attempt[]> {
  const { attempts, isAnyArchived } = await engine.look(() => readAttempts(companyId, payoutId));
  if (!isAnyArchived) return attempts;
  // A caller that reads a payoutId's attempts may change the rows that made them.
  await archives.recall('payoutId', [payoutId]);
  return engine.look(() => payoutReads.attemptsOf(companyId, payoutId));
}

/** The journal on an engine. */
export function makePostgresJournal(parts: PostgresJournalParts): Store {
  const { engine, journalId, newSinceMs, missesSinceMs, highWaterMark, own = noWorker } = parts;
  const loss = new KnownLoss(() => engine.look(readLoss));
  const guards = makeSendGuards(own, loss);
  const fencedEngine = fenceWrites(engine, own);
  const guard: FileGuard = (batchId, begins) => requireOwnFile(batchId, own.workerId, begins);
  const { store, withoutSenderFence, end } = makeEngineStore({
    engine,
    bulk: makeBulk(engine),
    fenced: { engine: fencedEngine, bulk: makeBulk(fencedEngine, guard) },
    highWaterMark,
    guards,
    stageRows: stageTogether,
    fileGuard: guard,
  });
  const archives = makeArchives(engine, fencedEngine);
  const look = (makeBody: () => Reading<unknown>) => engine.look(makeBody);
  const decided = driveEach({ liftPayerHalt, resumePayer }, engine.write);
  return {
    ...store,
    ...decided,
    withoutSenderFence: { ...withoutSenderFence, ...decided },
    seal: async (...asked) => {
      const batch = await store.seal(...asked);
      // The batch is sealed: that the server cannot look now is no failure of it.
      if (batch.rows >= newRowsMin) await engine.pool.query(lookAtTables).catch(() => {});
      return batch;
    },
    ...archives,
    ...makeDayHeadStore({ openView: engine.openWholeView }),
    openAudit: () => openWholeAudit(engine),
    // The archive is wiped, too: an archived row was brought back to be erased.
    wipeErased: () => engine.wipe([...namingTables, ...archivedNames]),
    ...driveEach(wholeReads, (makeBody: () => Reading<unknown>) => readWhole(engine, makeBody)),
    attemptsOf: (companyId, payoutId) => readAllAttempts(engine, archives, companyId, payoutId),
    ...driveEach(makeSendReads(own), look),
    knownLoss: loss.read,
    refusesLike: true,
    tokenPlace: makeTokenPlace(engine),
    reserveRequestSlots: (count, intervalMs) => reserveRequestSlots(engine, count, intervalMs),
    journalId,
    newSinceMs,
    missesSinceMs,
    readMoments: () => engine.read(readMoments),
    snapshot: async () => openSnapshot(engine, (view, batchId) => openArchived(engine, view, batchId)),
    [Symbol.asyncDispose]: async () => {
      await end();
      try {
        await highWaterMark?.advance();
      } catch (error) {
        // A mark that stays behind only notices less; the next process that opens the journal brings it up to date.
        if (!(error instanceof JournalWriteError)) throw error;
      } finally {
        highWaterMark?.close();
      }
      await highWaterMark?.settled?.();
    },
  };
}

// ---------------------------------------------------------------- rows of a file

/** A list of records as JSON, amounts as text, which no reader of JSON rounds, and without half letters. */
const encodeRecords = (records: readonly object[]): string =>
  JSON.stringify(records, (_name, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? withoutNul(value.toWellFormed()) : value;
  });

/** Inserts payouts; a column that no record has gets its default. */
const insertPayouts = define(({ records }: { records: string }) =>
  textStatement(sql`
    insert into payout (seq, batch_id, row_no, amount_satang, status, holds, reason_code, reason, issues, settled_at_ms,
      settled_by, version, attempt_no, last_event_seq)
    select seq, batch_id, row_no, amount_satang, status, holds, reason_code, reason, issues, settled_at_ms, settled_by, 1, 0, 0
    from json_populate_recordset(null::payout, ${records})`),
);

const insertRows = define(({ records }: { records: string }) =>
  textStatement(
    sql`insert into payout_row select * from json_populate_recordset(null::payout_row, ${records})`,
  ),
);

/**
 * Adds rows to a batch that is being read, as `stage` does, with one statement for each table: each statement is a way to
 * the server and back.
 */
function* stageTogether(batchId: string, rows: readonly StagedRow[]): Body<void> {
  const records = rows.map(yield* makeRecorder(batchId, rows.length));
  yield* insertPayouts.run({ records: encodeRecords(records.map(({ payout }) => payout)) });
  yield* insertRows.run({ records: encodeRecords(records.map(({ row }) => row)) });
}

// ---------------------------------------------------------------- moving a batch to the archive and back

/** Rows of the file that are hashed at a time. */
const digestRows = 2_000;

/** The prefix of the journal's own tables, and of the archive's. */
type Side = '' | 'archived_';

/** SHA-256 (hex) over what one side has of a batch's rows. */
function* digestBatch(side: Side, batchId: string): Reading<string> {
  const payout = sql.table(`${side}payout`);
  const last = yield* selectFirst(
    textStatement<{ readonly row: number | null }>(
      sql`select max(row_no) as row from ${payout} where batch_id = ${batchId}`,
    ),
  );
  const all = createHash('sha256');
  for (const { name, key, seq, digested } of movedTables) {
    const page = defineHere(({ from, upTo }: { from: number; upTo: number }) =>
      textStatement<{ readonly digest: string }>(sql`
        select encode(sha256(convert_to(coalesce(string_agg(row(${sql.raw(digested)})::text, ';'
          order by ${sql.raw(key)}), ''), 'UTF8')), 'hex') as digest
        from ${sql.table(`${side}${name}`)} where ${sql.ref(seq)} in (
          select seq from ${payout} where batch_id = ${batchId} and row_no > ${from} and row_no <= ${upTo})`),
    );
    for (let from = 0; from < (last?.row ?? 0); from += digestRows)
      all.update(`${name} ${(yield* page.get({ from, upTo: from + digestRows }))?.digest}\n`);
  }
  return all.digest('hex');
}

const statement = (text: ReturnType<typeof sql>): Body<number> => change(textStatement(text));

/** Puts the rows of a batch from one side to the other; the places of their payees are found anew. */
function* moveRows(from: Side, to: Side, batchId: string): Body<void> {
  const tables = [...movedTables, { name: 'open_payout', key: 'seq', seq: 'seq' }];
  const ofBatch = (seq: string) =>
    sql`${sql.ref(seq)} in (select seq from ${sql.table(`${from}payout`)} where batch_id = ${batchId})`;
  for (const { name, key, seq } of tables)
    yield* statement(
      sql`insert into ${sql.table(`${to}${name}`)} select * from ${sql.table(`${from}${name}`)}
        where ${ofBatch(seq)} order by ${sql.raw(key)}`,
    );
  yield* statement(sql`
    insert into ${sql.table(`${to}payee_place`)} select r.proxy_no, p.amount_satang, p.seq
    from ${sql.table(`${from}payout`)} p join ${sql.table(`${from}payout_row`)} r on r.seq = p.seq
    where p.batch_id = ${batchId} and r.proxy_no is not null and p.amount_satang is not null on conflict do nothing`);
  if (from === '') yield* forgetPlaces(batchId);
  else yield* statement(sql`delete from archived_payee_place where ${ofBatch('payout_seq')}`);
  for (const { name, seq } of tables.toReversed())
    yield* statement(sql`delete from ${sql.table(`${from}${name}`)} where ${ofBatch(seq)}`);
}

/** @returns false when it may not go any more */
function* archiveBatch(batchId: string, policy: ArchivePolicy, nowMs: number): Body<boolean> {
  const [facts] = yield* readArchiveFacts(Number.MAX_SAFE_INTEGER, batchId);
  if (facts === undefined || findArchiveObstacle(facts, policy) !== undefined) return false;
  yield* becomeArchivist();
  const digest = yield* digestBatch('', batchId);
  yield* nameArchive({ batchId, archive: tablesArchive, digest, nowMs });
  yield* retainReferenced(batchId);
  yield* moveRows('', 'archived_', batchId);
  yield* endMoving(batchId);
  return true;
}

/** Brings a batch back, whole; one that another machine has brought back meanwhile is left as it is. */
function* recallBatch(batchId: string, nowMs: number): Body<void> {
  const named = yield* namedArchive.get({ batchId });
  if (named === undefined) return;
  if ((yield* digestBatch('archived_', batchId)) !== named.digest)
    throw new JournalRefusedError(describeOtherTables(batchId));
  yield* becomeArchivist();
  yield* beginMoving(batchId);
  yield* statement(
    sql`delete from used_reference where (trans_ref_no, payout_seq) in (select a.trans_ref_no, a.payout_seq
      from archived_payout p join archived_attempt a on a.payout_seq = p.seq where p.batch_id = ${batchId})`,
  );
  yield* moveRows('archived_', '', batchId);
  yield* forgetArchive(batchId);
  yield* noteRecalled(batchId, nowMs);
}

// ---------------------------------------------------------------- reading the archive

interface Named {
  readonly batchId: string;
  readonly digest: string;
  readonly seq: number;
}

/** The batches in the archive, even where nothing is told to stand in one. */
const allNamed = textStatement<Named>(sql`
  select batch_id as "batchId", digest, latest_event_seq as seq from ${sql.table(`${schemaName}.archived_batch`)}`);

/** Compares each archived batch with what was moved. */
async function* readDigests(
  view: Reader,
  named: readonly Named[],
): AsyncGenerator<{ readonly batchId: string; readonly isSame: boolean }> {
  for (const { batchId, digest } of named)
    yield { batchId, isSame: (await view.read(() => digestBatch('archived_', batchId))) === digest };
}

/** The journal as it is now, with its archive: what stands there is read with the rest. */
async function openWholeAudit(engine: PostgresEngine): Promise<AuditReader> {
  const { openAudit } = await import('../evidence/audit.ts');
  return openOn(await engine.openWholeView(), async (view) => {
    const reader = await openAudit({ openView: async () => view });
    const named = await view.read(() => select(allNamed));
    if (named.length === 0) return reader;
    const archive = {
      name: tablesArchive,
      isThere: true,
      latestEventSeq: Math.max(...named.map(({ seq }) => seq)),
      digests: () => readDigests(view, named),
      read: async () => {},
    };
    return { ...reader, archives: [archive] };
  });
}

/** Reads payouts wherever they stand. */
async function readWhole<Result>(engine: PostgresEngine, makeBody: () => Reading<Result>): Promise<Result> {
  if (!(await engine.read(hasArchived))) return engine.read(makeBody);
  await using view = await engine.openWholeView();
  return await view.read(makeBody);
}

/** Opens a reader that has the rows of an archived batch, too; undefined for one that stands in the journal. */
async function openArchived(
  engine: PostgresEngine,
  view: Reader,
  batchId: string,
): Promise<View | undefined> {
  const named = await view.read(() => namedArchive.get({ batchId }));
  return named === undefined ? undefined : engine.openWholeView();
}

/**
 * The archive: batches without further work stand in tables of their own, in the same database. Every machine reads them
 * there, a move is one transaction, and a backup of the server has both.
 * @param own writes in the place of the sender alone
 */
function makeArchives(engine: PostgresEngine, own: Pick<Engine, 'write'>): ArchiveStore {
  const archived: ArchiveStore['archived'] = (by, values) => engine.read(() => findArchived(by, values));
  return {
    archiveFacts: (beforeMs) => engine.read(() => readArchiveFacts(beforeMs)),
    makeArchive: async () => tablesArchive,
    dropArchive: async () => {},
    archiveBatch: (batchId, _archive, policy, nowMs) => own.write(() => archiveBatch(batchId, policy, nowMs)),
    recall: async (by, values, nowMs = Date.now()) => {
      const batchIds = await archived(by, values);
      for (const batchId of batchIds) await engine.write(() => recallBatch(batchId, nowMs));
      return batchIds.length;
    },
    archives: async () => (await engine.read(listNamed)).map((named) => ({ ...named, isThere: true })),
    archived,
    // Later payouts fill the space: the server gives it back by itself where it can.
    giveSpaceBack: async () => 0,
  };
}
