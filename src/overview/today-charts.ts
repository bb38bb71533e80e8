/** The charts of the day: money by outcome, the last days, what is unknown, the bank's answers, the month's days. */
import {
  bangkokWeekday,
  formatBangkokDate,
  formatBangkokTime,
  parseBangkokDate,
} from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { counted, type Message, message, type PlainCode } from '../core/message.ts';
import { sayDate } from '../core/moments.ts';
import { calendar, chartKey, columnChart, lineChart, shareBar, swatch } from '../review/web/charts.ts';
import { html, type Html } from '../review/web/html.ts';
import { uploadLink } from '../review/web/parts.ts';
import type { ProvedVisit } from '../review/web/view.ts';
import { type AnswerFigures, type BankHour, minuteMs, minutesShown, shadeOf } from './rules/bank-answers.ts';
import type { DayState, MonthDay } from './rules/month-days.ts';
import {
  addFigures,
  type DayMoney,
  type Figures,
  type Outcome,
  outcomes,
  sumAges,
  type UnknownRows,
  waitReasons,
} from './rules/today.ts';

/** Colour, sign and class of each outcome. */
const looks: Readonly<Record<Outcome, { readonly sign: string; readonly tone: string }>> = {
  paid: { sign: '✓', tone: 'yes' },
  unknown: { sign: '?', tone: 'ask' },
  none: { sign: '×', tone: 'no' },
  wait: { sign: '‖', tone: 'no' },
};

const outcomeKey = ({ say }: ProvedVisit): Html =>
  chartKey(outcomes.map((outcome) => [outcome, `${looks[outcome].sign} ${say(`today.outcome.${outcome}`)}`]));

const clockOf = (atMs: number): string => formatBangkokTime(atMs).slice(0, 'HH:mm'.length);

// ---------------------------------------------------------------- money of today

/** The sum, and the rows that are not in it. A sum of no amount at all is not shown. */
function sumCell({ say }: ProvedVisit, { rows, amountSatang, unreadableAmounts }: Figures): Html {
  const more =
    unreadableAmounts > 0 &&
    html`<small>${say(message('today.unreadable', { count: showCount(unreadableAmounts) }))}</small>`;
  return html`<td class="r">
    ${(rows === 0 || unreadableAmounts < rows) && showBaht(amountSatang)}${more}
  </td>`;
}

const figureCells = (visit: ProvedVisit, figures: Figures): Html =>
  html`<td class="r">${showCount(figures.rows)}</td>
    ${sumCell(visit, figures)}`;

/** @param beingRead files that are not counted yet */
export function moneySection(visit: ProvedVisit, { byOutcome, byWait }: DayMoney, beingRead: number): Html {
  const { say } = visit;
  const all = addFigures(outcomes.map((outcome) => byOutcome[outcome]));
  const notCounted =
    beingRead > 0 && html`<p class="small">${say(message('today.being-read', { count: beingRead }))}</p>`;
  const head = html`<div class="hd">
    <h2>${say('today.money-of-today')}</h2>
    ${all.rows > 0 && html`<small>${say('payout.baht')}</small>`}
  </div>`;
  if (all.rows === 0)
    return html`<section class="card">
      ${head}${beingRead === 0 && html`<p>${say('today.no-file')}</p>`}${notCounted}${uploadLink(visit)}
    </section>`;
  const shares = outcomes.map((outcome) => ({
    fill: outcome,
    size: byOutcome[outcome].amountSatang,
    title: say(`today.outcome.${outcome}`),
  }));
  return html`<section class="card">
    ${head}${shareBar(shares, say('today.money-bar'))}
    <table class="mt">
      <tbody>
        ${outcomes.map(
          (outcome) =>
            html`<tr>
              <th scope="row">
                <span class="${looks[outcome].tone} t"
                  >${swatch(outcome)} ${looks[outcome].sign} ${say(`today.outcome.${outcome}`)}</span
                >
              </th>
              ${figureCells(visit, byOutcome[outcome])}
            </tr>`,
        )}
      </tbody>
      <tbody class="of">
        ${waitReasons
          .filter((reason) => byWait[reason].rows > 0)
          .map(
            (reason) =>
              html`<tr>
                <th scope="row">${say(`today.wait.${reason}`)}</th>
                ${figureCells(visit, byWait[reason])}
              </tr>`,
          )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">${say('today.total')}</th>
          ${figureCells(visit, all)}
        </tr>
      </tfoot>
    </table>
    ${notCounted}
  </section>`;
}

