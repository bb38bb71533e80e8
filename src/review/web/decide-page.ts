/** Decides on several payouts at once: chosen ones, or all that match, as a frozen list. */
import { bahtOf, type Message, message, sayCode } from '../../core/message.ts';
import { randomBytes } from 'node:crypto';
import { showBaht, showCount } from '../../core/figures.ts';
import { type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import { showLastDigits } from '../../core/proxy-id.ts';
import type { ResultRow } from '../../core/ports.ts';
import type { HistoryReader, WaitingReader } from '../../payout/ports.ts';
import { type PayoutFilter, placeInTime } from '../../payout/rules/search.ts';
import { moneyMovedOf } from '../../reports/rules/report-rows.ts';
import type { Attention } from '../../attention/rules/entry.ts';
import type { ReviewContext } from '../context.ts';
import { readOptionsOfEach } from '../payout-target.ts';
import { findOpenItems } from '../review.ts';
import { type Counted, describeCounted } from '../rules/proposal-figures.ts';
import { type CountedWhy, countWhys } from '../rules/offers.ts';
import { describeOpen, type Target } from '../rules/proposal.ts';
import { describeAct, type PayoutDecision, payoutDecisions } from '../rules/terms.ts';
import {
  aboveForm,
  decideBox,
  type DecisionBox,
  decisionBox,
  makeDecideFileView,
  noTrouble,
} from './decide-form.ts';
import { whysList } from './decision-box.ts';
import { html, type Html, type Part } from './html.ts';
import { plainPage } from './layout.ts';
import { ageOf, decisionCard, moneyTag, reasonOf } from './parts.ts';
import type { ReadReview } from './payout-page.ts';
import {
  type Answer,
  type Fields,
  type Page,
  type PageViews,
  type ProvedVisit,
  type SentFile,
  type View,
  viewAt,
} from './view.ts';

interface DecidePageContext {
  readonly store: HistoryReader & WaitingReader;
  readonly readReview: ReadReview;
  readonly readAttention: () => Promise<Attention>;
  readonly readSearchFilter: (visit: ProvedVisit, typed: string) => Promise<PayoutFilter>;
  readonly evidenceFolder: string | undefined;
}

const targetOf = (seq: number, version: string): Target => ({ kind: 'payout', key: String(seq), version });

const amountOf = (row: ResultRow): Satang => row.amountSatang ?? zeroSatang;

interface FrozenRow {
  readonly target: Target;
  readonly amountSatang: Satang;
  /** The payoutId. */
  readonly name: string;
}

/** The chosen rows with their displayed versions; none joins later. */
interface FrozenList {
  readonly personId: number;
  readonly madeAtMs: number;
  readonly rows: readonly FrozenRow[];
  /** The number of rows that matched: more than the list holds, where it holds the oldest alone. */
  readonly matching: number;
  /** The reasons against each decision, by the key of the row: judged once for all rows, when the list is frozen. */
  readonly impossible: ReadonlyMap<PayoutDecision, ReadonlyMap<string, Message>>;
  /** The decision that the queue has named; chosen at first. */
  readonly decision: string | undefined;
  /** The keys of the latest objections, which can be left out. */
  objected: ReadonlySet<string>;
}

const sumOf = ({ rows }: Pick<FrozenList, 'rows'>): Satang =>
  sumSatang(rows.map(({ amountSatang }) => amountSatang));

const countedOfRows = ({ rows }: Pick<FrozenList, 'rows'>): Counted => ({
  of: 'payouts',
  rows: rows.length,
  amountSatang: sumOf({ rows }),
});

const freeze = (row: ResultRow, version: string): FrozenRow => ({
  target: targetOf(row.seq, version),
  amountSatang: amountOf(row),
  name: row.cells.payoutId.trim(),
});

const frozenMs = 60 * 60_000;
/** The limit for each person; a person's own oldest list goes first. */
const frozenListsMax = 5;
/** The limit of items decided at once: each is examined before anything is proposed. */
const frozenItemsMax = 5_000;
/** The number of displayed items. */
const itemsShownMax = 50;

/** The reason why a list is no longer kept, as a word of the page. */
type ListGone = 'decide.list-gone' | 'decide.list-old' | 'decide.list-of-before' | 'decide.list-replaced';

/** The frozen lists, in the memory of this page only, for the time that a decision takes. */
class FrozenLists {
  readonly #lists = new Map<string, FrozenList>();
  /** The mark of this process: another page, or a restarted one, has none of these lists. */
  readonly #start = randomBytes(6).toString('hex');

  keep(list: FrozenList): string {
    const { personId, madeAtMs } = list;
    const key = [this.#start, madeAtMs, randomBytes(12).toString('hex')].join('-');
    for (const [old, one] of this.#lists) if (madeAtMs - one.madeAtMs >= frozenMs) this.#lists.delete(old);
    this.#lists.set(key, list);
    const own = [...this.#lists].filter(([, one]) => one.personId === personId);
    for (const [oldest] of own.slice(0, -frozenListsMax)) this.#lists.delete(oldest);
    return key;
  }

  /** Finds a list of this person. */
  find(key: string, { person, nowMs }: ProvedVisit): FrozenList | ListGone {
    const list = this.#lists.get(key);
    const [start = '', madeAtMs = ''] = key.split('-');
    if (list !== undefined && list.personId !== person.personId) return 'decide.list-gone';
    if (start !== this.#start) return 'decide.list-of-before';
    if (nowMs - Number(madeAtMs) >= frozenMs) return 'decide.list-old';
    return list ?? 'decide.list-replaced';
  }
}

/** Reads the ticked boxes: `pick-<seq>` with the displayed version. */
async function readPicks(store: HistoryReader, fields: Fields): Promise<readonly FrozenRow[]> {
  const rows: FrozenRow[] = [];
  for (const [name, version = ''] of Object.entries(fields)) {
    const seq = /^pick-([1-9]\d{0,14})$/.exec(name)?.[1];
    const history = seq === undefined ? undefined : await store.history(Number(seq));
    if (history !== undefined) rows.push(freeze(history.row, version));
  }
  return rows;
}

/** The rows of a group of the queue, or of a search; undefined where boxes were ticked. */
async function readFilter(
  { readAttention, readSearchFilter }: DecidePageContext,
  visit: ProvedVisit,
  { group, search }: Fields,
): Promise<PayoutFilter | undefined> {
  if (group === undefined) return search === undefined ? undefined : readSearchFilter(visit, search);
  const entry = (await readAttention()).entries.find(({ key }) => key === group);
  return entry?.rows.of === 'payouts' ? entry.rows.filter : undefined;
}

const countMatching = async (store: WaitingReader, filter: PayoutFilter): Promise<number> =>
  (await store.waitingTotals(filter)).reduce((sum, { rows }) => sum + rows, 0);

/** Says that a list holds the oldest of more rows. */
const oldestNote = ({ say }: ProvedVisit, { rows, matching }: FrozenList): Part =>
  matching > rows.length &&
  html`<p role="status">
    ${say(message('decide.oldest-of', { count: showCount(rows.length), all: showCount(matching) }))}
  </p>`;

/** The matching rows, or the oldest of them where there are more than can be decided on at once. */
async function readOldest(store: WaitingReader, filter: PayoutFilter): Promise<readonly FrozenRow[]> {
  const rows = await store.waitingPage({ ...filter, isWaiting: true }, 'age', undefined, frozenItemsMax);
  return rows.map(({ row }) => freeze(row, String(row.version)));
}

async function answerChoice(
  context: DecidePageContext,
  lists: FrozenLists,
  visit: ProvedVisit,
  fields: Fields,
): Promise<Answer> {
  const { say, person, nowMs } = visit;
  const filter = await readFilter(context, visit, fields);
  const { store } = context;
  const rows = filter === undefined ? await readPicks(store, fields) : await readOldest(store, filter);
  // Counted where more match than one list holds.
  const isCut = filter !== undefined && rows.length === frozenItemsMax;
  const matching = isCut ? await countMatching(store, filter) : rows.length;
  if (rows.length === 0) return plainPage(visit, 422, say('decide.decide-on'), say('decide.none-chosen'));
  const impossible = await judgeRows(await context.readReview(), rows);
  const list = {
    personId: person.personId,
    madeAtMs: nowMs,
    rows,
    matching,
    impossible,
    decision: fields['decision'],
    objected: new Set<string>(),
  };
  return { goTo: `/decide/${lists.keep(list)}` };
}

async function itemRow({ store }: DecidePageContext, visit: ProvedVisit, { key }: Target): Promise<Part> {
  const { say, language } = visit;
  const history = await store.history(Number(key));
  if (history === undefined) return undefined;
  const { row, batch } = history;
  const { payeeName } = row.instruction ?? row.cells;
  return html`<tr>
    <td>
      <a class="open" href="/payout/${row.seq}"><b>${row.cells.payoutId.trim()}</b></a>
      ${showText(payeeName ?? '')}
      <small
        >${showLastDigits(row.instruction?.proxyNo ?? row.cells.proxyNo)} · ${showText(batch.fileName)},
        ${say('payout.row')} ${row.rowNo}</small
      >
    </td>
    <td class="number">
      ${row.amountSatang === null ? showText(row.cells.amount) : showBaht(row.amountSatang)}
    </td>
    <td class="w">
      ${reasonOf(visit, row)}
      <small
        >${sayCode(language, `payout-status.${row.status}`)} ${moneyTag(visit, moneyMovedOf(row))} ·
        ${ageOf(visit, placeInTime(row, batch))}</small
      >
    </td>
  </tr>`;
}

async function itemTable(
  context: DecidePageContext,
  visit: ProvedVisit,
  { rows }: Pick<FrozenList, 'rows'>,
): Promise<Html> {
  const { say } = visit;
  const shown: Part[] = [];
  for (const { target } of rows.slice(0, itemsShownMax)) shown.push(await itemRow(context, visit, target));
  const rest = rows.length - shown.length;
  return html`<table class="rows">
      <thead>
        <tr>
          <th scope="col">${say('payout.payee')}</th>
          <th scope="col" class="number">${say('payout.amount')}</th>
          <th scope="col">${say('payout.why')}, ${say('payout.status')}, ${say('payout.age')}</th>
        </tr>
      </thead>
      <tbody>
        ${shown}
      </tbody>
    </table>
    ${rest > 0 && html`<p>${say(message('decide.and-more', { count: showCount(rest) }))}</p>`}`;
}

/** The reasons against each decision, by the keys of the rows. */
async function judgeRows(
  review: ReviewContext,
  rows: readonly FrozenRow[],
): Promise<FrozenList['impossible']> {
  const found = new Map(payoutDecisions.map((name) => [name, new Map<string, Message>()]));
  const keys = rows.map(({ target }) => target.key);
  for await (const { key, proposalId } of findOpenItems(review.journal, 'payout', keys))
    for (const impossible of found.values()) impossible.set(key, describeOpen(proposalId));
  const optionsOfEach = await readOptionsOfEach(review, keys.map(Number));
  for (const [place, key] of keys.entries()) {
    const options = optionsOfEach[place];
    for (const [name, impossible] of found) {
      const whyNot = options?.find(({ decision }) => decision === name)?.whyNot;
      if (options === undefined) impossible.set(key, message('decide.no-row'));
      else if (whyNot !== undefined) impossible.set(key, whyNot);
    }
  }
  return found;
}

interface Split {
  readonly possible: readonly FrozenRow[];
  readonly amountSatang: Satang;
  /** The reasons of the other rows, the most frequent first. */
  readonly whyNot: readonly CountedWhy[];
}

/** Splits the rows into those for which a decision is possible, and the reasons against the others. */
function splitRows({ rows, impossible }: FrozenList, decision: PayoutDecision): Split {
  const whyOfKey = impossible.get(decision) ?? new Map<string, Message>();
  const whyNot = countWhys(rows.flatMap(({ target }) => whyOfKey.get(target.key) ?? []));
  const possible = rows.filter(({ target }) => !whyOfKey.has(target.key));
  return { possible, amountSatang: sumOf({ rows: possible }), whyNot };
}

/** The rows for which a decision is possible, with their sum; the others by reason, left out. */
function splitNote(
  visit: ProvedVisit,
  { rows }: FrozenList,
  { possible, amountSatang, whyNot }: Split,
): Html {
  const { say } = visit;
  const left = rows.length - possible.length;
  return html`<p class="judged">
      <b
        >${say(message('decide.possible-for', { count: showCount(possible.length), all: showCount(rows.length) }))}</b
      >${amountSatang > 0n && `, ${say(bahtOf(amountSatang))}`}
    </p>
    ${
      left > 0 &&
      html`<div class="cannot">
        <b>${say('decide.left-out-of-list')}: ${showCount(left)}</b>
        ${whysList(visit, whyNot)}
      </div>`
    }`;
}

/** Decisions on many rows: a correction belongs to one row. */
const decisionsOnMany = payoutDecisions.filter((decision) => decision !== 'retry-corrected');

function boxOfMany(
  { evidenceFolder }: DecidePageContext,
  visit: ProvedVisit,
  key: string,
  list: FrozenList,
): DecisionBox {
  const names = new Map(list.rows.map(({ target, name }) => [target.key, name]));
  const page = `/decide/${key}`;
  return {
    path: page,
    page,
    choices: decisionsOnMany.map((decision) => {
      const split = splitRows(list, decision);
      const counted = describeCounted(countedOfRows({ rows: split.possible }));
      return {
        decision,
        targets: split.possible.map(({ target }) => target),
        what: visit.say(counted),
        act: describeAct(decision, counted),
        aside: splitNote(visit, list, split),
        whyNot: split.possible.length === 0 ? split.whyNot[0]?.[0] : undefined,
      };
    }),
    hidden: {},
    evidenceFolder,
    keptFile: undefined,
    leaveOutPath: `${page}/leave-out`,
    nameTarget: (target) => html`<a href="/payout/${target.key}">${names.get(target.key)}</a>`,
  };
}

const goneList = (visit: ProvedVisit, why: ListGone): Page =>
  plainPage(
    visit,
    404,
    visit.say('decide.decide-on'),
    html`${visit.say(why)} ${visit.say('decide.choose-again')}`,
  );

async function listPage(
  context: DecidePageContext,
  visit: ProvedVisit,
  list: FrozenList,
  box: DecisionBox,
  fields: Fields,
  trouble = noTrouble,
): Promise<Page> {
  const { say } = visit;
  const title = `${say('decide.decide-on')}: ${say(describeCounted(countedOfRows(list)))}`;
  const review = await context.readReview();
  return {
    title,
    status: trouble.status,
    body: html`${aboveForm(visit, box, fields, trouble)}
      <h1>${title}</h1>
      <p>${say('decide.frozen')}</p>
      ${oldestNote(visit, list)}
      <div class="columns">
        <section class="card">${await itemTable(context, visit, list)}</section>
        <div class="lead">
          ${decisionCard(visit, { openProposal: undefined }, decisionBox(visit, review, box, fields, trouble))}
        </div>
      </div>`,
  };
}

async function answerMany(
  context: DecidePageContext,
  lists: FrozenLists,
  visit: ProvedVisit,
  fields: Fields,
  posted: { readonly file: SentFile | undefined } | undefined,
): Promise<Answer> {
  const key = fields['key'] ?? '';
  const list = lists.find(key, visit);
  if (typeof list === 'string') return goneList(visit, list);
  const box = boxOfMany(context, visit, key, list);
  if (posted === undefined)
    return listPage(context, visit, list, box, { decision: list.decision, ...fields });
  const outcome = await decideBox(visit, await context.readReview(), box, fields, posted.file);
  if ('goTo' in outcome) return outcome;
  list.objected = new Set(outcome.objections.flatMap(({ target }) => target?.key ?? []));
  return listPage(context, visit, list, box, fields, outcome);
}

/** Removes the rows with objections from a list; the others stay frozen as they were. */
function answerLeaveOut(lists: FrozenLists, visit: ProvedVisit, fields: Fields): Answer {
  const list = lists.find(fields['key'] ?? '', visit);
  if (typeof list === 'string') return goneList(visit, list);
  const rows = list.rows.filter(({ target }) => !list.objected.has(target.key));
  return { goTo: `/decide/${lists.keep({ ...list, rows, objected: new Set() })}` };
}

/** @returns the views, with the form that brings an evidence file where files are kept */
export function makeDecideViews(context: DecidePageContext): PageViews {
  const lists = new FrozenLists();
  const fileView = makeDecideFileView('/decide/:key', async (visit, file, fields) =>
    answerMany(context, lists, visit, fields, { file }),
  );
  const views: readonly View[] = [
    viewAt('POST', '/decide', 'propose', (visit, fields) => answerChoice(context, lists, visit, fields)),
    viewAt('GET', '/decide/:key', 'propose', (visit, fields) =>
      answerMany(context, lists, visit, fields, undefined),
    ),
    viewAt('POST', '/decide/:key', 'propose', (visit, fields) =>
      answerMany(context, lists, visit, fields, { file: undefined }),
    ),
    viewAt('POST', '/decide/:key/leave-out', 'propose', (visit, fields) =>
      answerLeaveOut(lists, visit, fields),
    ),
  ];
  return { views, fileViews: context.evidenceFolder === undefined ? [] : [fileView] };
}
