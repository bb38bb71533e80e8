/** The frame around every view. */
import { isMessage, type Message, type PlainCode, sayCode } from '../../core/message.ts';
import { sayMoment } from '../../core/moments.ts';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { showCount } from '../../core/figures.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { type Action, can, type Person } from '../rules/people.ts';
import type { FrameFacts } from '../for-me.ts';
import { forMeList } from './frame/for-me-list.ts';
import { html, type Html, type Part } from './html.ts';
import type { Asset } from './passkey-script.ts';
import { style } from './style.ts';
import { keptMark, sealField } from './kept-posts.ts';
import { type Fields, type Page, type ProvedVisit, type View, type Visit, sayWhy } from './view.ts';

/** The path contains a hash of the content, so that browsers can cache it. */
const assetPath = (name: string, text: string, ending: string): string =>
  `/assets/${name}-${hash('sha256', text, 'hex').slice(0, 12)}.${ending}`;

export const stylePath = assetPath('style', style, 'css');

const scriptText = readFileSync(new URL('script/page.js', import.meta.url), 'utf8');

/** The script of every page; each page works without it. */
export const pageScript: Asset = {
  path: assetPath('page', scriptText, 'js'),
  type: 'text/javascript',
  text: scriptText,
};

/** The views of the menu. */
const menu = [
  { path: '/today', word: 'page.today' },
  { path: '/queue', word: 'page.queue', under: /^\/(?:queue|payout|decide)\b/ },
  { path: '/proposals', word: 'page.proposals', under: /^\/(?:proposal|people\/change)\b/ },
  { path: '/batches', word: 'page.batches', under: /^\/(?:batch|upload)\b/ },
  { path: '/reconciliation', word: 'page.reconciliation', under: /^\/reconciliation\b/ },
  { path: '/registrations', word: 'page.registrations', under: /^\/registrations?\b/ },
  { path: '/payees', word: 'page.payees', under: /^\/payee\b/ },
  { path: '/people', word: 'page.people', action: 'people', under: /^\/people\/(?!change)/ },
  { path: '/log', word: 'page.log', action: 'people' },
] as const satisfies readonly {
  readonly path: string;
  readonly word: PlainCode;
  /** Left out: for every person. */
  readonly action?: Action;
  /** The paths of the views reached from this one. */
  readonly under?: RegExp;
}[];

type Entry = (typeof menu)[number];

/** The tabs at the foot of a phone; the last leads to the rest of the menu. */
const tabs = [
  { path: '/today', word: 'page.tab-today', sign: '◧' },
  { path: '/queue', word: 'page.tab-queue', sign: '☰' },
  { path: '/proposals', word: 'page.tab-proposals', sign: '✓' },
  { path: '/reconciliation', word: 'page.days', sign: '≈' },
  { path: '/more', word: 'page.more', sign: '≡' },
] as const satisfies readonly { readonly path: string; readonly word: PlainCode; readonly sign: string }[];

/** Tells whether a view is the entry's own, or is reached from it. */
const isUnder = (entry: Entry, path: string): boolean =>
  path === entry.path || ('under' in entry && entry.under.test(path));

/** The entries of a person. */
const entriesOf = (person: Person): readonly Entry[] =>
  menu.filter((entry) => !('action' in entry) || can(person, entry.action).allowed);

/** Marks the entry of the present view, or of the view that it belongs to. */
const markOf = (entry: Entry, path: string): Part =>
  isUnder(entry, path) && html`aria-current="${path === entry.path ? 'page' : 'true'}"`;

/** The token field of a posted form. */
export const csrfField = ({ csrfToken }: Visit): Html =>
  html`<input type="hidden" name="_csrf" value="${csrfToken}" />`;

/** The field of a form whose text is kept when the session ends. @param path the page that shows the form */
export const sealOf = ({ seal }: ProvedVisit, path: string): Html =>
  html`<input type="hidden" name="${sealField}" value="${seal(path)}" />`;

/** The note above a form that returns filled in. */
export const keptNote = ({ say }: Visit, fields: Fields): Part =>
  fields[keptMark] !== undefined &&
  html`<p class="done notice" role="status" tabindex="-1" autofocus>${say('page.text-kept')}</p>`;

/** A form of one button. @param name the name of the field that the button sends */
export const postButton = (
  visit: Visit,
  path: string,
  label: Part,
  fields: Readonly<Record<string, string>> = {},
  className = 'quiet',
): Html =>
  html`<form method="post" action="${path}" class="inline">
    ${csrfField(visit)}
    ${Object.entries(fields).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <button class="${className}">${label}</button>
  </form>`;

