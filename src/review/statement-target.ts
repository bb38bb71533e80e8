/** A day's statement as a target: once decided, it is reconciled with the very bytes that were examined. */
import { isMessage, type Message, message } from '../core/message.ts';
import { zeroSatang } from '../core/money.ts';
import { provenanceOfDecided } from '../reconcile/rules/custody.ts';
import { type Examined, noResources, type ReviewContext, type TargetWork } from './context.ts';
import { nothingCounted } from './rules/proposal-figures.ts';
import type { ProposalItem } from './ports.ts';
import type { Target } from './rules/proposal.ts';
import { decideStatement, type KeptStatement, readStatementTarget } from './rules/statement-decisions.ts';

export function makeStatementWork({ journal, statements }: ReviewContext): TargetWork {
  /** Finds the kept statement while the day still has the statement that it was compared with. */
  const find = async (target: Pick<Target, 'key' | 'version'>): Promise<KeptStatement | Message> => {
    const kept = readStatementTarget(target);
    if (kept === undefined) return message('statement.none-named');
    const version = (await journal.statement(kept.date))?.version ?? 0;
    return version === kept.present
      ? kept
      : message('statement.other-version', { version, version2: kept.present });
  };
  /** Tells whether the statement was taken for this item, by a process that was killed before it ended the item. */
  const isTaken = async ({ proposalId, key }: ProposalItem): Promise<boolean> =>
    (await journal.statement(key))?.provenance.proposal === proposalId;
  return {
    ...noResources,
    async examine(decision, target): Promise<Examined> {
      if (statements === undefined) return message('statement.not-here');
      const kept = await find(target);
      if (isMessage(kept)) return kept;
      const inspected = await statements.inspect(kept);
      if (isMessage(inspected)) return inspected;
      const why = decideStatement(decision, kept, inspected.refusal);
      const amountSatang = inspected.totals?.amountSatang ?? zeroSatang;
      return why ?? { amountSatang, figures: nothingCounted };
    },
    async apply(proposal, item) {
      // The item waits for a process that can reconcile.
      if (item.status !== 'open' || statements === undefined) return;
      const { proposalId, itemNo } = item;
      const end = async (why: Message | undefined): Promise<void> => {
        await journal.endItem(proposalId, itemNo, why === undefined ? 'applied' : 'refused', why ?? null);
      };
      if (await isTaken(item)) return end(undefined);
      const kept = await find(item);
      if (isMessage(kept)) return end(kept);
      const isForced = proposal.decision === 'accept-statement';
      const provenance = provenanceOfDecided(kept.from, isForced, proposal);
      const taken = await statements.reconcile(kept, provenance);
      if (taken.kind !== 'overtaken') await end(taken.kind === 'refused' ? taken.why : undefined);
    },
  };
}
