/** What the journal does not take is delivered from memory, and kept later without being sent again. */
import { expect, test } from 'vitest';
import { deliverNotices, deliverNoticesOnce } from '../../src/notify/delivery.ts';
import type { NoticeChannel } from '../../src/notify/rules/notice.ts';
import { UnkeptNotices } from '../../src/notify/unkept.ts';
import { Signal } from '../../src/platform/signal.ts';
import { makeNotice, never } from '../support/notices.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

const both = ['webhook', 'command'] as const;
const full = { addNotice: () => Promise.reject(new Error('the disk is full')) };

function makeContext(store: UnkeptNotices, isDown: (channel: NoticeChannel) => boolean) {
  const sent: string[] = [];
  const senders = both.map((channel) => ({
    channel,
    send: async ({ key }: { key: string }) => {
      if (isDown(channel)) return { ok: false as const, why: 'HTTP 500' };
      sent.push(`${channel} ${key}`);
      return { ok: true as const };
    },
  }));
  const clock = makeVirtualClock(noonMs);
  return { sent, clock, context: { store, senders, clock, log: () => undefined, random: () => 0 } };
}

test('nothing is sent from memory before the journal has refused it', async () => {
  const unkept = new UnkeptNotices();
  unkept.add(makeNotice(), both);
  const { sent, context } = makeContext(unkept, () => false);
  await deliverNoticesOnce(context, 1_000, never);
  expect([sent, await unkept.nextNoticeAtMs()]).toEqual([[], undefined]);
});

test('a channel that has it does not get it again once the journal takes it', async () => {
  await using opened = await makeSqliteStore();
  const unkept = new UnkeptNotices();
  const notice = makeNotice();
  unkept.add(notice, both);
  await expect(unkept.moveInto(full)).rejects.toThrow('the disk is full');
  expect(unkept.last('batch-done:')).toMatchObject({ key: notice.key });
  const { sent, context } = makeContext(unkept, (channel) => channel === 'command');
  await deliverNoticesOnce(context, 1_000, never);
  await deliverNoticesOnce(context, 1_000, never);
  expect(sent).toEqual([`webhook ${notice.key}`]);
  expect(await unkept.moveInto(opened.store)).toBe(1);
  const due = await opened.store.dueNotices(noonMs, 10);
  expect(due.map(({ channel, key }) => `${channel} ${key}`)).toEqual([`command ${notice.key}`]);
  expect(await opened.store.lastNotice('batch-done:')).toMatchObject({ kind: 'batch-done', atMs: noonMs });
  expect(await opened.store.lastNotice('batch-halted:')).toBeUndefined();
});

test('one that is being sent moves when that is over, and is not sent twice', async () => {
  await using opened = await makeSqliteStore();
  const unkept = new UnkeptNotices();
  unkept.add(makeNotice(), ['webhook']);
  await expect(unkept.moveInto(full)).rejects.toThrow('the disk is full');
  const [due] = await unkept.dueNotices(noonMs, 10, 'webhook');
  expect(await unkept.moveInto(opened.store)).toBe(0);
  await unkept.recordDelivery(due?.seq ?? 0, 'webhook', { kind: 'delivered', atMs: noonMs });
  expect(await unkept.moveInto(opened.store)).toBe(1);
  expect(await opened.store.dueNotices(noonMs, 10)).toEqual([]);
});

test('a failed try is made again from memory after its time', async () => {
  const unkept = new UnkeptNotices();
  unkept.add(makeNotice(), ['webhook']);
  await expect(unkept.moveInto(full)).rejects.toThrow('the disk is full');
  let isDown = true;
  const { sent, context, clock } = makeContext(unkept, () => isDown);
  const stop = new AbortController();
  const delivering = deliverNotices(context, new Signal(), stop.signal);
  await clock.advance(4_000);
  isDown = false;
  await clock.advance(10_000);
  stop.abort();
  await clock.drive(delivering);
  expect(sent).toHaveLength(1);
});
