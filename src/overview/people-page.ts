/** People: their roles, their last visits, and the changes that admins ask for. The rules are those of `paydrop user`. */
import { showCount } from '../core/figures.ts';
import { type Message, message, type PlainCode, sayCode } from '../core/message.ts';
import { listOpenChanges, type PersonContext, readEventsOf, requestChange } from '../review/people.ts';
import { isBeforeRestore, type Person, type Role, roles } from '../review/rules/people.ts';
import { findUnconfirmed, type PersonRequest } from '../review/rules/person-request.ts';
import { describePersonEvent, severityOf } from '../review/rules/person-words.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { csrfField, plainPage, postButton, problems } from '../review/web/layout.ts';
import { dataTable, momentOf, whyOf } from '../review/web/parts.ts';
import {
  keyTable,
  type PasskeysShown,
  type UserPageContext,
  readPasskeys,
} from '../review/web/passkeys-page.ts';
import { outcomePage } from '../review/web/proposed/person-page.ts';
import type { Answer, Fields, Page, ProvedVisit, View } from '../review/web/view.ts';

const nameLengthMax = 80;

const cut = (text: string | undefined, lengthMax: number): string => (text ?? '').trim().slice(0, lengthMax);
const readRole = (text: string | undefined): Role | undefined => roles.find((role) => role === text);

// ---------------------------------------------------------------- list

interface Known extends PasskeysShown {
  readonly context: PersonContext;
}

function standingOf(person: Person, { nowMs, restoredAtMs }: PersonContext): PlainCode {
  if (person.isDisabled) return 'user.is-disabled';
  if (isBeforeRestore(person.standsSinceMs, restoredAtMs)) return 'user.is-to-be-enabled';
  return person.lockedUntilMs > nowMs ? 'user.is-locked' : 'user.is-active';
}

function personRow(visit: ProvedVisit, { kept, context }: Known, person: Person): Html {
  const { say, language } = visit;
  const { personId, name, displayName, role, lastSignInAtMs } = person;
  const tokens = kept.tokens.filter(
    (token) => token.personId === personId && token.revokedAtMs === null && token.expiresAtMs > context.nowMs,
  ).length;
  const passkeys = kept.passkeys.filter(
    (key) => key.personId === personId && key.revokedAtMs === null,
  ).length;
  const standing = standingOf(person, context);
  return html`<tr>
    <td data-head="${say('user.user-name')}">
      <a class="open" href="/people/${personId}"><span class="name">${name}</span></a>
      <small>${displayName}</small>
    </td>
    <td data-head="${say('user.role')}">${sayCode(language, `role.${role}`)}</td>
    <td data-head="${say('user.user-standing')}">
      <span class="tag">${standing !== 'user.is-active' && '‖ '}${say(standing)}</span>
    </td>
    <td data-head="${say('user.last-sign-in')}">
      ${lastSignInAtMs === null ? say('user.never-signed-in') : momentOf(visit, lastSignInAtMs)}
    </td>
    <td class="number" data-head="${say('user.tokens')}">${showCount(tokens)}</td>
    <td class="number" data-head="${say('user.passkey-count')}">${showCount(passkeys)}</td>
  </tr>`;
}

function peopleTable(visit: ProvedVisit, known: Known): Html {
  const people = known.kept.people.toSorted(
    (one, other) => Number(one.isDisabled) - Number(other.isDisabled) || one.name.localeCompare(other.name),
  );
  const numbers = ['user.tokens', 'user.passkey-count'] as const;
  const rows = people.map((person) => personRow(visit, known, person));
  const heads = ['user.user-name', 'user.role', 'user.user-standing', 'user.last-sign-in'] as const;
  return dataTable(visit, [...heads, ...numbers], rows, numbers);
}

// ---------------------------------------------------------------- what waits

/** The way to the proposals about people, which are decided on with all others. */
async function waitingLink(visit: ProvedVisit, { context }: Known): Promise<Part> {
  const waiting = (await listOpenChanges(context, visit.person)).length;
  const words = message('today.changes-for-admin', { count: showCount(waiting) });
  return waiting > 0 && html`<p><a class="button" href="/proposals">${visit.say(words)}</a></p>`;
}

