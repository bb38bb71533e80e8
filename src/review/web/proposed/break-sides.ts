/** Breaks and statements with both sides: ours, the bank's and the difference, on their day and in a proposal. */
import { parseBangkokDate } from '../../../core/bangkok-time.ts';
import { showBaht } from '../../../core/figures.ts';
import { message, type PlainCode } from '../../../core/message.ts';
import { sayDate } from '../../../core/moments.ts';
import { type Satang, sumSatang, toSatang, zeroSatang } from '../../../core/money.ts';
import { showText } from '../../../core/outgoing-text.ts';
import { showLastDigits } from '../../../core/proxy-id.ts';
import { type BreakSides, sidesOfBreak, sizeOf } from '../../../overview/rules/day-sides.ts';
import { readBreakKey, versionOfBreak } from '../../../reconcile/rules/breaks.ts';
import type { BreakRecord } from '../../../reconcile/rules/types.ts';
import type { ReviewContext } from '../../context.ts';
import type { Proposal, ProposalItem } from '../../ports.ts';
import { html, type Html, type Part } from '../html.ts';
import { capital, whyOf } from '../parts.ts';
import type { ProvedVisit } from '../view.ts';

/** A difference with its sign: the excess is ours, or the bank's. */
export function showDifference(satang: Satang): string {
  const sign = satang === 0n ? '' : satang < 0n ? '−' : '+';
  return `${sign}${showBaht(sizeOf(satang))}`;
}

export const bahtOfSide = (satang: Satang | undefined): string =>
  satang === undefined ? '—' : showBaht(satang);

/** The payout of a break, or the bank's reference of a line that is not ours. */
export function transferOf({ attempt, key }: BreakRecord): Html {
  if (attempt === null) return html`<span class="mono">${showText(key)}</span>`;
  const { payoutSeq, payoutId, order } = attempt;
  return html`<a href="/payout/${payoutSeq}">${payoutId}</a> ${showLastDigits(order.proxyNo)}
    ${showText(order.proxyName ?? '')}`;
}

/** An item with both sides; `break`: the record, as long as it stands. */
interface TwoSided {
  readonly item: ProposalItem;
  readonly sides: BreakSides;
  readonly break: BreakRecord | undefined;
}

/** True for a proposal whose items have two sides. */
export const isTwoSided = ({ kind }: Pick<Proposal, 'kind'>): boolean =>
  kind === 'break' || kind === 'statement';

const noSides: BreakSides = { oursSatang: undefined, bankSatang: undefined, differenceSatang: zeroSatang };

/** The sum that we call paid on a day. */
async function readPaidOn({ journal }: ReviewContext, date: string): Promise<Satang> {
  await using view = await journal.openStatementView();
  const amounts: Satang[] = [];
  for await (const attempts of view.attemptsOfDay(date))
    for (const { status, amountSatang } of attempts) if (status === 'paid') amounts.push(amountSatang);
  return sumSatang(amounts);
}

/** Reads both sides of each item. @param proposal of breaks or statements */
export async function readTwoSided(
  review: ReviewContext,
  proposal: Proposal,
  items: readonly ProposalItem[],
): Promise<readonly TwoSided[]> {
  if (proposal.kind === 'statement') {
    const [item] = items;
    if (item === undefined) return [];
    const oursSatang = await readPaidOn(review, item.key);
    const bankSatang = proposal.totalSatang;
    const differenceSatang = toSatang(oursSatang - bankSatang);
    return [{ item, sides: { oursSatang, bankSatang, differenceSatang }, break: undefined }];
  }
  const names = new Map(items.map((item) => [item.itemNo, readBreakKey(item.key)]));
  await using view = await review.journal.openStatementView();
  const standing = await view.standingBreaks([...names.values()].flatMap((name) => name?.key ?? []));
  return items.map((item) => {
    const name = names.get(item.itemNo);
    const found = standing
      .get(name?.key ?? '')
      ?.find((one) => one.kind === name?.kind && one.date === name.date);
    return { item, break: found, sides: found === undefined ? noSides : sidesOfBreak(found) };
  });
}

