/** Pieces that several views show alike. */
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { showText } from '../../core/outgoing-text.ts';
import type { ResultRow } from '../../core/ports.ts';
import type { MoneyMoved, SearchReach } from '../../payout/rules/search.ts';
import { describeAlarmRemedy, describeHolds, describeRemedy } from '../../reports/rules/remedies.ts';
import { describeReason } from '../../reports/rules/report-rows.ts';
import { can } from '../rules/people.ts';
import { html, type Html, type Part } from './html.ts';
import type { Fields, ProvedVisit, Visit } from './view.ts';
import { sayMoment, sayMoved, sayWhy } from './words.ts';

/** What the rules, the bank or the journal say, in the visitor's language where it is ours to say. */
export function whyOf({ language }: Pick<Visit, 'language'>, why: string | null | undefined): Part {
  if (why === null || why === undefined || why === '') return undefined;
  const said = sayWhy(language, why);
  return said.language === language
    ? html`<span>${showText(said.text)}</span>`
    : html`<span lang="${said.language}">${showText(said.text)}</span>`;
}

/** Why a row waits: where it is held, in Thai too; what the bank or the file says stays as it is. */
export function reasonOf(visit: Pick<Visit, 'language'>, row: ResultRow): Part {
  const [, why] = describeReason(row);
  const isHeld = visit.language === 'th' && row.status === 'held' && row.holds.length > 0;
  const said = whyOf(visit, why);
  return isHeld && sayWhy('th', why).language === 'en'
    ? html`${describeHolds(row.holds, 'th')}<br />${said}`
    : said;
}

/** For whoever may bring a file. */
export const uploadLink = (visit: ProvedVisit): Part =>
  can(visit.person, 'propose').allowed &&
  html`<p class="go"><a class="button" href="/upload">${visit.say('uploadFile')}</a></p>`;

/** What to do about it. */
export const remedyOf = ({ language }: Pick<Visit, 'language'>, row: ResultRow): string =>
  showText(row.isAlarm ? describeAlarmRemedy(row, language) : describeRemedy(row, language));

/** Sign and word, never colour alone. */
const moneySigns: Readonly<Record<MoneyMoved, string>> = { no: '×', unknown: '?', yes: '✓' };

export const moneyTag = ({ language }: Pick<Visit, 'language'>, moved: MoneyMoved): Html =>
  html`<span class="tag ${moved}"
    ><span aria-hidden="true">${moneySigns[moved]}</span> ${sayMoved(language, moved)}</span
  >`;

export const alarmTag = ({ say }: Pick<Visit, 'say'>): Html =>
  html`<span class="tag alarm"><span aria-hidden="true">!</span> ${say('alarm')}</span>`;

/** A Thai sentence ends without one. */
export const fullStop = ({ language }: Pick<Visit, 'language'>): Part => language === 'en' && '.';

/** For people in their own calendar, for programs in ours. */
export const momentOf = ({ language }: Pick<Visit, 'language'>, epochMs: number): Html =>
  html`<time datetime="${formatBangkokDateTime(epochMs)}">${sayMoment(language, epochMs)}</time>`;

/** A list of names with what stands for each; a name without anything is left out. */
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

/** Of what is typed to find something. */
export const searchLengthMax = 100;

/** As it was typed; what is longer is cut. */
export const readSearch = (fields: Fields): string =>
  (fields['search'] ?? '').trim().slice(0, searchLengthMax);

/** Says how far a search for a whole number reached; nothing for any other search. */
export const reachNote = ({ say }: Pick<Visit, 'say'>, reach: SearchReach | undefined): Part =>
  reach !== undefined &&
  html`<p role="status">${say(reach === 'whole' ? 'searchedWhole' : 'searchedEnd')}</p>`;

/** @param hint what can be looked for */
export const searchField = ({ say }: Pick<Visit, 'say'>, hint: string, search: string): Html =>
  html`<div class="wide">
    <label for="search">${say('search')} <small>${hint}</small></label>
    <input
      id="search"
      name="search"
      type="search"
      value="${search}"
      maxlength="${searchLengthMax}"
      autocomplete="off"
    />
  </div>`;
