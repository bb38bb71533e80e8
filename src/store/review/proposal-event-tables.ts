/** The chained history of proposals. */
import type { RowOf } from '../../platform/record-rows.ts';
import type { ProposalEvent } from '../../review/rules/proposal-chain.ts';

export const proposalEventTables = `
-- subject: the proposal. cells: JSON of what names somebody; null once it was erased.
create table proposal_event (
  seq integer primary key,
  subject integer not null references proposal,
  kind text not null,
  at_ms integer not null,
  by_person integer,
  proof text,
  text text not null,
  previous_hash text,
  hash text not null unique check (length(hash) = 64),
  cells text
) strict;
create index proposal_event_of on proposal_event (subject, seq);
create trigger proposal_event_follows before insert on proposal_event
when new.seq is not 1 + (select coalesce(max(seq), 0) from proposal_event)
  or new.previous_hash is not (select hash from proposal_event where subject = new.subject order by seq desc limit 1)
begin
  select raise(abort, 'an event of a proposal follows the one before it');
end;
create trigger proposal_event_never_changes before update on proposal_event
when new.cells is not null or new.seq is not old.seq or new.subject is not old.subject or new.kind is not old.kind
  or new.at_ms is not old.at_ms or new.by_person is not old.by_person or new.proof is not old.proof
  or new.text is not old.text or new.previous_hash is not old.previous_hash or new.hash is not old.hash
begin
  select raise(abort, 'an event of a proposal is never changed');
end;
create trigger proposal_event_never_goes before delete on proposal_event begin
  select raise(abort, 'an event of a proposal is never removed');
end;
`;

/** As statements of Kysely's see it. */
export interface ProposalEventTables {
  proposal_event: RowOf<ProposalEvent>;
}
