/** Pieces that several views share. */
import { showCount } from '../../core/figures.ts';
import {
  inEnglish,
  isPlainCode,
  type Message,
  message,
  type PlainCode,
  sayCode,
  sayOnPage,
} from '../../core/message.ts';
import { findCause } from '../../core/messages/causes.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { sayAge, sayMoment } from '../../core/moments.ts';
import { maskForeignNumbers, showText } from '../../core/outgoing-text.ts';
import type { Issue } from '../../core/payout-file.ts';
import type { Batch, ResultRow } from '../../core/ports.ts';
import { showLastDigits } from '../../core/proxy-id.ts';
import type { MoneyMoved, SearchReach } from '../../payout/rules/search.ts';
import type { RegistrationRow } from '../../registration/ports.ts';
import { describeRegistrationReason } from '../../registration/rules/report-rows.ts';
import { describeAlarmRemedy, describeRemedy } from '../../reports/rules/remedies.ts';
import { describeIssue, describeReason } from '../../reports/rules/report-rows.ts';
import { approvalCode } from '../rules/approval.ts';
import { can } from '../rules/people.ts';
import { html, type Html, type Part } from './html.ts';
import { type Fields, type ProvedVisit, type Visit, sayWhy } from './view.ts';

/**
 * A text of the rules, the bank or the journal, in the visitor's language; the bank's own words stand behind paydrop's
 * words for their code.
 */
export function whyOf(
  { language }: Pick<Visit, 'language'>,
  why: Message | null | undefined,
  code: string | null = null,
): Part {
  if (why === null || why === undefined) return undefined;
  const said = sayWhy(language, why);
  const text = showText(said.text);
  if (said.language === language) return html`<span>${text}</span>`;
  const words = html`<span lang="${said.language}">${text}</span>`;
  const known = findCause(code ?? '');
  return known === undefined ? words : html`<span>${sayCode(language, known)}</span> <small>${words}</small>`;
}

/** The reason why a row waits. */
export function reasonOf(visit: Pick<Visit, 'language'>, row: ResultRow): Part {
  const [code, why] = describeReason(row);
  return whyOf(visit, why, code);
}

/** The name of an event's fact; one without words is displayed by its name in the journal. */
function sayFact({ say }: Pick<Visit, 'say'>, name: string): string {
  const code = `fact.${name}`;
  return isPlainCode(code) ? say(code) : name;
}

/** The facts whose values have words: holds, and what the bank found. */
const wordsOfFacts: Readonly<Record<string, string>> = {
  hold: 'hold-is',
  lifted: 'hold-is',
  finding: 'inquiry-says',
};

/** The value of a fact in words; undefined for one that is displayed as it is. */
function sayFactValue({ say }: Pick<Visit, 'say'>, name: string, value: unknown): string | undefined {
  const codes = [value].flat().map((one) => `${wordsOfFacts[name]}.${String(one)}`);
  return codes.every((code) => isPlainCode(code)) ? codes.map((code) => say(code)).join(', ') : undefined;
}

/** The reason why a registration waits. */
export function whyOfRegistration(visit: Pick<Visit, 'language'>, row: RegistrationRow): Part {
  const [code, why] = describeRegistrationReason(row);
  return whyOf(visit, why, code);
}

/** The link for people who may upload a file. */
export const uploadLink = (visit: ProvedVisit): Part =>
  can(visit.person, 'propose').allowed &&
  html`<p class="go"><a class="button" href="/upload">${visit.say('batch.upload-file')}</a></p>`;

/** The remedy of a row. */
export const remedyOf = ({ say }: Pick<Visit, 'say'>, row: ResultRow): string =>
  showText(say(row.isAlarm ? describeAlarmRemedy(row) : describeRemedy(row)));

/** A sign with each word, so that colour alone never carries the meaning. */
const moneySigns: Readonly<Record<MoneyMoved, string>> = { no: '×', unknown: '?', yes: '✓' };

