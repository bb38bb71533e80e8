/** Heads of days in SQL, and the hashes of the events that they stand for, wherever these stand. */
import { join } from 'node:path';
import { sql } from 'kysely';
import type { ChainEnds, DayHeadStore, EventHash } from '../../evidence/ports.ts';
import { type DayHead, type HeadChain, headChains, readDayHead } from '../../evidence/rules/day-head.ts';
import { openArchive } from '../archive/archive-file.ts';
import { type Engine, type Reader, readerOf } from '../engine.ts';
import { isListed } from '../lists.ts';
import { type BodiesOf, change, define, query, type Reading, select, textStatement } from '../statements.ts';

const tables: Readonly<Record<HeadChain, string>> = {
  payouts: 'event',
  people: 'person_event',
  proposals: 'proposal_event',
};

/** Makes a statement for each chain: each has another table. */
const perChain = <Made>(
  make: (table: ReturnType<typeof sql.table>) => Made,
): Readonly<Record<HeadChain, Made>> =>
  Object.fromEntries(headChains.map((chain) => [chain, make(sql.table(tables[chain]))])) as Record<
    HeadChain,
    Made
  >;

const lastSeqs = perChain((table) =>
  define((values: { after: number; beforeMs: number }) =>
    textStatement<{ readonly seq: number }>(
      sql`select coalesce(max(seq), 0) as seq from ${table} where seq > ${values.after} and at_ms < ${values.beforeMs}`,
    ),
  ),
);

/** The latest archived event. An archived batch was at rest before: its events are of a day that has ended. */
const lastArchivedSeq = define(({ after }: { after: number }) =>
  textStatement<{ readonly seq: number }>(
    sql`select coalesce(max(latest_event_seq), 0) as seq from archived_batch where latest_event_seq > ${after}`,
  ),
);

const firstMs = perChain((table) =>
  define(({ after }: { after: number }) =>
    textStatement<{ readonly atMs: number }>(
      sql`select at_ms as "atMs" from ${table} where seq > ${after} order by seq limit 1`,
    ),
  ),
);

export const dayHeadReads = {
  *dayHeads(afterNumber, limit) {
    const heads = query.selectFrom('day_head').select(['number', 'date', 'text', 'hash', 'is_published']);
    const page = yield* select(heads.where('number', '>', afterNumber).orderBy('number').limit(limit));
    return page.map(({ is_published: isPublished, ...head }) => ({
      ...head,
      isPublished: isPublished === 1,
    }));
  },
  *latestDayHead() {
    const latest = query.selectFrom('day_head').select(['text', 'hash']).orderBy('number', 'desc').limit(1);
    const [head] = yield* select(latest);
    const read = head && readDayHead(head);
    if (head !== undefined && read === undefined)
      throw new Error('the latest head of a day says nothing: run "paydrop audit"');
    return read;
  },
  *chainEnds(after, beforeMs): Reading<ChainEnds> {
    const ends: Partial<Record<HeadChain, number>> = {};
    for (const chain of headChains)
      ends[chain] = (yield* lastSeqs[chain].get({ after: after[chain], beforeMs }))?.seq ?? 0;
    const archived = (yield* lastArchivedSeq.get({ after: after.payouts }))?.seq ?? 0;
    return { ...(ends as ChainEnds), payouts: Math.max(ends.payouts ?? 0, archived) };
  },
  /** The time of the first event after these that is not archived. */
  *firstEventMs(after): Reading<number | undefined> {
    let first = Infinity;
    for (const chain of headChains)
      first = Math.min(first, (yield* firstMs[chain].get({ after: after[chain] }))?.atMs ?? Infinity);
    return first === Infinity ? undefined : first;
  },
} satisfies Partial<BodiesOf<DayHeadStore>>;

/** Writes that are one transaction each. */
export const dayHeadWrites = {
  *addDayHead({ number, date, text, hash }: DayHead) {
    yield* change(query.insertInto('day_head').values({ number, date, text, hash, is_published: 0 }));
  },
  *notePublished(number: number) {
    yield* change(query.updateTable('day_head').set({ is_published: 1 }).where('number', '=', number));
  },
} satisfies Partial<BodiesOf<DayHeadStore>>;

