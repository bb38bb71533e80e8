/** The same life of the same files on SQLite and on PostgreSQL: whatever is asked of the journal is answered alike. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { move } from '../../../src/core/change.ts';
import { holdReasons, payoutStatuses } from '../../../src/core/payout.ts';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import type { Change } from '../../../src/core/ports.ts';
import { listChangedSums } from '../../../src/evidence/rules/audit.ts';
import { parsePayee, type PayoutFilter } from '../../../src/payout/rules/search.ts';
import type { LimitsNow } from '../../../src/review/ports.ts';
import type { ApprovalPolicy } from '../../../src/review/rules/approval.ts';
import { findBrokenEvent } from '../../../src/review/rules/payout-chain.ts';
import { openReader } from '../../../src/store/connection.ts';
import type { Reader } from '../../../src/store/engine.ts';
import { readChain } from '../../../src/store/payouts/chain.ts';
import { readCountedDays, readDayUse } from '../../../src/store/payouts/day-use.ts';
import { makePostgresEngine } from '../../../src/store/postgres/engine.ts';
import { drive } from '../../../src/store/statements.ts';
import { letsGoOn, nothingCounted, sumFigures } from '../../../src/review/rules/proposal-figures.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  applied,
  bringTo,
  endOf,
  firstBatchId,
  firstReady,
  ingest,
  ingestRunning,
  intentOf,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  readyOf,
  resultRows,
  satang,
  secondBatchId,
  submit,
  why,
} from '../../support/journal-fixtures.ts';
import { describePostgres } from '../../support/postgres.ts';
import { makePostgresStore } from '../../support/postgres-store.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';

const date = '20261121';
const dayMs = 86_400_000;
const limits = { satangPerDay: satang(10n ** 9n), satangPerPayeePerDay: satang(30_000n), filesPerDay: 5 };

type Script = (store: Store) => Promise<unknown>;

/** Histories that were changed by other means, and sums of a day that its rows do not add up to. */
async function findFaults(reader: Reader): Promise<unknown> {
  const faults: unknown[] = [];
  let payouts = 0;
  for (let chain; (chain = await reader.read(() => readChain(payouts + 1))) !== undefined; payouts += 1)
    faults.push(findBrokenEvent(chain) ?? []);
  const days = await reader.read(readCountedDays);
  for (const day of days) faults.push(listChangedSums(await reader.read(() => readDayUse(day))));
  return { faults: faults.flat(), payouts, days };
}

/** Plays the same script on both engines, which answer alike. */
async function playOnBoth(script: Script): Promise<void> {
  await using sqlite = await makeSqliteStore();
  await using postgres = await makePostgresStore();
  const answers = await script(sqlite.store);
  expect(await script(postgres.store)).toEqual(answers);
  await using engine = makePostgresEngine(postgres.url);
  using db = openReader(sqlite.path);
  const found = await findFaults({ read: async (makeBody) => drive(db, makeBody()) });
  expect(found).toMatchObject({ faults: [] });
  expect(await findFaults(engine)).toEqual(found);
}

/** Versions of instructions are digested with salts. */
const chanceNames = ['version', 'versionsDigest', 'versionsDigests'];

const withoutChance = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer ?? null, (name, value: unknown) => {
      if (chanceNames.includes(name)) return '';
      return typeof value === 'bigint' ? String(value) : value;
    }),
  );

const onWhole = ['approve-batch', 'resume-batch', 'cancel-batch', 'resume-payer'] as const;

/** What each decision lets go on; the digest of corrected rows differs by their salts. */
async function describeGoingOn(store: Store, batchId: string): Promise<unknown> {
  const batch = await store.batch(batchId);
  if (batch === undefined) return undefined;
  const all = await Promise.all(
    onWhole.map(async (decision) => store.goingOn(batchId, letsGoOn(decision, batch, batch.payerAccount))),
  );
  return withoutChance(
    all.map((one) => (one?.file.isCorrected === true ? { ...one, file: { ...one.file, digest: '' } } : one)),
  );
}

