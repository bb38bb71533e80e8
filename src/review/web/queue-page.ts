/** The queue: an inbox of decisions, one line for each kind and cause, and the page of each. */
import {
  type Attention,
  type AttentionEntry,
  type AttentionOrder,
  attentionOrders,
  ownedBy,
  sectionOf,
  sortEntries,
} from '../../attention/rules/entry.ts';
import { entriesFor } from '../../attention/attention-list.ts';
import { attentionSections, attentionTopics, termsOf } from '../../attention/rules/codes.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { showBaht, showCount } from '../../core/figures.ts';
import { bahtOf, counted, message, sayCode } from '../../core/message.ts';
import { sayAge, sayMoment } from '../../core/moments.ts';
import { type WaitingOrder, waitingOrders, type WaitingPlace } from '../../payout/rules/search.ts';
import type { WaitingReader } from '../../payout/ports.ts';
import type { RegistrationStore } from '../../registration/ports.ts';
import { can } from '../rules/people.ts';
import { readOwners } from '../rules/queue.ts';
import { type Decision, describeAct, isPayoutDecision } from '../rules/terms.ts';
import { html, type Html, type Part } from './html.ts';
import { csrfField, plainPage } from './layout.ts';
import { capital, whyOf, whyOfRegistration } from './parts.ts';
import { countOf, groupPath, placeOf, signOf, subjectOf } from './attention-parts.ts';
import {
  choiceBar,
  empty,
  groupTable,
  itemCard,
  makeQueueItemViews,
  ownerOf,
  type QueueItemsContext,
} from './queue-items.ts';
import { type Answer, type Fields, type Page, type ProvedVisit, sayWhy, type View, viewAt } from './view.ts';

interface QueuePageContext extends QueueItemsContext {
  readonly store: QueueItemsContext['store'] & WaitingReader & Pick<RegistrationStore, 'searchRegistrations'>;
}

/** Rows on a page of a group. */
const rowsOnPage = 50;
/** Items of a group that are no payouts. */
const itemsOnPage = 200;

// ---------------------------------------------------------------- choosing

const chips = ['all', 'mine', 'alarms', ...attentionTopics] as const;
type Chip = (typeof chips)[number];

const findWord = <Word extends string>(words: readonly Word[], word: string | undefined): Word | undefined =>
  words.find((one) => one === word);

/** Tells whether an entry belongs to a chosen part of the queue. */
function isOf(chip: Chip, entry: AttentionEntry, { person }: ProvedVisit): boolean {
  if (chip === 'all') return true;
  if (chip === 'mine') return entry.owner?.personId === person.personId || isForPerson(entry, person);
  return chip === 'alarms' ? sectionOf(entry) === 'act' : termsOf(entry.code).topic === chip;
}

/** Proposals that this person can check, or has made and got back. */
function isForPerson(entry: AttentionEntry, person: ProvedVisit['person']): boolean {
  const section = sectionOf(entry);
  if (section === 'sent-back') return true;
  return entry.code === 'proposal' && can(person, 'check').allowed && entry.args['maker'] !== person.personId;
}

interface Choice {
  readonly chip: Chip;
  readonly order: AttentionOrder;
}

const readChoice = (fields: Fields): Choice => ({
  chip: findWord(chips, fields['show']) ?? 'all',
  order: findWord(attentionOrders, fields['order']) ?? 'severity',
});

/** The address of the queue, or of a group, with the chosen part and order. */
function addressOf({ chip, order }: Choice, path = '/queue'): string {
  const asked = [
    ...(chip === 'all' ? [] : [`show=${chip}`]),
    ...(order === 'severity' ? [] : [`order=${order}`]),
  ];
  return asked.length === 0 ? path : `${path}?${asked.join('&')}`;
}

function chipsBar(visit: ProvedVisit, all: readonly AttentionEntry[], choice: Choice): Html {
  const { say } = visit;
  const found = chips.map((chip) => ({
    chip,
    count: all.filter((entry) => isOf(chip, entry, visit)).length,
  }));
  return html`<nav class="chips" aria-label="${say('attention.parts')}">
    ${found
      .filter(({ chip, count }) => count > 0 || chip === 'all' || chip === 'mine' || chip === choice.chip)
      .map(
        ({ chip, count }) =>
          html`<a
            href="${addressOf({ ...choice, chip })}"
            ${chip === choice.chip && html`aria-current="true"`}
            >${say(`attention-chip.${chip}`)} <small>${showCount(count)}</small></a
          >`,
      )}
    <form method="get" action="/queue" class="order">
      ${choice.chip !== 'all' && html`<input type="hidden" name="show" value="${choice.chip}" />`}
      <select name="order" aria-label="${say('attention.order')}">
        ${attentionOrders.map((order) => option(order, say(`attention-order.${order}`), order === choice.order))}
      </select>
      <button class="sm">${say('attention.sort')}</button>
    </form>
  </nav>`;
}

