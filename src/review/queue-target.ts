/** Targets besides orders: breaks and statements of a day, days without one, refused files and unknown callbacks. */
import { isMessage, type Message, message } from '../core/message.ts';
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
import { zeroSatang } from '../core/money.ts';
import { provenanceOfDecided } from '../reconcile/rules/custody.ts';
import type { ProposalItem } from './ports.ts';
import { decideStatement, type KeptStatement, readStatementTarget } from './rules/statement-decisions.ts';
import {
  decideDay,
  decideFile,
  decideUnknownCallback,
  versionOfCallback,
  versionOfFile,
} from './rules/queue.ts';
import type { Decision } from './rules/terms.ts';

/** A break of a day's reconciliation: accepted, it counts as explained for as long as it says the same. */
export const breakTargetOf = (record: BreakRecord): Target => ({
  kind: 'break',
  key: breakKeyOf(record),
  version: versionOfBreak(record),
});

export function makeBreakWork({ journal, clock }: ReviewContext): TargetWork {
  const find = async ({ key, version }: Pick<Target, 'key' | 'version'>): Promise<BreakRecord | Message> => {
    const name = readBreakKey(key);
    const record = name === undefined ? undefined : await journal.openBreak(name);
    if (record === undefined) return message('break.closed');
    return versionOfBreak(record) === version
      ? record
      : message('break.says-otherwise', { severity: record.severity, reason: record.reason });
  };
  return {
    ...noResources,
    async examine(decision, target): Promise<Examined> {
      if (decision !== 'accept-break') return message('break.decisions');
      const record = await find(target);
      if (isMessage(record)) return record;
      return { amountSatang: amountOfBreak(record), figures: nothingCounted };
    },
    async apply({ maker: by, checker: checkedBy, proposalId: proposal }, item) {
      if (item.status !== 'open') return;
      const { itemNo } = item;
      const record = await find(item);
      const isAccepted =
        !isMessage(record) &&
        (await journal.acceptBreak(record, acceptBreak(record, { by, checkedBy, proposal }, clock.now()), {
          proposalId: proposal,
          itemNo,
        }));
      if (isAccepted) return;
      const why = isMessage(record) ? record : message('change.while-applied');
      await journal.endItem(proposal, itemNo, 'refused', why);
    },
  };
}

/** A day's statement: once decided, it is reconciled with the very bytes that were examined. */
export function makeStatementWork({ journal, statements }: ReviewContext): TargetWork {
  /** Finds the kept statement while the day still has the statement that it was compared with. */
  const find = async (target: Pick<Target, 'key' | 'version'>): Promise<KeptStatement | Message> => {
    const kept = readStatementTarget(target);
    if (kept === undefined) return message('statement.none-named');
    const version = (await journal.statement(kept.date))?.version ?? 0;
    return version === kept.present
      ? kept
      : message('statement.other-version', { version, version2: kept.present });
  };
  /** Tells whether the statement was taken for this item, by a process that was killed before it ended the item. */
  const isTaken = async ({ proposalId, key }: ProposalItem): Promise<boolean> =>
    (await journal.statement(key))?.provenance.proposal === proposalId;
  return {
    ...noResources,
    async examine(decision, target): Promise<Examined> {
      if (statements === undefined) return message('statement.not-here');
      const kept = await find(target);
      if (isMessage(kept)) return kept;
      const inspected = await statements.inspect(kept);
      if (isMessage(inspected)) return inspected;
      const why = decideStatement(decision, kept, inspected.refusal);
      const amountSatang = inspected.totals?.amountSatang ?? zeroSatang;
      return why ?? { amountSatang, figures: nothingCounted };
    },
    async apply(proposal, item) {
      // The item waits for a process that can reconcile.
      if (item.status !== 'open' || statements === undefined) return;
      const { proposalId, itemNo } = item;
      const end = async (why: Message | undefined): Promise<void> => {
        await journal.endItem(proposalId, itemNo, why === undefined ? 'applied' : 'refused', why ?? null);
      };
      if (await isTaken(item)) return end(undefined);
      const kept = await find(item);
      if (isMessage(kept)) return end(kept);
      const isForced = proposal.decision === 'accept-statement';
      const provenance = provenanceOfDecided(kept.from, isForced, proposal);
      const taken = await statements.reconcile(kept, provenance);
      if (taken.kind !== 'overtaken') await end(taken.kind === 'refused' ? taken.why : undefined);
    },
  };
}

type WhyNot = (decision: Decision, target: Pick<Target, 'key' | 'version'>) => Promise<Message | undefined>;

/** The limit of refused files that are read; more at a time are too many to look at. */
const filesMax = 10_000;
const callbacksMax = 10_000;

/** Days without a statement, refused files and unknown callbacks: acknowledged, they leave the queue. */
function makeNotedWork(
  { journal, clock }: ReviewContext,
  kind: 'day' | 'file' | 'callback',
  findWhyNot: WhyNot,
): TargetWork {
  return {
    ...noResources,
    async examine(decision, target): Promise<Examined> {
      return (await findWhyNot(decision, target)) ?? { amountSatang: zeroSatang, figures: nothingCounted };
    },
    async apply({ decision, maker: person, makerId: personId, note, proposalId }, item) {
      if (item.status !== 'open') return;
      const { itemNo, key, version } = item;
      const why = await findWhyNot(decision, item);
      if (why !== undefined) {
        await journal.endItem(proposalId, itemNo, 'refused', why);
        return;
      }
      const noted = { kind, key, version, what: 'noted', personId, person, note, atMs: clock.now() } as const;
      await journal.noteItem({ proposalId, itemNo }, noted);
    },
  };
}

export function makeDayWork(context: ReviewContext): TargetWork {
  const { journal } = context;
  return makeNotedWork(context, 'day', async (decision, { key }) => {
    if (decision !== 'acknowledge') return message('day.propose-statement');
    const isWithout = (await journal.daysWithoutStatement([key])).includes(key);
    const isNoted = (await journal.reviewNotes('day', [key])).some(({ what }) => what === 'noted');
    return isNoted ? message('acknowledge.before') : decideDay(decision, isWithout);
  });
}

export function makeFileWork(context: ReviewContext): TargetWork {
  const { journal } = context;
  return makeNotedWork(context, 'file', async (decision, { key, version }) => {
    const waiting = await journal.refusedFiles(filesMax);
    const isWaiting = waiting.some((file) => file.itemId === key && versionOfFile(file) === version);
    return decideFile(decision, isWaiting);
  });
}

export function makeCallbackWork(context: ReviewContext): TargetWork {
  const { journal } = context;
  return makeNotedWork(context, 'callback', async (decision, { key, version }) => {
    const unknown = await journal.unknownCallbacks(callbacksMax);
    const isUnknown = unknown.some((one) => String(one.id) === key && versionOfCallback(one) === version);
    const isNoted = (await journal.reviewNotes('callback', [key])).some(({ what }) => what === 'noted');
    return decideUnknownCallback(decision, isUnknown && !isNoted);
  });
}
