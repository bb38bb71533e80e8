/**
 * Today: the first page after signing in, with the state of the money, the work under way, and the persons that work
 * waits for.
 */
import { formatBangkokDateTime, listPastDays } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { bahtOf, message, type PlainCode, sayCode } from '../core/message.ts';
import { sayAge, sayDate, sayMoment } from '../core/moments.ts';
import { sumSatang } from '../core/money.ts';
import { showText } from '../core/outgoing-text.ts';
import type { Batch, BatchReader, PayerPause } from '../core/ports.ts';
import type { PayerBreakerReader, PayerHalt, PayoutStore, WaitingReader } from '../payout/ports.ts';
import type { RegistrationStore } from '../registration/ports.ts';
import { servicePayer } from '../registration/rules/intent.ts';
import type { StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import type { PersonStore, Proposal, ProposalStore } from '../review/ports.ts';
import type { OverviewReader } from './ports.ts';
import { isLapsed } from '../review/rules/person-request.ts';
import { can } from '../review/rules/people.ts';
import {
  addTotals,
  computeProgress,
  countChecks,
  divideBar,
  isOfToday,
  isUnderWay,
  type MoneyInStatus,
  type Progress,
} from './rules/today.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { whyOf } from '../review/web/parts.ts';
import type { Page, ProvedVisit, View } from '../review/web/view.ts';

type TodayReader = Pick<BatchReader, 'batches' | 'totals'> &
  Pick<PayoutStore, 'countInDoubt'> &
  WaitingReader &
  PayerBreakerReader &
  Pick<StatementStore, 'statementDays'> &
  Pick<UnreconciledDays, 'daysWithoutStatement'> &
  Pick<ProposalStore, 'proposals'> &
  Pick<PersonStore, 'persons'> &
  Pick<OverviewReader, 'latestSends'> &
  Pick<RegistrationStore, 'countFoundRegistrations' | 'countAwaitedRegistrations'> & {
    oldestInDoubtAtMs(): Promise<number | undefined>;
    countAlarmRows(): Promise<number>;
  };

/** Facts outside the journal. */
export interface Surroundings {
  /** The process that works the drop folder, or runs a file; undefined without one. */
  readonly sender:
    | {
        readonly command: string;
        readonly sinceMs: number;
        /** Set when several machines share the journal. */
        readonly machine?: string | undefined;
      }
    | undefined;
  /** Free bytes on the journal's disk; undefined when unknown. */
  readonly freeBytes: bigint | undefined;
}

export interface TodayContext {
  readonly store: TodayReader;
  /** Payer of the settings, which pays files dropped now. */
  readonly payer: { readonly companyId: string; readonly payerAccount: string } | undefined;
  /** Undefined when the page cannot know. */
  readonly readSurroundings: (() => Promise<Surroundings>) | undefined;
}

// ---------------------------------------------------------------- reading

interface BatchToday {
  readonly batch: Batch;
  readonly totals: readonly MoneyInStatus[];
  readonly progress: Progress;
}

/** Events searched for the latest sends. */
const latestEvents = 5_000;

async function readBatches(store: TodayReader, nowMs: number): Promise<readonly BatchToday[]> {
  const sends = new Map((await store.latestSends(latestEvents)).map((seen) => [seen.batchId, seen]));
  const batches = (await store.batches()).filter((batch) => isOfToday(batch, nowMs));
  const found: BatchToday[] = [];
  for (const batch of batches) {
    const totals = await store.totals(batch.batchId);
    const progress = computeProgress(totals, sends.get(batch.batchId), nowMs);
    found.push({ batch, totals, progress });
  }
  return found;
}

/** Most proposals counted. */
const proposalsMax = 1_000;

/** Account under which registrations are halted and paused. */
const directDebit = ({ companyId }: { readonly companyId: string }): string =>
  servicePayer(companyId).payerAccount;

async function readFigures({ store, payer, readSurroundings }: TodayContext, nowMs: number) {
  const days = await store.statementDays();
  const waiting = await store.waitingTotals({});
  return {
    readAtMs: nowMs,
    batches: await readBatches(store, nowMs),
    waitingRows: waiting.reduce((sum, { rows }) => sum + rows, 0),
    waitingSatang: sumSatang(waiting.map(({ amountSatang }) => amountSatang)),
    waitingSinceMs: waiting.length === 0 ? undefined : Math.min(...waiting.map(({ oldestMs }) => oldestMs)),
    inDoubt: await store.countInDoubt(),
    inDoubtSinceMs: await store.oldestInDoubtAtMs(),
    breaks: days.reduce((sum, { openBreaks }) => sum + openBreaks, 0),
    breaksSinceMs: Math.min(...days.flatMap(({ oldestOpenedAtMs }) => oldestOpenedAtMs ?? [])),
    daysMissing: await store.daysWithoutStatement(listPastDays(nowMs, 1)),
    alarms: await store.countAlarmRows(),
    proposals: await store.proposals(['proposed'], Number.MAX_SAFE_INTEGER, proposalsMax),
    halt: payer && (await store.payerHalt(payer.companyId, payer.payerAccount)),
    pause: payer && (await store.payerPause(payer.companyId, payer.payerAccount)),
    registrations: {
      waiting: await store.countFoundRegistrations({ isWaiting: true }),
      awaited: await store.countAwaitedRegistrations(),
      halt: payer && (await store.payerHalt(payer.companyId, directDebit(payer))),
      pause: payer && (await store.payerPause(payer.companyId, directDebit(payer))),
    },
    surroundings: await readSurroundings?.(),
  };
}

type TodayFigures = Awaited<ReturnType<typeof readFigures>>;

/** Life of the figures in ms, and as a multiple of the time to read them. */
const [goodForMs, timesTaken] = [1_000, 20];

/** Shares the figures between visitors at the same time: for a large batch every row must be read. */
function makeFiguresSource(context: TodayContext): (nowMs: number) => Promise<TodayFigures> {
  let latest:
    { readonly figures: Promise<TodayFigures>; readonly fromMs: number; untilMs: number } | undefined;
  return async (nowMs) => {
    if (latest !== undefined && latest.fromMs <= nowMs && nowMs < latest.untilMs) return latest.figures;
    const startMs = performance.now();
    const reading = { figures: readFigures(context, nowMs), fromMs: nowMs, untilMs: nowMs + goodForMs };
    latest = reading;
    try {
      const figures = await reading.figures;
      reading.untilMs = nowMs + Math.max(goodForMs, timesTaken * (performance.now() - startMs));
      return figures;
    } catch (error) {
      latest = undefined;
      throw error;
    }
  };
}

// ---------------------------------------------------------------- content

const ageSince = ({ language, nowMs, say }: ProvedVisit, sinceMs: number | undefined): Part =>
  sinceMs !== undefined &&
  Number.isFinite(sinceMs) &&
  html`<small
    >${say('queue.oldest')}
    <time datetime="${formatBangkokDateTime(sinceMs)}">${sayAge(language, nowMs - sinceMs)}</time></small
  >`;

function headFigures(visit: ProvedVisit, figures: TodayFigures, forMe: number): Html {
  const { say } = visit;
  const { waitingRows, waitingSatang, waitingSinceMs, inDoubt, inDoubtSinceMs, breaks, breaksSinceMs } =
    figures;
  return html`<ul class="figures links">
    <li>
      <a href="/queue"><b>${showCount(waitingRows)}</b> ${say('queue.need-person')}</a>
      ${waitingRows > 0 && html`<small>${say(bahtOf(waitingSatang))}</small>`}
      ${ageSince(visit, waitingSinceMs)}
    </li>
    ${
      forMe > 0 &&
      html`<li>
        <a href="/proposals"><b>${showCount(forMe)}</b> ${say('today.for-your-check')}</a>
      </li>`
    }
    <li><b>${showCount(inDoubt)}</b> ${say('today.in-doubt-now')} ${ageSince(visit, inDoubtSinceMs)}</li>
    <li>
      <a href="/reconciliation"><b>${showCount(breaks)}</b> ${say('today.open-breaks')}</a>
      ${ageSince(visit, breaksSinceMs)}
    </li>
  </ul>`;
}

/** Widths are attributes: pages have no inline styles. */
function bar(visit: ProvedVisit, money: readonly MoneyInStatus[], label: string): Html {
  const pieces = divideBar(money);
  return html`<svg class="share" role="img" aria-label="${label}">
    ${pieces.map(
      ({ status, start, width }) =>
        html`<rect class="fill-${status}" x="${start.toFixed(2)}%" width="${width.toFixed(2)}%" height="100%">
          <title>${sayCode(visit.language, `payout-status.${status}`)}</title>
        </rect>`,
    )}
  </svg>`;
}

/** Signs of statuses; each status has a colour, a sign and a word. */
const signs: Readonly<Record<MoneyInStatus['status'], string>> = {
  paid: '✓',
  submitted: '?',
  unresolved: '?',
  ready: '›',
  staged: '›',
  held: '‖',
  unpayable: '×',
  failed: '×',
  rejected: '×',
  cancelled: '×',
  disputed: '!',
};

function legendRow({ say, language }: ProvedVisit, money: MoneyInStatus): Html {
  const { status, rows, amountSatang, unreadableAmounts } = money;
  return html`<tr>
    <th scope="row">
      <svg class="swatch" aria-hidden="true"><rect class="fill-${status}" width="100%" height="100%" /></svg>
      <span aria-hidden="true">${signs[status]}</span> ${sayCode(language, `payout-status.${status}`)}
    </th>
    <td class="number" data-head="${say('payout.payouts')}">${showCount(rows)}</td>
    <td class="number" data-head="${say('payout.baht')}">
      ${showBaht(amountSatang)}
      ${unreadableAmounts > 0 && html`<small>${say(message('today.unreadable', { count: showCount(unreadableAmounts) }))}</small>`}
    </td>
  </tr>`;
}

function moneySection(visit: ProvedVisit, batches: readonly BatchToday[]): Html {
  const { say } = visit;
  const money = addTotals(batches.flatMap(({ totals }) => totals));
  const rows = money.reduce((sum, one) => sum + one.rows, 0);
  const all = sumSatang(money.map(({ amountSatang }) => amountSatang));
  if (money.length === 0)
    return html`<section class="card">
      <h2>${say('today.money-of-today')}</h2>
      <p>${say('today.no-money-today')}</p>
    </section>`;
  return html`<section class="card">
    <h2>${say('today.money-of-today')}</h2>
    <p><small>${say('today.money-of-today-hint')}</small></p>
    ${bar(visit, money, say('today.money-bar'))}
    <table class="legend">
      <thead>
        <tr>
          <th scope="col">${say('payout.status')}</th>
          <th scope="col" class="number">${say('payout.payouts')}</th>
          <th scope="col" class="number">${say('payout.baht')}</th>
        </tr>
      </thead>
      <tbody>
        ${money.map((one) => legendRow(visit, one))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">${say('today.total')}</th>
          <td class="number" data-head="${say('payout.payouts')}">${showCount(rows)}</td>
          <td class="number" data-head="${say('payout.baht')}">${showBaht(all)}</td>
        </tr>
      </tfoot>
    </table>
  </section>`;
}

const clockOf = (visit: ProvedVisit, atMs: number): Html =>
  html`<time datetime="${formatBangkokDateTime(atMs)}">${sayMoment(visit.language, atMs)}</time>`;

function progressWords(visit: ProvedVisit, { status }: Batch, progress: Progress): Part {
  const { say } = visit;
  const { perMinute, endsAtMs } = progress;
  if (status !== 'running') return undefined;
  if (perMinute === undefined) return html`<small>${say('today.stands-still')}</small>`;
  return html`<small
    >${say(message('today.per-minute', { count: showCount(perMinute) }))}${
      endsAtMs !== undefined && html`, ${say('today.ends-about')} ${clockOf(visit, endsAtMs)}`
    }</small
  >`;
}

function batchRow(visit: ProvedVisit, { batch, totals, progress }: BatchToday): Html {
  const { say, language } = visit;
  const { batchId, fileName, status, reason, totalSatang } = batch;
  const { rows, rowsEnded } = progress;
  const percent = rows === 0 ? 0 : Math.floor((rowsEnded / rows) * 100);
  return html`<tr>
    <td data-head="${say('payout.batch')}">
      <a class="open" href="/batch/${batchId}"><span class="name">${showText(fileName)}</span></a>
      <small>${batchId}</small>
    </td>
    <td class="number" data-head="${say('payout.baht')}">${showBaht(totalSatang)}</td>
    <td data-head="${say('payout.status')}">
      <b>${sayCode(language, `batch-status.${status}`)}</b>
      ${reason !== null && isUnderWay(status) && html`<small>${whyOf(visit, reason)}</small>`}
    </td>
    <td class="wide" data-head="${say('today.progress')}">
      ${bar(visit, addTotals(totals), say('today.money-bar'))}
      <small
        >${percent}% ·
        ${say(message('today.known', { count: showCount(rowsEnded), all: showCount(rows) }))}</small
      >
      ${progressWords(visit, batch, progress)}
    </td>
  </tr>`;
}

/** Batches shown: those under way come first. */
const batchesShown = 20;

function batchSection(visit: ProvedVisit, batches: readonly BatchToday[]): Part {
  const { say } = visit;
  if (batches.length === 0) return undefined;
  const inOrder = batches.toSorted(
    (one, other) => Number(isUnderWay(other.batch.status)) - Number(isUnderWay(one.batch.status)),
  );
  const more = inOrder.length - batchesShown;
  return html`<section>
    <h2>${say('page.batches')}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">${say('payout.batch')}</th>
          <th scope="col" class="number">${say('payout.baht')}</th>
          <th scope="col">${say('payout.status')}</th>
          <th scope="col">${say('today.progress')}</th>
        </tr>
      </thead>
      <tbody>
        ${inOrder.slice(0, batchesShown).map((one) => batchRow(visit, one))}
      </tbody>
    </table>
    ${more > 0 && html`<p>${say(message('today.more-batches', { count: showCount(more) }))}</p>`}
  </section>`;
}

/** Waiting work, with its owner. */
interface Waiting {
  readonly count: number;
  readonly text: Part;
  readonly path?: string;
}

function waitingSection(visit: ProvedVisit, waiting: readonly Waiting[]): Html {
  const { say } = visit;
  const there = waiting.filter(({ count }) => count > 0);
  return html`<section class="card">
    <h2>${say('today.waits-for-whom')}</h2>
    ${
      there.length === 0
        ? html`<p>${say('queue.nothing-waits')}</p>`
        : html`<ul class="facts">
            ${there.map(
              ({ count, text, path }) =>
                html`<li>
                  <b>${showCount(count)}</b>
                  ${path === undefined ? html`<span>${text}</span>` : html`<a href="${path}">${text}</a>`}
                </li>`,
            )}
          </ul>`
    }
  </section>`;
}

type Sign = 'good' | 'look' | 'alarm';
const healthSigns: Readonly<Record<Sign, string>> = { good: '✓', look: '?', alarm: '!' };

const healthLine = (sign: Sign, text: Part, more?: Part): Html =>
  html`<li class="${sign}">
    <span class="sign" aria-hidden="true">${healthSigns[sign]}</span>
    <span>${text}${more !== undefined && html`<small>${more}</small>`}</span>
  </li>`;

/** Words for a payer account, or for direct debit. */
interface LineWords {
  readonly halted: PlainCode;
  readonly paused: PlainCode;
}

/** The line of a halted or paused account; undefined while it is open. */
function stoppedLine(
  visit: ProvedVisit,
  words: LineWords,
  halt: PayerHalt | undefined,
  pause: PayerPause | undefined,
): Html | undefined {
  const { say, nowMs } = visit;
  if (halt !== undefined)
    return healthLine(
      'alarm',
      say(words.halted),
      html`${whyOf(visit, halt.reason)} (${halt.code}). ${whyOf(visit, halt.remedy)}`,
    );
  if (pause !== undefined && nowMs < pause.untilMs)
    return healthLine(
      'look',
      html`${say(words.paused)} ${clockOf(visit, pause.untilMs)}`,
      html`${whyOf(visit, pause.reason)} (${pause.code})`,
    );
  return undefined;
}

const ofPayer: LineWords = { halted: 'today.payer-halted', paused: 'today.payer-paused' };
const ofDirectDebit: LineWords = {
  halted: 'registration.direct-debit-halted',
  paused: 'registration.direct-debit-paused',
};

const [giB, freeBytesMin] = [1n << 30n, 1n << 30n];

function surroundingLines(visit: ProvedVisit, surroundings: Surroundings | undefined): readonly Part[] {
  if (surroundings === undefined) return [];
  const { say } = visit;
  const { sender, freeBytes } = surroundings;
  return [
    sender === undefined
      ? healthLine('look', say('today.no-sender'))
      : healthLine(
          'good',
          say('today.is-sending'),
          html`paydrop
          ${showText(sender.command)}${sender.machine === undefined ? '' : ` · ${showText(sender.machine)}`} ·
          ${clockOf(visit, sender.sinceMs)}`,
        ),
    freeBytes !== undefined &&
      (freeBytes < freeBytesMin
        ? healthLine('alarm', say('today.disk-low'), `${freeBytes >> 20n} MiB`)
        : healthLine('good', say('today.disk-free'), `${freeBytes / giB} GiB`)),
  ];
}

function healthSection(visit: ProvedVisit, figures: TodayFigures, payer: TodayContext['payer']): Html {
  const { say, language } = visit;
  const { daysMissing, alarms, registrations } = figures;
  return html`<section class="card">
    <h2>${say('today.health')}</h2>
    <ul class="facts">
      ${surroundingLines(visit, figures.surroundings)}
      ${
        payer !== undefined &&
        (stoppedLine(visit, ofPayer, figures.halt, figures.pause) ??
          healthLine('good', say('today.payer-open')))
      }
      ${stoppedLine(visit, ofDirectDebit, registrations.halt, registrations.pause)}
      ${
        daysMissing.length === 0
          ? healthLine('good', say('today.statements-there'))
          : healthLine(
              'look',
              say('today.statements-missing'),
              daysMissing.map((date) => sayDate(language, date)).join(', '),
            )
      }
      ${alarms > 0 && healthLine('alarm', html`${say('today.alarms-now')}: <b>${showCount(alarms)}</b>`)}
    </ul>
  </section>`;
}

async function readWaiting(
  { store }: TodayContext,
  visit: ProvedVisit,
  { waitingRows, inDoubt, proposals, registrations }: TodayFigures,
): Promise<{ readonly forMe: number; readonly waiting: readonly Waiting[] }> {
  const { say, person, nowMs } = visit;
  const { people, changes } = await store.persons();
  const open = proposals.filter(({ expiresAtMs }: Proposal) => nowMs < expiresAtMs);
  const { mine, forMe } = countChecks(open, person, people);
  const admins = changes.filter((one) => one.status === 'waiting' && !isLapsed(one, nowMs)).length;
  return {
    forMe,
    waiting: [
      { count: waitingRows, text: say('today.rows-for-person'), path: '/queue' },
      { count: forMe, text: say('today.for-your-check'), path: '/proposals' },
      { count: mine, text: say('today.your-proposals'), path: '/proposals' },
      {
        count: can(person, 'people').allowed ? admins : 0,
        text: say('today.changes-for-admin'),
        path: '/people',
      },
      { count: registrations.waiting, text: say('registration.registrations-for-person'), path: '/queue' },
      { count: inDoubt, text: say('today.bank-still-asked') },
      {
        count: registrations.awaited,
        text: say('registration.registrations-awaited'),
        path: '/registrations',
      },
    ],
  };
}

async function answerToday(context: TodayContext, figures: TodayFigures, visit: ProvedVisit): Promise<Page> {
  const { say } = visit;
  const { forMe, waiting } = await readWaiting(context, visit, figures);
  return {
    title: say('page.today'),
    body: html`<div data-live="today">
      <h1>${say('page.today')} <small>${say('queue.shown')} ${clockOf(visit, figures.readAtMs)}</small></h1>
      ${headFigures(visit, figures, forMe)}
      <p class="go">
        <a class="button" href="/queue">${say('today.to-queue')}</a>
        ${can(visit.person, 'propose').allowed && html`<a class="button" href="/upload">${say('batch.upload-file')}</a>`}
      </p>
      ${moneySection(visit, figures.batches)}
      <div class="columns even">
        ${waitingSection(visit, waiting)} ${healthSection(visit, figures, context.payer)}
      </div>
      ${batchSection(visit, figures.batches)}
    </div>`,
  };
}

export function makeTodayViews(context: TodayContext): readonly View[] {
  const readFiguresOf = makeFiguresSource(context);
  return [
    {
      method: 'GET',
      path: '/today',
      action: 'see',
      answer: async (visit) => answerToday(context, await readFiguresOf(visit.nowMs), visit),
    },
  ];
}
