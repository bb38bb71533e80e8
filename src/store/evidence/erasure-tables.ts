/**
 * Salts beside what is hashed of personal cells, and what may be erased of a row: its own cells, and those of its
 * attempts, versions, events, notes and proposals, once its commitment stands in their place.
 */
import { erasedFileName } from '../../evidence/rules/erasure.ts';

/** @param seq the column with the row's number */
const isErased = (seq: string): string =>
  `exists (select 1 from payout_row e where e.seq = ${seq} and e.commitment is not null)`;

const areAsBefore = (columns: string): string =>
  columns
    .split(' ')
    .map((name) => `new.${name} is old.${name}`)
    .join(' and ');

const areGone = (columns: string): string =>
  columns
    .split(' ')
    .map((name) => `new.${name} is null`)
    .join(' and ');

/** Of a proposal about one row. */
const isAboutErased = `old.items = 1
    and exists (select 1 from proposal_item i where i.proposal_id = old.proposal_id and i.kind = 'payout'
      and ${isErased('cast(i.key as integer)')})`;

/** @param kept columns that stay as the row's file has them */
export const rowNeverChanges = (kept: string): string => `
create trigger payout_row_never_changes before update on payout_row
when not (${areAsBefore(kept)}) or old.commitment is not null
  or (new.commitment is null and (
    not (${areAsBefore('cells extras digest salt')})
    or (old.proxy_type is not null and not exists (
      select 1 from instruction_version v
      where v.payout_seq = old.seq
        and v.version = (select max(version) from instruction_version where payout_seq = old.seq)
        and json_extract(v.instruction, '$.proxyType') is new.proxy_type
        and json_extract(v.instruction, '$.proxyNo') is new.proxy_no
        and json_extract(v.instruction, '$.payeeName') is new.payee_name
        and json_extract(v.instruction, '$.reference1') is new.reference1
        and json_extract(v.instruction, '$.reference2') is new.reference2))))
  or (new.commitment is not null and not (new.cells = '[]'
    and ${areGone('extras proxy_type proxy_no payee_name reference1 reference2 digest salt')}))
begin
  select raise(abort, 'a row as its file has it is never changed');
end;`;

export const erasureTables = `
-- salt: null of what an older program wrote, whose chain follows the digest itself. commitment: null until it is erased.
alter table payout_row add column salt text;
alter table payout_row add column commitment text;
create index payout_row_erased on payout_row (seq) where commitment is not null;
alter table instruction_version add column salt text;
alter table proposal_item add column salt text;
alter table proposal_item add column commitment text;
-- Of the event of people that says the same; null of what an older program wrote.
alter table review_note add column event_seq integer;

drop trigger payout_row_never_changes;
${rowNeverChanges('seq payout_id line')}
drop trigger payee_of_corrected;
create trigger payee_of_corrected after update of proxy_no on payout_row
when old.proxy_no is not null and new.proxy_no is not null
begin
  insert or ignore into payee_place
    select new.proxy_no, amount_satang, seq from payout where seq = new.seq and amount_satang is not null;
end;

drop trigger order_never_changes;
create trigger order_never_changes before update of
  trans_ref_no, channel_id, term_id, company_id, payer_account, tran_date, tran_time, proxy_type, proxy_no, proxy_name,
  amount_text, reference1, reference2, order_hash, intent_at_ms
on attempt
when not (${isErased('old.payout_seq')} and new.proxy_no = '' and ${areGone('proxy_name reference1 reference2')}
  and ${areAsBefore('trans_ref_no channel_id term_id company_id payer_account tran_date tran_time proxy_type amount_text intent_at_ms')})
begin
  select raise(abort, 'what an attempt sends is never changed');
end;

drop trigger instruction_version_never_changes;
create trigger instruction_version_never_changes before update on instruction_version
when not (${isErased('old.payout_seq')} and ${areGone('instruction replaced salt')}
  and ${areAsBefore('id batch_id payout_seq version at_ms')})
begin
  select raise(abort, 'a version of an instruction is never changed');
end;

drop trigger event_never_changes;
create trigger event_never_changes before update on event
when not (${isErased('old.payout_seq')}
  and ${areAsBefore('seq payout_seq from_status to_status cause at_ms attempt_no hash')})
begin
  select raise(abort, 'an event is never changed');
end;

drop trigger proposal_never_changes;
create trigger proposal_never_changes before update on proposal
when not (${areAsBefore('decision maker_id people items digest made_at_ms')})
  or (old.checked_at_ms is not null and new.checker_id is not old.checker_id)
  or (not (${areAsBefore('note evidence')}) and not (new.note = '' and new.evidence is null and ${isAboutErased}))
begin
  select raise(abort, 'what was proposed is never changed');
end;
drop trigger proposal_item_never_changes;
create trigger proposal_item_never_changes before update on proposal_item
when not (${areAsBefore('kind key version')})
  or (old.status <> 'open' and not (${areAsBefore('status why')}))
  or (not (${areAsBefore('correction note salt commitment')}) and not (old.kind = 'payout'
    and ${isErased('cast(old.key as integer)')} and ${areGone('correction note salt')} and new.commitment is not null))
  or (old.status <> 'open' and ${areAsBefore('correction note salt commitment')})
begin
  select raise(abort, 'what was proposed is never changed');
end;

drop trigger review_note_never_changes;
create trigger review_note_never_changes before update on review_note
when not (old.kind = 'payout' and ${isErased('cast(old.key as integer)')} and new.note = ''
  and ${areAsBefore('seq kind key version what person_id person at_ms event_seq')})
begin
  select raise(abort, 'a note is never changed');
end;
`;

/** What its maker called a file may name a payee; by its hash it is found and held against what was kept. */
export const erasableFileName = `
drop trigger proposal_file_never_changes;
create trigger proposal_file_never_changes before update on proposal
when new.evidence_file is not old.evidence_file
  and not (${isAboutErased} and new.evidence_file is json_set(old.evidence_file, '$.name', '${erasedFileName}'))
begin
  select raise(abort, 'what was proposed is never changed');
end;
`;
