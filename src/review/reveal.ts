/** Shows whole numbers of payees, after recording the look in the viewer's own history. */
import type { Clock } from '../core/ports.ts';
import { maskDigits } from '../core/proxy-id.ts';
import type { SearchReach } from '../payout/rules/search.ts';
import { appendEdit } from './people.ts';
import type { PersonStore } from './ports.ts';
import type { EventFacts } from './rules/chain.ts';
import { can, type ProvedPerson } from './rules/people.ts';
import type { Looked, SearchedPlace } from './rules/person-words.ts';

/** @param facts the thing, and facts for programs */
export async function recordReveal(
  store: Pick<PersonStore, 'persons' | 'editPersons'>,
  clock: Pick<Clock, 'now'>,
  { person: { personId }, proof }: ProvedPerson,
  facts: EventFacts & Looked,
): Promise<void> {
  const by = { subject: personId, byPerson: personId, proof };
  await appendEdit(store, () => ({
    events: [{ ...by, kind: 'revealed', atMs: clock.now(), facts, cells: {} }],
  }));
}

/** The reach of a person's search for a whole number. With the right to see one, the search is recorded first. */
export async function recordSearch(
  store: Pick<PersonStore, 'persons' | 'editPersons'>,
  clock: Pick<Clock, 'now'>,
  by: ProvedPerson,
  { place, text }: { readonly place: SearchedPlace; readonly text: string },
): Promise<SearchReach> {
  if (!can(by.person, 'reveal').allowed) return 'shown';
  await recordReveal(store, clock, by, { what: 'search', place, text: maskDigits(text) });
  return 'whole';
}
