/**
 * Batches without further work stand in tables of their own, in the same database: every machine reads them there, a
 * move is one transaction, and a backup of the server has both.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { AuditReader } from '../../evidence/ports.ts';
import type { ArchiveStore } from '../../payout/ports.ts';
import {
  type ArchivePolicy,
  describeOtherTables,
  findArchiveObstacle,
  tablesArchive,
} from '../../payout/rules/archive.ts';
import {
  beginMoving,
  endMoving,
  findArchived,
  forgetArchive,
  forgetPlaces,
  hasArchived,
  retainReferenced,
  listNamed,
  nameArchive,
  namedArchive,
  noteRecalled,
  readArchiveFacts,
} from '../archive/archived.ts';
import { becomeArchivist } from '../archivist.ts';
import { JournalRefusedError } from '../connection.ts';
import type { Engine, Reader, View } from '../engine.ts';
import {
  type Body,
  change,
  defineHere,
  type Reading,
  select,
  selectFirst,
  textStatement,
} from '../statements.ts';
import { movedTables } from '../tables/all.ts';
import type { PostgresEngine } from './engine.ts';
import { schemaName } from './pool.ts';

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

// ---------------------------------------------------------------- reading

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
export async function openWholeAudit(engine: PostgresEngine): Promise<AuditReader> {
  const { openAudit } = await import('../evidence/audit.ts');
  const view = await engine.openWholeView();
  try {
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
  } catch (error) {
    await view[Symbol.asyncDispose]();
    throw error;
  }
}

/** Reads payouts wherever they stand. */
export async function readWhole<Result>(
  engine: PostgresEngine,
  makeBody: () => Reading<Result>,
): Promise<Result> {
  if (!(await engine.read(hasArchived))) return engine.read(makeBody);
  await using view = await engine.openWholeView();
  return await view.read(makeBody);
}

/** Opens a reader that has the rows of an archived batch, too; undefined for one that stands in the journal. */
export async function openArchived(
  engine: PostgresEngine,
  view: Reader,
  batchId: string,
): Promise<View | undefined> {
  const named = await view.read(() => namedArchive.get({ batchId }));
  return named === undefined ? undefined : engine.openWholeView();
}

// ---------------------------------------------------------------- the store

/** @param own writes in the place of the sender alone */
export function makeArchives(engine: PostgresEngine, own: Pick<Engine, 'write'>): ArchiveStore {
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