/** What a person can ask of a batch. */
async function describeBatch(store: Store, batchId: string): Promise<unknown> {
  await using snapshot = await store.snapshot();
  const { eventSeq } = snapshot;
  const all = await Array.fromAsync(snapshot.resultRows(batchId));
  const news = await Array.fromAsync(snapshot.resultRows(batchId, Math.floor(eventSeq / 2)));
  const ahead = {
    limits: { ...limits, newPayeeSatang: null, serviceDays: [], closedDates: [] },
    nowMs: noonMs,
  };
  const figuresOf = async (sinceMs: number, now?: LimitsNow) => {
    const figures = await store.approvalFigures(batchId, sinceMs, now);
    return figures?.isCorrected === true ? { ...figures, digest: '' } : figures;
  };
  return {
    eventSeq,
    pages: [...all, ...news].map((page) => page.length),
    rows: all.flat(),
    news: news.flat().map((row) => row.rowNo),
    others: await snapshot.otherReferences(batchId, 7),
    batch: await store.batch(batchId),
    totals: await store.totals(batchId),
    holds: await snapshot.holdTotals(batchId),
    ready: await store.readyPage(batchId, 1, 50),
    seal: withoutChance(await store.readSeal(batchId)),
    approval: withoutChance(await store.approvalOf(batchId)),
    figures: withoutChance(await figuresOf(noonMs - dayMs, ahead)),
    bare: withoutChance(await figuresOf(0)),
    goingOn: await describeGoingOn(store, batchId),
  };
}

/** What is asked of all of the journal. */
const describeAll = async (store: Store): Promise<unknown> => ({
  batches: await store.batches(),
  doubtful: await store.inDoubt(0, 50),
  doubtfulHere: await store.inDoubt(0, 50, secondBatchId),
  counts: [await store.countInDoubt(), await store.countInDoubt('submitted')],
  due: await store.dueInquiries(noonMs + dayMs, 50),
  next: await store.nextInquiryAtMs(firstBatchId),
  superseded: await store.superseded(0, { payoutSeq: 0, attemptNo: 0 }, 50),
  holders: await store.claimHolders('COMP000001', ['INV-1', 'INV-2', 'INV-99']),
  similar: await store.similarHolders('COMP000001', '00inv-2'),
  attempts: await store.attemptsOf('COMP000001', 'INV-1'),
  found: (await store.findPayouts('INV-1')).map(({ events, ...rest }) => ({
    ...rest,
    events: events.map(({ seq, cause }) => ({ seq, cause })),
  })),
  waiting: await store.searchPayouts({ isWaiting: true }, Number.MAX_SAFE_INTEGER, 50),
  waitingTotals: await store.waitingTotals({}),
  use: [
    await store.dayUse('COMP000001', date, firstBatchId),
    await store.dayUse('COMP000001', '20261120', 'X'),
  ],
  payees: [await store.payeeUse('COMP000001', date, '0810000001'), await store.payeeUse('C', date, '0')],
  known: [
    await store.isPayeeKnown('COMP000001', '0810000001'),
    await store.isPayeeKnown('COMP000001', '0899999999'),
  ],
});

/** Rows that clash within their file, and one that another row of the file contradicts. */
const clashing: readonly StagedRow[] = [
  ...makeRows(4),
  makeBadRow(5),
  makeRow(6, { holds: ['limit'] }),
  makeRow(7, { payoutId: 'inv-1' }),
  makeRow(8, { payoutId: 'INV-2' }),
  makeRow(9, { payoutId: '00INV-3' }),
  makeRow(10),
  ...makeRows(6, 11),
];

const limitedIntent = async (store: Store, batchId: string): Promise<Change> => ({
  ...intentOf(await firstReady(store, batchId)).change,
  limits,
});

