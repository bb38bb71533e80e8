/** Decides on one payout, or on several at once: chosen ones, or all that match, as a frozen list. */
import { bahtOf, type Message, message, sayCode } from '../../core/message.ts';
import { randomBytes } from 'node:crypto';
import { showBaht, showCount } from '../../core/figures.ts';
import { type Satang, sumSatang, zeroSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { ResultRow } from '../../core/ports.ts';
import type { HistoryReader, PayoutHistory, WaitingReader } from '../../payout/ports.ts';
import type { PayoutFilter } from '../../payout/rules/search.ts';
import { moneyMovedOf } from '../../reports/rules/report-rows.ts';
import type { Attention } from '../../attention/rules/entry.ts';
import type { ReviewContext } from '../context.ts';
import { evidenceBytesMax } from '../evidence-files.ts';
import { readOptions, readOptionsOfEach } from '../payout-target.ts';
import { type Counted, describeCounted } from '../rules/proposal-figures.ts';
import type { Objection } from '../review.ts';
import { type CountedWhy, countWhys, decideOffers } from '../rules/offers.ts';
import type { Target } from '../rules/proposal.ts';
import { isPayoutDecision, type PayoutDecision, payoutDecisions } from '../rules/terms.ts';
import { answerDecision, type DecideForm, decidePage, withFile } from './decide-form.ts';
import { html, type Html, type Part } from './html.ts';
import { plainPage } from './layout.ts';
import { dataTable, factList, moneyTag, whyOf } from './parts.ts';
import { readSeq, type ReadReview } from './payout-page.ts';
import { type QueueReader, readQueueFilter } from './queue-items.ts';
import type { Answer, Fields, FileView, Page, ProvedVisit, SentFile, View } from './view.ts';

interface DecidePageContext {
  readonly store: HistoryReader & QueueReader;
  readonly readReview: ReadReview;
  readonly readAttention: () => Promise<Attention>;
  readonly evidenceFolder?: string | undefined;
}

const readDecision = (fields: Fields): PayoutDecision | undefined => {
  const word = fields['decision'] ?? '';
  return isPayoutDecision(word) ? word : undefined;
};

const targetOf = (seq: number, version: string): Target => ({ kind: 'payout', key: String(seq), version });

// ---------------------------------------------------------------- one payout

const amountOf = (row: ResultRow): Satang => row.amountSatang ?? zeroSatang;

/** Returns "12,500.00 baht to ••5678". */
function describeOne({ say }: ProvedVisit, { row }: PayoutHistory): string {
  const payee = maskDigits(row.instruction?.proxyNo ?? row.cells.proxyNo);
  return `${say(bahtOf(amountOf(row)))} → ${payee}`;
}

function showOne(visit: ProvedVisit, { row, batch }: PayoutHistory): Html {
  const { say, language } = visit;
  const { payeeName } = row.instruction ?? row.cells;
  const names = [row.bankPayeeName, row.bankPayeeNameTh].filter(Boolean).join(' · ');
  return factList([
    [say('payout.payout'), html`<a href="/payout/${row.seq}">${row.cells.payoutId.trim()}</a>`],
    [say('payout.batch'), `${batch.batchId}, ${say('payout.row')} ${row.rowNo}`],
    [say('payout.amount'), say(bahtOf(amountOf(row)))],
    [say('payout.payee-number'), maskDigits(row.instruction?.proxyNo ?? row.cells.proxyNo)],
    [say('payout.our-name'), showText(payeeName ?? '')],
    [say('payout.bank-name'), showText(names)],
    [
      say('payout.status'),
      html`<b>${sayCode(language, `payout-status.${row.status}`)}</b> ${moneyTag(visit, moneyMovedOf(row))}`,
    ],
  ]);
}

function formOfOne(
  visit: ProvedVisit,
  history: PayoutHistory,
  decision: PayoutDecision,
  version: string,
): DecideForm {
  const { seq, cells } = history.row;
  const path = `/payout/${seq}`;
  return {
    decision,
    path: `${path}/decide/${decision}`,
    back: path,
    targets: [targetOf(seq, version)],
    what: describeOne(visit, history),
    shown: showOne(visit, history),
    hidden: { version },
    nameTarget: () => html`<a href="${path}">${cells.payoutId.trim()}</a>`,
  };
}

async function answerOne(
  { store, readReview, evidenceFolder }: DecidePageContext,
  visit: ProvedVisit,
  fields: Fields,
  isPosted: boolean,
  file?: SentFile,
): Promise<Answer> {
  const [seq, decision] = [readSeq(fields), readDecision(fields)];
  const history = seq === undefined ? undefined : await store.history(seq);
  if (history === undefined || decision === undefined)
    return plainPage(visit, 404, visit.say('page.not-found'), visit.say('payout.archived'));
  const review = await readReview();
  // A posted decision refers to the displayed version of the row.
  const version = isPosted ? (fields['version'] ?? '') : String(history.row.version);
  const form = { ...formOfOne(visit, history, decision, version), evidenceFolder };
  if (isPosted) return answerDecision(visit, review, form, fields, undefined, file);
  const why = await whyNotNow(review, visit, history.row.seq, decision);
  return why === undefined
    ? decidePage(visit, review, form, fields)
    : plainPage(visit, 409, visit.say('payout.not-possible'), whyOf(visit, why), form.back);
}

async function whyNotNow(
  review: ReviewContext,
  { person }: ProvedVisit,
  seq: number,
  decision: PayoutDecision,
): Promise<Message | undefined> {
  const options = (await readOptions(review, seq)) ?? [];
  const [open] = await review.journal.openItems('payout', [String(seq)]);
  const terms = { person, people: review.people, openProposal: open?.proposalId };
  return decideOffers(options, terms).find((offer) => offer.decision === decision)?.whyNot;
}

// ---------------------------------------------------------------- several at once

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
    const seq = /^pick-(\d{1,15})$/.exec(name)?.[1];
    const history = seq === undefined ? undefined : await store.history(Number(seq));
    if (history !== undefined) rows.push(freeze(history.row, version));
  }
  return rows;
}

