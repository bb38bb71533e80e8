/** The `Journal` port on records in memory. Every method does its whole work at once; a simulated disk decides when. */
import { stopInEnglish, verbatim } from '../../../src/core/message.ts';
import { requireAllowed } from '../../../src/core/change.ts';
import { canMoveBatch, canMovePayout, type Payout, type PayoutCause } from '../../../src/core/payout.ts';
import type { Batch, BatchReason } from '../../../src/core/ports.ts';
import { likeFileCodes } from '../../../src/payout/rules/similar.ts';
import { payerKeyOf } from '../../../src/review/rules/batch-decisions.ts';
import type { Journal } from '../../../src/store/store.ts';
import type { SimulatedJournal } from '../disk.ts';
import { applyCall } from './apply.ts';
import { countTotals, readSeal, rejectBatch, seal, stage, startIngest } from './ingest.ts';
import {
  countHolds,
  findOtherReferences,
  isInDoubt,
  makeHistoryReads,
  makePayoutReads,
  readRows,
  takeView,
} from './reads.ts';
import { makeProposalMethods } from './proposals.ts';
import { makeStatementMethods } from './statements.ts';
import { findStop, liftHalt, type MemoryStore, moveRow, requireBatch, rowsOfBatch } from './store.ts';

interface BulkMove {
  readonly batchId: string;
  readonly from: readonly Payout['status'][];
  readonly cause: PayoutCause;
  readonly nowMs: number;
  readonly detail: object;
  /** What a row becomes; undefined leaves it. */
  readonly become: (payout: Payout) => Payout | undefined;
}

function moveAll(store: MemoryStore, { batchId, from, cause, nowMs, detail, become }: BulkMove): number {
  let moved = 0;
  for (const row of rowsOfBatch(store, batchId)) {
    const after = from.includes(row.payout.status) ? become(row.payout) : undefined;
    if (after === undefined) continue;
    if (!canMovePayout(row.payout.status, after.status, cause)) throw new Error(`no such move: ${cause}`);
    moveRow(store, { row, after, cause, atMs: nowMs, detail: JSON.stringify(detail) });
    moved += 1;
  }
  return moved;
}

function makeBulkMoves(store: MemoryStore) {
  return {
    holdReady: async (batchId, hold, why, nowMs) =>
      moveAll(store, {
        batchId,
        from: ['ready'],
        cause: 'hold-added',
        nowMs,
        detail: { hold, ...stopInEnglish(why) },
        become: (payout) => {
          const { code: reasonCode, reason } = why;
          return { ...payout, status: 'held', holds: [...payout.holds, hold], reasonCode, reason };
        },
      }),
    // No batch of it needs an approval.
    holdUnapproved: async () => 0,
    liftHolds: async (batchId, lifted, nowMs) =>
      moveAll(store, {
        batchId,
        from: ['held'],
        cause: 'hold-lifted',
        nowMs,
        detail: { lifted },
        become: (payout) => {
          const holds = payout.holds.filter((hold) => !lifted.includes(hold));
          if (holds.length === payout.holds.length) return undefined;
          if (holds.length > 0) return { ...payout, holds };
          return { ...payout, status: 'ready', holds, reasonCode: null, reason: null };
        },
      }),
    releaseLikeFile: async (batchId, nowMs) =>
      moveAll(store, {
        batchId,
        from: ['held'],
        cause: 'hold-lifted',
        nowMs,
        detail: { lifted: ['similar'], by: 'people' },
        become: (payout) => {
          const { like, other } = likeFileCodes;
          const isOfFile = payout.reasonCode === like || payout.reasonCode === other;
          if (!isOfFile || !payout.holds.includes('similar')) return undefined;
          const holds = payout.holds.filter((hold) => hold !== 'similar');
          const acceptedHolds: Payout['acceptedHolds'] =
            payout.reasonCode === like
              ? [...new Set([...payout.acceptedHolds, 'similar' as const])]
              : payout.acceptedHolds;
          const status = holds.length === 0 ? 'ready' : 'held';
          return { ...payout, status, holds, acceptedHolds, reasonCode: null, reason: null };
        },
      }),
    cancelUnsent: async (batchId, nowMs) =>
      moveAll(store, {
        batchId,
        from: ['ready', 'held'],
        cause: 'cancelled',
        nowMs,
        detail: {},
        become: (payout) => (payout.attemptNo > 0 ? undefined : cancelledOf(payout, nowMs)),
      }),
  } satisfies Partial<Journal>;
}

const cancelledOf = (payout: Payout, nowMs: number): Payout => ({
  ...payout,
  status: 'cancelled',
  holds: [],
  reasonCode: 'cancelled',
  reason: verbatim('cancelled by a person before it was sent'),
  settledAtMs: nowMs,
  settledBy: 'decision',
});

function moveBatch(
  store: MemoryStore,
  ...[batchId, to, why, nowMs, seen]: Parameters<Journal['moveBatch']>
): boolean {
  if (to === 'ingesting' || to === 'sealed' || to === 'rejected')
    throw new Error(`a batch becomes ${to} only when its file is read`);
  const batch = store.batches.get(batchId);
  if (batch === undefined) return false;
  const from = store.haltedWithPayer.has(batchId) ? 'paused' : batch.status;
  if (!canMoveBatch(from, to)) return false;
  if (seen && (seen.status !== batch.status || seen.reasonCode !== batch.reasonCode)) return false;
  const reason = { reasonCode: why?.code ?? null, reason: why?.reason ?? null, remedy: why?.remedy ?? null };
  const restedAtMs = to === 'running' ? batch.restedAtMs : nowMs;
  store.batches.set(batchId, { ...batch, ...reason, status: to, restedAtMs });
  store.haltedWithPayer.delete(batchId);
  return true;
}

