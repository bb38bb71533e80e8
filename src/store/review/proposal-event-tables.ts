/** The chained history of proposals. */
import type { RowOf } from '../../platform/record-rows.ts';
import type { ProposalEvent } from '../../review/rules/proposal-chain.ts';

/** As statements of Kysely's see it. */
export interface ProposalEventTables {
  proposal_event: RowOf<ProposalEvent>;
}