/** The rows of a group of the queue, or those that match its form. */
async function readFilter(
  { store, readAttention }: DecidePageContext,
  visit: ProvedVisit,
  fields: Fields,
): Promise<PayoutFilter | undefined> {
  const { group } = fields;
  if (group === undefined) return readQueueFilter(store, visit, fields);
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
  const filter = fields['all'] === '1' ? await readFilter(context, visit, fields) : undefined;
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
    objected: new Set<string>(),
  };
  const decision = readDecision(fields);
  return { goTo: `/decide/${lists.keep(list)}${decision === undefined ? '' : `/${decision}`}` };
}

async function itemTable(
  { store }: DecidePageContext,
  visit: ProvedVisit,
  { rows }: Pick<FrozenList, 'rows'>,
): Promise<Html> {
  const { say, language } = visit;
  const shown: Part[] = [];
  for (const { target } of rows.slice(0, itemsShownMax)) {
    const history = await store.history(Number(target.key));
    if (history === undefined) continue;
    const { row, batch } = history;
    shown.push(
      html`<tr>
        <td data-head="${say('payout.payout')}">
          <a class="open" href="/payout/${row.seq}">${row.cells.payoutId.trim()}</a>
          <small>${batch.batchId} · ${say('payout.row')} ${row.rowNo}</small>
        </td>
        <td class="number" data-head="${say('payout.amount')}">
          ${row.amountSatang === null ? showText(row.cells.amount) : showBaht(row.amountSatang)}
        </td>
        <td data-head="${say('payout.status')}">
          ${sayCode(language, `payout-status.${row.status}`)}<br />${moneyTag(visit, moneyMovedOf(row))}
        </td>
      </tr>`,
    );
  }
  const rest = rows.length - shown.length;
  return html`${dataTable(visit, ['payout.payout', 'payout.amount', 'payout.status'], shown, ['payout.amount'])}
  ${rest > 0 && html`<p>${say(message('decide.and-more', { count: showCount(rest) }))}</p>`}`;
}

