/** One payout: its facts, the decisions that are possible now, and its whole history. */
import { bahtOf, sayCode } from '../../core/message.ts';
import { showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { HistoryReader, PayoutHistory } from '../../payout/ports.ts';
import { factsOf } from '../../reconcile/rules/types.ts';
import { describeReason, moneyMovedOf } from '../../reports/rules/report-rows.ts';
import type { ReviewContext } from '../context.ts';
import { readOptions } from '../payout-target.ts';
import type { PersonStore } from '../ports.ts';
import { recordReveal } from '../reveal.ts';
import { decideOffers, type Offer } from '../rules/offers.ts';
import { can } from '../rules/people.ts';
import { html, type Html, type Part } from './html.ts';
import { plainPage, postButton } from './layout.ts';
import { alarmTag, factList, momentOf, moneyTag, reasonOf, remedyOf, whyOf } from './parts.ts';
import { timeLine, type ToldLine } from './time-line.ts';
import type { Answer, Fields, Page, ProvedVisit, View } from './view.ts';

/** Reads the present context of decisions: the settings in force may have been agreed on meanwhile. */
export type ReadReview = () => Promise<ReviewContext>;

export interface PayoutPageContext {
  readonly store: HistoryReader & Pick<PersonStore, 'persons' | 'editPersons'>;
  readonly readReview: ReadReview;
}

// ---------------------------------------------------------------- reading

interface ShownPayout {
  readonly history: PayoutHistory;
  readonly offers: readonly Offer[];
  readonly openProposal: number | undefined;
  readonly lines: readonly ToldLine[];
}

/** Reads the row's number in the journal, which addresses use because it reveals nothing. */
export function readSeq(fields: Fields): number | undefined {
  const text = fields['seq'] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

async function readShown(
  { store, readReview }: PayoutPageContext,
  { person }: ProvedVisit,
  seq: number,
): Promise<ShownPayout | undefined> {
  const history = await store.history(seq);
  if (history === undefined) return undefined;
  const review = await readReview();
  const options = (await readOptions(review, seq)) ?? [];
  const [open] = await review.journal.openItems('payout', [String(seq)]);
  const openProposal = open?.proposalId;
  const offers = decideOffers(options, { person, people: review.people, openProposal });
  return { history, offers, openProposal, lines: await readLines(review, history) };
}

async function readLines(
  { journal }: ReviewContext,
  { row, attempts }: PayoutHistory,
): Promise<readonly ToldLine[]> {
  const payout = await journal.payout(row.seq);
  if (payout === undefined || attempts.length === 0) return [];
  await using view = await journal.openStatementView();
  const { acceptedAtMs } = view.days();
  const facts = attempts.map((attempt) => factsOf(payout, attempt));
  const references = facts.map(({ order }) => order.transRefNo);
  const kept = await view.linesOf(references, facts);
  return references
    .flatMap((reference) => kept.get(reference) ?? [])
    .flatMap(({ date, lines }) =>
      lines.map((line) => ({ date, acceptedAtMs: acceptedAtMs.get(date), line })),
    );
}

// ---------------------------------------------------------------- display

function payeeNumber(visit: ProvedVisit, { row }: PayoutHistory, isRevealed: boolean): Part {
  const { say, person } = visit;
  const number = row.instruction?.proxyNo ?? row.cells.proxyNo;
  if (isRevealed)
    return html`<span class="mono">${number}</span> <small role="status">${say('payout.revealed')}</small>`;
  return html`<span class="mono">${maskDigits(number)}</span> ${
      can(person, 'reveal').allowed && postButton(visit, `/payout/${row.seq}/reveal`, say('payout.reveal'))
    }`;
}

const ifAny = (text: string | null | undefined): Part =>
  text === null || text === undefined || text.trim() === '' ? undefined : showText(text);

function summary(visit: ProvedVisit, history: PayoutHistory, isRevealed: boolean): Html {
  const { say } = visit;
  const { row, batch, attempts } = history;
  const { payeeName, reference1, reference2 } = row.instruction ?? row.cells;
  const [code, why] = describeReason(row);
  const carried = batch.extraColumns.map((name, place) => [name, row.extras[place] ?? ''] as const);
  const names = [row.bankPayeeName, row.bankPayeeNameTh].filter(Boolean).join(' · ');
  return factList([
    [say('payout.payee-number'), payeeNumber(visit, history, isRevealed)],
    [say('payout.our-name'), ifAny(payeeName) ?? say('payout.not-said')],
    [say('payout.bank-name'), ifAny(names) ?? say('payout.not-said')],
    [
      say('payout.why'),
      (why !== null || code !== '') && html`${reasonOf(visit, row)} <small>${code}</small>`,
    ],
    [say('payout.remedy'), remedyOf(visit, row)],
    [
      say('payout.batch'),
      html`<a href="/batch/${batch.batchId}">${batch.batchId}</a>, ${say('payout.row')} ${row.rowNo}
        <small>${showText(batch.fileName)}</small>`,
    ],
    [say('payout.references'), ifAny([reference1, reference2].filter(Boolean).join(', '))],
    [say('payout.transfer'), attempts.at(-1)?.order.transRefNo],
    [say('payout.bank-reference'), ifAny(row.sysRefNo)],
    [say('payout.fee'), ifAny(row.feeText)],
    [say('payout.sent'), row.submittedAtMs !== null && momentOf(visit, row.submittedAtMs)],
    [say('payout.settled'), row.settledAtMs !== null && momentOf(visit, row.settledAtMs)],
    [
      say('payout.carried'),
      carried.some(([, cell]) => cell !== '') &&
        carried.map(([name, cell]) => html`<small>${showText(name)}</small> ${showText(cell)}<br />`),
    ],
  ]);
}

const offerItem = (visit: ProvedVisit, seq: number, offer: Offer): Html => {
  const { say, language } = visit;
  const label = sayCode(language, `decision.${offer.decision}`);
  return offer.whyNot === undefined
    ? html`<li>
        <a class="button" href="/payout/${seq}/decide/${offer.decision}">${label}</a>
        <small>${offer.needsSecond ? say('payout.second') : say('payout.one-is-enough')}</small>
      </li>`
    : html`<li class="off">${label} <small>${whyOf(visit, offer.whyNot)}</small></li>`;
};

function decisionsCard(visit: ProvedVisit, { history, offers, openProposal }: ShownPayout): Html {
  const { say } = visit;
  const [possible, others] = [
    offers.filter(({ whyNot }) => whyNot === undefined),
    offers.filter(({ whyNot }) => whyNot !== undefined),
  ];
  const list = (some: readonly Offer[]) =>
    html`<ul class="decisions">
      ${some.map((offer) => offerItem(visit, history.row.seq, offer))}
    </ul>`;
  return html`<section class="card" aria-labelledby="decisions">
    <h2 id="decisions">${say('payout.decisions')}</h2>
    ${
      openProposal !== undefined &&
      html`<p>
        <a href="/proposal/${openProposal}"
          >${say('payout.waits-for-check')}: ${say('payout.proposal-word')} ${openProposal}</a
        >
      </p>`
    }
    ${possible.length > 0 && list(possible)}
    ${
      others.length > 0 &&
      html`<details ${possible.length === 0 ? html`open` : ''}>
        <summary>${say('payout.not-possible')}</summary>
        ${list(others)}
      </details>`
    }
  </section>`;
}

function payoutPage(visit: ProvedVisit, shown: ShownPayout, isRevealed: boolean): Page {
  const { say, language } = visit;
  const { history, lines } = shown;
  const { row } = history;
  const name = row.cells.payoutId.trim();
  const amount = row.amountSatang === null ? showText(row.cells.amount) : say(bahtOf(row.amountSatang));
  return {
    title: `${say('payout.payout')} ${name}`,
    body: html`<h1>${say('payout.payout')} ${name}</h1>
      <ul class="figures" data-live="figures">
        <li><b>${amount}</b> ${say('payout.amount')}</li>
        <li>
          <b>${sayCode(language, `payout-status.${row.status}`)}</b> ${moneyTag(visit, moneyMovedOf(row))}
        </li>
        ${row.isAlarm && html`<li>${alarmTag(visit)}</li>`}
      </ul>
      <div class="columns">
        <section class="card">${summary(visit, history, isRevealed)}</section>
        <div class="first" data-live="decisions">${decisionsCard(visit, shown)}</div>
      </div>
      <section aria-labelledby="story" data-live="story">
        <h2 id="story">${say('payout.history')}</h2>
        ${timeLine(visit, history, lines)}
      </section>`,
  };
}

async function answerPayout(
  context: PayoutPageContext,
  visit: ProvedVisit,
  fields: Fields,
  isRevealed: boolean,
): Promise<Answer> {
  const seq = readSeq(fields);
  const shown = seq === undefined ? undefined : await readShown(context, visit, seq);
  if (shown === undefined)
    return plainPage(visit, 404, visit.say('page.not-found'), visit.say('payout.archived'));
  if (isRevealed) {
    const { row, batch } = shown.history;
    const looked = { what: 'payee-number', row: row.rowNo, batch: batch.batchId } as const;
    const { clock } = await context.readReview();
    await recordReveal(context.store, clock, visit.proved, { ...looked, payout: row.seq });
  }
  return payoutPage(visit, shown, isRevealed);
}

export const makePayoutViews = (context: PayoutPageContext): readonly View[] => [
  {
    method: 'GET',
    path: '/payout/:seq',
    action: 'see',
    answer: async (visit, fields) => answerPayout(context, visit, fields, false),
  },
  {
    method: 'POST',
    path: '/payout/:seq/reveal',
    action: 'reveal',
    answer: async (visit, fields) => answerPayout(context, visit, fields, true),
  },
];