export const moneyTag = ({ language }: Pick<Visit, 'language'>, moved: MoneyMoved): Html =>
  html`<span class="tag ${moved}"
    ><span aria-hidden="true">${moneySigns[moved]}</span> ${sayCode(language, `money-moved.${moved}`)}</span
  >`;

export const alarmTag = ({ say }: Pick<Visit, 'say'>): Html =>
  html`<span class="tag alarm"><span aria-hidden="true">!</span> ${say('payout.alarm')}</span>`;

/** A text as the first of its line. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The full stop of an English sentence; a Thai one has none. */
export const fullStop = ({ language }: Pick<Visit, 'language'>): Part => language === 'en' && '.';

/** The status of a batch; of one that waits for approval, that it does. */
export const sayBatchStatus = (
  { language }: Pick<Visit, 'language'>,
  { status, reasonCode }: Batch,
): string =>
  sayCode(
    language,
    status === 'paused' && reasonCode === approvalCode
      ? 'batch.waits-for-approval'
      : `batch-status.${status}`,
  );

/** A moment: for people in their own calendar, for programs in the common one. */
export const momentOf = ({ language }: Pick<Visit, 'language'>, epochMs: number): Html =>
  html`<time datetime="${formatBangkokDateTime(epochMs)}">${sayMoment(language, epochMs)}</time>`;

/** A table; a column without a name has an empty head. @param numbers heads of columns with numbers */
export const dataTable = (
  { say }: Pick<Visit, 'say'>,
  heads: readonly (PlainCode | '')[],
  rows: Part,
  numbers: readonly string[] = [],
): Html =>
  html`<table>
    <thead>
      <tr>
        ${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col" ${numbers.includes(head) && html`class="number"`}>${say(head)}</th>`))}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;

/** An age; its title is the moment at which it began. */
export const ageOf = ({ language, nowMs }: Pick<Visit, 'language' | 'nowMs'>, sinceMs: number): Html =>
  html`<time datetime="${formatBangkokDateTime(sinceMs)}" title="${sayMoment(language, sinceMs)}"
    >${sayAge(language, nowMs - sinceMs)}</time
  >`;

/** A list of names and facts; a name without a fact is left out. */
export const factList = (facts: readonly (readonly [name: string, fact: Part])[]): Html =>
  html`<dl class="facts">
    ${facts
      .filter(([, fact]) => fact !== undefined && fact !== false && fact !== '')
      .map(
        ([name, fact]) =>
          html`<dt>${name}</dt>
            <dd>${fact}</dd>`,
      )}
  </dl>`;

/** The limit of a search text, in characters. */
const searchLengthMax = 100;

/** The search text, cut at the limit; a number that was copied from a page, as masked. */
export const readSearch = (fields: Fields): string =>
  (fields['search'] ?? '').trim().slice(0, searchLengthMax).replaceAll('•', '*');

/** The reach of a search for a whole number; nothing for other searches. */
export const reachNote = ({ say }: Pick<Visit, 'say'>, reach: SearchReach | undefined): Part =>
  reach !== undefined &&
  html`<p role="status">${say(reach === 'whole' ? 'queue.searched-whole' : 'queue.searched-end')}</p>`;

/** @param hint the searchable things, in words */
export const searchField = ({ say }: Pick<Visit, 'say'>, hint: string, search: string): Html =>
  html`<div class="wide">
    <label for="search">${say('page.search')} <small>${hint}</small></label>
    <input
      id="search"
      name="search"
      type="search"
      value="${search}"
      maxlength="${searchLengthMax}"
      autocomplete="off"
    />
  </div>`;

/** A text to show; nothing for one that is missing or blank. */
export const ifAny = (text: string | null | undefined): Part =>
  text === null || text === undefined || text.trim() === '' ? undefined : showText(text);

// ---------------------------------------------------------------- one payout or registration

/** The further columns of a file in one row; undefined where all of them are empty. */
export const carriedCells = (names: readonly string[], cells: readonly string[]): Part =>
  cells.some((cell) => cell !== '') &&
  names.map((name, place) => html`<small>${showText(name)}</small> ${showText(cells[place] ?? '')}<br />`);

