/** Pieces that several views share. */
import {
  inEnglish,
  isPlainCode,
  type Message,
  type PlainCode,
  say as sayMessage,
  sayCode,
} from '../../core/message.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { sayMoment } from '../../core/moments.ts';
import { maskForeignNumbers, showText } from '../../core/outgoing-text.ts';
import type { Issue } from '../../core/payout-file.ts';
import type { ResultRow } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { MoneyMoved, SearchReach } from '../../payout/rules/search.ts';
import { describeAlarmRemedy, describeRemedy } from '../../reports/rules/remedies.ts';
import { describeIssue, describeReason } from '../../reports/rules/report-rows.ts';
import type { Offer } from '../rules/offers.ts';
import { can } from '../rules/people.ts';
import { nameOfDecision } from '../rules/terms.ts';
import { html, type Html, type Part } from './html.ts';
import type { Fields, ProvedVisit, Visit } from './view.ts';
import { sayWhy } from './words.ts';

/** A text of the rules, the bank or the journal; texts of paydrop are in the visitor's language. */
export function whyOf({ language }: Pick<Visit, 'language'>, why: Message | null | undefined): Part {
  if (why === null || why === undefined) return undefined;
  const said = sayWhy(language, why);
  return said.language === language
    ? html`<span>${showText(said.text)}</span>`
    : html`<span lang="${said.language}">${showText(said.text)}</span>`;
}

/** The reason why a row waits. */
export function reasonOf(visit: Pick<Visit, 'language'>, row: ResultRow): Part {
  const [, why] = describeReason(row);
  return whyOf(visit, why);
}

/** The name of an event's fact; one without words is displayed by its name in the journal. */
export function sayFact({ say }: Pick<Visit, 'say'>, name: string): string {
  const code = `fact.${name}`;
  return isPlainCode(code) ? say(code) : name;
}

/** The link for people who may upload a file. */
export const uploadLink = (visit: ProvedVisit): Part =>
  can(visit.person, 'propose').allowed &&
  html`<p class="go"><a class="button" href="/upload">${visit.say('batch.upload-file')}</a></p>`;

/** The remedy of a row. */
export const remedyOf = ({ language }: Pick<Visit, 'language'>, row: ResultRow): string =>
  showText(sayMessage(language, row.isAlarm ? describeAlarmRemedy(row) : describeRemedy(row)));

/** A sign with each word, so that colour alone never carries the meaning. */
const moneySigns: Readonly<Record<MoneyMoved, string>> = { no: '×', unknown: '?', yes: '✓' };

export const moneyTag = ({ language }: Pick<Visit, 'language'>, moved: MoneyMoved): Html =>
  html`<span class="tag ${moved}"
    ><span aria-hidden="true">${moneySigns[moved]}</span> ${sayCode(language, `money-moved.${moved}`)}</span
  >`;

export const alarmTag = ({ say }: Pick<Visit, 'say'>): Html =>
  html`<span class="tag alarm"><span aria-hidden="true">!</span> ${say('payout.alarm')}</span>`;

/** A text as the first of its line. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The full stop of an English sentence; a Thai one has none. */
export const fullStop = ({ language }: Pick<Visit, 'language'>): Part => language === 'en' && '.';

/** A moment: for people in their own calendar, for programs in the common one. */
export const momentOf = ({ language }: Pick<Visit, 'language'>, epochMs: number): Html =>
  html`<time datetime="${formatBangkokDateTime(epochMs)}">${sayMoment(language, epochMs)}</time>`;

/** A table; a column without a name has an empty head. @param numbers heads of columns with numbers */
export const dataTable = (
  { say }: Pick<Visit, 'say'>,
  heads: readonly (PlainCode | '')[],
  rows: Part,
  numbers: readonly string[] = [],
): Html =>
  html`<table>
    <thead>
      <tr>
        ${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col" ${numbers.includes(head) && html`class="number"`}>${say(head)}</th>`))}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;

/** A list of names and facts; a name without a fact is left out. */
export const factList = (facts: readonly (readonly [name: string, fact: Part])[]): Html =>
  html`<dl class="facts">
    ${facts
      .filter(([, fact]) => fact !== undefined && fact !== false && fact !== '')
      .map(
        ([name, fact]) =>
          html`<dt>${name}</dt>
            <dd>${fact}</dd>`,
      )}
  </dl>`;

/** The limit of a search text, in characters. */
const searchLengthMax = 100;

/** The search text, cut at the limit. */
export const readSearch = (fields: Fields): string =>
  (fields['search'] ?? '').trim().slice(0, searchLengthMax);

/** The reach of a search for a whole number; nothing for other searches. */
export const reachNote = ({ say }: Pick<Visit, 'say'>, reach: SearchReach | undefined): Part =>
  reach !== undefined &&
  html`<p role="status">${say(reach === 'whole' ? 'queue.searched-whole' : 'queue.searched-end')}</p>`;

/** @param hint the searchable things, in words */
export const searchField = ({ say }: Pick<Visit, 'say'>, hint: string, search: string): Html =>
  html`<div class="wide">
    <label for="search">${say('queue.search')} <small>${hint}</small></label>
    <input
      id="search"
      name="search"
      type="search"
      value="${search}"
      maxlength="${searchLengthMax}"
      autocomplete="off"
    />
  </div>`;

/** A text to show; nothing for one that is missing or blank. */
export const ifAny = (text: string | null | undefined): Part =>
  text === null || text === undefined || text.trim() === '' ? undefined : showText(text);

