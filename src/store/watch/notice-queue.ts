/** Notices that wait for their channels, and their fates. */
import { sql, type SqlBool } from 'kysely';
import type { NoticeStore } from '../../notify/ports.ts';
import { noticeChannels } from '../../notify/rules/notice.ts';
import type { DeliveryResult, DueNotice, NoticeChannel } from '../../notify/rules/notice.ts';
import { selectPayouts, requirePayout } from '../payouts/rows.ts';
import { type BodiesOf, change, define, inDialect, query, selectFirst } from '../statements.ts';

/** The status inside the statement's text: a partial index is used only where the statement names its condition. */
const due = sql.lit('due' as const);

/** The due notices of one channel, the oldest first. @forTests */
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

/** @forTests */
export const nextNotice = define((values: { channel: NoticeChannel }) =>
  query
    .selectFrom('notice_delivery')
    .select((eb) => eb.fn.min<number | null>('next_at_ms').as('next_at_ms'))
    .where('status', '=', due)
    .where('channel', '=', values.channel),
);

const channelsOf = (wanted: NoticeChannel | undefined): readonly NoticeChannel[] =>
  wanted === undefined ? noticeChannels : [wanted];

/** Records that the notice tells of all that the batch's reports show. */
const noteReported = (batchId: string | null) =>
  query
    .updateTable('batch')
    .set(({ ref }) => ({ noticed_event_seq: ref('reported_event_seq') }))
    .where('batch_id', '=', batchId)
    .whereRef('noticed_event_seq', '<', 'reported_event_seq');

/** The columns that a result changes; `tries` counts those that failed. */
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

/** Counts the waiting notices; one that two channels wait for counts twice. */
const countWaiting = define((_values: object) =>
  query
    .selectFrom('notice_delivery')
    .select((eb) => eb.fn.countAll<number>().as('notices'))
    .where('status', '=', due),
);

/** An index is no use for it: few rows bear an alarm and each has few events, and all events are many. */
const seqOfEvent = sql.raw<number>('+e.seq');

const toldAlarm = sql`json_extract(e.detail, '$.alarm')`;
const isToldAsAlarm = inDialect<SqlBool>({
  sqlite: sql`${toldAlarm} = 1`,
  postgres: sql`${toldAlarm} = 'true'`,
});

/** An alarm that an inquiry repeats of a row again and again is no new one. @forTests */
export const alarmsAfter = define((values: { eventSeq: number; limit: number }) =>
  selectPayouts()
    .innerJoin('event as e', 'e.payout_seq', 'p.seq')
    .select(['e.seq as event_seq', 'e.cause'])
    .select(sql<string | null>`json_extract(e.detail, '$.transRefNo')`.as('trans_ref_no'))
    .where('p.is_alarm', '=', sql.lit(1))
    .where(seqOfEvent, '>', values.eventSeq)
    .where('e.cause', 'not in', [sql.lit('inquired' as const), sql.lit('given-up' as const)])
    .where(isToldAsAlarm)
    .orderBy(seqOfEvent)
    .limit(values.limit),
);

const countAlarmRows = define((_values: object) =>
  query
    .selectFrom('payout')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('is_alarm', '=', sql.lit(1)),
);

/** The latest notice of a range of keys: no character of a key is beyond the last. */
const lastNotice = define((values: { from: string; to: string }) =>
  query
    .selectFrom('notice')
    .select(['kind', 'at_ms as atMs', 'body'])
    .where('key', '>=', values.from)
    .where('key', '<', values.to)
    .orderBy('seq', 'desc')
    .limit(1),
);

export const noticeReads = {
  *lastNotice(keyBeginning) {
    const last = yield* lastNotice.get({ from: keyBeginning, to: `${keyBeginning}~` });
    return last && { ...last, body: JSON.parse(last.body) as DueNotice['body'] };
  },
  *alarmsAfter(eventSeq, limit) {
    return (yield* alarmsAfter.all({ eventSeq, limit })).map((record) => {
      const { batchId, rowNo, status, reason, instruction } = requirePayout(record);
      const { event_seq: seq, cause, trans_ref_no: transRefNo } = record;
      const { payoutId, amountSatang } = instruction;
      return { seq, cause, transRefNo, batchId, rowNo, status, reason, payoutId, amountSatang };
    });
  },
  *countAlarmRows() {
    return (yield* countAlarmRows.get({}))?.rows ?? 0;
  },
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

/** Writes that are one transaction each. */
export const noticeWrites = {
  /** Adds a notice, due at once for each channel. Without a channel there is no recipient, and nothing is kept. */
  *addNotice(notice, channels, delivered = []) {
    if (channels.length === 0) return;
    const { key, kind, batchId, atMs, body } = notice;
    if (kind === 'batch-done' || kind === 'batch-halted') yield* change(noteReported(batchId));
    const insert = query
      .insertInto('notice')
      .values({ key, kind, batch_id: batchId, at_ms: atMs, body: JSON.stringify(body) })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('seq');
    const seq = (yield* selectFirst(insert))?.seq;
    if (seq === undefined) return;
    const waiting = { status: 'due', tries: 0, next_at_ms: atMs, delivered_at_ms: null, why: null } as const;
    const done = describeResult({ kind: 'delivered', atMs });
    const deliveries = channels.map((channel) => ({
      notice_seq: seq,
      channel,
      ...(delivered.includes(channel) ? { ...waiting, ...done } : waiting),
    }));
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
