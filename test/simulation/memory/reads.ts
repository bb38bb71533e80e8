/** What the simulated journal shows: payouts, attempts, claims, and the rows of a view. */
import { dayMs } from '../../../src/core/bangkok-time.ts';
import { formatBaht, type Satang, sumSatang } from '../../../src/core/money.ts';
import { type Attempt, type HoldReason, type Payout, quietCauses } from '../../../src/core/payout.ts';
import type { ClaimOwner, HoldTotal, OtherReferences, ResultRow } from '../../../src/core/ports.ts';
import { countedDate, countsItsFile, type DayUse } from '../../../src/payout/rules/limits.ts';
import type { HistoryReader, InDoubt, PayoutHistory } from '../../../src/payout/ports.ts';
import { likeFileCodes, mayBePaidStatuses } from '../../../src/payout/rules/similar.ts';
import type { Journal } from '../../../src/store/store.ts';
import { claimKey, findPlaces, requireBatch, requireRow, rowsOfBatch, similarKey } from './store.ts';
import type { MemoryStore, StoredRow } from './store.ts';

export const isInDoubt = ({ payout }: StoredRow): boolean =>
  payout.status === 'submitted' || payout.status === 'unresolved';

function inBatch(store: MemoryStore, batchId: string | undefined): StoredRow[] {
  return batchId === undefined ? [...store.rows.values()] : rowsOfBatch(store, batchId);
}

/** The attempt that is in doubt: one that came alive again, else the latest. */
function withAttempt(store: MemoryStore, { payout }: StoredRow): InDoubt {
  const attempts = (store.attempts.get(payout.seq) ?? []).filter(({ status }) => status !== 'paid');
  const alive =
    payout.status === 'unresolved' ? attempts.findLast(({ status }) => status === 'unresolved') : undefined;
  const attempt = alive ?? attempts.at(-1);
  if (attempt === undefined) throw new Error(`payout ${payout.seq} is ${payout.status} without an attempt`);
  return { payout, attempt };
}

/** Rows whose latest attempt is to be inquired, the earliest first. */
function toInquire(store: MemoryStore, batchId: string | undefined): { row: StoredRow; atMs: number }[] {
  const due = inBatch(store, batchId).flatMap((row) => {
    if (row.payout.status !== 'submitted' && row.payout.status !== 'paid') return [];
    const latest = store.attempts.get(row.payout.seq)?.find((one) => one.attemptNo === row.payout.attemptNo);
    return latest === undefined || latest.nextInquiryAtMs === null
      ? []
      : [{ row, atMs: latest.nextInquiryAtMs }];
  });
  return due.length < 2 ? due : due.toSorted((one, other) => one.atMs - other.atMs);
}

function shownAttempt(attempts: readonly Attempt[], payout: Payout): Attempt | undefined {
  const paid = payout.status === 'paid' ? attempts.findLast(({ status }) => status === 'paid') : undefined;
  return paid ?? attempts.find(({ attemptNo }) => attemptNo === payout.attemptNo);
}

function toResultRow(store: MemoryStore, { staged, payout, issues }: StoredRow): ResultRow {
  const attempt = shownAttempt(store.attempts.get(payout.seq) ?? [], payout);
  const { line, cells, amountSatang, extras } = staged;
  const { batchId: _batchId, acceptedHolds: _acceptedHolds, ...state } = payout;
  return {
    ...state,
    line,
    cells,
    amountSatang,
    extras,
    issues,
    attemptNo: attempt?.attemptNo ?? payout.attemptNo,
    transRefNo: attempt?.order.transRefNo ?? null,
    sysRefNo: attempt?.sysRefNo ?? null,
    feeText: attempt?.feeText ?? null,
  };
}

function findHistory(store: MemoryStore, row: StoredRow): PayoutHistory {
  const { seq, batchId } = row.payout;
  const events = store.events
    .filter(({ payoutSeq }) => payoutSeq === seq)
    .map((event) => ({ ...event, detail: JSON.parse(event.detail) as Record<string, unknown> }));
  const attempts = store.attempts.get(seq) ?? [];
  return { row: toResultRow(store, row), batch: requireBatch(store, batchId), attempts, events };
}

