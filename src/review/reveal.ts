/** Whole numbers of payees: whoever looks at one is recorded in his own history before he sees it. */
import type { Clock } from '../core/ports.ts';
import { appendEdit } from './people.ts';
import type { PersonStore } from './ports.ts';
import type { EventFacts } from './rules/chain.ts';
import type { ProvedPerson } from './rules/people.ts';

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
