/** One payout: its facts, the decisions that are possible now, and its whole history. */
import { formatBangkokTime } from '../../core/bangkok-time.ts';
import { bahtOf, type Message, message, sayCode } from '../../core/message.ts';
import { zeroSatang } from '../../core/money.ts';
import { thaiNamesAgree } from '../../core/payee-name.ts';
import { maskForeignNumbers, showText } from '../../core/outgoing-text.ts';
import { showLastDigits } from '../../core/proxy-id.ts';
import type { HistoryReader, PayoutEvent, PayoutHistory } from '../../payout/ports.ts';
import { factsOf } from '../../reconcile/rules/types.ts';
import { describeReason, moneyMovedOf } from '../../reports/rules/report-rows.ts';
import type { ReviewContext } from '../context.ts';
import { readOptions } from '../payout-target.ts';
import type { PersonStore } from '../ports.ts';
import { recordReveal } from '../reveal.ts';
import { decideOffers, type Offer, type Possible } from '../rules/offers.ts';
import { can } from '../rules/people.ts';
import { describeCounted } from '../rules/proposal-figures.ts';
import type { Target } from '../rules/proposal.ts';
import { type Decision, describeAct, type PayoutDecision } from '../rules/terms.ts';
import { type AskBank, askPart, makeAskView } from './ask-bank.ts';
import {
  aboveForm,
  decideBox,
  type DecisionBox,
  decisionBox,
  makeDecideFileView,
  noTrouble,
  type Trouble,
} from './decide-form.ts';
import { html, type Html, type Part } from './html.ts';
import { plainPage, postButton } from './layout.ts';
import {
  alarmTag,
  carriedCells,
  type ChipFacts,
  chips,
  codeLine,
  deciderIn,
  decisionCard,
  eventFacts,
  factList,
  foldedChips,
  ifAny,
  momentOf,
  moneyTag,
  readEntry,
  reasonOf,
  remedyOf,
  type TimeLineEntry,
  timeLineTable,
} from './parts.ts';
import {
  type Answer,
  type Fields,
  type Page,
  type PageViews,
  type ProvedVisit,
  type SentFile,
  type View,
  viewAt,
} from './view.ts';
import type { Attempt, PayoutCause } from '../../core/payout.ts';
import { readAttemptNumber } from '../../core/reference.ts';
import { showAmount, showBaht, showCount } from '../../core/figures.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import type { StatementLine } from '../../reconcile/rules/statement.ts';

/** Reads the present context of decisions: the settings in force may have been agreed on meanwhile. */
export type ReadReview = () => Promise<ReviewContext>;

interface PayoutPageContext {
  readonly store: HistoryReader & Pick<PersonStore, 'persons' | 'editPersons'>;
  readonly readReview: ReadReview;
  readonly evidenceFolder: string | undefined;
  /** Undefined in a process that has no bank. */
  readonly askBank: AskBank | undefined;
}

// ---------------------------------------------------------------- reading

interface ShownPayout extends ShownRow {
  readonly history: PayoutHistory;
  readonly offers: readonly Offer<PayoutDecision>[];
  readonly lines: readonly ToldLine[];
}

/** The decisions about a row, as this visitor may make them. */
export async function readOffers<Name extends Decision>(
  readReview: ReadReview,
  { person }: ProvedVisit,
  kind: 'payout' | 'registration',
  { seq, version }: { readonly seq: number; readonly version: number },
  read: (review: ReviewContext, seq: number) => Promise<readonly Possible<Name>[] | undefined>,
): Promise<ShownRow & { readonly offers: readonly Offer<Name>[] }> {
  const review = await readReview();
  const options = (await read(review, seq)) ?? [];
  const [open] = await review.journal.openItems(kind, [String(seq)]);
  const openProposal = open?.proposalId;
  const offers = decideOffers(options, { person, people: review.people, openProposal });
  return { version, review, offers, openProposal };
}

