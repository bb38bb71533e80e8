/**
 * The lists of proposals: those that wait for a check; and the items of one, each as it was proposed and as it is.
 */
import { showBaht, showCount } from '../../core/figures.ts';
import { sayAge } from '../../core/moments.ts';
import { type Message, message, type PlainCode, sayCode } from '../../core/message.ts';
import { sentBackMs } from '../../attention/attention-list.ts';
import { parseBaht, type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import type { Batch, BatchReader } from '../../core/ports.ts';
import { showText } from '../../core/outgoing-text.ts';
import { showLastDigits } from '../../core/proxy-id.ts';
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
import type { ReviewContext } from '../context.ts';
import { approvalCode } from '../rules/approval.ts';
import { asAdmin, can } from '../rules/people.ts';
import { isPersonProposal, type PersonProposal } from '../rules/person-request.ts';
import { describeRequest } from '../rules/person-words.ts';
import { listChangesToCheck, listOpenChanges, type PersonContext } from '../people.ts';
import { listForCheck } from '../verdict.ts';
import { describeTarget } from '../rules/batch-decisions.ts';
import { headlineOf, sayFiles } from './figures-panel.ts';
import { html, type Html, type Part } from './html.ts';
import type { ReadReview } from './payout-page.ts';
import { capital, reasonOf, whyOf, whyOfRegistration } from './parts.ts';
import type { Page, ProvedVisit, View } from './view.ts';

/** The proposals that a page looks through. */
export const listMax = 200;
const latelyMax = 20;
const newest = Number.MAX_SAFE_INTEGER;

const endedStatuses = proposalStatuses.filter((status) => !openProposalStatuses.includes(status));

interface ListContext {
  readonly store: Pick<BatchReader, 'batches'>;
  readonly readPersons: () => Promise<PersonContext>;
  readonly readReview: ReadReview;
}

/** One line of a list: the sentence, what is behind it, the sum and the age. */
interface ListLine {
  readonly href: string;
  readonly title: Part;
  readonly small: Part;
  readonly amountSatang: Satang | null;
  readonly atMs: number;
  readonly sign: string;
}

const lineItem = ({ language, nowMs }: ProvedVisit, line: ListLine): Html =>
  html`<li>
    <span class="sg" aria-hidden="true">${line.sign}</span>
    <span
      ><a class="open" href="${line.href}"><b>${line.title}</b></a> <small>${line.small}</small></span
    >
    <span class="n r"
      >${line.amountSatang !== null && showBaht(line.amountSatang)}
      <small>${sayAge(language, nowMs - line.atMs)}</small></span
    >
  </li>`;

function proposalLine(visit: ProvedVisit, proposal: Proposal | PersonProposal): ListLine {
  const { say, language } = visit;
  const { proposalId, maker, madeAtMs, note, status, checker, checkNote } = proposal;
  const about = isPersonProposal(proposal)
    ? { title: capital(say(describeRequest(proposal))), small: undefined, amountSatang: null }
    : {
        title: capital(say(headlineOf(proposal))),
        small: sayFiles(visit, proposal.figures),
        amountSatang: countedOf(proposal).amountSatang,
      };
  const isWaiting = openProposalStatuses.includes(status);
  const said = isWaiting ? undefined : sayCode(language, `proposal-status.${status}`);
  const words = [about.small, said, isWaiting ? maker : checker, showText(checkNote ?? note)];
  return {
    ...about,
    href: `/proposal/${proposalId}`,
    small: words.filter(Boolean).join(' · '),
    atMs: madeAtMs,
    sign: status === 'applied' ? '●' : isWaiting ? '…' : '○',
  };
}

/** A batch that waits for a proposal, with the sum of its rows that wait. */
async function batchLine(
  { say }: ProvedVisit,
  { journal }: ReviewContext,
  { batchId, fileName, startedAtMs }: Batch,
): Promise<ListLine> {
  const file = showText(fileName);
  const totalSatang = (await journal.approvalOf(batchId))?.amountSatang ?? zeroSatang;
  return {
    href: `/batch/${batchId}/decide/approve-batch`,
    title: say(message('approval.propose-to-pay', { file })),
    small: batchId,
    amountSatang: totalSatang === zeroSatang ? null : totalSatang,
    atMs: startedAtMs,
    sign: '…',
  };
}

const listGroup = (visit: ProvedVisit, heading: PlainCode, lines: readonly ListLine[]): Part =>
  lines.length > 0 &&
  html`<section aria-labelledby="${heading}">
    <h2 id="${heading}">${visit.say(heading)} <small>${showCount(lines.length)}</small></h2>
    <ul class="q">
      ${lines.map((line) => lineItem(visit, line))}
    </ul>
  </section>`;

/** The batches that wait for a proposal of this person. */
async function listToPropose(
  { store }: ListContext,
  { journal }: ReviewContext,
  { person }: ProvedVisit,
): Promise<readonly Batch[]> {
  if (!can(person, 'propose').allowed) return [];
  const waiting = (await store.batches()).filter(
    ({ status, reasonCode }) => status === 'paused' && reasonCode === approvalCode,
  );
  const shown = waiting.slice(0, listMax);
  const open = await journal.openItems(
    'batch',
    shown.map(({ batchId }) => batchId),
  );
  return shown.filter(({ batchId }) => !open.some(({ key }) => key === batchId));
}

/** Proposals about people, for an admin: those to check, the other open ones, and the ended ones. */
async function readChanges({ readPersons }: ListContext, { person }: ProvedVisit) {
  const context = await readPersons();
  const open = await listOpenChanges(context, person);
  const mine = await listChangesToCheck(context, person, open);
  const admin = asAdmin(person);
  const ended = admin && (await context.store.personProposals(endedStatuses, newest, latelyMax, admin));
  return { mine, others: open.filter((one) => !mine.includes(one)), ended: ended ?? [] };
}

async function answerList(context: ListContext, visit: ProvedVisit): Promise<Page> {
  const { say, person } = visit;
  const review = await context.readReview();
  const open = await review.journal.proposals(openProposalStatuses, newest, listMax);
  const changes = await readChanges(context, visit);
  const ended = [
    ...(await review.journal.proposals(endedStatuses, newest, latelyMax)),
    ...changes.ended,
  ].toSorted((one, other) => other.madeAtMs - one.madeAtMs);
  const ofDecisions = await listForCheck(review, visit.proved, open);
  const mine = [...ofDecisions, ...changes.mine];
  const sentBack = await review.journal.sentBack(visit.nowMs - sentBackMs, listMax);
  const back = sentBack.filter(({ makerId }) => makerId === person.personId);
  const toPropose = await listToPropose(context, review, visit);
  const lines = (proposals: readonly (Proposal | PersonProposal)[]) =>
    proposals.map((one) => proposalLine(visit, one));
  const isMine = new Set(mine.map(({ proposalId }) => proposalId));
  const others = [...open, ...changes.others].filter(({ proposalId }) => !isMine.has(proposalId));
  const isBack = new Set(back.map(({ proposalId }) => proposalId));
  const decided = ended.filter(({ proposalId }) => !isBack.has(proposalId));
  return {
    title: say('page.proposals'),
    body: html`<h1>${say('page.proposals')}</h1>
      <div data-live="proposals">
        ${
          mine.length + others.length + back.length + toPropose.length === 0 &&
          html`<div class="empty">
            <p><b>${say('proposal.nothing-to-check')}</b></p>
          </div>`
        }
        ${listGroup(visit, 'approval.for-my-check', lines(mine))}
        ${listGroup(
          visit,
          'approval.needs-proposal',
          await Promise.all(toPropose.map(async (batch) => batchLine(visit, review, batch))),
        )}
        ${listGroup(visit, 'approval.sent-back-to-you', lines(back))}
        ${listGroup(visit, 'approval.waits-for-checker', lines(others))}
        ${listGroup(visit, 'approval.decided', lines(decided.slice(0, latelyMax)))}
      </div>`,
  };
}

export const makeProposalListViews = (context: ListContext): readonly View[] => [
  {
    method: 'GET',
    path: '/proposals',
    action: 'see',
    answer: async (visit) => answerList(context, visit),
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
  const show = (number: string) => (isRevealed ? number : showLastDigits(number));
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
    html`<span class="mono">${showLastDigits(row.instruction?.proxyNo ?? row.cells.proxyNo)}</span>
      <small>${showText(names)}</small> ${correctionOf(visit, item, isRevealed)}`,
    [
      thenAndNow(visit, item, standsOf(visit, item, history)),
      item.status === 'open' && row.status === 'held' && html` <small>${reasonOf(visit, row)}</small>`,
    ],
  ];
}

function registrationItem(
  visit: ProvedVisit,
  item: ProposalItem,
  { row, batch, events }: RegistrationHistory,
  isRevealed: boolean,
): readonly Part[] {
  const { say, language } = visit;
  const show = (number: string) => (isRevealed ? number : showLastDigits(number));
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
    [
      thenAndNow(visit, item, stands),
      item.status === 'open' &&
        row.status === 'held' &&
        html` <small>${whyOfRegistration(visit, row)}</small>`,
    ],
  ];
}

