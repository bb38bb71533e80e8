/** Owners of waiting items: anyone may take an item and give it back. */
import type { Message } from '../core/message.ts';
import type { Clock } from '../core/ports.ts';
import type { QueueStore } from './ports.ts';
import type { Decider } from './rules/proposal.ts';
import { readOwners, type ReviewNote, whyNotTake } from './rules/queue.ts';

export interface OwnersContext {
  readonly journal: Pick<QueueStore, 'reviewNotes' | 'addReviewNote'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Takes an item or gives it back, and records either. @returns the reason for a refusal; undefined once done */
export async function takeItem(
  { journal, clock }: OwnersContext,
  { kind, key }: { readonly kind: ReviewNote['kind']; readonly key: string },
  what: 'taken' | 'given-back',
  { personId, name: person }: Decider,
): Promise<Message | undefined> {
  const owner = readOwners(await journal.reviewNotes(kind, [key])).get(key);
  const why = whyNotTake(what, owner, { personId });
  if (why !== undefined) return why;
  const note = { kind, key, version: '', what, personId, person, note: '', atMs: clock.now() };
  await journal.addReviewNote(note);
  return undefined;
}
