/**
 * The lists of proposals: those that wait for a check; and the items of one, each as it was proposed and as it is.
 */
import { showBaht, showCount } from '../../core/figures.ts';
import { sayAge } from '../../core/moments.ts';
import { type Message, type PlainCode, sayCode } from '../../core/message.ts';
import { parseBaht, sumSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { HistoryReader, PayoutHistory } from '../../payout/ports.ts';
import type { RegistrationHistory, RegistrationStore } from '../../registration/ports.ts';
import type { Proposal, ProposalItem } from '../ports.ts';
import { findRegistrationChangeSince } from '../registration-target.ts';
import { countedOf, type ProposalFigures } from '../rules/proposal-figures.ts';
import {
  findChangeSince,
  findStatusThen,
  openProposalStatuses,
  payoutChangeTerms,
  proposalStatuses,
  type TargetKind,
} from '../rules/proposal.ts';
import { nameOfDecision } from '../rules/terms.ts';
import { findWhyNotCheck } from '../verdict.ts';
import { describeTarget } from '../rules/batch-decisions.ts';
import { sayFiles } from './figures-panel.ts';
import { html, type Html, type Part } from './html.ts';
import type { ReadReview } from './payout-page.ts';
import { whyOf } from './parts.ts';
import type { Page, ProvedVisit, View } from './view.ts';

const listMax = 200;
const latelyMax = 20;

const endedStatuses = proposalStatuses.filter((status) => !openProposalStatuses.includes(status));

function proposalRow(visit: ProvedVisit, proposal: Proposal): Html {
  const { say, language, nowMs } = visit;
  const { proposalId, decision, maker, madeAtMs, note, status, checker, kind } = proposal;
  const { rows, amountSatang } = countedOf(proposal);
  const files = sayFiles(visit, proposal.figures);
  return html`<tr>
    <td data-head="${say('proposal.decision')}">
      <a class="open" href="/proposal/${proposalId}"
        ><span class="name">${proposalId}. ${sayCode(language, nameOfDecision(decision, kind))}</span></a
      >
      ${files !== undefined && html`<small>${files}</small>`} <small>${showText(note)}</small>
    </td>
    <td class="number" data-head="${say('proposal.items')}">${showCount(rows)}</td>
    <td class="number" data-head="${say('proposal.sum')}">
      ${amountSatang !== null && showBaht(amountSatang)}
    </td>
    <td data-head="${say('proposal.maker')}">${maker}</td>
    <td class="mono" data-head="${say('payout.age')}">${sayAge(language, nowMs - madeAtMs)}</td>
    <td data-head="${say('payout.status')}">
      ${sayCode(language, `proposal-status.${status}`)} ${checker !== null && html`<small>${checker}</small>`}
    </td>
  </tr>`;
}

function proposalTable(visit: ProvedVisit, heading: PlainCode, proposals: readonly Proposal[]): Part {
  const { say } = visit;
  if (proposals.length === 0) return undefined;
  return html`<section aria-labelledby="${heading}">
    <h2 id="${heading}">${say(heading)}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">${say('proposal.decision')}</th>
          <th scope="col" class="number">${say('proposal.items')}</th>
          <th scope="col" class="number">${say('proposal.sum')}</th>
          <th scope="col">${say('proposal.maker')}</th>
          <th scope="col">${say('payout.age')}</th>
          <th scope="col">${say('payout.status')}</th>
        </tr>
      </thead>
      <tbody>
        ${proposals.map((proposal) => proposalRow(visit, proposal))}
      </tbody>
    </table>
  </section>`;
}

async function answerList(readReview: ReadReview, visit: ProvedVisit): Promise<Page> {
  const { say } = visit;
  const review = await readReview();
  const newest = Number.MAX_SAFE_INTEGER;
  const open = await review.journal.proposals(openProposalStatuses, newest, listMax);
  const ended = await review.journal.proposals(endedStatuses, newest, latelyMax);
  const mine: Proposal[] = [];
  const others: Proposal[] = [];
  for (const proposal of open) {
    const why = await findWhyNotCheck(review, proposal, visit.proved, 'send-back');
    (why === undefined ? mine : others).push(proposal);
  }
  return {
    title: say('page.proposals'),
    body: html`<h1>${say('page.proposals')}</h1>
      <div data-live="proposals">
        ${
          open.length === 0 &&
          html`<div class="empty">
            <p><b>${say('proposal.nothing-to-check')}</b></p>
          </div>`
        }
        ${proposalTable(visit, 'proposal.for-my-check', mine)}
        ${proposalTable(visit, 'proposal.wait-for-others', others)}
        ${proposalTable(visit, 'proposal.lately', ended)}
      </div>`,
  };
}

export const makeProposalListViews = (readReview: ReadReview): readonly View[] => [
  {
    method: 'GET',
    path: '/proposals',
    action: 'see',
    answer: async (visit) => answerList(readReview, visit),
  },
];

// ---------------------------------------------------------------- the items of one

export type ItemsReader = HistoryReader & Pick<RegistrationStore, 'registrationHistory'>;

const itemWords: Readonly<Record<ProposalItem['status'], PlainCode>> = {
  open: 'proposal.item-open',
  applied: 'proposal.item-applied',
  refused: 'proposal.item-refused',
  closed: 'proposal.item-closed',
};

/** Shows an amount as a file or a person wrote it. */
function showCell(amount: string | null): string {
  const satang = parseBaht(amount ?? '');
  return satang === undefined ? showText(amount ?? '?') : showBaht(satang);
}

/** The corrected values beside the values at the proposal. */
function correctionOf({ say }: ProvedVisit, { correction }: ProposalItem, isRevealed: boolean): Part {
  if (correction === undefined) return undefined;
  const show = (number: string) => (isRevealed ? number : maskDigits(number));
  const { proxyNo, amount, was } = correction;
  return html`<ul class="chips becomes">
    ${
      proxyNo !== null &&
      html`<li>
        <small>${say('payout.payee-number')}</small> ${show(was?.proxyNo ?? '?')}
        <small>${say('proposal.becomes')}</small>
        <b>${show(proxyNo)}</b>
      </li>`
    }
    ${
      amount !== null &&
      html`<li>
        <small>${say('payout.amount')}</small> ${showCell(was?.amount ?? null)}
        <small>${say('proposal.becomes')}</small>
        <b>${showCell(amount)}</b>
      </li>`
    }
  </ul>`;
}

/** A target row, then and now. */
interface Stands {
  /** The changes since the proposal; undefined without any. */
  readonly changed: Message | undefined;
  readonly before: string | undefined;
  readonly now: string;
}

function standsOf({ language }: ProvedVisit, item: ProposalItem, { row, events }: PayoutHistory): Stands {
  const version = Number(item.version);
  const before = findStatusThen(version, row, events);
  return {
    changed: findChangeSince(version, row, events, payoutChangeTerms),
    before: before && sayCode(language, `payout-status.${before}`),
    now: sayCode(language, `payout-status.${row.status}`),
  };
}

/** Shows then and now side by side, where the row changed for another reason than the proposal. */
function thenAndNow(visit: ProvedVisit, { status }: ProposalItem, { changed, before, now }: Stands): Part {
  const { say } = visit;
  if (changed === undefined || status === 'applied') return now;
  return html`<div class="then">
      <div><small>${say('proposal.at-proposal')}</small> ${before ?? '?'}</div>
      <div><small>${say('proposal.now')}</small> <b>${now}</b></div>
    </div>
    <small>${whyOf(visit, changed)}</small>`;
}

function payoutItem(
  visit: ProvedVisit,
  item: ProposalItem,
  history: PayoutHistory,
  isRevealed: boolean,
): readonly Part[] {
  const { row, batch } = history;
  const { payeeName } = row.instruction ?? row.cells;
  const names = [payeeName, row.bankPayeeName, row.bankPayeeNameTh].filter(Boolean).join(' · ');
  return [
    html`<a class="open" href="/payout/${row.seq}"><span class="name">${row.cells.payoutId.trim()}</span></a>
      <small>${batch.batchId} · ${visit.say('payout.row')} ${row.rowNo}</small>`,
    row.amountSatang === null ? showText(row.cells.amount) : showBaht(row.amountSatang),
    html`<span class="mono">${maskDigits(row.instruction?.proxyNo ?? row.cells.proxyNo)}</span>
      <small>${showText(names)}</small> ${correctionOf(visit, item, isRevealed)}`,
    thenAndNow(visit, item, standsOf(visit, item, history)),
  ];
}

function registrationItem(
  visit: ProvedVisit,
  item: ProposalItem,
  { row, batch, events }: RegistrationHistory,
  isRevealed: boolean,
): readonly Part[] {
  const { say, language } = visit;
  const show = (number: string) => (isRevealed ? number : maskDigits(number));
  const version = Number(item.version);
  const before = findStatusThen(version, row, events);
  const account = row.currentInstruction?.accountNo ?? row.cells.accountNo;
  const corrected = item.correction?.accountNo;
  const was = corrected === undefined ? account : (item.correction?.was?.accountNo ?? '?');
  const stands: Stands = {
    changed: findRegistrationChangeSince(version, row, events),
    before: before && sayCode(language, `registration-status.${before}`),
    now: sayCode(language, `registration-status.${row.status}`),
  };
  return [
    html`<a class="open" href="/registration/${row.seq}"
        ><span class="name">${showText(row.cells.registrationId.trim())}</span></a
      >
      <small>${batch.batchId} · ${say('payout.row')} ${row.rowNo}</small>`,
    undefined,
    html`<span class="mono">${show(was)}</span> ${
        corrected !== undefined &&
        html`<small>${say('proposal.becomes')}</small> <b class="mono">${show(corrected)}</b>`
      }`,
    thenAndNow(visit, item, stands),
  ];
}

/** Describes the target of an item: a payout, a registration, or another kind. */
async function describeItem(
  store: ItemsReader,
  visit: ProvedVisit,
  item: ProposalItem,
  isRevealed: boolean,
  figures: ProposalFigures,
): Promise<readonly Part[]> {
  const seq = Number(item.key);
  if (item.kind === 'registration') {
    const history = await store.registrationHistory(seq);
    if (history !== undefined) return registrationItem(visit, item, history, isRevealed);
  }
  const history = item.kind === 'payout' ? await store.history(seq) : undefined;
  if (history !== undefined) return payoutItem(visit, item, history, isRevealed);
  return [describeOther(visit, item), sumOfItem(item, figures)];
}

/** The counted sum of a batch or an account. */
function sumOfItem({ kind, key }: ProposalItem, { of, files }: ProposalFigures): Part {
  if (of !== 'payouts' || (kind !== 'batch' && kind !== 'payer')) return undefined;
  const own = kind === 'batch' ? files.filter(({ batchId }) => batchId === key) : files;
  return showBaht(sumSatang(own.map(({ amountSatang }) => amountSatang)));
}

/** Describes a target other than a payout, or a payout that is gone. */
function describeOther(visit: ProvedVisit, { kind, key }: ProposalItem): Part {
  if (kind === 'payout' || kind === 'registration') return visit.say('proposal.gone-item');
  const words = whyOf(visit, describeTarget(kind, key));
  if (kind === 'batch') return html`<a class="open" href="/batch/${key}">${words}</a>`;
  return kind === 'registration-batch'
    ? html`<a class="open" href="/registrations/batch/${key}">${words}</a>`
    : words;
}

interface ItemHeads {
  readonly name: PlainCode;
  readonly whose: PlainCode;
  readonly hasAmount: boolean;
}

/** The headings of the list; registrations have accounts, and no amounts. */
const itemHeads = (kind: TargetKind | undefined): ItemHeads =>
  kind === 'registration' || kind === 'registration-batch'
    ? { name: 'decide.registration-head', whose: 'decide.account-head', hasAmount: false }
    : { name: 'payout.payout', whose: 'payout.payee', hasAmount: true };

/** One line of the list: the target, its state, and the outcome. */
export async function itemRow(
  store: ItemsReader,
  visit: ProvedVisit,
  item: ProposalItem,
  isRevealed: boolean,
  figures: ProposalFigures,
): Promise<Html> {
  const { say } = visit;
  const { itemNo, kind, status, why, note } = item;
  const heads = itemHeads(kind);
  const [name, amount, payee, state] = await describeItem(store, visit, item, isRevealed, figures);
  return html`<tr>
    <td data-head="${say(heads.name)}">${itemNo}. ${name}</td>
    ${heads.hasAmount && html`<td class="number" data-head="${say('payout.amount')}">${amount}</td>`}
    <td data-head="${say(heads.whose)}">
      ${payee} ${note !== undefined && html`<small>${showText(note)}</small>`}
    </td>
    <td data-head="${say('payout.status')}">${state}</td>
    <td data-head="${say('proposal.outcome')}">
      ${say(itemWords[status])} <small>${whyOf(visit, why)}</small>
    </td>
  </tr>`;
}

interface ItemPage {
  readonly items: readonly ProposalItem[];
  readonly rows: readonly Html[];
  readonly after: number;
}

/** The list of a proposal, page by page. */
export function itemTable(
  visit: ProvedVisit,
  { proposalId, kind, items: count }: Proposal,
  page: ItemPage,
): Html {
  const { say } = visit;
  const heads = itemHeads(kind);
  const lastNo = page.items.at(-1)?.itemNo ?? 0;
  return html`<section aria-labelledby="list">
    <h2 id="list">${say('proposal.the-list')}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">${say(heads.name)}</th>
          ${heads.hasAmount && html`<th scope="col" class="number">${say('payout.amount')}</th>`}
          <th scope="col">${say(heads.whose)}</th>
          <th scope="col">${say('payout.status')}</th>
          <th scope="col">${say('proposal.outcome')}</th>
        </tr>
      </thead>
      <tbody>
        ${page.rows}
      </tbody>
    </table>
    <div class="pages">
      ${page.after > 0 && html`<a class="button" href="/proposal/${proposalId}">${say('proposal.first')}</a>`}
      ${
        lastNo < count &&
        html`<a class="button" href="/proposal/${proposalId}/after/${lastNo}"
          >${say('proposal.further')} (${showCount(count - lastNo)})</a
        >`
      }
    </div>
  </section>`;
}