const otherLanguage = (visit: Visit): Html =>
  visit.language === 'th'
    ? postButton(visit, '/look', html`<span lang="en">English</span>`, { language: 'en', back: visit.path })
    : postButton(visit, '/look', html`<span lang="th">ไทย</span>`, { language: 'th', back: visit.path });

/** The buttons for the other theme. Where the system has chosen, the style hides the button of the present theme. */
const themeButtons = (visit: Visit): readonly Html[] =>
  (['light', 'dark'] as const)
    .filter((theme) => theme !== visit.theme)
    .map(
      (theme) =>
        html`<span class="to-${theme}"
          >${postButton(visit, '/look', visit.say(`page.${theme}`), { theme, back: visit.path })}</span
        >`,
    );

/** The link to one's own passkeys, for a person who can use one, or to one's own sessions. */
function whoIs({ language }: Visit, person: Person): Html {
  const path = can(person, 'check').allowed ? '/passkeys' : '/sessions';
  return html`<a class="who" href="${path}"
    >${person.displayName} <small>${sayCode(language, `role.${person.role}`)}</small></a
  >`;
}

/** Language, colours, keys, and the way out. */
const settings = (visit: Visit): Html =>
  html`<div class="settings">
    ${otherLanguage(visit)} ${themeButtons(visit)}
    ${
      visit.person !== undefined &&
      html`<button type="button" class="quiet" data-keys hidden>${visit.say('page.keys')}</button>
        ${postButton(visit, '/sign-out', visit.say('page.sign-out'))}`
    }
  </div>`;

/** The count beside an entry; nothing for entries without one. */
function countOf({ path }: { readonly path: string }, facts: FrameFacts | undefined): number | undefined {
  if (facts === undefined) return undefined;
  const counts = new Map([
    ['/queue', facts.groups],
    ['/proposals', facts.forMe.toCheck.length],
    ['/reconciliation', facts.openBreaks],
  ]);
  return counts.get(path);
}

function entryLink({ say, path }: Visit, entry: Entry, facts: FrameFacts | undefined): Html {
  const count = countOf(entry, facts);
  const isHot = entry.path === '/queue' && facts?.isAlarm === true;
  return html`<a class="i" href="${entry.path}" ${markOf(entry, path)}
    >${say(entry.word)}${
      count !== undefined &&
      html`<span class="c" data-count="${entry.path}"
        >${count > 0 && html`<span class="${isHot && 'bad'}">${showCount(count)}</span>`}</span
      >`
    }</a
  >`;
}

/** A person's own corner. */
const meOf = (visit: Visit, person: Person): Html =>
  html`<div class="me">${whoIs(visit, person)} ${settings(visit)}</div>`;

const side = (visit: Visit, person: Person, facts: FrameFacts | undefined): Html =>
  html`<nav class="side" aria-label="${visit.say('page.menu')}">
    <a class="brand" href="/today">paydrop</a>
    ${entriesOf(person).map((entry) => entryLink(visit, entry, facts))} ${meOf(visit, person)}
  </nav>`;

/** The top of every page. It stands first, so that the search is a few presses of Tab away. */
const top = (visit: Visit, person: Person | undefined, facts: FrameFacts | undefined): Html =>
  html`<header class="top">
    <a class="mark" href="/today">paydrop</a>
    ${
      person === undefined
        ? settings(visit)
        : html`<form method="post" action="/search" role="search" aria-label="${visit.say('page.search')}">
            ${csrfField(visit)}
            <input
              type="search"
              name="search"
              aria-label="${visit.say('page.search')}"
              placeholder="${visit.say('page.search-hint')}"
              maxlength="100"
              autocomplete="off"
            />
          </form>`
    }
    ${facts !== undefined && forMeList(visit, facts.forMe)}
  </header>`;

/** The menu at the foot of a phone. */
function foot({ say, path }: Visit, facts: FrameFacts | undefined): Html {
  const current = tabs.find((tab) => menu.some((entry) => entry.path === tab.path && isUnder(entry, path)));
  return html`<nav class="tabs" aria-label="${say('page.menu')}">
    ${tabs.map((tab) => {
      const isCurrent = tab === (current ?? tabs.at(-1));
      const count = tab.path === '/reconciliation' ? 0 : (countOf(tab, facts) ?? 0);
      return html`<a
        href="${tab.path}"
        ${isCurrent && html`aria-current="${tab.path === path ? 'page' : 'true'}"`}
        ><b data-count="tab${tab.path}"
          >${count > 0 ? showCount(count) : html`<span aria-hidden="true">${tab.sign}</span>`}</b
        >${say(tab.word)}</a
      >`;
    })}
  </nav>`;
}

