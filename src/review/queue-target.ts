/** Days without a statement, refused files and unknown callbacks as targets: acknowledged, they leave the queue. */
import { type Message, message } from '../core/message.ts';
import { zeroSatang } from '../core/money.ts';
import { type Examined, noResources, type ReviewContext, type TargetWork } from './context.ts';
import { nothingCounted } from './rules/proposal-figures.ts';
import type { Target } from './rules/proposal.ts';
import { decideDay, decideFile, versionOfFile } from './rules/queue.ts';
import { decideUnknownCallback, versionOfCallback } from './rules/registration-queue.ts';
import type { Decision } from './rules/terms.ts';

type WhyNot = (decision: Decision, target: Pick<Target, 'key' | 'version'>) => Promise<Message | undefined>;

/** The limit of refused files that are read; more at a time are too many to look at. */
const filesMax = 10_000;
const callbacksMax = 10_000;

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
