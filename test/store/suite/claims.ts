import { inEnglishIfAny } from '../../../src/core/message.ts';
import { expect } from 'vitest';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import type { PayoutStatus } from '../../../src/core/payout.ts';
import {
  bringTo,
  firstBatchId,
  ingest,
  ingestAs,
  ingestRunning,
  makeRow,
  makeRows,
  resultRows,
  secondBatchId,
  start,
} from '../../support/journal-fixtures.ts';
import type { ReachableStatus } from '../../support/journal-fixtures.ts';
import type { StoreCase } from './suite.ts';

interface SealCase {
  readonly name: string;
  /** What an earlier file has: its payoutId and what became of it. */
  readonly earlier?: readonly [payoutId: string, status: ReachableStatus];
  readonly earlierCompanyId?: string;
  readonly rows: readonly StagedRow[];
  readonly conflictingRowNos?: readonly number[];
  /** Status and reason code of each row, and what its reason must say. */
  readonly expected: readonly (readonly [PayoutStatus, string | null, ...string[]])[];
}

const named = (...payoutIds: readonly string[]): StagedRow[] =>
  payoutIds.map((payoutId, place) => makeRow(place + 1, { payoutId }));

const claimed = (status: ReachableStatus): SealCase => ({
  name: `a payoutId that another file holds (${status}) is rejected, and the holder named`,
  earlier: ['A-1', status],
  rows: named('A-1', 'A-2'),
  expected: [
    ['rejected', 'payout-id-claimed', 'row 1 of earlier.csv', firstBatchId, status],
    ['ready', null],
  ],
});

const released = (status: ReachableStatus): SealCase => ({
  name: `a payoutId given back (${status}) may be paid again`,
  earlier: ['A-1', status],
  rows: named('A-1'),
  expected: [['ready', null]],
});

const similar = (payoutId: string): SealCase => ({
  name: `a payoutId that differs only in case, leading zeros, decimals of zeros, punctuation or blanks (${payoutId}) is held`,
  earlier: ['00a-Bc', 'ready'],
  rows: named(payoutId),
  expected: [['held', 'similar', '00a-Bc', 'row 1 of earlier.csv']],
});

const sealCases: readonly SealCase[] = [
  claimed('ready'),
  claimed('submitted'),
  claimed('paid'),
  claimed('unresolved'),
  claimed('cancelled'),
  released('failed'),
  released('unpayable'),
  similar('a-bc'),
  similar('00A-BC'),
  similar('0a-Bc'),
  similar('00aBc'),
  similar('A Bc'),
  similar('a/b.c'),
  {
    name: 'what is similar to a payoutId given back goes on',
    earlier: ['a-1', 'failed'],
    rows: named('A-1'),
    expected: [['ready', null]],
  },
  ...['1001.0', '1,001', '1,001.00', '0001001', '1.001E+03'].map((payoutId): SealCase => ({
    name: `a payoutId that a spreadsheet took for a number (${payoutId}) is held`,
    earlier: ['1001', 'paid'],
    rows: named(payoutId, '10010', '12E5', '1200000'),
    expected: [
      ['held', 'similar', '1001', 'row 1 of earlier.csv'],
      ['ready', null],
      ['ready', null],
      ['ready', null],
    ],
  })),
  {
    name: 'a payoutId as it was, after the one that a spreadsheet made of it, is held',
    earlier: ['1001.0', 'paid'],
    rows: named('1001', '10010'),
    expected: [
      ['held', 'similar', '1001.0', 'row 1 of earlier.csv'],
      ['ready', null],
    ],
  },
  {
    name: 'zeros inside or behind make another payoutId',
    earlier: ['A-10', 'ready'],
    rows: named('A-1', 'A-100'),
    expected: [
      ['ready', null],
      ['ready', null],
    ],
  },
  {
    name: 'similar payoutIds in one file are all held, each naming another',
    rows: named('x-1', 'X-2', 'X-1'),
    expected: [
      ['held', 'similar', 'X-1', 'row 3 of this file'],
      ['ready', null],
      ['held', 'similar', 'x-1', 'row 1 of this file'],
    ],
  },
  {
    name: 'rows that a later one contradicts are rejected',
    rows: named('A-1', 'A-2', 'A-3'),
    conflictingRowNos: [1, 3],
    expected: [
      ['rejected', 'duplicate-differs', 'same payoutId'],
      ['ready', null],
      ['rejected', 'duplicate-differs', 'same payoutId'],
    ],
  },
  {
    name: 'the same payoutId twice in a file is taken once, should the reader have missed it',
    rows: named('A-1', 'A-1'),
    expected: [
      ['ready', null],
      ['rejected', 'payout-id-claimed', 'row 1 of this file'],
    ],
  },
  {
    name: 'a claim outweighs a similar one',
    earlier: ['A-1', 'paid'],
    rows: named('a-1', 'A-1'),
    expected: [
      ['held', 'similar', 'A-1'],
      ['rejected', 'payout-id-claimed', 'paid'],
    ],
  },
  {
    name: 'another company’s payoutIds are others',
    earlier: ['A-1', 'paid'],
    earlierCompanyId: 'COMP000002',
    rows: named('A-1'),
    expected: [['ready', null]],
  },
];