async function readShown(
  { store, readReview }: PayoutPageContext,
  visit: ProvedVisit,
  seq: number,
): Promise<ShownPayout | undefined> {
  const history = await store.history(seq);
  if (history === undefined) return undefined;
  const shown = await readOffers(readReview, visit, 'payout', history.row, readOptions);
  return { history, ...shown, lines: await readLines(shown.review, history) };
}

async function readLines(
  { journal }: ReviewContext,
  { row, attempts }: PayoutHistory,
): Promise<readonly ToldLine[]> {
  const payout = await journal.payout(row.seq);
  if (payout === undefined || attempts.length === 0) return [];
  await using view = await journal.openStatementView();
  const { acceptedAtMs } = view.days();
  const facts = attempts.map((attempt) => factsOf(payout, attempt));
  const references = facts.map(({ order }) => order.transRefNo);
  const kept = await view.linesOf(references, facts);
  return references
    .flatMap((reference) => kept.get(reference) ?? [])
    .flatMap(({ date, lines }) =>
      lines.map((line) => ({ date, acceptedAtMs: acceptedAtMs.get(date), line })),
    );
}

// ---------------------------------------------------------------- the time line, event by event

/** A line of a statement about one of its transfers. */
interface ToldLine {
  readonly date: string;
  /** The moment at which this version of the statement was accepted; undefined where it is unknown. */
  readonly acceptedAtMs: number | undefined;
  readonly line: StatementLine;
}

type Detail = Readonly<Record<string, unknown>>;

/** Causes that prove an answer of the bank, or a line of its statement. */
const bankCauses: readonly PayoutCause[] = [
  'payee-check-refused',
  'outcome-in-doubt',
  'inquired',
  'proved',
  'refused-for-payout',
  'inquiry-failed',
  'refused-for-line',
  'late-proof',
  'second-proof',
];
const statementCauses: readonly PayoutCause[] = [
  'statement-failed',
  'statement-read',
  'statement-contradicts',
];

function whoOf(visit: ProvedVisit, { cause, detail }: PayoutEvent): Part {
  const { say } = visit;
  if (detail['by'] === 'people') return say('payout.unproved');
  if (detail['statement'] !== undefined || statementCauses.includes(cause))
    return deciderIn(visit, detail) ?? say('payout.statement-side');
  return deciderIn(visit, detail) ?? say(bankCauses.includes(cause) ? 'payout.bank-side' : 'payout.program');
}

/** References of paydrop and the bank, which look like account numbers and are none. */
const isReference = (name: string): boolean => /(?:RefNo|Refs|Uid|Hash|xRequestId|open|batchId)$/.test(name);

function showFact(name: string, value: unknown): string {
  if (Array.isArray(value))
    return value.map((one) => showFact(name, one)).join(['proxyNo', 'amount'].includes(name) ? ' → ' : ', ');
  if (name === 'statement') return showDate(String(value));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([part, one]) => `${part} ${showFact(part, one)}`)
      .join(', ');
  return isReference(name) ? String(value) : showText(String(value));
}

/** Facts that the entry shows in another place, or that are useless to people. */
const hiddenDetails = new Set([
  'by',
  'checkedBy',
  'proposal',
  'salt',
  'code',
  'statusCode',
  'statusDesc',
  'alarm',
  'moved',
  'acknowledged',
  'contested',
]);

/** The code of the bank or of paydrop, with its meaning. */
function codeOf(visit: ProvedVisit, { code, statusCode, statusDesc }: Detail): Part {
  const named = code ?? statusCode;
  if (typeof named !== 'string' || named === '') return undefined;
  const said = typeof statusDesc === 'string' ? statusDesc : undefined;
  return codeLine(visit, named, said, findBankStatus(named)?.remedy);
}

