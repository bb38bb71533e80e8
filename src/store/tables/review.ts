/** Proposals, their checks, signatures and notes. */
import { erasedFileName } from '../../evidence/rules/erasure.ts';
import type { ItemStatus } from '../../review/ports.ts';
import type { PasskeyBackup } from '../../review/rules/passkey.ts';
import type { ProposalStatus, TargetKind } from '../../review/rules/proposal.ts';
import type { ReviewNote } from '../../review/rules/queue.ts';
import type { Decision } from '../../review/rules/terms.ts';
import { counted, integer, text } from './column.ts';
import { areAsBefore, areChanged, areGone, question, when } from './condition.ts';
import { isAboutErased } from './questions.ts';
import { index, indexInOrder, neverChanges, neverGoes, refuses, table, uniqueIndex } from './table.ts';

const proposed = 'what was proposed is never changed';

const isProposalAboutErased = question(
  'is_about_erased',
  ['integer'],
  (proposalId) =>
    when`exists (select 1 from proposal_item i where i.proposal_id = ${proposalId} and ${isAboutErased('i.kind', 'i.key')})`,
);

/** A decision that was proposed. People are named twice: by number, and as they were called then. */
export const proposal = table('proposal', {
  columns: {
    proposal_id: counted(),
    decision: text<Decision>(),
    status: text<ProposalStatus>(),
    note: text(),
    evidence: text().orNull(),
    maker_id: integer().orNull(),
    maker: text(),
    people: integer<1 | 2>().oneOf(1, 2),
    made_at_ms: integer(),
    expires_at_ms: integer(),
    checker_id: integer().orNull(),
    checker: text().orNull(),
    checked_at_ms: integer().orNull(),
    check_note: text().orNull(),
    ended_at_ms: integer().orNull(),
    items: integer(),
    total_satang: text(),
    digest: text().ofLength(64),
    /** JSON: a file as evidence. What its maker called it may name a payee: by its hash it is found. */
    evidence_file: text().orNull(),
    /** JSON: what it lets happen, counted when it was made. */
    figures: text(),
  },
  indexes: [index('proposal_open', 'status, expires_at_ms', `status in ('proposed', 'approved')`)],
  rules: [
    neverChanges(
      proposed,
      when`${areChanged('decision, maker_id, people, items, digest, made_at_ms')}
        or (old.checked_at_ms is not null and ${areChanged('checker_id')})
        or (${areChanged('note, evidence')}
          and not (new.note = '' and new.evidence is null and old.items = 1 and ${isProposalAboutErased('old.proposal_id')}))`,
    ),
    refuses(
      'proposal_file_never_changes',
      'update',
      proposed,
      when`${areChanged('evidence_file')} and not (old.items = 1 and ${isProposalAboutErased('old.proposal_id')}
        and new.evidence_file is not distinct from json_set(old.evidence_file, '$.name', '${erasedFileName}'))`,
    ),
    refuses('proposal_figures_never_change', 'update', proposed, when`${areChanged('figures')}`),
    refuses(
      'proposal_checked_by_another',
      'update of status',
      'the proposer of a decision cannot check it',
      when`new.status = 'approved' and new.people > 1
        and (new.checker_id is null or new.maker_id is null or new.checker_id = new.maker_id)`,
    ),
    neverGoes('a proposal is never removed'),
  ],
});

const itemCells = 'correction, note, salt, commitment';

export const proposalItem = table('proposal_item', {
  columns: {
    proposal_id: integer().of('proposal'),
    item_no: integer(),
    kind: text<TargetKind>(),
    key: text(),
    version: text(),
    /** JSON. */
    correction: text().orNull(),
    status: text<ItemStatus>(),
    why: text().orNull(),
    /** Why it is decided so, where that is not what all are decided for. */
    note: text().orNull(),
    salt: text().orNull(),
    /** Null until it is erased. */
    commitment: text().orNull(),
  },
  key: ['proposal_id', 'item_no'],
  indexes: [uniqueIndex('proposal_item_open', 'kind, key', `status = 'open'`)],
  rules: [
    neverChanges(
      proposed,
      when`${areChanged('kind, key, version')}
        or (old.status <> 'open' and ${areChanged('status, why')})
        or (${areChanged(itemCells)} and not (${isAboutErased('old.kind', 'old.key')}
          and ${areGone('correction, note, salt')} and new.commitment is not null))
        or (old.status <> 'open' and ${areAsBefore(itemCells)})`,
    ),
    neverGoes('an item of a proposal is never removed'),
  ],
});

/** Notes of people on items of the queue. */
export const reviewNote = table('review_note', {
  columns: {
    seq: counted(),
    kind: text<ReviewNote['kind']>(),
    key: text(),
    version: text(),
    what: text<ReviewNote['what']>().oneOf('taken', 'given-back', 'noted'),
    person_id: integer().orNull(),
    person: text(),
    note: text(),
    at_ms: integer(),
    /** The event of people that records the note. */
    event_seq: integer(),
  },
  indexes: [indexInOrder('review_note_of', 'kind, key')],
  rules: [
    neverChanges(
      'a note is never changed',
      when`not (${isAboutErased('old.kind', 'old.key')} and new.note = ''
        and ${areAsBefore('seq, kind, key, version, what, person_id, person, at_ms, event_seq')})`,
    ),
    neverGoes('a note is never removed'),
  ],
});

/** People who had a part in a batch, and may not approve it: known before the file has a batch. */
export const contributor = table('contributor', {
  columns: {
    batch_id: text(),
    person_id: integer(),
    part: text<'uploaded' | 'corrected'>().oneOf('uploaded', 'corrected'),
  },
  key: ['batch_id', 'person_id', 'part'],
  rules: [
    neverGoes('who had a part in a batch is never forgotten'),
    neverChanges('who had a part in a batch is never changed'),
  ],
});

/** Rows as they were approved, where the approval is signed: the version that was signed is computed from them anew. */
export const approvedRow = table('approved_row', {
  columns: {
    batch_id: text(),
    proposal_id: integer().of('proposal'),
    row_no: integer(),
    amount_satang: text(),
    digest: text().orNull(),
  },
  key: ['batch_id', 'proposal_id', 'row_no'],
  rules: [
    neverGoes('what was approved is never forgotten'),
    neverChanges('what was approved is never changed'),
  ],
});

/** `ApprovalSignature`. Bytes are base64url. */
export const approvalSignature = table('approval_signature', {
  columns: {
    signature_id: counted(),
    proposal_id: integer().of('proposal'),
    person_id: integer().of('person'),
    signed_at_ms: integer(),
    text: text().unique(),
    credential_id: text().of('passkey'),
    public_key: text(),
    authenticator_data: text(),
    client_data_json: text(),
    signature: text(),
    rp_id: text(),
    origin: text(),
    backup: text<PasskeyBackup>(),
    enrolled_by: integer(),
    /** JSON. */
    confirmed_by: text(),
  },
  indexes: [index('approval_signature_of', 'proposal_id')],
  rules: [neverGoes('a signature is never removed'), neverChanges('a signature is never changed')],
});
