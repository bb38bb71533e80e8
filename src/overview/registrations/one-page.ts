/** One registration: its content, the decisions possible now, and its whole history, with the bank's callbacks. */
import { sayCode } from '../../core/message.ts';
import { showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { RegistrationEvent, RegistrationHistory, RegistrationStore } from '../../registration/ports.ts';
import { describeRegistrationReason, readRegistrationCell } from '../../registration/rules/report-rows.ts';
import { maskedRegistrationColumns } from '../../registration/rules/registration-row.ts';
import { latestRequestUid, type RegistrationCause } from '../../registration/rules/registration.ts';
import { findRegistrationCode } from '../../core/direct-debit-codes.ts';
import { readRegistrationOptions } from '../../review/registration-target.ts';
import type { PersonStore } from '../../review/ports.ts';
import { recordReveal } from '../../review/reveal.ts';
import { decideOffers } from '../../review/rules/offers.ts';
import { can } from '../../review/rules/people.ts';
import { isRegistrationDecision, type RegistrationDecision } from '../../review/rules/terms.ts';
import { answerDecision, type DecideForm, decidePage, withFile } from '../../review/web/decide-form.ts';
import { evidenceBytesMax } from '../../review/evidence-files.ts';
import { html, type Html, type Part } from '../../review/web/html.ts';
import { plainPage, postButton } from '../../review/web/layout.ts';
import {
  chips,
  codeLine,
  decisionsCard,
  factList,
  ifAny,
  momentOf,
  readEntry,
  type RowOffers,
  sayFact,
  type TimeLineEntry,
  timeLineTable,
  whyOf,
} from '../../review/web/parts.ts';
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

interface Shown extends RowOffers {
  readonly history: RegistrationHistory;
}

// ---------------------------------------------------------------- history

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

/** The bank's code, with its meaning and the remedy. */
function codeOf(visit: ProvedVisit, { detail }: RegistrationEvent): Part {
  const code = detail['code'] ?? detail['statusCode'];
  if (typeof code !== 'string' || code === '') return undefined;
  const said = detail['statusDesc'];
  const words = typeof said === 'string' && said !== '' ? said : undefined;
  return codeLine(visit, code, words, findRegistrationCode(code)?.remedy);
}

function whoOf({ say }: ProvedVisit, { cause, detail }: RegistrationEvent): Part {
  const { by, checkedBy } = detail;
  if (typeof by === 'string')
    return typeof checkedBy === 'string' ? html`${by}, ${say('payout.checked-by')} ${checkedBy}` : by;
  return bankCauses.includes(cause) ? say('payout.bank-side') : say('payout.program');
}

function eventEntry(visit: ProvedVisit, event: RegistrationEvent): TimeLineEntry {
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

/** Each callback as received; the event after it shows its effect. */
function callbackEntries(visit: ProvedVisit, { callbacks }: RegistrationHistory): readonly TimeLineEntry[] {
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

const isMasked = (name: string): boolean => [...maskedRegistrationColumns].some((column) => column === name);

function timeLine(visit: ProvedVisit, history: RegistrationHistory): Html {
  const entries = [
    readEntry(visit, history, isMasked),
    ...history.events.map((event) => eventEntry(visit, event)),
  ];
  // Entries of the same moment keep their order.
  for (const entry of callbackEntries(visit, history).toReversed()) {
    const later = entries.findIndex(({ atMs }) => atMs >= entry.atMs);
    entries.splice(later === -1 ? entries.length : later, 0, entry);
  }
  return timeLineTable(visit, entries);
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
        <div class="first" data-live="decisions">
          ${decisionsCard(visit, { kind: 'registration', seq: row.seq }, shown)}
        </div>
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
