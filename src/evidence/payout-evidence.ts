/** Collects the whole history of one payout, with everything needed to check it without the journal. */
import type { PayoutHistory, PayoutStore } from '../payout/ports.ts';
import type { StatementStore } from '../reconcile/ports.ts';
import { factsOf } from '../reconcile/rules/types.ts';
import type { AuditReader } from './ports.ts';
import { type DayHead, EventTree, type HeadChain, type ProofStep, readDayHead } from './rules/day-head.ts';
import {
  composeEvidence,
  describeLink,
  type EventProof,
  type EvidenceParts,
  type Numbers,
  type StoredRow,
} from './rules/evidence.ts';

type Journal = Pick<PayoutStore, 'payout'> & Pick<StatementStore, 'openStatementView'>;

interface EvidenceWish extends Pick<EvidenceParts, 'journalId' | 'isSandbox' | 'madeAtMs' | 'madeBy'> {
  readonly numbers: Numbers;
  /** Every row with the payoutId, or the one with the reference. */
  readonly histories: readonly PayoutHistory[];
}

/** @returns the record, as written into a file */
export async function gatherEvidence(
  journal: Journal,
  reader: AuditReader,
  { histories, ...wish }: EvidenceWish,
): Promise<string> {
  const rows: StoredRow[] = [];
  for (const history of histories) rows.push(await readRow(journal, reader, history));
  const keys = {
    payouts: histories.map(({ row }) => String(row.seq)),
    batches: histories.map(({ batch }) => batch.batchId),
  };
  const proposals = await reader.proposalsAbout(keys.payouts, [...new Set(keys.batches)]);
  const ids = new Set(proposals.map(({ proposalId }) => proposalId));
  const links = (await Array.fromAsync(reader.proposalEvents())).filter(({ subject }) => ids.has(subject));
  const wanted = new Map<HeadChain, readonly { readonly seq: number; readonly hash: string | null }[]>([
    ['payouts', rows.flatMap(({ chain }) => chain.events)],
    ['proposals', links],
  ]);
  const proved = await proveEvents(reader, wanted);
  const described = await Array.fromAsync(proposals, async (proposal) => ({
    ...proposal,
    items: (await Array.fromAsync(reader.itemsOf(proposal.proposalId)))
      .filter(({ kind, key }) => (kind === 'payout' ? keys.payouts : keys.batches).includes(key))
      .map(({ correction: _correction, salt: _salt, ...item }) => item),
    history: links.filter(({ subject }) => subject === proposal.proposalId).map(describeLink),
    signatures: await reader.signaturesOf(proposal.proposalId),
  }));
  return composeEvidence({ ...wish, ...proved, rows, proposals: described });
}

async function readRow(journal: Journal, reader: AuditReader, history: PayoutHistory): Promise<StoredRow> {
  const { row, attempts } = history;
  const found = await reader.payout(row.seq);
  if (found === undefined) throw new Error(`the journal has no history of row ${row.rowNo}: audit it`);
  const payout = await journal.payout(row.seq);
  await using view = await journal.openStatementView();
  const facts = payout === undefined ? [] : attempts.map((attempt) => factsOf(payout, attempt));
  const kept = await view.linesOf(
    attempts.map(({ order }) => order.transRefNo),
    facts,
  );
  const lines = attempts
    .flatMap(({ order }) => kept.get(order.transRefNo) ?? [])
    .flatMap(({ date, lines: ofDay }) => ofDay.map((line) => ({ date, line })));
  return { history, ...found, lines };
}

/** The heads that cover these events, and the path from each event to its head. */
async function proveEvents(
  reader: AuditReader,
  wanted: ReadonlyMap<HeadChain, readonly { readonly seq: number; readonly hash: string | null }[]>,
): Promise<Pick<EvidenceParts, 'proofs' | 'heads' | 'withoutHead'>> {
  const proofs: EventProof[] = [];
  const heads: DayHead[] = [];
  for await (const kept of reader.dayHeads()) {
    const head = readDayHead(kept);
    if (head === undefined) continue;
    const ofHead: EventProof[] = [];
    for (const [chain, events] of wanted) ofHead.push(...(await proveUnder(reader, head, chain, events)));
    if (ofHead.length > 0) heads.push(head);
    proofs.push(...ofHead);
  }
  const isProved = (chain: HeadChain, seq: number): boolean =>
    proofs.some((proof) => proof.chain === chain && proof.seq === seq);
  const withoutHead = [...wanted].flatMap(([chain, events]) =>
    events.filter(({ seq }) => !isProved(chain, seq)).map(({ seq }) => ({ chain, seq })),
  );
  return { proofs, heads, withoutHead };
}

async function proveUnder(
  reader: AuditReader,
  head: DayHead,
  chain: HeadChain,
  events: readonly { readonly seq: number }[],
): Promise<readonly EventProof[]> {
  const { after, upTo } = head.stretches[chain];
  const seqs = new Set(events.map(({ seq }) => seq).filter((seq) => seq > after && seq <= upTo));
  if (seqs.size === 0) return [];
  const tree = new EventTree();
  const found: { readonly seq: number; readonly eventHash: string; readonly steps: readonly ProofStep[] }[] =
    [];
  for await (const page of reader.eventHashes(chain, after, upTo))
    for (const { seq, hash } of page) {
      const steps = tree.add(hash ?? '', seqs.has(seq));
      if (seqs.has(seq)) found.push({ seq, eventHash: hash ?? '', steps });
    }
  // The last steps are known once the root is computed.
  tree.root();
  return found.map((one) => ({ chain, ...one, head: head.hash }));
}
