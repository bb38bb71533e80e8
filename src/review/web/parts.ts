/** Pieces that several views share. */
import { isPlainCode, type Message, say as sayMessage, sayCode } from '../../core/message.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { sayMoment } from '../../core/moments.ts';
import { showText } from '../../core/outgoing-text.ts';
import type { ResultRow } from '../../core/ports.ts';
import type { MoneyMoved, SearchReach } from '../../payout/rules/search.ts';
import { describeAlarmRemedy, describeRemedy } from '../../reports/rules/remedies.ts';
import { describeReason } from '../../reports/rules/report-rows.ts';
import { can } from '../rules/people.ts';
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

/** The full stop of an English sentence; a Thai one has none. */
export const fullStop = ({ language }: Pick<Visit, 'language'>): Part => language === 'en' && '.';

/** A moment: for people in their own calendar, for programs in the common one. */
export const momentOf = ({ language }: Pick<Visit, 'language'>, epochMs: number): Html =>
  html`<time datetime="${formatBangkokDateTime(epochMs)}">${sayMoment(language, epochMs)}</time>`;

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
export const searchLengthMax = 100;

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
