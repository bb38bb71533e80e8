/** The records that the history of people is compared with. */
import { sql } from 'kysely';
import type {
  KeptPerson,
  KeptPersons,
  KeptToken,
  ProposedCorrection,
} from '../../evidence/rules/people-audit.ts';
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { PersonSession } from '../../review/rules/session.ts';
import type { ApprovalSignature } from '../../review/rules/signature.ts';
import { personReads } from '../review/people.ts';
import { isArchivedSeq } from '../schema.ts';
import { query, type Reading, select, textStatement } from '../statements.ts';

const records = makeRowMapping({ json: ['confirmed_by'], own: [] });
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

export function* readKeptPersons(): Reading<KeptPersons> {
  const { changes, passkeys } = yield* personReads.persons();
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
    signatures: (yield* select(signed)).map((row) => records.toRecord<ApprovalSignature>(row)),
    hands: (yield* select(hands)).map((row) => plain.toRecord(row as never)),
    corrections: (yield* select(corrections)).map(({ applied, ...one }) => ({
      ...one,
      isApplied: applied === 1,
    })),
    changes,
    passkeys,
  };
}
