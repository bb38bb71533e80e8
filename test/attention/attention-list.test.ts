/** The list of what needs a person: one entry for each kind and cause, which leads to exactly its rows. */
import { expect, test } from 'vitest';
import { entriesFor, keepAttention, readAttention } from '../../src/attention/attention-list.ts';
import type { QueueContext } from '../../src/attention/items.ts';
import { type AttentionCode, attentionTerms, renderings, termsOf } from '../../src/attention/rules/codes.ts';
import type { AttentionEntry } from '../../src/attention/rules/entry.ts';
import { inEnglish } from '../../src/core/message.ts';
import { type Satang, sumSatang } from '../../src/core/money.ts';
import { type BatchStatus, type HoldReason, holdReasons } from '../../src/core/payout.ts';
import { waitingOrders } from '../../src/payout/rules/search.ts';
import type { Store } from '../../src/store/store.ts';
import { describeOnEngines } from '../support/engines.ts';
import {
  applied,
  bringTo,
  holdOf,
  ingest,
  makeBadRow,
  makeRows,
  noonMs,
  payer,
  readyOf,
  secondBatchId,
  why,
} from '../support/journal-fixtures.ts';

const laterMs = noonMs + 3 * 3_600_000;
const contextOf = (journal: Store): QueueContext => ({
  journal,
  clock: { now: () => laterMs },
  doubtAfterMs: 3_600_000,
  lateAtMs: 0,
});

/** Two that failed, one that is unpayable, in doubt, unresolved, held and rejected each; a halted batch of three. */
async function fill(store: Store): Promise<void> {
  await ingest(store, [...makeRows(6), makeBadRow(7)]);
  await store.moveBatch('0123456789', 'running', null, noonMs);
  for (const status of ['failed', 'failed', 'unpayable', 'submitted', 'unresolved'] as const)
    await bringTo(store, status);
  const [last] = await readyOf(store);
  if (last === undefined) throw new Error('six rows are ready');
  await applied(store, holdOf(last, 'name'));
  await ingest(store, makeRows(3, 11), { batchId: secondBatchId, fileName: 'next.csv' });
  await store.moveBatch(secondBatchId, 'running', null, noonMs);
  for (const payout of await readyOf(store, secondBatchId)) await applied(store, holdOf(payout, 'halted'));
  await store.moveBatch(secondBatchId, 'halted', why, noonMs);
}

const accountHolds: readonly HoldReason[] = ['paused', 'unavailable', 'halted'];
const isOfAccount = (holds: readonly HoldReason[]): boolean =>
  holds.every((hold) => accountHolds.includes(hold));

interface KeptRow {
  readonly status: BatchStatus | 'halted-with-payer';
  readonly holds: readonly HoldReason[];
  readonly amountSatang: Satang;
}

/** Held by anything but its account, or kept back by an account that is halted or a batch that has stopped. */
const needsPerson = ({ status, holds }: KeptRow, isHalted: boolean): boolean =>
  !isOfAccount(holds) || isHalted || status === 'halted' || (status === 'done' && holds.length > 0);

/** In batches of every status: a ready row, one for each hold, and one for each two of them. */
async function fillWithTwoHolds(store: Store, isHalted: boolean): Promise<readonly KeptRow[]> {
  const pairs = holdReasons.flatMap((one, place) =>
    holdReasons.slice(place).map((other) => [one, other] as const),
  );
  const sets = [[], ...pairs.map((pair) => [...new Set(pair)])];
  const statuses = ['sealed', 'running', 'paused', 'halted', 'done', 'halted-with-payer'] as const;
  const kept: KeptRow[] = [];
  if (isHalted) await store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
  for (const [place, status] of statuses.entries()) {
    if (status === 'halted-with-payer' && !isHalted) continue;
    const batchId = `BATCH0000${place}`;
    await ingest(store, makeRows(sets.length, 1 + place * 100), { batchId });
    for (const [no, payout] of (await readyOf(store, batchId)).entries()) {
      const holds = sets[no] ?? [];
      let latest = payout;
      for (const hold of holds) latest = await applied(store, holdOf(latest, hold));
      kept.push({ status, holds, amountSatang: payout.instruction.amountSatang });
    }
    if (status !== 'sealed') await store.moveBatch(batchId, 'running', null, noonMs);
    if (status === 'halted-with-payer') await store.haltWithPayer(batchId, noonMs);
    else if (status !== 'sealed' && status !== 'running') await store.moveBatch(batchId, status, why, noonMs);
  }
  return kept;
}

