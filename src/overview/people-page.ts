/**
 * People: their roles, their last visits, and one change of them that takes a second admin. The rules are those of
 * `paydrop user`.
 */
import { showCount } from '../core/figures.ts';
import { sayMoment } from '../core/moments.ts';
import { type Message, message, type PlainCode, sayCode } from '../core/message.ts';
import {
  type ChangeOutcome,
  confirmChange,
  type PersonContext,
  requestChange,
  sendBackChange,
} from '../review/people.ts';
import type { PersonsKept } from '../review/ports.ts';
import { journalFactKinds } from '../review/rules/chain.ts';
import { isBeforeRestore, type Person, type Role, roles } from '../review/rules/people.ts';
import {
  decideConfirmation,
  decideRequest,
  findUnconfirmed,
  isOpenChange,
  type PersonChange,
  type PersonRequest,
  subjectOf,
} from '../review/rules/person-request.ts';
import { showKey } from '../review/rules/passkey.ts';
import { describePersonEvent, severityOf } from '../review/rules/person-words.ts';
import { noteLengthMax, sendBackForm } from '../review/web/decision-box.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { csrfField, plainPage, postButton, problems } from '../review/web/layout.ts';
import { capital, dataTable, factList, fullStop, momentOf, whyOf } from '../review/web/parts.ts';
import { keyTable } from '../review/web/passkeys-page.ts';
import { headlineOfChange, nameIn } from '../review/web/proposals-page.ts';
import type { Answer, Fields, Page, ProvedVisit, View } from '../review/web/view.ts';

interface UsersPageContext {
  readonly readPersons: () => Promise<PersonContext>;
  /** Reports a change outside, as `paydrop user` does at its end. */
  readonly onChange: () => Promise<void>;
}

const nameLengthMax = 80;

const cut = (text: string | undefined, lengthMax: number): string => (text ?? '').trim().slice(0, lengthMax);
const readRole = (text: string | undefined): Role | undefined => roles.find((role) => role === text);

// ---------------------------------------------------------------- list

