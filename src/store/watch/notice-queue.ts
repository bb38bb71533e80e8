/** Notices that wait for their channels, and what became of them. */
import { sql } from 'kysely';
import type { NoticeStore } from '../../notify/ports.ts';
import { noticeChannels } from '../../notify/rules/notice.ts';
import type { DeliveryResult, DueNotice, NoticeChannel } from '../../notify/rules/notice.ts';
import { type BodiesOf, change, define, query, selectFirst } from '../statements.ts';

/** Inside the statement's text: a partial index is used only where the statement names its condition. */
const due = sql.lit('due' as const);

/** Of one channel, the oldest first. */
export const dueNotices = define((values: { channel: NoticeChannel; nowMs: number; limit: number }) =>
  query
    .selectFrom('notice_delivery as d')
    .innerJoin('notice as n', 'n.seq', 'd.notice_seq')
    .select(['n.seq', 'n.key', 'n.kind', 'n.batch_id as batchId', 'n.at_ms as atMs', 'n.body'])
    .select(['d.channel', 'd.tries'])
    .where('d.status', '=', due)
    .where('d.channel', '=', values.channel)
    .where('d.next_at_ms', '<=', values.nowMs)
    .orderBy('d.notice_seq')
    .limit(values.limit),
);

export const nextNotice = define((values: { channel: NoticeChannel }) =>
  query
    .selectFrom('notice_delivery')
    .select((eb) => eb.fn.min<number | null>('next_at_ms').as('next_at_ms'))
    .where('status', '=', due)
    .where('channel', '=', values.channel),
);

const channelsOf = (wanted: NoticeChannel | undefined): readonly NoticeChannel[] =>
  wanted === undefined ? noticeChannels : [wanted];

/** The notice tells of all that the batch's reports show. */
const noteTold = (batchId: string | null) =>
  query
    .updateTable('batch')
    .set(({ ref }) => ({ told_event_seq: ref('reported_event_seq') }))
    .where('batch_id', '=', batchId)
    .whereRef('told_event_seq', '<', 'reported_event_seq');

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

/** One that two channels wait for counts twice. */
const countWaiting = define((_values: object) =>
  query
    .selectFrom('notice_delivery')
    .select((eb) => eb.fn.countAll<number>().as('notices'))
    .where('status', '=', due),
);

export const noticeReads = {
  *dueNotices(nowMs, limit, wanted) {
    const found: DueNotice[] = [];
    for (const channel of channelsOf(wanted))
      for (const { body, ...notice } of yield* dueNotices.all({ channel, nowMs, limit }))
        found.push({ ...notice, body: JSON.parse(body) as DueNotice['body'] });
    return found.toSorted((one, other) => one.seq - other.seq).slice(0, limit);
  },
  *nextNoticeAtMs(wanted) {
    let nextAtMs = Infinity;
    for (const channel of channelsOf(wanted))
      nextAtMs = Math.min(nextAtMs, (yield* nextNotice.get({ channel }))?.next_at_ms ?? Infinity);
    return nextAtMs === Infinity ? undefined : nextAtMs;
  },
  *countNotices() {
    return (yield* countWaiting.get({}))?.notices ?? 0;
  },
} satisfies Partial<BodiesOf<NoticeStore>>;

/** Each in one transaction. */
export const noticeWrites = {
  /** Due at once for each channel. Without a channel there is nobody to tell, and nothing is kept. */
  *addNotice(notice, channels) {
    if (channels.length === 0) return;
    const { key, kind, batchId, atMs, body } = notice;
    if (kind === 'batch-done' || kind === 'batch-halted') yield* change(noteTold(batchId));
    const insert = query
      .insertInto('notice')
      .values({ key, kind, batch_id: batchId, at_ms: atMs, body: JSON.stringify(body) })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('seq');
    const seq = (yield* selectFirst(insert))?.seq;
    if (seq === undefined) return;
    const waiting = { status: 'due', tries: 0, next_at_ms: atMs, delivered_at_ms: null, why: null } as const;
    const deliveries = channels.map((channel) => ({ notice_seq: seq, channel, ...waiting }));
    yield* change(query.insertInto('notice_delivery').values(deliveries));
  },
  /** Changes nothing once the notice is delivered or given up. @throws Error when it was never kept for the channel */
  *recordDelivery(seq, channel, result) {
    const failed = result.kind === 'delivered' ? 0 : 1;
    const update = query
      .updateTable('notice_delivery')
      .set((eb) => ({ ...describeResult(result), tries: eb('tries', '+', failed) }))
      .where('notice_seq', '=', seq)
      .where('channel', '=', channel)
      .where('status', '=', due);
    if ((yield* change(update)) > 0) return;
    const kept = query
      .selectFrom('notice_delivery')
      .select('status')
      .where('notice_seq', '=', seq)
      .where('channel', '=', channel);
    if ((yield* selectFirst(kept)) === undefined) throw new Error(`notice ${seq} is not kept for ${channel}`);
  },
} satisfies Partial<BodiesOf<NoticeStore>>;
