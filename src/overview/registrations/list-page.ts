/** Direct-debit registrations: a search, latest first, and the files that they came in. */
import { showCount } from '../../core/figures.ts';
import { groupRegistrations } from '../../attention/groups.ts';
import { type AttentionEntry, sortEntries } from '../../attention/rules/entry.ts';
import { counted, isPlainCode, message, sayCode } from '../../core/message.ts';
import { sayAge } from '../../core/moments.ts';
import { showText } from '../../core/outgoing-text.ts';
import { unmaskedLength } from '../../core/proxy-id.ts';
import type {
  RegistrationBatch,
  RegistrationFilter,
  RegistrationRow,
  RegistrationStore,
} from '../../registration/ports.ts';
import { isMaskedReference, type SearchReach } from '../../payout/rules/search.ts';
import { type RegistrationStatus, registrationStatuses } from '../../registration/rules/registration.ts';
import type { PersonStore } from '../../review/ports.ts';
import { recordSearch } from '../../review/reveal.ts';
import { html, type Html, type Part } from '../../review/web/html.ts';
import { csrfField, postButton } from '../../review/web/layout.ts';
import {
  capital,
  dataTable,
  emptyNote,
  momentOf,
  reachNote,
  readSearch,
  searchField,
  uploadLink,
  whyOf,
  whyOfRegistration,
} from '../../review/web/parts.ts';
import { type Fields, type Page, type ProvedVisit, searchAt, type View } from '../../review/web/view.ts';
import { companyOf, maskedAccountOf, nameOf, referencesOf, stateOf } from './shown.ts';

type RegistrationListReader = Pick<
  RegistrationStore,
  | 'searchRegistrations'
  | 'countFoundRegistrations'
  | 'registrationBatches'
  | 'registrationBatch'
  | 'registrationsByCause'
> &
  Pick<PersonStore, 'persons' | 'editPersons'>;

const rowsOnPage = 50;
const batchesShownMax = 10;

/** Statuses that can be searched; a file still being read is not shown. */
const shownStatuses = registrationStatuses.filter((status) => status !== 'staged');

interface ListForm {
  readonly search: string;
  readonly status: RegistrationStatus | 'waiting' | undefined;
  readonly batchId: string;
  /** Key of a group of waiting registrations; empty: all registrations. */
  readonly group: string;
  readonly beforeSeq: number;
}

function readForm(fields: Fields): ListForm {
  const before = Number(fields['before']);
  const word = fields['status'];
  return {
    search: readSearch(fields),
    status: word === 'waiting' ? word : shownStatuses.find((status) => status === word),
    batchId: (fields['batch'] ?? '').trim().toUpperCase().slice(0, 10),
    group: fields['group'] ?? '',
    beforeSeq: Number.isSafeInteger(before) && before > 0 ? before : Number.MAX_SAFE_INTEGER,
  };
}

const accountForm = /^[\d\s-]{10,20}$/;
/** The end of an account as screens show it, with or without the mask before it. */
const accountEndForm = /^[\d\s*-]*\d$/;

interface ReadFilter {
  readonly filter: RegistrationFilter;
  /** The reach of a search for a masked number or name; undefined for any other search. */
  readonly reach: SearchReach | undefined;
}

/** Searches the names shown on screens first; then, for permitted persons and with a record, the whole numbers. */
async function readFilter(
  store: RegistrationListReader,
  { proved, nowMs }: ProvedVisit,
  { search, status, batchId }: ListForm,
): Promise<ReadFilter> {
  const base: RegistrationFilter = {
    ...(status === undefined ? {} : status === 'waiting' ? { isWaiting: true } : { statuses: [status] }),
    ...(batchId === '' ? {} : { batchId }),
  };
  if (search === '') return { filter: base, reach: undefined };
  const isKnown = async (filter: RegistrationFilter) => (await store.countFoundRegistrations(filter)) > 0;
  const byName = {
    ...base,
    ...(isMaskedReference(search) ? { request: search } : { shownReference: search }),
  };
  if (await isKnown(byName)) return { filter: byName, reach: undefined };
  const digits = search.replaceAll(/\D/g, '');
  const isEnd = accountEndForm.test(search);
  const byEnd = { ...base, accountEnd: digits.slice(-unmaskedLength) };
  if (isEnd && digits.length <= unmaskedLength) return { filter: byEnd, reach: undefined };
  const searched = { place: 'registrations', text: search } as const;
  const reach = await recordSearch(store, { now: () => nowMs }, proved, searched);
  if (reach === 'shown') return { filter: isEnd ? byEnd : byName, reach };
  const byAccount = { ...base, accountNo: digits };
  const isAccount = accountForm.test(search) && (await isKnown(byAccount));
  return { filter: isAccount ? byAccount : { ...base, reference: search }, reach };
}

