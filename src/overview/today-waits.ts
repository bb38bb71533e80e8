/** The first groups of the queue on which a person can act. */
import { formatBangkokDateTime, formatBangkokTime } from '../core/bangkok-time.ts';
import { showCount } from '../core/figures.ts';
import { bahtOf, counted, message, type PlainCode, sayCode } from '../core/message.ts';
import { sayAge, sayDate, sayMoment } from '../core/moments.ts';
import type { Satang } from '../core/money.ts';
import { showText } from '../core/outgoing-text.ts';
import type { WaitingTotal } from '../payout/ports.ts';
import { can } from '../review/rules/people.ts';
import type { OwnedItem, Queue } from '../review/rules/queue.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import type { ProvedVisit } from '../review/web/view.ts';
import { sayWhy } from '../review/web/words.ts';

/** A group that waits for this person. */
interface Waiting {
  /** 0 is the most urgent. */
  readonly rank: number;
  readonly sign: '!' | '?' | '‖' | '×' | '↩';
  readonly name: string;
  readonly detail: string;
  readonly amountSatang: Satang | null;
  /** Undefined where no moment is known. */
  readonly sinceMs: number | undefined;
  readonly href: string;
  readonly button: PlainCode;
}

const tones: Readonly<Record<Waiting['sign'], string>> = {
  '!': 'bad',
  '?': 'ask',
  '‖': 'no',
  '×': 'no',
  '↩': 'link',
};

/** Rank and sign by kind. */
const kindLooks: Readonly<Record<OwnedItem['kind'], readonly [rank: number, sign: Waiting['sign']]>> = {
  payer: [0, '!'],
  break: [1, '!'],
  proposal: [2, '‖'],
  decisions: [2, '‖'],
  doubt: [3, '?'],
  day: [3, '?'],
  batch: [4, '‖'],
  file: [4, '×'],
  registration: [6, '×'],
  callback: [6, '?'],
};

const hrefOf = ({ kind, key }: OwnedItem): string => {
  if (kind === 'proposal') return `/proposal/${key}`;
  if (kind === 'batch' || kind === 'doubt') return `/batch/${key}`;
  return '/queue';
};

function itemWaiting({ language }: ProvedVisit, item: OwnedItem): Waiting {
  const { kind, key, title, amountSatang, sinceMs } = item;
  const [rank, sign] = kindLooks[kind];
  const detail = kind === 'day' ? sayDate(language, key) : showText(sayWhy(language, title).text);
  return {
    rank,
    sign,
    name: sayCode(language, `queue-kind.${kind}`),
    detail,
    // The title of a proposal has its sum.
    amountSatang: kind === 'proposal' ? null : amountSatang,
    sinceMs,
    href: hrefOf(item),
    button: kind === 'proposal' ? 'today.check' : 'today.open',
  };
}

/** The breaks of a day are one group. */
function breaksWaiting({ say, language }: ProvedVisit, date: string, breaks: readonly OwnedItem[]): Waiting {
  const count = showCount(breaks.length);
  return {
    rank: 1,
    sign: '!',
    name: say(message('today.breaks-of', { day: sayDate(language, date), count })),
    detail: '',
    amountSatang: null,
    sinceMs: Math.min(...breaks.map(({ sinceMs }) => sinceMs)),
    href: `/reconciliation/${date}`,
    button: 'today.open',
  };
}

const payoutSign = (status: WaitingTotal['status']): Waiting['sign'] => {
  if (status === 'disputed') return '!';
  return status === 'unresolved' || status === 'submitted' ? '?' : '×';
};

function payoutsWaiting(
  { say }: ProvedVisit,
  { status, rows, amountSatang, oldestMs }: WaitingTotal,
): Waiting {
  const sign = payoutSign(status);
  return {
    rank: sign === '!' ? 0 : sign === '?' ? 3 : 5,
    sign,
    name: say(
      message('today.payouts-in', {
        payouts: counted(rows, 'payout'),
        status: message(`payout-status.${status}`),
      }),
    ),
    detail: '',
    // A sum without any amount that can be read is not shown.
    amountSatang: amountSatang === 0n ? null : amountSatang,
    sinceMs: oldestMs,
    href: `/queue?status=${status}`,
    button: 'today.decide',
  };
}

