/** The keys of what a change reads or changes and another may change in its transaction: such do not go side by side. */
import type { Change } from '../../core/ports.ts';
import { mayHalt } from '../../payout/rules/brake.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';

/** Totals over many rows, and decisions for them, are looked at by one change at a time. */
function writeSetOf(change: Change): readonly string[] | undefined {
  const { before, limits, likeness, decision, adopts, isCorrected, isValidated, end } = change;
  // A change that may halt the account comes before what is to be sent after it.
  const isHalting = end !== undefined && mayHalt(end);
  const isWide =
    isHalting || [limits, decision, adopts, isCorrected, isValidated].some((part) => part !== undefined);
  const [mightBePaid, mayBePaid] = [before, change.after].map(({ status }) =>
    mayBePaidStatuses.includes(status),
  );
  const { proxyNo, amountSatang } = likeness ?? change.after.instruction;
  const like = likeness !== undefined || mayBePaid !== mightBePaid ? [`like ${proxyNo} ${amountSatang}`] : [];
  return isWide ? undefined : [`payout ${before.seq}`, `claim ${before.instruction.payoutId}`, ...like];
}

/** The keys of changes that are applied together; undefined where they may be anything. */
export function writeSetOfAll(changes: readonly Change[]): readonly string[] | undefined {
  const touched = changes.map(writeSetOf);
  return touched.includes(undefined) ? undefined : touched.flatMap((keys) => keys ?? []);
}
