/** Items, other than payouts, that wait for a person, as shown in the shell. */
import { inEnglish, sayCode } from '../../core/message.ts';
import { nameOfItem, type Taken } from '../../review/shell/queue.ts';
import { type CommandPlace, paydropCommand } from '../../core/command-line.ts';
import { listOf, viewOf } from '../../core/view.ts';
import { printable, type PrintableText, toLines } from '../../core/outgoing-text.ts';
import { type AttentionEntry, countKinds, type KindTotal } from '../../attention/rules/entry.ts';
import type { OwnedItem, QueueOption } from '../../attention/rules/items.ts';
import type { QueueKind } from '../../review/rules/queue.ts';
import { countOf, showBaht, showDuration } from './amounts.ts';
import type { Shown } from './shown.ts';

/** Name of each kind, in the singular and the plural. */
const kindWords: Readonly<Record<QueueKind, readonly [one: string, several: string]>> = {
  break: ['open break', 'open breaks'],
  day: ['day without a statement', 'days without a statement'],
  file: ['refused file', 'refused files'],
  payer: ['halted account', 'halted accounts'],
  batch: ['held batch', 'held batches'],
  doubt: ['payout long in doubt', 'payouts long in doubt'],
  registration: ['registration', 'registrations'],
  callback: ['unknown callback', 'unknown callbacks'],
  proposal: ['proposal to check', 'proposals to check'],
  decisions: ['file of decisions', 'files of decisions'],
};

/** "2 open breaks, 1 refused file". */
const describeTotals = (totals: readonly KindTotal[]): string =>
  totals.map(({ kind, items }) => countOf(items, ...kindWords[kind])).join(', ');

const sumItems = (totals: readonly KindTotal[]): number => totals.reduce((sum, { items }) => sum + items, 0);

const entryView = viewOf<AttentionEntry>()('entry of the attention list', {
  code: ['text', 'what needs a person'],
  severity: ['text', 'alarm, doubt or wait'],
  subject: ['message', 'heading'],
  reason: ['message', 'why it waits'],
  remedy: ['message', 'what to do about it'],
  sinceMs: ['number', 'since when its oldest part waits, in milliseconds since 1970'],
  sinceAt: ['moment', 'since when its oldest part waits', ({ sinceMs }) => sinceMs],
  count: ['number', 'its rows, or the rows that move with it'],
  amount: ({ amountSatang }) => amountSatang,
  args: ['facts', 'the cause, the batch, the account or the day'],
  commands: ['texts', 'commands to type', (entry) => entry.commands.map((words) => `paydrop ${words}`)],
  decisions: ['texts', 'decisions that end it'],
  owner: ['text', 'who looks after it', ({ owner }) => owner?.person],
});

/** Everything that needs a person, in a list of batches. @forTests */
export const attentionView = viewOf<readonly AttentionEntry[]>()('attention list', {
  kind: ['text', 'attention', () => 'attention'],
  entries: [listOf(entryView), 'what needs a person, one for each kind and cause', (entries) => entries],
});

/** Adds the list to the JSON of all batches; their text has a line of it. */
export function addEntries(entries: readonly AttentionEntry[], { json, text }: Shown): Shown {
  const isShown = entries.length > 0 && Array.isArray(json);
  return { json: isShown ? [...(json as readonly object[]), attentionView.json(entries)] : json, text };
}

/**
 * One line for screens that show something else; none where nothing waits.
 * @param place of the settings, for the command
 */
export function linesOfWaiting(entries: readonly AttentionEntry[], place?: CommandPlace): readonly string[] {
  const totals = countKinds(entries);
  if (totals.length === 0) return [];
  const wait = sumItems(totals) === 1 ? 'waits' : 'wait';
  return [`${describeTotals(totals)} ${wait} for a person: ${paydropCommand(place, 'queue')}`];
}

const moneyWords = { no: 'no money moved', unknown: 'unknown if money moved', yes: 'money moved' } as const;

const optionView = viewOf<QueueOption>()('option', {
  decision: ['text', 'the decision'],
  label: ['text', 'its name in English', ({ label }) => sayCode('en', label)],
  labelTh: ['text', 'its name in Thai', ({ label }) => sayCode('th', label)],
  needsSecond: ['flag', 'whether a second person approves it'],
  whyNot: ['advice', 'why it is not possible now', ({ whyNot }) => whyNot],
});

