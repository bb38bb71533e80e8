/** A file that pays the same people the same amounts as another, a short time ago: may it be that one again? */
import { inEnglishIfAny } from '../../../src/core/message.ts';
import { expect } from 'vitest';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import type { Journal } from '../../../src/store/store.ts';
import * as fixtures from '../../support/journal-fixtures.ts';
import type { ReachableStatus } from '../../support/journal-fixtures.ts';
import type { StoreCase } from './suite.ts';

const { bringTo, firstBatchId, ingest, ingestRunning, makeBadRow, makeRow, makeRows, noonMs } = fixtures;
const { secondBatchId } = fixtures;

const dayMs = 86_400_000;

/** The payments of rows `from` to `to`, under payoutIds of their own. */
const again = (count: number, from = 1): StagedRow[] =>
  Array.from({ length: count }, (_, place) => {
    const rowNo = from + place;
    const row = makeRow(rowNo, { payoutId: `AGAIN-${rowNo}` });
    return { ...row, rowNo: place + 1 };
  });

interface Earlier {
  readonly rows?: number;
  readonly status?: ReachableStatus;
  readonly companyId?: string;
}

/** A file of so many rows, each brought into a status at noon. */
async function payEarlier(
  journal: Journal,
  { rows = 10, status = 'paid', companyId }: Earlier = {},
): Promise<void> {
  const file = { fileName: 'march.csv', ...(companyId === undefined ? {} : { companyId }) };
  await ingestRunning(journal, makeRows(rows), file);
  if (status !== 'ready') for (let row = 0; row < rows; row += 1) await bringTo(journal, status);
}

interface Second extends fixtures.FileOfRows {
  readonly rows: readonly StagedRow[];
}

/** Takes the second file in, a moment later by default. @returns the reason codes of its rows; null is ready */
async function takeSecond(journal: Journal, { rows, ...file }: Second) {
  await ingest(journal, rows, {
    batchId: secondBatchId,
    likeFileDays: 3,
    sealedAtMs: noonMs + 80_000,
    ...file,
  });
  return (await rowsOf(journal)).map(({ reasonCode }) => reasonCode);
}

async function rowsOf(journal: Journal) {
  await using snapshot = await journal.snapshot();
  const rows = [];
  for await (const page of snapshot.resultRows(secondBatchId)) rows.push(...page);
  return rows;
}

const codes = (like: number, other = 0): string[] => [
  ...Array.from({ length: like }, () => 'like-file'),
  ...Array.from({ length: other }, () => 'in-like-file'),
];
const free = (count: number) => Array.from({ length: count }, () => null);

interface LikeCase {
  readonly name: string;
  readonly earlier?: Earlier;
  readonly second: Second;
  readonly expected: readonly (string | null)[];
}

const counts = (status: ReachableStatus, isHeld: boolean): LikeCase => ({
  name: `a file again whose rows are ${status} ${isHeld ? 'is held' : 'goes on'}`,
  earlier: { status, rows: 5 },
  second: { rows: again(5) },
  expected: isHeld ? codes(5) : free(5),
});

const likeCases: readonly LikeCase[] = [
  {
    name: 'a file of which half the rows are like paid ones is held as a whole',
    second: { rows: again(12, 5) },
    expected: codes(6, 6),
  },
  {
    name: 'a file of which fewer than half the rows are like paid ones goes on',
    second: { rows: again(13, 5) },
    expected: free(13),
  },
  {
    name: 'a file of which four rows are like paid ones goes on',
    second: { rows: again(4) },
    expected: free(4),
  },
  {
    name: 'rows that are rejected count for nothing',
    second: { rows: [...again(5), makeBadRow(6)] },
    expected: [...codes(5), 'amount-text'],
  },
  {
    name: 'a file with the amounts of others goes on',
    second: { rows: again(10).map((row) => withAmount(row, 7n)) },
    expected: free(10),
  },
  {
    name: 'another company’s file goes on',
    earlier: { companyId: 'COMP000002', status: 'ready' },
    second: { rows: again(10) },
    expected: free(10),
  },
  {
    name: 'a file again on the third day is held',
    second: { rows: again(10), sealedAtMs: noonMs + 3 * dayMs },
    expected: codes(10),
  },
  {
    name: 'the file of every week goes on',
    second: { rows: again(10), sealedAtMs: noonMs + 7 * dayMs },
    expected: free(10),
  },
  {
    name: 'no file is held when the setting is 0',
    second: { rows: again(10), likeFileDays: 0 },
    expected: free(10),
  },
  counts('ready', true),
  counts('submitted', true),
  counts('paid', true),
  counts('unresolved', true),
  counts('failed', false),
  counts('unpayable', false),
  counts('cancelled', false),
];

