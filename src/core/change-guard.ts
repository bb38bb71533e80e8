/** What every change must hold before a store looks at it, whatever the store: the tables, and how attempts follow. */
import { canMovePayout } from './payout.ts';
import type { Change } from './ports.ts';

/** A change that no table allows: a bug of whoever composed it. Nothing of its call is applied. */
export class ForbiddenChangeError extends Error {
  override readonly name = 'ForbiddenChangeError';
}

/** @throws ForbiddenChangeError for a change that no store may apply */
export function requireAllowed(change: Change): void {
  checkChange(change);
  checkAdopts(change);
}

function checkChange({ before, after, event, attempt, isIntent }: Change): void {
  const refuse = (why: string): never => {
    throw new ForbiddenChangeError(`payout ${before.seq}: ${why}`);
  };
  if (!canMovePayout(before.status, after.status, event.cause)) {
    refuse(`${before.status} cannot become ${after.status} because of "${event.cause}"`);
  }
  if (after.seq !== before.seq) refuse(`the change is composed for payout ${after.seq}`);
  if (attempt !== undefined && attempt.payoutSeq !== before.seq) refuse('the attempt is another payout’s');
  const isSubmitted = event.cause === 'intent-recorded';
  if (isSubmitted !== (isIntent === true)) refuse('an intent, and nothing else, is marked as one');
  const isNew = attempt !== undefined && attempt.attemptNo > before.attemptNo;
  if (isSubmitted !== isNew) refuse('an intent, and nothing else, makes a new attempt');
  if (isNew && attempt.attemptNo !== after.attemptNo) refuse('the new attempt is not the payout’s latest');
}

function checkAdopts({ before, after, event, adopts = [] }: Change): void {
  const refuse = (why: string): never => {
    throw new ForbiddenChangeError(`payout ${before.seq}: ${why}`);
  };
  const isFound = event.cause === 'found-after-loss';
  if (isFound !== adopts.length > 0) refuse('what was found after a loss, and nothing else, is adopted');
  let highest = before.attemptNo;
  for (const { payoutSeq, attemptNo } of adopts) {
    if (payoutSeq !== before.seq) refuse('the adopted attempt is another payout’s');
    if (attemptNo <= highest) refuse(`adopted attempt ${attemptNo} does not follow ${highest}`);
    highest = attemptNo;
  }
  if (isFound && after.attemptNo !== highest) refuse('the last adopted attempt is not the payout’s latest');
}