function attemptFacts({ say, language }: ProvedVisit, attempt: Attempt): ChipFacts {
  const { order, status, sends, inquiries, lastFinding, sysRefNo, feeText } = attempt;
  const state = sayCode(language, `attempt-status.${status}`);
  return [
    [say('payout.attempt'), String(readAttemptNumber(order.transRefNo))],
    [say('payout.attempt-state'), lastFinding === null ? state : `${state} (${lastFinding})`],
    [say('payout.amount'), showAmount(order.amountText)],
    [say('payout.times-sent'), `${sends}×`],
    [say('payout.times-asked'), `${inquiries}×`],
    ...(sysRefNo === null ? [] : [[say('payout.bank-reference'), sysRefNo] as const]),
    ...(feeText === null ? [] : [[say('payout.fee'), showText(feeText)] as const]),
  ];
}

/** An inquiry without news, of which equal ones become one entry. */
function repeatedOf(
  { say }: ProvedVisit,
  { cause, from, to, atMs, detail }: PayoutEvent,
  attempts: readonly Attempt[],
): TimeLineEntry['repeated'] {
  if (cause !== 'inquired' || from !== to || detail['alarm'] === true) return undefined;
  const said = ['code', 'statusCode', 'finding', 'why'].map((name) => detail[name] ?? '');
  const finding = attempts.find(({ lastInquiryAtMs }) => lastInquiryAtMs === atMs)?.lastFinding;
  return {
    key: JSON.stringify([from, ...said]),
    say(times, sinceMs) {
      const asked = {
        count: showCount(times),
        from: formatBangkokTime(sinceMs),
        to: formatBangkokTime(atMs),
      };
      const answer = finding && message(`inquiry-says.${finding}`);
      return html`<b
        >${say(answer ? message('payout.asked-times', { ...asked, answer }) : message('payout.asked-alike', asked))}</b
      >`;
    },
  };
}

function eventEntry(visit: ProvedVisit, event: PayoutEvent, attempts: readonly Attempt[]): TimeLineEntry {
  const { language } = visit;
  const { cause, detail, from, to, atMs, attemptNo } = event;
  const attempt =
    cause === 'intent-recorded' ? attempts.find((one) => one.attemptNo === attemptNo) : undefined;
  return {
    atMs,
    repeated: repeatedOf(visit, event, attempts),
    who: whoOf(visit, event),
    what: html`<b>${sayCode(language, `payout-cause.${cause}`)}</b>
      ${from !== to && html`<small>${sayCode(language, `payout-status.${from}`)} → ${sayCode(language, `payout-status.${to}`)}</small>`}`,
    evidence: [
      codeOf(visit, detail),
      eventFacts(visit, detail, hiddenDetails, showFact, attempt ? attemptFacts(visit, attempt) : []),
    ],
  };
}

function lineEntry(visit: ProvedVisit, { date, acceptedAtMs, line }: ToldLine): TimeLineEntry {
  const { say } = visit;
  const why = maskForeignNumbers([line.reasonCode, line.reasonDesc].join(' ').trim());
  const facts = [
    [say('fact.statement'), showDate(date)],
    [say('fact.statusText'), maskForeignNumbers(line.statusText)],
    [say('payout.amount'), showBaht(line.amountSatang)],
    ...(why === '' ? [] : [[say('payout.why'), why] as const]),
  ] as const;
  const audited = [
    [say('payout.line'), String(line.line)],
    [say('payout.transfer'), line.transRefNo],
    [say('payout.bank-reference'), line.sysRefNo],
    [say('payout.fee'), showBaht(line.feeSatang)],
  ] as const;
  return {
    atMs: acceptedAtMs ?? 0,
    repeated: undefined,
    who: say('payout.statement-side'),
    what: html`<b>${say('payout.statement-line')}</b>`,
    evidence: [chips(facts), foldedChips(visit, audited)],
  };
}

