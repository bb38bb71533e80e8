/** One decision, as the tests of the review propose it. */
import type { ReviewContext } from '../../src/review/context.ts';
import { decide, type Wish } from '../../src/review/review.ts';
import type { Decider } from '../../src/review/rules/proposal.ts';

/** Why nothing was proposed, or what the proposal has come to. */
export async function propose(context: ReviewContext, wish: Wish, maker: Decider) {
  const proposed = await decide(context, maker, [wish]);
  if (proposed.kind === 'refused') return proposed;
  const [end] = proposed.ends;
  if (end === undefined) throw new Error('nothing was proposed');
  return end;
}
