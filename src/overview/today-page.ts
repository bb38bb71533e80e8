/** Today: the first page after signing in: what waits for this person, and how the money, the bank and the days stand. */
import type { Attention } from '../attention/rules/entry.ts';
import { dayMs, formatBangkokDate, formatBangkokDateTime, formatBangkokTime } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { message, type PlainCode, sayCode } from '../core/message.ts';
import { sayMoment } from '../core/moments.ts';
import { showText } from '../core/outgoing-text.ts';
import type { Batch, BatchReader, PayerPause } from '../core/ports.ts';
import { showLastDigits } from '../core/proxy-id.ts';
import type { PayerBreakerReader, PayerHalt } from '../payout/ports.ts';
import { servicePayer } from '../registration/rules/intent.ts';
import type { StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import { listOpenChanges } from '../review/people.ts';
import type { PersonStore, ProposalStore } from '../review/ports.ts';
import { approvalCode } from '../review/rules/approval.ts';
import { can } from '../review/rules/people.ts';
import { shareBar } from '../review/web/charts.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { whyOf } from '../review/web/parts.ts';
import type { ReadItems } from '../review/web/queue-items.ts';
import { type Page, type ProvedVisit, type View, viewAt } from '../review/web/view.ts';
import type { OverviewReader } from './ports.ts';
import { measureHour, minuteMs, minutesShown } from './rules/bank-answers.ts';
import { type DayFacts, listMonth, readMonth } from './rules/month-days.ts';
import {
  addFigures,
  computeProgress,
  type Figures,
  isUnderWay,
  type Outcome,
  outcomeOf,
  outcomes,
  type Progress,
  sumDays,
  unknownAges,
} from './rules/today.ts';
import {
  type BankPause,
  bankSection,
  daysSection,
  moneySection,
  monthSection,
  unknownSection,
} from './today-charts.ts';
import { listWaiting, waitsSection } from './today-waits.ts';

type TodayReader = Pick<BatchReader, 'batches'> &
  PayerBreakerReader &
  Pick<StatementStore, 'statementDays'> &
  Pick<UnreconciledDays, 'daysWithoutStatement' | 'daysReadInPart'> &
  Pick<ProposalStore, 'openItems'> &
  Pick<PersonStore, 'personProposals'> &
  Pick<OverviewReader, 'latestSends' | 'moneySince' | 'unknownByAge' | 'bankEvents'>;

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
  /** Reads waiting items other than payouts. */
  readonly readItems: ReadItems;
  readonly readAttention: () => Promise<Attention>;
  /** Payer of the settings, which pays files dropped now. */
  readonly payer: { readonly companyId: string; readonly payerAccount: string } | undefined;
  /** Undefined when the page cannot know. */
  readonly readSurroundings: (() => Promise<Surroundings>) | undefined;
}

// ---------------------------------------------------------------- reading

/** Days of the chart, today included. */
const daysShown = 14;
/** The latest events, among which sends and answers are looked for. */
const latestEvents = 20_000;

/** The facts about the reconciliation of this month's days. */
async function readDayFacts(store: TodayReader, nowMs: number): Promise<DayFacts> {
  const today = formatBangkokDate(nowMs);
  const past = listMonth(nowMs).filter((date) => date < today);
  return {
    breaks: new Map((await store.statementDays()).map(({ date, openBreaks }) => [date, openBreaks])),
    missing: new Set(await store.daysWithoutStatement(past)),
    inPart: new Set(await store.daysReadInPart()),
  };
}

/** Account under which registrations are halted and paused. */
const directDebit = ({ companyId }: { readonly companyId: string }): string =>
  servicePayer(companyId).payerAccount;

async function readBank({ store, payer }: TodayContext) {
  if (payer === undefined) return undefined;
  const { companyId, payerAccount } = payer;
  const debit = directDebit(payer);
  return {
    halt: await store.payerHalt(companyId, payerAccount),
    pause: await store.payerPause(companyId, payerAccount),
    debitHalt: await store.payerHalt(companyId, debit),
    debitPause: await store.payerPause(companyId, debit),
  };
}

/** Midnight of the first day of the chart, in Bangkok. */
const firstDayMs = (nowMs: number): number => nowMs - daysShown * dayMs;

const datesShown = (nowMs: number): readonly string[] =>
  Array.from({ length: daysShown }, (_, place) => formatBangkokDate(nowMs - (daysShown - 1 - place) * dayMs));