function haltWithPayer(store: MemoryStore, batchId: string, nowMs: number): BatchReason | undefined {
  const batch = store.batches.get(batchId);
  const halt = batch && findStop(store, batch.companyId, batch.payerAccount);
  if (halt === undefined || (batch?.status !== 'running' && batch?.status !== 'paused')) return undefined;
  const { code, reason, remedy } = halt;
  const halted = { ...batch, status: 'halted', reasonCode: code, reason, remedy } as const;
  store.batches.set(batchId, { ...halted, restedAtMs: nowMs });
  store.haltedWithPayer.set(batchId, payerKeyOf(batch));
  return { code, reason, remedy };
}

function newestFirst(store: MemoryStore): Batch[] {
  return [...store.batches.values()]
    .toReversed()
    .toSorted((one, other) => other.startedAtMs - one.startedAtMs);
}

function makeBatchMethods(store: MemoryStore) {
  return {
    batches: async () => newestFirst(store),
    batch: async (batchId) => store.batches.get(batchId),
    startIngest: async (start) => startIngest(store, start),
    stage: async (batchId, rows) => stage(store, batchId, rows),
    seal: async (batchId, totals, nowMs, likeFileDays) => seal(store, batchId, totals, nowMs, likeFileDays),
    rejectBatch: async (batchId, code, reason, nowMs) => rejectBatch(store, batchId, code, reason, nowMs),
    moveBatch: async (...asked) => moveBatch(store, ...asked),
    haltWithPayer: async (batchId, nowMs) => haltWithPayer(store, batchId, nowMs),
    renewAge: async (batchId, nowMs) => {
      store.batches.set(batchId, { ...requireBatch(store, batchId), ageFromMs: nowMs });
    },
    movePayer: async (batchId, payerAccount) => {
      const batch = store.batches.get(batchId);
      if (batch === undefined || rowsOfBatch(store, batchId).some(isInDoubt)) return false;
      store.batches.set(batchId, { ...batch, payerAccount });
      return true;
    },
    takeBackApproval: async () => {
      throw new Error('the simulation asks for no signatures');
    },
    readSeal: async (batchId) => readSeal(store, batchId),
    keepSeal: async () => {},
    totals: async (batchId) => countTotals(rowsOfBatch(store, batchId)),
    holdTotals: async (batchId) => countHolds(rowsOfBatch(store, batchId)),
  } satisfies Partial<Journal>;
}

function makeLineMethods(store: MemoryStore) {
  return {
    payerHalt: async (companyId, payerAccount) => {
      const found = findStop(store, companyId, payerAccount);
      if (found === undefined) return undefined;
      const { liftedAtMs: _liftedAtMs, ...stop } = found;
      return stop;
    },
    recordPayerHalt: async (stop) => {
      if (findStop(store, stop.companyId, stop.payerAccount) !== undefined) return;
      store.lineStops.push({ ...stop, liftedAtMs: null });
    },
    liftPayerHalt: async (companyId, payerAccount, nowMs) => {
      return liftHalt(store, companyId, payerAccount, nowMs);
    },
    payerPause: async (companyId, payerAccount) => store.linePauses.get(`${companyId} ${payerAccount}`),
    recordPayerPause: async (pause) => {
      store.linePauses.set(`${pause.companyId} ${pause.payerAccount}`, pause);
    },
    clearPayerPause: async (companyId, payerAccount) => {
      store.linePauses.delete(`${companyId} ${payerAccount}`);
    },
    loss: async () => undefined,
    terminals: async () => [],
    reports: async (batchId) =>
      store.reports
        .filter((report) => report.batchId === batchId)
        .toSorted((one, other) => one.number - other.number || (one.kind < other.kind ? -1 : 1)),
    recordReports: async (reports) => {
      const names = new Set(store.reports.map(({ batchId, kind, number }) => `${batchId} ${kind} ${number}`));
      for (const { batchId, kind, number } of reports) {
        const name = `${batchId} ${kind} ${number}`;
        if (names.has(name)) throw new Error(`report ${name} was recorded before`);
        names.add(name);
      }
      store.reports.push(...reports);
    },
  } satisfies Partial<Journal>;
}

/** The journal over a store; several may be open on one. */
export function makeMemoryJournal(store: MemoryStore): SimulatedJournal {
  return {
    ...makeStatementMethods(store),
    ...makeBatchMethods(store),
    ...makePayoutReads(store),
    ...makeBulkMoves(store),
    ...makeLineMethods(store),
    ...makeProposalMethods(store),
    ...makeHistoryReads(store),
    haltedWithPayer: async (payer) =>
      [...store.haltedWithPayer].flatMap(([batchId, key]) =>
        key === payerKeyOf(payer) ? [requireBatch(store, batchId)] : [],
      ),
    apply: async (changes) => {
      for (const change of changes) requireAllowed(change);
      return applyCall(store, changes);
    },
    snapshot: async () => {
      const view = takeView(store);
      return {
        eventSeq: view.latestEventSeq,
        batch: async (batchId) => view.batches.get(batchId),
        totals: async (batchId) => countTotals(rowsOfBatch(view, batchId)),
        holdTotals: async (batchId) => countHolds(rowsOfBatch(view, batchId)),
        otherReferences: async (batchId, days) => findOtherReferences(view, batchId, days),
        resultRows: (batchId, changedSince) => readRows(view, batchId, changedSince),
        [Symbol.asyncDispose]: async () => {},
      };
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