describePostgres('both engines', () => {
  test('seal, hold and send alike', async () => {
    await playOnBoth(async (store) => {
      await ingestRunning(store, clashing, { conflictingRowNos: [10] });
      await store.countDay('COMP000001', date);
      const [row] = await readyOf(store);
      const sent = await submit(store, row!);
      await applied(store, endOf(sent, 'paid'));
      await bringTo(store, 'unresolved');
      await bringTo(store, 'submitted');
      await store.apply([await limitedIntent(store, firstBatchId)]).catch(() => {});
      const held = await store.holdReady(firstBatchId, 'paused', why, noonMs + 3);
      const lifted = await store.liftHolds(firstBatchId, ['paused', 'limit'], noonMs + 4);
      const rows = [1, 2, 3, 4].map((no) => makeRow(no, { payoutId: `B-${no}` }));
      await ingestRunning(store, rows, { batchId: secondBatchId, likeFileDays: 7, fileName: 'b.csv' });
      const before = await describeBatch(store, secondBatchId);
      const released = await store.releaseLikeFile(secondBatchId, noonMs + 6);
      const cancelled = await store.cancelUnsent(secondBatchId, noonMs + 7);
      return {
        moved: [held, lifted, released, cancelled],
        before,
        batches: [await describeBatch(store, firstBatchId), await describeBatch(store, secondBatchId)],
        all: await describeAll(store),
      };
    });
  });

  test('read many rows alike', async () => {
    await playOnBoth(async (store) => {
      const rows = [...makeRows(2_050), makeBadRow(2_051), ...makeRows(49, 2_052)];
      const approval: ApprovalPolicy = { when: 'always', aboveSatang: satang(0n), people: 1 };
      await ingest(store, rows, { approval });
      return [await describeBatch(store, firstBatchId), await store.cancelUnsent(firstBatchId, noonMs + 7)];
    });
  });

  test('keep whatever letters a file has', async () => {
    await playOnBoth(async (store) => {
      const odd = (row: StagedRow): StagedRow => ({
        ...row,
        cells: { ...row.cells, payeeName: 'A\0B\ud800C' },
      });
      const large = satang(9_007_199_254_740_993n);
      await ingest(store, [odd(makeRow(1, { amountSatang: large })), odd(makeBadRow(2))]);
      const rows = await resultRows(store);
      expect(rows.map((row) => row.cells.payeeName)).toEqual(['A\0B\ud800C', 'A\0B\ud800C']);
      return [rows, await store.searchPayouts({ isWaiting: true }, 100, 10), await store.waitingTotals({})];
    });
  });

  test('let an approved batch go on alike, and hold what is corrected', async () => {
    await playOnBoth(async (store) => {
      const approval: ApprovalPolicy = { when: 'always', aboveSatang: satang(0n), people: 1 };
      await ingest(store, makeRows(4), { approval });
      await store.moveBatch(firstBatchId, 'running', null, noonMs + 2);
      const waiting = await store.approvalOf(firstBatchId);
      const targets = [{ kind: 'batch', key: firstBatchId, version: waiting?.version ?? '' }] as const;
      const maker = { personId: 1, name: 'mali' };
      const made = { madeAtMs: noonMs, expiresAtMs: noonMs + dayMs, totalSatang: satang(0n), evidence: null };
      const digest = '0'.repeat(64);
      const figures = sumFigures([nothingCounted]);
      const draft = {
        decision: 'approve-batch',
        figures,
        note: 'seen',
        people: 1,
        digest,
        maker,
        targets,
      } as const;
      await store.addProposals([{ ...draft, ...made }]);
      const item = { proposalId: 1, itemNo: 1 };
      const signing = { companyId: 'COMP000001', journalId: store.journalId, isSandbox: false, keys: [] };
      const version = waiting?.version ?? '';
      await expect(
        store.approveBatch(firstBatchId, item, version, signing, noonMs + 4),
      ).rejects.toMatchObject({
        name: 'UnsignedApprovalError',
        message: 'no approver of proposal 1 has signed it',
      });
      expect(await store.approvalsOf(firstBatchId)).toEqual([]);
      const approved = await store.approveBatch(firstBatchId, item, version, null, noonMs + 5);
      const twice = await store.approveBatch(firstBatchId, item, waiting?.version ?? '', null, noonMs + 6);
      const failed = await bringTo(store, 'failed');
      const patch = { status: 'ready', settledAtMs: null, settledBy: null } as const;
      const instruction = { ...failed.instruction, proxyNo: '0810000077', amountSatang: satang(5_000n) };
      const retried = { ...move({ payout: failed, patch, cause: 'tried-again', nowMs: noonMs + 9 }) };
      const after = { ...retried.after, instruction };
      const corrected = await store.apply([{ ...retried, after, isCorrected: true }]);
      const held = await store.holdUnapproved(firstBatchId, why, noonMs + 10);
      return {
        answers: [approved, twice, corrected, held],
        batch: await describeBatch(store, firstBatchId),
        all: await describeAll(store),
      };
    });
  });

  test('take many files in alike, whatever they clash with', async () => {
    const ids = fc.array(
      fc
        .tuple(fc.constantFrom('', '0', '00'), fc.constantFrom('a', 'A', 'b', 'B', 'c'), fc.nat(2))
        .map((parts) => parts.join('')),
      { minLength: 1, maxLength: 6 },
    );
    const likeFileDays = fc.constantFrom(0, 7);
    const files = fc.array(fc.record({ ids, likeFileDays, cancels: fc.boolean() }), {
      minLength: 2,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(files, async (plans) => {
        await playOnBoth(async (store) => {
          const told = [];
          for (const [place, plan] of plans.entries()) {
            const batchId = `FILE${place}`;
            const rows = plan.ids.map((payoutId, at) => makeRow(at + 1, { payoutId }));
            const file = { batchId, fileName: `${batchId}.csv`, likeFileDays: plan.likeFileDays };
            told.push(await ingest(store, rows, { ...file, sealedAtMs: noonMs + place }));
            if (plan.cancels) told.push(await store.cancelUnsent(batchId, noonMs + place));
            told.push(await resultRows(store, batchId));
          }
          return [told, await store.similarHolders('COMP000001', '00a1')];
        });
      }),
      { numRuns: 4 },
    );
  });

  test('find alike whatever is looked for', async () => {
    await using sqlite = await makeSqliteStore();
    await using postgres = await makePostgresStore();
    const stores = [sqlite.store, postgres.store] as const;
    for (const store of stores) {
      await ingestRunning(store, [...makeRows(5), makeBadRow(6)]);
      await ingestRunning(store, [...makeRows(3, 11), makeBadRow(14)], { batchId: secondBatchId });
      for (const status of ['paid', 'failed', 'unpayable', 'submitted'] as const)
        await bringTo(store, status);
      const doubtful = await bringTo(store, 'unresolved', secondBatchId);
      const patch = { isAlarm: true, bankPayeeName: 'ÉMILE ใจดี' };
      await applied(store, move({ payout: doubtful, patch, cause: 'alarm-raised', nowMs: noonMs }));
    }
    const [transRefNo] = (await resultRows(sqlite.store)).flatMap((row) => row.transRefNo ?? []);
    const payee = fc.constantFrom(
      '0810000003',
      '******0014',
      '0006',
      '0899999999',
      'JAIDEE',
      'Émile ใจ',
      '%',
    );
    const filters: fc.Arbitrary<PayoutFilter> = fc.record(
      {
        statuses: fc.uniqueArray(fc.constantFrom(...payoutStatuses), { maxLength: 3 }),
        hold: fc.constantFrom(...holdReasons),
        isAlarm: fc.boolean(),
        batchId: fc.constantFrom(firstBatchId, secondBatchId),
        amountSatang: fc.constantFrom(satang(10_001n)),
        sinceMs: fc.constantFrom(noonMs, noonMs + 1),
        untilMs: fc.constantFrom(noonMs, noonMs + 1),
        reference: fc.constantFrom('INV-3', 'ref 13', 'NOWHERE', transRefNo ?? ''),
        payee: payee.map((text) => parsePayee(text)),
        moneyMoved: fc.constantFrom('yes', 'no', 'unknown'),
        isWaiting: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const wanted = async (filter: PayoutFilter): Promise<void> => {
      const [own, other] = await Promise.all(
        stores.map(async (store) => {
          const ownerSeqs = await store.findOwners(filter.reference ?? '');
          const asked = { ...filter, ownerSeqs };
          return [
            await store.searchPayouts(asked, 1_000, 20),
            await store.searchPayouts(
              { anyOf: [{ ...asked, batchId: firstBatchId }, { reference: 'INV-2' }] },
              1_000,
              3,
            ),
            await store.waitingTotals(filter),
          ];
        }),
      );
      expect(other).toEqual(own);
    };
    await wanted({});
    await fc.assert(fc.asyncProperty(filters, wanted), { numRuns: 50 });
  });
});
