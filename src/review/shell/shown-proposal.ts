/** Proposals with what they are about, in words. */
import { showBaht } from '../../core/figures.ts';
import { inEnglish } from '../../core/message.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { DecisionJournal, DecisionSession } from '../context.ts';
import { describeRow, nameRegistration } from './named-targets.ts';
import type { Proposal, ProposalItem } from '../ports.ts';
import { describeTarget } from '../rules/batch-decisions.ts';
import type { ProposalStatus } from '../rules/proposal.ts';

/** A proposal with what it is about. */
export interface ProposalShown {
  readonly proposal: Proposal;
  readonly items: readonly ShownItem[];
}

interface ShownItem {
  readonly item: ProposalItem;
  readonly where: string;
  /** Payouts: amount, payee and present status. */
  readonly about?: string;
}

const itemsShownMax = 1_000;

/** The latest proposals, in these statuses. @throws SettingsError as `identifyPerson` does */
export async function listProposals(
  session: Pick<DecisionSession, 'journal'>,
  statuses: readonly ProposalStatus[],
  limit: number,
): Promise<readonly Proposal[]> {
  return session.journal.proposals(statuses, Number.MAX_SAFE_INTEGER, limit);
}

/** One proposal with its items; undefined when there is none. */
export async function readProposal(
  { journal }: Pick<DecisionSession, 'journal'>,
  proposalId: number,
): Promise<ProposalShown | undefined> {
  const proposal = await journal.proposal(proposalId);
  if (proposal === undefined) return undefined;
  const items: ShownItem[] = [];
  for (const item of await journal.proposalItems(proposalId, 0, itemsShownMax))
    items.push({ item, ...(await describeItem(journal, item)) });
  return { proposal, items };
}

async function describeItem(
  journal: DecisionJournal,
  { kind, key }: ProposalItem,
): Promise<Omit<ShownItem, 'item'>> {
  if (kind === 'registration') return describeRegistrationItem(journal, Number(key));
  if (kind !== 'payout') return { where: inEnglish(describeTarget(kind, key)) };
  const history = await journal.history(Number(key));
  if (history === undefined) return { where: `row ${key}, in an archive` };
  const { row, batch } = history;
  const amount = row.amountSatang === null ? row.cells.amount : `${showBaht(row.amountSatang)} baht`;
  const payee = maskDigits(row.instruction?.proxyNo ?? row.cells.proxyNo);
  return { where: describeRow(row, batch.batchId), about: `${amount} to ${payee}, now ${row.status}` };
}

async function describeRegistrationItem(
  journal: DecisionJournal,
  seq: number,
): Promise<Omit<ShownItem, 'item'>> {
  const history = await journal.registrationHistory(seq);
  if (history === undefined) return { where: `registration ${seq}` };
  const { row } = history;
  const account = maskDigits(row.currentInstruction?.accountNo ?? row.cells.accountNo);
  return { where: nameRegistration(history).where, about: `account ${account}, now ${row.status}` };
}
