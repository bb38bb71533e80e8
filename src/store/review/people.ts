/** Users and tokens in SQL. The rules have decided the changes before: a change is refused once another came first. */
import { sql } from 'kysely';
import type {
  KeptPerson,
  KeptPersons,
  KeptToken,
  ProposedCorrection,
} from '../../evidence/rules/people-audit.ts';
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { PersonEdit, PersonStore, PersonToken } from '../../review/ports.ts';
import type { PersonEvent } from '../../review/rules/chain.ts';
import type { Passkey } from '../../review/rules/passkey.ts';
import type { Person } from '../../review/rules/people.ts';
import { nameKeyOf } from '../../review/rules/person-request.ts';
import type { PersonSession } from '../../review/rules/session.ts';
import type { ApprovalSignature } from '../../review/rules/signature.ts';
import { isArchivedSeq } from '../schema.ts';
import { endSessionsOf } from './sessions.ts';
import { eraseRow } from '../evidence/erasure.ts';
import {
  type BodiesOf,
  type Body,
  change,
  query,
  type Reading,
  select,
  selectFirst,
  textStatement,
} from '../statements.ts';
import { appendPersonEvent, readLatestPersonSeq } from './person-chain.ts';
import { approveChange } from './proposals.ts';

const secrets = ['name_key', 'password_hash', 'must_change', 'failed_tries', 'token_hash'];
const records = makeRowMapping({ json: ['cells'], own: secrets });
const keyRecords = makeRowMapping({ json: ['transports', 'confirmed_by'], own: [] });

const toPerson = (row: { readonly is_disabled: number }): Person => ({
  ...records.toRecord<Person>(row as never),
  isDisabled: row.is_disabled === 1,
});

/** The latest event of each subject, by an index alone; a subject need be no person that is there. */
const latestOfEach = query
  .selectFrom('person_event')
  .select(['subject', 'seq', 'hash'])
  .where('seq', 'in', ({ selectFrom }) =>
    selectFrom('person_event as l')
      .select(({ fn }) => fn.max<number>('l.seq').as('seq'))
      .groupBy('l.subject'),
  );

export const personReads = {
  *persons() {
    // The number is read first: what is read after it may be newer, and then the edit that is made of it is refused.
    const latestSeq = yield* readLatestPersonSeq();
    const people = yield* select(query.selectFrom('person').selectAll().orderBy('person_id'));
    const tokens = yield* select(query.selectFrom('person_token').selectAll().orderBy('token_id'));
    const passkeys = yield* select(query.selectFrom('passkey').selectAll().orderBy('enrolled_at_ms'));
    return {
      latestSeq,
      passkeys: passkeys.map((row) => keyRecords.toRecord<Passkey>(row)),
      people: people.map(toPerson),
      tokens: tokens.map((row) => records.toRecord<PersonToken>(row)),
      heads: yield* select(latestOfEach),
    };
  },
  *personPassword(nameKey) {
    const row = yield* selectFirst(query.selectFrom('person').selectAll().where('name_key', '=', nameKey));
    if (row === undefined) return undefined;
    const { failed_tries: failedTries, locked_until_ms: lockedUntilMs, password_hash: passwordHash } = row;
    const mustChange = Boolean(row.must_change);
    return { person: toPerson(row), passwordHash, mustChange, failedTries, lockedUntilMs };
  },
  *tokenByHash(tokenHash) {
    const row = yield* selectFirst(
      query.selectFrom('person_token').selectAll().where('token_hash', '=', tokenHash),
    );
    return row && records.toRecord<PersonToken>(row);
  },
  *signaturesOf(proposalId) {
    const rows = query.selectFrom('approval_signature').selectAll().where('proposal_id', '=', proposalId);
    return (yield* select(rows.orderBy('signature_id'))).map((row) =>
      keyRecords.toRecord<ApprovalSignature>(row),
    );
  },
  *personEvents(afterSeq, limit) {
    const rows = query.selectFrom('person_event').selectAll().where('seq', '>', afterSeq);
    const events = yield* select(rows.orderBy('seq').limit(limit));
    return events.map((row) => records.toRecord<PersonEvent>(row));
  },
} satisfies Partial<BodiesOf<PersonStore>>;

/** Writes that are one transaction each. */
export const personWrites = {
  *editPersons(edit) {
    if ((yield* readLatestPersonSeq()) !== edit.afterSeq) return false;
    if (edit.approves !== undefined && !(yield* approveChange(edit.approves))) return false;
    yield* writePerson(edit);
    if (edit.token !== undefined)
      yield* change(query.insertInto('person_token').values(records.toRow(edit.token)));
    yield* revoke(edit.revokes);
    yield* writePasskey(edit);
    for (const event of edit.events)
      yield* change(query.insertInto('person_event').values(records.toRow(event)));
    for (const erased of edit.erases ?? []) yield* eraseRow(erased);
    return true;
  },
  *recordPersonEvent(draft) {
    yield* appendPersonEvent(draft);
  },
  *countTry(personId, before, { failedTries, lockedUntilMs }, lock) {
    const update = query
      .updateTable('person')
      .set({ failed_tries: failedTries, locked_until_ms: lockedUntilMs })
      .where('person_id', '=', personId)
      .where('failed_tries', '=', before.failedTries)
      .where('locked_until_ms', '=', before.lockedUntilMs);
    const isCounted = (yield* change(update)) > 0;
    if (isCounted && lock !== undefined) yield* appendPersonEvent(lock);
    return isCounted;
  },
  *noteSignIn(personId, atMs) {
    const forgiven = { failed_tries: 0, locked_until_ms: 0, last_sign_in_at_ms: atMs };
    yield* change(query.updateTable('person').set(forgiven).where('person_id', '=', personId));
  },
  *noteTokenUse(tokenId, atMs) {
    const used = query.updateTable('person_token').set({ last_used_at_ms: atMs });
    yield* change(used.where('token_id', '=', tokenId));
  },
} satisfies Partial<BodiesOf<PersonStore>>;