function timeLine(visit: ProvedVisit, history: PayoutHistory, lines: readonly ToldLine[]): Part {
  // Events keep the order in which they happened, whatever the clock said.
  const entries = [
    readEntry(visit, history, (name) => name === 'proxyNo'),
    ...history.events.map((event) => eventEntry(visit, event, history.attempts)),
  ];
  for (const entry of lines.map((line) => lineEntry(visit, line))) {
    const later = entries.findIndex(({ atMs }) => atMs > entry.atMs);
    entries.splice(later === -1 ? entries.length : later, 0, entry);
  }
  return timeLineTable(visit, entries);
}

// ---------------------------------------------------------------- display

function payeeNumber(visit: ProvedVisit, { row }: PayoutHistory, isRevealed: boolean): Part {
  const { say, person } = visit;
  const number = row.instruction?.proxyNo ?? row.cells.proxyNo;
  if (isRevealed)
    return html`<span class="mono">${number}</span> <small role="status">${say('payout.revealed')}</small>`;
  return html`<span class="mono">${showLastDigits(number)}</span> ${
      can(person, 'reveal').allowed && postButton(visit, `/payout/${row.seq}/reveal`, say('payout.reveal'))
    }`;
}

/** Amount, payee, number, status and money. */
function head(visit: ProvedVisit, history: PayoutHistory, isRevealed: boolean): Html {
  const { say, language } = visit;
  const { row } = history;
  const { payeeName } = row.instruction ?? row.cells;
  const amount = row.amountSatang === null ? showText(row.cells.amount) : say(bahtOf(row.amountSatang));
  const bankNames = [row.bankPayeeName, row.bankPayeeNameTh].filter(Boolean).join(' · ');
  const isOther = row.holds.includes('name') || !thaiNamesAgree(payeeName ?? null, row.bankPayeeNameTh);
  return html`<p class="amount">${amount}</p>
    <p class="state">
      <b>${sayCode(language, `payout-status.${row.status}`)}</b> ${moneyTag(visit, moneyMovedOf(row))}
      ${row.isAlarm && alarmTag(visit)}
    </p>
    ${factList([
      [say('payout.our-name'), html`<b>${ifAny(payeeName) ?? say('payout.not-said')}</b>`],
      [
        say('payout.bank-name'),
        html`<span class="${isOther ? 'tag unknown' : ''}"
            >${ifAny(bankNames) ?? say('payout.not-said')}</span
          >
          ${isOther && html`<small class="tag unknown">? ${say('payout.names-differ')}</small>`}`,
      ],
      [say('payout.payee-number'), payeeNumber(visit, history, isRevealed)],
    ])}`;
}

/** The reason, the remedy and the batch; all else is folded. */
function summary(visit: ProvedVisit, { row, batch, attempts }: PayoutHistory): Html {
  const { say } = visit;
  const { reference1, reference2 } = row.instruction ?? row.cells;
  const [code, why] = describeReason(row);
  return html`${factList([
      [
        say('payout.why'),
        (why !== null || code !== '') && html`${reasonOf(visit, row)} <small>${code}</small>`,
      ],
      [say('payout.remedy'), remedyOf(visit, row)],
      [
        say('payout.batch'),
        html`<a href="/batch/${batch.batchId}">${showText(batch.fileName)}</a>, ${say('payout.row')}
          ${row.rowNo} <small>${batch.batchId}</small>`,
      ],
    ])}
    <details>
      <summary>${say('payout.more-facts')}</summary>
      ${factList([
        [say('payout.references'), ifAny([reference1, reference2].filter(Boolean).join(', '))],
        [say('payout.transfer'), attempts.at(-1)?.order.transRefNo],
        [say('payout.bank-reference'), ifAny(row.sysRefNo)],
        [say('payout.fee'), ifAny(row.feeText)],
        [say('payout.sent'), row.submittedAtMs !== null && momentOf(visit, row.submittedAtMs)],
        [say('payout.settled'), row.settledAtMs !== null && momentOf(visit, row.settledAtMs)],
        [say('payout.carried'), carriedCells(batch.extraColumns, row.extras)],
      ])}
    </details>`;
}

