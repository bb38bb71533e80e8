/** Payouts counted for a search, and items that a person has taken, on each engine. */
import { expect, test } from 'vitest';
import type { PayoutFilter } from '../../../src/payout/rules/search.ts';
import type { ReviewNote } from '../../../src/review/rules/queue.ts';
import { describeOnEngines } from '../../support/engines.ts';
import {
  firstBatchId,
  ingest,
  makeBadRow,
  makeRow,
  noonMs,
  satang,
  secondBatchId,
} from '../../support/journal-fixtures.ts';

const newest = Number.MAX_SAFE_INTEGER;

describeOnEngines('what a search counts', (makeStore) => {
  test('is what it finds, the newest first', async () => {
    await using kit = await makeStore();
    const { store } = kit;
    const rows = [1, 2, 3].map((no) =>
      makeRow(no, { amountSatang: satang(BigInt(no) * 100n), holds: ['name'] }),
    );
    await ingest(store, [...rows, makeBadRow(4)]);
    await ingest(store, [makeRow(11, { amountSatang: satang(500n) })], { batchId: secondBatchId });
    const namesOf = async (filter: PayoutFilter, limit = 100) => {
      const seqs = await store.matchingSeqs(filter, limit);
      const found = seqs.length === 0 ? [] : await store.searchPayouts({ seqs }, newest, limit);
      expect(found.map(({ row }) => row.seq)).toEqual(seqs);
      return found.map(({ row }) => row.cells.payoutId);
    };
    expect(await namesOf({ aboveSatang: satang(100n), belowSatang: satang(500n) })).toEqual([
      'INV-3',
      'INV-2',
    ]);
    expect(await namesOf({ batchIds: [secondBatchId, firstBatchId] }, 2)).toEqual(['INV-11', 'INV-4']);
    expect(await namesOf({ batchIds: [] })).toEqual([]);
    expect(await namesOf({ seqs: [] })).toEqual([]);
    expect(await namesOf({ statuses: ['held', 'ready'], batchIds: [secondBatchId] })).toEqual(['INV-11']);
    expect(await namesOf({ isWaiting: true, aboveSatang: satang(200n) })).toEqual(['INV-3']);
    expect(await namesOf({ causes: ['EM012'] })).toEqual([]);
  });

  test('a person has what was taken last, while it waits', async () => {
    await using kit = await makeStore();
    const { store } = kit;
    await ingest(store, [makeRow(1, { holds: ['name'] }), makeRow(2)]);
    const seqOf = async (id: string) => String((await store.findPayouts(id))[0]?.row.seq);
    const note = async (kind: ReviewNote['kind'], key: string, what: ReviewNote['what'], personId: number) =>
      store.addReviewNote({
        kind,
        key,
        version: '',
        what,
        personId,
        person: `p${personId}`,
        note: '',
        atMs: noonMs,
      });
    await note('payout', await seqOf('INV-1'), 'taken', 1);
    await note('payout', await seqOf('INV-2'), 'taken', 1);
    await note('day', '20261120', 'taken', 1);
    await note('group', 'payout-failed.EM012', 'taken', 1);
    const takenBy = async (personId: number, sinceMs: number) =>
      (await store.takenBy(personId, sinceMs, 10)).map(({ key, payoutId }) => payoutId ?? key);
    // The second does not wait for a person; other items are left out after a while.
    expect(await takenBy(1, 0)).toEqual(['20261120', 'INV-1']);
    expect(await takenBy(1, noonMs + 1)).toEqual(['INV-1']);
    await note('day', '20261120', 'noted', 2);
    await note('payout', await seqOf('INV-1'), 'taken', 2);
    expect([await takenBy(1, 0), await takenBy(2, 0)]).toEqual([[], ['INV-1']]);
  });
});
