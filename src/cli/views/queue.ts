/** Items, other than payouts, that wait for a person, as shown in the shell. */
import { inEnglish, sayCode } from '../../core/message.ts';
import { nameOfItem, type Taken } from '../../review/shell/queue.ts';
import { type CommandPlace, paydropCommand } from '../../core/command-line.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht } from '../../core/money.ts';
import { printable, toLines } from '../../core/outgoing-text.ts';
import type { OwnedItem, Queue, QueueKind, QueueOption, QueueTotal } from '../../review/rules/queue.ts';
import { countOf, showBaht, showDuration } from './amounts.ts';
import type { Shown } from './shown.ts';

/** Name of each kind, in the singular and the plural. */
const kindWords: Readonly<Record<QueueKind, readonly [one: string, several: string]>> = {
  break: ['open break', 'open breaks'],
  day: ['day without a statement', 'days without a statement'],
  file: ['refused file', 'refused files'],
  payer: ['halted account', 'halted accounts'],
  batch: ['held batch', 'held batches'],
  doubt: ['batch long in doubt', 'batches long in doubt'],
  registration: ['registration', 'registrations'],
  callback: ['unknown callback', 'unknown callbacks'],
  proposal: ['proposal to check', 'proposals to check'],
  decisions: ['file of decisions', 'files of decisions'],
};

/** "2 open breaks, 1 refused file". */
const describeTotals = (totals: readonly QueueTotal[]): string =>
  totals.map(({ kind, items }) => countOf(items, ...kindWords[kind])).join(', ');

/**
 * One line for screens that show something else; none where nothing waits.
 * @param place of the settings, for the command
 */
export function linesOfWaiting({ totals }: Pick<Queue, 'totals'>, place?: CommandPlace): readonly string[] {
  if (totals.length === 0) return [];
  const items = totals.reduce((sum, total) => sum + total.items, 0);
  const wait = items === 1 ? 'waits' : 'wait';
  return [`${describeTotals(totals)} ${wait} for a person: ${paydropCommand(place, 'queue')}`];
}

const moneyWords = { no: 'no money moved', unknown: 'unknown if money moved', yes: 'money moved' } as const;

const jsonOfOption = ({ decision, label, needsSecond, whyNot }: QueueOption): object => ({
  decision,
  label: sayCode('en', label),
  labelTh: sayCode('th', label),
  needsSecond,
  whyNot: whyNot && inEnglish(whyNot),
});

function showItem(item: OwnedItem, nowMs: number): Shown {
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
  return {
    json: {
      ...item,
      options: options.map(jsonOfOption),
      key: undefined,
      name,
      title,
      sinceAt: formatBangkokDateTime(sinceMs),
      amount: amountSatang === null ? null : formatBaht(amountSatang),
      amountSatang: undefined,
      reason,
      remedy,
      owner: owner === undefined ? null : owner.person,
    },
    text: toLines([
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
    ]),
  };
}

/** All items, the longest wait first. */
export function showQueue({ items, totals }: Queue, nowMs: number): Shown {
  const shown = items.map((item) => showItem(item, nowMs));
  const json = {
    totals: totals.map(({ kind, items: count }) => ({ kind, items: count })),
    items: shown.map((one) => one.json),
  };
  if (shown.length === 0)
    return {
      json,
      text: printable('Nothing but payouts waits for a person: "paydrop exceptions" has those.'),
    };
  const all = totals.reduce((sum, total) => sum + total.items, 0);
  const rest =
    all > shown.length ? ['', `and ${all - shown.length} more: --kind shows those of one kind`] : [];
  const lines = [describeTotals(totals), ...shown.flatMap(({ text }) => ['', text]), ...rest];
  return { json, text: toLines(lines.flatMap((line) => line.split('\n'))) };
}

export const showTaken = (taken: readonly Taken[], done: string): Shown => ({
  json: taken.map(({ name, whyNot }) => ({ name, whyNot: whyNot && inEnglish(whyNot) })),
  text: toLines(
    taken.map(({ name, whyNot }) =>
      whyNot === undefined ? `${name}: ${done}.` : `${name}: ${inEnglish(whyNot)}`,
    ),
  ),
});
