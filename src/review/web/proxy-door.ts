/** Sign-in by the header of a trusted proxy instead of passwords: its pages, and the count of refusals. */
import type { PlainCode } from '../../core/message.ts';
import type { Log } from '../../core/ports.ts';
import type { ProxyRefusal } from '../rules/proxy-header.ts';
import { html } from './html.ts';
import { plainPage } from './layout.ts';
import { type Page, type View, viewAt, type Visit } from './view.ts';

const refusalWords: Readonly<Record<ProxyRefusal, PlainCode>> = {
  unnamed: 'sign-in.proxy-unnamed',
  doubled: 'sign-in.proxy-doubled',
  unknown: 'sign-in.proxy-unknown',
  // The existence of the user is for admins to know.
  disabled: 'sign-in.proxy-unknown',
  'no-right': 'sign-in.proxy-unknown',
  'before-restore': 'sign-in.proxy-before-restore',
};

export const proxyRefusalPage = (visit: Visit, refusal: ProxyRefusal): Page =>
  plainPage(visit, 403, visit.say('sign-in.proxy-refused'), visit.say(refusalWords[refusal]));

/** The least time between two log lines of one reason: pages poll by themselves. */
const logEveryMs = 60_000;

export class ProxyRefusals {
  readonly #log: Log;
  readonly #counted = new Map<ProxyRefusal, { times: number; loggedAtMs: number }>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** @param masked the name from the proxy, masked for the log */
  count(refusal: ProxyRefusal, masked: string, nowMs: number): void {
    const { times, loggedAtMs } = this.#counted.get(refusal) ?? { times: 0, loggedAtMs: undefined };
    const isLogged = loggedAtMs === undefined || Math.abs(nowMs - loggedAtMs) >= logEveryMs;
    this.#counted.set(refusal, { times: times + 1, loggedAtMs: isLogged ? nowMs : loggedAtMs });
    if (!isLogged) return;
    const facts = { refusal, times: times + 1, said: masked };
    this.#log('warn', 'the review page refused whom its proxy named', facts);
  }
}

const card = (
  { say }: Visit,
  word: 'sign-in.proxy-only' | 'sign-in.proxy-signed-out',
  status = 200,
): Page => ({
  title: say('sign-in.sign-in'),
  status,
  body: html`<div class="card narrow">
    <h1>${say(word === 'sign-in.proxy-only' ? 'sign-in.sign-in' : 'sign-in.signed-out')}</h1>
    <p>${say(word)}</p>
    <p><a href="/today">${say('sign-in.proxy-go-on')}</a></p>
  </div>`,
});

/** The views that replace those with passwords. */
export const makeProxySignInViews = (): readonly View[] => [
  { method: 'GET', path: '/sign-in', answer: async (visit) => card(visit, 'sign-in.proxy-only') },
  { method: 'GET', path: '/signed-out', answer: async (visit) => card(visit, 'sign-in.proxy-signed-out') },
  { method: 'POST', path: '/sign-in', answer: async (visit) => card(visit, 'sign-in.proxy-only', 403) },
  { method: 'POST', path: '/password', answer: async (visit) => card(visit, 'sign-in.proxy-only', 403) },
  viewAt('POST', '/sign-out', 'see', () => ({ goTo: '/signed-out', isSignedOut: true })),
];
