/** Payees: since when, how often and how much each was paid, the failures, and the names. */
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { message, type PlainCode, sayCode } from '../core/message.ts';
import { sayMoment } from '../core/moments.ts';
import { showText } from '../core/outgoing-text.ts';
import { showLastDigits } from '../core/proxy-id.ts';
import type { FoundPayout, HistoryReader, PayoutSearch } from '../payout/ports.ts';
import { asksWholePayee, readPayee, type SearchReach } from '../payout/rules/search.ts';
import { moneyMovedOf } from '../reports/rules/report-rows.ts';
import type { PersonStore } from '../review/ports.ts';
import { recordSearch } from '../review/reveal.ts';
import type { OverviewReader, PayeeOrder, PayeesFound, PayeeSeen } from './ports.ts';
import { html, type Html } from '../review/web/html.ts';
import { csrfField, plainPage, postButton } from '../review/web/layout.ts';
import {
  dataTable,
  emptyNote,
  momentOf,
  moneyTag,
  reachNote,
  readSearch,
  searchField,
} from '../review/web/parts.ts';
import { readSeq } from '../review/web/payout-page.ts';
import { type Fields, formAt, type Page, type ProvedVisit, searchAt, type View } from '../review/web/view.ts';

type PayeesReader = Pick<OverviewReader, 'payees' | 'unpaidPayees' | 'paidPayees'> &
  Pick<PersonStore, 'persons' | 'editPersons'> &
  Pick<HistoryReader, 'history'> &
  Pick<PayoutSearch, 'searchPayouts'>;

const payeesOnPage = 50;

/** The lists of payees: those who were paid, by an order, or those who never were. */
const lists = ['sum', 'failures', 'last', 'never'] as const;

interface PayeesForm {
  readonly search: string;
  readonly list: PayeeOrder | 'never';
  /** A number of rows for those who were paid, else the row before which the page begins. */
  readonly from: number | undefined;
}