/** The section with the decisions on one row. */
export const decisionCard = (
  { say }: ProvedVisit,
  { openProposal }: { readonly openProposal: number | undefined },
  box: Part,
): Html =>
  html`<section class="card decision" aria-labelledby="decisions">
    <h2 id="decisions">${say('proposal.your-decision')}</h2>
    ${
      openProposal !== undefined &&
      html`<p>
        <a href="/proposal/${openProposal}"
          >${say('payout.waits-for-check')}: ${say('payout.proposal-word')} ${openProposal}</a
        >
      </p>`
    }
    ${box}
  </section>`;

/** One event of a time line; `atMs` is 0 for an unknown moment. */
export interface TimeLineEntry {
  readonly atMs: number;
  readonly who: Part;
  readonly what: Part;
  readonly evidence: Part;
  /** For an event that repeats: what makes two of them equal, and the text for several; undefined for all others. */
  readonly repeated:
    { readonly key: string; readonly say: (times: number, sinceMs: number) => Part } | undefined;
}

export type ChipFacts = readonly (readonly [name: string, fact: Part])[];

/** Small facts in a row. */
export const chips = (facts: ChipFacts): Part =>
  facts.length > 0 &&
  html`<ul class="chips">
    ${facts.map(([name, fact]) => html`<li><small>${name}</small> ${fact}</li>`)}
  </ul>`;

/** Numbers of requests, hashes and times, which auditors alone need. */
const auditedFacts: ReadonlySet<string> = new Set([
  'severity',
  'httpStatus',
  'elapsedMs',
  'requestUid',
  'xRequestId',
  'transRefNo',
  'sysRefNo',
  'ddrOapiSeqId',
  'orderHash',
  'asksFor',
  'transFee',
  'version',
  'line',
  'source',
]);

/** Facts of an event that stand folded. */
export const foldedChips = ({ say }: ProvedVisit, facts: ChipFacts): Part =>
  facts.length > 0 &&
  html`<details class="small">
    <summary>${say('upload.for-auditors')}</summary>
    ${chips(facts)}
  </details>`;

/** The person who decided an event, and the one who approved it; undefined for an event that no person decided. */
export function deciderIn({ say }: ProvedVisit, { by, checkedBy }: Readonly<Record<string, unknown>>): Part {
  if (typeof by !== 'string') return undefined;
  return typeof checkedBy === 'string' ? html`${by}, ${say('payout.checked-by')} ${checkedBy}` : by;
}

/** The proposal of an event, and its further facts. @param hidden facts that the entry shows in another place */
export function eventFacts(
  visit: ProvedVisit,
  detail: Readonly<Record<string, unknown>>,
  hidden: ReadonlySet<string>,
  show: (name: string, value: unknown) => string,
  ofAttempt: ChipFacts,
): Part {
  const { proposal } = detail;
  const shown = Object.entries(detail).filter(
    ([name, value]) => !hidden.has(name) && value !== null && value !== undefined && value !== '',
  );
  const [folded = [], facts = []] = [true, false].map((isFolded) =>
    shown
      .filter(([name]) => auditedFacts.has(name) === isFolded)
      .map(
        ([name, value]) =>
          [sayFact(visit, name), sayFactValue(visit, name, value) ?? show(name, value)] as const,
      ),
  );
  return [
    typeof proposal === 'number' &&
      html`<p><a href="/proposal/${proposal}">${visit.say('payout.proposal-word')} ${proposal}</a></p>`,
    chips(facts),
    foldedChips(visit, [...ofAttempt, ...folded]),
  ];
}

/**
 * A code with its meaning.
 * @param said the bank's own words
 * @param remedy of the code; its English stands for words that the bank has not sent
 */
