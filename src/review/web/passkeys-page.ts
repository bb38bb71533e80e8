/** Passkeys: one's own for every person, and others' for admins, who confirm them. */
import { listed, type Message, message, type PlainCode } from '../../core/message.ts';
import { sayMoment } from '../../core/moments.ts';
import type { Challenges } from '../challenges.ts';
import {
  askForPasskey,
  enrolPasskey,
  type Question,
  revokePasskey,
  type Signer,
  type SigningContext,
  type SigningPlace,
} from '../passkeys.ts';
import { confirmChange, type PersonContext, requestChange } from '../people.ts';
import type { PersonsKept, ProposedPasskeys } from '../ports.ts';
import { type Passkey, type PasskeyStanding, showKey, standingOf } from '../rules/passkey.ts';
import { can } from '../rules/people.ts';
import { html, type Html, type Part } from './html.ts';
import { csrfField, postButton, problems } from './layout.ts';
import { dataTable } from './parts.ts';
import { passkeyScripts } from './passkey-script.ts';
import { type Answer, type Fields, type Page, type ProvedVisit, type View, viewAt } from './view.ts';

/** The work on people, whatever page it is done on. */
export interface UserPageContext {
  /** Called after a change of users or passkeys, for a notice. */
  readonly onChange: () => Promise<void>;
  readonly readPersons: () => Promise<PersonContext>;
}

export interface PasskeyPageContext extends UserPageContext {
  /** The origin of the page, known once it is open. */
  readonly place: () => SigningPlace;
  readonly challenges: Challenges<Question>;
}

export const signingContextOf = async ({
  readPersons,
  place,
  challenges,
}: PasskeyPageContext): Promise<SigningContext> => ({ ...(await readPersons()), place: place(), challenges });

export const signerOf = ({ proved, sessionHash }: ProvedVisit): Signer => ({ ...proved, sessionHash });

/** The part of a form that lets a passkey answer; its button follows. */
export const askPasskey = (
  visit: ProvedVisit,
  { origin }: SigningPlace,
  form: {
    readonly action: string;
    readonly asks: 'enrol' | 'sign';
    readonly options: object;
    readonly rest: Part;
  },
): Html =>
  html`<form
    method="post"
    action="${form.action}"
    data-passkey="${form.asks}"
    data-options="${JSON.stringify(form.options)}"
    data-failed="${visit.say('passkey.passkey-failed')} ${origin}"
  >
    ${csrfField(visit)}
    <input type="hidden" name="answer" value="" />
    ${form.rest}
    <p role="alert" class="warn" hidden></p>
    <noscript><p>${visit.say('passkey.needs-script')}</p></noscript>
  </form>`;

export const scriptPaths = (): readonly string[] => passkeyScripts().map(({ path }) => path);

const ownPath = '/passkeys';

const standingWords: Readonly<Record<PasskeyStanding, PlainCode>> = {
  good: 'passkey.standing-good',
  waits: 'passkey.standing-waits',
  revoked: 'passkey.standing-revoked',
  'of-before': 'passkey.standing-of-before',
};
const backupWords: Readonly<Record<Passkey['backup'], PlainCode>> = {
  none: 'passkey.backup-none',
  possible: 'passkey.backup-possible',
  done: 'passkey.backup-done',
};
const signs: Readonly<Record<PasskeyStanding, readonly [sign: string, tag: string]>> = {
  good: ['✓', 'yes'],
  waits: ['?', 'unknown'],
  revoked: ['×', 'no'],
  'of-before': ['×', 'no'],
};

/** Passkeys as the journal has them now. */
export interface PasskeysShown {
  readonly kept: PersonsKept;
  readonly proposed: ProposedPasskeys;
  readonly context: Pick<PersonContext, 'nowMs' | 'restoredAtMs'>;
}

export async function readPasskeys<Context extends PersonContext>(context: Context) {
  const { store, nowMs } = context;
  return { context, kept: await store.persons(), proposed: await store.proposedPasskeys(nowMs) };
}