const isOfFile = ({ holds, reasonCode }: Payout): boolean =>
  holds.includes('similar') && Object.values<string | null>(likeFileCodes).includes(reasonCode);

export function countHolds(rows: readonly StoredRow[]): HoldTotal[] {
  const totals = new Map<HoldReason, number>();
  for (const { payout } of rows) {
    for (const hold of payout.holds) totals.set(hold, (totals.get(hold) ?? 0) + 1);
  }
  const ofFile = rows.filter(({ payout }) => isOfFile(payout)).length;
  return [...totals].map(([hold, count]) =>
    hold === 'similar' && count === ofFile ? { hold, rows: count, isOfFile: true } : { hold, rows: count },
  );
}

export function takeView(store: MemoryStore): MemoryStore {
  const { batches, rows, rowsOf, attempts, statements } = store;
  const copies = { batches: new Map(batches), rows: new Map(rows), rowsOf: new Map(rowsOf) };
  return {
    ...store,
    ...copies,
    attempts: new Map(attempts),
    events: [...store.events],
    statements: { ...statements },
  };
}

function isNews(store: MemoryStore, row: StoredRow, changedSince: number): boolean {
  if (row.lastEventSeq <= changedSince) return false;
  return store.events.some(
    (event) =>
      event.payoutSeq === row.payout.seq && event.seq > changedSince && !quietCauses.includes(event.cause),
  );
}

const pageRows = 500;

export async function* readRows(
  view: MemoryStore,
  batchId: string,
  since?: number,
): AsyncGenerator<readonly ResultRow[]> {
  const news = rowsOfBatch(view, batchId).filter((row) => since === undefined || isNews(view, row, since));
  for (let from = 0; from < news.length; from += pageRows)
    yield news.slice(from, from + pageRows).map((row) => toResultRow(view, row));
}

/** Who holds a payoutId now. */
function findHolder(
  store: MemoryStore,
  companyId: string,
  payoutId: string,
): (ClaimOwner & { seq: number })[] {
  const seq = store.claims.get(claimKey(companyId, payoutId))?.payoutSeq ?? null;
  if (seq === null) return [];
  const { batchId, rowNo, status } = requireRow(store, seq).payout;
  return [{ seq, payoutId, batchId, rowNo, fileName: requireBatch(store, batchId).fileName, status }];
}

/** Attempts for payoutIds that were tried more than once, whose end nobody waits for any more. */
/** True when a later attempt under the same reference is in doubt: that one is asked about. */
const isDoubtLater = (store: MemoryStore, { order, attemptNo }: Attempt): boolean =>
  (store.references.get(order.transRefNo) ?? [])
    .flatMap((seq) => store.attempts.get(seq) ?? [])
    .some(
      (one) =>
        one.order.transRefNo === order.transRefNo &&
        one.attemptNo > attemptNo &&
        ['recorded', 'sent', 'unresolved'].includes(one.status),
    );

function findSuperseded(
  store: MemoryStore,
  sinceMs: number,
  after: { readonly payoutSeq: number; readonly attemptNo: number },
): InDoubt[] {
  const isAfter = ({ payoutSeq, attemptNo }: Attempt): boolean =>
    payoutSeq > after.payoutSeq || (payoutSeq === after.payoutSeq && attemptNo > after.attemptNo);
  return [...store.rows.values()].flatMap(({ payout, payoutId }) => {
    const { companyId } = requireBatch(store, payout.batchId);
    const recorded = store.claims.get(claimKey(companyId, payoutId ?? ''))?.attemptsRecorded ?? 0;
    if (recorded < 2) return [];
    return (store.attempts.get(payout.seq) ?? [])
      .filter((attempt) => attempt.status !== 'paid' && attempt.sends > 0 && attempt.intentAtMs >= sinceMs)
      .filter(
        ({ attemptNo, nextInquiryAtMs }) =>
          attemptNo < recorded || (payout.status === 'paid' && nextInquiryAtMs === null),
      )
      .filter((attempt) => !isDoubtLater(store, attempt))
      .filter(isAfter)
      .map((attempt) => ({ payout, attempt }));
  });
}

