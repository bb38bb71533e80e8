/** One registration: its content, the decisions possible now, and its whole history, with the bank's callbacks. */
import { counted, sayCode } from '../../core/message.ts';
import { showText } from '../../core/outgoing-text.ts';
import { showLastDigits } from '../../core/proxy-id.ts';
import type { RegistrationEvent, RegistrationHistory, RegistrationStore } from '../../registration/ports.ts';
import { describeRegistrationReason, readRegistrationCell } from '../../registration/rules/report-rows.ts';
import { maskedRegistrationColumns } from '../../registration/rules/registration-row.ts';
import { latestRequestUid, type RegistrationCause } from '../../registration/rules/registration.ts';
import { findRegistrationCode } from '../../core/direct-debit-codes.ts';
import { readRegistrationOptions } from '../../review/registration-target.ts';
import type { PersonStore } from '../../review/ports.ts';
import { recordReveal } from '../../review/reveal.ts';
import { can } from '../../review/rules/people.ts';
import type { RegistrationDecision } from '../../review/rules/terms.ts';
import type { DecisionBox } from '../../review/web/decide-form.ts';
import { html, type Html, type Part } from '../../review/web/html.ts';
import { plainPage, postButton } from '../../review/web/layout.ts';
import {
  carriedCells,
  chips,
  codeLine,
  deciderIn,
  eventFacts,
  factList,
  ifAny,
  momentOf,
  readEntry,
  type TimeLineEntry,
  timeLineTable,
  whyOfRegistration,
} from '../../review/web/parts.ts';
import { boxOfRow, makeRowViews, type ReadReview, readOffers } from '../../review/web/payout-page.ts';
import type { PageViews, ProvedVisit } from '../../review/web/view.ts';
import { accountOf, companyOf, maskedAccountOf, nameOf, referencesOf, remedyFor, stateOf } from './shown.ts';

interface RegistrationPageContext {
  readonly store: Pick<RegistrationStore, 'registrationHistory'> &
    Pick<PersonStore, 'persons' | 'editPersons'>;
  readonly readReview: ReadReview;
  readonly evidenceFolder: string | undefined;
}

// ---------------------------------------------------------------- content

/** State, account and customer. */
function head(visit: ProvedVisit, { row }: RegistrationHistory, isRevealed: boolean): Html {
  const { say, person } = visit;
  const [account, customer] = [accountOf(row), readRegistrationCell(row, 'customerId')];
  const shown = (text: string): string => (isRevealed ? text : showLastDigits(text));
  return html`<p class="state">${stateOf(visit, row)}</p>
    ${factList([
      [
        say('registration.account'),
        html`<span class="mono">${shown(account)}</span> ${
            isRevealed
              ? html`<small role="status">${say('registration.customer-revealed')}</small>`
              : can(person, 'reveal').allowed &&
                postButton(visit, `/registration/${row.seq}/reveal`, say('payout.reveal'))
          }`,
      ],
      [say('registration.customer'), html`<span class="mono">${shown(customer)}</span>`],
      [say('registration.company'), companyOf(row)],
    ])}`;
}

/** Company, reason, remedy and batch; all else is folded. */
function summary(visit: ProvedVisit, history: RegistrationHistory): Html {
  const { say } = visit;
  const { row, batch } = history;
  const [code] = describeRegistrationReason(row);
  return html`${factList([
      [
        say('payout.why'),
        (row.reason !== null || code !== '') && html`${whyOfRegistration(visit, row)} <small>${code}</small>`,
      ],
      [say('payout.remedy'), remedyFor(visit, row)],
      [
        say('registration.batch'),
        html`<a href="/registrations/batch/${batch.batchId}">${showText(batch.fileName)}</a>,
          ${say('payout.row')} ${row.rowNo} <small>${batch.batchId}</small>`,
      ],
      [
        say('registration.bank-answer'),
        ifAny([row.attempt?.statusCode, row.attempt?.statusDesc].filter(Boolean).join(' ')),
      ],
      [
        say('registration.callback-word'),
        ifAny([row.respCode, row.respDesc, row.applyDtm].filter(Boolean).join(' ')),
      ],
      [say('registration.awaited-until'), row.awaitedUntilMs !== null && momentOf(visit, row.awaitedUntilMs)],
    ])}
    <details>
      <summary>${say('payout.more-facts')}</summary>
      ${factList([
        [say('payout.references'), ifAny(referencesOf(row))],
        [say('registration.request-uid'), ifAny(row.attempt && latestRequestUid(row.attempt))],
        [say('payout.bank-reference'), ifAny(row.attempt?.ddrOapiSeqId)],
        [say('payout.sent'), row.submittedAtMs !== null && momentOf(visit, row.submittedAtMs)],
        [say('payout.settled'), row.settledAtMs !== null && momentOf(visit, row.settledAtMs)],
        [say('payout.carried'), carriedCells(batch.extraColumns, row.extras)],
      ])}
    </details>`;
}