/** The bank's answers, minute by minute. */
async function readHour(store: TodayReader, nowMs: number) {
  const fromMs = Math.floor(nowMs / minuteMs) * minuteMs + minuteMs - minutesShown * minuteMs;
  const events = await store.bankEvents(fromMs, latestEvents);
  return { hour: measureHour(events, fromMs), isWhole: events.length < latestEvents / 2 };
}

async function readFigures(context: TodayContext, nowMs: number) {
  const { store, readSurroundings } = context;
  const batches = await store.batches();
  return {
    readAtMs: nowMs,
    batches: new Map(batches.map((batch) => [batch.batchId, batch])),
    rows: await store.moneySince(firstDayMs(nowMs)),
    sends: await store.latestSends(latestEvents),
    unknown: await store.unknownByAge(nowMs, unknownAges),
    bank: await readBank(context),
    ...(await readHour(store, nowMs)),
    days: await readDayFacts(store, nowMs),
    proposed: new Set(
      (
        await store.openItems(
          'batch',
          batches.filter(({ status }) => isUnderWay(status)).map(({ batchId }) => batchId),
        )
      ).map(({ key }) => key),
    ),
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

// ---------------------------------------------------------------- the state of sending

const clockOf = (atMs: number): string => formatBangkokTime(atMs).slice(0, 'HH:mm'.length);

const calm = (text: string, more?: string): Html =>
  html`<span><b>${text}</b>${more !== undefined && html` <small>${more}</small>`}</span>`;
const loud = (text: string, tone: 'bad' | 'ask' | 'no', more?: Part): Html =>
  html`<span class="${tone}"
    ><b class="t">${tone === 'bad' ? '!' : '‖'} ${text}</b
    >${more !== undefined && html` <small>${more}</small>`}</span
  >`;

/** The words for a payer account, or for direct debit. */
interface LineWords {
  readonly halted: string;
  readonly paused: (time: string) => string;
}

/** The words of a halted or paused account; undefined while it is open. */
function stoppedLine(
  visit: ProvedVisit,
  words: LineWords,
  halt: PayerHalt | undefined,
  pause: PayerPause | undefined,
): Html | undefined {
  if (halt !== undefined)
    return html`<a href="/queue?show=alarms"
      >${loud(words.halted, 'bad', html`${whyOf(visit, halt.reason, halt.code)} (${halt.code})`)}</a
    >`;
  if (pause === undefined || visit.nowMs >= pause.untilMs) return undefined;
  return loud(
    words.paused(clockOf(pause.untilMs)),
    'no',
    html`${whyOf(visit, pause.reason, pause.code)} (${pause.code})`,
  );
}

/** Says what is sent now; nothing while the account is halted, which its own words say. */
function sendingLine(
  visit: ProvedVisit,
  { surroundings, bank }: TodayFigures,
  progress: readonly Progress[],
): Part {
  if (surroundings === undefined) return undefined;
  const { say } = visit;
  const { sender } = surroundings;
  if (sender === undefined) return loud(say('today.no-sender'), 'no');
  const rates = progress.flatMap(({ perMinute }) => perMinute ?? []);
  const ends = progress.flatMap(({ endsAtMs }) => endsAtMs ?? []);
  const facts = [
    ...(rates.length === 0
      ? []
      : [
          say(
            message('today.per-minute', {
              count: showCount(Math.round(rates.reduce((sum, one) => sum + one, 0))),
            }),
          ),
        ]),
    ...(ends.length === 0 ? [] : [say(message('today.through-at', { time: clockOf(Math.max(...ends)) }))]),
  ];
  if (facts.length === 0 && bank?.halt !== undefined) return undefined;
  return facts.length === 0
    ? calm(`› ${say('today.is-ready')}`, sender.machine && showText(sender.machine))
    : calm(`› ${say('today.is-sending')}`, facts.join(', '));
}

const [giB, freeBytesMin] = [1n << 30n, 1n << 30n];

function diskLine({ say }: ProvedVisit, { surroundings }: TodayFigures): Part {
  const freeBytes = surroundings?.freeBytes;
  if (freeBytes === undefined) return undefined;
  return freeBytes < freeBytesMin
    ? loud(say(message('today.disk-low', { size: `${freeBytes >> 20n} MiB` })), 'bad')
    : html`<span>${say(message('today.disk-free', { size: `${freeBytes / giB} GiB` }))}</span>`;
}

function stateLine(
  visit: ProvedVisit,
  figures: TodayFigures,
  payer: TodayContext['payer'],
  progress: readonly Progress[],
): Html {
  const { say } = visit;
  const { bank } = figures;
  const account = showLastDigits(payer?.payerAccount ?? '');
  const ofPayer: LineWords = {
    halted: say(message('today.account-halted', { account })),
    paused: (time) => say(message('today.account-paused', { account, time })),
  };
  const ofDebit: LineWords = {
    halted: say('today.debit-halted'),
    paused: (time) => say(message('today.debit-paused', { time })),
  };
  return html`<div class="run">
    ${sendingLine(visit, figures, progress)}
    ${bank && (stoppedLine(visit, ofPayer, bank.halt, bank.pause) ?? html`<span>${say(message('today.account-open', { account }))}</span>`)}
    ${bank && stoppedLine(visit, ofDebit, bank.debitHalt, bank.debitPause)} ${diskLine(visit, figures)}
  </div>`;
}

// ---------------------------------------------------------------- batches under way

/** True of a batch that sends nothing, because it or its account is halted. */
const isHalted = ({ bank }: TodayFigures, { status, payerAccount }: Batch): boolean =>
  status === 'halted' || bank?.halt?.payerAccount === payerAccount;

interface BatchToday {
  readonly batch: Batch;
  readonly byOutcome: Readonly<Record<Outcome, Figures>>;
  readonly all: Figures;
}

/** The batches under way, the newest first. */
function listUnderWay({ batches, rows }: TodayFigures): readonly BatchToday[] {
  const byBatch = Map.groupBy(rows, ({ batchId }) => batchId);
  return [...batches.values()]
    .filter(({ status }) => isUnderWay(status))
    .map((batch) => {
      const own = byBatch.get(batch.batchId) ?? [];
      const sum = (outcome: Outcome): Figures => addFigures(own.filter((one) => outcomeOf(one) === outcome));
      const byOutcome = { paid: sum('paid'), unknown: sum('unknown'), none: sum('none'), wait: sum('wait') };
      return { batch, byOutcome, all: addFigures(own) };
    });
}

const batchSigns = {
  ingesting: '…',
  sealed: '‖',
  running: '›',
  paused: '‖',
  halted: '!',
  done: '✓',
  rejected: '×',
} as const;

/** How a batch stands: what it waits for, or its status. */
function standsOf(
  visit: ProvedVisit,
  { batch }: BatchToday,
  isForApproval: boolean,
  isProposed: boolean,
): Html {
  const { say, language, person } = visit;
  const { status } = batch;
  if (!isForApproval)
    return html`<span class="t ${status === 'halted' ? 'bad' : ''}"
      >${batchSigns[status]} ${sayCode(language, `batch-status.${status}`)}</span
    >`;
  const waits: PlainCode =
    isProposed || !can(person, 'propose').allowed ? 'today.waits-for-checker' : 'today.needs-proposal';
  return html`<span class="t">‖ ${say(waits)}</span>`;
}

function batchRow(visit: ProvedVisit, one: BatchToday, stands: Html): Html {
  const { say } = visit;
  const { batch, byOutcome, all } = one;
  const { batchId, fileName, status } = batch;
  const shares = outcomes.map((outcome) => ({
    fill: outcome,
    size: byOutcome[outcome].amountSatang,
    title: say(`today.outcome.${outcome}`),
  }));
  const paidOf = say(
    message('today.paid-of', { paid: showCount(byOutcome.paid.rows), all: showCount(all.rows) }),
  );
  const isCounted = status !== 'ingesting';
  return html`<tr>
    <td class="w">
      <a href="/batch/${batchId}"><b>${showText(fileName)}</b></a>
    </td>
    <td class="r" data-l="${say('payout.payouts')}">
      ${isCounted ? showCount(all.rows) : say('today.not-counted')}
    </td>
    <td class="r" data-l="${say('payout.baht')}">${isCounted && showBaht(all.amountSatang)}</td>
    <td>${stands}</td>
    <td class="w pg">${isCounted && [shareBar(shares, paidOf, 8), html`<small>${paidOf}</small>`]}</td>
  </tr>`;
}

/** Batches shown. */
const batchesShown = 8;

function batchSection(visit: ProvedVisit, figures: TodayFigures, underWay: readonly BatchToday[]): Html {
  const { say } = visit;
  const today = formatBangkokDate(figures.readAtMs);
  const done = [...figures.batches.values()].filter(
    ({ status, restedAtMs }) =>
      status === 'done' && restedAtMs !== null && formatBangkokDate(restedAtMs) === today,
  ).length;
  const isForApproval = ({ batch }: BatchToday): boolean =>
    (batch.status === 'paused' && batch.reasonCode === approvalCode) ||
    figures.rows.some(
      (one) => one.batchId === batch.batchId && one.isForApproval && outcomeOf(one) === 'wait',
    );
  const more = underWay.length - batchesShown;
  const heads = ['payout.file', 'payout.payouts', 'payout.baht', 'today.stands', 'today.share-paid'] as const;
  return html`<section class="card">
    <div class="hd">
      <h2>${say('today.batches-under-way')}</h2>
      <a href="/batches">${say('today.all-batches')}</a>
    </div>
    ${
      underWay.length > 0 &&
      html`<table class="rows">
        <thead>
          <tr>
            ${heads.map((head) => html`<th scope="col" class="${head.startsWith('payout.') ? 'r' : ''}">${say(head)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${underWay
            .slice(0, batchesShown)
            .map((one) =>
              batchRow(
                visit,
                one,
                standsOf(visit, one, isForApproval(one), figures.proposed.has(one.batch.batchId)),
              ),
            )}
        </tbody>
      </table>`
    }
    ${more > 0 && html`<p class="small">${say(message('today.more-batches', { count: showCount(more) }))}</p>`}
    ${(done > 0 || underWay.length === 0) && html`<p class="small">${say(message('today.done-today', { count: showCount(done) }))}</p>`}
  </section>`;
}

// ---------------------------------------------------------------- the page

/** Times of this hour in which nothing was sent. */
function listPauses({ bank }: TodayFigures): readonly BankPause[] {
  const { halt, pause } = bank ?? {};
  return [
    ...(pause === undefined
      ? []
      : [{ sinceMs: pause.sinceMs, untilMs: pause.untilMs, reason: pause.reason }]),
    ...(halt === undefined ? [] : [{ sinceMs: halt.sinceMs, untilMs: undefined, reason: halt.reason }]),
  ];
}

async function answerToday(context: TodayContext, figures: TodayFigures, visit: ProvedVisit): Promise<Page> {
  const { say, language } = visit;
  const { batches, rows, days, readAtMs } = figures;
  const waiting = await listWaiting(visit, await context.readAttention(), context.readItems);
  const changes = (await listOpenChanges({ store: context.store, nowMs: visit.nowMs }, visit.person)).length;
  const money = sumDays(rows, batches, datesShown(readAtMs), readAtMs);
  const underWay = listUnderWay(figures);
  const sends = new Map(figures.sends.map((seen) => [seen.batchId, seen]));
  const moving = underWay.filter(({ batch }) => !isHalted(figures, batch));
  const progress = moving.map(({ batch }) =>
    computeProgress(
      rows.filter(({ batchId }) => batchId === batch.batchId),
      sends.get(batch.batchId),
      readAtMs,
    ),
  );
  const beingRead = underWay.filter(({ batch }) => batch.status === 'ingesting').length;
  const today = money.at(-1);
  const pathOf = (date: string): string => (days.breaks.has(date) ? `/reconciliation/${date}` : '/batches');
  const isSending = figures.surroundings === undefined || figures.surroundings.sender !== undefined;
  return {
    title: say('page.today'),
    body: html`<div class="today" data-live="today">
      <div class="head">
        <h1>${say('page.today')}</h1>
        <small class="n"
          ><time datetime="${formatBangkokDateTime(readAtMs)}">${sayMoment(language, readAtMs)}</time></small
        >
        ${can(visit.person, 'propose').allowed && html`<a class="b main button" href="/upload">${say('batch.upload-file')}</a>`}
      </div>
      ${stateLine(visit, figures, context.payer, progress)}
      <div class="two">
        ${waitsSection(visit, waiting, changes)} ${today && moneySection(visit, today, beingRead)}
      </div>
      <div class="two">
        ${daysSection(visit, money, pathOf)} ${unknownSection(visit, figures.unknown, isSending)}
      </div>
      <div class="two half">
        ${bankSection(visit, figures.hour, listPauses(figures), figures.isWhole)}
        ${monthSection(visit, readMonth(days, readAtMs), (date) => days.breaks.has(date))}
      </div>
      ${batchSection(visit, figures, underWay)}
    </div>`,
  };
}

export function makeTodayViews(context: TodayContext): readonly View[] {
  const readFiguresOf = makeFiguresSource(context);
  return [
    viewAt('GET', '/today', 'see', async (visit) =>
      answerToday(context, await readFiguresOf(visit.nowMs), visit),
    ),
  ];
}