/** The standing of a key; the key of an unknown person counts as revoked. */
function standingNow({ kept, context }: PasskeysShown, passkey: Passkey): PasskeyStanding {
  const owner = kept.people.find(({ personId }) => personId === passkey.personId);
  return owner ? standingOf(passkey, owner, context.restoredAtMs) : 'revoked';
}

/** The admins whom the owner of a key may call. */
function whomToCall({ say, person: me }: ProvedVisit, { kept }: PasskeysShown): Part {
  const admins = kept.people.filter(
    (one) => one.role === 'admin' && !one.isDisabled && one.personId !== me.personId,
  );
  if (admins.length === 0) return undefined;
  const names = listed(admins.map(({ displayName }) => displayName));
  return html`<small>${say(message('passkey.call-admin', { admins: names }))}</small>`;
}

function keyRow(
  visit: ProvedVisit,
  shown: PasskeysShown,
  passkey: Passkey,
  { isOthers, back }: KeyTable,
): Html {
  const { say, language, person: me } = visit;
  const { label, backup, enrolledAtMs, lastUsedAtMs, credentialId, personId } = passkey;
  const owner = shown.kept.people.find((one) => one.personId === personId);
  const standing = standingNow(shown, passkey);
  const [sign, tag] = signs[standing];
  const proposal = shown.proposed.get(credentialId);
  const mayConfirm = standing === 'waits' && can(me, 'people').allowed && proposal?.makerId !== me.personId;
  return html`<tr>
    <td data-head="${say('passkey.key-digits')}">
      <span class="name mono">${showKey(passkey)}</span> <small>${label}</small>
    </td>
    ${isOthers && html`<td data-head="${say('passkey.key-owner')}">${owner?.displayName}</td>`}
    <td data-head="${say('passkey.standing')}">
      <span class="tag ${tag}"><span aria-hidden="true">${sign}</span> ${say(standingWords[standing])}</span>
      <small>${proposal !== undefined && say('passkey.second-admin')} ${say(backupWords[backup])}</small>
      ${standing === 'waits' && personId === me.personId && whomToCall(visit, shown)}
    </td>
    <td data-head="${say('passkey.enrolled')}">${sayMoment(language, enrolledAtMs)}</td>
    <td data-head="${say('passkey.last-used')}">
      ${lastUsedAtMs === null ? say('passkey.never') : sayMoment(language, lastUsedAtMs)}
    </td>
    <td>
      ${mayConfirm && postButton(visit, '/passkeys/confirm', say('passkey.confirm-key'), { key: credentialId, back }, 'b')}
      ${standing !== 'revoked' && postButton(visit, '/passkeys/revoke', say('passkey.revoke'), { key: credentialId, back })}
    </td>
  </tr>`;
}

interface KeyTable {
  /** True: with the names of the owners. */
  readonly isOthers: boolean;
  /** The path of the page, shown again after a button. */
  readonly back: string;
}

/** Keys with their standing, and what this person may do about each. */
export function keyTable(
  visit: ProvedVisit,
  shown: PasskeysShown,
  keys: readonly Passkey[],
  table: KeyTable,
): Part {
  const { isOthers } = table;
  if (keys.length === 0) return undefined;
  const owner = isOthers ? (['passkey.key-owner'] as const) : [];
  const rest = ['passkey.standing', 'passkey.enrolled', 'passkey.last-used', ''] as const;
  const rows = keys.map((key) => keyRow(visit, shown, key, table));
  return dataTable(visit, ['passkey.key-digits', ...owner, ...rest], rows);
}

const labelLengthMax = 60;

async function enrolForm(visit: ProvedVisit, context: SigningContext): Promise<Part> {
  const { say, person } = visit;
  if (!can(person, 'check').allowed) return undefined;
  const options = await askForPasskey(context, signerOf(visit));
  const rest = html`<div class="field">
      <label for="label"
        >${say('passkey.passkey-label')} <small>${say('passkey.passkey-label-hint')}</small></label
      >
      <input id="label" name="label" maxlength="${labelLengthMax}" autocomplete="off" />
    </div>
    <button class="main">${say('passkey.enrol')}</button>`;
  return html`<div class="card medium">
    ${askPasskey(visit, context.place, { action: '/passkeys/enrol', asks: 'enrol', options, rest })}
  </div>`;
}

