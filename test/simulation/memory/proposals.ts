/** Decisions of people in the simulated journal: the same guards as the real one, but for who checks whom. */
import type { DecisionItem } from '../../../src/core/ports.ts';
import type {
  ApprovalStore,
  Proposal,
  ProposalDraft,
  ProposalItem,
  ProposalStore,
  QueueStore,
} from '../../../src/review/ports.ts';
import { canMoveProposal, type ProposalStatus } from '../../../src/review/rules/proposal.ts';
import {
  type CountedFile,
  GoingOn,
  type LetsGoOn,
  sendsWhatWaits,
} from '../../../src/review/rules/proposal-figures.ts';
import { versionOfPayer } from '../../../src/review/rules/batch-decisions.ts';
import { findStop, liftHalt, type MemoryStore, put, type Undo } from './store.ts';

const itemsOf = ({ items }: MemoryStore, proposalId: number): readonly ProposalItem[] =>
  items.get(proposalId) ?? [];

/** True while an item of an approved proposal is still to be applied. */
const isDecided = (store: MemoryStore, { proposalId, itemNo }: DecisionItem): boolean =>
  store.proposals.get(proposalId)?.status === 'approved' &&
  itemsOf(store, proposalId).some((item) => item.itemNo === itemNo && item.status === 'open');

type End = Pick<ProposalItem, 'status' | 'why'>;

function endWhere(
  store: MemoryStore,
  proposalId: number,
  isMeant: (item: ProposalItem) => boolean,
  end: End,
  undo: Undo = [],
): void {
  const ended = itemsOf(store, proposalId).map((item) =>
    item.status === 'open' && isMeant(item) ? { ...item, ...end } : item,
  );
  put(store.items, proposalId, ended, undo);
}

/** Ends an item with the change that was decided. @returns false, with nothing changed, when it is not to be applied */
export function markDecided(store: MemoryStore, item: DecisionItem, undo: Undo): boolean {
  if (!isDecided(store, item)) return false;
  const applied = { status: 'applied', why: null } as const;
  endWhere(store, item.proposalId, ({ itemNo }) => itemNo === item.itemNo, applied, undo);
  return true;
}

/** Whoever has proposed the correction of a row had a part in what its batch asks for. */
export function keepHand(
  { proposals, hands }: MemoryStore,
  { proposalId }: DecisionItem,
  batchId: string,
  undo: Undo,
): void {
  const makerId = proposals.get(proposalId)?.makerId ?? null;
  const known = hands.get(batchId) ?? [];
  if (makerId !== null && !known.includes(makerId)) put(hands, batchId, [...known, makerId], undo);
}

function findInvolved(store: MemoryStore, proposalId: number): readonly number[] {
  const batchIds = itemsOf(store, proposalId).flatMap(({ kind, key }) => {
    if (kind === 'batch') return key;
    return kind === 'payout' ? (store.rows.get(Number(key))?.payout.batchId ?? []) : [];
  });
  const { decision, figures } = store.proposals.get(proposalId) ?? {};
  if (decision !== undefined && sendsWhatWaits(decision))
    batchIds.push(...(figures?.files ?? []).map(({ batchId }) => batchId));
  return [...new Set(batchIds.flatMap((batchId) => store.hands.get(batchId) ?? []))];
}

const openItems = ({ items }: MemoryStore): readonly ProposalItem[] =>
  [...items.values()].flat().filter(({ status }) => status === 'open');

function add(store: MemoryStore, { targets, maker, ...draft }: ProposalDraft): number {
  const proposalId = store.proposals.size + 1;
  store.proposals.set(proposalId, {
    ...draft,
    proposalId,
    status: draft.people === 1 ? 'approved' : 'proposed',
    makerId: maker.personId,
    maker: maker.name,
    checkerId: null,
    checker: null,
    checkedAtMs: null,
    checkNote: null,
    endedAtMs: null,
    items: targets.length,
  });
  const open = { proposalId, status: 'open', why: null } as const;
  store.items.set(
    proposalId,
    targets.map((target, place) => ({ ...target, ...open, itemNo: place + 1 })),
  );
  return proposalId;
}

/** @returns false when it has moved on since */
function moveFrom(
  store: MemoryStore,
  from: ProposalStatus,
  proposalId: number,
  change: Partial<Proposal>,
): boolean {
  const proposal = store.proposals.get(proposalId);
  if (proposal?.status !== from) return false;
  store.proposals.set(proposalId, { ...proposal, ...change });
  return true;
}

const closed = { status: 'closed', why: null } as const;

/** Whom it has paid before is not asked. */
function countGoingOn(store: MemoryStore, batchId: string, terms: LetsGoOn): CountedFile | undefined {
  const batch = store.batches.get(batchId);
  if (batch === undefined) return undefined;
  const state = { digest: null, approvedDigest: null, approvedPayer: null, versionsDigest: null };
  const counted = new GoingOn({ ...batch, ...state, people: null }, terms);
  for (const [seq, { payout, staged, digest }] of store.rows) {
    if (payout.batchId !== batchId) continue;
    const { amountSatang } = staged;
    counted.add({ ...payout, seq, digest, proxyNo: null, amountSatang, isNewPayee: false });
  }
  return counted.end();
}