const itemView = viewOf<OwnedItem>()('item of the queue', {
  kind: ['text', 'kind of item'],
  code: ['text', 'code of its entry'],
  version: ['text', 'version that a decision refers to'],
  name: ['text', 'name as a command takes it', nameOfItem],
  title: ['advice', 'heading'],
  sinceMs: ['number', 'since when it waits, in milliseconds since 1970'],
  sinceAt: ['moment', 'since when it waits', ({ sinceMs }) => sinceMs],
  amount: ({ amountSatang }) => amountSatang,
  moneyMoved: ['text', 'whether money moved: no, unknown or yes'],
  reason: ['advice', 'why it waits'],
  remedy: ['advice', 'what to do about it'],
  options: [listOf(optionView), 'decisions about it'],
  owner: ['text', 'who looks after it', ({ owner }) => owner?.person],
});

const kindView = viewOf<KindTotal>()('kind of the queue', {
  kind: ['text', 'kind of item'],
  items: ['number', 'how many wait'],
});

/** The list and the items of `queue`. */
interface ShownQueue {
  readonly entries: readonly AttentionEntry[];
  readonly items: readonly OwnedItem[];
}

/** Items that wait for a person, by `queue`. @forTests */
export const queueView = viewOf<ShownQueue & { readonly totals: readonly KindTotal[] }>()('queue', {
  totals: [listOf(kindView), 'how many wait, by kind'],
  items: [listOf(itemView), 'the items, the longest wait first'],
  entries: [listOf(entryView), 'what needs a person, payouts too, one for each kind and cause'],
});

/** An item that was taken or given back, by `queue`. @forTests */
export const takenView = viewOf<Taken>()('taken item', {
  name: ['text', 'name as a command takes it'],
  whyNot: ['advice', 'why it could not be', ({ whyNot }) => whyNot],
});

function describeItem(item: OwnedItem, nowMs: number): PrintableText {
  const { kind, sinceMs, amountSatang, moneyMoved, options, owner } = item;
  const [title, reason, remedy] = [inEnglish(item.title), inEnglish(item.reason), inEnglish(item.remedy)];
  const name = nameOfItem(item);
  // A registration moves no money.
  const money = kind === 'registration' || kind === 'callback' ? [] : [moneyWords[moneyMoved]];
  const amount = amountSatang === null ? [] : [`${showBaht(amountSatang)} baht`];
  const age = `for ${showDuration(nowMs - sinceMs)}`;
  const possible = options
    .filter(({ whyNot }) => whyNot === undefined)
    .map(({ label }) => sayCode('en', label));
  const impossible = options.filter(({ whyNot }) => whyNot !== undefined);
  const head = [kindWords[kind][0], title].join(' ');
  return toLines([
    name,
    `  ${name.endsWith(`:${title}`) ? kindWords[kind][0] : head}`,
    `  ${[...amount, age, ...money, ...(owner === undefined ? [] : [`${owner.person} looks after it`])].join(' | ')}`,
    `  ${reason}`,
    `  ${remedy}`,
    ...(possible.length === 0 ? [] : [`  Possible: ${possible.join(', ')}`]),
    ...impossible.map(
      ({ label, whyNot }) =>
        `  Not ${sayCode('en', label)}: ${whyNot === undefined ? '' : inEnglish(whyNot)}`,
    ),
  ]);
}

/** All items, or those of one kind, the longest wait first. */
export function showQueue({ entries, items }: ShownQueue, only: QueueKind | undefined, nowMs: number): Shown {
  const totals = countKinds(entries).filter(({ kind }) => only === undefined || kind === only);
  const json = queueView.json({ entries, items, totals });
  if (items.length === 0)
    return {
      json,
      text: printable('Nothing but payouts waits for a person: "paydrop exceptions" has those.'),
    };
  // Payouts in doubt are one item for each cause.
  const isCounted = ({ kind }: { readonly kind: QueueKind }): boolean => kind !== 'doubt';
  const more = sumItems(totals.filter(isCounted)) - items.filter(isCounted).length;
  const rest = more > 0 ? ['', `and ${more} more: --kind shows those of one kind`] : [];
  const shown = items.map((item) => describeItem(item, nowMs));
  const lines = [describeTotals(totals), ...shown.flatMap((text) => ['', text]), ...rest];
  return { json, text: toLines(lines.flatMap((line) => line.split('\n'))) };
}

export const showTaken = (taken: readonly Taken[], done: string): Shown => ({
  json: taken.map((one) => takenView.json(one)),
  text: toLines(
    taken.map(({ name, whyNot }) =>
      whyNot === undefined ? `${name}: ${done}.` : `${name}: ${inEnglish(whyNot)}`,
    ),
  ),
});