// ---------------------------------------------------------------- the page

/** Returns "12,500.00 baht → ••5678". */
function describeOne({ say }: ProvedVisit, { row }: PayoutHistory): string {
  const payee = showLastDigits(row.instruction?.proxyNo ?? row.cells.proxyNo);
  return `${say(bahtOf(row.amountSatang ?? zeroSatang))} → ${payee}`;
}

/**
 * The form with the decisions on one row.
 * @param target the row, in the version that was displayed
 * @param what the row in words, and its name
 * @param countOf what a decision is about, for its button
 */
export function boxOfRow<Name extends Decision>(
  evidenceFolder: string | undefined,
  offers: readonly Offer<Name>[],
  target: Target & { readonly kind: 'payout' | 'registration' },
  { what, name }: { readonly what: string; readonly name: Part },
  countOf: (decision: Name) => Message,
): DecisionBox {
  const page = `/${target.kind}/${target.key}`;
  return {
    path: `${page}/decide`,
    page,
    choices: offers.map(({ decision, whyNot }) => ({
      decision,
      whyNot,
      targets: [target],
      what,
      act: describeAct(decision, countOf(decision)),
      aside: undefined,
    })),
    hidden: { version: target.version },
    evidenceFolder,
    keptFile: undefined,
    leaveOutPath: undefined,
    nameTarget: () => html`<a href="${page}">${name}</a>`,
  };
}

function boxOfOne(
  { evidenceFolder }: PayoutPageContext,
  visit: ProvedVisit,
  { history, offers }: ShownPayout,
  version: string,
): DecisionBox {
  const { seq, cells, amountSatang } = history.row;
  const target = { kind: 'payout', key: String(seq), version } as const;
  const named = { what: describeOne(visit, history), name: cells.payoutId.trim() };
  return boxOfRow(evidenceFolder, offers, target, named, (decision) =>
    // A corrected amount is not known before it is typed.
    describeCounted({
      of: 'payouts',
      rows: 1,
      amountSatang: decision === 'retry-corrected' ? null : amountSatang,
    }),
  );
}

// ---------------------------------------------------------------- views of one row

/** The parts of the page of one row. */
interface RowParts {
  readonly title: string;
  readonly head: Part;
  readonly facts: Part;
  /** Stands above the form. */
  readonly asking: Part;
  readonly story: Part;
}

/** A row as a page shows it. */
interface ShownRow {
  readonly review: ReviewContext;
  readonly version: number;
  readonly openProposal: number | undefined;
}

/** The page of one payout or registration, on which it is decided. */
interface RowPage<Shown extends ShownRow> {
  readonly path: string;
  readonly read: (visit: ProvedVisit, seq: number) => Promise<Shown | undefined>;
  readonly gone: (visit: ProvedVisit) => Page;
  readonly describe: (visit: ProvedVisit, shown: Shown, isRevealed: boolean) => RowParts;
  /** @param version the version of the row that was displayed */
  readonly boxOf: (visit: ProvedVisit, shown: Shown, version: string) => DecisionBox;
  readonly recordReveal: (visit: ProvedVisit, shown: Shown) => Promise<void>;
}

/** Reads the row's number in the journal, which addresses use because it reveals nothing. */
export const readSeq = (fields: Fields): number | undefined =>
  /^\d{1,15}$/.test(fields['seq'] ?? '') ? Number(fields['seq']) : undefined;

function rowPage(
  visit: ProvedVisit,
  row: ShownRow,
  parts: RowParts,
  box: DecisionBox,
  fields: Fields,
  trouble: Trouble,
): Page {
  const { title, facts, asking, story } = parts;
  return {
    title,
    status: trouble.status,
    body: html`${aboveForm(visit, box, fields, trouble)}
      <h1>${title}</h1>
      <section class="card payout-head" data-live="figures">${parts.head}</section>
      <div class="columns">
        <section class="card" data-live="facts">${facts}</section>
        <div>${decisionCard(visit, row, [asking, decisionBox(visit, row.review, box, fields, trouble)])}</div>
      </div>
      <section class="card" aria-labelledby="story" data-live="story">
        <h2 id="story">${visit.say('payout.history')}</h2>
        ${story}
      </section>`,
  };
}

