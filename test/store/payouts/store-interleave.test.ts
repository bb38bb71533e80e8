/** Several files are read at the same time, chunk by chunk: it comes to the same as one after the other. */
import { verbatim } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import type { Store } from '../../../src/store/store.ts';
import { makeBadRow, makeRow, noonMs, resultRows, start, totalsOf } from '../../support/journal-fixtures.ts';
import { makeSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';
import { findContradictions } from '../../support/store-consistency.ts';

interface FilePlan {
  readonly chunks: readonly (readonly StagedRow[])[];
  /** How often the reading is begun again before it gets to its end. */
  readonly restarts: number;
  readonly isRejected: boolean;
}

/** Few payoutIds, so that files clash with one another and within themselves. */
const payoutId = fc
  .tuple(fc.constantFrom('', '0', '00'), fc.constantFrom('a', 'A', 'b', 'B', 'c', 'd', 'e'), fc.nat(2))
  .map(([zeros, letter, digit]) => `${zeros}${letter}${digit}`);

const filePlan: fc.Arbitrary<FilePlan> = fc.record({
  chunks: fc
    .array(fc.uniqueArray(fc.option(payoutId), { minLength: 1, maxLength: 3 }), { maxLength: 4 })
    .map((chunks) => {
      const seen = new Set<string>();
      let rowNo = 0;
      return chunks.map((ids) =>
        ids.map((id) => {
          rowNo += 1;
          if (id === null || seen.has(id)) return makeBadRow(rowNo);
          seen.add(id);
          return makeRow(rowNo, { payoutId: id });
        }),
      );
    }),
  restarts: fc.nat(1),
  isRejected: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
});

const batchIdOf = (file: number) => `FILE${file}`;

/** The steps of reading one file, each to be taken when its turn comes. */
function* stepsOf(store: Store, plan: FilePlan, file: number): Generator<() => Promise<unknown>> {
  const batchId = batchIdOf(file);
  for (let reading = 0; reading <= plan.restarts; reading += 1) {
    yield () => start(store, { batchId, fileName: `${batchId}.csv` });
    for (const rows of plan.chunks) yield () => store.stage(batchId, rows);
  }
}

/** Seals in the order of the files: whoever is sealed first has the claims. */
async function finish(store: Store, plan: FilePlan, file: number): Promise<void> {
  const batchId = batchIdOf(file);
  if (plan.isRejected) await store.rejectBatch(batchId, 'x', verbatim('y'), noonMs);
  else await store.seal(batchId, totalsOf(plan.chunks.flat()), noonMs + file);
}

async function readInTurn(store: Store, plans: readonly FilePlan[], turns: readonly number[]): Promise<void> {
  const readings = plans.map((plan, file) => stepsOf(store, plan, file));
  const left = new Set(readings.keys());
  for (let turn = 0; left.size > 0; turn += 1) {
    const files = [...left];
    const file = files[(turns[turn % turns.length] ?? 0) % files.length] ?? 0;
    const step = readings[file]?.next();
    if (step?.done === false) await step.value();
    else left.delete(file);
  }
  for (const [file, plan] of plans.entries()) await finish(store, plan, file);
}

async function readOneByOne(store: Store, plans: readonly FilePlan[]): Promise<void> {
  for (const [file, plan] of plans.entries()) {
    for (const step of stepsOf(store, plan, file)) await step();
    await finish(store, plan, file);
  }
}

/** Everything that the journal says of the files, but for the numbers it gives the rows. */
async function describe({ store, path }: SqliteStore, plans: readonly FilePlan[]): Promise<unknown> {
  const files = [];
  for (const file of plans.keys()) {
    const batchId = batchIdOf(file);
    const batch = await store.batch(batchId);
    const rows = (await resultRows(store, batchId)).map((row) => ({ ...row, seq: 0 }));
    const ready = (await store.readyPage(batchId, 0, 99)).map(({ payout }) => payout.rowNo);
    files.push({ batch, rows, ready, totals: await store.totals(batchId) });
  }
  const holders = await store.claimHolders('COMP000001', ['a0', 'A1', 'b2', '0c0']);
  const similar = await store.similarHolders('COMP000001', '000a1');
  return { files, holders, similar, contradictions: findContradictions(path) };
}

const planOf = (payoutIds: readonly string[]): FilePlan => ({
  chunks: payoutIds.map((id, place) => [makeRow(place + 1, { payoutId: id })]),
  restarts: 0,
  isRejected: false,
});

/** The second file is read first: its rows have the lower numbers, and yet the first to be sealed is named. */
const secondReadFirst: [FilePlan[], number[]] = [[planOf(['0a1']), planOf(['a1', 'A1'])], [1]];

test('files that are read in turn come out as if each had been read alone', async () => {
  const turns = fc.array(fc.nat(2), { minLength: 1, maxLength: 12 });
  const plans = fc.array(filePlan, { minLength: 2, maxLength: 3 });
  const property = fc.asyncProperty(plans, turns, async (files, order) => {
    await using mixed = await makeSqliteStore();
    await using alone = await makeSqliteStore();
    await readInTurn(mixed.store, files, order);
    await readOneByOne(alone.store, files);
    const found = await describe(mixed, files);
    expect(found).toEqual(await describe(alone, files));
    expect(found).toMatchObject({ contradictions: [] });
  });
  await fc.assert(property, { numRuns: 8, examples: [secondReadFirst] });
});
