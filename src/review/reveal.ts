/** Shows whole numbers of payees, after recording the look in the viewer's own history. */
import type { Clock } from '../core/ports.ts';
import { maskDigits } from '../core/proxy-id.ts';
import type { SearchReach } from '../payout/rules/search.ts';
import { appendEdit } from './people.ts';
import type { PersonStore } from './ports.ts';
import type { EventFacts } from './rules/chain.ts';
import { can, type ProvedPerson } from './rules/people.ts';

/** @param what the thing looked at, such as `row 3 of batch 0123456789`, without names */
export async function recordReveal(
  store: Pick<PersonStore, 'persons' | 'editPersons'>,
  clock: Pick<Clock, 'now'>,
  { person: { personId }, proof }: ProvedPerson,
  facts: EventFacts & { readonly what: string },
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
  { place, text }: { readonly place: string; readonly text: string },
): Promise<SearchReach> {
  if (!can(by.person, 'reveal').allowed) return 'shown';
  await recordReveal(store, clock, by, {
    what: `the answer of a search of ${place} for ${maskDigits(text)}`,
  });
  return 'whole';
}