// ---------------------------------------------------------------- hashes of events

/** Hashes that are read at a time. */
const pageHashes = 2_000;

interface HashPage {
  readonly after: number;
  readonly upTo: number;
}

const ownHashes = perChain((table) =>
  define(({ after, upTo }: HashPage) =>
    textStatement<EventHash>(
      sql`select seq, hash from ${table} where seq > ${after} and seq <= ${upTo} order by seq limit ${sql.lit(pageHashes)}`,
    ),
  ),
);

/** Batches that have come back have left their events in the archive, too, where these do not count. */
const archivedHashes = define(({ after, upTo, batchIds }: HashPage & { batchIds: string }) =>
  query
    .selectFrom('event as e')
    .innerJoin('payout as p', 'p.seq', 'e.payout_seq')
    .select(['e.seq', 'e.hash'])
    .where('e.seq', '>', after)
    .where('e.seq', '<=', upTo)
    .where(isListed(sql.ref('p.batch_id'), batchIds))
    .orderBy('e.seq')
    .limit(sql.lit(pageHashes)),
);

const namedArchives = define(({ after }: { after: number }) =>
  textStatement<{ readonly archive: string; readonly batch_id: string }>(
    sql`select archive, batch_id from archived_batch where latest_event_seq > ${after}`,
  ),
);

/** The source of some of the hashes, in their order. */
interface HashSource {
  readonly next: (after: number) => Promise<readonly EventHash[]>;
  page: readonly EventHash[];
  place: number;
}

const openSource = async (next: HashSource['next'], after: number): Promise<HashSource> => ({
  next,
  page: await next(after),
  place: 0,
});

async function takeNext(source: HashSource): Promise<EventHash | undefined> {
  const taken = source.page[source.place];
  source.place += 1;
  if (taken !== undefined && source.place === source.page.length && source.page.length === pageHashes)
    Object.assign(source, await openSource(source.next, taken.seq));
  return taken;
}

const seqOf = ({ page, place }: HashSource): number => page[place]?.seq ?? Infinity;

async function* mergeBySeq(sources: readonly HashSource[]): AsyncGenerator<readonly EventHash[]> {
  let merged: EventHash[] = [];
  for (;;) {
    const [first] = sources.toSorted((one, other) => seqOf(one) - seqOf(other));
    const taken = first && (await takeNext(first));
    if (taken === undefined) break;
    merged.push(taken);
    if (merged.length < pageHashes) continue;
    yield merged;
    merged = [];
  }
  yield merged;
}

/**
 * Hashes of a chain's events in their order, wherever they stand.
 * @param folder with the archives
 */
export async function* readEventHashes(
  view: Reader,
  folder: string,
  chain: HeadChain,
  after: number,
  upTo: number,
): AsyncGenerator<readonly EventHash[]> {
  using stack = new DisposableStack();
  const own = async (from: number) => view.read(() => ownHashes[chain].all({ after: from, upTo }));
  const named = chain === 'payouts' ? await view.read(() => namedArchives.all({ after })) : [];
  const archives = Map.groupBy(named, ({ archive }) => archive);
  if (archives.size === 0) {
    for (let page = await own(after); page.length > 0; page = await own(page.at(-1)?.seq ?? upTo)) yield page;
    return;
  }
  const sources = [await openSource(own, after)];
  for (const [archive, batches] of archives) {
    const opened = readerOf(stack.use(openArchive(join(folder, archive))));
    const batchIds = JSON.stringify(batches.map(({ batch_id: batchId }) => batchId));
    const next = async (from: number) =>
      opened.read(() => archivedHashes.all({ after: from, upTo, batchIds }));
    sources.push(await openSource(next, after));
  }
  yield* mergeBySeq(sources);
}

/** @param folder with the archives; left out where there are none */
export const makeDayHeadStore = (engine: Pick<Engine, 'openView'>, folder = '') =>
  ({
    async *eventHashes(chain, after, upTo) {
      await using view = await engine.openView();
      yield* readEventHashes(view, folder, chain, after, upTo);
    },
  }) satisfies Partial<DayHeadStore>;
