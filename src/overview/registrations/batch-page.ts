/** A file of registrations: its progress, the decisions about it as a whole, its files and its rows. */
import { sayCode } from '../../core/message.ts';
import { basename } from 'node:path';
import { showCount } from '../../core/figures.ts';
import { zeroSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import type {
  RegistrationBatch,
  RegistrationRow,
  RegistrationStore,
  RegistrationTotal,
} from '../../registration/ports.ts';
import { registrationStatuses } from '../../registration/rules/registration.ts';
import { decideRegistrationBatch, versionOfRegistrations } from '../../review/registration-target.ts';
import { decideOffers, type Offer } from '../../review/rules/offers.ts';
import type { ProposalFigures } from '../../review/rules/proposal-figures.ts';
import { describeAct, nameOfDecision } from '../../review/rules/terms.ts';
import { figureWhole } from '../../review/freeze.ts';
import { wholeCard } from '../../review/web/batch-page.ts';
import { answerDecision, type DecideForm, decidePage } from '../../review/web/decide-form.ts';
import { describeWhat } from '../../review/web/figures-panel.ts';
import { html, type Html, type Part } from '../../review/web/html.ts';
import { plainPage, postButton } from '../../review/web/layout.ts';
import { factList, momentOf, whyOf } from '../../review/web/parts.ts';
import type { ReadReview } from '../../review/web/payout-page.ts';
import {
  type Answer,
  type Fields,
  formAt,
  type Page,
  type ProvedVisit,
  type View,
} from '../../review/web/view.ts';
import { registrationTable } from './list-page.ts';

interface RegistrationBatchContext {
  readonly store: Pick<
    RegistrationStore,
    'registrationBatch' | 'registrationTotals' | 'registrationReports' | 'searchRegistrations'
  >;
  readonly readReview: ReadReview;
}

const rowsOnPage = 50;
const decisions = ['resume-batch', 'cancel-batch'] as const;

interface Shown {
  readonly batch: RegistrationBatch;
  readonly totals: readonly RegistrationTotal[];
  readonly offers: readonly Offer[];
  readonly openProposal: number | undefined;
  readonly files: readonly { readonly name: string; readonly atMs: number }[];
  readonly rows: readonly RegistrationRow[];
  readonly isFirst: boolean;
}

const idForm = /^[0-9A-HJKMNP-TV-Z]{10}$/i;

async function readShown(
  { store, readReview }: RegistrationBatchContext,
  { person }: ProvedVisit,
  fields: Fields,
): Promise<Shown | undefined> {
  const batchId = (fields['batchId'] ?? '').toUpperCase();
  const batch = idForm.test(batchId) ? await store.registrationBatch(batchId) : undefined;
  if (batch === undefined) return undefined;
  const totals = await store.registrationTotals(batchId);
  const review = await readReview();
  const [open] = await review.journal.openItems('registration-batch', [batchId]);
  const openProposal = open?.proposalId;
  const options = decisions.map((decision) => ({
    decision,
    whyNot: decideRegistrationBatch(decision, batch, totals),
  }));
  const before = Number(fields['before']);
  const isFirst = !(Number.isSafeInteger(before) && before > 0);
  const reports = await store.registrationReports.reports(batchId);
  return {
    batch,
    totals,
    offers: decideOffers(options, { person, people: review.people, openProposal }),
    openProposal,
    files: reports.map(({ path, atMs }) => ({ name: basename(path), atMs })),
    rows: await store.searchRegistrations(
      { batchId },
      isFirst ? Number.MAX_SAFE_INTEGER : before,
      rowsOnPage,
    ),
    isFirst,
  };
}

// ---------------------------------------------------------------- content

const placeOf = ({ status }: RegistrationTotal): number => registrationStatuses.indexOf(status);

/** Totals in the order of a registration's life. */
const byStatus = ({ language }: ProvedVisit, totals: readonly RegistrationTotal[]): Html =>
  html`<ul class="figures" data-live="figures">
    ${totals
      .filter(({ rows }) => rows > 0)
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map(
        ({ status, rows }) =>
          html`<li><b>${showCount(rows)}</b> ${sayCode(language, `registration-status.${status}`)}</li>`,
      )}
  </ul>`;

function facts(visit: ProvedVisit, { batch, files }: Shown): Html {
  const { say, language } = visit;
  return html`<section class="card">
    ${factList([
      [say('payout.file'), showText(batch.fileName)],
      [say('payout.status'), sayCode(language, `batch-status.${batch.status}`)],
      [say('registration.registration-rows'), showCount(batch.rows)],
      [say('payout.why'), whyOf(visit, batch.reason, batch.reasonCode)],
      [say('payout.remedy'), whyOf(visit, batch.remedy)],
      [say('payout.time'), momentOf(visit, batch.droppedAtMs)],
      [
        say('batch.files'),
        files.length > 0 &&
          files.map(
            ({ name, atMs }) => html`${showText(name)} <small>${momentOf(visit, atMs)}</small><br />`,
          ),
      ],
    ])}
  </section>`;
}

function decisionsCard(visit: ProvedVisit, { batch, offers, openProposal }: Shown): Html {
  const { say, language } = visit;
  const open = openProposal !== undefined && {
    proposalId: openProposal,
    headline: `${say('payout.proposal-word')} ${openProposal}`,
  };
  return wholeCard(visit, `/registrations/batch/${batch.batchId}`, offers, open || undefined, (decision) =>
    sayCode(language, nameOfDecision(decision, 'registration-batch')),
  );
}

function pages(visit: ProvedVisit, { batch, rows, isFirst }: Shown): Part {
  const path = `/registrations/batch/${batch.batchId}`;
  const last = rows.length === rowsOnPage ? rows.at(-1)?.seq : undefined;
  return html`<div class="pages">
    ${!isFirst && postButton(visit, path, visit.say('queue.newest'), {}, 'page')}
    ${last !== undefined && postButton(visit, path, visit.say('queue.older'), { before: String(last) }, 'page')}
  </div>`;
}

function batchPage(visit: ProvedVisit, shown: Shown): Page {
  const { say } = visit;
  const { batch, totals, rows } = shown;
  const title = `${say('registration.registration-batch')} ${batch.batchId}`;
  return {
    title,
    body: html`<h1>${title}</h1>
      ${byStatus(visit, totals)}
      <div class="columns">
        ${facts(visit, shown)}
        <div data-live="decisions">${decisionsCard(visit, shown)}</div>
      </div>
      <section aria-labelledby="rows" data-live="rows">
        <h2 id="rows">${say('registration.registration-rows')}</h2>
        ${registrationTable(visit, rows)} ${pages(visit, shown)}
      </section>`,
  };
}

// ---------------------------------------------------------------- answers

const gone = (visit: ProvedVisit): Page =>
  plainPage(visit, 404, visit.say('page.not-found'), visit.say('registration.gone-batch'), '/registrations');

async function answerBatch(
  context: RegistrationBatchContext,
  visit: ProvedVisit,
  fields: Fields,
): Promise<Answer> {
  const shown = await readShown(context, visit, fields);
  return shown === undefined ? gone(visit) : batchPage(visit, shown);
}

function formOf(
  visit: ProvedVisit,
  shown: Shown,
  { decision }: Offer,
  { figures, version }: { readonly figures: ProposalFigures; readonly version: string },
): DecideForm {
  const { batch } = shown;
  const path = `/registrations/batch/${batch.batchId}`;
  return {
    decision,
    path: `${path}/decide/${decision}`,
    back: path,
    targets: [{ kind: 'registration-batch', key: batch.batchId, version }],
    what: `${visit.say('registration.whole-registration-batch')} ${batch.batchId}`,
    act: describeAct(
      decision,
      describeWhat({ decision, kind: 'registration-batch', figures, totalSatang: zeroSatang }),
    ),
    shown: facts(visit, shown),
    hidden: { version },
    nameTarget: () => html`<a href="${path}">${batch.batchId}</a>`,
  };
}

async function answerDecide(
  context: RegistrationBatchContext,
  visit: ProvedVisit,
  fields: Fields,
  isPosted: boolean,
): Promise<Answer> {
  const shown = await readShown(context, visit, fields);
  const offer = shown?.offers.find(({ decision }) => decision === fields['decision']);
  if (shown === undefined || offer === undefined) return gone(visit);
  const review = await context.readReview();
  const version = isPosted ? (fields['version'] ?? '') : versionOfRegistrations(shown.batch);
  const target = { kind: 'registration-batch', key: shown.batch.batchId } as const;
  const figures = await figureWhole(review, offer.decision, target);
  const form = formOf(visit, shown, offer, { figures, version });
  if (isPosted) return answerDecision(visit, review, form, fields);
  return offer.whyNot === undefined
    ? decidePage(visit, review, form, fields)
    : plainPage(visit, 409, visit.say('payout.not-possible'), whyOf(visit, offer.whyNot), form.back);
}

export const makeRegistrationBatchViews = (context: RegistrationBatchContext): readonly View[] => [
  ...formAt('/registrations/batch/:batchId', 'see', (visit, fields) => answerBatch(context, visit, fields)),
  ...formAt('/registrations/batch/:batchId/decide/:decision', 'propose', (visit, fields, isPosted) =>
    answerDecide(context, visit, fields, isPosted),
  ),
];