const choice = (value: string, label: string, isChosen: boolean): Html =>
  html`<option value="${value}" ${isChosen ? html`selected` : ''}>${label}</option>`;

function filterForm(visit: ProvedVisit, { search, status, batchId }: ListForm): Html {
  const { say, language } = visit;
  return html`<form method="post" action="/registrations" class="filter" role="search" data-live-form>
    ${csrfField(visit)} ${searchField(visit, say('registration.registration-search-hint'), search)}
    <div>
      <label for="status">${say('payout.status')}</label>
      <select id="status" name="status">
        ${choice('', say('queue.any'), status === undefined)}
        ${choice('waiting', say('registration.needs-person-only'), status === 'waiting')}
        ${shownStatuses.map((one) => choice(one, sayCode(language, `registration-status.${one}`), one === status))}
      </select>
    </div>
    <div>
      <label for="batch">${say('registration.batch')}</label>
      <input id="batch" name="batch" value="${batchId}" maxlength="10" autocomplete="off" />
    </div>
    <div class="buttons">
      <button class="main">${say('queue.find')}</button>
      <a class="button" href="/registrations">${say('queue.clear')}</a>
    </div>
  </form>`;
}

/** Waiting registrations by cause, as the queue has them. */
const readGroups = async (store: RegistrationListReader): Promise<readonly AttentionEntry[]> =>
  sortEntries(groupRegistrations(await store.registrationsByCause(0), 0, false));

function kindOf({ say }: ProvedVisit, code: AttentionEntry['code']): Part {
  const word = `attention-kind.${code}`;
  return isPlainCode(word) && capital(say(word));
}

function groupLine(visit: ProvedVisit, entry: AttentionEntry, isShown: boolean): Html {
  const { say, language, nowMs } = visit;
  const { code, severity, subject, remedy, sinceMs, count, key } = entry;
  const isAlarm = severity === 'alarm';
  return html`<tr>
    <td data-head="${say('registration.cause')}">
      <b class="${isAlarm ? 'bad' : ''}"
        >${isAlarm && html`<span aria-hidden="true">! </span>`}${kindOf(visit, code)}</b
      >
      <small>${whyOf(visit, subject)}</small>
    </td>
    <td class="number" data-head="${say('registration.registration-rows')}">${showCount(count)}</td>
    <td class="why" data-head="${say('payout.remedy')}">${whyOf(visit, remedy)}</td>
    <td class="mono" data-head="${say('payout.age')}">
      ${sinceMs !== null && sayAge(language, nowMs - sinceMs)}
    </td>
    <td data-head="">
      ${
        isShown
          ? html`<b>${say('registration.shown-below')}</b>`
          : postButton(
              visit,
              '/registrations',
              say(message('registration.show-group', { count: counted(count, 'registration') })),
              { group: key },
              'b sm',
            )
      }
    </td>
  </tr>`;
}

/** Everything that waits, grouped by cause; nothing where no registration waits. */
function groupsSection(visit: ProvedVisit, groups: readonly AttentionEntry[], shownKey: string): Part {
  const { say } = visit;
  return (
    groups.length > 0 &&
    html`<section aria-labelledby="waiting">
      <h2 id="waiting">${say('registration.registrations-for-person')}</h2>
      ${dataTable(
        visit,
        ['registration.cause', 'registration.registration-rows', 'payout.remedy', 'payout.age', ''],
        groups.map((entry) => groupLine(visit, entry, entry.key === shownKey)),
        ['registration.registration-rows'],
      )}
    </section>`
  );
}