/** The rest of the menu and the settings, on a page of their own for phones. */
export const moreView: View = {
  method: 'GET',
  path: '/more',
  action: 'see',
  answer: async (visit) => {
    const { say, person } = visit;
    const isTab = ({ path }: Entry) => tabs.some((tab) => tab.path === path);
    return {
      title: say('page.more'),
      body: html`<h1>${say('page.more')}</h1>
        <nav class="card" aria-label="${say('page.more')}">
          ${entriesOf(person)
            .filter((entry) => !isTab(entry))
            .map((entry) => entryLink(visit, entry, undefined))}
        </nav>
        <section class="card">${meOf(visit, person)}</section>`,
    };
  },
};

/** A note that the script shows when the stream is silent. */
const lostNote = ({ say, language, nowMs, mark }: Visit): Html =>
  html`<p class="lost" role="status" hidden data-lost data-mark="${mark}">
    ${say('page.connection-lost')}
    <time datetime="${formatBangkokDateTime(nowMs)}">${sayMoment(language, nowMs)}</time>
  </p>`;

const keyWords = [
  ['/', 'page.key-search'],
  ['j, k', 'page.key-move'],
  ['x', 'page.key-select'],
  ['Enter', 'page.key-open'],
  ['d', 'page.key-decide'],
  ['n', 'page.key-next'],
  ['u', 'page.key-back'],
  ['?', 'page.key-help'],
] as const;

const keysHelp = ({ say }: Visit): Html =>
  html`<dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">${say('page.keys')}</h2>
    <dl class="facts">
      ${keyWords.map(
        ([key, word]) =>
          html`<dt><kbd>${key}</kbd></dt>
            <dd>${say(word)}</dd>`,
      )}
    </dl>
    <p>${say('page.keys-approve-nothing')}</p>
    <p>
      <label class="switch"><input type="checkbox" /> ${say('page.keys-on')}</label>
    </p>
    <button type="button" class="main">${say('page.close')}</button>
  </dialog>`;

/** The head of a printed page. */
const printHead = ({ say, language, nowMs, isSandbox }: Visit, { displayName }: Person): Html =>
  html`<div class="print">
    <small
      >paydrop · ${displayName} · ${sayMoment(language, nowMs)}
      ${isSandbox && html`· <b>${say('page.sandbox')}</b>`}</small
    >
  </div>`;

/** The whole page. @param facts undefined: nothing is said of what waits */
export function frame(
  visit: Visit,
  { title, body, scripts = [] }: Page,
  facts: FrameFacts | undefined,
): Html {
  const { language, theme, isSandbox, say, person } = visit;
  return html`<!doctype html>
    <html lang="${language}" ${theme === undefined ? '' : html`data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · paydrop</title>
        <link rel="stylesheet" href="${stylePath}" />
        <script type="module" src="${pageScript.path}"></script>
        ${scripts.map((path) => html`<script defer src="${path}"></script>`)}
      </head>
      <body class="${person === undefined && 'alone'}">
        <a class="skip" href="#content">${say('page.skip')}</a>
        ${isSandbox && html`<aside class="test" aria-label="${say('page.sandbox')}">${say('page.sandbox')}</aside>`}
        ${top(visit, person, facts)}
        ${person !== undefined && [side(visit, person, facts), lostNote(visit), printHead(visit, person)]}
        <main id="content" tabindex="-1">${body}</main>
        ${person !== undefined && [foot(visit, facts), keysHelp(visit)]}
      </body>
    </html>`;
}

/** The faults of typed values, above the heading, with links to the fields. */
export const problems = (
  { say, language }: Visit,
  complaints: readonly { readonly field: string; readonly text: Message }[],
): Html | undefined =>
  complaints.length === 0
    ? undefined
    : html`<div class="problems" role="alert" tabindex="-1" autofocus>
        <h2>${say('page.problem')}</h2>
        <ul>
          ${complaints.map(({ field, text }) => html`<li><a href="#${field}">${sayWhy(language, text).text}</a></li>`)}
        </ul>
      </div>`;

/** A page with a text alone. */
export const plainPage = (
  { say, language }: Visit,
  status: number,
  title: string,
  text: Part | Message = '',
  back = '/queue',
): Page => ({
  status,
  title,
  body: html`<h1>${title}</h1>
    <p>${isMessage(text) ? sayWhy(language, text).text : text}</p>
    <p><a href="${back}">${say('page.back')}</a></p>`,
});
