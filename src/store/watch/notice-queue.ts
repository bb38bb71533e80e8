/** Notices that wait for their channels, and what became of them. */
import type { DatabaseSync } from 'node:sqlite';
import { type InferResult, sql } from 'kysely';
import { noticeChannels } from '../../notify/rules/notice.ts';
import type { DeliveryResult, DueNotice, NoticeChannel, NoticeDraft } from '../../notify/rules/notice.ts';
import { inTransaction } from '../connection.ts';
import { prepare, query, readFirst, write } from '../statements.ts';
import type { Store } from '../store.ts';

/** Inside the statement's text: a partial index is used only where the statement names its condition. */
const due = sql.lit('due' as const);

function selectDue() {
  return query
    .selectFrom('notice_delivery as d')
    .innerJoin('notice as n', 'n.seq', 'd.notice_seq')
    .select(['n.seq', 'n.key', 'n.kind', 'n.batch_id', 'n.at_ms', 'n.body', 'd.channel', 'd.tries'])
    .where('d.status', '=', due);
}

/** Of one channel, the oldest first. */
export function prepareDueNotices(db: DatabaseSync) {
  return prepare(db, (values: { channel: NoticeChannel; nowMs: number; limit: number }) =>
    selectDue()
      .where('d.channel', '=', values.channel)
      .where('d.next_at_ms', '<=', values.nowMs)
      .orderBy('d.notice_seq')
      .limit(values.limit),
  );
}

export function prepareNextNotice(db: DatabaseSync) {
  return prepare(db, (values: { channel: NoticeChannel }) =>
    query
      .selectFrom('notice_delivery')
      .select((eb) => eb.fn.min<number | null>('next_at_ms').as('next_at_ms'))
      .where('status', '=', due)
      .where('channel', '=', values.channel),
  );
}

type DueRecord = InferResult<ReturnType<typeof selectDue>>[number];

function toDueNotice(record: DueRecord): DueNotice {
  const { seq, key, kind, channel, tries } = record;
  const body = JSON.parse(record.body) as Record<string, unknown>;
  return { seq, key, kind, batchId: record.batch_id, atMs: record.at_ms, body, channel, tries };
}

const channelsOf = (wanted: NoticeChannel | undefined): readonly NoticeChannel[] =>
  wanted === undefined ? noticeChannels : [wanted];

/** The queue of one connection. */
export function makeNoticeQueue(
  db: DatabaseSync,
): Pick<Store, 'addNotice' | 'dueNotices' | 'nextNoticeAtMs' | 'recordDelivery' | 'countNotices'> {
  const dueNotices = prepareDueNotices(db);
  const nextNotice = prepareNextNotice(db);
  return {
    addNotice: async (notice, channels) => addNotice(db, notice, channels),
    dueNotices: async (nowMs, limit, wanted) =>
      channelsOf(wanted)
        .flatMap((channel) => dueNotices.all({ channel, nowMs, limit }))
        .toSorted((one, other) => one.seq - other.seq)
        .slice(0, limit)
        .map(toDueNotice),
    nextNoticeAtMs: async (wanted) => {
      const times = channelsOf(wanted).map((channel) => nextNotice.get({ channel })?.next_at_ms ?? Infinity);
      const nextAtMs = Math.min(...times);
      return nextAtMs === Infinity ? undefined : nextAtMs;
    },
    countNotices: async () => countWaiting(db),
    recordDelivery: async (seq, channel, result) => recordDelivery(db, seq, channel, result),
  };
}

/** One that two channels wait for counts twice. */
function countWaiting(db: DatabaseSync): number {
  const waiting = query
    .selectFrom('notice_delivery')
    .select((eb) => eb.fn.countAll<number>().as('notices'))
    .where('status', '=', due);
  return readFirst(db, waiting)?.notices ?? 0;
}

/** Due at once for each channel. Without a channel there is nobody to tell, and nothing is kept. */
function addNotice(db: DatabaseSync, notice: NoticeDraft, channels: readonly NoticeChannel[]): void {
  if (channels.length === 0) return;
  const { key, kind, batchId, atMs, body } = notice;
  const insert = query
    .insertInto('notice')
    .values({ key, kind, batch_id: batchId, at_ms: atMs, body: JSON.stringify(body) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('seq');
  inTransaction(db, () => {
    if (kind === 'batch-done' || kind === 'batch-halted') noteTold(db, batchId);
    const seq = readFirst(db, insert)?.seq;
    if (seq === undefined) return;
    const waiting = { status: 'due', tries: 0, next_at_ms: atMs, delivered_at_ms: null, why: null } as const;
    const deliveries = channels.map((channel) => ({ notice_seq: seq, channel, ...waiting }));
    write(db, query.insertInto('notice_delivery').values(deliveries));
  });
}

/** The notice tells of all that the batch's reports show. */
function noteTold(db: DatabaseSync, batchId: string | null): void {
  const told = query
    .updateTable('batch')
    .set(({ ref }) => ({ told_event_seq: ref('reported_event_seq') }))
    .where('batch_id', '=', batchId)
    .whereRef('told_event_seq', '<', 'reported_event_seq');
  write(db, told);
}

/** What a result changes; `tries` counts those that failed. */
function describeResult(result: DeliveryResult) {
  switch (result.kind) {
    case 'delivered':
      return { status: 'delivered', next_at_ms: null, delivered_at_ms: result.atMs } as const;
    case 'later':
      return { next_at_ms: result.nextAtMs, why: result.why };
    case 'given-up':
      return { status: 'given-up', next_at_ms: null, why: result.why } as const;
  }
}

/** Changes nothing once the notice is delivered or given up. @throws Error when it was never kept for the channel */
function recordDelivery(db: DatabaseSync, seq: number, channel: NoticeChannel, result: DeliveryResult): void {
  const failed = result.kind === 'delivered' ? 0 : 1;
  const update = query
    .updateTable('notice_delivery')
    .set((eb) => ({ ...describeResult(result), tries: eb('tries', '+', failed) }))
    .where('notice_seq', '=', seq)
    .where('channel', '=', channel)
    .where('status', '=', due);
  const kept = query
    .selectFrom('notice_delivery')
    .select('status')
    .where('notice_seq', '=', seq)
    .where('channel', '=', channel);
  inTransaction(db, () => {
    if (write(db, update) === 0 && readFirst(db, kept) === undefined)
      throw new Error(`notice ${seq} is not kept for ${channel}`);
  });
}