/** Keys that an admin compares with their owner. */
function keySection(visit: ProvedVisit, known: Known): Part {
  const { kept, context, proposed } = known;
  const keys = findUnconfirmed({ ...kept, restoredAtMs: context.restoredAtMs }, proposed, visit.person);
  return (
    keys.length > 0 &&
    html`<section aria-labelledby="keys-to-confirm">
      <h2 id="keys-to-confirm">${visit.say('passkey.to-confirm')}</h2>
      <p>${visit.say('passkey.confirm-key-why')}</p>
      ${keyTable(visit, known, keys, { isOthers: true, back: '/people' })}
    </section>`
  );
}

// ---------------------------------------------------------------- forms

const roleField = ({ say, language }: ProvedVisit, chosen: Role): Html =>
  html`<div class="field">
    <label for="role">${say('user.role')}</label>
    <select id="role" name="role">
      ${roles.map(
        (role) =>
          html`<option value="${role}" ${role === chosen ? html`selected` : ''}>
            ${sayCode(language, `role.${role}`)}
          </option>`,
      )}
    </select>
  </div>`;

function addForm(visit: ProvedVisit, typed: Fields): Html {
  const { say } = visit;
  const field = (name: 'name' | 'fullName', label: string): Html =>
    html`<div class="field">
      <label for="${name}">${label}</label>
      <input
        id="${name}"
        name="${name}"
        value="${cut(typed[name], nameLengthMax)}"
        maxlength="${nameLengthMax}"
        autocomplete="off"
        required
      />
    </div>`;
  return html`<section class="card medium" aria-labelledby="add">
    <h2 id="add">${say('user.add-user')}</h2>
    <form method="post" action="/people/add">
      ${csrfField(visit)} ${field('name', say('user.user-name'))} ${field('fullName', say('user.full-name'))}
      ${roleField(visit, readRole(typed['role']) ?? 'viewer')}
      <button class="main">${say('user.add')}</button>
    </form>
  </section>`;
}

async function readKnown({ readPersons }: UserPageContext): Promise<Known> {
  return await readPasskeys(await readPersons());
}

async function listPage(
  page: UserPageContext,
  visit: ProvedVisit,
  typed: Fields = {},
  complaint?: Message,
): Promise<Page> {
  const { say } = visit;
  const known = await readKnown(page);
  return {
    title: say('page.people'),
    status: complaint === undefined ? 200 : 422,
    body: html`${complaint !== undefined && problems(visit, [{ field: 'name', text: complaint }])}
      <h1>${say('page.people')}</h1>
      <p><a class="button" href="/log">${say('user.log')}</a></p>
      ${await waitingLink(visit, known)} ${keySection(visit, known)} ${peopleTable(visit, known)}
      ${addForm(visit, typed)}`,
  };
}

// ---------------------------------------------------------------- one person

/** Forms of the actions for a person in the present state; the rules decide on each. */
function actionForms(visit: ProvedVisit, person: Person, standing: PlainCode): Html {
  const { say } = visit;
  const path = `/people/${person.personId}`;
  const isOff = standing !== 'user.is-active';
  return html`<section class="card medium">
    <form method="post" action="${path}/role">
      ${csrfField(visit)} ${roleField(visit, person.role)}
      <button>${say('user.change')}</button>
    </form>
    <p class="row">
      ${isOff && postButton(visit, `${path}/enable`, say('user.enable'), {}, '')}
      ${!person.isDisabled && postButton(visit, `${path}/disable`, say('user.disable'), {}, '')}
      ${
        person.personId !== visit.person.personId &&
        postButton(visit, `${path}/reset-password`, say('user.reset-password'), {}, '')
      }
    </p>
  </section>`;
}