/** No batch of it needs an approval. */
const makeApprovals = (store: MemoryStore): ApprovalStore => ({
  approvalOf: async () => undefined,
  approvalFigures: async () => undefined,
  goingOn: async (batchId, terms) => countGoingOn(store, batchId, terms),
  keepUpload: async () => {},
  approveBatch: async () => false,
  approvalsOf: async () => [],
  signers: async () => ({ passkeys: [], events: [] }),
  handsOf: async (batchId) => store.hands.get(batchId) ?? [],
  involvedIn: async (proposalId) => findInvolved(store, proposalId),
});

const makeAccounts = (store: MemoryStore): Pick<QueueStore, 'resumePayer'> => ({
  resumePayer: async ({ proposalId, itemNo }, { companyId, payerAccount }, version, nowMs) => {
    if (!isDecided(store, { proposalId, itemNo })) return false;
    const pause = store.linePauses.get(`${companyId} ${payerAccount}`);
    if (versionOfPayer(findStop(store, companyId, payerAccount), pause) !== version) return false;
    store.linePauses.delete(`${companyId} ${payerAccount}`);
    liftHalt(store, companyId, payerAccount, nowMs);
    endWhere(store, proposalId, (item) => item.itemNo === itemNo, { status: 'applied', why: null });
    return true;
  },
});

export function makeProposalMethods(store: MemoryStore) {
  return {
    ...makeApprovals(store),
    ...makeAccounts(store),
    proposal: async (proposalId) => store.proposals.get(proposalId),
    proposals: async (statuses, beforeId, limit) =>
      [...store.proposals.values()]
        .filter(({ status, proposalId }) => statuses.includes(status) && proposalId < beforeId)
        .toReversed()
        .slice(0, limit),
    // It keeps no chain of them.
    proposalEvents: async () => [],
    proposalItems: async (proposalId, afterItemNo, limit) =>
      itemsOf(store, proposalId)
        .filter(({ itemNo }) => itemNo > afterItemNo)
        .slice(0, limit),
    openItems: async (kind, keys) =>
      openItems(store).filter((item) => item.kind === kind && keys.includes(item.key)),
    addProposals: async (drafts) => {
      for (const { kind, key } of drafts.flatMap(({ targets }) => targets)) {
        const other = openItems(store).find((item) => item.kind === kind && item.key === key);
        if (other !== undefined) return { clash: { kind, key }, proposalId: other.proposalId };
      }
      return drafts.map((draft) => add(store, draft));
    },
    sentBack: async (sinceMs, limit) => {
      const isAnswered = ({ proposalId }: Proposal): boolean => {
        const [first] = itemsOf(store, proposalId);
        const later = [...store.items.values()].flat().filter((item) => item.proposalId > proposalId);
        return later.some(({ kind, key }) => kind === first?.kind && key === first.key);
      };
      return [...store.proposals.values()]
        .filter(({ status, checkedAtMs }) => status === 'sent-back' && (checkedAtMs ?? 0) >= sinceMs)
        .filter((proposal) => !isAnswered(proposal))
        .toReversed()
        .slice(0, limit);
    },
    moveProposal: async (proposalId, { to, by, note, nowMs }) => {
      if (!canMoveProposal('proposed', to)) throw new Error(`no proposal becomes ${to} when it is checked`);
      const checked = { checkerId: by?.personId ?? null, checker: by?.name ?? null, checkedAtMs: nowMs };
      const ended = to === 'approved' ? {} : { endedAtMs: nowMs };
      const change = { status: to, ...checked, checkNote: note, ...ended };
      if (!moveFrom(store, 'proposed', proposalId, change)) return false;
      if (to !== 'approved') endWhere(store, proposalId, () => true, closed);
      return true;
    },
    endItem: async (proposalId, itemNo, status, why) => {
      if (!isDecided(store, { proposalId, itemNo })) return false;
      endWhere(store, proposalId, (item) => item.itemNo === itemNo, { status, why });
      return true;
    },
    endProposal: async (proposalId, nowMs) => {
      const items = itemsOf(store, proposalId);
      if (items.some(({ status }) => status === 'open')) return undefined;
      const status = items.some((item) => item.status === 'applied') ? 'applied' : 'stale';
      return moveFrom(store, 'approved', proposalId, { status, endedAtMs: nowMs }) ? status : undefined;
    },
    expireProposals: async (nowMs) => {
      const due = [...store.proposals.values()].filter(
        ({ status, expiresAtMs }) => status === 'proposed' && expiresAtMs <= nowMs,
      );
      for (const { proposalId } of due) {
        moveFrom(store, 'proposed', proposalId, { status: 'expired', endedAtMs: nowMs });
        endWhere(store, proposalId, () => true, closed);
      }
      return due.map(({ proposalId }) => proposalId);
    },
  } satisfies ProposalStore & ApprovalStore & Pick<QueueStore, 'resumePayer'>;
}
