/** Reconciliation by day: which days agree, which have open breaks, and which have no statement. */
import { listPastDays } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { counted } from '../core/message.ts';
import { sayDate } from '../core/moments.ts';
import type { StatementDayState } from '../reconcile/ports.ts';
import { decodeTotals } from '../reconcile/rules/tally.ts';
import type { Figures } from '../reconcile/rules/types.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { dataTable, emptyNote } from '../review/web/parts.ts';
import { formAt, type Page, type ProvedVisit, type View, viewAt } from '../review/web/view.ts';
import { answerAccept } from './accept-breaks.ts';
import { showDifference } from '../review/web/proposed/break-sides.ts';
import { answerDay, answerFetch, isHigh, type ReconciliationContext } from './reconciliation-day.ts';
import { compareSides } from './rules/day-sides.ts';

/** Newest days shown. */
const daysShown = 62;

const figuresOf = (figures: Figures | undefined): Part =>
  figures && html`${showBaht(figures.satang)} <small>${showCount(figures.count)}</small>`;

const tag = (className: string, sign: string, text: string): Html =>
  html`<span class="t ${className}"><span aria-hidden="true">${sign}</span> ${text}</span>`;

/** ✓ agrees, ! or ? with its open breaks, or … not complete. */
async function stateOf(
  { store }: ReconciliationContext,
  { say }: ProvedVisit,
  { date, openBreaks }: StatementDayState,
  isInPart: boolean,
): Promise<Html> {
  if (openBreaks > 0) {
    const [worst] = await store.openBreaks(date, 1);
    const text = say(counted(openBreaks, 'open-break'));
    return worst !== undefined && isHigh(worst) ? tag('bad', '!', text) : tag('ask', '?', text);
  }
  return isInPart
    ? html`${tag('ask', '…', say('reconciliation.not-whole'))}
        <small>${say('reconciliation.day-not-whole')}</small>`
    : tag('yes', '✓', say('reconciliation.agrees'));
}

/** A day's state, and its totals where it has a statement. */
type ShownDay = readonly [state: Html, all?: ReturnType<typeof compareSides>['all']];

async function readDay(
  context: ReconciliationContext,
  visit: ProvedVisit,
  day: StatementDayState,
  isInPart: boolean,
): Promise<ShownDay> {
  const statement = await context.store.statement(day.date);
  const state = await stateOf(context, visit, day, isInPart);
  return statement === undefined ? [state] : [state, compareSides(decodeTotals(statement.totals)).all];
}

const dayRow = ({ say, language }: ProvedVisit, date: string, [state, all]: ShownDay): Html =>
  html`<tr>
    <td data-head="${say('payout.day')}">
      <a class="open" href="/reconciliation/${date}"><span class="name">${sayDate(language, date)}</span></a>
    </td>
    <td data-head="${say('reconciliation.state')}">${state}</td>
    <td class="number" data-head="${say('reconciliation.ours')}">${figuresOf(all?.ours)}</td>
    <td class="number" data-head="${say('reconciliation.bank')}">${figuresOf(all?.bank)}</td>
    <td class="number" data-head="${say('reconciliation.ours-minus-bank')}">
      ${all && showDifference(all.differenceSatang)}
    </td>
  </tr>`;

async function answerDays(context: ReconciliationContext, visit: ProvedVisit): Promise<Page> {
  const { say, nowMs } = visit;
  const { store } = context;
  const inPart = new Set(await store.daysReadInPart());
  const read = (await store.statementDays()).slice(0, daysShown);
  const missing = (await store.daysWithoutStatement(listPastDays(nowMs))).filter((date) => !inPart.has(date));
  const days = new Map<string, ShownDay>(
    missing.map((date) => [date, [tag('ask', '?', say('reconciliation.no-statement'))]]),
  );
  for (const day of read) days.set(day.date, await readDay(context, visit, day, inPart.has(day.date)));
  const numbers = ['reconciliation.ours', 'reconciliation.bank', 'reconciliation.ours-minus-bank'] as const;
  const newestFirst = [...days].toSorted(([one], [other]) => (one < other ? 1 : -1));
  const rows = newestFirst.map(([date, day]) => dayRow(visit, date, day));
  return {
    title: say('page.reconciliation'),
    body: html`<h1>${say('page.reconciliation')}</h1>
      ${
        days.size === 0
          ? emptyNote(say('reconciliation.no-days'))
          : dataTable(visit, ['payout.day', 'reconciliation.state', ...numbers], rows, numbers)
      }`,
  };
}

export const makeReconciliationViews = (context: ReconciliationContext): readonly View[] => [
  viewAt('GET', '/reconciliation', 'see', (visit) => answerDays(context, visit)),
  viewAt('GET', '/reconciliation/:date', 'see', (visit, fields) => answerDay(context, visit, fields)),
  ...formAt('/reconciliation/:date/accept', 'propose', (visit, fields, isPosted) =>
    answerAccept(context, visit, fields, isPosted),
  ),
  ...(context.fetchStatement === undefined
    ? []
    : [
        viewAt('POST', '/reconciliation/:date/fetch', 'take', (visit, fields) =>
          answerFetch(context, visit, fields),
        ),
      ]),
];