export function codeLine(
  { language }: Pick<Visit, 'language'>,
  code: string,
  said: string | undefined,
  remedy: Message | undefined,
): Html {
  const words = said ?? (remedy && inEnglish(remedy));
  return html`<p class="code">
    <code>${code}</code> ${words !== undefined && html`<span lang="en">${maskForeignNumbers(words)}</span>`}
    ${language === 'th' && remedy !== undefined && html`<small>${sayOnPage('th', remedy)}</small>`}
  </p>`;
}

/** A row as its file has it. */
interface RowRead {
  readonly row: {
    readonly line: number;
    readonly issues: readonly Issue[];
    readonly cells: Readonly<Record<string, string>>;
  };
  readonly batch: { readonly fileName: string; readonly startedAtMs: number };
}

/** The first entry of a time line: the values in the file. @param isMasked true for columns with numbers of people */
export function readEntry(
  visit: ProvedVisit,
  { row, batch }: RowRead,
  isMasked: (column: string) => boolean,
): TimeLineEntry {
  const { say } = visit;
  const cells = Object.entries(row.cells)
    .filter(([, cell]) => cell !== '')
    .map(([name, cell]) => [name, isMasked(name) ? showLastDigits(cell) : showText(cell)] as const);
  return {
    atMs: batch.startedAtMs,
    who: say('payout.program'),
    what: html`<b>${say('payout.row-read')}</b>
      <small>${showText(batch.fileName)}, ${say('payout.line')} ${row.line}</small>`,
    repeated: undefined,
    evidence: [
      row.issues.map((issue) => html`<p>${whyOf(visit, describeIssue(issue))}</p>`),
      html`<details>
        <summary>${say('payout.as-in-file')}</summary>
        ${chips(cells)}
      </details>`,
    ],
  };
}

const timeLineHeads = ['payout.time', 'payout.who', 'payout.what', 'payout.evidence'] as const;

/** The number of entries that stand open. */
const entriesShown = 12;

/** Joins equal events that follow one another. @param entries the newest first */
function foldEntries(entries: readonly TimeLineEntry[]): readonly TimeLineEntry[] {
  const folded: { readonly entry: TimeLineEntry; times: number; sinceMs: number }[] = [];
  for (const entry of entries) {
    const last = folded.at(-1);
    const isEqual = entry.repeated !== undefined && last?.entry.repeated?.key === entry.repeated.key;
    if (isEqual && last !== undefined) Object.assign(last, { times: last.times + 1, sinceMs: entry.atMs });
    else folded.push({ entry, times: 1, sinceMs: entry.atMs });
  }
  return folded.map(({ entry, times, sinceMs }) =>
    times === 1 || entry.repeated === undefined
      ? entry
      : { ...entry, what: entry.repeated.say(times, sinceMs) },
  );
}

/** Said in the place of a list without entries. */
export const emptyNote = (text: string): Html =>
  html`<div class="empty">
    <p><b>${text}</b></p>
  </div>`;

function entriesTable(visit: ProvedVisit, entries: readonly TimeLineEntry[]): Html {
  const { say } = visit;
  return html`<table class="rows story">
    <thead>
      <tr>
        ${timeLineHeads.map((head) => html`<th scope="col">${say(head)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${entries.map(
        ({ atMs, who, what, evidence }) =>
          html`<tr>
            <td class="mono">${atMs > 0 && momentOf(visit, atMs)}</td>
            <td>${who}</td>
            <td class="w">${what}</td>
            <td class="w why">${evidence}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A time line, the newest entry first; the older ones are folded. @param entries in the order in which they happened */
export function timeLineTable(visit: ProvedVisit, entries: readonly TimeLineEntry[]): Part {
  const folded = foldEntries(entries.toReversed());
  const older = folded.slice(entriesShown);
  return [
    entriesTable(visit, folded.slice(0, entriesShown)),
    older.length > 0 &&
      html`<details>
        <summary>${visit.say(message('payout.all-entries', { count: showCount(folded.length) }))}</summary>
        ${entriesTable(visit, older)}
      </details>`,
  ];
}
