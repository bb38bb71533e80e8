/** The chained history of proposals. */
import type { RowOf } from '../../platform/record-rows.ts';
import type { ProposalEvent } from '../../review/rules/proposal-chain.ts';
import { chainedHistoryTable, chainedHistoryTriggers } from './chained-history.ts';

export const proposalEventTables =
  chainedHistoryTable('proposal_event', 'integer not null references proposal') +
  chainedHistoryTriggers('proposal_event', 'a proposal');

/** As statements of Kysely's see it. */
export interface ProposalEventTables {
  proposal_event: RowOf<ProposalEvent>;
}