export function findSimilarPayment(
  store: MemoryStore,
  likeness: Parameters<Journal['similarPayment']>[0],
): Awaited<ReturnType<Journal['similarPayment']>> {
  const amountText = formatBaht(likeness.amountSatang);
  const found = [...store.rows.values()]
    .filter(
      ({ payout, payoutId }) => payoutId !== likeness.payoutId && mayBePaidStatuses.includes(payout.status),
    )
    .flatMap((row) => (store.attempts.get(row.payout.seq) ?? []).map((attempt) => ({ row, attempt })))
    .filter(({ attempt: { order, intentAtMs } }) => {
      const isSamePayee = order.proxyNo === likeness.proxyNo && order.proxyType === likeness.proxyType;
      const isSameCompany = order.companyId === likeness.companyId;
      const { reference1 } = likeness;
      const isOtherPayment =
        reference1 !== null && order.reference1 !== null && order.reference1 !== reference1;
      if (isOtherPayment) return false;
      return (
        isSamePayee && isSameCompany && order.amountText === amountText && intentAtMs >= likeness.sinceMs
      );
    })
    .toSorted((one, other) => other.attempt.intentAtMs - one.attempt.intentAtMs)[0];
  if (found === undefined || found.row.payoutId === null) return undefined;
  const { payoutId, payout } = found.row;
  const { batchId, rowNo, status } = payout;
  const { fileName } = requireBatch(store, batchId);
  return { payoutId, batchId, rowNo, fileName, status, submittedAtMs: found.attempt.intentAtMs };
}

/** Rows of a batch that were sent after a like one of another reference1. */
export function findOtherReferences(store: MemoryStore, batchId: string, days: number): OtherReferences {
  const mayBePaid = [...store.rows.values()].flatMap(({ payout, payoutId }) => {
    const attempt = store.attempts.get(payout.seq)?.at(-1);
    const isSent = attempt !== undefined && mayBePaidStatuses.includes(payout.status);
    return isSent ? [{ payout, payoutId, attempt, order: attempt.order }] : [];
  });
  type Sent = (typeof mayBePaid)[number];
  const isLike = (one: Sent, other: Sent): boolean =>
    one.payoutId !== other.payoutId &&
    (['proxyNo', 'amountText', 'proxyType', 'companyId'] as const).every(
      (name) => one.order[name] === other.order[name],
    );
  const isEarlier = (one: Sent, { attempt, payout }: Sent): boolean => {
    const earlierMs = attempt.intentAtMs - one.attempt.intentAtMs;
    return (earlierMs > 0 || (earlierMs === 0 && one.payout.seq < payout.seq)) && earlierMs <= days * dayMs;
  };
  const hasOtherReference = (one: Sent, other: Sent): boolean =>
    one.order.reference1 !== null &&
    other.order.reference1 !== null &&
    one.order.reference1 !== other.order.reference1;
  const found = mayBePaid
    .filter(({ payout }) => days > 0 && payout.batchId === batchId)
    .filter((sent) =>
      mayBePaid.some((one) => isLike(one, sent) && isEarlier(one, sent) && hasOtherReference(one, sent)),
    )
    .map(({ payout }) => payout.rowNo)
    .toSorted((one, other) => one - other);
  return { rows: found.length, firstRowNos: found.slice(0, 5) };
}

/** The payouts that count on a day. */
function countedOn(store: MemoryStore, companyId: string, date: string): readonly Payout[] {
  return [...store.rows.values()]
    .map(({ payout }) => payout)
    .filter((payout) => countedDate(payout) === date)
    .filter(({ batchId }) => requireBatch(store, batchId).companyId === companyId);
}

const sumOf = (payouts: readonly Payout[]): Satang =>
  sumSatang(payouts.map(({ instruction }) => instruction.amountSatang));

export function readDayUse(store: MemoryStore, companyId: string, date: string, batchId: string): DayUse {
  const counted = countedOn(store, companyId, date);
  const files = new Set(counted.filter(countsItsFile).map((payout) => payout.batchId));
  return { satang: sumOf(counted), files: files.size, isFileCounted: files.has(batchId) };
}

export const readPayeeUse = (store: MemoryStore, companyId: string, date: string, proxyNo: string): Satang =>
  sumOf(countedOn(store, companyId, date).filter(({ instruction }) => instruction.proxyNo === proxyNo));

