/** Reconciliation by day: the totals of both sides, the differences, and the versions of the statement. */
import { say as sayMessage } from '../core/message.ts';
import { formatBangkokDateTime, listPastDays } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { type Satang, toSatang } from '../core/money.ts';
import { showText } from '../core/outgoing-text.ts';
import type { StatementDayState, StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import { describeBreakRemedy } from '../reconcile/rules/break-remedies.ts';
import { agreedWords, breakWords } from '../reconcile/rules/break-words.ts';
import { amountOfBreak } from '../reconcile/rules/breaks.ts';
import { describeProvenance } from '../reconcile/rules/custody.ts';
import { decodeTotals, isBreakKind } from '../reconcile/rules/tally.ts';
import type { BreakRecord, Figures, LineClass, PaidClass } from '../reconcile/rules/types.ts';
import { breakTargetOf } from '../review/break-target.ts';
import type { Proposal, ProposalStore } from '../review/ports.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { plainPage } from '../review/web/layout.ts';
import { momentOf, whyOf } from '../review/web/parts.ts';
import type { Fields, Page, View } from '../review/web/view.ts';
import { type Language, sayAge, sayDate } from '../review/web/words.ts';
import { compareSides } from './rules/day-sides.ts';
import { type OverviewVisit, withWords } from './words.ts';

export type ReconciliationReader = Pick<
  StatementStore,
  | 'statement'
  | 'statementDays'
  | 'statementVersions'
  | 'openBreaks'
  | 'acceptedBreaks'
  | 'countAcceptedBreaks'
> &
  UnreconciledDays &
  Pick<ProposalStore, 'openItems' | 'proposal'>;

/** Newest days shown. */
const daysShown = 62;
const breaksShown = 200;

const wordOf = (language: Language, place: LineClass | PaidClass): string =>
  (isBreakKind(place) ? breakWords[place] : agreedWords[place])[language === 'th' ? 1 : 0];

/** A difference with its sign: the excess is ours, or theirs. */
function showDifference(satang: Satang): string {
  const size = satang < 0n ? -satang : satang;
  const sign = satang === 0n ? '' : satang < 0n ? '−' : '+';
  return `${sign}${showBaht(toSatang(size))}`;
}

// ---------------------------------------------------------------- all days

async function dayRow(
  store: ReconciliationReader,
  visit: OverviewVisit,
  { date, version, openBreaks, acceptedAtMs }: StatementDayState,
  isInPart: boolean,
): Promise<Html> {
  const { say, language } = visit;
  const statement = await store.statement(date);
  const sides = statement && compareSides(decodeTotals(statement.totals));
  const side = (figures: Figures | undefined): Part =>
    figures && html`${showBaht(figures.satang)}<small>${showCount(figures.count)}</small>`;
  return html`<tr>
    <td data-head="${say('day')}">
      <a class="open" href="/reconciliation/${date}"><span class="name">${sayDate(language, date)}</span></a>
      ${isInPart && html`<small>${say('dayNotWhole')}</small>`}
    </td>
    <td class="number" data-head="${say('ours')}">${side(sides?.ours)}</td>
    <td class="number" data-head="${say('theirs')}">${side(sides?.theirs)}</td>
    <td class="number" data-head="${say('difference')}">
      ${sides && showDifference(sides.differenceSatang)}
    </td>
    <td data-head="${say('breaksOpen')}">
      ${
        openBreaks === 0
          ? html`<span class="tag yes"><span aria-hidden="true">✓</span> ${say('tiesOut')}</span>`
          : html`<span class="tag unknown"><span aria-hidden="true">?</span> ${showCount(openBreaks)}</span>`
      }
    </td>
    <td class="number" data-head="${say('version')}">${version}</td>
    <td data-head="${say('acceptedAt')}">${momentOf(visit, acceptedAtMs)}</td>
  </tr>`;
}

const missingRow = ({ say, language }: OverviewVisit, date: string): Html =>
  html`<tr>
    <td data-head="${say('day')}"><span class="name">${sayDate(language, date)}</span></td>
    <td></td>
    <td class="number" data-head="${say('theirs')}">
      <span class="tag unknown">? ${say('noStatement')}</span>
    </td>
    <td colspan="4"></td>
  </tr>`;

async function answerDays(store: ReconciliationReader, visit: OverviewVisit): Promise<Page> {
  const { say, nowMs } = visit;
  const inPart = new Set(await store.daysReadInPart());
  const read = (await store.statementDays()).slice(0, daysShown);
  const missing = (await store.daysWithoutStatement(listPastDays(nowMs))).filter((date) => !inPart.has(date));
  const rows: (readonly [date: string, row: Html])[] = missing.map((date) => [date, missingRow(visit, date)]);
  for (const day of read) rows.push([day.date, await dayRow(store, visit, day, inPart.has(day.date))]);
  const heads = ['ours', 'theirs', 'difference'] as const;
  return {
    title: say('reconciliation'),
    body: html`<h1>${say('reconciliation')}</h1>
      ${
        rows.length === 0
          ? html`<div class="empty">
              <p><b>${say('noDays')}</b></p>
            </div>`
          : html`<table>
              <thead>
                <tr>
                  <th scope="col">${say('day')}</th>
                  ${heads.map((head) => html`<th scope="col" class="number">${say(head)}</th>`)}
                  <th scope="col">${say('breaksOpen')}</th>
                  <th scope="col" class="number">${say('version')}</th>
                  <th scope="col">${say('acceptedAt')}</th>
                </tr>
              </thead>
              <tbody>
                ${rows.toSorted(([one], [other]) => (one < other ? 1 : -1)).map(([, row]) => row)}
              </tbody>
            </table>`
      }`,
  };
}

// ---------------------------------------------------------------- one day

function sideTable(
  { say, language }: OverviewVisit,
  title: string,
  places: ReadonlyMap<LineClass | PaidClass, Figures>,
): Html {
  return html`<section class="card">
    <h2>${title}</h2>
    <table class="legend">
      <thead>
        <tr>
          <th scope="col">${say('place')}</th>
          <th scope="col" class="number">${say('count')}</th>
          <th scope="col" class="number">${say('baht')}</th>
        </tr>
      </thead>
      <tbody>
        ${[...places].map(
          ([place, { count, satang }]) =>
            html`<tr>
              <th scope="row">${isBreakKind(place) ? '? ' : '✓ '}${wordOf(language, place)}</th>
              <td class="number" data-head="${say('count')}">${showCount(count)}</td>
              <td class="number" data-head="${say('baht')}">${showBaht(satang)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

function breakRow(visit: OverviewVisit, record: BreakRecord, proposalId: number | undefined): Html {
  const { say, language, nowMs } = visit;
  const { kind, reason, attempt, key, openedAtMs } = record;
  const payout =
    attempt === null
      ? html`<span class="mono">${showText(key)}</span>`
      : html`<a href="/payout/${attempt.payoutSeq}">${attempt.payoutId}</a>
          <small>${attempt.batchId} · ${say('row')} ${attempt.rowNo}</small>`;
  return html`<tr>
    <td data-head="${say('kind')}"><b>${wordOf(language, kind)}</b></td>
    <td data-head="${say('payout')}">${payout}</td>
    <td class="number" data-head="${say('amount')}">${showBaht(amountOfBreak(record))}</td>
    <td class="why" data-head="${say('why')}">
      ${whyOf(visit, reason)}
      <small>${showText(sayMessage(language, describeBreakRemedy(record)))}</small>
      ${proposalId !== undefined && html`<p><a href="/proposal/${proposalId}">${say('waitsCheck')}</a></p>`}
    </td>
    <td class="mono" data-head="${say('age')}">
      <time datetime="${formatBangkokDateTime(openedAtMs)}">${sayAge(language, nowMs - openedAtMs)}</time>
    </td>
  </tr>`;
}

/** Breaks that people have accepted: which, by whom, when, and why. */
async function acceptedList(
  store: ReconciliationReader,
  visit: OverviewVisit,
  date: string,
  count: number,
): Promise<Html> {
  const { say } = visit;
  const records = await store.acceptedBreaks(date, breaksShown);
  const items = records.map(async (record) => acceptedItem(visit, record, await proposalOf(store, record)));
  return html`<details>
    <summary>${showCount(count)} ${say('acceptedBreaks')}</summary>
    <ul class="log">
      ${await Promise.all(items)}
    </ul>
  </details>`;
}

const proposalOf = async (store: ReconciliationReader, { closedBy }: BreakRecord) =>
  closedBy?.kind === 'accepted' ? store.proposal(closedBy.proposal) : undefined;

function acceptedItem(visit: OverviewVisit, record: BreakRecord, proposal: Proposal | undefined): Html {
  const { say, language } = visit;
  const { kind, reason, attempt, key, closedAtMs, closedBy } = record;
  const hands = closedBy?.kind === 'accepted' ? [closedBy.by, closedBy.checkedBy] : [];
  return html`<li>
    ${closedAtMs !== null && momentOf(visit, closedAtMs)}
    <span>
      <b>${wordOf(language, kind)}</b> ${showBaht(amountOfBreak(record))} ${say('baht')}
      ${
        attempt === null
          ? html`<span class="mono">${showText(key)}</span>`
          : html`<a href="/payout/${attempt.payoutSeq}">${attempt.payoutId}</a>`
      }
      <small>${whyOf(visit, reason)}</small>
      <small
        >${hands.filter((name) => name !== null).join(', ')}${
          proposal &&
          html`: ${showText(proposal.note)}
            <a href="/proposal/${proposal.proposalId}">${say('proposalWord')} ${proposal.proposalId}</a>`
        }</small
      >
    </span>
  </li>`;
}

async function breaksSection(store: ReconciliationReader, visit: OverviewVisit, date: string): Promise<Html> {
  const { say } = visit;
  const breaks = await store.openBreaks(date, breaksShown);
  const keys = breaks.map((record) => breakTargetOf(record).key);
  const items = keys.length === 0 ? [] : await store.openItems('break', keys);
  const proposals = new Map(items.map(({ key, proposalId }) => [key, proposalId]));
  const accepted = await store.countAcceptedBreaks(date);
  const heads = ['kind', 'payout', 'amount', 'why', 'age'] as const;
  return html`<section aria-labelledby="breaks">
    <h2 id="breaks">${say('breaksOpen')}</h2>
    ${
      breaks.length === 0
        ? html`<p>${say('noBreaks')}</p>`
        : html`<table>
            <thead>
              <tr>
                ${heads.map(
                  (head) =>
                    html`<th scope="col" ${head === 'amount' ? html`class="number"` : ''}>${say(head)}</th>`,
                )}
              </tr>
            </thead>
            <tbody>
              ${breaks.map((record) => breakRow(visit, record, proposals.get(breakTargetOf(record).key)))}
            </tbody>
          </table>`
    }
    ${breaks.length === breaksShown && html`<p>${say('moreBreaks')}</p>`}
    ${accepted > 0 && (await acceptedList(store, visit, date, accepted))}
  </section>`;
}

async function versionsSection(
  store: ReconciliationReader,
  visit: OverviewVisit,
  date: string,
): Promise<Html> {
  const { say } = visit;
  const versions = await store.statementVersions(date);
  return html`<section class="card">
    <h2>${say('versions')}</h2>
    <ul class="log">
      ${versions.map(
        ({ version, sha256, provenance }) =>
          html`<li>
            <b>${version}</b>
            <span>
              ${whyOf(visit, describeProvenance(provenance))}
              <small class="mono">SHA-256 ${sha256.slice(0, 16)}…</small>
            </span>
          </li>`,
      )}
    </ul>
  </section>`;
}

async function answerDay(store: ReconciliationReader, visit: OverviewVisit, fields: Fields): Promise<Page> {
  const { say, language } = visit;
  const date = /^\d{8}$/.exec(fields['date'] ?? '')?.[0];
  const statement = date === undefined ? undefined : await store.statement(date);
  if (date === undefined || statement === undefined)
    return plainPage(visit, 404, say('noStatement'), '', '/reconciliation');
  const totals = decodeTotals(statement.totals);
  const { differenceSatang } = compareSides(totals);
  return {
    title: `${say('reconciliation')} ${sayDate(language, date)}`,
    body: html`<h1>${say('reconciliation')} <small>${sayDate(language, date)}</small></h1>
      <ul class="figures">
        <li><b>${showDifference(differenceSatang)}</b> ${say('difference')}, ${say('baht')}</li>
        <li>
          <b>${statement.version}</b> ${say('version')}
          <small>${momentOf(visit, statement.acceptedAtMs)}</small>
        </li>
      </ul>
      <div class="columns even">
        ${sideTable(visit, say('ours'), totals.paid)} ${sideTable(visit, say('theirs'), totals.lines)}
      </div>
      ${await breaksSection(store, visit, date)} ${await versionsSection(store, visit, date)}
      <p><a href="/reconciliation">${say('backToDays')}</a></p>`,
  };
}

export const makeReconciliationViews = (store: ReconciliationReader): readonly View[] => [
  {
    method: 'GET',
    path: '/reconciliation',
    action: 'see',
    answer: async (visit) => answerDays(store, withWords(visit)),
  },
  {
    method: 'GET',
    path: '/reconciliation/:date',
    action: 'see',
    answer: async (visit, fields) => answerDay(store, withWords(visit), fields),
  },
];