function readForm(fields: Fields): PayeesForm {
  const from = Number(fields['from']);
  return {
    search: readSearch(fields),
    list: lists.find((one) => one === fields['list']) ?? 'sum',
    from: Number.isSafeInteger(from) && from > 0 ? from : undefined,
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

/** Buttons for the lists. */
function listButtons(visit: ProvedVisit, { search, list }: PayeesForm): Html {
  const { say } = visit;
  return html`<form method="post" action="/payees">
    ${csrfField(visit)}
    <div class="chips">
      ${lists.map((one) => {
        const isNow = search === '' && one === list;
        return html`<button name="list" value="${one}" ${isNow && html`aria-current="true"`}>
          ${say(`payees.list-${one}`)}
        </button>`;
      })}
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
      <a class="open" href="/payee/${payee.latestSeq}"
        ><span class="name mono">${showLastDigits(proxyNo)}</span></a
      >
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

const numbers = ['payees.times-paid', 'payees.sum-paid', 'payees.failures'] as const;
const heads = [
  'payout.payee-number',
  'payees.names-seen',
  'payees.first-paid',
  'payees.last-paid',
  ...numbers,
] as const;

const table = (visit: ProvedVisit, payees: readonly PayeeSeen[]): Html =>
  dataTable(
    visit,
    heads,
    payees.map((payee) => payeeRow(visit, payee)),
    numbers,
  );

/** The reach of a search for a whole number; undefined for any other search. */
async function readReach(
  store: PayeesReader,
  { proved, nowMs }: ProvedVisit,
  text: string,
): Promise<SearchReach | undefined> {
  if (!asksWholePayee(text)) return undefined;
  return recordSearch(store, { now: () => nowMs }, proved, { place: 'payees', text });
}

/** A page of payees, and the place at which the next one begins. */
interface PayeesPage {
  readonly payees: readonly PayeeSeen[];
  readonly next: number | undefined;
}

const pageOf = ({ payees, beforeSeq }: PayeesFound): PayeesPage => ({ payees, next: beforeSeq });

async function find(store: PayeesReader, form: PayeesForm, reach: SearchReach): Promise<PayeesPage> {
  const { search, list, from } = form;
  const beforeSeq = from ?? Number.MAX_SAFE_INTEGER;
  if (search !== '') {
    const wanted = readPayee(search, reach);
    if (wanted === undefined) return { payees: [], next: undefined };
    return pageOf(await store.payees(wanted, beforeSeq, payeesOnPage));
  }
  if (list === 'never') return pageOf(await store.unpaidPayees(beforeSeq, payeesOnPage));
  const payees = await store.paidPayees(list, from ?? 0, payeesOnPage);
  return { payees, next: payees.length < payeesOnPage ? undefined : (from ?? 0) + payeesOnPage };
}

function emptyWord({ search, list }: PayeesForm, next: number | undefined): PlainCode {
  if (next !== undefined) return 'payees.none-so-far';
  if (search !== '') return 'queue.no-match';
  return list === 'never' ? 'payees.all-paid' : 'payees.no-payees';
}

async function answerPayees(store: PayeesReader, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { say } = visit;
  const form = readForm(fields);
  const { search, list, from } = form;
  const reach = await readReach(store, visit, search);
  const { payees, next } = await find(store, form, reach ?? 'shown');
  const further = say(search === '' ? 'queue.older' : 'payees.look-further');
  return {
    title: say('page.payees'),
    body: html`<h1>${say('page.payees')}</h1>
      <p>${say('payees.payees-hint')}</p>
      ${searchForm(visit, form)} ${listButtons(visit, form)} ${reachNote(visit, reach)}
      ${payees.length === 0 ? emptyNote(say(emptyWord(form, next))) : table(visit, payees)}
      <div class="pages">
        ${from !== undefined && postButton(visit, '/payees', say('payees.to-start'), { search, list }, 'page')}
        ${next !== undefined && postButton(visit, '/payees', further, { search, list, from: String(next) }, 'page')}
      </div>`,
  };
}

// ---------------------------------------------------------------- one payee

function payoutRow(visit: ProvedVisit, { row, batch }: FoundPayout): Html {
  const { say, language } = visit;
  return html`<tr>
    <td data-head="${say('payout.payout')}">
      <a class="open" href="/payout/${row.seq}"><span class="name">${row.cells.payoutId.trim()}</span></a>
      <small>${showText(batch.fileName)} · ${say('payout.row')} ${row.rowNo}</small>
    </td>
    <td class="number" data-head="${say('payout.amount')}">
      ${row.amountSatang === null ? showText(row.cells.amount) : showBaht(row.amountSatang)}
    </td>
    <td data-head="${say('payout.status')}">
      ${sayCode(language, `payout-status.${row.status}`)} ${moneyTag(visit, moneyMovedOf(row))}
    </td>
    <td class="mono" data-head="${say('payout.time')}">
      ${momentOf(visit, row.submittedAtMs ?? batch.startedAtMs)}
    </td>
  </tr>`;
}

/** The payouts to one payee, latest first. The payee is named by a row, so that no number is in an address. */
async function answerPayee(store: PayeesReader, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { say } = visit;
  const seq = readSeq(fields);
  const history = seq === undefined ? undefined : await store.history(seq);
  const proxyNo = history?.row.instruction?.proxyNo;
  if (seq === undefined || proxyNo === undefined)
    return plainPage(visit, 404, say('page.not-found'), say('payout.archived'), '/payees');
  const { from = Number.MAX_SAFE_INTEGER } = readForm(fields);
  const wanted = { kind: 'number', proxyNo, end: proxyNo } as const;
  const { payees } = await store.payees(wanted, Number.MAX_SAFE_INTEGER, 1);
  const found = await store.searchPayouts({ payee: wanted }, from, payeesOnPage);
  const last = found.length < payeesOnPage ? undefined : found.at(-1)?.row.seq;
  const title = `${say('payout.payee')} ${showLastDigits(proxyNo)}`;
  return {
    title,
    body: html`<p class="bread"><a href="/payees">← ${say('page.payees')}</a></p>
      <h1>${title}</h1>
      ${table(visit, payees)}
      <section aria-labelledby="payouts">
        <h2 id="payouts">${say('payees.payouts')}</h2>
        ${dataTable(
          visit,
          ['payout.payout', 'payout.amount', 'payout.status', 'payout.time'],
          found.map((one) => payoutRow(visit, one)),
          ['payout.amount'],
        )}
        <div class="pages">
          ${last !== undefined && postButton(visit, `/payee/${seq}`, say('queue.older'), { from: String(last) }, 'page')}
        </div>
      </section>`,
  };
}

/** Searches are posted: no payee's number is in an address or a log. */
export const makePayeesViews = (store: PayeesReader): readonly View[] => [
  ...searchAt('/payees', 'see', (visit, fields) => answerPayees(store, visit, fields)),
  ...formAt('/payee/:seq', 'see', (visit, fields) => answerPayee(store, visit, fields)),
];
