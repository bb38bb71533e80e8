/** The chained history of people, as other writes append to it. */
import { makeRowMapping } from '../../platform/record-rows.ts';
import { chainEvent, type PersonEventDraft } from '../../review/rules/chain.ts';
import { makeSalt } from '../payouts/chain.ts';
import { type Body, change, query, type Reading, selectFirst } from '../statements.ts';

const records = makeRowMapping({ json: ['cells'], own: [] });

/** Returns the number of the latest event of all; 0 before any. */
export function* readLatestPersonSeq(): Reading<number> {
  const latest = query.selectFrom('person_event').select('seq').orderBy('seq', 'desc').limit(1);
  return (yield* selectFirst(latest))?.seq ?? 0;
}

/** Appends the next event of a person; inside the caller's transaction. @returns its number */
export function* appendPersonEvent(draft: PersonEventDraft): Body<number> {
  const seq = (yield* readLatestPersonSeq()) + 1;
  const before = query.selectFrom('person_event').select('hash').where('subject', '=', draft.subject);
  const previous = yield* selectFirst(before.orderBy('seq', 'desc').limit(1));
  const event = chainEvent(draft, seq, previous?.hash ?? null, makeSalt);
  yield* change(query.insertInto('person_event').values(records.toRow(event)));
  return seq;
}

/** Appends a deed of the journal itself, which no person reads; inside the caller's transaction. */
export function* appendJournalFact(
  kind: 'batch-sealed' | 'payer-moved' | 'approval-taken-back' | 'reports-written',
  atMs: number,
  facts: PersonEventDraft['facts'],
  cells: PersonEventDraft['cells'] = {},
): Body<void> {
  yield* appendPersonEvent({ subject: 0, kind, atMs, byPerson: null, proof: null, facts, cells });
}
