/** Users, their tokens, sessions and keys; the chained histories of them and of proposals; and the heads of days. */
import type { PersonEvent } from '../../review/rules/chain.ts';
import type { Passkey } from '../../review/rules/passkey.ts';
import type { PersonChange } from '../../review/rules/person-request.ts';
import type { Person, Proof } from '../../review/rules/people.ts';
import type { ProposalEvent } from '../../review/rules/proposal-chain.ts';
import { type Column, counted, flag, integer, text } from './column.ts';
import { areChanged, question, when } from './condition.ts';
import { indexInOrder, neverChanges, neverGoes, refuses, table } from './table.ts';

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

/** `PersonChange`. */
export const personChange = table('person_change', {
  columns: {
    change_id: counted(),
    /** JSON. */
    request: text(),
    status: text<PersonChange['status']>(),
    proposed_by: integer().of('person'),
    proposed_at_ms: integer(),
    seen: text(),
    ended_by: integer().orNull().of('person'),
    ended_at_ms: integer().orNull(),
    why: text().orNull(),
    /** Half of a one-time password, while the change waits. */
    first_half: text().orNull(),
  },
  rules: [
    refuses(
      'person_change_ends_once',
      'update',
      'a change that has ended is never changed',
      when`old.status <> 'waiting'`,
    ),
    neverGoes('a change is never removed'),
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
