/** The log: actions by person, day and payout. */
import { readDay } from '../core/bangkok-time.ts';
import { message, sayCode } from '../core/message.ts';
import { showText } from '../core/outgoing-text.ts';
import type { PayoutHistory, PayoutStore } from '../payout/ports.ts';
import type { PersonStore, Proposal, ProposalStore } from '../review/ports.ts';
import { journalFactKinds, type PersonEvent } from '../review/rules/chain.ts';
import { asAdmin, type Person } from '../review/rules/people.ts';
import { isPersonProposal, type PersonProposal } from '../review/rules/person-request.ts';
import { describePersonEvent, describeRequest } from '../review/rules/person-words.ts';
import { proposalStatuses } from '../review/rules/proposal.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { csrfField, problems } from '../review/web/layout.ts';
import { capital, dataTable, emptyNote, momentOf, whyOf } from '../review/web/parts.ts';
import { type Fields, type Page, type ProvedVisit, searchAt, type View } from '../review/web/view.ts';

type LogReader = Pick<PersonStore, 'persons' | 'personEvents' | 'personProposals'> &
  Pick<ProposalStore, 'proposals'> &
  Pick<PayoutStore, 'findPayouts'>;

const entriesMax = 200;
/** Latest events of people, and of proposals, that are searched. */
const lookBack = 2_000;
const textLengthMax = 100;

interface Entry {
  readonly atMs: number;
  /** The person who acted, or whom the entry concerns. */
  readonly persons: readonly (string | null | undefined)[];
  readonly who: Part;
  readonly what: Part;
  readonly more: Part;
}

const nameOf = (people: readonly Person[], personId: number | null): string | undefined =>
  people.find((person) => person.personId === personId)?.name;

function personEntry(visit: ProvedVisit, event: PersonEvent, people: readonly Person[]): Entry {
  const { say, language } = visit;
  const by = nameOf(people, event.byPerson);
  const about = nameOf(people, event.subject);
  return {
    atMs: event.atMs,
    persons: [by, about],
    who: by ?? (event.proof === 'owner' ? say('user.journal-owner') : say('user.program-did')),
    what: html`<b>${sayCode(language, `person-event.${event.kind}`)}</b> ${about !== by && about}`,
    more: whyOf(visit, describePersonEvent(event, people)),
  };
}

function proposalEntries(
  { say, language }: ProvedVisit,
  proposal: Proposal | PersonProposal,
): readonly Entry[] {
  const { proposalId, maker, madeAtMs, checker, checkedAtMs, status, note, checkNote } = proposal;
  const name = isPersonProposal(proposal)
    ? capital(say(describeRequest(proposal)))
    : sayCode(language, `decision.${proposal.decision}`);
  const what = (word: string) =>
    html`<b>${word}</b> <a href="/proposal/${proposalId}">${proposalId}. ${name}</a>`;
  const made = {
    atMs: madeAtMs,
    persons: [maker],
    who: maker,
    what: what(say('user.has-proposed')),
    more: note,
  };
  if (checkedAtMs === null || checker === null) return [made];
  const checked = {
    atMs: checkedAtMs,
    persons: [checker],
    who: checker,
    what: what(sayCode(language, `proposal-status.${status}`)),
    more: checkNote ?? '',
  };
  return [checked, made];
}

function payoutEntries({ say, language }: ProvedVisit, { row, events }: PayoutHistory): readonly Entry[] {
  return events.map(({ atMs, cause, detail }) => {
    const { by, checkedBy } = detail;
    const persons = [by, checkedBy].map((name) => (typeof name === 'string' ? name : undefined));
    const named = persons.filter((name) => name !== undefined && name !== 'people');
    return {
      atMs,
      persons,
      who: named.length === 0 ? say('user.program-did') : named.join(', '),
      what: html`<b>${sayCode(language, `payout-cause.${cause}`)}</b>`,
      more: html`<a href="/payout/${row.seq}">${row.cells.payoutId.trim()}</a>`,
    };
  });
}

interface LogForm {
  readonly person: string;
  readonly day: string;
  readonly payout: string;
}

const readForm = (fields: Fields): LogForm => {
  const read = (name: keyof LogForm): string => (fields[name] ?? '').trim().slice(0, textLengthMax);
  return { person: read('person'), day: read('day'), payout: read('payout') };
};

