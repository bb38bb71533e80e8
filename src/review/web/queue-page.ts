/** The queue: everything that waits for a person, the newest first, page by page. */
import { showBaht, showCount } from '../../core/figures.ts';
import { formatBangkokDateTime, readDay } from '../../core/bangkok-time.ts';
import { message, sayCode } from '../../core/message.ts';
import { sayAge, sayMoment } from '../../core/moments.ts';
import { sumSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import { type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { FoundPayout, PayoutSearch, WaitingReader, WaitingTotal } from '../../payout/ports.ts';
import {
  asksWholeNumber,
  type MoneyMoved,
  openStatuses,
  parseSearch,
  type PayoutFilter,
  placeInTime,
  type SearchReach,
} from '../../payout/rules/search.ts';
import { moneyMovedOf } from '../../reports/rules/report-rows.ts';
import type { PersonStore, QueueStore } from '../ports.ts';
import { recordSearch } from '../reveal.ts';
import { type Owner, readOwners } from '../rules/queue.ts';
import { html, type Html, type Part } from './html.ts';
import { csrfField, postButton, problems } from './layout.ts';
import {
  alarmTag,
  moneyTag,
  reachNote,
  readSearch,
  reasonOf,
  remedyOf,
  searchField,
  searchLengthMax,
} from './parts.ts';
import { itemsSection, makeQueueItemViews, ownerOf, type QueueItemsContext } from './queue-items.ts';
import type { Fields, Page, ProvedVisit, View } from './view.ts';
import type { ResultRow } from '../../core/ports.ts';
import { can } from '../rules/people.ts';

export type QueueReader = WaitingReader &
  Pick<PayoutSearch, 'findOwners'> &
  Pick<QueueStore, 'reviewNotes'> &
  Pick<PersonStore, 'persons' | 'editPersons'>;

interface QueuePageContext extends QueueItemsContext {
  readonly store: QueueReader & QueueItemsContext['store'];
}

const rowsOnPage = 50;

/** The values in the filter form. */
interface QueueForm {
  readonly search: string;
  readonly status: PayoutStatus | undefined;
  readonly money: MoneyMoved | undefined;
  readonly day: string;
  /** The upper bound of row numbers. */
  readonly before: number;
}

const moneyWords: readonly MoneyMoved[] = ['no', 'unknown', 'yes'];

const findWord = <Name extends string>(names: readonly Name[], word: string | undefined): Name | undefined =>
  names.find((name) => name === word);

function readForm(fields: Fields): QueueForm {
  const before = Number(fields['before']);
  return {
    search: readSearch(fields),
    status: findWord(payoutStatuses, fields['status']),
    money: findWord(moneyWords, fields['money']),
    day: (fields['day'] ?? '').trim().slice(0, searchLengthMax),
    before: Number.isSafeInteger(before) && before > 0 ? before : Number.MAX_SAFE_INTEGER,
  };
}

interface ReadFilter {
  readonly filter: PayoutFilter;
  /** The reach of a search for a whole number; undefined for other searches. */
  readonly reach: SearchReach | undefined;
}

/** Reads the filter; undefined for an invalid day. */
async function readFilter(
  store: QueueReader,
  { proved, nowMs }: ProvedVisit,
  { search, status, money, day }: QueueForm,
): Promise<ReadFilter | undefined> {
  const bounds = day === '' ? undefined : readDay(day);
  if (bounds?.ok === false) return undefined;
  const searched = { place: 'queue', text: search } as const;
  const reach = asksWholeNumber(search)
    ? await recordSearch(store, { now: () => nowMs }, proved, searched)
    : undefined;
  const ownerSeqs = search === '' ? [] : await store.findOwners(search);
  const anyOf = parseSearch(search, reach ?? 'shown').map((one) => ({ ...one, ownerSeqs }));
  const filter: PayoutFilter = {
    statuses: status === undefined ? [] : [status],
    moneyMoved: money,
    sinceMs: bounds?.startMs,
    untilMs: bounds?.endMs,
    anyOf,
  };
  return { filter, reach };
}

// ---------------------------------------------------------------- display

function figures({ say, language, nowMs }: ProvedVisit, totals: readonly WaitingTotal[]): Html {
  const rows = rowsOf(totals);
  const satang = sumSatang(totals.map(({ amountSatang }) => amountSatang));
  const oldestMs = Math.min(...totals.map((total) => total.oldestMs));
  return html`<ul class="figures">
    <li><b>${showCount(rows)}</b> ${say('queue.need-person')}</li>
    <li><b>${showBaht(satang)}</b> ${say('payout.baht')}</li>
    ${totals.length > 0 && html`<li><b>${sayAge(language, nowMs - oldestMs)}</b> ${say('queue.oldest')}</li>`}
    ${
      totals.length > 1 &&
      totals.map(
        ({ status, rows: count }) =>
          html`<li><b>${showCount(count)}</b> ${sayCode(language, `payout-status.${status}`)}</li>`,
      )
    }
  </ul>`;
}

const choice = (value: string, label: string, isChosen: boolean): Html =>
  html`<option value="${value}" ${isChosen ? html`selected` : ''}>${label}</option>`;

function filterForm(visit: ProvedVisit, { search, status, money, day }: QueueForm): Html {
  const { say, language } = visit;
  return html`<form method="post" action="/queue" class="filter" role="search" data-live-form>
    ${csrfField(visit)} ${searchField(visit, say('queue.search-hint'), search)}
    <div>
      <label for="status">${say('payout.status')}</label>
      <select id="status" name="status">
        ${choice('', say('queue.any'), status === undefined)}
        ${openStatuses.map((one) => choice(one, sayCode(language, `payout-status.${one}`), one === status))}
      </select>
    </div>
    <div>
      <label for="money">${say('payout.money')}</label>
      <select id="money" name="money">
        ${choice('', say('queue.any'), money === undefined)}
        ${moneyWords.map((one) => choice(one, sayCode(language, `money-moved.${one}`), one === money))}
      </select>
    </div>
    <div>
      <label for="day">${say('payout.day')}</label>
      <input id="day" name="day" type="date" value="${day}" />
    </div>
    <div class="buttons">
      <button class="main">${say('queue.find')}</button>
      <a class="button" href="/queue">${say('queue.clear')}</a>
    </div>
  </form>`;
}

const joinNames = (...names: readonly (string | null | undefined)[]): string =>
  [...new Set(names.filter((name) => typeof name === 'string' && name.trim() !== ''))].join(' · ');

type Owners = ReadonlyMap<string, Owner>;

function payoutRow(visit: ProvedVisit, found: FoundPayout, owners: Owners): Html {
  const { say, language, nowMs } = visit;
  const { row, batch } = found;
  const { cells, instruction } = row;
  const amount = row.amountSatang === null ? cells.amount : showBaht(row.amountSatang);
  const names = joinNames((instruction ?? cells).payeeName, row.bankPayeeName, row.bankPayeeNameTh);
  const placedMs = placeInTime(row, batch);
  return html`<tr>
    ${choiceCell(visit, row)}
    <td data-head="${say('payout.payout')}">
      <a class="open" href="/payout/${row.seq}"><span class="name">${cells.payoutId.trim()}</span></a>
      <small>${batch.batchId} · ${say('payout.row')} ${row.rowNo}</small>
    </td>
    <td class="number" data-head="${say('payout.amount')}">${showText(amount)}</td>
    <td data-head="${say('payout.payee')}">
      <span class="mono">${maskDigits(instruction?.proxyNo ?? cells.proxyNo)}</span>
      <small>${showText(names)}</small>
    </td>
    <td data-head="${say('payout.status')}">
      ${row.isAlarm && html`${alarmTag({ say })}<br />`}
      <b>${sayCode(language, `payout-status.${row.status}`)}</b><br />
      ${moneyTag({ language }, moneyMovedOf(row))}
    </td>
    <td class="why" data-head="${say('payout.why')}">
      ${reasonOf(visit, row)} <small>${remedyOf(visit, row)}</small>
    </td>
    <td class="mono" data-head="${say('payout.age')}">
      <time datetime="${formatBangkokDateTime(placedMs)}" title="${sayMoment(language, placedMs)}"
        >${sayAge(language, nowMs - placedMs)}</time
      >
      ${ownerOf(visit, { kind: 'payout', key: String(row.seq) }, owners.get(String(row.seq)))}
    </td>
  </tr>`;
}

function table(visit: ProvedVisit, found: readonly FoundPayout[], owners: Owners): Html {
  const { say } = visit;
  return html`<table>
    <thead>
      <tr>
        ${choiceHead(visit)}
        <th scope="col">${say('payout.payout')}</th>
        <th scope="col" class="number">${say('payout.amount')}</th>
        <th scope="col">${say('payout.payee')}</th>
        <th scope="col">${say('payout.status')}, ${say('payout.money')}</th>
        <th scope="col">${say('payout.why')}, ${say('payout.remedy')}</th>
        <th scope="col">${say('payout.age')}, ${say('queue.owner')}</th>
      </tr>
    </thead>
    <tbody>
      ${found.map((one) => payoutRow(visit, one, owners))}
    </tbody>
  </table>`;
}

/** The filter as form fields, to be posted again. */
const fieldsOf = ({ search, status, money, day }: QueueForm): Readonly<Record<string, string>> => ({
  search,
  status: status ?? '',
  money: money ?? '',
  day,
});

const rowsOf = (totals: readonly WaitingTotal[]): number =>
  totals.reduce((sum, total) => sum + total.rows, 0);

function pages(visit: ProvedVisit, form: QueueForm, lastSeq: number | undefined): Html {
  const fields = fieldsOf(form);
  const isFirst = form.before === Number.MAX_SAFE_INTEGER;
  const button = (label: string, more: object) =>
    postButton(visit, '/queue', label, { ...fields, ...more }, 'page');
  return html`<div class="pages">
    ${!isFirst && button(visit.say('queue.newest'), {})}
    ${lastSeq !== undefined && button(visit.say('queue.older'), { before: String(lastSeq) })}
  </div>`;
}

function empty({ say, language, nowMs }: ProvedVisit, isFiltered: boolean): Html {
  return html`<div class="empty">
    <p><b>${isFiltered ? say('queue.no-match') : say('queue.nothing-waits')}</b></p>
    <p>
      ${isFiltered ? html`<a href="/queue">${say('queue.clear')}</a>` : html`${say('queue.shown')} ${sayMoment(language, nowMs)}`}
    </p>
  </div>`;
}

async function answerQueue(context: QueuePageContext, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { store } = context;
  const { say } = visit;
  const form = readForm(fields);
  const read = await readFilter(store, visit, form);
  const title = say('page.queue');
  if (read === undefined)
    return {
      title,
      status: 422,
      body: html`${problems(visit, [{ field: 'day', text: message('queue.wrong-day') }])}
        <h1>${title}</h1>
        ${filterForm(visit, form)}`,
    };
  const { filter, reach } = read;
  const totals = await store.waitingTotals(filter);
  const matching = await store.waitingPayouts(filter, form.before, rowsOnPage + 1);
  const found = matching.slice(0, rowsOnPage);
  const lastSeq = matching.length > rowsOnPage ? found.at(-1)?.row.seq : undefined;
  const keys = found.map(({ row }) => String(row.seq));
  const owners = readOwners(await store.reviewNotes('payout', keys));
  const { search, status, money, day } = form;
  // Further pages stay as they are while they are read.
  const isFirst = form.before === Number.MAX_SAFE_INTEGER;
  // A recorded look happens only at a person's own request, never by the page's polling.
  const live = (name: string) => (isFirst && reach !== 'whole' ? html`data-live="${name}"` : '');
  const isFiltered = search !== '' || day !== '' || status !== undefined || money !== undefined;
  const others = isFirst && !isFiltered ? await itemsSection(context, visit) : undefined;
  return {
    title,
    body: html`<h1>${title}</h1>
      <div ${live('others')}>${others}</div>
      <div ${live('figures')}>${figures(visit, totals)}</div>
      ${filterForm(visit, form)} ${reachNote(visit, reach)}
      <div ${live('rows')}>
        ${found.length > 0 ? table(visit, found, owners) : others === undefined && empty(visit, isFiltered)}
        ${choiceBar(visit, fieldsOf(form), rowsOf(totals))}
      </div>
      ${pages(visit, form, lastSeq)}`,
  };
}

/** Reads the filter of the queue's form; undefined for an invalid day. */
export const readQueueFilter = async (
  store: QueueReader,
  visit: ProvedVisit,
  fields: Fields,
): Promise<PayoutFilter | undefined> => (await readFilter(store, visit, readForm(fields)))?.filter;

/** Searches are posted, so that no payee's number enters an address or a log. */
export const makeQueueViews = (context: QueuePageContext): readonly View[] => [
  ...(['GET', 'POST'] as const).map((method): View => ({
    method,
    path: '/queue',
    action: 'see',
    answer: async (visit, fields) => answerQueue(context, visit, method === 'GET' ? {} : fields),
  })),
  ...makeQueueItemViews(context),
];

// ---------------------------------------------------------------- rows chosen for one decision

/** The id of the form below the table, to which the boxes in the table belong: forms cannot be nested. */
const formId = 'choice';

const mayChoose = ({ person }: ProvedVisit): boolean => can(person, 'propose').allowed;

const choiceHead = (visit: ProvedVisit): Part =>
  mayChoose(visit) && html`<th scope="col"><span class="hidden">${visit.say('decide.choose')}</span></th>`;

/** A box; its value is the displayed version. */
const choiceCell = (visit: ProvedVisit, { seq, version, cells, amountSatang }: ResultRow): Part =>
  mayChoose(visit) &&
  html`<td class="pick">
    <label
      ><input
        type="checkbox"
        form="${formId}"
        name="pick-${seq}"
        value="${version}"
        data-satang="${String(amountSatang ?? 0)}"
      /><span class="hidden">${visit.say('decide.choose')} ${cells.payoutId.trim()}</span></label
    >
  </td>`;

/** @param asked the present filter, which defines "all that match" */
const choiceBar = (visit: ProvedVisit, asked: Readonly<Record<string, string>>, matching: number): Part =>
  mayChoose(visit) &&
  matching > 0 &&
  html`<form method="post" action="/decide" id="${formId}" class="bar">
    ${csrfField(visit)}
    ${Object.entries(asked).map(
      ([name, value]): Html => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <span
      class="chosen"
      data-chosen="${visit.say('decide.selected')}"
      data-baht="${visit.say('payout.baht')}"
    ></span>
    <button class="main">${visit.say('decide.decide-on-chosen')}</button>
    <button name="all" value="1">${visit.say('decide.decide-on-all')} (${showCount(matching)})</button>
  </form>`;
