/** The store behind the capabilities' ports, on PostgreSQL. */
import type { Attempt } from '../../core/payout.ts';
import type { PayoutStore } from '../../payout/ports.ts';
import type { MarkCopy } from '../../payout/rules/journal-place.ts';
import { findArchived } from '../archive/archived.ts';
import { JournalWriteError, PlaceTakenError } from '../connection.ts';
import type { Engine } from '../engine.ts';
import { makeDayHeadStore } from '../evidence/day-heads.ts';
import { namingTables } from '../evidence/erasure.ts';
import type { HighWaterMarkFile } from '../high-water-mark.ts';
import { readLoss } from '../loss.ts';
import { type FileGuard, makeBulk } from '../payouts/bulk-work.ts';
import { payoutReads, readHistory, readNamed } from '../payouts/payout-queries.ts';
import { searchReads } from '../payouts/search.ts';
import { openSnapshot } from '../snapshot.ts';
import { type Body, driveEach, type Reading } from '../statements.ts';
import { type KeptMark, makeEngineStore, type Store } from '../store.ts';
import { makeArchives, openArchived, openWholeAudit, readWhole } from './archives.ts';
import type { PostgresEngine } from './engine.ts';
import { requireOwnFile } from './file-claims.ts';
import { liftPayerHalt } from './payer-breakers.ts';
import { reserveRequestSlots } from './request-slots.ts';
import { stageTogether } from './stage.ts';
import { archivedNames } from './tables/archived.ts';
import { readMoments } from './unmarked.ts';
import { KnownLoss, makeSendGuards, makeSendReads, type OwnWorker } from './send-guards.ts';
import { makeTokenPlace } from './token-place.ts';
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
  const decided = driveEach({ liftPayerHalt }, engine.write);
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
