/** What the tables keep of approvals. */
/**
 * How many people a batch needs is set with its seal. The bit of `approval` among the accepted holds says that a row was
 * approved as it is: whoever corrects it, or has it validated anew, takes that away.
 */
export const approvalTables = `
alter table batch add column approval_people integer check (approval_people in (1, 2));
alter table batch add column approved_digest text;
alter table batch add column approved_payer text;

-- Who had a part in what a batch asks for, and approves nothing of it.
create table batch_hand (
  batch_id text not null references batch,
  person_id integer not null,
  part text not null,
  primary key (batch_id, person_id, part)
) strict, without rowid;
create trigger batch_hand_never_goes before delete on batch_hand begin
  select raise(abort, 'who had a part in a batch is never forgotten');
end;
create trigger approval_never_lessened before update of approval_people on batch
when old.approval_people is not null and new.approval_people is not old.approval_people begin
  select raise(abort, 'how many people must approve a batch is never changed');
end;
`;

/** Who has dropped a file is known before there is a batch of it. */
export const handsBeforeBatch = `
drop trigger batch_hand_never_goes;
alter table batch_hand rename to batch_hand_before;
create table batch_hand (
  batch_id text not null,
  person_id integer not null,
  part text not null check (part in ('uploaded', 'corrected')),
  primary key (batch_id, person_id, part)
) strict, without rowid;
insert into batch_hand select batch_id, person_id, part from batch_hand_before;
drop table batch_hand_before;
create trigger batch_hand_never_goes before delete on batch_hand begin
  select raise(abort, 'who had a part in a batch is never forgotten');
end;
create trigger batch_hand_never_changes before update on batch_hand begin
  select raise(abort, 'who had a part in a batch is never changed');
end;
`;

/** A batch that needs no approval when it is sealed may come to need one. */
export const approvalBound = `
alter table batch add column approval_bound_satang text;
alter table batch add column approval_bound_people integer check (approval_bound_people in (1, 2));
create trigger approval_bound_never_changes before update of approval_bound_satang, approval_bound_people on batch
when old.approval_bound_satang is not null and (new.approval_bound_satang is not old.approval_bound_satang
  or new.approval_bound_people is not old.approval_bound_people) begin
  select raise(abort, 'what a batch may come to without an approval is never changed');
end;
`;

/** Rows as they were approved, where the approval is signed: the version that was signed is computed from them anew. */
export const approvedRows = `
create table approved_row (
  batch_id text not null,
  proposal_id integer not null references proposal,
  row_no integer not null,
  amount_satang text not null,
  digest text,
  primary key (batch_id, proposal_id, row_no)
) strict, without rowid;
create trigger approved_row_never_goes before delete on approved_row begin
  select raise(abort, 'what was approved is never forgotten');
end;
create trigger approved_row_never_changes before update on approved_row begin
  select raise(abort, 'what was approved is never changed');
end;
`;

export interface ApprovalTables {
  approved_row: {
    readonly batch_id: string;
    readonly proposal_id: number;
    readonly row_no: number;
    readonly amount_satang: string;
    readonly digest: string | null;
  };
  batch_hand: {
    readonly batch_id: string;
    readonly person_id: number;
    readonly part: 'uploaded' | 'corrected';
  };
}
