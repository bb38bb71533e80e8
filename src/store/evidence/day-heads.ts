/** Heads of days in SQL, and the hashes of the events that they stand for, wherever these stand. */
import type { DatabaseSync } from 'node:sqlite';
import { dirname, join } from 'node:path';
import type { ChainEnds, DayHeadStore, EventHash } from '../../evidence/ports.ts';
import { type DayHead, type HeadChain, headChains, readDayHead } from '../../evidence/rules/day-head.ts';
import { openArchive } from '../archive/archive-file.ts';
import { openReader } from '../connection.ts';
import { type BodiesOf, change, query, select } from '../statements.ts';

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
} satisfies Partial<BodiesOf<DayHeadStore>>;

/** Each in one transaction. */
export const dayHeadWrites = {
  *addDayHead({ number, date, text, hash }: DayHead) {
    yield* change(query.insertInto('day_head').values({ number, date, text, hash, is_published: 0 }));
  },
  *notePublished(number: number) {
    yield* change(query.updateTable('day_head').set({ is_published: 1 }).where('number', '=', number));
  },
} satisfies Partial<BodiesOf<DayHeadStore>>;

const tables: Readonly<Record<HeadChain, string>> = {
  payouts: 'event',
  people: 'person_event',
  proposals: 'proposal_event',
};

/** An archived batch was at rest before: its events are of a day that has ended. */
const archivedEnd = `
select coalesce(max(latest_event_seq), 0) as seq from archived_batch where latest_event_seq > ?`;

function readEnds(db: DatabaseSync, after: ChainEnds, beforeMs: number): ChainEnds {
  const ends = headChains.map((chain) => {
    const last = `select coalesce(max(seq), 0) as seq from ${tables[chain]} where seq > ? and at_ms < ?`;
    const seqs = [after[chain], Number(db.prepare(last).get(after[chain], beforeMs)?.['seq'])];
    if (chain === 'payouts') seqs.push(Number(db.prepare(archivedEnd).get(after[chain])?.['seq']));
    return [chain, Math.max(...seqs)] as const;
  });
  return Object.fromEntries(ends) as unknown as ChainEnds;
}

/** When the first event after those was made; undefined when there is none. Of archived ones nobody knows. */
function readFirstMs(db: DatabaseSync, after: ChainEnds): number | undefined {
  const found = headChains.flatMap((chain) => {
    const first = `select at_ms as atMs from ${tables[chain]} where seq > ? order by seq limit 1`;
    return db.prepare(first).get(after[chain])?.['atMs'] ?? [];
  });
  return found.length === 0 ? undefined : Math.min(...found.map(Number));
}

/** Batches that have come back have left their events in the archive, too, where these do not count. */
const archivedHashes = `
select e.seq, e.hash from event e join payout p on p.seq = e.payout_seq
where e.seq > ? and e.seq <= ? and p.batch_id in (select value from json_each(?)) order by e.seq`;

/** Hashes of a chain's events in their order, as they stand when it begins; nothing is read beside the loop's turn. */
export function* readEventHashes(
  path: string,
  chain: HeadChain,
  after: number,
  upTo: number,
  folder = dirname(path),
): Generator<EventHash, void> {
  using stack = new DisposableStack();
  const db = stack.use(openReader(path));
  db.exec('begin');
  const own = `select seq, hash from ${tables[chain]} where seq > ? and seq <= ? order by seq`;
  const sources = [db.prepare(own).iterate(after, upTo) as Iterable<unknown> as IterableIterator<EventHash>];
  if (chain === 'payouts')
    for (const [archive, batchIds] of listArchivesAfter(db, after)) {
      const opened = stack.use(openArchive(join(folder, archive)));
      const page = opened.prepare(archivedHashes).iterate(after, upTo, JSON.stringify(batchIds));
      sources.push(page as Iterable<unknown> as IterableIterator<EventHash>);
    }
  yield* mergeBySeq(sources);
}

function listArchivesAfter(db: DatabaseSync, after: number): Map<string, readonly string[]> {
  const named = db
    .prepare('select archive, batch_id from archived_batch where latest_event_seq > ?')
    .all(after);
  const batches = Map.groupBy(named, ({ archive }) => String(archive));
  return new Map(
    [...batches].map(([archive, rows]) => [archive, rows.map(({ batch_id: batchId }) => String(batchId))]),
  );
}

function* mergeBySeq(sources: readonly IterableIterator<EventHash>[]): Generator<EventHash, void> {
  if (sources.length === 1 && sources[0] !== undefined) {
    yield* sources[0];
    return;
  }
  const heads = sources.map((source) => ({ source, next: source.next() }));
  for (;;) {
    const [first] = heads
      .filter(({ next }) => next.done !== true)
      .toSorted((one, other) => seqOf(one.next) - seqOf(other.next));
    if (first === undefined || first.next.done === true) return;
    yield first.next.value;
    first.next = first.source.next();
  }
}

const seqOf = ({ done, value }: IteratorResult<EventHash, unknown>): number =>
  done === true ? Infinity : value.seq;

export const makeDayHeadStore = (db: DatabaseSync, path: string) =>
  ({
    chainEnds: async (after, beforeMs) => readEnds(db, after, beforeMs),
    firstEventMs: async (after) => readFirstMs(db, after),
    eventHashes: (chain, after, upTo) => readEventHashes(path, chain, after, upTo),
  }) satisfies Partial<DayHeadStore>;