const option = (value: string, label: string, isChosen: boolean): Html =>
  html`<option value="${value}" ${isChosen && html`selected`}>${label}</option>`;

// ---------------------------------------------------------------- the list

const ageOf = ({ language, nowMs }: ProvedVisit, { sinceMs }: AttentionEntry): Part =>
  sinceMs !== null &&
  html`<time datetime="${formatBangkokDateTime(sinceMs)}" title="${sayMoment(language, sinceMs)}"
    >${sayAge(language, nowMs - sinceMs)}</time
  >`;

/** The second line: the bank's code, or why it waits. */
function detailOf(visit: ProvedVisit, { reason, args, owner }: AttentionEntry): Part {
  const { cause } = args;
  const code = typeof cause === 'string' && /^[A-Z]{2}\d{3}$/.test(cause) ? cause : undefined;
  return html`${reason === null ? code : whyOf(visit, reason)}${
    owner && html` ${visit.say('queue.owner')}: ${owner.person}`
  }`;
}

function line(visit: ProvedVisit, entry: AttentionEntry, choice: Choice, current: string | undefined): Html {
  const isCurrent = entry.key === current;
  const count = countOf(entry);
  return html`<li class="${isCurrent && 'cur'}">
    ${signOf(entry)}
    <a href="${addressOf(choice, groupPath(entry))}" ${isCurrent && html`aria-current="true"`}
      ><b>${subjectOf(visit, entry)}</b><small>${detailOf(visit, entry)}</small></a
    >
    <span class="r n"
      ><b>${entry.amountSatang !== null && entry.amountSatang !== 0n && showBaht(entry.amountSatang)}</b
      ><small>${count && html`${visit.say(count)} · `}${ageOf(visit, entry)}</small></span
    >
  </li>`;
}

function listOf(
  visit: ProvedVisit,
  { movedRows }: Attention,
  entries: readonly AttentionEntry[],
  choice: Choice,
  current: string | undefined,
): Html {
  const lines = (some: readonly AttentionEntry[]) =>
    html`<ul class="q">
      ${some.map((entry) => line(visit, entry, choice, current))}
    </ul>`;
  const sections = attentionSections
    .map((section) => ({ section, some: entries.filter((entry) => sectionOf(entry) === section) }))
    .filter(({ some }) => some.length > 0);
  return html`<div class="list" data-live="list">
    ${
      choice.order === 'severity'
        ? sections.map(
            ({ section, some }) =>
              html`<h2 class="h3">${visit.say(`attention-section.${section}`)}</h2>
                ${lines(some)}`,
          )
        : lines(entries)
    }
    ${
      movedRows > 0 &&
      html`<p class="small fold">
        ${visit.say(message('attention.moved-rows', { count: showCount(movedRows) }))}
      </p>`
    }
  </div>`;
}

// ---------------------------------------------------------------- one group

interface Paging {
  readonly order: WaitingOrder;
  readonly place: WaitingPlace;
}

function readPaging(fields: Fields): Paging {
  const order = findWord(waitingOrders, fields['sort']) ?? 'age';
  for (const side of ['after', 'before'] as const) {
    const seq = Number(fields[side]);
    if (Number.isSafeInteger(seq) && seq > 0) return { order, place: { side, seq } };
  }
  return { order, place: undefined };
}

/** Words of a decision on all rows of a group: "Retry 27 payouts, 110,802.83 baht…". */
function sayAll({ say }: ProvedVisit, entry: AttentionEntry, decision: Decision): string {
  const count = countOf(entry) ?? counted(entry.count, 'payout');
  const what =
    entry.amountSatang === null || entry.amountSatang === 0n
      ? count
      : message('attention.count-and-sum', { count, sum: bahtOf(entry.amountSatang) });
  return `${capital(say(describeAct(decision, what)))}…`;
}