async function personPage(
  page: UserPageContext,
  visit: ProvedVisit,
  fields: Fields,
  complaint?: Message,
): Promise<Page> {
  const { say, language } = visit;
  const known = await readKnown(page);
  const { kept, context } = known;
  const person = kept.people.find(({ personId }) => String(personId) === fields['personId']);
  if (person === undefined) return plainPage(visit, 404, say('user.no-user'), '', '/people');
  const standing = standingOf(person, context);
  const keys = kept.passkeys.filter(({ personId }) => personId === person.personId).toReversed();
  const events = (await readEventsOf(context.store, person.personId)).toReversed();
  return {
    title: person.name,
    status: complaint === undefined ? 200 : 422,
    body: html`${complaint !== undefined && problems(visit, [{ field: 'role', text: complaint }])}
      <h1>${person.name} <small>${person.displayName}</small></h1>
      <p>${sayCode(language, `role.${person.role}`)} · ${say(standing)}</p>
      ${actionForms(visit, person, standing)}
      ${
        keys.length > 0 &&
        html`<section aria-labelledby="passkeys">
          <h2 id="passkeys">${say('passkey.passkeys')}</h2>
          <p>${say('passkey.confirm-key-why')}</p>
          ${keyTable(visit, known, keys, { isOthers: false, back: `/people/${person.personId}` })}
        </section>`
      }
      <section aria-labelledby="happened">
        <h2 id="happened">${say('user.what-happened')}</h2>
        <ul class="log">
          ${events.map(
            (event) =>
              html`<li>
                ${momentOf(visit, event.atMs)}
                <span>
                  ${severityOf(event) !== null && html`<span class="tag alarm">! </span>`}
                  <b>${sayCode(language, `person-event.${event.kind}`)}</b>
                  <small>${whyOf(visit, describePersonEvent(event, kept.people))}</small>
                </span>
              </li>`,
          )}
        </ul>
      </section>
      <p><a href="/people">${say('user.back-to-people')}</a></p>`,
  };
}

// ---------------------------------------------------------------- actions

type Refused = (why: Message) => Promise<Page>;

async function answerRequest(
  page: UserPageContext,
  visit: ProvedVisit,
  request: PersonRequest,
  refuse: Refused,
): Promise<Answer> {
  const { person, proof } = visit.proved;
  const outcome = await requestChange(await page.readPersons(), request, person, proof);
  if (outcome.kind === 'refused') return refuse(outcome.why);
  await page.onChange();
  return outcomePage(visit, outcome);
}

const answerAdd = async (page: UserPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> => {
  const [name, fullName] = [cut(fields['name'], nameLengthMax), cut(fields['fullName'], nameLengthMax)];
  const role = readRole(fields['role']) ?? 'viewer';
  const request = { kind: 'add', name, displayName: fullName, role } as const;
  return answerRequest(page, visit, request, async (why) => listPage(page, visit, fields, why));
};

type Verb = 'role' | 'disable' | 'enable' | 'reset-password';
const verbs: readonly Verb[] = ['role', 'disable', 'enable', 'reset-password'];

async function answerVerb(
  page: UserPageContext,
  visit: ProvedVisit,
  verb: Verb,
  fields: Fields,
): Promise<Answer> {
  const personId = Number(fields['personId']);
  const role = readRole(fields['role']);
  const refuse: Refused = async (why) => personPage(page, visit, fields, why);
  if (!Number.isSafeInteger(personId)) return refuse(message('user.unknown'));
  if (verb !== 'role') return answerRequest(page, visit, { kind: verb, personId }, refuse);
  return role === undefined
    ? refuse(message('user.unknown'))
    : answerRequest(page, visit, { kind: 'role', personId, role }, refuse);
}

export const makeUserViews = (page: UserPageContext): readonly View[] => [
  {
    method: 'GET',
    path: '/people',
    action: 'people',
    answer: async (visit) => listPage(page, visit),
  },
  {
    method: 'GET',
    path: '/people/:personId',
    action: 'people',
    answer: async (visit, fields) => personPage(page, visit, fields),
  },
  {
    method: 'POST',
    path: '/people/add',
    action: 'people',
    answer: async (visit, fields) => answerAdd(page, visit, fields),
  },
  ...verbs.map((verb): View => ({
    method: 'POST',
    path: `/people/:personId/${verb}`,
    action: 'people',
    answer: async (visit, fields) => answerVerb(page, visit, verb, fields),
  })),
];
