/** Signing in and out, and a person's first own password. */
import { randomBytes } from 'node:crypto';
import { message, type Message } from '../../core/message.ts';
import { changePassword, signIn, type SignInContext, type SignInPlace } from '../sign-in.ts';
import { describePasswordRules } from '../rules/password.ts';
import { type LetIn, startSession, type SessionContext } from '../sessions.ts';
import { html, type Html } from './html.ts';
import { csrfField, problems } from './layout.ts';
import type { Answer, Fields, Page, View, Visit } from './view.ts';

/** The context of the page without the place, which each visit brings. */
export type SignInPageContext = Omit<SignInContext, 'place'> & SessionContext;

const nameLengthMax = 64;
/** The limit of a typed password: longer ones cost time to hash. */
const passwordLengthMax = 1_024;

const cut = (text: string | undefined, lengthMax: number): string => (text ?? '').slice(0, lengthMax);

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'password';
  readonly autocomplete: string;
  readonly value?: string;
}

const fieldOf = ({ name, label, type, autocomplete, value = '' }: Field): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      value="${value}"
      required
    />
  </div>`;

/** @param complaint the fault, in words for the person */
function signInPage(visit: Visit, name: string, complaint?: Message, done?: string): Page {
  const { say } = visit;
  const fields: readonly Field[] = [
    { name: 'name', label: say('sign-in.name'), type: 'text', autocomplete: 'username', value: name },
    { name: 'password', label: say('sign-in.password'), type: 'password', autocomplete: 'current-password' },
  ];
  return {
    title: say('sign-in.sign-in'),
    status: complaint === undefined ? 200 : 401,
    body: html`<div class="card narrow">
      ${complaint !== undefined && problems(visit, [{ field: 'name', text: complaint }])}
      ${done !== undefined && html`<p class="done" role="status">${done}</p>`}
      ${visit.hasKeptText && html`<p class="done notice" role="status">${say('sign-in.text-kept')}</p>`}
      <h1>${say('sign-in.sign-in')}</h1>
      <form method="post" action="/sign-in">
        ${csrfField(visit)} ${fields.map(fieldOf)}
        <button class="main">${say('sign-in.sign-in')}</button>
      </form>
    </div>`,
  };
}

const keptMs = 600_000;
/** The limit of forms at a time; the oldest one goes first, and its owner types the one-time password again. */
const keptMax = 100;

/** One-time passwords that were right, in memory only, until their owners have set their own. */
class OneTimePasswords {
  readonly #kept = new Map<
    string,
    { readonly name: string; readonly password: string; readonly atMs: number }
  >();

  /** @returns a ticket that stands for the password in the form */
  keep(name: string, password: string, nowMs: number): string {
    const ticket = randomBytes(24).toString('base64url');
    this.#kept.set(ticket, { name, password, atMs: nowMs });
    for (const oldest of [...this.#kept.keys()].slice(0, -keptMax)) this.#kept.delete(oldest);
    return ticket;
  }

  find(ticket: string, name: string, nowMs: number): string | undefined {
    for (const [one, { atMs }] of this.#kept) if (nowMs - atMs >= keptMs) this.#kept.delete(one);
    const kept = this.#kept.get(ticket);
    return kept?.name === name ? kept.password : undefined;
  }

  drop(ticket: string): void {
    this.#kept.delete(ticket);
  }
}

const rulesOf = ({ say }: Visit): Html =>
  html`<ul class="rules small" id="rules">
    ${describePasswordRules().map((rule) => html`<li>${say(rule)}</li>`)}
  </ul>`;

/** @param ticket of the one-time password that was typed before; empty: it is typed here */
function passwordPage(visit: Visit, name: string, ticket: string, complaint?: Message): Page {
  const { say } = visit;
  const own = { type: 'password', autocomplete: 'new-password' } as const;
  const present: Field = {
    name: 'present',
    label: say('sign-in.present-password'),
    type: 'password',
    autocomplete: 'current-password',
  };
  return {
    title: say('sign-in.own-password'),
    status: complaint === undefined ? 200 : 422,
    body: html`<div class="card narrow">
      ${complaint !== undefined && problems(visit, [{ field: 'wanted', text: complaint }])}
      <h1>${say('sign-in.own-password')}</h1>
      <p>${say('sign-in.own-password-why')}</p>
      <form method="post" action="/password">
        ${csrfField(visit)} <input type="hidden" name="ticket" value="${ticket}" />
        ${fieldOf({ name: 'name', label: say('sign-in.name'), type: 'text', autocomplete: 'username', value: name })}
        ${ticket === '' && fieldOf(present)}
        ${fieldOf({ name: 'wanted', label: say('sign-in.new-password'), ...own })} ${rulesOf(visit)}
        ${fieldOf({ name: 'again', label: say('sign-in.new-again'), ...own })}
        <button class="main">${say('sign-in.set-it')}</button>
      </form>
    </div>`,
  };
}

/** The context of the two forms with a password. */
interface SignInPage {
  /** Reads the present context: the journal may be restored while the page runs. */
  readonly readContext: () => Promise<SignInPageContext>;
  readonly placeOf: (visit: Visit) => SignInPlace;
}

async function answerSignIn(
  page: SignInPage,
  oneTime: OneTimePasswords,
  visit: Visit,
  fields: Fields,
): Promise<Answer> {
  const context = { ...(await page.readContext()), place: page.placeOf(visit) };
  const sinceMs = context.clock.now();
  const name = cut(fields['name'], nameLengthMax);
  const password = cut(fields['password'], passwordLengthMax);
  const answer = await signIn(context, name, password);
  switch (answer.kind) {
    case 'refused':
      return signInPage(visit, name, message('sign-in.sign-in-refused'));
    case 'must-change':
      return passwordPage(visit, name, oneTime.keep(name, password, visit.nowMs));
    case 'signed-in':
      return begin(context, visit, answer, sinceMs);
  }
}

async function begin(
  context: SignInPageContext,
  visit: Visit,
  letIn: LetIn,
  sinceMs: number,
): Promise<Answer> {
  const secret = await startSession(context, letIn, sinceMs);
  if (secret !== undefined) return { goTo: '/today', secret };
  return signInPage(visit, letIn.person.name, message('sign-in.sign-in-refused'));
}

async function answerPassword(
  page: SignInPage,
  oneTime: OneTimePasswords,
  visit: Visit,
  fields: Fields,
): Promise<Answer> {
  const context = { ...(await page.readContext()), place: page.placeOf(visit) };
  const sinceMs = context.clock.now();
  const name = cut(fields['name'], nameLengthMax);
  const typed = (field: string): string => cut(fields[field], passwordLengthMax);
  const [wanted, again] = [typed('wanted'), typed('again')];
  const kept = oneTime.find(fields['ticket'] ?? '', name, visit.nowMs);
  const ticket = kept === undefined ? '' : (fields['ticket'] ?? '');
  if (wanted !== again) return passwordPage(visit, name, ticket, message('sign-in.not-alike'));
  const why = await changePassword(context, name, kept ?? typed('present'), wanted);
  if (why !== undefined) return passwordPage(visit, name, ticket, why);
  oneTime.drop(ticket);
  const answer = await signIn(context, name, wanted);
  if (answer.kind !== 'signed-in') return signInPage(visit, name);
  return begin(context, visit, answer, sinceMs);
}

export function makeSignInViews(page: SignInPage): readonly View[] {
  const oneTime = new OneTimePasswords();
  return [
    { method: 'GET', path: '/sign-in', answer: async (visit) => signInPage(visit, '') },
    {
      method: 'GET',
      path: '/signed-out',
      answer: async (visit) => signInPage(visit, '', undefined, visit.say('sign-in.signed-out')),
    },
    {
      method: 'POST',
      path: '/sign-in',
      answer: async (visit, fields) => answerSignIn(page, oneTime, visit, fields),
    },
    {
      method: 'POST',
      path: '/password',
      answer: async (visit, fields) => answerPassword(page, oneTime, visit, fields),
    },
    {
      method: 'POST',
      path: '/sign-out',
      action: 'see',
      answer: async () => ({ goTo: '/signed-out', isSignedOut: true }),
    },
  ];
}