async function runSealCase(journal: Parameters<StoreCase['run']>[0], given: SealCase): Promise<void> {
  if (given.earlier !== undefined) {
    const [payoutId, status] = given.earlier;
    const earlierCompany = given.earlierCompanyId;
    const file = {
      fileName: 'earlier.csv',
      ...(earlierCompany === undefined ? {} : { companyId: earlierCompany }),
    };
    await ingestRunning(journal, named(payoutId), file);
    // Another company's rows have no payer here that could send them.
    if (earlierCompany === undefined) await bringTo(journal, status);
  }
  const { conflictingRowNos = [] } = given;
  await ingest(journal, given.rows, { batchId: secondBatchId, fileName: 'later.csv', conflictingRowNos });
  const rows = await resultRows(journal, secondBatchId);
  expect(rows.map((row) => [row.status, row.reasonCode])).toEqual(
    given.expected.map(([status, code]) => [status, code]),
  );
  for (const [place, [status, code, ...texts]] of given.expected.entries()) {
    const row = rows[place];
    for (const text of texts) expect(inEnglishIfAny(row?.reason)).toContain(text);
    if (status === 'rejected')
      expect(row?.issues).toMatchObject([{ code, column: 'payoutId', line: place + 2 }]);
  }
}

const manyRows = 2_300;

export const claimCases: readonly StoreCase[] = [
  ...sealCases.map((given): StoreCase => ({
    name: given.name,
    run: (journal) => runSealCase(journal, given),
  })),
  {
    name: 'a hold of the row’s own stays beside the similar one',
    run: async (journal) => {
      await ingest(journal, named('A-1'));
      await ingest(journal, [makeRow(1, { payoutId: 'a-1', holds: ['limit'] })], { batchId: secondBatchId });
      expect(await resultRows(journal, secondBatchId)).toMatchObject([{ holds: ['limit', 'similar'] }]);
    },
  },
  {
    name: 'a payoutId that is taken is rejected, though a similar one was taken before it',
    run: async (journal) => {
      await ingest(journal, named('a-1', 'A-1'));
      await ingest(journal, named('A-1'), { batchId: secondBatchId });
      const rows = await resultRows(journal, secondBatchId);
      expect(rows).toMatchObject([{ status: 'rejected' }]);
      expect(inEnglishIfAny(rows[0]?.reason)).toContain('row 2 of payouts.csv');
    },
  },
  {
    name: 'a whole file that was paid before is rejected row by row',
    run: async (journal) => {
      await ingest(journal, makeRows(manyRows));
      await ingest(journal, makeRows(manyRows), { batchId: secondBatchId });
      expect(await journal.totals(secondBatchId)).toMatchObject([{ status: 'rejected', rows: manyRows }]);
      expect(await journal.readyPage(firstBatchId, manyRows - 1, 5)).toHaveLength(1);
    },
  },
  {
    name: 'each of many similar payoutIds is held once',
    run: async (journal) => {
      const rows = Array.from({ length: 60 }, (_, place) =>
        makeRow(place + 1, { payoutId: '9'.padStart(place + 1, '0') }),
      );
      await ingest(journal, rows);
      expect(await journal.totals(firstBatchId)).toMatchObject([{ status: 'held', rows: 60 }]);
      const [found] = await journal.findPayouts('9');
      expect(found?.events).toHaveLength(1);
      expect(found?.row.version).toBe(2);
    },
  },
  {
    name: 'a payoutId given back keeps the count of its attempts',
    run: async (journal) => {
      await ingestAs(journal, ['failed'], named('A-1'));
      await ingestRunning(journal, named('A-1'), { batchId: secondBatchId });
      expect(await journal.readyPage(secondBatchId, 0, 10)).toMatchObject([{ attemptsRecorded: 1 }]);
      await bringTo(journal, 'failed', secondBatchId, 1);
      const attempts = await journal.attemptsOf('COMP000001', 'A-1');
      expect(attempts.map(({ attemptNo, payoutSeq }) => [attemptNo, payoutSeq])).toEqual([
        [1, 1],
        [2, 2],
      ]);
    },
  },
  {
    name: 'a half-read file takes no claim',
    run: async (journal) => {
      await start(journal);
      await journal.stage(firstBatchId, named('A-1', 'A-3'));
      await ingest(journal, named('A-1', 'A-2'), { batchId: secondBatchId });
      const holders = await journal.claimHolders('COMP000001', ['A-1', 'A-2', 'A-3']);
      expect(holders.map(({ payoutId, batchId, rowNo }) => [payoutId, batchId, rowNo])).toEqual([
        ['A-1', secondBatchId, 1],
        ['A-2', secondBatchId, 2],
      ]);
    },
  },
];
