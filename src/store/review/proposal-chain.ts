/** The chained history of proposals: each proposal, what others made of it, and how it ended. */
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { ProposalStore } from '../../review/ports.ts';
import { chainEvent, proposalFormat } from '../../review/rules/chain.ts';
import type { ProposalEvent, ProposalEventDraft } from '../../review/rules/proposal-chain.ts';
import { makeSalt } from '../payouts/chain.ts';
import { type BodiesOf, type Body, change, query, select, selectFirst } from '../statements.ts';

const records = makeRowMapping({ json: ['cells'], own: [] });

const latest = () =>
  query.selectFrom('proposal_event').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1);

/** Appends the next event of a proposal; inside the caller's transaction. */
export function* appendProposalEvent(draft: ProposalEventDraft): Body<void> {
  const seq = ((yield* selectFirst(latest()))?.seq ?? 0) + 1;
  const previous = yield* selectFirst(latest().where('subject', '=', draft.subject));
  const event = chainEvent(draft, seq, previous?.hash ?? null, makeSalt, proposalFormat);
  yield* change(query.insertInto('proposal_event').values(records.toRow(event)));
}

export const proposalEventReads = {
  *proposalEvents(afterSeq, limit) {
    const rows = query.selectFrom('proposal_event').selectAll().where('seq', '>', afterSeq);
    return (yield* select(rows.orderBy('seq').limit(limit))).map((row) =>
      records.toRecord<ProposalEvent>(row),
    );
  },
} satisfies Partial<BodiesOf<ProposalStore>>;
