/** The frame around every view. */
import { isMessage, type Message, type PlainCode, sayCode } from '../../core/message.ts';
import { sayMoment } from '../../core/moments.ts';
import { sayWhy } from './words.ts';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { type Action, can, type Person } from '../rules/people.ts';
import { html, type Html, type Part } from './html.ts';
import type { Asset } from './passkey-script.ts';
import { style } from './style.ts';
import type { Page, Visit } from './view.ts';

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
  { path: '/proposals', word: 'page.proposals', under: /^\/proposal\b/ },
  { path: '/batches', word: 'page.batches', under: /^\/(?:batch|upload)\b/ },
  { path: '/reconciliation', word: 'page.reconciliation', under: /^\/reconciliation\b/ },
  { path: '/registrations', word: 'page.registrations', under: /^\/registrations?\b/ },
  { path: '/payees', word: 'page.payees' },
  { path: '/people', word: 'page.people', action: 'people', under: /^\/(?:people|log)\b/ },
] as const satisfies readonly {
  readonly path: string;
  readonly word: PlainCode;
  /** Left out: for every person. */
  readonly action?: Action;
  /** The paths of the views reached from this one. */
  readonly under?: RegExp;
}[];

/** Marks the entry of the present view, or of the view that it belongs to. */
function currentOf(entry: (typeof menu)[number], path: string): Part {
  if (path === entry.path) return html`aria-current="page"`;
  return 'under' in entry && entry.under.test(path) && html`aria-current="true"`;
}

/** The token field of a posted form. */
export const csrfField = ({ csrfToken }: Visit): Html =>
  html`<input type="hidden" name="_csrf" value="${csrfToken}" />`;

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

function head(visit: Visit): Html {
  const { person, say, path } = visit;
  return html`<header class="frame">
    <a class="brand" href="/today">paydrop</a>
    ${
      person !== undefined &&
      html`<nav aria-label="${say('page.menu')}">
        ${menu
          .filter((entry) => !('action' in entry) || can(person, entry.action).allowed)
          .map((entry) => html`<a href="${entry.path}" ${currentOf(entry, path)}>${say(entry.word)}</a>`)}
      </nav>`
    }
    <div class="settings">
      ${person !== undefined && whoIs(visit, person)} ${otherLanguage(visit)} ${themeButtons(visit)}
      ${person !== undefined && postButton(visit, '/sign-out', say('page.sign-out'))}
    </div>
  </header>`;
}

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
  ['?', 'page.key-help'],
] as const;

const keysHelp = ({ say }: Visit): Html =>
  html`<footer><button type="button" class="quiet" data-keys hidden>${say('page.keys')}</button></footer>
    <dialog id="keys" aria-labelledby="keys-title">
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

/** The whole page. */
export function frame(visit: Visit, { title, body, scripts = [] }: Page): Html {
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
      <body>
        <a class="skip" href="#content">${say('page.skip')}</a>
        ${isSandbox && html`<div class="sandbox" role="region" aria-label="${say('page.sandbox')}">${say('page.sandbox')}</div>`}
        ${head(visit)} ${person !== undefined && lostNote(visit)}
        <main id="content" tabindex="-1">${body}</main>
        ${person !== undefined && keysHelp(visit)}
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