interface Known {
  readonly kept: PersonsKept;
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

/** The way to the changes that wait for a second admin, which are decided on with all proposals. */
function waitingLink(visit: ProvedVisit, { kept, context }: Known): Part {
  const waiting = kept.changes.filter((change) => isOpenChange(change, context.nowMs)).length;
  const words = message('today.changes-for-admin', { count: showCount(waiting) });
  return waiting > 0 && html`<p><a class="button" href="/proposals">${visit.say(words)}</a></p>`;
}

/** Keys that an admin compares with their owner. */
function keySection(visit: ProvedVisit, known: Known): Part {
  const keys = findUnconfirmed(known.kept, known.context, visit.person);
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

async function readKnown({ readPersons }: UsersPageContext): Promise<Known> {
  const context = await readPersons();
  return { context, kept: await context.store.persons() };
}

async function listPage(
  page: UsersPageContext,
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
      ${waitingLink(visit, known)} ${keySection(visit, known)} ${peopleTable(visit, known)}
      ${addForm(visit, typed)}`,
  };
}

// ---------------------------------------------------------------- one person

/** Events read at a time. */
const pageSize = 1_000;

async function readEventsOf({ store }: PersonContext, wanted: number) {
  const found = [];
  for (let afterSeq = 0; ;) {
    const page = await store.personEvents(afterSeq, pageSize);
    found.push(...page.filter(({ subject, kind }) => !journalFactKinds.has(kind) && subject === wanted));
    if (page.length < pageSize) return found.toReversed();
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}

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
  page: UsersPageContext,
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
  const events = await readEventsOf(context, person.personId);
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

// ---------------------------------------------------------------- one change

/** The reason why one admin is not enough. */
function whyTwo({ kept, context }: Known, { request, makerId }: PersonChange): Message | undefined {
  const maker = kept.people.find(({ personId }) => personId === makerId) ?? null;
  const verdict = decideRequest(request, maker, { ...kept, restoredAtMs: context.restoredAtMs });
  return verdict.kind === 'waits' ? verdict.why : undefined;
}

/** The facts that a second admin compares. */
function factsOf(visit: ProvedVisit, known: Known, change: PersonChange): Html {
  const { say } = visit;
  const { request, makerId, madeAtMs, checkerId, endedAtMs, why } = change;
  const subject = known.kept.people.find(({ personId }) => personId === subjectOf(request));
  const key =
    request.kind === 'confirm-passkey'
      ? known.kept.passkeys.find(({ credentialId }) => credentialId === request.credentialId)
      : undefined;
  return factList([
    [say('user.full-name'), request.kind === 'add' ? request.displayName : subject?.displayName],
    [say('user.role'), 'role' in request && sayCode(visit.language, `role.${request.role}`)],
    [
      say('passkey.key-digits'),
      key && html`<span class="mono">${showKey(key)}</span> <small>${say('passkey.confirm-key-why')}</small>`,
    ],
    [say('proposal.maker'), html`${nameIn(known.kept, makerId)}, ${momentOf(visit, madeAtMs)}`],
    [
      say('proposal.checker'),
      checkerId !== null &&
        endedAtMs !== null &&
        html`${nameIn(known.kept, checkerId)}, ${momentOf(visit, endedAtMs)}`,
    ],
    [say('decide.why-note'), whyOf(visit, why)],
  ]);
}

/** The end of a change. */
function banner({ language, nowMs }: ProvedVisit, change: PersonChange): Part {
  if (isOpenChange(change, nowMs)) return undefined;
  const status = change.status === 'proposed' ? 'expired' : change.status;
  const look =
    status === 'stale' || status === 'expired' ? 'problems' : status === 'applied' ? 'done' : 'done notice';
  return html`<p class="${look}" role="status" tabindex="-1" autofocus>
    <b>${sayCode(language, `proposal-status.${status}`)}</b>
  </p>`;
}

function verdictCard(visit: ProvedVisit, known: Known, change: PersonChange): Part {
  const { say, language, person, nowMs } = visit;
  const { kept, context } = known;
  const { changeId, request, makerId, madeAtMs, expiresAtMs } = change;
  if (!isOpenChange(change, nowMs)) return undefined;
  const verdict = decideConfirmation(change, person, { ...kept, restoredAtMs: context.restoredAtMs }, nowMs);
  const maker = nameIn(known.kept, makerId) ?? '';
  const isOwn = makerId === person.personId;
  const by = message('approval.proposed-by', { person: maker, moment: sayMoment(language, madeAtMs) });
  const label = say(request.kind === 'confirm-passkey' ? 'passkey.confirm-key' : 'proposal.approve');
  const [confirm, back] = [`/people/change/${changeId}/confirm`, `/people/change/${changeId}/send-back`];
  return html`<aside class="card sign" aria-labelledby="your-decision">
    <h2 id="your-decision">${say('proposal.your-decision')}</h2>
    <div class="why"><small>${say(by)}</small></div>
    ${
      verdict.kind === 'applies'
        ? html`<p>
              ${say('proposal.you-approve')}:
              <b>${headlineOfChange(visit, known.kept, change)}</b>${fullStop(visit)}
            </p>
            ${postButton(visit, confirm, label, {}, 'main full')}`
        : html`<p>
            <b>${say('proposal.cannot-approve')}</b
            ><br />${isOwn ? say('proposal.own-proposal') : whyOf(visit, verdict.why)}
          </p>`
    }
    ${
      isOwn
        ? postButton(visit, back, say('proposal.withdraw'), {}, 'full')
        : sendBackForm(visit, { path: back, maker, file: undefined, isComplaint: false })
    }
    <p class="small">
      ${say(message('approval.lapses', { moment: sayMoment(language, expiresAtMs) }))}${fullStop(visit)}
    </p>
  </aside>`;
}

const readChangeId = (fields: Fields): number => {
  const changeId = Number(fields['changeId']);
  return Number.isSafeInteger(changeId) ? changeId : 0;
};

async function changePage(
  page: UsersPageContext,
  visit: ProvedVisit,
  fields: Fields,
  complaint?: Message,
): Promise<Page> {
  const { say } = visit;
  const known = await readKnown(page);
  const change = known.kept.changes.find(({ changeId }) => changeId === readChangeId(fields));
  if (change === undefined) return plainPage(visit, 404, say('page.not-found'), '', '/proposals');
  const title = headlineOfChange(visit, known.kept, change);
  const two = isOpenChange(change, visit.nowMs) ? whyTwo(known, change) : undefined;
  return {
    title,
    status: complaint === undefined ? 200 : 409,
    body: html`<div class="bread"><a href="/proposals">${say('page.proposals')}</a></div>
      ${complaint === undefined ? banner(visit, change) : problems(visit, [{ field: 'list', text: complaint }])}
      <div class="ap">
        <div class="col">
          <section class="card hero" aria-labelledby="headline">
            <h1 id="headline">${title}</h1>
            ${two && html`<p class="small">${capital(say(two))}${fullStop(visit)}</p>`}
          </section>
          <section class="card">${factsOf(visit, known, change)}</section>
        </div>
        <div>${verdictCard(visit, known, change)}</div>
      </div>`,
  };
}

// ---------------------------------------------------------------- actions

/** Shows a secret once, and in no address: it is part of the answer to the form. */
function secretCard(
  { say }: ProvedVisit,
  label: 'user.first-half' | 'user.second-half' | 'user.one-time',
  secret: string,
): Html {
  return html`<div class="card secret">
    <p>${say(label)}</p>
    <p><output class="secret mono">${secret}</output></p>
    <p>${say('user.hand-over')} ${label === 'user.first-half' && say('user.other-half')}</p>
  </div>`;
}

/** The page after a change was asked for or carried out. */
function outcomePage(visit: ProvedVisit, outcome: Exclude<ChangeOutcome, { kind: 'refused' }>): Page {
  const { say } = visit;
  const title = say(outcome.kind === 'waits' ? 'user.change-waits' : 'user.change-done');
  const { firstHalf } = outcome.kind === 'waits' ? outcome : {};
  const password = outcome.kind === 'done' ? outcome.oneTimePassword : undefined;
  return {
    title,
    body: html`<p class="done" role="status" tabindex="-1" autofocus><b>${title}</b></p>
      <h1>${title}</h1>
      ${outcome.kind === 'waits' && html`<p>${whyOf(visit, outcome.why)}</p>`}
      ${outcome.kind === 'done' && outcome.person && html`<p><b>${outcome.person.name}</b> ${outcome.person.displayName}</p>`}
      ${firstHalf !== undefined && secretCard(visit, 'user.first-half', firstHalf)}
      ${password && secretCard(visit, password.isHalf ? 'user.second-half' : 'user.one-time', password.text)}
      <p>
        ${outcome.kind === 'waits' && html`<a class="button" href="/people/change/${outcome.changeId}">${say('today.open')}</a>`}
        <a class="button" href="/people">${say('user.back-to-people')}</a>
      </p>`,
  };
}

type Refused = (why: Message) => Promise<Page>;

async function answerRequest(
  page: UsersPageContext,
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

const answerAdd = async (page: UsersPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> => {
  const [name, fullName] = [cut(fields['name'], nameLengthMax), cut(fields['fullName'], nameLengthMax)];
  const role = readRole(fields['role']) ?? 'viewer';
  const request = { kind: 'add', name, displayName: fullName, role } as const;
  return answerRequest(page, visit, request, async (why) => listPage(page, visit, fields, why));
};

type Verb = 'role' | 'disable' | 'enable' | 'reset-password';
const verbs: readonly Verb[] = ['role', 'disable', 'enable', 'reset-password'];

async function answerVerb(
  page: UsersPageContext,
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

async function answerConfirm(page: UsersPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const outcome = await confirmChange(await page.readPersons(), readChangeId(fields), visit.proved);
  if (outcome.kind === 'refused') return changePage(page, visit, fields, outcome.why);
  await page.onChange();
  return outcomePage(visit, outcome);
}

async function answerSendBack(page: UsersPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const note = (fields['note'] ?? '').trim().slice(0, noteLengthMax);
  const refusal = await sendBackChange(await page.readPersons(), readChangeId(fields), visit.proved, note);
  if (refusal !== undefined) return changePage(page, visit, fields, refusal);
  await page.onChange();
  return { goTo: `/people/change/${readChangeId(fields)}` };
}

export const makeUserViews = (page: UsersPageContext): readonly View[] => [
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
  {
    method: 'GET',
    path: '/people/change/:changeId',
    action: 'people',
    answer: async (visit, fields) => changePage(page, visit, fields),
  },
  {
    method: 'POST',
    path: '/people/change/:changeId/confirm',
    action: 'people',
    answer: async (visit, fields) => answerConfirm(page, visit, fields),
  },
  {
    method: 'POST',
    path: '/people/change/:changeId/send-back',
    action: 'people',
    answer: async (visit, fields) => answerSendBack(page, visit, fields),
  },
];
