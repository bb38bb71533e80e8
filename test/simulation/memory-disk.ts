/** The journal of most runs: in memory, so that a run takes a millisecond. */
import { formatBaht } from '../../src/core/money.ts';
import type { DiskView } from './auditor.ts';
import type { Disk } from './disk.ts';
import { findMemoryContradictions } from './memory-contradictions.ts';
import { makeMemoryJournal } from './memory-journal.ts';
import { isStopped, makeMemoryStore, requireBatch, requireRow } from './memory-store.ts';

/** A disk with a journal, and ways to look at it. */
export interface SimulatedDisk extends Disk {
  readonly view: DiskView;
  /** What in the journal contradicts itself. */
  findContradictions(): string[];
  close(): Promise<void>;
}

export function makeMemoryDisk(): SimulatedDisk {
  const store = makeMemoryStore();
  const view: DiskView = {
    attempt: (transRefNo) => {
      const seq = store.references.get(transRefNo);
      const found = seq === undefined ? undefined : store.attempts.get(seq);
      const attempt = found?.find(({ order }) => order.transRefNo === transRefNo);
      return attempt === undefined || seq === undefined ? undefined : { ...attempt, seq };
    },
    row: (seq) => {
      const { payout } = requireRow(store, seq);
      const { status, attemptNo, holds, instruction } = payout;
      const references = (store.attempts.get(seq) ?? []).map(({ order }) => order.transRefNo);
      const amountText = formatBaht(instruction.amountSatang);
      return { status, attemptNo, holds, references, amountText, proxyNo: instruction.proxyNo };
    },
    isOpen: (seq) => {
      const { companyId, payerAccount, status } = requireBatch(store, requireRow(store, seq).payout.batchId);
      return status === 'running' && !isStopped(store, companyId, payerAccount);
    },
    eventsAfter: (seq) => {
      const first = store.events.findLastIndex((event) => event.seq <= seq) + 1;
      return first === store.events.length ? [] : store.events.slice(first);
    },
  };
  return {
    journal: makeMemoryJournal(store),
    onWritten: () => {},
    view,
    findContradictions: () => findMemoryContradictions(store),
    close: async () => {},
  };
}
