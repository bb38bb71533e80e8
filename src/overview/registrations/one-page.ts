/** One registration: its content, the decisions possible now, and its whole history, with the bank's callbacks. */
import { inEnglish, say as sayMessage, sayCode } from '../../core/message.ts';
import { maskForeignNumbers, showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { RegistrationEvent, RegistrationHistory, RegistrationStore } from '../../registration/ports.ts';
import { describeRegistrationReason, readRegistrationCell } from '../../registration/rules/report-rows.ts';
import { maskedRegistrationColumns } from '../../registration/rules/registration-row.ts';
import { latestRequestUid, type RegistrationCause } from '../../registration/rules/registration.ts';
import { findRegistrationCode } from '../../registration/rules/status-codes.ts';
import { describeIssue } from '../../reports/rules/report-rows.ts';
import { readRegistrationOptions } from '../../review/registration-target.ts';
import type { PersonStore } from '../../review/ports.ts';
import { recordReveal } from '../../review/reveal.ts';
import { decideOffers, type Offer } from '../../review/rules/offers.ts';
import { can } from '../../review/rules/people.ts';
import {
  isRegistrationDecision,
  nameOfDecision,
  type RegistrationDecision,
} from '../../review/rules/terms.ts';
import { answerDecision, type DecideForm, decidePage, withFile } from '../../review/web/decide-form.ts';
import { evidenceBytesMax } from '../../review/evidence-files.ts';
import { html, type Html, type Part } from '../../review/web/html.ts';
import { plainPage, postButton } from '../../review/web/layout.ts';
import { factList, momentOf, sayFact, whyOf } from '../../review/web/parts.ts';
import { readSeq, type ReadReview } from '../../review/web/payout-page.ts';
import type { Answer, Fields, FileView, Page, ProvedVisit, SentFile, View } from '../../review/web/view.ts';
import {
  accountOf,
  briefFacts,
  companyOf,
  maskedAccountOf,
  nameOf,
  referencesOf,
  remedyFor,
  stateOf,
  whyOfRegistration,
} from './shown.ts';

interface RegistrationPageContext {
  readonly store: Pick<RegistrationStore, 'registrationHistory'> &
    Pick<PersonStore, 'persons' | 'editPersons'>;
  readonly readReview: ReadReview;
  readonly evidenceFolder?: string | undefined;
}

// ---------------------------------------------------------------- content

const ifAny = (text: string | null | undefined): Part =>
  text === null || text === undefined || text.trim() === '' ? undefined : showText(text);

function numbersOf(visit: ProvedVisit, { row }: RegistrationHistory, isRevealed: boolean): Html {
  const { say, person } = visit;
  const [account, customer] = [accountOf(row), readRegistrationCell(row, 'customerId')];
  const shown = (text: string): string => (isRevealed ? text : maskDigits(text));
  return factList([
    [say('registration.account'), html`<span class="mono">${shown(account)}</span>`],
    [say('registration.customer'), html`<span class="mono">${shown(customer)}</span>`],
    [
      '',
      isRevealed
        ? html`<small role="status">${say('registration.customer-revealed')}</small>`
        : can(person, 'reveal').allowed &&
          postButton(visit, `/registration/${row.seq}/reveal`, say('payout.reveal')),
    ],
  ]);
}

function summary(visit: ProvedVisit, history: RegistrationHistory): Html {
  const { say } = visit;
  const { row, batch } = history;
  const [code] = describeRegistrationReason(row);
  const carried = batch.extraColumns.map((name, place) => [name, row.extras[place] ?? ''] as const);
  return factList([
    [say('registration.company'), companyOf(row)],
    [say('payout.references'), ifAny(referencesOf(row))],
    [
      say('payout.why'),
      (row.reason !== null || code !== '') && html`${whyOfRegistration(visit, row)} <small>${code}</small>`,
    ],
    [say('payout.remedy'), remedyFor(visit, row)],
    [
      say('registration.batch'),
      html`<a href="/registrations/batch/${batch.batchId}">${batch.batchId}</a>, ${say('payout.row')}
        ${row.rowNo} <small>${showText(batch.fileName)}</small>`,
    ],
    [say('registration.request-uid'), ifAny(row.attempt && latestRequestUid(row.attempt))],
    [say('payout.bank-reference'), ifAny(row.attempt?.ddrOapiSeqId)],
    [
      say('registration.bank-answer'),
      ifAny([row.attempt?.statusCode, row.attempt?.statusDesc].filter(Boolean).join(' ')),
    ],
    [
      say('registration.callback-word'),
      ifAny([row.respCode, row.respDesc, row.applyDtm].filter(Boolean).join(' ')),
    ],
    [say('payout.sent'), row.submittedAtMs !== null && momentOf(visit, row.submittedAtMs)],
    [say('registration.awaited-until'), row.awaitedUntilMs !== null && momentOf(visit, row.awaitedUntilMs)],
    [say('payout.settled'), row.settledAtMs !== null && momentOf(visit, row.settledAtMs)],
    [
      say('payout.carried'),
      carried.some(([, cell]) => cell !== '') &&
        carried.map(([name, cell]) => html`<small>${showText(name)}</small> ${showText(cell)}<br />`),
    ],
  ]);
}

const offerItem = (visit: ProvedVisit, seq: number, offer: Offer): Html => {
  const { say, language } = visit;
  const label = sayCode(language, nameOfDecision(offer.decision, 'registration'));
  return offer.whyNot === undefined
    ? html`<li>
        <a class="button" href="/registration/${seq}/decide/${offer.decision}">${label}</a>
        <small>${offer.needsSecond ? say('payout.second') : say('payout.one-is-enough')}</small>
      </li>`
    : html`<li class="off">${label} <small>${whyOf(visit, offer.whyNot)}</small></li>`;
};

interface Shown {
  readonly history: RegistrationHistory;
  readonly offers: readonly Offer[];
  readonly openProposal: number | undefined;
}

function decisionsCard(visit: ProvedVisit, { history, offers, openProposal }: Shown): Html {
  const { say } = visit;
  const possible = offers.filter(({ whyNot }) => whyNot === undefined);
  const others = offers.filter(({ whyNot }) => whyNot !== undefined);
  const list = (some: readonly Offer[]) =>
    html`<ul class="decisions">
      ${some.map((offer) => offerItem(visit, history.row.seq, offer))}
    </ul>`;
  return html`<section class="card" aria-labelledby="decisions">
    <h2 id="decisions">${say('payout.decisions')}</h2>
    ${
      openProposal !== undefined &&
      html`<p>
        <a href="/proposal/${openProposal}"
          >${say('payout.waits-for-check')}: ${say('payout.proposal-word')} ${openProposal}</a
        >
      </p>`
    }
    ${possible.length > 0 && list(possible)}
    ${
      others.length > 0 &&
      html`<details ${possible.length === 0 ? html`open` : ''}>
        <summary>${say('payout.not-possible')}</summary>
        ${list(others)}
      </details>`
    }
  </section>`;
}

// ---------------------------------------------------------------- history

interface Entry {
  readonly atMs: number;
  readonly who: Part;
  readonly what: Part;
  readonly evidence: Part;
}

/** Causes that show an answer of the bank. */
const bankCauses: readonly RegistrationCause[] = [
  'acknowledged',
  'outcome-in-doubt',
  'turned-down',
  'turned-down-for-all',
  'request-renewed',
  'answered-late',
  'called-back',
  'called-back-after-all',
  'contradicted',
];

/** Details shown in another place of the entry, or of no use to people. */
const hiddenDetails = new Set(['by', 'checkedBy', 'proposal', 'salt', 'code', 'statusCode', 'statusDesc']);

const isReference = (name: string): boolean => /(?:Uid|xRequestId|SeqId)$/.test(name);

const showFact = (name: string, value: unknown): string => {
  if (Array.isArray(value))
    return value.map((one) => showFact(name, one)).join(name === 'accountNo' ? ' → ' : ', ');
  return isReference(name) ? String(value) : showText(String(value));
};

const chips = (facts: readonly (readonly [name: string, fact: Part])[]): Part =>
  facts.length > 0 &&
  html`<ul class="chips">
    ${facts.map(([name, fact]) => html`<li><small>${name}</small> ${fact}</li>`)}
  </ul>`;

/** The bank's code, with its meaning and the remedy. */
function codeOf({ language }: ProvedVisit, { detail }: RegistrationEvent): Part {
  const code = detail['code'] ?? detail['statusCode'];
  if (typeof code !== 'string' || code === '') return undefined;
  const known = findRegistrationCode(code);
  const said = detail['statusDesc'];
  const words = typeof said === 'string' && said !== '' ? said : known && inEnglish(known.remedy);
  return html`<p class="code">
    <code>${code}</code> ${words !== undefined && html`<span lang="en">${maskForeignNumbers(words)}</span>`}
    ${language === 'th' && known !== undefined && html`<small>${sayMessage('th', known.remedy)}</small>`}
  </p>`;
}

function whoOf({ say }: ProvedVisit, { cause, detail }: RegistrationEvent): Part {
  const { by, checkedBy } = detail;
  if (typeof by === 'string')
    return typeof checkedBy === 'string' ? html`${by}, ${say('payout.checked-by')} ${checkedBy}` : by;
  return bankCauses.includes(cause) ? say('payout.bank-side') : say('payout.program');
}

function eventEntry(visit: ProvedVisit, event: RegistrationEvent): Entry {
  const { language, say } = visit;
  const { cause, detail, from, to, atMs, attemptNo } = event;
  const { proposal } = detail;
  const facts = Object.entries(detail)
    .filter(
      ([name, value]) => !hiddenDetails.has(name) && value !== null && value !== undefined && value !== '',
    )
    .map(([name, value]) => [sayFact(visit, name), showFact(name, value)] as const);
  return {
    atMs,
    who: whoOf(visit, event),
    what: html`<b>${sayCode(language, `registration-cause.${cause}`)}</b> ${
        from !== to &&
        html`<small
          >${sayCode(language, `registration-status.${from}`)} →
          ${sayCode(language, `registration-status.${to}`)}</small
        >`
      }`,
    evidence: [
      codeOf(visit, event),
      typeof proposal === 'number' &&
        html`<p><a href="/proposal/${proposal}">${say('payout.proposal-word')} ${proposal}</a></p>`,
      cause === 'intent-recorded' && chips([[say('registration.request-no'), String(attemptNo)]]),
      chips(facts),
    ],
  };
}

/** The first entry: the content of the file. */
function readEntry(visit: ProvedVisit, { row, batch }: RegistrationHistory): Entry {
  const { say } = visit;
  const isMasked = (name: string): boolean =>
    [...maskedRegistrationColumns].some((column) => column === name);
  const cells = Object.entries(row.cells)
    .filter(([, cell]) => cell !== '')
    .map(([name, cell]) => [name, isMasked(name) ? maskDigits(cell) : showText(cell)] as const);
  return {
    atMs: batch.startedAtMs,
    who: say('payout.program'),
    what: html`<b>${say('payout.row-read')}</b>
      <small>${showText(batch.fileName)}, ${say('upload.line')} ${row.line}</small>`,
    evidence: [
      row.issues.map((issue) => html`<p>${whyOf(visit, describeIssue(issue))}</p>`),
      html`<details>
        <summary>${say('payout.as-in-file')}</summary>
        ${chips(cells)}
      </details>`,
    ],
  };
}

/** Each callback as received; the event after it shows its effect. */
function callbackEntries(visit: ProvedVisit, { callbacks }: RegistrationHistory): readonly Entry[] {
  const { say } = visit;
  return callbacks.map(({ callback, receivedAtMs, fromAddress, repeats }) => ({
    atMs: receivedAtMs,
    who: say('payout.bank-side'),
    what: html`<b>${say('registration.callback-kept')}</b>
      <small>${sayCode(visit.language, `registration-status.${callback.outcome}`)}</small>`,
    evidence: [
      html`<p class="code"><code>${callback.respCode}</code> ${showText(callback.respDesc)}</p>`,
      chips([
        [say('registration.callback-time'), callback.applyDtm],
        [say('registration.request-uid'), callback.requestUid],
        [say('registration.callback-from'), fromAddress],
        ...(repeats > 0 ? [[say('registration.callback-repeats'), `${repeats}×`] as const] : []),
      ]),
    ],
  }));
}

function timeLine(visit: ProvedVisit, history: RegistrationHistory): Html {
  const { say } = visit;
  const entries = [readEntry(visit, history), ...history.events.map((event) => eventEntry(visit, event))];
  // Entries of the same moment keep their order.
  for (const entry of callbackEntries(visit, history).toReversed()) {
    const later = entries.findIndex(({ atMs }) => atMs >= entry.atMs);
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
            <td class="mono" data-head="${say('payout.time')}">${momentOf(visit, atMs)}</td>
            <td data-head="${say('payout.who')}">${who}</td>
            <td data-head="${say('payout.what')}">${what}</td>
            <td class="why" data-head="${say('payout.evidence')}">${evidence}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

// ---------------------------------------------------------------- answers

async function readShown(
  { store, readReview }: RegistrationPageContext,
  { person }: ProvedVisit,
  seq: number,
): Promise<Shown | undefined> {
  const history = await store.registrationHistory(seq);
  if (history === undefined) return undefined;
  const review = await readReview();
  const options = (await readRegistrationOptions(review, seq)) ?? [];
  const [open] = await review.journal.openItems('registration', [String(seq)]);
  const openProposal = open?.proposalId;
  const offers = decideOffers(options, { person, people: review.people, openProposal });
  return { history, offers, openProposal };
}

function registrationPage(visit: ProvedVisit, shown: Shown, isRevealed: boolean): Page {
  const { say } = visit;
  const { history } = shown;
  const { row } = history;
  return {
    title: `${say('registration.registration')} ${nameOf(row)}`,
    body: html`<h1>${say('registration.registration')} ${nameOf(row)}</h1>
      <ul class="figures" data-live="figures">
        <li>${stateOf(visit, row)}</li>
      </ul>
      <div class="columns">
        <section class="card">${numbersOf(visit, history, isRevealed)} ${summary(visit, history)}</section>
        <div class="first" data-live="decisions">${decisionsCard(visit, shown)}</div>
      </div>
      <section aria-labelledby="story" data-live="story">
        <h2 id="story">${say('payout.history')}</h2>
        ${timeLine(visit, history)}
      </section>`,
  };
}

const gone = (visit: ProvedVisit): Page =>
  plainPage(
    visit,
    404,
    visit.say('page.not-found'),
    visit.say('registration.gone-registration'),
    '/registrations',
  );

async function answerOne(
  context: RegistrationPageContext,
  visit: ProvedVisit,
  fields: Fields,
  isRevealed: boolean,
): Promise<Answer> {
  const seq = readSeq(fields);
  const shown = seq === undefined ? undefined : await readShown(context, visit, seq);
  if (shown === undefined) return gone(visit);
  if (isRevealed) {
    const { row, batch } = shown.history;
    const looked = { what: 'account', row: row.rowNo, batch: batch.batchId } as const;
    const { clock } = await context.readReview();
    await recordReveal(context.store, clock, visit.proved, looked);
  }
  return registrationPage(visit, shown, isRevealed);
}

// ---------------------------------------------------------------- the decision

function formOf(
  visit: ProvedVisit,
  history: RegistrationHistory,
  decision: RegistrationDecision,
  version: string,
): DecideForm {
  const { row } = history;
  const path = `/registration/${row.seq}`;
  return {
    decision,
    path: `${path}/decide/${decision}`,
    back: path,
    targets: [{ kind: 'registration', key: String(row.seq), version }],
    what: `${nameOf(row)}, ${maskedAccountOf(row)}`,
    shown: briefFacts(visit, history),
    hidden: { version },
    nameTarget: () => html`<a href="${path}">${nameOf(row)}</a>`,
  };
}

async function answerDecide(
  context: RegistrationPageContext,
  visit: ProvedVisit,
  fields: Fields,
  isPosted: boolean,
  file?: SentFile,
): Promise<Answer> {
  const seq = readSeq(fields);
  const decision = fields['decision'] ?? '';
  const shown = seq === undefined ? undefined : await readShown(context, visit, seq);
  if (shown === undefined || !isRegistrationDecision(decision)) return gone(visit);
  const review = await context.readReview();
  // A posted form concerns the row as it was shown.
  const version = isPosted ? (fields['version'] ?? '') : String(shown.history.row.version);
  const form = {
    ...formOf(visit, shown.history, decision, version),
    evidenceFolder: context.evidenceFolder,
  };
  if (isPosted) return answerDecision(visit, review, form, fields, undefined, file);
  const why = shown.offers.find((offer) => offer.decision === decision)?.whyNot;
  return why === undefined
    ? decidePage(visit, review, form)
    : plainPage(visit, 409, visit.say('payout.not-possible'), whyOf(visit, why), form.back);
}

const decidePath = '/registration/:seq/decide/:decision';

export const makeRegistrationViews = (context: RegistrationPageContext): readonly View[] => [
  {
    method: 'GET',
    path: '/registration/:seq',
    action: 'see',
    answer: async (visit, fields) => answerOne(context, visit, fields, false),
  },
  {
    method: 'POST',
    path: '/registration/:seq/reveal',
    action: 'reveal',
    answer: async (visit, fields) => answerOne(context, visit, fields, true),
  },
  ...(['GET', 'POST'] as const).map((method): View => ({
    method,
    path: decidePath,
    action: 'propose',
    answer: async (visit, fields) => answerDecide(context, visit, fields, method === 'POST'),
  })),
];

/** Fields of a decision and of its list, without the file. */
const fieldsMax = 8;

/** The same, with a file as evidence. */
export const makeRegistrationFileView = (context: RegistrationPageContext): FileView => ({
  path: `${decidePath}${withFile}`,
  action: 'propose',
  bytesMax: evidenceBytesMax,
  fieldsMax,
  receive: async (visit, file, fields) => answerDecide(context, visit, fields, true, file),
});
