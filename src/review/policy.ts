/** The review policy that two admins agreed on. The journal keeps it; later changes of the settings do not alter it. */
import { appendEdit, type PersonContext } from './people.ts';
import type { PersonStore } from './ports.ts';
import { findTwoAdminsSince } from './rules/people.ts';
import type { ReviewPolicy } from './rules/person-request.ts';
import { readAgreed } from './rules/policy.ts';

/** The number of events read at a time. */
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
 * Reads the agreed policy, which applies beside the settings; undefined before there have been two admins. The first
 * settings seen after that count as agreed on.
 * @param said the policy in the present settings
 */
export async function readAgreedPolicy(
  { store, nowMs }: PersonContext,
  said: ReviewPolicy,
): Promise<ReviewPolicy | undefined> {
  for (;;) {
    const { people, latestSeq } = await store.persons();
    if (findTwoAdminsSince(people) === undefined) return undefined;
    const agreed = await findAgreed(store);
    // A setting that is new to the policy counts as agreed on with its value when first read.
    const isWhole = Object.keys(said).every((key) => agreed?.[key] !== undefined);
    if (isWhole) return agreed;
    const facts = { ...said, ...agreed };
    const place = { subject: 0, kind: 'policy-changed', byPerson: null, proof: 'owner' } as const;
    let isFirst = false;
    await appendEdit(store, (kept) => {
      // Another process may have recorded the policy first, with other settings.
      isFirst = kept.latestSeq === latestSeq;
      return isFirst ? { events: [{ ...place, atMs: nowMs, facts, cells: {} }] } : undefined;
    });
    if (isFirst) return facts;
  }
}