/** Describes the target of an item: a payout, a registration, or another kind. */
export async function describeItem(
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
  const sum = sumSatang(own.map(({ amountSatang }) => amountSatang));
  return sum > zeroSatang && showBaht(sum);
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
  /** True for rows of files, which have a payee or an account, and a status. */
  readonly isRow: boolean;
}

/** The headings of the list; registrations have accounts, and no amounts. */
function itemHeads(kind: TargetKind | undefined): ItemHeads {
  const isRow = kind === 'payout' || kind === 'registration';
  const name = kind === 'registration' ? 'decide.registration-head' : isRow ? 'payout.payout' : 'queue.waits';
  const whose = kind === 'registration' ? 'decide.account-head' : 'payout.payee';
  return { name, whose, hasAmount: kind !== 'registration' && kind !== 'registration-batch', isRow };
}

const noteOf = (note: string | undefined): Part =>
  note !== undefined && html`<small>${showText(note)}</small>`;

/** The outcome of an item. @param tick of what a checker leaves out */
export const outcomeOf = (visit: ProvedVisit, { status, why }: ProposalItem, tick: Part): Html =>
  html`${visit.say(itemWords[status])} <small>${whyOf(visit, why)}</small> ${tick}`;

/** One line of the list: the target, its state, and the outcome. @param tick of what a checker leaves out */
export async function itemRow(
  store: ItemsReader,
  visit: ProvedVisit,
  item: ProposalItem,
  isRevealed: boolean,
  figures: ProposalFigures,
  tick: Part,
): Promise<Html> {
  const { say } = visit;
  const { itemNo, kind, note } = item;
  const heads = itemHeads(kind);
  const [name, amount, payee, state] = await describeItem(store, visit, item, isRevealed, figures);
  return html`<tr>
    <td data-head="${say(heads.name)}">${itemNo}. ${name} ${!heads.isRow && noteOf(note)}</td>
    ${heads.hasAmount && html`<td class="number" data-head="${say('payout.amount')}">${amount}</td>`}
    ${
      heads.isRow &&
      html`<td data-head="${say(heads.whose)}">${payee} ${noteOf(note)}</td>
        <td data-head="${say('payout.status')}">${state}</td>`
    }
    <td data-head="${say('proposal.outcome')}">${outcomeOf(visit, item, tick)}</td>
  </tr>`;
}

