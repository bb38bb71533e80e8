/** Signing in and out, and a person's first own password. */
import { message, type Message } from '../../core/message.ts';
import { changePassword, signIn, type SignInContext, type SignInPlace } from '../sign-in.ts';
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

function passwordPage(visit: Visit, name: string, complaint?: Message): Page {
  const { say } = visit;
  const again = { type: 'password', autocomplete: 'new-password' } as const;
  const fields: readonly Field[] = [
    { name: 'name', label: say('sign-in.name'), type: 'text', autocomplete: 'username', value: name },
    {
      name: 'present',
      label: say('sign-in.present-password'),
      type: 'password',
      autocomplete: 'current-password',
    },
    { name: 'wanted', label: say('sign-in.new-password'), ...again },
    { name: 'again', label: say('sign-in.new-again'), ...again },
  ];
  return {
    title: say('sign-in.own-password'),
    status: complaint === undefined ? 200 : 422,
    body: html`<div class="card narrow">
      ${complaint !== undefined && problems(visit, [{ field: 'present', text: complaint }])}
      <h1>${say('sign-in.own-password')}</h1>
      <p>${say('sign-in.own-password-why')}</p>
      <form method="post" action="/password">
        ${csrfField(visit)} ${fields.map(fieldOf)}
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

async function answerSignIn(page: SignInPage, visit: Visit, fields: Fields): Promise<Answer> {
  const context = { ...(await page.readContext()), place: page.placeOf(visit) };
  const sinceMs = context.clock.now();
  const name = cut(fields['name'], nameLengthMax);
  const password = cut(fields['password'], passwordLengthMax);
  const answer = await signIn(context, name, password);
  switch (answer.kind) {
    case 'refused':
      return signInPage(visit, name, message('sign-in.sign-in-refused'));
    case 'must-change':
      return passwordPage(visit, name);
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

async function answerPassword(page: SignInPage, visit: Visit, fields: Fields): Promise<Answer> {
  const context = { ...(await page.readContext()), place: page.placeOf(visit) };
  const sinceMs = context.clock.now();
  const name = cut(fields['name'], nameLengthMax);
  const [present, wanted, again] = ['present', 'wanted', 'again'].map((field) =>
    cut(fields[field], passwordLengthMax),
  );
  if (present === undefined || wanted === undefined || wanted !== again)
    return passwordPage(visit, name, message('sign-in.not-alike'));
  const why = await changePassword(context, name, present, wanted);
  if (why !== undefined) return passwordPage(visit, name, why);
  const answer = await signIn(context, name, wanted);
  if (answer.kind !== 'signed-in') return signInPage(visit, name);
  return begin(context, visit, answer, sinceMs);
}

export const makeSignInViews = (page: SignInPage): readonly View[] => [
  { method: 'GET', path: '/sign-in', answer: async (visit) => signInPage(visit, '') },
  {
    method: 'GET',
    path: '/signed-out',
    answer: async (visit) => signInPage(visit, '', undefined, visit.say('sign-in.signed-out')),
  },
  {
    method: 'POST',
    path: '/sign-in',
    answer: async (visit, fields) => answerSignIn(page, visit, fields),
  },
  {
    method: 'POST',
    path: '/password',
    answer: async (visit, fields) => answerPassword(page, visit, fields),
  },
  {
    method: 'POST',
    path: '/sign-out',
    action: 'see',
    answer: async () => ({ goTo: '/signed-out', isSignedOut: true }),
  },
];