/** The reasons against each decision, by the keys of the rows. */
async function judgeRows(
  review: ReviewContext,
  rows: readonly FrozenRow[],
): Promise<FrozenList['impossible']> {
  const found = new Map(payoutDecisions.map((name) => [name, new Map<string, Message>()]));
  const seqs = rows.map(({ target }) => Number(target.key));
  await readOptionsOfEach(review, seqs, (seq, options) => {
    for (const [name, impossible] of found) {
      const whyNot = options?.find(({ decision }) => decision === name)?.whyNot;
      if (options === undefined) impossible.set(String(seq), message('decide.no-row'));
      else if (whyNot !== undefined) impossible.set(String(seq), whyNot);
    }
  });
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

/** The number of reasons that are named; the others are counted. */
const whysShownMax = 5;

function whysList(visit: ProvedVisit, whyNot: Split['whyNot']): Html {
  const rest = whyNot.slice(whysShownMax).reduce((sum, [, rows]) => sum + rows, 0);
  return html`<ul>
    ${whyNot.slice(0, whysShownMax).map(([why, rows]) => html`<li>${showCount(rows)} × ${whyOf(visit, why)}</li>`)}
    ${rest > 0 && html`<li>${visit.say(message('decide.and-more', { count: showCount(rest) }))}</li>`}
  </ul>`;
}

/** The rows that are not proposed, and the reasons. */
function leftOutCard(visit: ProvedVisit, { whyNot }: Split): Part {
  if (whyNot.length === 0) return undefined;
  const rows = whyNot.reduce((sum, [, count]) => sum + count, 0);
  return html`<div class="cannot">
    <b class="tag alarm"
      ><span aria-hidden="true">!</span> ${visit.say('decide.left-out-of-list')}: ${showCount(rows)}</b
    >
    ${whysList(visit, whyNot)}
  </div>`;
}

/** Decisions on many rows: a correction belongs to one row. */
const decisionsOnMany = payoutDecisions.filter((decision) => decision !== 'retry-corrected');

async function listPage(
  context: DecidePageContext,
  visit: ProvedVisit,
  key: string,
  list: FrozenList,
): Promise<Page> {
  const { say, language } = visit;
  const counted = decisionsOnMany.map((decision) => ({
    decision,
    label: sayCode(language, `decision.${decision}`),
    ...splitRows(list, decision),
  }));
  const offered = counted
    .filter(({ possible }) => possible.length > 0)
    .map(
      ({ decision, label, possible, amountSatang, whyNot }) =>
        html`<li>
          <a class="button" href="/decide/${key}/${decision}">${label}</a>
          <small
            >${say(message('decide.possible-for', { count: showCount(possible.length), all: showCount(list.rows.length) }))}${
              amountSatang > 0n && `, ${say(bahtOf(amountSatang))}`
            }</small
          >
          ${whyNot.length > 0 && html`<div class="cannot">${whysList(visit, whyNot)}</div>`}
        </li>`,
    );
  const others = counted
    .filter(({ possible }) => possible.length === 0)
    .map(
      ({ label, whyNot: [first] }) =>
        html`<li class="off">${label} <small>${whyOf(visit, first?.[0])}</small></li>`,
    );
  const title = `${say('decide.decide-on')}: ${visit.say(describeCounted(countedOfRows(list)))}`;
  return {
    title,
    body: html`<h1>${title}</h1>
      <p>${say('decide.frozen')}</p>
      ${oldestNote(visit, list)}
      <div class="columns">
        <section>${await itemTable(context, visit, list)}</section>
        <section class="card first" aria-labelledby="decisions">
          <h2 id="decisions">${say('payout.decisions')}</h2>
          ${
            offered.length > 0 &&
            html`<ul class="decisions">
              ${offered}
            </ul>`
          }
          ${
            others.length > 0 &&
            html`<details ${offered.length === 0 && html`open`}>
              <summary>${say('payout.not-possible')}</summary>
              <ul class="decisions">
                ${others}
              </ul>
            </details>`
          }
        </section>
      </div>`,
  };
}

const goneList = (visit: ProvedVisit, why: ListGone): Page =>
  plainPage(
    visit,
    404,
    visit.say('decide.decide-on'),
    html`${visit.say(why)} ${visit.say('decide.choose-again')}`,
  );

async function formOfMany(
  context: DecidePageContext,
  visit: ProvedVisit,
  key: string,
  list: FrozenList,
  decision: PayoutDecision,
): Promise<DecideForm> {
  const { rows } = list;
  const split = splitRows(list, decision);
  const names = new Map(rows.map(({ target, name }) => [target.key, name]));
  const path = `/decide/${key}/${decision}`;
  return {
    decision,
    path,
    back: `/decide/${key}`,
    leaveOutPath: `${path}/leave-out`,
    targets: split.possible.map(({ target }) => target),
    what: visit.say(describeCounted(countedOfRows({ rows: split.possible }))),
    shown: [
      oldestNote(visit, list),
      leftOutCard(visit, split),
      await itemTable(context, visit, { rows: split.possible }),
    ],
    hidden: {},
    evidenceFolder: context.evidenceFolder,
    nameTarget: (target) => html`<a href="/payout/${target.key}">${names.get(target.key)}</a>`,
  };
}

async function answerMany(
  context: DecidePageContext,
  lists: FrozenLists,
  visit: ProvedVisit,
  fields: Fields,
  isPosted: boolean,
  file?: SentFile,
): Promise<Answer> {
  const [key = '', decision] = [fields['key'], readDecision(fields)];
  const list = lists.find(key, visit);
  if (typeof list === 'string') return goneList(visit, list);
  if (decision === undefined) return listPage(context, visit, key, list);
  const form = await formOfMany(context, visit, key, list, decision);
  const review = await context.readReview();
  if (!isPosted) return decidePage(visit, review, form, fields);
  const noteObjections = (objections: readonly Objection[]): void => {
    list.objected = new Set(objections.flatMap(({ target }) => target?.key ?? []));
  };
  return answerDecision(visit, review, form, fields, noteObjections, file);
}

/** Removes the rows with objections from a list; the others stay frozen as they were. */
function answerLeaveOut(lists: FrozenLists, visit: ProvedVisit, fields: Fields): Answer {
  const list = lists.find(fields['key'] ?? '', visit);
  const decision = readDecision(fields);
  if (typeof list === 'string' || decision === undefined)
    return goneList(visit, typeof list === 'string' ? list : 'decide.list-gone');
  const rows = list.rows.filter(({ target }) => !list.objected.has(target.key));
  return { goTo: `/decide/${lists.keep({ ...list, rows, objected: new Set() })}/${decision}` };
}

/** The limit of fields beside the token: version, note, evidence, and room for one more. */
const fieldsMax = 4;

/** @returns the views, with the forms that bring an evidence file where files are kept */
export function makeDecideViews(context: DecidePageContext): {
  readonly views: readonly View[];
  readonly fileViews: readonly FileView[];
} {
  const lists = new FrozenLists();
  const ways: Readonly<Record<string, FileView['receive']>> = {
    '/payout/:seq/decide/:decision': async (visit, file, fields) =>
      answerOne(context, visit, fields, true, file),
    '/decide/:key/:decision': async (visit, file, fields) =>
      answerMany(context, lists, visit, fields, true, file),
  };
  const fileViews = Object.entries(ways).map(([path, receive]): FileView => ({
    path: `${path}${withFile}`,
    action: 'propose',
    bytesMax: evidenceBytesMax,
    fieldsMax,
    receive,
  }));
  return {
    views: makePlainViews(context, lists),
    fileViews: context.evidenceFolder === undefined ? [] : fileViews,
  };
}

function makePlainViews(context: DecidePageContext, lists: FrozenLists): readonly View[] {
  const both = ['GET', 'POST'] as const;
  return [
    ...both.map((method): View => ({
      method,
      path: '/payout/:seq/decide/:decision',
      action: 'propose',
      answer: async (visit, fields) => answerOne(context, visit, fields, method === 'POST'),
    })),
    {
      method: 'POST',
      path: '/decide',
      action: 'propose',
      answer: async (visit, fields) => answerChoice(context, lists, visit, fields),
    },
    {
      method: 'GET',
      path: '/decide/:key',
      action: 'propose',
      answer: async (visit, fields) => answerMany(context, lists, visit, fields, false),
    },
    ...both.map((method): View => ({
      method,
      path: '/decide/:key/:decision',
      action: 'propose',
      answer: async (visit, fields) => answerMany(context, lists, visit, fields, method === 'POST'),
    })),
    {
      method: 'POST',
      path: '/decide/:key/:decision/leave-out',
      action: 'propose',
      answer: async (visit, fields) => answerLeaveOut(lists, visit, fields),
    },
  ];
}
