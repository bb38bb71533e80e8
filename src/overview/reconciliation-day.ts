/** One reconciled day: both totals kind by kind, the steps between them, its breaks, and its statement. */
import { hash } from 'node:crypto';
import { counted, listedInWords, message, type Message, type PlainCode } from '../core/message.ts';
import { formatBangkokDateTime, listPastDays, parseBangkokDate } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { sayAge, sayDate, sayMoment } from '../core/moments.ts';
import { showText } from '../core/outgoing-text.ts';
import type { HistoryReader, PayoutHistory } from '../payout/ports.ts';
import type { AcceptedStatement, StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import { breakKeyOf, versionOfBreak } from '../reconcile/rules/breaks.ts';
import { describeBreakRemedy } from '../reconcile/rules/break-remedies.ts';
import { describeProvenance } from '../reconcile/rules/custody.ts';
import { decodeTotals, isBreakKind } from '../reconcile/rules/tally.ts';
import type { BreakRecord, Figures } from '../reconcile/rules/types.ts';
import { breakTargetOf } from '../review/queue-target.ts';
import type { Proposal, ProposalStore } from '../review/ports.ts';
import { can } from '../review/rules/people.ts';
import { type AskBank, askPart } from '../review/web/ask-bank.ts';
import { stepsChart } from '../review/web/charts.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { plainPage, postButton } from '../review/web/layout.ts';
import { capital, momentOf, whyOf } from '../review/web/parts.ts';
import type { ReadReview } from '../review/web/payout-page.ts';
import { bahtOfSide, showDifference, transferOf } from '../review/web/proposed/break-sides.ts';
import type { Fields, Page, ProvedVisit } from '../review/web/view.ts';
import {
  compareSides,
  explainDifference,
  sidesOfBreak,
  type SidesOf,
  sizeOf,
  stepsOf,
} from './rules/day-sides.ts';

/** The end of a request for a statement. */
type StatementFetched = 'reconciled' | 'breaks' | 'none' | 'later' | 'refused';

type ReconciliationReader = Pick<
  StatementStore,
  | 'statement'
  | 'statementDays'
  | 'statementVersions'
  | 'openBreaks'
  | 'countOpenBreaks'
  | 'acceptedBreaks'
  | 'countAcceptedBreaks'
> &
  UnreconciledDays &
  Pick<HistoryReader, 'history'> &
  Pick<ProposalStore, 'openItems' | 'proposal'>;

export interface ReconciliationContext {
  readonly store: ReconciliationReader;
  readonly readReview: ReadReview;
  /** `bank.companyId` of the settings, for the head of a printed day. */
  readonly companyId: string;
  /** Fetches the statement of a day and reconciles it; undefined in a process that asks no bank. */
  readonly fetchStatement: ((date: string) => Promise<StatementFetched>) | undefined;
  /** Asks the bank about one payout; undefined in a process that has no bank. */
  readonly askBank: AskBank | undefined;
}

/** Most breaks shown. */
export const breaksShown = 200;

/** True for a break about which money may be lost, or moved twice. */
export const isHigh = ({ severity }: Pick<BreakRecord, 'severity'>): boolean =>
  severity === 'critical' || severity === 'high';

export const nameOf = (place: SidesOf['place']): PlainCode =>
  isBreakKind(place) ? `break.${place}` : `agreed.${place}`;

/** The sign and colour of a break. */
export const signOf = (isHighBreak: boolean): readonly [sign: string, className: string] =>
  isHighBreak ? ['!', 'bad'] : ['?', 'ask'];

/** Names a break as it was shown, in the field of a form. */
export const markOf = (record: BreakRecord): string =>
  hash('sha256', `${breakKeyOf(record)}\n${versionOfBreak(record)}`, 'hex').slice(0, 24);

interface ShownDay {
  readonly date: string;
  readonly statement: AcceptedStatement;
  readonly sides: ReturnType<typeof compareSides>;
  readonly isInPart: boolean;
  readonly open: readonly BreakRecord[];
  readonly openCount: number;
  readonly accepted: readonly BreakRecord[];
  readonly acceptedCount: number;
  /** The open proposal about a break, by the key of its target. */
  readonly proposals: ReadonlyMap<string, number>;
  /** The payouts of breaks whose outcome is unknown, by their numbers. */
  readonly inDoubt: ReadonlyMap<number, PayoutHistory>;
}

async function readInDoubt(
  store: ReconciliationReader,
  open: readonly BreakRecord[],
): Promise<ReadonlyMap<number, PayoutHistory>> {
  const found = new Map<number, PayoutHistory>();
  for (const { attempt } of open) {
    if (attempt?.payoutStatus !== 'submitted' && attempt?.payoutStatus !== 'unresolved') continue;
    const history = await store.history(attempt.payoutSeq);
    if (history !== undefined) found.set(attempt.payoutSeq, history);
  }
  return found;
}

async function readDay(
  { store }: ReconciliationContext,
  date: string,
  statement: AcceptedStatement,
): Promise<ShownDay> {
  const open = await store.openBreaks(date, breaksShown);
  const keys = open.map((record) => breakTargetOf(record).key);
  const items = keys.length === 0 ? [] : await store.openItems('break', keys);
  return {
    date,
    statement,
    sides: compareSides(decodeTotals(statement.totals)),
    isInPart: (await store.daysReadInPart()).includes(date),
    open,
    openCount: [...(await store.countOpenBreaks(date)).values()].reduce((sum, count) => sum + count, 0),
    accepted: await store.acceptedBreaks(date, breaksShown),
    acceptedCount: await store.countAcceptedBreaks(date),
    proposals: new Map(items.map(({ key, proposalId }) => [key, proposalId])),
    inDoubt: await readInDoubt(store, open),
  };
}

// ---------------------------------------------------------------- head

/** The nearest days with a page, before and after. */
async function neighboursOf({ store }: ReconciliationContext, { nowMs }: ProvedVisit, date: string) {
  const read = (await store.statementDays()).map((day) => day.date);
  const dates = [...read, ...(await store.daysWithoutStatement(listPastDays(nowMs)))].toSorted();
  return [dates.findLast((one) => one < date), dates.find((one) => one > date)];
}

async function dayNav(context: ReconciliationContext, visit: ProvedVisit, date: string): Promise<Html> {
  const { say, language } = visit;
  const others = (await neighboursOf(context, visit, date))
    .filter((one) => one !== undefined)
    .map((one) => html`<a href="/reconciliation/${one}">${sayDate(language, one)}</a>`);
  return html`<p class="nav">
    <a href="/queue">← ${say('page.queue')}</a>
    <a href="/reconciliation">${say('today.all-days')}</a>
    <span>${others.map((link, place) => html`${place > 0 && ' · '}${link}`)}</span>
  </p>`;
}

/** The outcome of the day in one sentence. */
function describeDay({ language }: ProvedVisit, shown: ShownDay): Message {
  const { openCount, isInPart, sides, date } = shown;
  const day = sayDate(language, date);
  const { differenceSatang } = sides.all;
  if (openCount === 0)
    return message(isInPart ? 'reconciliation.day-whole-not' : 'reconciliation.day-agrees', { day });
  if (differenceSatang === 0n) return message('reconciliation.totals-equal', { day });
  const sum = showBaht(sizeOf(differenceSatang));
  return message(differenceSatang < 0n ? 'reconciliation.bank-more' : 'reconciliation.bank-less', {
    day,
    sum,
  });
}

/** The breaks of which the difference is the sum; nothing where they do not add up, or not all are shown. */
function explanation({ say }: ProvedVisit, shown: ShownDay): Part {
  const { sides, open, accepted, openCount, acceptedCount } = shown;
  const { differenceSatang } = sides.all;
  const all = [...open, ...accepted];
  const isWhole = all.length === openCount + acceptedCount && explainDifference(all, differenceSatang);
  if (differenceSatang === 0n || !isWhole) return undefined;
  const breaks = listedInWords([
    ...(openCount > 0 ? [counted(openCount, 'open-break')] : []),
    ...(acceptedCount > 0 ? [counted(acceptedCount, 'accepted-break')] : []),
  ]);
  const sum = showBaht(sizeOf(differenceSatang));
  return html`<p class="sum">${say(message('reconciliation.explained', { sum, breaks }))}</p>`;
}

/** The company, in the head of a printed day. */
const printedHead = ({ companyId }: ReconciliationContext, { say }: ProvedVisit): Html =>
  html`<p class="print">${say(message('reconciliation.printed-head', { company: companyId }))}</p>`;

/** Lines at the end of a printed day. */
const signatureLines = ({ say }: ProvedVisit): Html =>
  html`<div class="print">
    <p>${say('reconciliation.compared-by-line')}</p>
    <p>${say('reconciliation.checked-by-line')}</p>
  </div>`;

// ---------------------------------------------------------------- both sides

const bahtOrNone = ({ count, satang }: Figures): string => (count === 0 ? '—' : showBaht(satang));
const countOrNone = ({ count }: Figures): Part => count > 0 && showCount(count);

function sidesCells({ say }: ProvedVisit, { ours, bank, differenceSatang }: Omit<SidesOf, 'place'>): Html {
  return html`<td class="r hide">${countOrNone(ours)}</td>
    <td class="r" data-l="${say('reconciliation.ours')}">${bahtOrNone(ours)}</td>
    <td class="r hide">${countOrNone(bank)}</td>
    <td class="r" data-l="${say('reconciliation.bank')}">${bahtOrNone(bank)}</td>
    <td class="r" data-l="${say('reconciliation.difference')}">
      <b>${showDifference(differenceSatang)}</b>
    </td>`;
}

/** High while an open break of the kind is. */
const isHighKind = ({ open }: ShownDay, place: SidesOf['place']): boolean =>
  open.some((record) => record.kind === place && isHigh(record));

function placeName({ say }: ProvedVisit, shown: ShownDay, place: SidesOf['place']): Html {
  const name = capital(say(nameOf(place)));
  if (!isBreakKind(place)) return html`<span class="t yes"><span aria-hidden="true">✓</span> ${name}</span>`;
  const [sign, className] = signOf(isHighKind(shown, place));
  return html`<span class="t ${className}"><span aria-hidden="true">${sign}</span> ${name}</span>`;
}

function besideTable(visit: ProvedVisit, { sides }: ShownDay): Part {
  const { say } = visit;
  if (sides.beside.length === 0) return undefined;
  const side = (code: PlainCode, figures: Figures): Part =>
    figures.count > 0 && html`${say(code)} ${showBaht(figures.satang)} (${showCount(figures.count)}) `;
  return html`<details class="small">
    <summary>${say('reconciliation.beside')}</summary>
    <ul>
      ${sides.beside.map(
        ({ place, ours, bank }) =>
          html`<li>
            ${capital(say(nameOf(place)))}:
            ${side('reconciliation.ours', ours)}${side('reconciliation.bank', bank)}
          </li>`,
      )}
    </ul>
  </details>`;
}

/** Longest name below a step: the table above has the whole one. */
const stepNameMax = 24;
const cut = (text: string): string =>
  text.length > stepNameMax ? `${text.slice(0, stepNameMax - 1)}…` : text;

function stepsSection({ say }: ProvedVisit, shown: ShownDay): Part {
  const { ours, bank } = shown.sides.all;
  const steps = stepsOf(shown.sides);
  if (steps.length === 0) return undefined;
  const changes = steps.map(({ place, satang }) => {
    const isAlarm = place !== undefined && isHighKind(shown, place);
    const fill = isAlarm ? ('alarm' as const) : ('unknown' as const);
    const name = cut(capital(say(place === undefined ? 'reconciliation.rest' : nameOf(place))));
    return { name, text: showDifference(satang), size: satang, fill };
  });
  const total = (code: PlainCode, { satang }: Figures) => ({
    name: say(code),
    text: showBaht(satang),
    size: satang,
  });
  const label = say('reconciliation.steps');
  return html`<h2 class="h3 hide">${label}</h2>
    <div class="hide">
      ${stepsChart(total('reconciliation.bank', bank), changes, total('reconciliation.ours', ours), label)}
    </div>`;
}

function sidesSection(visit: ProvedVisit, shown: ShownDay): Html {
  const { say } = visit;
  const { compared, all } = shown.sides;
  const heads = [
    ['reconciliation.count', 'reconciliation.ours'],
    ['reconciliation.count', 'reconciliation.bank'],
  ].flat() as readonly PlainCode[];
  return html`<section class="card">
    <table class="rows tbl">
      <thead>
        <tr>
          <td></td>
          ${heads.map((head) => html`<th scope="col" class="r">${say(head)}</th>`)}
          <th scope="col" class="r">${say('reconciliation.ours-minus-bank')}</th>
        </tr>
      </thead>
      <tbody>
        ${compared.map(
          (row) =>
            html`<tr>
              <td class="w">${placeName(visit, shown, row.place)}</td>
              ${sidesCells(visit, row)}
            </tr>`,
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" class="w">${say('today.total')}</th>
          ${sidesCells(visit, all)}
        </tr>
      </tfoot>
    </table>
    ${stepsSection(visit, shown)} ${besideTable(visit, shown)}
  </section>`;
}

// ---------------------------------------------------------------- breaks

/** The place of a break on the page of its day; an answer about it returns there. */
export const placeOf = (record: BreakRecord): string => `break-${markOf(record)}`;

function breakButtons(visit: ProvedVisit, shown: ShownDay, record: BreakRecord): Html {
  const { say, person } = visit;
  const { date, proposals } = shown;
  const proposalId = proposals.get(breakTargetOf(record).key);
  if (proposalId !== undefined)
    return html`<div class="bts">
      <a class="b sm" href="/proposal/${proposalId}">${say('reconciliation.waits-check')}</a>
    </div>`;
  return html`<div class="bts">
    ${
      can(person, 'propose').allowed &&
      postButton(
        visit,
        `/reconciliation/${date}/accept`,
        say('reconciliation.accept-one'),
        { [`pick-${markOf(record)}`]: '1' },
        'b sm',
      )
    }
  </div>`;
}

function breakCard(visit: ProvedVisit, shown: ShownDay, record: BreakRecord, canAsk: boolean): Html {
  const { say, language, nowMs } = visit;
  const { kind, reason } = record;
  const { oursSatang, bankSatang, differenceSatang } = sidesOfBreak(record);
  const [sign, className] = signOf(isHigh(record));
  const dayMs = parseBangkokDate(record.date) ?? record.openedAtMs;
  const history = shown.inDoubt.get(record.attempt?.payoutSeq ?? 0);
  return html`<article class="card br ${isHigh(record) ? 'hi' : 'lo'}" id="${placeOf(record)}" tabindex="-1">
    <div class="hd">
      <h3 class="${className}"><span aria-hidden="true">${sign}</span> ${capital(say(nameOf(kind)))}</h3>
      <small
        >${say(isHigh(record) ? 'reconciliation.high' : 'reconciliation.low')} · ${transferOf(record)}</small
      >
      <small class="n"
        ><time datetime="${formatBangkokDateTime(dayMs)}" title="${sayDate(language, record.date)}"
          >${say(message('reconciliation.from-day', { age: sayAge(language, nowMs - dayMs) }))}</time
        ></small
      >
    </div>
    <dl>
      <div>
        <dt>${say('reconciliation.ours')}</dt>
        <dd class="n">${bahtOfSide(oursSatang)}</dd>
      </div>
      <div>
        <dt>${say('reconciliation.bank')}</dt>
        <dd class="n">${bahtOfSide(bankSatang)}</dd>
      </div>
      <div>
        <dt>${say('reconciliation.difference')}</dt>
        <dd class="n"><b>${showDifference(differenceSatang)}</b></dd>
      </div>
    </dl>
    <div class="tx">
      <p>${whyOf(visit, reason)}</p>
      <p class="small">${showText(say(describeBreakRemedy(record)))}</p>
    </div>
    ${history && askPart(visit, history, { canAsk, back: `/reconciliation/${shown.date}#${placeOf(record)}` })}
    ${breakButtons(visit, shown, record)}
  </article>`;
}

const proposalOf = async (store: ReconciliationReader, { closedBy }: BreakRecord) =>
  closedBy?.kind === 'accepted' ? store.proposal(closedBy.proposal) : undefined;

function acceptedItem(visit: ProvedVisit, record: BreakRecord, proposal: Proposal | undefined): Html {
  const { say } = visit;
  const { kind, reason, closedAtMs, closedBy } = record;
  const hands = closedBy?.kind === 'accepted' ? [closedBy.by, closedBy.checkedBy] : [];
  return html`<li>
    ${closedAtMs !== null && momentOf(visit, closedAtMs)}
    <span>
      <b>${say(nameOf(kind))}</b> ${showDifference(sidesOfBreak(record).differenceSatang)}
      ${transferOf(record)}
      <small>${whyOf(visit, reason)}</small>
      <small
        >${hands.filter((name) => name !== null).join(', ')}${
          proposal &&
          html`: ${showText(proposal.note)}
            <a href="/proposal/${proposal.proposalId}"
              >${say('payout.proposal-word')} ${proposal.proposalId}</a
            >`
        }</small
      >
    </span>
  </li>`;
}

/** Breaks that people have accepted: which, by whom, when, and why. */
async function acceptedList(store: ReconciliationReader, visit: ProvedVisit, shown: ShownDay): Promise<Part> {
  const { accepted, acceptedCount } = shown;
  if (acceptedCount === 0) return undefined;
  const items = accepted.map(async (record) => acceptedItem(visit, record, await proposalOf(store, record)));
  return html`<details>
    <summary>
      ${visit.say(message('reconciliation.accepted-breaks', { count: showCount(acceptedCount) }))}
    </summary>
    <ul class="log">
      ${await Promise.all(items)}
    </ul>
  </details>`;
}

async function breaksSection(
  { store, askBank }: ReconciliationContext,
  visit: ProvedVisit,
  shown: ShownDay,
): Promise<Part> {
  const { say, person } = visit;
  const { open, openCount, date } = shown;
  return [
    openCount > 0 &&
      html`<section aria-labelledby="breaks">
        <div class="head">
          <h2 id="breaks">${say(counted(openCount, 'open-break'))}</h2>
          <small>${say('reconciliation.severe-first')}</small>
          ${
            openCount > 1 &&
            can(person, 'propose').allowed &&
            html`<a class="b sm" href="/reconciliation/${date}/accept"
              >${say('reconciliation.accept-several')}</a
            >`
          }
        </div>
        <div class="list">
          ${open.map((record) => breakCard(visit, shown, record, askBank !== undefined))}
        </div>
        ${openCount > open.length && html`<p>${say('reconciliation.more-breaks')}</p>`}
      </section>`,
    await acceptedList(store, visit, shown),
  ];
}

// ---------------------------------------------------------------- the statement

function fetchPart(
  { fetchStatement }: ReconciliationContext,
  visit: ProvedVisit,
  date: string,
  label: PlainCode,
) {
  const { say, person } = visit;
  if (fetchStatement === undefined || !can(person, 'take').allowed)
    return html`<p class="small">${say('reconciliation.sender-fetches')}</p>`;
  return html`<div class="bts">
    ${postButton(visit, `/reconciliation/${date}/fetch`, say(label), {}, 'b sm')}
  </div>`;
}

async function statementSection(
  context: ReconciliationContext,
  visit: ProvedVisit,
  { date, statement }: ShownDay,
): Promise<Html> {
  const { say } = visit;
  const versions = (await context.store.statementVersions(date)).toReversed();
  return html`<section class="card">
    <div class="hd">
      <h2>${say('reconciliation.statement')}</h2>
      <small
        >${say(counted(versions.length, 'version'))},
        ${say(counted(statement.statement.lines, 'line'))}</small
      >
    </div>
    ${fetchPart(context, visit, date, 'reconciliation.fetch-again')}
    <details class="small">
      <summary>${say('reconciliation.for-auditors')}</summary>
      <ul class="log">
        ${versions.map(
          ({ version, sha256, provenance }) =>
            html`<li>
              <b>${version}</b>
              <span
                >${whyOf(visit, describeProvenance(provenance))} <small><code>${sha256}</code></small></span
              >
            </li>`,
        )}
      </ul>
    </details>
  </section>`;
}

// ---------------------------------------------------------------- answers

export const readDate = (fields: Fields): string | undefined => /^\d{8}$/.exec(fields['date'] ?? '')?.[0];

const noticeOf = ({ say }: ProvedVisit, notice: PlainCode | undefined): Part =>
  notice !== undefined &&
  html`<p class="done notice" role="status" tabindex="-1" autofocus><b>${say(notice)}</b></p>`;

/** The page of a day on which payouts were sent, and whose statement is missing. */
async function missingPage(
  context: ReconciliationContext,
  visit: ProvedVisit,
  date: string,
  notice: PlainCode | undefined,
): Promise<Page> {
  const title = visit.say(message('reconciliation.day-missing', { day: sayDate(visit.language, date) }));
  return {
    title,
    body: html`${noticeOf(visit, notice)} ${await dayNav(context, visit, date)}
      <h1>${title}</h1>
      <section class="card">
        ${whyOf(visit, message('queue.day-without-statement'))}
        ${fetchPart(context, visit, date, 'reconciliation.fetch')}
      </section>`,
  };
}

export async function answerDay(
  context: ReconciliationContext,
  visit: ProvedVisit,
  fields: Fields,
  notice?: PlainCode,
): Promise<Page> {
  const { say, language } = visit;
  const { store } = context;
  const date = readDate(fields);
  const statement = date === undefined ? undefined : await store.statement(date);
  if (date === undefined || statement === undefined) {
    const isMissing = date !== undefined && (await store.daysWithoutStatement([date])).includes(date);
    return isMissing
      ? missingPage(context, visit, date, notice)
      : plainPage(visit, 404, say('reconciliation.no-statement'), '', '/reconciliation');
  }
  const shown = await readDay(context, date, statement);
  const { version, acceptedAtMs } = statement;
  const moment = sayMoment(language, acceptedAtMs);
  return {
    title: `${say('page.reconciliation')} ${sayDate(language, date)}`,
    body: html`${noticeOf(visit, notice)} ${printedHead(context, visit)} ${await dayNav(context, visit, date)}
      <div class="head">
        <h1>${say(describeDay(visit, shown))}</h1>
        <small>${say(message('reconciliation.read-at', { version, moment }))}</small>
      </div>
      ${shown.isInPart && html`<p>${say('reconciliation.day-not-whole')}</p>`} ${explanation(visit, shown)}
      ${sidesSection(visit, shown)} ${await breaksSection(context, visit, shown)}
      ${await statementSection(context, visit, shown)} ${signatureLines(visit)}`,
  };
}

const fetchNotices: Readonly<Record<StatementFetched, PlainCode>> = {
  reconciled: 'reconciliation.fetched',
  breaks: 'reconciliation.fetched',
  none: 'reconciliation.fetched-none',
  later: 'reconciliation.fetched-later',
  refused: 'reconciliation.fetched-refused',
};

/** Fetches the statement of a day that has one, or lacks one. */
export async function answerFetch(
  context: ReconciliationContext,
  visit: ProvedVisit,
  fields: Fields,
): Promise<Page> {
  const { store, fetchStatement } = context;
  const date = readDate(fields);
  const isKnown =
    date !== undefined &&
    ((await store.statement(date)) !== undefined ||
      (await store.daysWithoutStatement([date])).includes(date));
  const fetched = isKnown ? await fetchStatement?.(date) : undefined;
  return answerDay(context, visit, fields, fetched && fetchNotices[fetched]);
}
