/** The chained history of proposals: what was proposed, what others made of it, and how it ended. */
import type { DatabaseSync } from 'node:sqlite';
import { toSatang } from '../../core/money.ts';
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { ProposalStore } from '../../review/ports.ts';
import { chainEvent, proposalFormat } from '../../review/rules/chain.ts';
import {
  draftProposalEvents,
  type ProposalEvent,
  type ProposalEventDraft,
} from '../../review/rules/proposal-chain.ts';
import { makeSalt } from '../payouts/chain.ts';
import { type BodiesOf, type Body, change, drive, query, select, selectFirst } from '../statements.ts';
import { proposalEventTables } from './proposal-event-tables.ts';

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

type Drafted = Parameters<typeof draftProposalEvents>[0];

/** Chains what an older program has kept of proposals, as it stands; inside the caller's transaction. */
export function addProposalChain(db: DatabaseSync): void {
  db.exec(proposalEventTables);
  for (const row of db.prepare('select * from proposal order by proposal_id').all()) {
    const totalSatang = toSatang(BigInt(String(row['total_satang'])));
    const proposal = { ...records.toRecord<Drafted>(row as never), totalSatang, figures: null };
    for (const draft of draftProposalEvents(proposal)) drive(db, appendProposalEvent(draft));
  }
}
