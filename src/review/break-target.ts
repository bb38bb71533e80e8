/** Breaks of a day's reconciliation as targets: accepted, they count as explained for as long as they say the same. */
import { inEnglish } from '../core/message.ts';
import {
  acceptBreak,
  amountOfBreak,
  breakKeyOf,
  readBreakKey,
  versionOfBreak,
} from '../reconcile/rules/breaks.ts';
import type { BreakRecord } from '../reconcile/rules/types.ts';
import { type Examined, noResources, type ReviewContext, type TargetWork } from './context.ts';
import type { Target } from './rules/proposal.ts';
import { nothingCounted } from './rules/proposal-figures.ts';

export const breakTargetOf = (record: BreakRecord): Target => ({
  kind: 'break',
  key: breakKeyOf(record),
  version: versionOfBreak(record),
});

export function makeBreakWork({ journal, clock }: ReviewContext): TargetWork {
  const find = async ({ key, version }: Pick<Target, 'key' | 'version'>): Promise<BreakRecord | string> => {
    const name = readBreakKey(key);
    const record = name === undefined ? undefined : await journal.openBreak(name);
    if (record === undefined)
      return 'no such break is open: it was closed or accepted since, or never opened';
    return versionOfBreak(record) === version
      ? record
      : `it says something else by now: ${record.severity}, ${inEnglish(record.reason)}`;
  };
  return {
    ...noResources,
    async examine(decision, target): Promise<Examined> {
      if (decision !== 'accept-break') return `a break can be accepted, and nothing else`;
      const record = await find(target);
      if (typeof record === 'string') return record;
      return { amountSatang: amountOfBreak(record), figures: nothingCounted };
    },
    async apply({ maker: by, checker: checkedBy, proposalId: proposal }, item) {
      if (item.status !== 'open') return;
      const { itemNo } = item;
      const record = await find(item);
      const isAccepted =
        typeof record !== 'string' &&
        (await journal.acceptBreak(record, acceptBreak(record, { by, checkedBy, proposal }, clock.now()), {
          proposalId: proposal,
          itemNo,
        }));
      if (isAccepted) return;
      const why = typeof record === 'string' ? record : 'it has changed while this was applied: look again';
      await journal.endItem(proposal, itemNo, 'refused', why);
    },
  };
}
