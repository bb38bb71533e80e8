/** Whole numbers of payees: whoever looks at one is recorded in his own history before he sees it. */
import type { Clock } from '../core/ports.ts';
import { maskDigits } from '../core/proxy-id.ts';
import type { SearchReach } from '../payout/rules/search.ts';
import { appendEdit } from './people.ts';
import type { PersonStore } from './ports.ts';
import type { EventFacts } from './rules/chain.ts';
import { can, type ProvedPerson } from './rules/people.ts';

/** @param what was looked at, such as `row 3 of batch 0123456789`; it names nobody */
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

/** How far a person's search for a whole number reaches; with the right to see one it is recorded before the search. */
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
