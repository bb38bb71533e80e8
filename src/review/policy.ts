/** What two admins have agreed on, in the journal: it holds, whatever the settings say since. */
import { appendEdit, type PersonContext } from './people.ts';
import type { PersonStore } from './ports.ts';
import { findTwoAdminsSince } from './rules/people.ts';
import type { ReviewPolicy } from './rules/person-request.ts';
import { readAgreed } from './rules/policy.ts';

/** Events that are read at a time. */
const pageSize = 1_000;

async function findAgreed(store: Pick<PersonStore, 'personEvents'>): Promise<ReviewPolicy | undefined> {
  let agreed: ReviewPolicy | undefined;
  for (let afterSeq = 0; ;) {
    const page = await store.personEvents(afterSeq, pageSize);
    for (const event of page) agreed = readAgreed(event) ?? agreed;
    if (page.length < pageSize) return agreed;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}

/**
 * What holds besides the settings; undefined before there have been two admins. What the settings said when that was
 * first looked at counts as agreed on.
 * @param said by the settings now
 */
export async function readAgreedPolicy(
  { store, nowMs }: PersonContext,
  said: ReviewPolicy,
): Promise<ReviewPolicy | undefined> {
  for (;;) {
    const { people, latestSeq } = await store.persons();
    if (findTwoAdminsSince(people) === undefined) return undefined;
    const agreed = await findAgreed(store);
    // A key that there was not yet counts as agreed on with what it says when it is first looked at.
    const isWhole = Object.keys(said).every((key) => agreed?.[key] !== undefined);
    if (isWhole) return agreed;
    const facts = { ...said, ...agreed };
    const place = { subject: 0, kind: 'policy-changed', byPerson: null, proof: 'owner' } as const;
    let isFirst = false;
    await appendEdit(store, (kept) => {
      // Somebody else may have been first, with other settings.
      isFirst = kept.latestSeq === latestSeq;
      return isFirst ? { events: [{ ...place, atMs: nowMs, facts, cells: {} }] } : undefined;
    });
    if (isFirst) return facts;
  }
}
