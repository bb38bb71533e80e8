/** The search: what the field at the top of every page finds, of every kind, each kind in a list of its own. */
import { readDay } from '../core/bangkok-time.ts';
import { showBaht, showCount } from '../core/figures.ts';
import { counted, message, sayCode } from '../core/message.ts';
import { parseBaht } from '../core/money.ts';
import { sayAge, sayDate, sayMoment } from '../core/moments.ts';
import { showText } from '../core/outgoing-text.ts';
import { showLastDigits } from '../core/proxy-id.ts';
import type { Batch, BatchReader } from '../core/ports.ts';
import type { OverviewReader, PayeeSeen } from './ports.ts';
import type { FoundPayout, MatchReader, PayoutSearch } from '../payout/ports.ts';
import {
  asksWholeNumber,
  type MoneyMoved,
  parseSearch,
  type PayoutFilter,
  placeInTime,
  readPayee,
  type SearchReach,
} from '../payout/rules/search.ts';
import { moneyMovedOf } from '../reports/rules/report-rows.ts';
import type { StatementStore } from '../reconcile/ports.ts';
import type { PersonStore, QueueStore } from '../review/ports.ts';
import { recordSearch } from '../review/reveal.ts';
import { can } from '../review/rules/people.ts';
import type { RefusedFile } from '../review/rules/queue.ts';
import { isOfPayouts, type PageSearch, readSearchWords } from '../review/rules/search-words.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { postButton } from '../review/web/layout.ts';
import { emptyNote, reachNote, readSearch, reasonOf, sayBatchStatus } from '../review/web/parts.ts';
import { type Fields, type Page, type ProvedVisit, searchAt, type View } from '../review/web/view.ts';

type SearchReader = Pick<BatchReader, 'batches'> &
  Pick<OverviewReader, 'payees'> &
  Pick<PayoutSearch, 'searchPayouts' | 'findOwners'> &
  Pick<QueueStore, 'refusedFiles' | 'takenBy'> &
  Pick<PersonStore, 'persons' | 'editPersons'> &
  Pick<StatementStore, 'statementDays'> &
  MatchReader;

/** The answers of a kind that are shown at first, and on the page of all of that kind. */
const [shownFirst, shownOfAll] = [10, 50];
/** The answers that are counted: further ones are "1,000+". */
const countedMax = 1_000;
/** The batches whose payouts a name of a file finds, and the items of a person. */
const [batchesMax, takenMax] = [200, 500];
const newest = Number.MAX_SAFE_INTEGER;

// ---------------------------------------------------------------- reading

interface Asked {
  readonly search: PageSearch;
  readonly reach: SearchReach | undefined;
  /** The day that the text names. */
  readonly day: { readonly date: string; readonly startMs: number; readonly endMs: number } | undefined;
}

/** True of a name in which screens show the part: digits that they mask are not found. */
const isLike = (name: string, part: string): boolean =>
  showText(name).toLowerCase().includes(part.toLowerCase());

/** The batches that the text or the name of a file finds. */
function findBatches(batches: readonly Batch[], { search, day }: Asked): readonly Batch[] {
  const { text, file } = search;
  const amount = parseBaht(text.replaceAll(',', ''));
  return batches.filter(
    (batch) =>
      (file === undefined || isLike(batch.fileName, file)) &&
      (text === '' ||
        isLike(batch.fileName, text) ||
        batch.batchId.startsWith(text.toUpperCase()) ||
        batch.totalSatang === amount ||
        (day !== undefined && batch.startedAtMs >= day.startMs && batch.startedAtMs < day.endMs)),
  );
}

/** The payouts that a person has taken. */
async function findTaken(store: SearchReader, { person }: ProvedVisit, owner: string): Promise<number[]> {
  const { people } = await store.persons();
  const found = people.find(({ name }) => name.toLowerCase() === owner.toLowerCase());
  const personId = owner.toLowerCase() === 'me' ? person.personId : found?.personId;
  if (personId === undefined) return [];
  const taken = await store.takenBy(personId, newest, takenMax);
  return taken.flatMap(({ kind, key }) => (kind === 'payout' ? [Number(key)] : []));
}

