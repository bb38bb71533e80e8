import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReadAhead, stretchRows } from '../../src/platform/read-ahead.ts';

interface Row {
  readonly payoutSeq: number;
  readonly attemptNo: number;
}

/** A reader over rows in their order, which counts how it is asked. */
function makeReader(rows: readonly Row[]) {
  const asked = { ones: 0, stretches: 0 };
  const reader = new ReadAhead<Row>(
    async ({ payoutSeq, attemptNo }) => {
      asked.ones += 1;
      return rows.find((row) => row.payoutSeq === payoutSeq && row.attemptNo === attemptNo);
    },
    async (payoutSeq) => {
      asked.stretches += 1;
      return rows.filter((row) => row.payoutSeq >= payoutSeq).slice(0, stretchRows);
    },
  );
  return { reader, asked };
}

const seqs = fc.uniqueArray(fc.nat(400), { maxLength: 120 }).map((list) => list.toSorted((a, b) => a - b));

test('gives each row that is there, and none that is not, in whatever order it is asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      seqs,
      fc.array(fc.tuple(fc.nat(400), fc.constantFrom(1, 2))),
      async (known, questions) => {
        const rows = known.flatMap((payoutSeq) =>
          payoutSeq % 5 === 0
            ? [
                { payoutSeq, attemptNo: 1 },
                { payoutSeq, attemptNo: 2 },
              ]
            : [{ payoutSeq, attemptNo: 1 }],
        );
        const { reader } = makeReader(rows);
        for (const [payoutSeq, attemptNo] of questions) {
          const row = rows.find((one) => one.payoutSeq === payoutSeq && one.attemptNo === attemptNo);
          expect(await reader.get({ payoutSeq, attemptNo })).toEqual(row);
        }
      },
    ),
  );
});

test('nearly in order, hardly any row is searched alone', async () => {
  const rows = Array.from({ length: 3_000 }, (_, place) => ({ payoutSeq: place + 1, attemptNo: 1 }));
  const { reader, asked } = makeReader(rows);
  // Sixteen under way at once: each block comes backwards.
  for (let block = 0; block < rows.length; block += 16)
    for (const row of rows.slice(block, block + 16).toReversed())
      expect(reader.find(row) ?? (await reader.get(row))).toEqual(row);
  expect(asked.stretches).toBeLessThan(16);
  expect(asked.ones).toBeLessThan(100);
});