// ---------------------------------------------------------------- the last days

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

function weekdayOf({ say }: ProvedVisit, date: string): string {
  const day = weekdays[bangkokWeekday(parseBangkokDate(date) ?? 0)] ?? 'sun';
  return say(`today.weekday.${day}`);
}

/** An amount on an axis: "10 M", "250 k", "40". Its lines are round numbers. */
function sayRound({ say }: ProvedVisit, satang: bigint): string {
  const [million, thousand] = [100_000_000n, 100_000n];
  const inUnits = (unit: bigint): string => {
    const tenths = (satang * 10n) / unit;
    return tenths % 10n === 0n ? showCount(Number(tenths / 10n)) : `${tenths / 10n}.${tenths % 10n}`;
  };
  if (satang >= million) return say(message('today.millions', { count: inUnits(million) }));
  if (satang >= thousand) return say(message('today.thousands', { count: inUnits(thousand) }));
  return inUnits(100n);
}

const sayFigures = ({ rows, amountSatang }: Figures): string =>
  amountSatang === 0n ? showCount(rows) : `${showBaht(amountSatang)} (${showCount(rows)})`;

function dayTable(visit: ProvedVisit, days: readonly DayMoney[], linkOf: (date: string) => string): Html {
  const { say, language } = visit;
  const name = (outcome: Outcome): string => say(`today.outcome.${outcome}`);
  return html`<details class="small">
    <summary>${say('today.as-table')}</summary>
    <table class="rows days">
      <thead>
        <tr>
          <th scope="col">${say('payout.day')}</th>
          ${outcomes.map((outcome) => html`<th scope="col" class="r">${name(outcome)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${days.toReversed().map(
          ({ date, byOutcome }) =>
            html`<tr>
              <td class="w"><a href="${linkOf(date)}">${sayDate(language, date)}</a></td>
              ${outcomes.map((outcome) => {
                const { rows, amountSatang } = byOutcome[outcome];
                return html`<td class="r" data-l="${name(outcome)}">
                  ${amountSatang === 0n ? showCount(rows) : html`${showBaht(amountSatang)}<small>${showCount(rows)}</small>`}
                </td>`;
              })}
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`;
}

/** @param days oldest first; the last is today. @param linkOf the path of a day */
export function daysSection(
  visit: ProvedVisit,
  days: readonly DayMoney[],
  linkOf: (date: string) => string,
): Html {
  const { say, language } = visit;
  const isEmpty = days.every(({ byOutcome }) => outcomes.every((outcome) => byOutcome[outcome].rows === 0));
  const columns = days.map(({ date, byOutcome }, place) => {
    const { paid, unknown, none, wait } = byOutcome;
    const said = {
      paid: sayFigures(paid),
      unknown: sayFigures(unknown),
      none: sayFigures(none),
      wait: sayFigures(wait),
    };
    return {
      name: String(Number(date.slice(6))),
      under: weekdayOf(visit, date),
      href: linkOf(date),
      title: say(message('today.day-title', { day: sayDate(language, date), ...said })),
      parts: outcomes.map((outcome) => ({ fill: outcome, size: byOutcome[outcome].amountSatang })),
      mark: unknown.rows > 0 ? `? ${showCount(unknown.rows)}` : undefined,
      isNow: place === days.length - 1,
    };
  });
  const [from = '', to = ''] = [days[0]?.date, days.at(-1)?.date].map((date) =>
    sayDate(language, date ?? ''),
  );
  const label = say(message('today.last-days-label', { from, to }));
  return html`<section class="card">
    <div class="hd">
      <h2>${say('today.last-days')}</h2>
      <small>${say('today.last-days-hint')}</small>
    </div>
    ${columnChart(columns, label, (size) => sayRound(visit, size))}
    ${isEmpty ? html`<p class="small">${say('today.no-payouts-yet')}</p>` : [outcomeKey(visit), dayTable(visit, days, linkOf)]}
  </section>`;
}

// ---------------------------------------------------------------- unknown

const ageNames = [
  'today.age.hour',
  'today.age.day',
  'today.age.days',
  'today.age.old',
] as const satisfies readonly PlainCode[];

/** Sentences about unknown money, each summed from the rows that it speaks of. */
function unknownWords(rows: readonly UnknownRows[], isSending: boolean): readonly Message[] {
  const all = addFigures(rows);
  const asked = addFigures(rows.filter(({ isAsked }) => isAsked)).rows;
  const others = all.rows - asked;
  const asks = isSending ? 'today.asks-itself' : 'today.asks-later';
  return [
    message('today.may-have-left', { amount: showBaht(all.amountSatang) }),
    ...(asked > 0 ? [message(asks, { payouts: counted(asked, 'payout') })] : []),
    ...(others > 0 ? [message('today.person-settles', { payouts: counted(others, 'payout') })] : []),
    message('today.not-twice'),
  ];
}

/** @param isSending true while a process asks the bank again */
export function unknownSection({ say }: ProvedVisit, rows: readonly UnknownRows[], isSending: boolean): Html {
  const ages = sumAges(rows);
  const all = addFigures(ages).rows;
  return html`<section class="card">
    <div class="hd">
      <h2>${say('today.unknown-by-age')}</h2>
      ${all > 0 && html`<a href="/queue?show=unknown">${say('today.open')} ${showCount(all)}</a>`}
    </div>
    <ul class="tiles age">
      ${ages.map((one, age) => {
        const isNone = one.rows === 0;
        return html`<li class="${isNone ? 'a9' : `a${Math.max(0, age - 1)}`}">
          <h3>${say(ageNames[age] ?? 'today.age.old')}</h3>
          <b class="n">${showCount(one.rows)}</b
          ><small class="n">${isNone ? say('today.none') : showBaht(one.amountSatang)}</small>
        </li>`;
      })}
    </ul>
    <p class="small pt">
      ${all === 0 ? say('today.every-known') : unknownWords(rows, isSending).map((one) => html`${say(one)} `)}
    </p>
  </section>`;
}

// ---------------------------------------------------------------- the bank

/** "0.41 s", "12.0 s". */
function saySeconds({ say }: ProvedVisit, ms: number): string {
  return say(message('today.seconds', { count: (ms / 1_000).toFixed(ms < 10_000 ? 2 : 1) }));
}

const sayShare = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1)}%`;

function minuteTitle(visit: ProvedVisit, figures: AnswerFigures, atMs: number): string {
  const { answers, medianMs, p95Ms, unclear } = figures;
  return visit.say(
    message('today.minute-title', {
      time: clockOf(atMs),
      answers: showCount(answers),
      median: saySeconds(visit, medianMs),
      p95: saySeconds(visit, p95Ms),
      unclear: sayShare(unclear, answers),
    }),
  );
}

/** A time in which nothing was sent; undefined: until now. */
export interface BankPause {
  readonly sinceMs: number;
  readonly untilMs: number | undefined;
  readonly reason: Message;
}

/** The grey line of answer times. */
const guideMs = 5_000;

function hourChart(visit: ProvedVisit, hour: BankHour, pauses: readonly BankPause[]): Html {
  const { say } = visit;
  const endMs = hour.fromMs + minutesShown * minuteMs;
  const shades = pauses.flatMap(({ sinceMs, untilMs, reason }) => {
    const shade = shadeOf(hour, sinceMs, Math.min(endMs, untilMs ?? endMs));
    return shade === undefined
      ? []
      : [{ ...shade, title: say(message('today.paused-title', { why: reason })) }];
  });
  return html`${lineChart({
      label: say('today.bank-label'),
      lines: [
        { kind: 'l2', values: hour.minutes.map((minute) => minute?.p95Ms) },
        { kind: 'l1', values: hour.minutes.map((minute) => minute?.medianMs) },
      ],
      titles: hour.minutes.map(
        (minute, place) => minute && minuteTitle(visit, minute, hour.fromMs + place * minuteMs),
      ),
      shades,
      guide: guideMs,
    })}
    <div class="ends small">
      <span>${clockOf(hour.fromMs)}</span
      ><span>${say(message('today.grey-line', { time: saySeconds(visit, guideMs) }))}</span
      ><span>${clockOf(endMs)}</span>
    </div>`;
}

/** @param isWhole false where only the latest sends of the hour were read */
export function bankSection(
  visit: ProvedVisit,
  hour: BankHour,
  pauses: readonly BankPause[],
  isWhole: boolean,
): Html {
  const { say } = visit;
  const { whole } = hour;
  const facts: readonly (readonly [string, string])[] =
    whole === undefined
      ? []
      : [
          [showCount(whole.answers), say(isWhole ? 'today.answers' : 'today.latest-answers')],
          [saySeconds(visit, whole.medianMs), say('today.half-faster')],
          [saySeconds(visit, whole.p95Ms), say('today.most-faster')],
          [sayShare(whole.unclear, whole.answers), say('today.unclear')],
        ];
  return html`<section class="card">
    <div class="hd">
      <h2>${say('today.bank-hour')}</h2>
      ${whole && html`<small>${say('today.answer-time')}</small>`}
    </div>
    ${whole === undefined ? html`<p>${say('today.nothing-asked')}</p>` : hourChart(visit, hour, pauses)}
    ${
      whole === undefined &&
      pauses.map(
        ({ reason }) => html`<p class="small">${say(message('today.paused-title', { why: reason }))}</p>`,
      )
    }
    ${
      facts.length > 0 &&
      html`<ul class="tiles bf">
        ${facts.map(([figure, name]) => html`<li><b class="n">${figure}</b><small>${name}</small></li>`)}
      </ul>`
    }
  </section>`;
}

// ---------------------------------------------------------------- the month

type SquareLook = Pick<Parameters<typeof calendar>[0][number], 'sign' | 'kind'>;

function squareOf(
  { say, language }: ProvedVisit,
  date: string,
  state: DayState,
): SquareLook & { title: string } {
  const day = sayDate(language, date);
  switch (state.kind) {
    case 'agrees':
      return { sign: '✓', kind: 'yes', title: say(message('today.day-agrees', { day })) };
    case 'breaks': {
      const count = showCount(state.breaks);
      return { sign: count, kind: 'bad', title: say(message('today.day-breaks', { day, count })) };
    }
    case 'missing':
      return { sign: '?', kind: 'ask', title: say(message('today.day-missing', { day })) };
    case 'in-part':
      return { sign: '?', kind: 'ask', title: say(message('today.day-in-part', { day })) };
    case 'open':
      return { sign: '…', kind: 'now', title: say(message('today.day-open', { day })) };
    case 'unpaid':
      return { sign: '', kind: 'off', title: say(message('today.day-unpaid', { day })) };
  }
}

const monthNames = [
  'jan',
  'feb',
  'mar',
  'apr',
  'may',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct',
  'nov',
  'dec',
] as const;

/** @param hasPage true for a day with a page of its own */
export function monthSection(
  visit: ProvedVisit,
  days: readonly MonthDay[],
  hasPage: (date: string) => boolean,
): Html {
  const { say, nowMs } = visit;
  const today = formatBangkokDate(nowMs);
  const month = monthNames[Number(today.slice(4, 6)) - 1] ?? 'jan';
  const squares = days.map(({ date, state }) => ({
    name: String(Number(date.slice(6))),
    ...squareOf(visit, date, state),
    ...(date > today ? ({ kind: 'off', sign: '' } as const) : {}),
    href: date > today ? undefined : hasPage(date) ? `/reconciliation/${date}` : '/reconciliation',
  }));
  const key: readonly (readonly [tone: string, sign: string, name: PlainCode])[] = [
    ['yes', '✓', 'today.key-agrees'],
    ['bad', 'n', 'today.key-breaks'],
    ['ask', '?', 'today.key-missing'],
    ['', '…', 'today.key-open'],
  ];
  return html`<section class="card">
    <div class="hd">
      <h2>${say(message('today.month-of', { month: message(`month.${month}`) }))}</h2>
      <a href="/reconciliation">${say('today.all-days')}</a>
    </div>
    ${calendar(squares)}
    <ul class="key">
      ${key.map(([tone, sign, name]) => html`<li class="${tone}">${sign} ${say(name)}</li>`)}
    </ul>
  </section>`;
}
