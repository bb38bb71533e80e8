/** The tables of decisions that were proposed. */
import type { Generated } from 'kysely';
import type { ItemStatus } from '../../review/ports.ts';
import type { ProposalStatus, TargetKind } from '../../review/rules/proposal.ts';
import type { Decision } from '../../review/rules/terms.ts';

/** People are named twice: by number, and as they were called then. */
export const proposalTables = `
create table proposal (
  proposal_id integer primary key,
  decision text not null,
  status text not null,
  note text not null,
  evidence text,
  maker_id integer,
  maker text not null,
  people integer not null check (people in (1, 2)),
  made_at_ms integer not null,
  expires_at_ms integer not null,
  checker_id integer,
  checker text,
  checked_at_ms integer,
  check_note text,
  ended_at_ms integer,
  items integer not null,
  total_satang text not null,
  digest text not null check (length(digest) = 64)
) strict;
create index proposal_open on proposal (status, expires_at_ms) where status in ('proposed', 'approved');

create table proposal_item (
  proposal_id integer not null references proposal,
  item_no integer not null,
  kind text not null,
  key text not null,
  version text not null,
  correction text,
  status text not null,
  why text,
  primary key (proposal_id, item_no)
) strict, without rowid;
create unique index proposal_item_open on proposal_item (kind, key) where status = 'open';

create trigger proposal_never_goes before delete on proposal begin
  select raise(abort, 'a proposal is never removed');
end;
create trigger proposal_item_never_goes before delete on proposal_item begin
  select raise(abort, 'an item of a proposal is never removed');
end;
create trigger proposal_never_changes before update on proposal
when new.decision is not old.decision or new.note is not old.note or new.evidence is not old.evidence
  or new.maker_id is not old.maker_id or new.people is not old.people or new.items is not old.items
  or new.digest is not old.digest or new.made_at_ms is not old.made_at_ms
  or (old.checked_at_ms is not null and new.checker_id is not old.checker_id)
begin
  select raise(abort, 'what was proposed is never changed');
end;
create trigger proposal_checked_by_another before update of status on proposal
when new.status = 'approved' and new.people > 1
  and (new.checker_id is null or new.maker_id is null or new.checker_id = new.maker_id)
begin
  select raise(abort, 'nobody checks what he has proposed');
end;
create trigger proposal_item_never_changes before update on proposal_item
when new.kind is not old.kind or new.key is not old.key or new.version is not old.version
  or new.correction is not old.correction or old.status <> 'open'
begin
  select raise(abort, 'what was proposed is never changed');
end;

alter table payout add column is_acknowledged integer not null default 0;
`;

/** Why an item is decided so, where that is not what all are decided for. */
export const itemNoteColumn = 'alter table proposal_item add column note text;';

/** A file as evidence, as JSON. */
export const evidenceFileColumn = `
alter table proposal add column evidence_file text;
create trigger proposal_file_never_changes before update on proposal
when new.evidence_file is not old.evidence_file
begin
  select raise(abort, 'what was proposed is never changed');
end;
`;

/** What it lets happen, counted when it was made, as JSON; null of what an older program has proposed. */
export const figuresColumn = `
alter table proposal add column figures text;
create trigger proposal_figures_never_change before update on proposal
when new.figures is not old.figures
begin
  select raise(abort, 'what was proposed is never changed');
end;
`;

/** As statements of Kysely's see them. */
export interface ProposalTables {
  proposal: {
    readonly proposal_id: number;
    readonly decision: Decision;
    readonly status: ProposalStatus;
    readonly note: string;
    readonly evidence: string | null;
    readonly evidence_file: string | null;
    readonly maker_id: number | null;
    readonly maker: string;
    readonly people: 1 | 2;
    readonly made_at_ms: number;
    readonly expires_at_ms: number;
    readonly checker_id: number | null;
    readonly checker: string | null;
    readonly checked_at_ms: number | null;
    readonly check_note: string | null;
    readonly ended_at_ms: number | null;
    readonly items: number;
    readonly total_satang: string;
    readonly figures: string | null;
    readonly digest: string;
  };
  proposal_item: {
    readonly proposal_id: number;
    readonly item_no: number;
    readonly kind: TargetKind;
    readonly key: string;
    readonly version: string;
    /** JSON. */
    readonly correction: string | null;
    readonly note: string | null;
    readonly salt: string | null;
    readonly commitment: Generated<string | null>;
    readonly status: ItemStatus;
    readonly why: string | null;
  };
}