function isPayeeKnown(store: MemoryStore, companyId: string, proxyNo: string): boolean {
  return [...store.rows.values()].some(({ payout: { seq, status } }) => {
    const attempts = status === 'paid' ? (store.attempts.get(seq) ?? []) : [];
    return attempts.some(
      (one) => one.status === 'paid' && one.order.proxyNo === proxyNo && one.order.companyId === companyId,
    );
  });
}

/** The reads of the port about single payouts. */
export function makePayoutReads(store: MemoryStore) {
  return {
    readyPage: async (batchId, afterRowNo, limit) => {
      const { companyId } = requireBatch(store, batchId);
      return rowsOfBatch(store, batchId)
        .filter(({ payout }) => payout.status === 'ready' && payout.rowNo > afterRowNo)
        .slice(0, limit)
        .map(({ payout, digest }) => {
          const claim = store.claims.get(claimKey(companyId, payout.instruction.payoutId));
          return { payout, attemptsRecorded: claim?.attemptsRecorded ?? 0, digest };
        });
    },
    dueInquiries: async (nowMs, limit, batchId, horizonMs = Infinity) => {
      const asked = toInquire(store, batchId);
      const due = asked.filter(({ atMs }) => atMs <= nowMs);
      const beyond = asked.filter(({ atMs }) => atMs > horizonMs);
      return [...due, ...beyond].slice(0, limit).map(({ row }) => withAttempt(store, row));
    },
    nextInquiryAtMs: async (batchId) => toInquire(store, batchId)[0]?.atMs,
    inDoubt: async (afterSeq, limit, batchId) =>
      inBatch(store, batchId)
        .filter((row) => isInDoubt(row) && row.payout.seq > afterSeq)
        .slice(0, limit)
        .map((row) => withAttempt(store, row)),
    countInDoubt: async (status) =>
      [...store.rows.values()].filter(
        (row) => isInDoubt(row) && (status === undefined || row.payout.status === status),
      ).length,
    attemptsOf: async (companyId, payoutId) =>
      findPlaces(store, payoutId)
        .filter(({ payout }) => requireBatch(store, payout.batchId).companyId === companyId)
        .flatMap(({ payout }) => store.attempts.get(payout.seq) ?? [])
        .toSorted((one, other) => one.attemptNo - other.attemptNo),
    payout: async (seq) => {
      const row = store.rows.get(seq);
      return row === undefined || (row.payout.instruction as unknown) === null ? undefined : row.payout;
    },
    findPayouts: async (name) => {
      const sent = (store.references.get(name) ?? []).map((seq) => requireRow(store, seq));
      return [...new Set([...findPlaces(store, name), ...sent])]
        .toSorted((one, other) => other.payout.seq - one.payout.seq)
        .map((row) => findHistory(store, row));
    },
    superseded: async (sinceMs, after, limit) => findSuperseded(store, sinceMs, after).slice(0, limit),
    similarHolders: async (companyId, payoutId) =>
      (store.similar.get(similarKey(companyId, payoutId)) ?? [])
        .filter((other) => other !== payoutId)
        .flatMap((other) => findHolder(store, companyId, other))
        .toSorted((one, other) => one.seq - other.seq)
        .map(({ seq: _seq, ...holder }) => holder),
    claimHolders: async (companyId, payoutIds) =>
      payoutIds
        .flatMap((payoutId) => findHolder(store, companyId, payoutId))
        .map(({ seq: _seq, ...holder }) => holder),
    similarPayment: async (likeness) => findSimilarPayment(store, likeness),
    dayUse: async (...asked) => readDayUse(store, ...asked),
    payeeUse: async (...asked) => readPayeeUse(store, ...asked),
    isPayeeKnown: async (...asked) => isPayeeKnown(store, ...asked),
    // They are added up anew each time.
    countDay: async () => {},
  } satisfies Partial<Journal>;
}

export const makeHistoryReads = (store: MemoryStore): HistoryReader => ({
  history: async (seq) => {
    const row = store.rows.get(seq);
    return row === undefined ? undefined : findHistory(store, row);
  },
});