async function readFilter(
  store: SearchReader,
  visit: ProvedVisit,
  { search, reach }: Asked,
  batches: readonly Batch[],
): Promise<PayoutFilter> {
  const { text, file, hold, cause, owner, isAlarm, isWaiting, aboveSatang, belowSatang } = search;
  const ownerSeqs = text === '' ? [] : await store.findOwners(text);
  const ofText = parseSearch(text, reach ?? 'shown').map((one) => ({ ...one, ownerSeqs }));
  const ofFile = batches.filter(({ fileName }) => file !== undefined && isLike(fileName, file));
  const alike = batches.filter(
    ({ batchId, fileName }) => batchId === text.toUpperCase() || showText(fileName) === text,
  );
  return {
    hold,
    isAlarm: isAlarm || undefined,
    isWaiting,
    causes: cause === undefined ? undefined : [cause],
    aboveSatang,
    belowSatang,
    statuses: hold === undefined ? [] : ['held'],
    batchIds: file === undefined ? undefined : ofFile.slice(0, batchesMax).map(({ batchId }) => batchId),
    seqs: owner === undefined ? undefined : await findTaken(store, visit, owner),
    anyOf: text === '' ? [] : [...ofText, ...alike.map(({ batchId }) => ({ batchId }))],
  };
}

/** The answers of one kind, with their number; undefined for one that is not counted. */
interface Found<Answer> {
  readonly answers: readonly Answer[];
  readonly count: number | undefined;
}

async function findPayouts(
  store: SearchReader,
  filter: PayoutFilter,
  beforeSeq: number,
  limit: number,
): Promise<Found<FoundPayout>> {
  const all = await store.matchingSeqs(filter, countedMax + 1);
  const seqs = all.filter((seq) => seq < beforeSeq).slice(0, limit);
  const answers = seqs.length === 0 ? [] : await store.searchPayouts({ seqs }, newest, limit);
  return { answers, count: all.length };
}

async function findPayees(
  store: SearchReader,
  { search: { text }, reach }: Asked,
): Promise<Found<PayeeSeen>> {
  const wanted = readPayee(text, reach ?? 'shown');
  if (wanted === undefined) return { answers: [], count: 0 };
  const { payees, beforeSeq } = await store.payees(wanted, newest, shownFirst + 1);
  const isMore = payees.length > shownFirst || beforeSeq !== undefined;
  return { answers: payees.slice(0, shownFirst), count: isMore ? undefined : payees.length };
}

// ---------------------------------------------------------------- display

const moneySigns = { no: ['×', 'no'], unknown: ['?', 'ask'], yes: ['✓', 'yes'] } as const satisfies Readonly<
  Record<MoneyMoved, readonly [string, string]>
>;

const line = (sign: Part, href: string, head: Part, note: Part, figure: Part): Html =>
  html`<li>
    ${sign}<a class="open" href="${href}"><b>${head}</b><small>${note}</small></a
    ><span class="r n">${figure}</span>
  </li>`;

function payoutLine(visit: ProvedVisit, { row, batch }: FoundPayout): Html {
  const { language, nowMs } = visit;
  const { cells, instruction, status, isAlarm } = row;
  const [sign, colour] = isAlarm ? ['!', 'bad'] : moneySigns[moneyMovedOf(row)];
  const payee = [
    showLastDigits(instruction?.proxyNo ?? cells.proxyNo),
    showText((instruction ?? cells).payeeName ?? ''),
  ].join(' ');
  const reason = reasonOf(visit, row);
  return line(
    html`<span class="sg ${colour}">${sign}</span>`,
    `/payout/${row.seq}`,
    showText(cells.payoutId.trim()),
    [payee, ' · ', sayCode(language, `payout-status.${status}`), reason !== undefined && [', ', reason]],
    html`<b>${row.amountSatang === null ? showText(cells.amount) : showBaht(row.amountSatang)}</b
      ><small>${sayAge(language, nowMs - placeInTime(row, batch))}</small>`,
  );
}

const batchLine = (visit: ProvedVisit, batch: Batch): Html =>
  line(
    html`<span class="sg no"></span>`,
    `/batch/${batch.batchId}`,
    showText(batch.fileName),
    [batch.batchId, ' · ', sayBatchStatus(visit, batch)],
    html`<b>${showBaht(batch.totalSatang)}</b
      ><small>${sayAge(visit.language, visit.nowMs - batch.startedAtMs)}</small>`,
  );