function withAmount(row: StagedRow, amount: bigint): StagedRow {
  const amountSatang = fixtures.satang(amount);
  if (row.instruction === null) throw new Error('a valid row has an instruction');
  return { ...row, amountSatang, instruction: { ...row.instruction, amountSatang } };
}

const release: StoreCase = {
  name: 'a person lets a like file go on, and its like rows are accepted for it',
  run: async (journal) => {
    await payEarlier(journal);
    const own = makeRow(13, { payoutId: 'inv 1' });
    await takeSecond(journal, { rows: [...again(12, 4), own] });
    expect(await journal.releaseLikeFile(secondBatchId, noonMs + 90_000)).toBe(12);
    const rows = await rowsOf(journal);
    const states = rows.map(({ status }) => status);
    expect(states).toEqual([...Array.from({ length: 12 }, () => 'ready'), 'held']);
    expect(rows.at(-1)).toMatchObject({ holds: ['similar'], reasonCode: 'similar' });
    const accepted = await Promise.all(
      rows.map(async ({ seq }) => (await journal.payout(seq))?.acceptedHolds),
    );
    expect(accepted.filter((holds) => holds?.includes('similar'))).toHaveLength(7);
    expect(await journal.releaseLikeFile(secondBatchId, noonMs + 90_001)).toBe(0);
    expect(await journal.releaseLikeFile(firstBatchId, noonMs + 90_001)).toBe(0);
  },
};

/** The same people a third time: of the latest like rows nothing came, and those before them were paid. */
const behindCancelled: StoreCase = {
  name: 'a file again is held for paid rows behind cancelled ones, and names their file',
  run: async (journal) => {
    await payEarlier(journal, { rows: 5 });
    const between = again(6).map((row) => ({ ...row, cells: { ...row.cells, payoutId: `B-${row.rowNo}` } }));
    const batchId = 'ZZZZZZZZZZ';
    const named = between.map(({ instruction, ...row }) => ({
      ...row,
      instruction: instruction && { ...instruction, payoutId: `B-${row.rowNo}` },
    }));
    await ingest(journal, named, { batchId, fileName: 'withdrawn.csv', sealedAtMs: noonMs + 2 });
    await journal.cancelUnsent(batchId, noonMs + 3);
    expect(await takeSecond(journal, { rows: again(6) })).toEqual(codes(5, 1));
    const reasons = (await rowsOf(journal)).map(({ reason }) => inEnglishIfAny(reason));
    expect(new Set(reasons).size).toBe(1);
    expect(reasons[0]).toMatch(/5 of 6 rows .*5 of them with march\.csv/);
  },
};

export const likeFileCases: readonly StoreCase[] = [
  ...likeCases.map(({ name, earlier, second, expected }) => ({
    name,
    run: async (journal: Journal) => {
      await payEarlier(journal, earlier);
      expect(await takeSecond(journal, second)).toEqual(expected);
      for (const row of await rowsOf(journal)) {
        if (row.status !== 'held') continue;
        expect(row.holds).toEqual(['similar']);
        expect(inEnglishIfAny(row.reason)).toContain(`march.csv, batch ${firstBatchId}`);
      }
    },
  })),
  release,
  behindCancelled,
];