/** A button that freezes the rows of a group, and leads to the form of one decision on them. */
const decideAll = (visit: ProvedVisit, entry: AttentionEntry, decision: Decision, isMain: boolean): Html =>
  html`<form method="post" action="/decide" class="inline">
    ${csrfField(visit)}<input type="hidden" name="group" value="${entry.key}" /><input
      type="hidden"
      name="decision"
      value="${decision}"
    />
    <button class="${isMain ? 'main' : ''}">${sayAll(visit, entry, decision)}</button>
  </form>`;

/** The decisions on all payouts of a group at once: the likeliest as a button, the others folded. */
function decideBox(visit: ProvedVisit, entry: AttentionEntry): Part {
  const { say, person } = visit;
  const take = ownerOf(visit, ownedBy(entry), entry.owner);
  const [main, ...others] = entry.rows.of === 'payouts' ? entry.decisions.filter(isPayoutDecision) : [];
  if (main === undefined || !can(person, 'propose').allowed) return html`<div class="bts">${take}</div>`;
  return html`<div class="act">
    <p>${say('attention.decide-all-hint')}</p>
    <div class="bts">${decideAll(visit, entry, main, true)} ${take}</div>
    ${
      others.length > 0 &&
      html`<details>
        <summary>${say('attention.other-decisions')}</summary>
        <div class="bts">${others.map((decision) => decideAll(visit, entry, decision, false))}</div>
      </details>`
    }
  </div>`;
}

function pageLinks(
  visit: ProvedVisit,
  path: string,
  { order, place }: Paging,
  seqs: readonly number[],
  isFull: boolean,
): Part {
  const { say } = visit;
  const link = (side: string, seq: number | undefined, label: string) =>
    seq !== undefined && html`<a class="button" href="${path}?sort=${order}&${side}=${seq}">${label}</a>`;
  const hasBefore = place?.side === 'after' || (place?.side === 'before' && isFull);
  const hasAfter = place?.side === 'before' || isFull;
  if (!hasBefore && !hasAfter) return undefined;
  return html`<div class="pages">
    ${hasBefore && link('before', seqs.at(0), say('attention.back'))}
    ${hasAfter && link('after', seqs.at(-1), say('attention.next'))}
  </div>`;
}

async function payoutRows(
  { store }: QueuePageContext,
  visit: ProvedVisit,
  entry: AttentionEntry,
  paging: Paging,
): Promise<Part> {
  if (entry.rows.of !== 'payouts') return undefined;
  const { say } = visit;
  const { order, place } = paging;
  const found = await store.waitingPage(entry.rows.filter, order, place, rowsOnPage);
  const seqs = found.map(({ row }) => row.seq);
  const owners = readOwners(await store.reviewNotes('payout', seqs.map(String)));
  const path = groupPath(entry);
  return html`<div class="hd">
      <h3>${say('attention.rows')}</h3>
      <nav class="chips" aria-label="${say('attention.sort')}">
        ${waitingOrders.map(
          (one) =>
            html`<a href="${path}?sort=${one}" ${one === order && html`aria-current="true"`}
              >${say(`payout.${one}`)}</a
            >`,
        )}
      </nav>
    </div>
    ${groupTable(visit, found, owners, entry.code === 'not-paid')}
    ${choiceBar(visit, entry.decisions.find(isPayoutDecision))}
    ${pageLinks(visit, path, paging, seqs, found.length === rowsOnPage)}`;
}

async function registrationRows(
  { store }: QueuePageContext,
  visit: ProvedVisit,
  { rows }: AttentionEntry,
): Promise<Part> {
  if (rows.of !== 'registrations') return undefined;
  const found = await store.searchRegistrations(rows.filter, Number.MAX_SAFE_INTEGER, itemsOnPage);
  return html`<ul class="q">
    ${found.map(
      (row) =>
        html`<li>
          <span class="sg no" aria-hidden="true">×</span>
          <a href="/registration/${row.seq}"
            ><b>${row.cells.registrationId.trim()}</b
            ><small
              >${whyOfRegistration(visit, row) ?? sayCode(visit.language, `registration-status.${row.status}`)}</small
            ></a
          >
          <span class="r n"><small>${visit.say('payout.row')} ${row.rowNo}</small></span>
        </li>`,
    )}
  </ul>`;
}

