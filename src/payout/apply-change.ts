/** Applies decisions to a payout, and decides again when another writer has changed the payout meanwhile. */
import { isOpenAttempt } from '../core/attempt-numbers.ts';
import { afterChange } from '../core/change.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { AttemptKey, Change } from '../core/ports.ts';
import type { PayoutJournal, InDoubt } from './ports.ts';
import { isInDoubt } from './rules/case.ts';
import { isOutcomeOpen, keepInDoubt } from './rules/superseded.ts';

type Applying = Readonly<Record<'journal', PayoutJournal>>;

/**
 * Applies a decision to the latest state of a payout.
 * @returns the change that was applied; undefined when there is none, or a guard refuses it
 */
export async function applyOnLatest(
  { journal }: Applying,
  known: Payout,
  decide: (current: Payout) => Change | undefined | Promise<Change | undefined>,
): Promise<Change | undefined> {
  let current: Payout | undefined = known;
  while (current !== undefined) {
    const change: Change | undefined = await decide(current);
    if (change === undefined) return undefined;
    const [isApplied] = await journal.apply([change]);
    if (isApplied === true) return change;
    const latest: Payout | undefined = await journal.payout(known.seq);
    // A guard other than the version refuses the change: another row holds the claim.
    if (latest?.version === current.version) return undefined;
    current = latest;
  }
  return undefined;
}

/**
 * Applies a decision to an attempt in doubt, as long as the journal does not know its outcome. If the attempt was
 * closed meanwhile, for example by a statement, only a proof still counts.
 * @param known state on which the decision was first taken
 * @param decide decision on the present payout and attempt; undefined when the news is out of date
 * @param decideOnClosed decision when the journal has closed the attempt meanwhile; left out: no change
 * @returns the payout afterwards
 */
export async function applyOnAttempt(
  context: Applying,
  { payout, attempt }: InDoubt,
  decide: (current: Payout, latest: Attempt) => Change | undefined,
  decideOnClosed: (current: Payout, latest: Attempt) => Change | undefined = () => undefined,
): Promise<Payout | undefined> {
  let seen = payout;
  const change = await applyOnLatest(context, payout, async (current) => {
    seen = current;
    // Read after the payout: every change of an attempt also changes its payout.
    const isKnown = current === payout && isInDoubt(payout);
    const latest = isKnown ? attempt : await readLatest(context, current, attempt);
    if (!isOutcomeOpen(current, latest)) return decideOnClosed(current, latest);
    const decided = decide(current, latest);
    if (decided === undefined) return undefined;
    const others = await readOthersOpen(context, { payout: current, attempt });
    const open = others.find(({ payoutSeq }) => payoutSeq === payout.seq);
    return open === undefined ? decided : keepInDoubt(decided, open);
  });
  return change === undefined ? seen : afterChange(change);
}

const isSameAttempt = (one: AttemptKey, other: AttemptKey): boolean =>
  one.payoutSeq === other.payoutSeq && one.attemptNo === other.attemptNo;

/** The attempt as the journal has it now, and the others under its transRefNo, over all files, oldest first. */
export async function readReference(
  { journal }: Applying,
  { instruction }: Payout,
  known: Attempt,
): Promise<{ readonly latest: Attempt; readonly sameReference: readonly Attempt[] }> {
  const { companyId, transRefNo } = known.order;
  const attempts = await journal.attemptsOf(companyId, instruction.payoutId);
  const latest = attempts.find((one) => isSameAttempt(one, known)) ?? known;
  const sameReference = attempts.filter((one) => one.order.transRefNo === transRefNo && one !== latest);
  return { latest, sameReference };
}

/** The attempt as the journal has it now. */
export const readLatest = async (applying: Applying, owner: Payout, known: Attempt): Promise<Attempt> =>
  (await readReference(applying, owner, known)).latest;

/** Other attempts of the payoutId, over all files, that the bank has completed or may yet complete. */
export async function readOthersOpen(
  { journal }: Applying,
  { payout, attempt }: InDoubt,
): Promise<readonly Attempt[]> {
  if (payout.attemptNo <= 1) return [];
  const attempts = await journal.attemptsOf(attempt.order.companyId, payout.instruction.payoutId);
  return attempts.filter((other) => isOpenAttempt(other) && !isSameAttempt(other, attempt));
}