interface ItemPage {
  readonly items: readonly ProposalItem[];
  readonly after: number;
}

/** The lines of a list under their headings. */
export function linesTable({ say }: ProvedVisit, { kind }: Proposal, rows: readonly Html[]): Html {
  const heads = itemHeads(kind);
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${say(heads.name)}</th>
        ${heads.hasAmount && html`<th scope="col" class="number">${say('payout.amount')}</th>`}
        ${
          heads.isRow &&
          html`<th scope="col">${say(heads.whose)}</th>
            <th scope="col">${say('payout.status')}</th>`
        }
        <th scope="col">${say('proposal.outcome')}</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** The list of a proposal, page by page. */
export function itemPages(
  { say }: ProvedVisit,
  { proposalId, items: count }: Proposal,
  { items, after }: ItemPage,
  table: Html,
): Html {
  const lastNo = items.at(-1)?.itemNo ?? 0;
  return html`<section aria-labelledby="list">
    <h2 id="list">${say('proposal.the-list')}</h2>
    ${table}
    <div class="pages">
      ${after > 0 && html`<a class="button" href="/proposal/${proposalId}">${say('proposal.first')}</a>`}
      ${
        lastNo < count &&
        html`<a class="button" href="/proposal/${proposalId}/after/${lastNo}"
          >${say('proposal.further')} (${showCount(count - lastNo)})</a
        >`
      }
    </div>
  </section>`;
}
