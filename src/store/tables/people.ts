/**
 * Users, their tokens, sessions and keys; the chained histories of them and of proposals, and the heads of days; and
 * proposals with their checks, signatures and notes.
 */
import { erasedFileName } from '../../evidence/rules/erasure.ts';
import type { ItemStatus } from '../../review/ports.ts';
import type { PersonEvent } from '../../review/rules/chain.ts';
import type { Passkey, PasskeyBackup } from '../../review/rules/passkey.ts';
import type { PersonProposal } from '../../review/rules/person-request.ts';
import type { Person, Proof } from '../../review/rules/people.ts';
import type { ProposalEvent } from '../../review/rules/proposal-chain.ts';
import type { ProposalStatus, TargetKind } from '../../review/rules/proposal.ts';
import type { ReviewNote } from '../../review/rules/queue.ts';
import type { Decision } from '../../review/rules/terms.ts';
import { type Column, counted, flag, integer, text } from './column.ts';
import { areAsBefore, areChanged, areGone, question, when } from './condition.ts';
import { isAboutErased } from './questions.ts';
import { index, indexInOrder, neverChanges, neverGoes, refuses, table, uniqueIndex } from './table.ts';

/** `Person` and `PasswordTries`. */
export const person = table('person', {
  columns: {
    person_id: counted(),
    /** No two names differ by case alone. */
    name_key: text().unique(),
    name: text(),
    display_name: text(),
    role: text<Person['role']>().oneOf('viewer', 'maker', 'checker', 'admin'),
    is_disabled: flag(),
    made_by: integer().orNull().of('person'),
    made_at_ms: integer(),
    handed_by: integer().orNull().of('person'),
    handed_at_ms: integer(),
    confirmed_by: integer().orNull().of('person'),
    admin_since_ms: integer().orNull(),
    stands_since_ms: integer(),
    last_sign_in_at_ms: integer().orNull(),
    password_hash: text().usually(''),
    /** The password is a one-time one. */
    must_change: flag().usually(1),
    failed_tries: integer().usually(0),
    locked_until_ms: integer().usually(0),
  },
  rules: [neverGoes('a person is never removed')],
});

/** `PersonToken`. */
export const personToken = table('person_token', {
  columns: {
    token_id: counted(),
    person_id: integer().of('person'),
    token_hash: text().unique().ofLength(64),
    label: text(),
    made_at_ms: integer(),
    expires_at_ms: integer(),
    revoked_at_ms: integer().orNull(),
    last_used_at_ms: integer().orNull(),
  },
  rules: [
    neverGoes('a token is never removed'),
    refuses(
      'person_token_stays_revoked',
      'update',
      'a token that was revoked stays so',
      when`(old.revoked_at_ms is not null and ${areChanged('revoked_at_ms')})
        or ${areChanged('token_hash, person_id, expires_at_ms')}`,
    ),
  ],
});

/** Sessions on the page. */
export const personSession = table('person_session', {
  columns: {
    session_hash: text().key().ofLength(64),
    person_id: integer().of('person'),
    role: text<Person['role']>(),
    made_at_ms: integer(),
    used_at_ms: integer(),
  },
});

/** Keys by which people sign approvals: `Passkey`. Bytes are base64url. */
export const passkey = table('passkey', {
  columns: {
    credential_id: text().key(),
    person_id: integer().of('person'),
    label: text(),
    public_key: text(),
    cose_key: text(),
    key_hash: text().unique().ofLength(64),
    rp_id: text(),
    origin: text(),
    backup: text<Passkey['backup']>().oneOf('none', 'possible', 'done'),
    /** JSON. */
    transports: text(),
    sign_count: integer(),
    enrolled_at_ms: integer(),
    /** JSON. */
    confirmed_by: text().orNull(),
    confirmed_at_ms: integer().orNull(),
    revoked_by: integer().orNull().of('person'),
    revoked_at_ms: integer().orNull(),
    last_used_at_ms: integer().orNull(),
  },
  rules: [
    neverGoes('a passkey is never removed'),
    refuses(
      'passkey_stays',
      'update',
      'a passkey is what it was when it was enrolled, and one that was revoked stays so',
      when`${areChanged('credential_id, person_id, public_key, cose_key, key_hash, rp_id, origin, enrolled_at_ms')}
        or (old.confirmed_at_ms is not null and ${areChanged('confirmed_at_ms, confirmed_by')})
        or (old.revoked_at_ms is not null and ${areChanged('revoked_at_ms, revoked_by')})`,
    ),
  ],
});

