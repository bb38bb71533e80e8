/** What must hold in the simulated journal at any moment: the same as test/support/store-consistency.ts asks of the file. */
import { claimKey, type MemoryStore, type StoredRow } from './store.ts';

type Check = (row: StoredRow, store: MemoryStore) => boolean;

const is = ({ payout }: StoredRow, ...statuses: readonly string[]): boolean =>
  statuses.includes(payout.status);

const attemptsOf = ({ payout }: StoredRow, store: MemoryStore) => store.attempts.get(payout.seq) ?? [];

function claimOf({ payout, payoutId }: StoredRow, store: MemoryStore) {
  const companyId = store.batches.get(payout.batchId)?.companyId ?? '';
  return payoutId === null ? undefined : store.claims.get(claimKey(companyId, payoutId));
}

/** True where a row contradicts something. */
const contradictions: Readonly<Record<string, Check>> = {
  'a payout whose latest event is another, or says another status': (row, store) => {
    const events = store.events.filter(({ payoutSeq }) => payoutSeq === row.payout.seq);
    const latest = events.at(-1);
    if (latest === undefined) return row.lastEventSeq !== 0;
    return latest.seq !== row.lastEventSeq || latest.to !== row.payout.status;
  },
  'a sealed payout without an event': (row) => row.lastEventSeq === 0 && !is(row, 'staged', 'rejected'),
  'a version that does not count the events': (row, store) =>
    row.payout.version !== 1 + store.events.filter(({ payoutSeq }) => payoutSeq === row.payout.seq).length,
  'a payout that was sent without an attempt': (row, store) =>
    is(row, 'submitted', 'paid', 'failed', 'unresolved') &&
    !attemptsOf(row, store).some(({ attemptNo }) => attemptNo === row.payout.attemptNo),
  'an attempt of a payout that was never sent': (row, store) =>
    attemptsOf(row, store).some(({ attemptNo }) => attemptNo > row.payout.attemptNo),
  'a claim that is not at the number of the last attempt': (row, store) => {
    const rows = [...store.rows.values()].filter(({ payoutId }) => payoutId === row.payoutId);
    const numbers = rows.flatMap((one) => attemptsOf(one, store)).map(({ attemptNo }) => attemptNo);
    const claim = claimOf(row, store);
    return claim !== undefined && claim.attemptsRecorded !== Math.max(0, ...numbers);
  },
  'a claim whose holder has given it back': (row, store) =>
    is(row, 'failed', 'unpayable', 'rejected', 'staged') && claimOf(row, store)?.payoutSeq === row.payout.seq,
  'a live payout that does not hold its claim': (row, store) =>
    is(row, 'ready', 'held', 'submitted', 'paid') && claimOf(row, store)?.payoutSeq !== row.payout.seq,
  'a staged row in a sealed batch, or another in one that is being read': (row, store) => {
    const isReading = store.batches.get(row.payout.batchId)?.status === 'ingesting';
    return !is(row, 'rejected') && is(row, 'staged') !== isReading;
  },
};

export function findMemoryContradictions(store: MemoryStore): string[] {
  const rows = [...store.rows.values()];
  return Object.entries(contradictions).flatMap(([what, isBroken]) => {
    const broken = rows.find((row) => isBroken(row, store));
    return broken === undefined ? [] : [`${what}: row ${broken.payout.seq}`];
  });
}