interface Shown extends Awaited<ReturnType<typeof readOffers<RegistrationDecision>>> {
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

const whoOf = (visit: ProvedVisit, { cause, detail }: RegistrationEvent): Part =>
  deciderIn(visit, detail) ?? visit.say(bankCauses.includes(cause) ? 'payout.bank-side' : 'payout.program');

function eventEntry(visit: ProvedVisit, event: RegistrationEvent): TimeLineEntry {
  const { language, say } = visit;
  const { cause, detail, from, to, atMs, attemptNo } = event;
  return {
    atMs,
    repeated: undefined,
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
      eventFacts(
        visit,
        detail,
        hiddenDetails,
        showFact,
        cause === 'intent-recorded' ? [[say('registration.request-no'), String(attemptNo)]] : [],
      ),
    ],
  };
}

/** Each callback as received; the event after it shows its effect. */
function callbackEntries(visit: ProvedVisit, { callbacks }: RegistrationHistory): readonly TimeLineEntry[] {
  const { say } = visit;
  return callbacks.map(({ callback, receivedAtMs, fromAddress, repeats }) => ({
    atMs: receivedAtMs,
    repeated: undefined,
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

function timeLine(visit: ProvedVisit, history: RegistrationHistory): Part {
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
  visit: ProvedVisit,
  seq: number,
): Promise<Shown | undefined> {
  const history = await store.registrationHistory(seq);
  if (history === undefined) return undefined;
  const shown = await readOffers(readReview, visit, 'registration', history.row, readRegistrationOptions);
  return { history, ...shown };
}

/** The form with the decisions on a registration. @param version the version of the row that was displayed */
function boxOf(
  { evidenceFolder }: RegistrationPageContext,
  { history: { row }, offers }: Shown,
  version: string,
): DecisionBox {
  const target = { kind: 'registration', key: String(row.seq), version } as const;
  const named = { what: `${nameOf(row)}, ${maskedAccountOf(row)}`, name: nameOf(row) };
  return boxOfRow(evidenceFolder, offers, target, named, () => counted(1, 'registration'));
}

/** @returns the views, with the form that brings an evidence file where files are kept */
export const makeRegistrationViews = (context: RegistrationPageContext): PageViews =>
  makeRowViews<Shown>(
    {
      path: '/registration',
      read: async (visit, seq) => readShown(context, visit, seq),
      gone: (visit) =>
        plainPage(
          visit,
          404,
          visit.say('page.not-found'),
          visit.say('registration.gone-registration'),
          '/registrations',
        ),
      describe: (visit, { history }, isRevealed) => ({
        title: `${visit.say('registration.registration')} ${nameOf(history.row)}`,
        head: head(visit, history, isRevealed),
        facts: summary(visit, history),
        asking: undefined,
        story: timeLine(visit, history),
      }),
      boxOf: (_visit, shown, version) => boxOf(context, shown, version),
      recordReveal: async (visit, { history: { row, batch } }) => {
        const looked = { what: 'account', row: row.rowNo, batch: batch.batchId } as const;
        const { clock } = await context.readReview();
        await recordReveal(context.store, clock, visit.proved, looked);
      },
    },
    context.evidenceFolder,
  );
