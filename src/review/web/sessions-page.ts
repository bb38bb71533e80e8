/** One's own sessions, with a button that ends them all. */
import { findOpenSessions, type SessionContext } from '../sessions.ts';
import type { PersonSession } from '../rules/session.ts';
import { can } from '../rules/people.ts';
import { html, type Html } from './html.ts';
import { postButton } from './layout.ts';
import { dataTable, momentOf } from './parts.ts';
import { type Answer, type Page, type ProvedVisit, type View, viewAt } from './view.ts';

interface SessionsPage {
  readonly readContext: () => Promise<SessionContext>;
  /** Called after a session has ended, to delete the data kept for it. */
  readonly onSignOut?: ((sessionHash: string) => Promise<void>) | undefined;
}

const sessionRow = (visit: ProvedVisit, { sessionHash, madeAtMs, usedAtMs }: PersonSession): Html =>
  html`<tr>
    <td data-head="${visit.say('session.session-began')}">${momentOf(visit, madeAtMs)}</td>
    <td data-head="${visit.say('session.session-used')}">${momentOf(visit, usedAtMs)}</td>
    <td data-head="${visit.say('session.session-where')}">
      ${visit.say(sessionHash === visit.sessionHash ? 'session.this-browser' : 'session.another-browser')}
    </td>
  </tr>`;

async function sessionsPage({ readContext }: SessionsPage, visit: ProvedVisit): Promise<Page> {
  const { say, person } = visit;
  const open = await findOpenSessions(await readContext(), person);
  const heads = ['session.session-began', 'session.session-used', 'session.session-where'] as const;
  return {
    title: say('session.sessions'),
    body: html`<h1>${say('session.sessions')}</h1>
      <p>${say('session.sessions-why')}</p>
      ${dataTable(
        visit,
        heads,
        open.map((session) => sessionRow(visit, session)),
      )}
      <p>${postButton(visit, '/sessions/sign-out', say('session.sign-out-everywhere'), {}, 'main')}</p>
      ${can(person, 'check').allowed && html`<p><a href="/passkeys">${say('passkey.own-passkeys')}</a></p>`}`,
  };
}

async function signOutEverywhere(
  { readContext, onSignOut }: SessionsPage,
  { person }: ProvedVisit,
): Promise<Answer> {
  const { store } = await readContext();
  for (const sessionHash of await store.endSessionsOf(person.personId)) await onSignOut?.(sessionHash);
  return { goTo: '/signed-out', isSignedOut: true };
}

export const makeSessionViews = (page: SessionsPage): readonly View[] => [
  viewAt('GET', '/sessions', 'see', (visit) => sessionsPage(page, visit)),
  viewAt('POST', '/sessions/sign-out', 'see', (visit) => signOutEverywhere(page, visit)),
];