function registrationsWaiting({ say }: ProvedVisit, found: readonly OwnedItem[], count: number): Waiting {
  return {
    rank: 6,
    sign: '×',
    name: say(message('today.registrations', { registrations: counted(count, 'registration') })),
    detail: '',
    amountSatang: null,
    sinceMs: Math.min(...found.map(({ sinceMs }) => sinceMs)),
    href: '/queue',
    button: 'today.open',
  };
}

/** Everything on which this person can act, the most urgent first. @param changes changes of people for a second admin */
export function listWaiting(
  visit: ProvedVisit,
  { items, totals }: Queue,
  payouts: readonly WaitingTotal[],
  changes: number,
): readonly Waiting[] {
  const { person, say } = visit;
  const open = items.filter(({ options }) => options.some(({ whyNot }) => whyNot === undefined));
  const breaks = Map.groupBy(
    open.filter(({ kind }) => kind === 'break'),
    ({ key }) => key.slice(0, 'YYYYMMDD'.length),
  );
  const registrations = open.filter(({ kind }) => kind === 'registration');
  const changed: Waiting = {
    rank: 2,
    sign: '‖',
    name: say(message('today.changes-for-admin', { count: showCount(changes) })),
    detail: '',
    amountSatang: null,
    sinceMs: undefined,
    href: '/people',
    button: 'today.open',
  };
  return [
    ...open
      .filter(({ kind }) => kind !== 'break' && kind !== 'registration')
      .map((item) => itemWaiting(visit, item)),
    ...(registrations.length === 0
      ? []
      : [
          registrationsWaiting(
            visit,
            registrations,
            totals.find(({ kind }) => kind === 'registration')?.items ?? 0,
          ),
        ]),
    ...[...breaks].map(([date, ofDay]) => breaksWaiting(visit, date, ofDay)),
    ...(can(person, 'propose').allowed ? payouts.map((one) => payoutsWaiting(visit, one)) : []),
    ...(changes > 0 && can(person, 'people').allowed ? [changed] : []),
  ].toSorted((one, other) => one.rank - other.rank || (one.sinceMs ?? 0) - (other.sinceMs ?? 0));
}

function waitingLine({ say, language, nowMs }: ProvedVisit, waiting: Waiting): Html {
  const { sign, name, detail, amountSatang, sinceMs, href, button } = waiting;
  const about = [detail, amountSatang === null ? '' : say(bahtOf(amountSatang))].filter((one) => one !== '');
  const age: Part =
    sinceMs !== undefined &&
    html`<time datetime="${formatBangkokDateTime(sinceMs)}" title="${sayMoment(language, sinceMs)}"
      >${sayAge(language, nowMs - sinceMs)}</time
    >`;
  return html`<li>
    <span class="sg ${tones[sign]}" aria-hidden="true">${sign}</span>
    <a href="${href}"><b>${name}</b><small>${about.join(' · ')}</small></a>
    <small class="n ag">${age}</small>
    <a class="b sm" href="${href}" tabindex="-1" aria-hidden="true">${say(button)}</a>
  </li>`;
}

/** Groups shown. */
const groupsShown = 6;

export function waitsSection(visit: ProvedVisit, waiting: readonly Waiting[]): Html {
  const { say, nowMs } = visit;
  const time = formatBangkokTime(nowMs).slice(0, 'HH:mm'.length);
  return html`<section class="card">
    <div class="hd">
      <h2>${say('today.waits-for-you')}</h2>
      <a href="/queue">${say('today.whole-queue')}</a>
    </div>
    ${
      waiting.length === 0
        ? html`<p>${say(message('today.nothing-for-you', { time }))}</p>`
        : html`<ul class="todo">
            ${waiting.slice(0, groupsShown).map((one) => waitingLine(visit, one))}
          </ul>`
    }
  </section>`;
}
