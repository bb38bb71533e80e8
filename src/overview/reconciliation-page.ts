/** Reconciliation by day: the totals of both sides, the differences, and the versions of the statement. */
import { bahtOf, message, type PlainCode, say as sayMessage } from '../core/message.ts';
import { formatBangkokDateTime, listPastDays } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { sayAge, sayDate } from '../core/moments.ts';
import { type Satang, toSatang } from '../core/money.ts';
import { showText } from '../core/outgoing-text.ts';
import type { StatementDayState, StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import { describeBreakRemedy } from '../reconcile/rules/break-remedies.ts';
import { amountOfBreak } from '../reconcile/rules/breaks.ts';
import { describeProvenance } from '../reconcile/rules/custody.ts';
import { decodeTotals, isBreakKind } from '../reconcile/rules/tally.ts';
import type { BreakRecord, Figures, LineClass, PaidClass } from '../reconcile/rules/types.ts';
import { breakTargetOf } from '../review/queue-target.ts';
import type { Proposal, ProposalStore } from '../review/ports.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { plainPage } from '../review/web/layout.ts';
import { momentOf, whyOf } from '../review/web/parts.ts';
import type { Fields, Page, ProvedVisit, View } from '../review/web/view.ts';
import { compareSides } from './rules/day-sides.ts';

type ReconciliationReader = Pick<
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

const nameOf = (place: LineClass | PaidClass): PlainCode =>
  isBreakKind(place) ? `break.${place}` : `agreed.${place}`;

/** A difference with its sign: the excess is ours, or theirs. */
function showDifference(satang: Satang): string {
  const size = satang < 0n ? -satang : satang;
  const sign = satang === 0n ? '' : satang < 0n ? '−' : '+';
  return `${sign}${showBaht(toSatang(size))}`;
}

// ---------------------------------------------------------------- all days

async function dayRow(
  store: ReconciliationReader,
  visit: ProvedVisit,
  { date, version, openBreaks, acceptedAtMs }: StatementDayState,
  isInPart: boolean,
): Promise<Html> {
  const { say, language } = visit;
  const statement = await store.statement(date);
  const sides = statement && compareSides(decodeTotals(statement.totals));
  const side = (figures: Figures | undefined): Part =>
    figures && html`${showBaht(figures.satang)}<small>${showCount(figures.count)}</small>`;
  return html`<tr>
    <td data-head="${say('payout.day')}">
      <a class="open" href="/reconciliation/${date}"><span class="name">${sayDate(language, date)}</span></a>
      ${isInPart && html`<small>${say('reconciliation.day-not-whole')}</small>`}
    </td>
    <td class="number" data-head="${say('reconciliation.ours')}">${side(sides?.ours)}</td>
    <td class="number" data-head="${say('reconciliation.theirs')}">${side(sides?.theirs)}</td>
    <td class="number" data-head="${say('reconciliation.difference')}">
      ${sides && showDifference(sides.differenceSatang)}
    </td>
    <td data-head="${say('reconciliation.breaks-open')}">
      ${
        openBreaks === 0
          ? html`<span class="tag yes"
              ><span aria-hidden="true">✓</span> ${say('reconciliation.ties-out')}</span
            >`
          : html`<span class="tag unknown"><span aria-hidden="true">?</span> ${showCount(openBreaks)}</span>`
      }
    </td>
    <td class="number" data-head="${say('reconciliation.version')}">${version}</td>
    <td data-head="${say('reconciliation.accepted-at')}">${momentOf(visit, acceptedAtMs)}</td>
  </tr>`;
}

const missingRow = ({ say, language }: ProvedVisit, date: string): Html =>
  html`<tr>
    <td data-head="${say('payout.day')}"><span class="name">${sayDate(language, date)}</span></td>
    <td></td>
    <td class="number" data-head="${say('reconciliation.theirs')}">
      <span class="tag unknown">? ${say('reconciliation.no-statement')}</span>
    </td>
    <td colspan="4"></td>
  </tr>`;

async function answerDays(store: ReconciliationReader, visit: ProvedVisit): Promise<Page> {
  const { say, nowMs } = visit;
  const inPart = new Set(await store.daysReadInPart());
  const read = (await store.statementDays()).slice(0, daysShown);
  const missing = (await store.daysWithoutStatement(listPastDays(nowMs))).filter((date) => !inPart.has(date));
  const rows: (readonly [date: string, row: Html])[] = missing.map((date) => [date, missingRow(visit, date)]);
  for (const day of read) rows.push([day.date, await dayRow(store, visit, day, inPart.has(day.date))]);
  const heads = ['reconciliation.ours', 'reconciliation.theirs', 'reconciliation.difference'] as const;
  return {
    title: say('page.reconciliation'),
    body: html`<h1>${say('page.reconciliation')}</h1>
      ${
        rows.length === 0
          ? html`<div class="empty">
              <p><b>${say('reconciliation.no-days')}</b></p>
            </div>`
          : html`<table>
              <thead>
                <tr>
                  <th scope="col">${say('payout.day')}</th>
                  ${heads.map((head) => html`<th scope="col" class="number">${say(head)}</th>`)}
                  <th scope="col">${say('reconciliation.breaks-open')}</th>
                  <th scope="col" class="number">${say('reconciliation.version')}</th>
                  <th scope="col">${say('reconciliation.accepted-at')}</th>
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
  { say }: ProvedVisit,
  title: string,
  places: ReadonlyMap<LineClass | PaidClass, Figures>,
): Html {
  return html`<section class="card">
    <h2>${title}</h2>
    <table class="legend">
      <thead>
        <tr>
          <th scope="col">${say('reconciliation.place')}</th>
          <th scope="col" class="number">${say('reconciliation.count')}</th>
          <th scope="col" class="number">${say('payout.baht')}</th>
        </tr>
      </thead>
      <tbody>
        ${[...places].map(
          ([place, { count, satang }]) =>
            html`<tr>
              <th scope="row">${isBreakKind(place) ? '? ' : '✓ '}${say(nameOf(place))}</th>
              <td class="number" data-head="${say('reconciliation.count')}">${showCount(count)}</td>
              <td class="number" data-head="${say('payout.baht')}">${showBaht(satang)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

function breakRow(visit: ProvedVisit, record: BreakRecord, proposalId: number | undefined): Html {
  const { say, language, nowMs } = visit;
  const { kind, reason, attempt, key, openedAtMs } = record;
  const payout =
    attempt === null
      ? html`<span class="mono">${showText(key)}</span>`
      : html`<a href="/payout/${attempt.payoutSeq}">${attempt.payoutId}</a>
          <small>${attempt.batchId} · ${say('payout.row')} ${attempt.rowNo}</small>`;
  return html`<tr>
    <td data-head="${say('reconciliation.kind')}"><b>${say(nameOf(kind))}</b></td>
    <td data-head="${say('payout.payout')}">${payout}</td>
    <td class="number" data-head="${say('payout.amount')}">${showBaht(amountOfBreak(record))}</td>
    <td class="why" data-head="${say('payout.why')}">
      ${whyOf(visit, reason)}
      <small>${showText(sayMessage(language, describeBreakRemedy(record)))}</small>
      ${proposalId !== undefined && html`<p><a href="/proposal/${proposalId}">${say('reconciliation.waits-check')}</a></p>`}
    </td>
    <td class="mono" data-head="${say('payout.age')}">
      <time datetime="${formatBangkokDateTime(openedAtMs)}">${sayAge(language, nowMs - openedAtMs)}</time>
    </td>
  </tr>`;
}

/** Breaks that people have accepted: which, by whom, when, and why. */
async function acceptedList(
  store: ReconciliationReader,
  visit: ProvedVisit,
  date: string,
  count: number,
): Promise<Html> {
  const { say } = visit;
  const records = await store.acceptedBreaks(date, breaksShown);
  const items = records.map(async (record) => acceptedItem(visit, record, await proposalOf(store, record)));
  return html`<details>
    <summary>${say(message('reconciliation.accepted-breaks', { count: showCount(count) }))}</summary>
    <ul class="log">
      ${await Promise.all(items)}
    </ul>
  </details>`;
}

const proposalOf = async (store: ReconciliationReader, { closedBy }: BreakRecord) =>
  closedBy?.kind === 'accepted' ? store.proposal(closedBy.proposal) : undefined;

function acceptedItem(visit: ProvedVisit, record: BreakRecord, proposal: Proposal | undefined): Html {
  const { say } = visit;
  const { kind, reason, attempt, key, closedAtMs, closedBy } = record;
  const hands = closedBy?.kind === 'accepted' ? [closedBy.by, closedBy.checkedBy] : [];
  return html`<li>
    ${closedAtMs !== null && momentOf(visit, closedAtMs)}
    <span>
      <b>${say(nameOf(kind))}</b> ${say(bahtOf(amountOfBreak(record)))}
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
            <a href="/proposal/${proposal.proposalId}"
              >${say('payout.proposal-word')} ${proposal.proposalId}</a
            >`
        }</small
      >
    </span>
  </li>`;
}

async function breaksSection(store: ReconciliationReader, visit: ProvedVisit, date: string): Promise<Html> {
  const { say } = visit;
  const breaks = await store.openBreaks(date, breaksShown);
  const keys = breaks.map((record) => breakTargetOf(record).key);
  const items = keys.length === 0 ? [] : await store.openItems('break', keys);
  const proposals = new Map(items.map(({ key, proposalId }) => [key, proposalId]));
  const accepted = await store.countAcceptedBreaks(date);
  const heads = [
    'reconciliation.kind',
    'payout.payout',
    'payout.amount',
    'payout.why',
    'payout.age',
  ] as const;
  return html`<section aria-labelledby="breaks">
    <h2 id="breaks">${say('reconciliation.breaks-open')}</h2>
    ${
      breaks.length === 0
        ? html`<p>${say('reconciliation.no-breaks')}</p>`
        : html`<table>
            <thead>
              <tr>
                ${heads.map(
                  (head) =>
                    html`<th scope="col" ${head === 'payout.amount' ? html`class="number"` : ''}>
                      ${say(head)}
                    </th>`,
                )}
              </tr>
            </thead>
            <tbody>
              ${breaks.map((record) => breakRow(visit, record, proposals.get(breakTargetOf(record).key)))}
            </tbody>
          </table>`
    }
    ${breaks.length === breaksShown && html`<p>${say('reconciliation.more-breaks')}</p>`}
    ${accepted > 0 && (await acceptedList(store, visit, date, accepted))}
  </section>`;
}

async function versionsSection(store: ReconciliationReader, visit: ProvedVisit, date: string): Promise<Html> {
  const { say } = visit;
  const versions = await store.statementVersions(date);
  return html`<section class="card">
    <h2>${say('reconciliation.versions')}</h2>
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

async function answerDay(store: ReconciliationReader, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { say, language } = visit;
  const date = /^\d{8}$/.exec(fields['date'] ?? '')?.[0];
  const statement = date === undefined ? undefined : await store.statement(date);
  if (date === undefined || statement === undefined)
    return plainPage(visit, 404, say('reconciliation.no-statement'), '', '/reconciliation');
  const totals = decodeTotals(statement.totals);
  const { differenceSatang } = compareSides(totals);
  return {
    title: `${say('page.reconciliation')} ${sayDate(language, date)}`,
    body: html`<h1>${say('page.reconciliation')} <small>${sayDate(language, date)}</small></h1>
      <ul class="figures">
        <li>
          <b>${showDifference(differenceSatang)}</b> ${say('reconciliation.difference')},
          ${say('payout.baht')}
        </li>
        <li>
          <b>${statement.version}</b> ${say('reconciliation.version')}
          <small>${momentOf(visit, statement.acceptedAtMs)}</small>
        </li>
      </ul>
      <div class="columns even">
        ${sideTable(visit, say('reconciliation.ours'), totals.paid)}
        ${sideTable(visit, say('reconciliation.theirs'), totals.lines)}
      </div>
      ${await breaksSection(store, visit, date)} ${await versionsSection(store, visit, date)}
      <p><a href="/reconciliation">${say('reconciliation.back-to-days')}</a></p>`,
  };
}

export const makeReconciliationViews = (store: ReconciliationReader): readonly View[] => [
  {
    method: 'GET',
    path: '/reconciliation',
    action: 'see',
    answer: async (visit) => answerDays(store, visit),
  },
  {
    method: 'GET',
    path: '/reconciliation/:date',
    action: 'see',
    answer: async (visit, fields) => answerDay(store, visit, fields),
  },
];