function* writePerson({ person, password, forgivesTriesOf }: PersonEdit): Body<void> {
  if (person !== undefined) {
    const { isDisabled, lastSignInAtMs: _signIn, lockedUntilMs: _lock, ...rest } = person;
    const row = { ...records.toRow(rest), is_disabled: Number(isDisabled), name_key: nameKeyOf(person.name) };
    const put = query.insertInto('person').values(row);
    yield* change(put.onConflict((conflict) => conflict.column('person_id').doUpdateSet(row)));
  }
  if (password !== undefined) {
    const { personId, passwordHash, mustChange, endsSessions } = password;
    const set = { password_hash: passwordHash, must_change: Number(mustChange) };
    yield* change(query.updateTable('person').set(set).where('person_id', '=', personId));
    if (endsSessions) yield* endSessionsOf(personId);
  }
  const forgiven = { failed_tries: 0, locked_until_ms: 0 };
  if (forgivesTriesOf !== undefined)
    yield* change(query.updateTable('person').set(forgiven).where('person_id', '=', forgivesTriesOf));
}

function* writePasskey({ passkey, signature }: PersonEdit): Body<void> {
  if (passkey !== undefined) {
    const row = keyRecords.toRow(passkey);
    const put = query.insertInto('passkey').values(row);
    yield* change(put.onConflict((conflict) => conflict.column('credential_id').doUpdateSet(row)));
  }
  if (signature === undefined) return;
  const latest = query
    .selectFrom('approval_signature')
    .select((eb) => eb.fn.max<number | null>('signature_id').as('id'));
  const signatureId = ((yield* selectFirst(latest))?.id ?? 0) + 1;
  yield* change(
    query
      .insertInto('approval_signature')
      .values({ ...keyRecords.toRow(signature), signature_id: signatureId }),
  );
}

function* revoke(revokes: PersonEdit['revokes']): Body<void> {
  if (revokes === undefined) return;
  const update = query
    .updateTable('person_token')
    .set({ revoked_at_ms: revokes.atMs })
    .where('revoked_at_ms', 'is', null);
  yield* change(
    'tokenId' in revokes
      ? update.where('token_id', '=', revokes.tokenId)
      : update.where('person_id', '=', revokes.personId),
  );
}

/** Keeps the secrets, too: an audit compares them. */
const plain = makeRowMapping({ json: [], own: [] });

const seqOfItem = sql<number>`cast(i.key as bigint)`;

/** The corrections of rows of payouts, wherever they stand, and of registrations. */
const corrections = textStatement<Omit<ProposedCorrection, 'isApplied'> & { readonly applied: number }>(sql`
select o.batch_id as "batchId", p.maker_id as "personId",
  case when i.status = 'applied' and p.decision = 'retry-corrected' then 1 else 0 end as applied
from proposal_item i join proposal p on p.proposal_id = i.proposal_id join payout o on o.seq = ${seqOfItem}
where i.kind = 'payout' and p.decision in ('retry-corrected', 'retry') and p.maker_id is not null
union all
select g.batch_id, p.maker_id, 0
from proposal_item i join proposal p on p.proposal_id = i.proposal_id join archived_rows g on ${isArchivedSeq(seqOfItem)}
where i.kind = 'payout' and p.decision in ('retry-corrected', 'retry') and p.maker_id is not null
union all
select o.batch_id, p.maker_id, 0
from proposal_item i join proposal p on p.proposal_id = i.proposal_id join registration o on o.seq = ${seqOfItem}
where i.kind = 'registration' and p.decision in ('retry-corrected', 'retry') and p.maker_id is not null`);

/** Reads what an audit compares with the history of people. */
export function* readKeptPersons(): Reading<KeptPersons> {
  const { passkeys } = yield* personReads.persons();
  const people = yield* select(query.selectFrom('person').selectAll().orderBy('person_id'));
  const tokens = yield* select(query.selectFrom('person_token').selectAll().orderBy('token_id'));
  const sessions = yield* select(query.selectFrom('person_session').selectAll().orderBy('made_at_ms'));
  const signed = query.selectFrom('approval_signature').selectAll().orderBy('signature_id');
  const hands = query.selectFrom('contributor').selectAll().orderBy('batch_id').orderBy('person_id');
  return {
    people: people.map((row) => ({
      ...plain.toRecord<KeptPerson>(row as never),
      isDisabled: row.is_disabled === 1,
      mustChange: row.must_change === 1,
    })),
    tokens: tokens.map((row) => plain.toRecord<KeptToken>(row as never)),
    sessions: sessions.map((row) => plain.toRecord<PersonSession>(row)),
    signatures: (yield* select(signed)).map((row) => keyRecords.toRecord<ApprovalSignature>(row)),
    hands: (yield* select(hands)).map((row) => plain.toRecord(row as never)),
    corrections: (yield* select(corrections)).map(({ applied, ...one }) => ({
      ...one,
      isApplied: applied === 1,
    })),
    passkeys,
  };
}
