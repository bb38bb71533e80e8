/** Payees: since when, how often and how much each was paid, the failures, and the names. */
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { message } from '../core/message.ts';
import { sayMoment } from '../core/moments.ts';
import { showText } from '../core/outgoing-text.ts';
import { maskDigits } from '../core/proxy-id.ts';
import { asksWholePayee, readPayee, type SearchReach } from '../payout/rules/search.ts';
import type { PersonStore } from '../review/ports.ts';
import { recordSearch } from '../review/reveal.ts';
import type { OverviewReader, PayeesFound, PayeeSeen } from './ports.ts';
import { html, type Html } from '../review/web/html.ts';
import { csrfField, postButton } from '../review/web/layout.ts';
import { reachNote, readSearch, searchField } from '../review/web/parts.ts';
import type { Fields, Page, ProvedVisit, View } from '../review/web/view.ts';

type PayeesReader = Pick<OverviewReader, 'payees'> & Pick<PersonStore, 'persons' | 'editPersons'>;

const payeesOnPage = 50;

interface PayeesForm {
  readonly search: string;
  readonly beforeSeq: number;
}

function readForm(fields: Fields): PayeesForm {
  const before = Number(fields['before']);
  return {
    search: readSearch(fields),
    beforeSeq: Number.isSafeInteger(before) && before > 0 ? before : Number.MAX_SAFE_INTEGER,
  };
}

function searchForm(visit: ProvedVisit, { search }: PayeesForm): Html {
  const { say } = visit;
  return html`<form method="post" action="/payees" class="filter short" role="search">
    ${csrfField(visit)} ${searchField(visit, say('payees.payee-search-hint'), search)}
    <div class="buttons">
      <button class="main">${say('queue.find')}</button>
      <a class="button" href="/payees">${say('queue.clear')}</a>
    </div>
  </form>`;
}

const moment = ({ say, language }: ProvedVisit, atMs: number | null): Html =>
  atMs === null
    ? html`<span class="off">${say('payees.never-paid')}</span>`
    : html`<time datetime="${formatBangkokDateTime(atMs)}">${sayMoment(language, atMs)}</time>`;

function payeeRow(visit: ProvedVisit, payee: PayeeSeen): Html {
  const { say } = visit;
  const { proxyType, proxyNo, payouts, paid, paidSatang, firstPaidMs, lastPaidMs, failures, names } = payee;
  return html`<tr>
    <td data-head="${say('payout.payee-number')}">
      <span class="name mono">${maskDigits(proxyNo)}</span>
      <small>${proxyType} · ${say(message('payees.in-files', { count: showCount(payouts) }))}</small>
    </td>
    <td data-head="${say('payees.names-seen')}">
      ${names.map((name, place) => html`${place > 0 && html`<br />`}${showText(name)}`)}
    </td>
    <td data-head="${say('payees.first-paid')}">${moment(visit, firstPaidMs)}</td>
    <td data-head="${say('payees.last-paid')}">${moment(visit, lastPaidMs)}</td>
    <td class="number" data-head="${say('payees.times-paid')}">${showCount(paid)}</td>
    <td class="number" data-head="${say('payees.sum-paid')}">${showBaht(paidSatang)}</td>
    <td class="number" data-head="${say('payees.failures')}">${showCount(failures)}</td>
  </tr>`;
}

function table(visit: ProvedVisit, payees: readonly PayeeSeen[]): Html {
  const { say } = visit;
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${say('payout.payee-number')}</th>
        <th scope="col">${say('payees.names-seen')}</th>
        <th scope="col">${say('payees.first-paid')}</th>
        <th scope="col">${say('payees.last-paid')}</th>
        <th scope="col" class="number">${say('payees.times-paid')}</th>
        <th scope="col" class="number">${say('payees.sum-paid')}</th>
        <th scope="col" class="number">${say('payees.failures')}</th>
      </tr>
    </thead>
    <tbody>
      ${payees.map((payee) => payeeRow(visit, payee))}
    </tbody>
  </table>`;
}

/** The reach of a search for a whole number; undefined for any other search. */
async function readReach(
  store: PayeesReader,
  { proved, nowMs }: ProvedVisit,
  text: string,
): Promise<SearchReach | undefined> {
  if (!asksWholePayee(text)) return undefined;
  return recordSearch(store, { now: () => nowMs }, proved, { place: 'payees', text });
}

async function find(
  store: PayeesReader,
  { search, beforeSeq }: PayeesForm,
  reach: SearchReach,
): Promise<PayeesFound> {
  if (search === '') return store.payees(undefined, beforeSeq, payeesOnPage);
  const wanted = readPayee(search, reach);
  return wanted === undefined
    ? { payees: [], beforeSeq: undefined }
    : store.payees(wanted, beforeSeq, payeesOnPage);
}

async function answerPayees(store: PayeesReader, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { say } = visit;
  const form = readForm(fields);
  const { search, beforeSeq: from } = form;
  const reach = await readReach(store, visit, search);
  const { payees, beforeSeq } = await find(store, form, reach ?? 'shown');
  const isSearched = search !== '';
  const nothing =
    beforeSeq === undefined ? (isSearched ? 'queue.no-match' : 'payees.no-payees') : 'payees.none-so-far';
  const further = isSearched ? say('payees.look-further') : say('queue.older');
  const isFirst = from === Number.MAX_SAFE_INTEGER;
  return {
    title: say('page.payees'),
    body: html`<h1>${say('page.payees')}</h1>
      <p>${say('payees.payees-hint')}</p>
      ${searchForm(visit, form)} ${reachNote(visit, reach)}
      ${
        payees.length === 0
          ? html`<div class="empty">
              <p><b>${say(nothing)}</b></p>
            </div>`
          : table(visit, payees)
      }
      <div class="pages">
        ${!isFirst && postButton(visit, '/payees', say('queue.newest'), { search }, 'page')}
        ${
          beforeSeq !== undefined &&
          postButton(visit, '/payees', further, { search, before: String(beforeSeq) }, 'page')
        }
      </div>`,
  };
}

/** Searches are posted: no payee's number is in an address or a log. */
export const makePayeesViews = (store: PayeesReader): readonly View[] =>
  (['GET', 'POST'] as const).map((method) => ({
    method,
    path: '/payees',
    action: 'see',
    answer: async (visit, fields) => answerPayees(store, visit, method === 'GET' ? {} : fields),
  }));