const refusedLine = ({ say, language, nowMs }: ProvedVisit, file: RefusedFile): Html =>
  line(
    html`<span class="sg no">×</span>`,
    '/queue?show=batches',
    showText(file.fileName),
    say('search.refused-file'),
    html`<small>${sayAge(language, nowMs - file.endedAtMs)}</small>`,
  );

const payeeLine = ({ say, language }: ProvedVisit, payee: PayeeSeen): Html =>
  html`<li>
    <span class="sg no"></span
    ><span
      ><b class="n">${showLastDigits(payee.proxyNo)}</b>
      <small>${payee.names.map(showText).join(' · ')}</small></span
    >${
      payee.paid === 0
        ? html`<span class="r"><small>${say('payees.list-never')}</small></span>`
        : html`<span class="r n"
            ><b>${showBaht(payee.paidSatang)}</b
            ><small
              >${say(message('search.times-paid', { count: showCount(payee.paid) }))}${
                payee.lastPaidMs !== null && [', ', sayMoment(language, payee.lastPaidMs)]
              }</small
            ></span
          >`
    }
  </li>`;

/** @param more leads to all of them */
const part = (heading: string, lines: readonly Html[], more: Part): Part =>
  lines.length > 0 &&
  html`<section>
    <h2>${heading}</h2>
    <ul class="q">
      ${lines}
    </ul>
    ${more}
  </section>`;

const sayCounted = (count: number): string =>
  count > countedMax ? `${showCount(countedMax)}+` : showCount(count);

/** The help below a search that found nothing, and before the first. */
const wordsHelp = ({ say }: ProvedVisit): Html =>
  html`<section class="card">
    <h2>${say('search.words')}</h2>
    <p>${say('search.words-plain')}</p>
    <p><code>file:salary hold:approval cause:EM012 alarm owner:me &gt;100000 &lt;500 waiting</code></p>
    <p>${say('search.words-narrow')}</p>
  </section>`;

interface SearchForm {
  readonly typed: string;
  /** The kind of which all answers are wanted. */
  readonly all: 'payouts' | 'files' | undefined;
  readonly beforeSeq: number;
}

function readForm(fields: Fields): SearchForm {
  const before = Number(fields['before']);
  return {
    typed: readSearch(fields),
    all: (['payouts', 'files'] as const).find((kind) => kind === fields['all']),
    beforeSeq: Number.isSafeInteger(before) && before > 0 ? before : newest,
  };
}

async function readAsked(store: SearchReader, visit: ProvedVisit, typed: string): Promise<Asked> {
  const search = readSearchWords(typed);
  const { text } = search;
  const searched = { place: 'search', text } as const;
  const reach = asksWholeNumber(text)
    ? await recordSearch(store, { now: () => visit.nowMs }, visit.proved, searched)
    : undefined;
  const day = text.includes('-') ? readDay(text) : undefined;
  return { search, reach, day: day?.ok === true ? day : undefined };
}

/** The answers other than payouts; none for a search that only payouts can answer. */
async function findOthers(
  store: SearchReader,
  visit: ProvedVisit,
  asked: Asked,
  batches: readonly Batch[],
): Promise<{
  readonly files: readonly Html[];
  readonly payees: Found<PayeeSeen>;
  readonly days: readonly Html[];
}> {
  const { search, day } = asked;
  const { text, file } = search;
  const found = findBatches(batches, asked).map((batch) => batchLine(visit, batch));
  const refused = (await store.refusedFiles(batchesMax))
    .filter(({ fileName }) => isLike(fileName, file ?? text))
    .map((one) => refusedLine(visit, one));
  const isPayee = file === undefined && day === undefined;
  const payees = isPayee ? await findPayees(store, asked) : { answers: [], count: 0 };
  const known = day && (await store.statementDays()).find(({ date }) => date === day.date);
  const dayLine =
    day &&
    line(
      html`<span class="sg no"></span>`,
      `/reconciliation/${day.date}`,
      sayDate(visit.language, day.date),
      visit.say('page.reconciliation'),
      known !== undefined &&
        known.openBreaks > 0 &&
        html`<small class="bad">${visit.say(counted(known.openBreaks, 'open-break'))}</small>`,
    );
  return { files: [...found, ...refused], payees, days: dayLine ? [dayLine] : [] };
}