/** @returns the views of a row, with the form that brings an evidence file where files are kept */
export function makeRowViews<Shown extends ShownRow>(
  page: RowPage<Shown>,
  evidenceFolder: string | undefined,
): PageViews {
  const withRow = async (
    visit: ProvedVisit,
    fields: Fields,
    answer: (shown: Shown) => Promise<Answer> | Answer,
  ): Promise<Answer> => {
    const seq = readSeq(fields);
    const shown = seq === undefined ? undefined : await page.read(visit, seq);
    return shown === undefined ? page.gone(visit) : answer(shown);
  };
  const show = (
    visit: ProvedVisit,
    shown: Shown,
    fields: Fields,
    isRevealed: boolean,
    trouble = noTrouble,
  ): Page =>
    rowPage(
      visit,
      shown,
      page.describe(visit, shown, isRevealed),
      page.boxOf(visit, shown, String(shown.version)),
      fields,
      trouble,
    );
  const decide = async (visit: ProvedVisit, fields: Fields, file: SentFile | undefined): Promise<Answer> =>
    withRow(visit, fields, async (shown) => {
      const box = page.boxOf(visit, shown, fields['version'] ?? '');
      const outcome = await decideBox(visit, shown.review, box, fields, file);
      return 'goTo' in outcome ? outcome : show(visit, shown, fields, false, outcome);
    });
  const path = `${page.path}/:seq`;
  const views: readonly View[] = [
    viewAt('GET', path, 'see', (visit, fields) =>
      withRow(visit, fields, (shown) => show(visit, shown, fields, false)),
    ),
    {
      method: 'POST',
      path: `${path}/reveal`,
      action: 'reveal',
      answer: async (visit, fields) =>
        withRow(visit, fields, async (shown) => {
          await page.recordReveal(visit, shown);
          return show(visit, shown, {}, true);
        }),
    },
    viewAt('POST', `${path}/decide`, 'propose', (visit, fields) => decide(visit, fields, undefined)),
  ];
  const fileView = makeDecideFileView(`${path}/decide`, async (visit, file, fields) =>
    decide(visit, fields, file),
  );
  return { views, fileViews: evidenceFolder === undefined ? [] : [fileView] };
}

/** @returns the views, with the form that brings an evidence file where files are kept */
export function makePayoutViews(context: PayoutPageContext): PageViews {
  const { store, readReview, evidenceFolder, askBank } = context;
  const { views, fileViews } = makeRowViews<ShownPayout>(
    {
      path: '/payout',
      read: async (visit, seq) => readShown(context, visit, seq),
      gone: (visit) => plainPage(visit, 404, visit.say('page.not-found'), visit.say('payout.archived')),
      describe: (visit, { history, lines }, isRevealed) => ({
        title: `${visit.say('payout.payout')} ${history.row.cells.payoutId.trim()}`,
        head: head(visit, history, isRevealed),
        facts: summary(visit, history),
        asking: askPart(visit, history, {
          canAsk: askBank !== undefined,
          back: `/payout/${history.row.seq}`,
        }),
        story: timeLine(visit, history, lines),
      }),
      boxOf: (visit, shown, version) => boxOfOne(context, visit, shown, version),
      recordReveal: async (visit, { history: { row, batch } }) => {
        const looked = { what: 'payee-number', row: row.rowNo, batch: batch.batchId } as const;
        const { clock } = await readReview();
        await recordReveal(store, clock, visit.proved, { ...looked, payout: row.seq });
      },
    },
    evidenceFolder,
  );
  return { views: askBank === undefined ? views : [...views, makeAskView(store, askBank)], fileViews };
}
