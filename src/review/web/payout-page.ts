/** One payout: its facts, the decisions that are possible now, and its whole history. */
import { bahtOf, sayCode } from '../../core/message.ts';
import { maskForeignNumbers, showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { HistoryReader, PayoutEvent, PayoutHistory } from '../../payout/ports.ts';
import { factsOf } from '../../reconcile/rules/types.ts';
import { describeReason, moneyMovedOf } from '../../reports/rules/report-rows.ts';
import type { ReviewContext } from '../context.ts';
import { readOptions } from '../payout-target.ts';
import type { PersonStore } from '../ports.ts';
import { recordReveal } from '../reveal.ts';
import { decideOffers } from '../rules/offers.ts';
import { can } from '../rules/people.ts';
import { html, type Html, type Part } from './html.ts';
import { plainPage, postButton } from './layout.ts';
import {
  alarmTag,
  chips,
  codeLine,
  decisionsCard,
  factList,
  ifAny,
  momentOf,
  moneyTag,
  readEntry,
  reasonOf,
  remedyOf,
  type RowOffers,
  sayFact,
  type TimeLineEntry,
  timeLineTable,
} from './parts.ts';
import type { Answer, Fields, Page, ProvedVisit, View } from './view.ts';
import type { Attempt, PayoutCause } from '../../core/payout.ts';
import { readAttemptNumber } from '../../core/reference.ts';
import { showAmount, showBaht } from '../../core/figures.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import type { StatementLine } from '../../reconcile/rules/statement.ts';

/** Reads the present context of decisions: the settings in force may have been agreed on meanwhile. */
export type ReadReview = () => Promise<ReviewContext>;

interface PayoutPageContext {
  readonly store: HistoryReader & Pick<PersonStore, 'persons' | 'editPersons'>;
  readonly readReview: ReadReview;
}

// ---------------------------------------------------------------- reading

interface ShownPayout extends RowOffers {
  readonly history: PayoutHistory;
  readonly lines: readonly ToldLine[];
}

/** Reads the row's number in the journal, which addresses use because it reveals nothing. */
export function readSeq(fields: Fields): number | undefined {
  const text = fields['seq'] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

async function readShown(
  { store, readReview }: PayoutPageContext,
  { person }: ProvedVisit,
  seq: number,
): Promise<ShownPayout | undefined> {
  const history = await store.history(seq);
  if (history === undefined) return undefined;
  const review = await readReview();
  const options = (await readOptions(review, seq)) ?? [];
  const [open] = await review.journal.openItems('payout', [String(seq)]);
  const openProposal = open?.proposalId;
  const offers = decideOffers(options, { person, people: review.people, openProposal });
  return { history, offers, openProposal, lines: await readLines(review, history) };
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

function whoOf({ say }: ProvedVisit, { cause, detail }: PayoutEvent): Part {
  const { by, checkedBy, statement } = detail;
  if (by === 'people') return say('payout.unproved');
  if (typeof by === 'string')
    return typeof checkedBy === 'string' ? html`${by}, ${say('payout.checked-by')} ${checkedBy}` : by;
  if (statement !== undefined || statementCauses.includes(cause)) return say('payout.statement-side');
  return bankCauses.includes(cause) ? say('payout.bank-side') : say('payout.program');
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

function attemptFacts({ say, language }: ProvedVisit, attempt: Attempt): Part {
  const { order, status, sends, inquiries, lastFinding, sysRefNo, feeText } = attempt;
  const state = sayCode(language, `attempt-status.${status}`);
  return chips([
    [say('payout.attempt'), String(readAttemptNumber(order.transRefNo))],
    [say('payout.attempt-state'), lastFinding === null ? state : `${state} (${lastFinding})`],
    [say('payout.amount'), showAmount(order.amountText)],
    [say('payout.times-sent'), `${sends}×`],
    [say('payout.times-asked'), `${inquiries}×`],
    ...(sysRefNo === null ? [] : [[say('payout.bank-reference'), sysRefNo] as const]),
    ...(feeText === null ? [] : [[say('payout.fee'), showText(feeText)] as const]),
  ]);
}

function eventEntry(visit: ProvedVisit, event: PayoutEvent, attempts: readonly Attempt[]): TimeLineEntry {
  const { language, say } = visit;
  const { cause, detail, from, to, atMs, attemptNo } = event;
  const { proposal } = detail;
  const attempt =
    cause === 'intent-recorded' ? attempts.find((one) => one.attemptNo === attemptNo) : undefined;
  const facts = Object.entries(detail)
    .filter(([name, value]) => !hiddenDetails.has(name) && value !== null && value !== '')
    .map(([name, value]) => [sayFact(visit, name), showFact(name, value)] as const);
  return {
    atMs,
    who: whoOf(visit, event),
    what: html`<b>${sayCode(language, `payout-cause.${cause}`)}</b>
      ${from !== to && html`<small>${sayCode(language, `payout-status.${from}`)} → ${sayCode(language, `payout-status.${to}`)}</small>`}`,
    evidence: [
      codeOf(visit, detail),
      typeof proposal === 'number' &&
        html`<p><a href="/proposal/${proposal}">${say('payout.proposal-word')} ${proposal}</a></p>`,
      attempt && attemptFacts(visit, attempt),
      chips(facts),
    ],
  };
}

function lineEntry({ say, language }: ProvedVisit, { date, acceptedAtMs, line }: ToldLine): TimeLineEntry {
  const facts = [
    [sayCode(language, 'fact.statement'), showDate(date)],
    [say('payout.line'), String(line.line)],
    [sayCode(language, 'fact.statusText'), maskForeignNumbers(line.statusText)],
    [say('payout.transfer'), line.transRefNo],
    [say('payout.bank-reference'), line.sysRefNo],
    [say('payout.amount'), showBaht(line.amountSatang)],
    [say('payout.fee'), showBaht(line.feeSatang)],
    [say('payout.why'), maskForeignNumbers([line.reasonCode, line.reasonDesc].join(' ').trim())],
  ] as const;
  return {
    atMs: acceptedAtMs ?? 0,
    who: say('payout.statement-side'),
    what: html`<b>${say('payout.statement-line')}</b>`,
    evidence: chips(facts.filter(([, fact]) => fact !== '')),
  };
}

/** The time line, the oldest entry first. */
function timeLine(visit: ProvedVisit, history: PayoutHistory, lines: readonly ToldLine[]): Html {
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
  return html`<span class="mono">${maskDigits(number)}</span> ${
      can(person, 'reveal').allowed && postButton(visit, `/payout/${row.seq}/reveal`, say('payout.reveal'))
    }`;
}

function summary(visit: ProvedVisit, history: PayoutHistory, isRevealed: boolean): Html {
  const { say } = visit;
  const { row, batch, attempts } = history;
  const { payeeName, reference1, reference2 } = row.instruction ?? row.cells;
  const [code, why] = describeReason(row);
  const carried = batch.extraColumns.map((name, place) => [name, row.extras[place] ?? ''] as const);
  const names = [row.bankPayeeName, row.bankPayeeNameTh].filter(Boolean).join(' · ');
  return factList([
    [say('payout.payee-number'), payeeNumber(visit, history, isRevealed)],
    [say('payout.our-name'), ifAny(payeeName) ?? say('payout.not-said')],
    [say('payout.bank-name'), ifAny(names) ?? say('payout.not-said')],
    [
      say('payout.why'),
      (why !== null || code !== '') && html`${reasonOf(visit, row)} <small>${code}</small>`,
    ],
    [say('payout.remedy'), remedyOf(visit, row)],
    [
      say('payout.batch'),
      html`<a href="/batch/${batch.batchId}">${batch.batchId}</a>, ${say('payout.row')} ${row.rowNo}
        <small>${showText(batch.fileName)}</small>`,
    ],
    [say('payout.references'), ifAny([reference1, reference2].filter(Boolean).join(', '))],
    [say('payout.transfer'), attempts.at(-1)?.order.transRefNo],
    [say('payout.bank-reference'), ifAny(row.sysRefNo)],
    [say('payout.fee'), ifAny(row.feeText)],
    [say('payout.sent'), row.submittedAtMs !== null && momentOf(visit, row.submittedAtMs)],
    [say('payout.settled'), row.settledAtMs !== null && momentOf(visit, row.settledAtMs)],
    [
      say('payout.carried'),
      carried.some(([, cell]) => cell !== '') &&
        carried.map(([name, cell]) => html`<small>${showText(name)}</small> ${showText(cell)}<br />`),
    ],
  ]);
}

function payoutPage(visit: ProvedVisit, shown: ShownPayout, isRevealed: boolean): Page {
  const { say, language } = visit;
  const { history, lines } = shown;
  const { row } = history;
  const name = row.cells.payoutId.trim();
  const amount = row.amountSatang === null ? showText(row.cells.amount) : say(bahtOf(row.amountSatang));
  return {
    title: `${say('payout.payout')} ${name}`,
    body: html`<h1>${say('payout.payout')} ${name}</h1>
      <ul class="figures" data-live="figures">
        <li><b>${amount}</b> ${say('payout.amount')}</li>
        <li>
          <b>${sayCode(language, `payout-status.${row.status}`)}</b> ${moneyTag(visit, moneyMovedOf(row))}
        </li>
        ${row.isAlarm && html`<li>${alarmTag(visit)}</li>`}
      </ul>
      <div class="columns">
        <section class="card">${summary(visit, history, isRevealed)}</section>
        <div class="first" data-live="decisions">
          ${decisionsCard(visit, { kind: 'payout', seq: row.seq }, shown)}
        </div>
      </div>
      <section aria-labelledby="story" data-live="story">
        <h2 id="story">${say('payout.history')}</h2>
        ${timeLine(visit, history, lines)}
      </section>`,
  };
}

async function answerPayout(
  context: PayoutPageContext,
  visit: ProvedVisit,
  fields: Fields,
  isRevealed: boolean,
): Promise<Answer> {
  const seq = readSeq(fields);
  const shown = seq === undefined ? undefined : await readShown(context, visit, seq);
  if (shown === undefined)
    return plainPage(visit, 404, visit.say('page.not-found'), visit.say('payout.archived'));
  if (isRevealed) {
    const { row, batch } = shown.history;
    const looked = { what: 'payee-number', row: row.rowNo, batch: batch.batchId } as const;
    const { clock } = await context.readReview();
    await recordReveal(context.store, clock, visit.proved, { ...looked, payout: row.seq });
  }
  return payoutPage(visit, shown, isRevealed);
}

export const makePayoutViews = (context: PayoutPageContext): readonly View[] => [
  {
    method: 'GET',
    path: '/payout/:seq',
    action: 'see',
    answer: async (visit, fields) => answerPayout(context, visit, fields, false),
  },
  {
    method: 'POST',
    path: '/payout/:seq/reveal',
    action: 'reveal',
    answer: async (visit, fields) => answerPayout(context, visit, fields, true),
  },
];