async function answerAll(
  store: SearchReader,
  visit: ProvedVisit,
  { typed, beforeSeq }: SearchForm,
  { asked, filter }: { readonly asked: Asked; readonly filter: PayoutFilter },
): Promise<Page> {
  const { say } = visit;
  const { answers, count = 0 } = await findPayouts(store, filter, beforeSeq, shownOfAll);
  const last = answers.at(-1)?.row.seq;
  const button = (label: string, more: Readonly<Record<string, string>>) =>
    postButton(visit, '/search', label, { search: typed, ...more }, '');
  return {
    title: say('page.search'),
    body: html`<div class="head">
        <h1>${say('search.payouts')}</h1>
        <small class="n">${sayCounted(count)}</small>
      </div>
      ${reachNote(visit, asked.reach)}
      ${part(
        say('search.payouts'),
        answers.map((one) => payoutLine(visit, one)),
        undefined,
      )}
      <div class="pages">
        ${button(say('search.back'), {})}
        ${
          answers.length === shownOfAll &&
          last !== undefined &&
          button(say('queue.older'), { all: 'payouts', before: String(last) })
        }
      </div>`,
  };
}

async function answerSearch(store: SearchReader, visit: ProvedVisit, fields: Fields): Promise<Page> {
  const { say } = visit;
  const form = readForm(fields);
  const title = say('page.search');
  if (form.typed === '')
    return {
      title,
      body: html`<h1>${title}</h1>
        ${wordsHelp(visit)}`,
    };
  const asked = await readAsked(store, visit, form.typed);
  const batches = await store.batches();
  const filter = await readFilter(store, visit, asked, batches);
  if (form.all === 'payouts') return answerAll(store, visit, form, { asked, filter });
  const isNarrow = isOfPayouts(asked.search);
  const [payouts, others] = await Promise.all([
    findPayouts(store, filter, newest, shownFirst),
    isNarrow ? undefined : findOthers(store, visit, asked, batches),
  ]);
  const { files = [], payees = { answers: [], count: 0 }, days = [] } = others ?? {};
  const count = payouts.count ?? 0;
  const mayDecide = count > 0 && can(visit.person, 'propose').allowed;
  const all = (path: string, label: string, more: Readonly<Record<string, string>>, look = 'quiet') =>
    html`<p class="fold">${postButton(visit, path, label, { search: form.typed, ...more }, look)}</p>`;
  const filesShown = form.all === 'files' ? batchesMax : shownFirst;
  const isNothing = [files, payouts.answers, payees.answers, days].every(({ length }) => length === 0);
  return {
    title,
    body: html`<h1>${title}: ${form.typed}</h1>
      ${reachNote(visit, asked.reach)}
      ${isNothing && html`${emptyNote(say('queue.no-match'))} ${wordsHelp(visit)}`}
      ${part(say('search.files'), files.slice(0, filesShown), files.length > filesShown && all('/search', `${say('search.all')} ${showCount(files.length)}`, { all: 'files' }))}
      ${part(
        say('search.payouts'),
        payouts.answers.map((one) => payoutLine(visit, one)),
        [
          count > shownFirst &&
            all('/search', `${say('search.all')} ${sayCounted(count)}`, { all: 'payouts' }),
          mayDecide && all('/decide', say('search.decide'), {}, ''),
        ],
      )}
      ${part(
        say('page.payees'),
        payees.answers.map((one) => payeeLine(visit, one)),
        payees.count === undefined && all('/payees', say('search.all'), {}),
      )}
      ${part(say('page.days'), days, undefined)}`,
  };
}

/** The payouts that a typed search finds; one for a whole number is recorded. */
export const readSearchFilter = async (
  store: SearchReader,
  visit: ProvedVisit,
  typed: string,
): Promise<PayoutFilter> =>
  readFilter(store, visit, await readAsked(store, visit, typed), await store.batches());

/** Searches are posted: no payee's number is in an address or a log. */
export const makeSearchViews = (store: SearchReader): readonly View[] =>
  searchAt('/search', 'see', (visit, fields) => answerSearch(store, visit, fields));