/**
 * A history whose events are chained, each over the one before it of the same subject. Nothing of it is changed or removed,
 * but the cells that name a person.
 * @param whose in words: "a person"
 */
function chainedHistory<const Name extends string, Kind extends string>(
  name: Name,
  subject: Column<number>,
  whose: string,
) {
  const follows = question(
    `follows_${name}`,
    ['integer', 'integer', 'text'],
    (
      seq,
      ofSubject,
      previous,
    ) => when`${seq} = 1 + (select coalesce(max(seq), 0) from ${name}) and ${previous} is not distinct from
      (select hash from ${name} where subject = ${ofSubject} order by seq desc limit 1)`,
  );
  return table(name, {
    columns: {
      seq: integer().key(),
      subject,
      kind: text<Kind>(),
      at_ms: integer(),
      by_person: integer().orNull(),
      proof: text<Proof>().orNull(),
      text: text(),
      previous_hash: text().orNull(),
      hash: text().unique().ofLength(64),
      /** JSON of what names a person; null once it was erased. */
      cells: text().orNull(),
    },
    indexes: [indexInOrder(`${name}_of`, 'subject')],
    rules: [
      refuses(
        `${name}_follows`,
        'insert',
        `an event of ${whose} follows the one before it`,
        when`${follows('new.seq', 'new.subject', 'new.previous_hash')} is not true`,
      ),
      neverChanges(
        `an event of ${whose} is never changed`,
        when`new.cells is not null
          or ${areChanged('seq, subject, kind, at_ms, by_person, proof, text, previous_hash, hash')}`,
      ),
      neverGoes(`an event of ${whose} is never removed`),
    ],
  });
}

/** Its subject is a person, or 0. */
export const personEvent = chainedHistory<'person_event', PersonEvent['kind']>(
  'person_event',
  integer(),
  'a person',
);

export const proposalEvent = chainedHistory<'proposal_event', ProposalEvent['kind']>(
  'proposal_event',
  integer().of('proposal'),
  'a proposal',
);

const followsHead = question(
  'follows_day_head',
  ['integer', 'text'],
  (number, date) => when`${number} = 1 + (select coalesce(max(number), 0) from day_head)
    and not exists (select 1 from day_head where date >= ${date})`,
);

/** Heads of days: one row for each day that had events, for ever. */
export const dayHead = table('day_head', {
  columns: {
    number: integer().key(),
    date: text().unique(),
    text: text(),
    hash: text().unique().ofLength(64),
    is_published: flag(),
  },
  rules: [
    refuses(
      'day_head_follows',
      'insert',
      'a head of a day follows the one before it',
      when`${followsHead('new.number', 'new.date')} is not true`,
    ),
    refuses(
      'day_head_never_changes',
      'update of number, date, text, hash',
      'a head of a day is never changed',
    ),
    neverGoes('a head of a day is never removed'),
  ],
});

const proposed = 'what was proposed is never changed';

const isProposalAboutErased = question(
  'is_about_erased',
  ['integer'],
  (proposalId) =>
    when`exists (select 1 from proposal_item i where i.proposal_id = ${proposalId} and ${isAboutErased('i.kind', 'i.key')})`,
);

/** A decision or a change of people that was proposed. People are named twice: by number, and as they were called then. */
export const proposal = table('proposal', {
  columns: {
    proposal_id: counted(),
    decision: text<Decision | PersonProposal['decision']>(),
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
    /** JSON: what it lets happen, counted when it was made; the request for a change of people. */
    figures: text(),
    /** Half of a one-time password, until the proposal ends. */
    first_half: text().orNull(),
  },
  indexes: [index('proposal_open', 'status, expires_at_ms', `status in ('proposed', 'approved')`)],
  rules: [
    refuses(
      'proposal_keeps_no_half',
      'update',
      'half of a password ends with its proposal',
      when`new.first_half is not null and (new.status <> 'proposed' or ${areChanged('first_half')})`,
    ),
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
    kind: text<TargetKind | 'person'>(),
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