/** The sums of the sides; the differences sum to the difference of the sums. */
function sumSides(all: readonly TwoSided[]): Required<BreakSides> {
  const sum = (side: keyof BreakSides): Satang =>
    sumSatang(all.map(({ sides }) => sides[side] ?? zeroSatang));
  return {
    oursSatang: sum('oursSatang'),
    bankSatang: sum('bankSatang'),
    differenceSatang: sum('differenceSatang'),
  };
}

/** The name of an item: the break and its transfer, or the day of the statement. */
function nameOf(visit: ProvedVisit, { item, break: record }: TwoSided): Part {
  const { say, language } = visit;
  if (record !== undefined)
    return html`<a class="open" href="/reconciliation/${record.date}"
        ><span class="name">${capital(say(`break.${record.kind}`))}</span></a
      >
      <small>${transferOf(record)}</small>`;
  const date = item.kind === 'statement' ? item.key : (readBreakKey(item.key)?.date ?? '');
  return parseBangkokDate(date) === undefined
    ? showText(item.key)
    : html`<a class="open" href="/reconciliation/${date}"
        ><span class="name">${sayDate(language, date)}</span></a
      >`;
}

/** Why a break is one; or that it says something else than was proposed. */
function whyOfItem({ item, break: record }: TwoSided) {
  if (record === undefined) return item.kind === 'break' ? message('break.closed') : undefined;
  const { severity, reason } = record;
  const isChanged = record.closedAtMs === null && versionOfBreak(record) !== item.version;
  return isChanged ? message('break.says-otherwise', { severity, reason }) : reason;
}

const cells = ({ say }: ProvedVisit, { oursSatang, bankSatang, differenceSatang }: BreakSides): Html =>
  html`<td class="number" data-head="${say('reconciliation.ours')}">${bahtOfSide(oursSatang)}</td>
    <td class="number" data-head="${say('reconciliation.bank')}">${bahtOfSide(bankSatang)}</td>
    <td class="number" data-head="${say('reconciliation.ours-minus-bank')}">
      <b>${showDifference(differenceSatang)}</b>
    </td>`;

const numberHeads = [
  'reconciliation.ours',
  'reconciliation.bank',
  'reconciliation.ours-minus-bank',
] as const satisfies readonly PlainCode[];

/**
 * The items of a proposal with both sides, and the sums of all of them.
 * @param all every item of the proposal; those that `outcomes` has are displayed
 * @param outcomes the last cell of each displayed item, by its number
 */
export function twoSidedTable(
  visit: ProvedVisit,
  all: readonly TwoSided[],
  outcomes: ReadonlyMap<number, Part>,
): Html {
  const { say } = visit;
  const shown = all.filter(({ item }) => outcomes.has(item.itemNo));
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${say('proposal.the-list')}</th>
        ${numberHeads.map((head) => html`<th scope="col" class="number">${say(head)}</th>`)}
        <th scope="col">${say('payout.why')}</th>
        <th scope="col">${say('proposal.outcome')}</th>
      </tr>
    </thead>
    <tbody>
      ${shown.map(
        (one) =>
          html`<tr>
            <td data-head="${say('proposal.the-list')}">${one.item.itemNo}. ${nameOf(visit, one)}</td>
            ${cells(visit, one.sides)}
            <td class="why" data-head="${say('payout.why')}">
              ${whyOf(visit, whyOfItem(one))}
              ${one.item.note !== undefined && html`<small>${showText(one.item.note)}</small>`}
            </td>
            <td data-head="${say('proposal.outcome')}">${outcomes.get(one.item.itemNo)}</td>
          </tr>`,
      )}
    </tbody>
    ${
      all.length > 1 &&
      html`<tfoot>
        <tr>
          <th scope="row">${say('today.total')}</th>
          ${cells(visit, sumSides(all))}
          <td colspan="2"></td>
        </tr>
      </tfoot>`
    }
  </table>`;
}
