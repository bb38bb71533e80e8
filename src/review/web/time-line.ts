/** The history of a payout, event by event: time, person, cause, code in words, and evidence. */
import { type Language } from '../../core/language.ts';
import { inEnglish, say as sayMessage, sayCode } from '../../core/message.ts';
import type { Attempt, PayoutCause } from '../../core/payout.ts';
import { readAttemptNumber } from '../../core/reference.ts';
import { showAmount, showBaht } from '../../core/figures.ts';
import { maskForeignNumbers, showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import type { PayoutEvent, PayoutHistory } from '../../payout/ports.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { describeIssue } from '../../reports/rules/report-rows.ts';
import type { StatementLine } from '../../reconcile/rules/statement.ts';
import { html, type Html, type Part } from './html.ts';
import { momentOf, sayFact, whyOf } from './parts.ts';
import type { ProvedVisit } from './view.ts';

/** A line of a statement about one of its transfers. */
export interface ToldLine {
  readonly date: string;
  /** The moment at which this version of the statement was accepted; undefined where it is unknown. */
  readonly acceptedAtMs: number | undefined;
  readonly line: StatementLine;
}

interface Entry {
  readonly atMs: number;
  readonly who: Part;
  readonly what: Part;
  readonly evidence: Part;
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
function codeOf(language: Language, { code, statusCode, statusDesc }: Detail): Part {
  const named = code ?? statusCode;
  if (typeof named !== 'string' || named === '') return undefined;
  const known = findBankStatus(named);
  const words = typeof statusDesc === 'string' ? statusDesc : known && inEnglish(known.remedy);
  return html`<p class="code">
    <code>${named}</code> ${words !== undefined && html`<span lang="en">${maskForeignNumbers(words)}</span>`}
    ${language === 'th' && known !== undefined && html`<small>${sayMessage('th', known.remedy)}</small>`}
  </p>`;
}

const chips = (facts: readonly (readonly [name: string, fact: Part])[]): Part =>
  facts.length > 0 &&
  html`<ul class="chips">
    ${facts.map(([name, fact]) => html`<li><small>${name}</small> ${fact}</li>`)}
  </ul>`;

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

function eventEntry(visit: ProvedVisit, event: PayoutEvent, attempts: readonly Attempt[]): Entry {
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
      codeOf(language, detail),
      typeof proposal === 'number' &&
        html`<p><a href="/proposal/${proposal}">${say('payout.proposal-word')} ${proposal}</a></p>`,
      attempt && attemptFacts(visit, attempt),
      chips(facts),
    ],
  };
}

/** The first entry: the values in the file. */
function readEntry(visit: ProvedVisit, { row, batch }: PayoutHistory): Entry {
  const { say } = visit;
  const cells = Object.entries(row.cells)
    .filter(([, cell]) => cell !== '')
    .map(([name, cell]) => [name, name === 'proxyNo' ? maskDigits(cell) : showText(cell)] as const);
  return {
    atMs: batch.startedAtMs,
    who: say('payout.program'),
    what: html`<b>${say('payout.row-read')}</b>
      <small>${showText(batch.fileName)}, ${say('payout.line')} ${row.line}</small>`,
    evidence: [
      row.issues.map((issue) => html`<p>${whyOf(visit, describeIssue(issue))}</p>`),
      html`<details>
        <summary>${say('payout.as-in-file')}</summary>
        ${chips(cells)}
      </details>`,
    ],
  };
}

function lineEntry({ say, language }: ProvedVisit, { date, acceptedAtMs, line }: ToldLine): Entry {
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
export function timeLine(visit: ProvedVisit, history: PayoutHistory, lines: readonly ToldLine[]): Html {
  const { say } = visit;
  // Events keep the order in which they happened, whatever the clock said.
  const entries = [
    readEntry(visit, history),
    ...history.events.map((event) => eventEntry(visit, event, history.attempts)),
  ];
  for (const entry of lines.map((line) => lineEntry(visit, line))) {
    const later = entries.findIndex(({ atMs }) => atMs > entry.atMs);
    entries.splice(later === -1 ? entries.length : later, 0, entry);
  }
  return html`<table class="story">
    <thead>
      <tr>
        <th scope="col">${say('payout.time')}</th>
        <th scope="col">${say('payout.who')}</th>
        <th scope="col">${say('payout.what')}</th>
        <th scope="col">${say('payout.evidence')}</th>
      </tr>
    </thead>
    <tbody>
      ${entries.map(
        ({ atMs, who, what, evidence }) =>
          html`<tr>
            <td class="mono" data-head="${say('payout.time')}">${atMs > 0 && momentOf(visit, atMs)}</td>
            <td data-head="${say('payout.who')}">${who}</td>
            <td data-head="${say('payout.what')}">${what}</td>
            <td class="why" data-head="${say('payout.evidence')}">${evidence}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