// ---------------------------------------------------------------- one payout or registration

/** The decisions offered on a row, and the open proposal about it. */
export interface RowOffers {
  readonly offers: readonly Offer[];
  readonly openProposal: number | undefined;
}

interface OfferedRow {
  readonly kind: 'payout' | 'registration';
  readonly seq: number;
}

function offerItem(visit: ProvedVisit, { kind, seq }: OfferedRow, offer: Offer): Html {
  const { say } = visit;
  const { decision, whyNot, needsSecond } = offer;
  const label = say(nameOfDecision(decision, kind));
  return whyNot === undefined
    ? html`<li>
        <a class="button" href="/${kind}/${seq}/decide/${decision}">${label}</a>
        <small>${say(needsSecond ? 'payout.second' : 'payout.one-is-enough')}</small>
      </li>`
    : html`<li class="off">${label} <small>${whyOf(visit, whyNot)}</small></li>`;
}

/** The decisions on a row: those that are possible, and the others with their reasons. */
export function decisionsCard(
  visit: ProvedVisit,
  row: OfferedRow,
  { offers, openProposal }: RowOffers,
): Html {
  const { say } = visit;
  const possible = offers.filter(({ whyNot }) => whyNot === undefined);
  const others = offers.filter(({ whyNot }) => whyNot !== undefined);
  const list = (some: readonly Offer[]) =>
    html`<ul class="decisions">
      ${some.map((offer) => offerItem(visit, row, offer))}
    </ul>`;
  return html`<section class="card" aria-labelledby="decisions">
    <h2 id="decisions">${say('payout.decisions')}</h2>
    ${
      openProposal !== undefined &&
      html`<p>
        <a href="/proposal/${openProposal}"
          >${say('payout.waits-for-check')}: ${say('payout.proposal-word')} ${openProposal}</a
        >
      </p>`
    }
    ${possible.length > 0 && list(possible)}
    ${
      others.length > 0 &&
      html`<details ${possible.length === 0 ? html`open` : ''}>
        <summary>${say('payout.not-possible')}</summary>
        ${list(others)}
      </details>`
    }
  </section>`;
}

/** One event of a time line; `atMs` is 0 for an unknown moment. */
export interface TimeLineEntry {
  readonly atMs: number;
  readonly who: Part;
  readonly what: Part;
  readonly evidence: Part;
}

/** Small facts in a row. */
export const chips = (facts: readonly (readonly [name: string, fact: Part])[]): Part =>
  facts.length > 0 &&
  html`<ul class="chips">
    ${facts.map(([name, fact]) => html`<li><small>${name}</small> ${fact}</li>`)}
  </ul>`;

/**
 * A code with its meaning.
 * @param said the bank's own words
 * @param remedy of the code; its English stands for words that the bank has not sent
 */
export function codeLine(
  { language }: Pick<Visit, 'language'>,
  code: string,
  said: string | undefined,
  remedy: Message | undefined,
): Html {
  const words = said ?? (remedy && inEnglish(remedy));
  return html`<p class="code">
    <code>${code}</code> ${words !== undefined && html`<span lang="en">${maskForeignNumbers(words)}</span>`}
    ${language === 'th' && remedy !== undefined && html`<small>${sayMessage('th', remedy)}</small>`}
  </p>`;
}

/** A row as its file has it. */
interface RowRead {
  readonly row: {
    readonly line: number;
    readonly issues: readonly Issue[];
    readonly cells: Readonly<Record<string, string>>;
  };
  readonly batch: { readonly fileName: string; readonly startedAtMs: number };
}

/** The first entry of a time line: the values in the file. @param isMasked true for columns with numbers of people */
export function readEntry(
  visit: ProvedVisit,
  { row, batch }: RowRead,
  isMasked: (column: string) => boolean,
): TimeLineEntry {
  const { say } = visit;
  const cells = Object.entries(row.cells)
    .filter(([, cell]) => cell !== '')
    .map(([name, cell]) => [name, isMasked(name) ? maskDigits(cell) : showText(cell)] as const);
  return {
    atMs: batch.startedAtMs,
    who: say('payout.program'),
    what: html`<b>${say('payout.row-read')}</b>
      <small>${showText(batch.fileName)}, ${say('payout.line')} ${row.line}</small>`,
    evidence: [
      row.issues.map((issue) => html`<p>${whyOf(visit, describeIssue(issue))}</p>`),
      html`<details>
        <summary>${say('payout.as-in-file')}</summary>
        ${chips(cells)}
      </details>`,
    ],
  };
}

const timeLineHeads = ['payout.time', 'payout.who', 'payout.what', 'payout.evidence'] as const;

/** A time line, in the order of its entries. */
export function timeLineTable(visit: ProvedVisit, entries: readonly TimeLineEntry[]): Html {
  const { say } = visit;
  return html`<table class="story">
    <thead>
      <tr>
        ${timeLineHeads.map((head) => html`<th scope="col">${say(head)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${entries.map(
        ({ atMs, who, what, evidence }) =>
          html`<tr>
            <td class="mono" data-head="${say('payout.time')}">${atMs > 0 && momentOf(visit, atMs)}</td>
            <td data-head="${say('payout.who')}">${who}</td>
            <td data-head="${say('payout.what')}">${what}</td>
            <td class="why" data-head="${say('payout.evidence')}">${evidence}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