async function itemRows(
  { readItems }: QueuePageContext,
  visit: ProvedVisit,
  { rows, args }: AttentionEntry,
): Promise<Part> {
  if (rows.of !== 'items') return undefined;
  const items = await readItems(visit.person, itemsOnPage, [rows.kind]);
  const { day } = args;
  const own = items.filter(
    ({ kind, key }) =>
      (rows.keys?.includes(key) ?? true) &&
      (kind !== 'break' || typeof day !== 'string' || key.startsWith(day)),
  );
  return own.map((item) => itemCard(visit, item, own.length > 1));
}

async function groupOf(
  context: QueuePageContext,
  visit: ProvedVisit,
  entry: AttentionEntry,
  choice: Choice,
  paging: Paging,
): Promise<Html> {
  const { say, language } = visit;
  const { severity, sinceMs, amountSatang, reason, remedy } = entry;
  const place = placeOf(entry);
  const count = countOf(entry);
  return html`<section class="card det" id="open">
    <a class="back" href="${addressOf(choice)}">← ${say('page.queue')}</a>
    <div class="hd">
      <h2 class="big ${severity === 'alarm' && 'bad'}">${signOf(entry)} ${subjectOf(visit, entry)}</h2>
      ${
        sinceMs !== null &&
        html`<small>${ageOf(visit, entry)}, ${say('attention.since')} ${sayMoment(language, sinceMs)}</small>`
      }
    </div>
    ${count && entry.count === 0 && html`<p>${say(count)}</p>`}
    ${
      count &&
      entry.count > 0 &&
      html`<dl class="fig">
        <div>
          <dt>${say('attention.all-together')}</dt>
          <dd class="n">${amountSatang === null ? showCount(entry.count) : showBaht(amountSatang)}</dd>
          <dd><small>${say(count)}</small></dd>
        </div>
      </dl>`
    }
    ${
      reason !== null &&
      html`<h3>${say('payout.why')}</h3>
        <p>${whyOf(visit, reason)}</p>`
    }
    <h3>${say('payout.remedy')}</h3>
    <p>${whyOf(visit, remedy)}</p>
    ${place !== undefined && html`<p><a class="button" href="${place}">${say('attention.look-at-it')}</a></p>`}
    ${decideBox(visit, entry)} ${await payoutRows(context, visit, entry, paging)}
    ${await registrationRows(context, visit, entry)} ${await itemRows(context, visit, entry)}
  </section>`;
}

// ---------------------------------------------------------------- the page

async function answerQueue(context: QueuePageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { say, language, nowMs } = visit;
  const attention = await context.readAttention();
  const all = entriesFor(attention, visit.person);
  const choice = readChoice(fields);
  const shown = sortEntries(all, choice.order).filter((entry) => isOf(choice.chip, entry, visit));
  const asked = fields['group'];
  const open = asked === undefined ? shown[0] : all.find(({ key }) => key === asked);
  if (asked !== undefined && open === undefined) return goneGroup(visit);
  const oldestMs = Math.min(...all.flatMap(({ sinceMs }) => sinceMs ?? []));
  return {
    title:
      asked === undefined || open === undefined ? say('page.queue') : sayWhy(language, open.subject).text,
    body: html`<div class="head">
        <h1>${say('page.queue')}</h1>
        <small class="n"
          >${all.length === 1 ? say('attention.decision') : say(message('attention.decisions', { count: showCount(all.length) }))}${
            Number.isFinite(oldestMs) && ` · ${say('queue.oldest')} ${sayAge(language, nowMs - oldestMs)}`
          }</small
        >
      </div>
      ${all.length === 0 && empty(visit)} ${all.length > 0 && chipsBar(visit, all, choice)}
      ${
        all.length > 0 &&
        html`<div class="split ${asked !== undefined && 'open'}">
          ${listOf(visit, attention, shown, choice, open?.key)}
          ${open !== undefined && (await groupOf(context, visit, open, choice, readPaging(fields)))}
        </div>`
      }`,
  };
}

const goneGroup = (visit: ProvedVisit): Page =>
  plainPage(visit, 404, visit.say('page.not-found'), visit.say('queue.waits-no-more'));

export const makeQueueViews = (context: QueuePageContext): readonly View[] => [
  ...['/queue', '/queue/:group'].map((path) =>
    viewAt('GET', path, 'see', (visit, fields) => answerQueue(context, visit, fields)),
  ),
  ...makeQueueItemViews(context),
];