async function readEntries(
  store: LogReader,
  visit: ProvedVisit,
  { person, day, payout }: LogForm,
): Promise<readonly Entry[]> {
  const { people, latestSeq } = await store.persons();
  const entries: Entry[] = [];
  if (payout === '') {
    const events = await store.personEvents(Math.max(0, latestSeq - lookBack), lookBack);
    const shown = events.filter(({ kind }) => !journalFactKinds.has(kind));
    entries.push(...shown.map((event) => personEntry(visit, event, people)));
    const [admin, newest] = [asAdmin(visit.person), Number.MAX_SAFE_INTEGER];
    const proposals = [
      ...(await store.proposals(proposalStatuses, newest, lookBack)),
      ...(admin === undefined ? [] : await store.personProposals(proposalStatuses, newest, lookBack, admin)),
    ];
    entries.push(...proposals.flatMap((proposal) => proposalEntries(visit, proposal)));
  } else
    entries.push(...(await store.findPayouts(payout)).flatMap((history) => payoutEntries(visit, history)));
  const bounds = readDay(day);
  return entries
    .filter(({ persons }) => person === '' || persons.includes(person))
    .filter(({ atMs }) => !bounds.ok || (bounds.startMs <= atMs && atMs < bounds.endMs))
    .toSorted((one, other) => other.atMs - one.atMs);
}

function filterForm(visit: ProvedVisit, people: readonly Person[], { person, day, payout }: LogForm): Html {
  const { say } = visit;
  const field = (name: 'day' | 'payout', label: string, value: string, hint: string): Html =>
    html`<div>
      <label for="${name}">${label} <small>${hint}</small></label>
      <input id="${name}" name="${name}" value="${value}" maxlength="${textLengthMax}" autocomplete="off" />
    </div>`;
  const names = people.map(({ name }) => name).toSorted();
  return html`<form method="post" action="/log" class="filter log" role="search">
    ${csrfField(visit)}
    <div>
      <label for="person">${say('page.people')}</label>
      <select id="person" name="person">
        <option value="">${say('user.anybody')}</option>
        ${names.map(
          (name) => html`<option value="${name}" ${name === person ? html`selected` : ''}>${name}</option>`,
        )}
      </select>
    </div>
    ${field('day', say('payout.day'), day, say('user.day-hint'))}
    ${field('payout', say('payout.payout'), payout, say('user.payout-hint'))}
    <div class="buttons">
      <button class="main">${say('queue.find')}</button>
      <a class="button" href="/log">${say('queue.clear')}</a>
    </div>
  </form>`;
}

const entryRow = (visit: ProvedVisit, { atMs, who, what, more }: Entry): Html =>
  html`<tr>
    <td class="mono" data-head="${visit.say('payout.time')}">${momentOf(visit, atMs)}</td>
    <td data-head="${visit.say('payout.who')}">${who}</td>
    <td data-head="${visit.say('payout.what')}">${what}</td>
    <td class="why" data-head="${visit.say('user.what-happened')}">
      ${typeof more === 'string' ? showText(more) : more}
    </td>
  </tr>`;

function table(visit: ProvedVisit, entries: readonly Entry[]): Html {
  const { say } = visit;
  if (entries.length === 0) return emptyNote(say('user.no-entries'));
  const heads = ['payout.time', 'payout.who', 'payout.what', 'user.what-happened'] as const;
  const rows = entries.slice(0, entriesMax).map((entry) => entryRow(visit, entry));
  return html`${dataTable(visit, heads, rows)}
  ${entries.length > entriesMax && html`<p>${say('user.log-limit')}</p>`}`;
}

async function answerLog(store: LogReader, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { say } = visit;
  const form = readForm(fields);
  const { people } = await store.persons();
  const isWrongDay = form.day !== '' && !readDay(form.day).ok;
  return {
    title: say('user.log'),
    status: isWrongDay ? 422 : 200,
    body: html`${isWrongDay && problems(visit, [{ field: 'day', text: message('queue.wrong-day') }])}
      <h1>${say('user.log')}</h1>
      ${filterForm(visit, people, form)} ${!isWrongDay && table(visit, await readEntries(store, visit, form))}
      <p><a href="/people">${say('user.back-to-people')}</a></p>`,
  };
}

/** Searches are posted, so that the search text is in no address. */
export const makeLogViews = (store: LogReader): readonly View[] =>
  searchAt('/log', 'people', (visit, fields) => answerLog(store, visit, fields));
