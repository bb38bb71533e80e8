/** What the check of registrations foretells is what the seal does: through reader, intake and journal, file after file. */
import { inEnglish } from '../../src/core/message.ts';
import { beforeAll, expect, test } from 'vitest';
import fc from 'fast-check';
import { checkRegistrations } from '../../src/check/check-registrations.ts';
import { makeRegistrationFileReader } from '../../src/intake/formats/registration-file.ts';
import { ingestRegistrations } from '../../src/intake/ingest.ts';
import type { Store } from '../../src/store/store.ts';
import { noonMs, payer } from '../support/journal-fixtures.ts';
import { defaults, useFolder } from '../support/payout-file-kit.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

const folder = useFolder();
const { companyId } = payer;
const reader = makeRegistrationFileReader({
  ...defaults,
  columns: {},
  defaults: { vendorId: 'VENDOR0001', companyId },
});
const head = 'registrationId,customerId,accountNo,ref1\n';

async function foretell(store: Store, path: string) {
  const found = new Map<number, string[]>();
  const inspected = await reader.inspect(path);
  if (inspected.kind === 'rejected') throw new Error(inEnglish(inspected.rejection.message));
  const outcome = await checkRegistrations(reader, inspected.inspection, {
    companyId,
    journal: store,
    onIssues: (issues) => {
      for (const { rowNo, issue } of issues)
        found.set(rowNo, [...(found.get(rowNo) ?? []), issue.code].toSorted());
    },
  });
  if (outcome.kind === 'rejected') throw new Error(inEnglish(outcome.rejection.message));
  return { totals: outcome.totals, found: [...found].toSorted(([a], [b]) => a - b) };
}

async function takeIn(store: Store, path: string, fileName: string) {
  const clock = { now: () => noonMs, elapsedMs: () => 0, sleep: async () => undefined };
  const stop = new AbortController().signal;
  const context = {
    journal: store.registrationIntake,
    reader,
    clock,
    companyId,
    stop,
    onRows: () => undefined,
  };
  const ingested = await ingestRegistrations(context, path, fileName);
  if (ingested.kind !== 'batch') throw new Error(`it was ${ingested.kind}`);
  const rows = await store.searchRegistrations(
    { batchId: ingested.batch.batchId },
    Number.MAX_SAFE_INTEGER,
    100,
  );
  const count = (status: string): number => rows.filter((row) => row.status === status).length;
  const totals = {
    all: rows.length,
    ready: count('ready'),
    held: count('held'),
    rejected: count('rejected'),
  };
  const found = rows
    .toReversed()
    .map(
      ({ rowNo, holds, issues }) =>
        [rowNo, [...holds, ...issues.map(({ code }) => code)].toSorted()] as const,
    )
    .filter(([, codes]) => codes.length > 0);
  return { totals, found };
}

let sqlite: SqliteStore;
beforeAll(async () => {
  sqlite = await makeSqliteStore();
  return () => sqlite[Symbol.asyncDispose]();
});

const rows = fc.array(
  fc
    .tuple(
      fc.constantFrom('R1', 'R2', 'R3', 'R4', 'r1', 'R-2', 'R 5', ''),
      fc.constantFrom('9900000001', '9900000002', '990-0-00000-1', '12'),
      fc.constantFrom('a', 'b', ''),
    )
    .map(([id, accountNo, ref1]) => `${id},C1,${accountNo},${ref1}\n`),
  { minLength: 1, maxLength: 6 },
);

test('file after file', async () => {
  let files = 0;
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.string({ unit: fc.constantFrom(...'KLMNOP'), minLength: 1, maxLength: 1 }),
      async (lines, prefix) => {
        files += 1;
        // Names of their own for some files, so that not everything is taken after a few of them.
        const named = lines.map((line) =>
          files % 2 === 0 ? line : line.replace(/^(?=.)(?!,)/, `${prefix}${files}-`),
        );
        const path = await folder.write(head + named.join(''));
        const foretold = await foretell(sqlite.store, path);
        expect(await takeIn(sqlite.store, path, `${files}.csv`)).toEqual(foretold);
        // Its own rows do not stand in its way afterwards.
        expect(await foretell(sqlite.store, path)).toEqual(foretold);
      },
    ),
    { numRuns: 30 },
  );
});
