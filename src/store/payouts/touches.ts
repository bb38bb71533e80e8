/** What a change reads or changes that another of the same transaction may change: such do not go side by side. */
import type { Change } from '../../core/ports.ts';
import { mayHalt } from '../../payout/rules/brake.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';

/** What counts over many rows, or is decided for them, is looked at by one change at a time. */
function touchesOf(change: Change): readonly string[] | undefined {
  const { before, limits, likeness, decision, adopts, isCorrected, isValidated, end } = change;
  // What may halt the account comes before what is to be sent after it.
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

/** What changes that are applied together read or change that others may change; undefined where it may be anything. */
export function touchesOfAll(changes: readonly Change[]): readonly string[] | undefined {
  const touched = changes.map(touchesOf);
  return touched.includes(undefined) ? undefined : touched.flatMap((keys) => keys ?? []);
}
