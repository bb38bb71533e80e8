/** The journal of most runs: in memory, so that a run takes a millisecond. */
import { formatBaht, toSatang } from '../../../src/core/money.ts';
import type { Dice } from '../../support/dice.ts';
import type { DiskView } from '../disk-view.ts';
import type { SeenProposal } from '../decisions/judge.ts';
import type { Disk } from '../disk.ts';
import { findMemoryContradictions } from './contradictions.ts';
import { makeMemoryJournal } from './journal.ts';
import { isStopped, makeMemoryStore, type MemoryStore, requireBatch, requireRow } from './store.ts';

/** A disk with a journal, and ways to look at it. */
export interface SimulatedDisk extends Disk {
  readonly view: DiskView;
  /** Somebody changes the amount of a row that is sealed and not sent. @returns false when there is none */
  editAmount?(dice: Dice): boolean;
  /** What in the journal contradicts itself. */
  findContradictions(): string[] | Promise<string[]>;
  close(): Promise<void>;
}

function showProposal(store: MemoryStore, proposalId: number): SeenProposal | undefined {
  const proposal = store.proposals.get(proposalId);
  return proposal && { ...proposal, items: store.items.get(proposalId) ?? [] };
}

export const makeMemoryDisk = (): SimulatedDisk => makeMemoryDiskOf(makeMemoryStore());

/** The disk of a store that others may work, too. */
export function makeMemoryDiskOf(store: MemoryStore): SimulatedDisk {
  const view: DiskView = {
    attempts: (transRefNo) =>
      (store.references.get(transRefNo) ?? [])
        .flatMap((seq) => (store.attempts.get(seq) ?? []).map((attempt) => ({ ...attempt, seq })))
        .filter(({ order }) => order.transRefNo === transRefNo)
        .toSorted((one, other) => one.attemptNo - other.attemptNo),
    row: (seq) => {
      const { payout, payoutId } = requireRow(store, seq);
      const { batchId, status, attemptNo, holds, instruction, isAlarm } = payout;
      const made = (store.attempts.get(seq) ?? []).map(({ order }) => order.transRefNo);
      const references = [...new Set(made)];
      const isEmpty = (instruction as unknown) === null;
      const amountText = isEmpty ? '' : formatBaht(instruction.amountSatang);
      const proxyNo = isEmpty ? '' : instruction.proxyNo;
      return { seq, batchId, status, attemptNo, holds, references, amountText, proxyNo, payoutId, isAlarm };
    },
    isOpen: (seq) => {
      const { companyId, payerAccount, status } = requireBatch(store, requireRow(store, seq).payout.batchId);
      return status === 'running' && !isStopped(store, companyId, payerAccount);
    },
    proposal: (proposalId) => showProposal(store, proposalId),
    proposals: () => [...store.proposals.keys()].flatMap((one) => showProposal(store, one) ?? []),
    resumes: () => ({
      resumes: [...store.items.values()]
        .flat()
        .filter(
          ({ proposalId, status }) =>
            status === 'applied' && store.proposals.get(proposalId)?.decision === 'resume-payer',
        ).length,
      halts: new Map(
        [...store.batches].map(([batchId, { status }]) => {
          const halt = store.haltedWithPayer.has(batchId) ? 'payer' : 'own';
          return [batchId, status === 'halted' ? halt : 'nothing'];
        }),
      ),
    }),
    eventsAfter: (seq) => {
      const first = store.events.findLastIndex((event) => event.seq <= seq) + 1;
      return first === store.events.length ? [] : store.events.slice(first);
    },
  };
  return {
    journal: makeMemoryJournal(store),
    onWritten: () => {},
    view,
    editAmount: (dice) => {
      const unsent = [...store.rows].filter(([, { payout }]) => ['ready', 'held'].includes(payout.status));
      const [found] = dice.shuffle(unsent);
      if (found === undefined) return false;
      const [seq, row] = found;
      const { instruction } = row.payout;
      const amountSatang = toSatang(instruction.amountSatang * 10n);
      store.rows.set(seq, {
        ...row,
        payout: { ...row.payout, instruction: { ...instruction, amountSatang } },
      });
      return true;
    },
    findContradictions: () => findMemoryContradictions(store),
    close: async () => {},
  };
}