function registrationLine(visit: ProvedVisit, row: RegistrationRow): Html {
  const { say } = visit;
  return html`<tr>
    <td data-head="${say('registration.registration')}">
      <a class="open" href="/registration/${row.seq}"><span class="name">${nameOf(row)}</span></a>
      <small>${say('payout.row')} ${row.rowNo}</small>
    </td>
    <td data-head="${say('registration.account')}">
      <span class="mono">${maskedAccountOf(row)}</span> <small>${companyOf(row)}</small>
      <small>${referencesOf(row)}</small>
    </td>
    <td data-head="${say('payout.status')}">${stateOf(visit, row)}</td>
    <td class="why" data-head="${say('payout.why')}">${whyOfRegistration(visit, row)}</td>
    <td class="mono" data-head="${say('payout.sent')}">
      ${row.submittedAtMs !== null && momentOf(visit, row.submittedAtMs)}
    </td>
  </tr>`;
}

export const registrationTable = (visit: ProvedVisit, rows: readonly RegistrationRow[]): Html =>
  dataTable(
    visit,
    ['registration.registration', 'registration.account', 'payout.status', 'payout.why', 'payout.sent'],
    rows.map((row) => registrationLine(visit, row)),
  );

function batchesSection(visit: ProvedVisit, batches: readonly RegistrationBatch[]): Html {
  const { say, language } = visit;
  return html`<section aria-labelledby="files">
    <h2 id="files">${say('registration.registration-batches')}</h2>
    ${dataTable(
      visit,
      ['registration.batch', 'payout.file', 'payout.status', 'registration.registration-rows', 'payout.time'],
      batches.slice(0, batchesShownMax).map(
        ({ batchId, fileName, status, rows, droppedAtMs }) =>
          html`<tr>
            <td data-head="${say('registration.batch')}">
              <a class="open" href="/registrations/batch/${batchId}">${batchId}</a>
            </td>
            <td data-head="${say('payout.file')}">${showText(fileName)}</td>
            <td data-head="${say('payout.status')}">${sayCode(language, `batch-status.${status}`)}</td>
            <td class="number" data-head="${say('registration.registration-rows')}">${showCount(rows)}</td>
            <td class="mono" data-head="${say('payout.time')}">${momentOf(visit, droppedAtMs)}</td>
          </tr>`,
      ),
      ['registration.registration-rows'],
    )}
  </section>`;
}

async function answerList(store: RegistrationListReader, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { say } = visit;
  const form = readForm(fields);
  const groups = await readGroups(store);
  const rowsOfGroup = groups.find(({ key }) => key === form.group)?.rows;
  const { filter, reach } =
    rowsOfGroup?.of === 'registrations'
      ? { filter: rowsOfGroup.filter, reach: undefined }
      : await readFilter(store, visit, form);
  const rows = await store.searchRegistrations(filter, form.beforeSeq, rowsOnPage);
  const isFiltered =
    form.search !== '' || form.status !== undefined || form.batchId !== '' || form.group !== '';
  const isFirst = form.beforeSeq === Number.MAX_SAFE_INTEGER;
  const batches = isFiltered || !isFirst ? [] : await store.registrationBatches();
  const last = rows.length === rowsOnPage ? rows.at(-1)?.seq : undefined;
  const again = { search: form.search, status: form.status ?? '', batch: form.batchId, group: form.group };
  return {
    title: say('page.registrations'),
    body: html`<h1>${say('page.registrations')}</h1>
      <p>${say('registration.registrations-hint')}</p>
      ${uploadLink(visit)} ${groupsSection(visit, groups, form.group)} ${filterForm(visit, form)}
      ${reachNote(visit, reach)}
      <div ${reach !== 'whole' && html`data-live="rows"`}>
        ${
          rows.length === 0
            ? emptyNote(say(isFiltered ? 'queue.no-match' : 'registration.no-registrations'))
            : registrationTable(visit, rows)
        }
        <div class="pages">
          ${!isFirst && postButton(visit, '/registrations', say('queue.newest'), again, 'page')}
          ${
            last !== undefined &&
            postButton(
              visit,
              '/registrations',
              say('queue.older'),
              { ...again, before: String(last) },
              'page',
            )
          }
        </div>
        ${batches.length > 0 && batchesSection(visit, batches)}
      </div>`,
  };
}

/** Searches are posted: no account number is in an address or a log. */
export const makeRegistrationListViews = (store: RegistrationListReader): readonly View[] =>
  searchAt('/registrations', 'see', (visit, fields) => answerList(store, visit, fields));