async function passkeyPage(page: PasskeyPageContext, visit: ProvedVisit, complaint?: Message): Promise<Page> {
  const { say, person } = visit;
  const shown = await readPasskeys(await signingContextOf(page));
  const { kept, context } = shown;
  const own = kept.passkeys.filter(({ personId }) => personId === person.personId).toReversed();
  const others = can(person, 'people').allowed
    ? kept.passkeys.filter(({ personId }) => personId !== person.personId).toReversed()
    : [];
  return {
    title: say('passkey.passkeys'),
    status: complaint === undefined ? 200 : 422,
    scripts: scriptPaths(),
    body: html`${complaint !== undefined && problems(visit, [{ field: 'label', text: complaint }])}
      <h1>${say('passkey.passkeys')}</h1>
      <p><a href="/sessions">${say('session.sessions')}</a></p>
      <p>${say('passkey.passkeys-why')}</p>
      <section aria-labelledby="own">
        <h2 id="own">${say('passkey.own-passkeys')}</h2>
        ${own.length === 0 ? html`<p>${say('passkey.no-passkeys')}</p>` : keyTable(visit, shown, own, { isOthers: false, back: ownPath })}
      </section>
      ${await enrolForm(visit, context)}
      ${
        others.length > 0 &&
        html`<section aria-labelledby="others">
          <h2 id="others">${say('passkey.others-passkeys')}</h2>
          <p>${say('passkey.confirm-key-why')}</p>
          ${keyTable(visit, shown, others, { isOthers: true, back: ownPath })}
        </section>`
      }`,
  };
}

/** The page that the form came from: the passkeys, or a page of people. */
const readBack = ({ back = '' }: Fields): string => (/^\/people(?:\/\d{1,9})?$/.test(back) ? back : ownPath);

/** Shows the same page with the reason for a refusal; after a success, sends the notice and shows the page again. */
async function answerWith(
  page: PasskeyPageContext,
  visit: ProvedVisit,
  why: Message | undefined,
  fields: Fields,
): Promise<Answer> {
  if (why !== undefined) return passkeyPage(page, visit, why);
  await page.onChange();
  return { goTo: readBack(fields) };
}

async function enrol(page: PasskeyPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { answer = '', label = '' } = fields;
  const made = await enrolPasskey(await signingContextOf(page), signerOf(visit), answer, label.trim());
  return answerWith(page, visit, 'why' in made ? made.why : undefined, fields);
}

async function revoke(page: PasskeyPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { key = '' } = fields;
  return answerWith(page, visit, await revokePasskey(await page.readPersons(), visit.proved, key), fields);
}

/** Requests the confirmation of a key, or confirms another admin's request. */
async function confirm(page: PasskeyPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { key = '' } = fields;
  const { kept, context, proposed } = await readPasskeys(await signingContextOf(page));
  const passkey = kept.passkeys.find(({ credentialId }) => credentialId === key);
  if (passkey === undefined) return answerWith(page, visit, message('passkey.unknown'), fields);
  const { personId, credentialId } = passkey;
  const proposal = proposed.get(credentialId);
  const { person, proof } = visit.proved;
  const outcome =
    proposal === undefined
      ? await requestChange(context, { kind: 'confirm-passkey', personId, credentialId }, person, proof)
      : await confirmChange(context, proposal.proposalId, visit.proved);
  return answerWith(page, visit, outcome.kind === 'refused' ? outcome.why : undefined, fields);
}

const posts = [
  ['enrol', 'check', enrol],
  ['revoke', 'see', revoke],
  ['confirm', 'people', confirm],
] as const;

export const makePasskeyViews = (page: PasskeyPageContext): readonly View[] => [
  viewAt('GET', ownPath, 'see', (visit) => passkeyPage(page, visit)),
  ...posts.map(([name, action, answer]) =>
    viewAt('POST', `/passkeys/${name}`, action, (visit, fields) => answer(page, visit, fields)),
  ),
];