const find = (entries: readonly AttentionEntry[], code: string): AttentionEntry => {
  const found = entries.filter((entry) => entry.code === code);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} entries of ${code}`);
  return found[0];
};

describeOnEngines('attention', (makeStore) => {
  test('one entry for each kind and cause, and none for rows that wait only for their batch', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await fill(store);
    const { entries, movedRows } = await readAttention(contextOf(store));
    expect(entries.map(({ code, count }) => `${code} ${count}`)).toEqual([
      'in-doubt 1',
      'unresolved 1',
      'batch-halted 3',
      'held 1',
      'not-paid 3',
      'rejected 1',
    ]);
    expect(movedRows).toBe(3);
    expect(find(entries, 'batch-halted')).toMatchObject({ count: 3, args: { batch: secondBatchId } });
    expect(inEnglish(find(entries, 'held').subject)).toBe('Names differ');
    const totals = await store.waitingTotals({});
    const payouts = entries.filter(({ rows, code }) => rows.of === 'payouts' && code !== 'in-doubt');
    const waiting = totals.reduce((sum, { rows }) => sum + rows, 0);
    expect(payouts.reduce((sum, { count }) => sum + count, 0) + movedRows).toBe(waiting);
  });

  test('each entry leads to exactly the rows that it counts, in every order, to and fro', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await fill(store);
    const { entries } = await readAttention(contextOf(store));
    for (const { rows, count, amountSatang, key } of entries) {
      if (rows.of !== 'payouts') continue;
      for (const order of waitingOrders) {
        const page = await store.waitingPage(rows.filter, order, undefined, 50);
        expect([key, page.length]).toEqual([key, count]);
        expect(sumSatang(page.flatMap(({ row }) => row.amountSatang ?? []))).toBe(amountSatang);
        const seqs = page.map(({ row }) => row.seq);
        for (const [place, seq] of seqs.entries()) {
          const at = (side: 'after' | 'before') => store.waitingPage(rows.filter, order, { side, seq }, 1);
          const next = (await at('after'))[0]?.row.seq;
          // A place after which nothing comes may be one that waits no more: the list begins anew.
          expect(next, `${key} ${order}`).toBe(seqs[place + 1] ?? seqs[0]);
          expect((await at('before'))[0]?.row.seq).toBe(seqs[place - 1]);
        }
      }
    }
  });

  test('a row of a halted batch that is held by itself is counted once, in its own group', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await ingest(store, makeRows(4));
    await store.moveBatch('0123456789', 'running', null, noonMs);
    const [named] = await readyOf(store);
    if (named === undefined) throw new Error('four rows are ready');
    await applied(store, holdOf(named, 'name'));
    await store.moveBatch('0123456789', 'halted', why, noonMs);
    const { entries } = await readAttention(contextOf(store));
    expect(entries.map(({ code, count }) => `${code} ${count}`)).toEqual(['batch-halted 3', 'held 1']);
    const rows = await store.searchPayouts({}, Number.MAX_SAFE_INTEGER, 9);
    expect(sumSatang(entries.flatMap(({ amountSatang }) => amountSatang ?? []))).toBe(
      rows.reduce((sum, { row }) => sum + (row.amountSatang ?? 0n), 0n),
    );
  });

  test('a halted account counts what waits for it alone', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await ingest(store, makeRows(4));
    await store.moveBatch('0123456789', 'running', null, noonMs);
    await store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
    const { entries } = await readAttention(contextOf(store));
    const entry = find(entries, 'payer-halted');
    const rows = await readyOf(store);
    expect(entry).toMatchObject({
      count: 4,
      amountSatang: sumSatang(rows.map(({ instruction }) => instruction.amountSatang)),
    });
    expect(entry.remedy && inEnglish(entry.remedy)).toMatch(/propose to resume the account$/);
    expect(JSON.stringify(entry.key)).not.toContain(payer.payerAccount);
  });

  test.each([false, true])('every row that waits is counted once, account halted: %s', async (isHalted) => {
    await using opened = await makeStore();
    const { store } = opened;
    const kept = await fillWithTwoHolds(store, isHalted);
    const { entries } = await readAttention(contextOf(store));
    const of = entries.filter(
      ({ code }) => code.startsWith('batch-') || code === 'held' || code === 'payer-halted',
    );
    const waiting = kept.filter((row) => needsPerson(row, isHalted));
    expect(of.reduce((sum, { count }) => sum + count, 0)).toBe(waiting.length);
    expect(sumSatang(of.flatMap(({ amountSatang }) => amountSatang ?? []))).toBe(
      sumSatang(waiting.map(({ amountSatang }) => amountSatang)),
    );
    const { count = 0 } = entries.find(({ code }) => code === 'payer-halted') ?? {};
    const ofAccount = waiting.filter(
      ({ holds, status }) =>
        status !== 'halted' && (status !== 'done' || holds.length === 0) && isOfAccount(holds),
    );
    expect(count).toBe(isHalted ? ofAccount.length : 0);
  });
});

test('every code is shown somewhere, and says where and why it is not', () => {
  for (const code of Object.keys(attentionTerms) as AttentionCode[]) {
    const { notShown } = termsOf(code);
    expect([code, renderings.every((one) => one in notShown)]).toEqual([code, false]);
    expect([code, Object.values(notShown).every((reason) => reason.length > 10)]).toEqual([code, true]);
  }
});

test('what was sent back waits for its maker alone', () => {
  const entry = { code: 'sent-back', args: { maker: 3 } } as unknown as AttentionEntry;
  const list = { atMs: 0, movedRows: 0, entries: [entry] };
  expect(entriesFor(list, { personId: 3 })).toHaveLength(1);
  expect(entriesFor(list, { personId: 4 })).toHaveLength(0);
});

test('the list is kept for a moment, and read again after a failure', async () => {
  let reads = 0;
  const failing = new Proxy({} as Store, {
    get: () => async () => {
      reads += 1;
      throw new Error('away');
    },
  });
  const read = keepAttention(contextOf(failing));
  await expect(read()).rejects.toThrow('away');
  await expect(read()).rejects.toThrow('away');
  expect(reads).toBe(2);
});
