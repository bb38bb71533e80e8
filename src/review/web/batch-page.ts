/** Batches: their progress, the sum to be paid before the approval, their rows and their files. */
import { bahtOf, joined, type Message, message, type PlainCode, sayCode } from '../../core/message.ts';
import { basename } from 'node:path';
import { showBaht, showCount } from '../../core/figures.ts';
import { zeroSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import { type PayoutStatus, payoutStatuses } from '../../core/payout.ts';
import { showLastDigits } from '../../core/proxy-id.ts';
import type { Batch, BatchReader, Report, StatusTotal } from '../../core/ports.ts';
import type { FoundPayout, HistoryReader, PayoutSearch } from '../../payout/ports.ts';
import { moneyMovedOf } from '../../reports/rules/report-rows.ts';
import { hashFile } from '../../platform/durable-file.ts';
import { readApprovalFigures } from '../approve-batch.ts';
import type { ReviewContext } from '../context.ts';
import type { PersonStore, Proposal } from '../ports.ts';
import { recordReveal } from '../reveal.ts';
import { figureWhole } from '../freeze.ts';
import type { ApprovalFigures } from '../rules/approval-figures.ts';
import { decide } from '../review.ts';
import type { ProposalFigures } from '../rules/proposal-figures.ts';
import { whyNotApprove } from '../rules/approval.ts';
import { readBatchVersion } from '../batch-target.ts';
import { decideBatch } from '../rules/batch-decisions.ts';
import { computeBatchSteps, type StepState } from '../rules/batch-steps.ts';
import { decideOffers, type Offer } from '../rules/offers.ts';
import { can } from '../rules/people.ts';
import { answerDecision, type DecideForm, decidePage } from './decide-form.ts';
import { type Decision, describeAct } from '../rules/terms.ts';
import { deciderOf } from '../verdict.ts';
import { findSentBack, leaveOutPart } from './proposed/again-page.ts';
import { approvalCards, type ApprovalReader, auditorsCard, readWaiting } from './approval-panel.ts';
import { describeWhat, figuresPanel, headlineOf, totalOfFigures, moneyCard } from './figures-panel.ts';
import { noteLengthMax, proposeCard, type ToPropose } from './decision-box.ts';
import { addTotals } from '../../overview/rules/today.ts';
import { html, type Html, type Part } from './html.ts';
import { keptNote, plainPage, postButton, problems } from './layout.ts';
import { capital, dataTable, factList, momentOf, moneyTag, sayBatchStatus, whyOf } from './parts.ts';
import type { ReadReview } from './payout-page.ts';
import { type Answer, type Fields, formAt, type Page, type ProvedVisit, type View, viewAt } from './view.ts';

interface BatchPageContext {
  readonly store: Pick<BatchReader, 'batches' | 'batch' | 'totals' | 'holdTotals' | 'reports'> &
    Pick<PayoutSearch, 'searchPayouts'> &
    ApprovalReader &
    HistoryReader &
    Pick<PersonStore, 'persons' | 'editPersons'>;
  readonly readReview: ReadReview;
}

const rowsOnPage = 50;

// ---------------------------------------------------------------- reading one batch

type BatchDecision = 'approve-batch' | 'resume-batch' | 'cancel-batch';
const batchDecisions: readonly BatchDecision[] = ['approve-batch', 'resume-batch', 'cancel-batch'];

interface ShownBatch {
  readonly batch: Batch;
  /** The account in the settings, from which a resumed batch is paid. */
  readonly payerAccount: string;
  readonly totals: readonly StatusTotal[];
  readonly reports: readonly Report[];
  /** Undefined where no row waits for approval. */
  readonly figures: ApprovalFigures | undefined;
  readonly people: 1 | 2 | undefined;
  readonly steps: readonly StepState[];
  readonly offers: readonly Offer<BatchDecision>[];
  readonly open: Proposal | undefined;
}

async function findOpen({ journal }: ReviewContext, batchId: string): Promise<Proposal | undefined> {
  const [item] = await journal.openItems('batch', [batchId]);
  return item && journal.proposal(item.proposalId);
}

async function readShown(
  { store, readReview }: BatchPageContext,
  { person }: ProvedVisit,
  batchId: string,
): Promise<ShownBatch | undefined> {
  const batch = await store.batch(batchId);
  if (batch === undefined) return undefined;
  const review = await readReview();
  const totals = await store.totals(batchId);
  const holds = await store.holdTotals(batchId);
  const approval = await review.journal.approvalOf(batchId);
  const open = await findOpen(review, batchId);
  const reports = await store.reports(batchId);
  const terms = { person, people: review.people, openProposal: open?.proposalId };
  const options = (['resume-batch', 'cancel-batch'] as const).map((decision) => ({
    decision,
    whyNot: decideBatch(decision, batch, totals, holds),
  }));
  const approving = { decision: 'approve-batch', whyNot: whyNotApprove(batch.status, approval) } as const;
  const waits = approval !== undefined && approval.rows > 0;
  const given = open?.decision === 'approve-batch' ? 1 : 0;
  return {
    batch,
    payerAccount: review.payerAccount,
    totals,
    reports,
    open,
    people: approval?.people,
    figures: waits ? await readApprovalFigures({ ...review, journal: store }, batchId) : undefined,
    steps: computeBatchSteps({
      batch,
      totals,
      approval: approval && { people: approval.people, waitingRows: approval.rows, given },
      hasResult: reports.some(({ kind }) => kind === 'result'),
    }),
    offers: [
      ...decideOffers([approving], { ...terms, ...approvalTerms(approval) }),
      ...decideOffers(options, terms),
    ],
  };
}

/** An approval takes the number of people that its batch needs; a lone approver needs the right to check. */
const approvalTerms = (approval: { readonly people: 1 | 2 } | undefined) =>
  approval?.people === 1
    ? ({ people: 1, action: 'check' } as const)
    : ({ people: 2, action: 'propose' } as const);

// ---------------------------------------------------------------- display

const stateSigns: Readonly<Record<StepState['state'], readonly [sign: string, word: PlainCode]>> = {
  done: ['✓', 'batch.step-done'],
  now: ['…', 'batch.step-now'],
  later: ['○', 'batch.step-later'],
  stopped: ['‖', 'batch.step-stopped'],
};

const hundred = 100;

/** "Locked ✓", "Approval 1 of 2", "Paying 62%", "Result so far". */
function stepItem({ say, language }: ProvedVisit, { step, state, done, of }: StepState): Html {
  const [sign, word] = stateSigns[state];
  const isShare =
    step === 'paying' &&
    state !== 'later' &&
    state !== 'done' &&
    done !== undefined &&
    of !== undefined &&
    of > 0;
  const share = isShare ? `${Math.floor((done * hundred) / of)}%` : undefined;
  const count =
    step === 'approval' && of !== undefined
      ? say(message('count.of', { count: done ?? 0, all: of }))
      : undefined;
  const isSoFar = step === 'result' && state === 'now';
  const name = isSoFar ? say('batch.result-so-far') : sayCode(language, `batch-step.${step}`);
  return html`<li class="step-${state}">
    ${name} ${count ?? share} <span aria-hidden="true">${isSoFar ? '' : sign}</span>
    <span class="hidden">${say(word)}</span>
  </li>`;
}

/** The label of a decision: "Propose to pay salary-november.csv". */
const labelOf = (
  { say, language }: ProvedVisit,
  { fileName }: Batch,
  decision: BatchDecision,
  isAlone: boolean,
): string =>
  decision === 'approve-batch' && !isAlone
    ? say(message('approval.propose-to-pay', { file: showText(fileName) }))
    : sayCode(language, `decision.${decision}`);

/**
 * The decisions about a whole batch, of either kind; the impossible ones are folded.
 * @param open the undecided proposal about it, and its headline
 */
export function wholeCard<Name extends Decision>(
  { say, ...visit }: ProvedVisit,
  page: string,
  offers: readonly Offer<Name>[],
  open: { readonly proposalId: number; readonly headline: Part } | undefined,
  sayLabel: (decision: Name) => string,
): Html {
  const possible = offers.filter(({ whyNot }) => whyNot === undefined);
  const others = offers.filter(({ whyNot }) => whyNot !== undefined);
  return html`<section class="card" aria-labelledby="decisions">
    <h2 id="decisions">${say('payout.decisions')}</h2>
    ${
      open !== undefined &&
      html`<p>
        <a class="button main full" href="/proposal/${open.proposalId}"
          >${say('payout.waits-for-check')}: ${open.headline}</a
        >
      </p>`
    }
    ${
      possible.length > 0 &&
      html`<ul class="decisions">
        ${possible.map(
          ({ decision, needsSecond }, place) =>
            html`<li>
              <a
                class="${place === 0 && decision !== 'cancel-batch' ? 'button main' : 'button'}"
                href="${page}/decide/${decision}"
                >${sayLabel(decision)}</a
              >
              <small>${say(needsSecond ? 'payout.second' : 'payout.one-is-enough')}</small>
            </li>`,
        )}
      </ul>`
    }
    ${
      others.length > 0 &&
      html`<details ${possible.length === 0 && open === undefined && 'open'}>
        <summary>${say('payout.not-possible')}</summary>
        <ul class="decisions">
          ${others.map(
            ({ decision, whyNot }) =>
              html`<li class="off">${sayLabel(decision)} <small>${whyOf(visit, whyNot)}</small></li>`,
          )}
        </ul>
      </details>`
    }
  </section>`;
}

function decisionsCard(visit: ProvedVisit, { batch, offers, open, people }: ShownBatch): Html {
  const named = open && { proposalId: open.proposalId, headline: visit.say(headlineOf(open)) };
  return wholeCard(visit, `/batch/${batch.batchId}`, offers, named, (decision) =>
    labelOf(visit, batch, decision, people === 1),
  );
}

function filesCard(visit: ProvedVisit, { batch, reports }: ShownBatch): Html {
  const { say, person } = visit;
  const mayTake = can(person, 'reveal').allowed;
  return html`<section class="card" aria-labelledby="files">
    <h2 id="files">${say('batch.files')}</h2>
    ${reports.length === 0 ? html`<p>${say('batch.no-files')}</p>` : html`<p><small>${say('batch.files-hint')}</small></p>`}
    <ul class="decisions">
      ${reports.map(
        ({ kind, number, path, atMs }) =>
          html`<li>
            ${
              mayTake
                ? postButton(
                    visit,
                    `/batch/${batch.batchId}/file/${kind}/${number}`,
                    basename(path),
                    {},
                    'link',
                  )
                : basename(path)
            }
            <small>${momentOf(visit, atMs)}</small>
          </li>`,
      )}
    </ul>
  </section>`;
}

function rowOf(visit: ProvedVisit, { row }: FoundPayout): Html {
  const { say } = visit;
  const { payeeName } = row.instruction ?? row.cells;
  const names = [payeeName, row.bankPayeeName, row.bankPayeeNameTh].filter(Boolean).join(' · ');
  return html`<tr>
    <td class="number" data-head="${say('payout.row')}">${row.rowNo}</td>
    <td data-head="${say('payout.payout')}">
      <a class="open" href="/payout/${row.seq}"><span class="name">${row.cells.payoutId.trim()}</span></a>
    </td>
    <td class="number" data-head="${say('payout.amount')}">
      ${row.amountSatang === null ? showText(row.cells.amount) : showBaht(row.amountSatang)}
    </td>
    <td data-head="${say('payout.payee')}">
      <span class="mono">${showLastDigits(row.instruction?.proxyNo ?? row.cells.proxyNo)}</span>
      <small>${showText(names)}</small>
    </td>
    <td data-head="${say('payout.status')}">
      ${sayRowStatus(visit, row.status, row.holds.includes('approval'))}<br />${moneyTag(visit, moneyMovedOf(row))}
    </td>
  </tr>`;
}

/** The status of rows; of those that wait for approval, that they do. */
const sayRowStatus = ({ language }: ProvedVisit, status: PayoutStatus, isForApproval: boolean): string =>
  sayCode(
    language,
    status === 'held' && isForApproval ? 'batch.waits-for-approval' : `payout-status.${status}`,
  );

/** A page of the rows of a batch, from its first row. */
interface RowPage {
  readonly found: readonly FoundPayout[];
  readonly after: number;
  /** Undefined for every status. */
  readonly status: PayoutStatus | undefined;
  readonly hasMore: boolean;
}

/** Rows that one look goes through for those in a status. */
const rowWindow = 500;

/** Reads a page of rows in the order of the file. */
async function readRows(
  { store }: BatchPageContext,
  { batchId, rows }: Batch,
  after: number,
  status: PayoutStatus | undefined,
): Promise<RowPage> {
  const found: FoundPayout[] = [];
  const step = status === undefined ? rowsOnPage + 1 : rowWindow;
  const only = status === undefined ? {} : { statuses: [status] };
  for (let from = after; from < rows && found.length <= rowsOnPage; from += step) {
    const filter = { batchId, rowNos: { after: from, upTo: from + step }, ...only };
    found.push(...(await store.searchPayouts(filter, Number.MAX_SAFE_INTEGER, step)).toReversed());
  }
  return { found: found.slice(0, rowsOnPage), after, status, hasMore: found.length > rowsOnPage };
}

function rowTable(
  visit: ProvedVisit,
  { batch: { batchId }, totals, figures }: ShownBatch,
  { found, after, status, hasMore }: RowPage,
): Html {
  const { say } = visit;
  const rowsForApproval = figures?.approved.rows ?? 0;
  const base = `/batch/${batchId}${status === undefined ? '' : `/in/${status}`}`;
  const last = found.at(-1)?.row.rowNo;
  const chip = (href: string, word: Part, isCurrent: boolean) =>
    html`<a href="${href}#rows" ${isCurrent && html`aria-current="true"`}>${word}</a>`;
  return html`<section aria-labelledby="rows">
    <h2 id="rows">${say('batch.all-rows')}</h2>
    <nav class="chips" aria-label="${say('payout.status')}">
      ${chip(`/batch/${batchId}`, say('batch.every-status'), status === undefined)}
      ${addTotals(totals).map((total) =>
        chip(
          `/batch/${batchId}/in/${total.status}`,
          `${sayRowStatus(visit, total.status, total.rows === rowsForApproval)} ${showCount(total.rows)}`,
          status === total.status,
        ),
      )}
    </nav>
    ${dataTable(
      visit,
      ['payout.row', 'payout.payout', 'payout.amount', 'payout.payee', 'payout.status'],
      found.map((row) => rowOf(visit, row)),
      ['payout.row', 'payout.amount'],
    )}
    <div class="pages">
      ${after > 0 && html`<a class="button" href="${base}#rows">${say('batch.from-first')}</a>`}
      ${
        hasMore &&
        last !== undefined &&
        html`<a class="button" href="${base}/after/${last}#rows">${say('batch.further-rows')}</a>`
      }
    </div>
  </section>`;
}

const readBatchId = (fields: Fields): string => (fields['batchId'] ?? '').slice(0, rowsOnPage);

const notFound = (visit: ProvedVisit): Page =>
  plainPage(visit, 404, visit.say('page.not-found'), '', '/batches');

/** The reason and the remedy of a batch; the file of a refused one is uploaded again once it is corrected. */
function factsCard(visit: ProvedVisit, { batch }: ShownBatch): Html {
  const { say, person } = visit;
  const isRefused = batch.status === 'rejected';
  return html`<section class="card">
    ${factList([
      [say('payout.status'), sayBatchStatus(visit, batch)],
      [say('payout.why'), whyOf(visit, batch.reason, batch.reasonCode)],
      [say('payout.remedy'), whyOf(visit, batch.remedy)],
      [say('batch.rows'), batch.rows > 0 && showCount(batch.rows)],
      [say('payout.amount'), batch.totalSatang > zeroSatang && say(bahtOf(batch.totalSatang))],
      [say('batch.payer-account'), showLastDigits(batch.payerAccount)],
      [say('batch.begun'), momentOf(visit, batch.startedAtMs)],
      [say('batch.rested'), batch.restedAtMs !== null && momentOf(visit, batch.restedAtMs)],
    ])}
    ${
      isRefused &&
      can(person, 'propose').allowed &&
      html`<p><a class="button main" href="/upload">${say('batch.upload-corrected')}</a></p>`
    }
    <details>
      <summary>${say('batch.digest-of-file')}</summary>
      <code>${batch.sha256}</code>
    </details>
  </section>`;
}

async function answerBatch(context: BatchPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { say } = visit;
  const batchId = readBatchId(fields);
  const shown = await readShown(context, visit, batchId);
  if (shown === undefined) return notFound(visit);
  const { batch, totals, steps } = shown;
  const asked = fields['after'] ?? '';
  const after = /^\d{1,9}$/.test(asked) ? Number(asked) : 0;
  const status = payoutStatuses.find((one) => one === fields['status']);
  const page = await readRows(context, batch, after, status);
  return {
    title: showText(batch.fileName),
    body: html`<div class="bread"><a href="/batches">${say('today.all-batches')}</a></div>
      <div class="head">
        <h1>${showText(batch.fileName)}</h1>
        <small>${batchId}</small>
      </div>
      <div data-live="steps">
        <ol class="stepline" aria-label="${say('batch.steps')}">
          ${steps.map((step) => stepItem(visit, step))}
        </ol>
        ${moneyCard(visit, totals)}
      </div>
      <div class="two">
        ${decisionsCard(visit, shown)}
        <div>${factsCard(visit, shown)}</div>
      </div>
      ${batch.rows > 0 && rowTable(visit, shown, page)} ${filesCard(visit, shown)}`,
  };
}

// ---------------------------------------------------------------- deciding

/** @param figures the present effect of the decision */
async function formOf(
  { store }: BatchPageContext,
  visit: ProvedVisit,
  { batch, totals }: ShownBatch,
  decision: Exclude<BatchDecision, 'approve-batch'>,
  { figures, version }: { readonly figures: ProposalFigures; readonly version: string },
): Promise<DecideForm> {
  const { say } = visit;
  const { batchId } = batch;
  const path = `/batch/${batchId}`;
  const figured = { decision, kind: 'batch', figures, totalSatang: totalOfFigures(figures) } as const;
  return {
    decision,
    path: `${path}/decide/${decision}`,
    back: path,
    targets: [{ kind: 'batch', key: batchId, version }],
    what: say(describeWhat(figured)),
    act: describeAct(decision, describeWhat(figured)),
    shown: [await figuresPanel(store, visit, figured), moneyCard(visit, totals)],
    hidden: { version },
    nameTarget: () => html`<a href="${path}">${say('payout.batch')} ${batchId}</a>`,
  };
}

// ---------------------------------------------------------------- proposing to pay

/** The page of a batch before it is proposed: the same as the checker's, except for the box. */
async function proposePage(
  { store }: BatchPageContext,
  visit: ProvedVisit,
  review: ReviewContext,
  shown: ShownBatch,
  toPropose: ToPropose,
  kept: Part,
): Promise<Page> {
  const { say } = visit;
  const { batch } = shown;
  const { batchId, sha256 } = batch;
  const { figured, refused } = toPropose;
  const waiting = await readWaiting(store, review, batch);
  return {
    title: capital(say(headlineOf(figured))),
    status: refused?.status ?? 200,
    body: html`<div class="bread"><a href="/batch/${batchId}">${showText(batch.fileName)}</a></div>
      ${kept} ${refused !== undefined && problems(visit, [{ field: 'note', text: refused.text }])}
      <div class="ap">
        <div class="col">
          ${await approvalCards(store, visit, figured, { waiting, batchId })}
          ${auditorsCard(visit, figured.figures, [
            [say('batch.digest-of-file'), html`<code>${sha256}</code>`],
            [say('passkey.signed-text'), say('approval.text-at-signing')],
          ])}
        </div>
        <div>${proposeCard(visit, shown, toPropose)}</div>
      </div>`,
  };
}

/** Proposes to pay, or shows the page with the reason why not and the typed text. */
async function answerPropose(
  context: BatchPageContext,
  visit: ProvedVisit,
  shown: ShownBatch,
  fields: Fields,
  isPosted: boolean,
): Promise<Answer> {
  const review = await context.readReview();
  const { batchId } = shown.batch;
  const decision = 'approve-batch';
  const figures = await figureWhole(review, decision, { kind: 'batch', key: batchId });
  const figured = { decision, kind: 'batch', figures, totalSatang: totalOfFigures(figures) } as const;
  const present = shown.figures?.digest ?? '';
  const again = await findSentBack(review, visit, fields['again']);
  const leaveOut = again && (await leaveOutPart(visit, review, again));
  const note = (fields['note'] ?? again?.note ?? '').trim().slice(0, noteLengthMax);
  const toPropose = { figured, version: present, note, again, leaveOut };
  const refuse = (status: number, text: Message) =>
    proposePage(context, visit, review, shown, { ...toPropose, refused: { status, text } }, undefined);
  if (!isPosted) return proposePage(context, visit, review, shown, toPropose, keptNote(visit, fields));
  if (note === '') return refuse(422, message('decide.missing-why'));
  const targets = [{ kind: 'batch', key: batchId, version: fields['version'] ?? '' }] as const;
  const wish = { decision, targets, note, evidence: null } as const;
  const proposed = await decide(review, deciderOf(visit.proved), [wish]);
  if (proposed.kind === 'refused') return refuse(409, joined(proposed.objections.map(({ why }) => why)));
  const [end] = proposed.ends;
  return { goTo: end === undefined ? '/proposals' : `/proposal/${end.proposal.proposalId}` };
}

async function answerDecide(
  context: BatchPageContext,
  visit: ProvedVisit,
  fields: Fields,
  isPosted: boolean,
): Promise<Answer> {
  const decision = batchDecisions.find((name) => name === fields['decision']);
  const shown = decision && (await readShown(context, visit, readBatchId(fields)));
  if (decision === undefined || shown === undefined) return notFound(visit);
  const offer = shown.offers.find((one) => one.decision === decision);
  const { batchId } = shown.batch;
  if (offer?.whyNot !== undefined)
    return plainPage(
      visit,
      409,
      visit.say('payout.not-possible'),
      whyOf(visit, offer.whyNot),
      `/batch/${batchId}`,
    );
  if (decision === 'approve-batch') return answerPropose(context, visit, shown, fields, isPosted);
  const review = await context.readReview();
  const version = isPosted ? (fields['version'] ?? '') : await readBatchVersion(review, shown.batch);
  const figures = await figureWhole(review, decision, { kind: 'batch', key: batchId });
  const form = await formOf(context, visit, shown, decision, { figures, version });
  return isPosted ? answerDecision(visit, review, form, fields) : decidePage(visit, review, form, fields);
}

// ---------------------------------------------------------------- files

const typeOf = (name: string): string =>
  name.endsWith('.csv')
    ? 'text/csv; charset=utf-8'
    : name.endsWith('.json')
      ? 'application/json'
      : 'application/octet-stream';

async function answerFile(context: BatchPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { store, readReview } = context;
  const batchId = readBatchId(fields);
  const reports = await store.reports(batchId);
  const report = reports.find(
    ({ kind, number }) => kind === fields['kind'] && String(number) === fields['number'],
  );
  if (report === undefined) return notFound(visit);
  const { path, kind } = report;
  if ((await hashFile(path)) !== report.sha256)
    return plainPage(visit, 404, visit.say('batch.files'), visit.say('batch.file-gone'), `/batch/${batchId}`);
  const { clock } = await readReview();
  await recordReveal(store, clock, visit.proved, { what: 'batch-file', file: kind, batch: batchId });
  const name = basename(path);
  return { file: { path, name, type: typeOf(name) } };
}

const rowPaths = [
  '/batch/:batchId',
  '/batch/:batchId/after/:after',
  '/batch/:batchId/in/:status',
  '/batch/:batchId/in/:status/after/:after',
] as const;

export const makeBatchViews = (context: BatchPageContext): readonly View[] => [
  ...rowPaths.map((path) =>
    viewAt('GET', path, 'see', (visit, fields) => answerBatch(context, visit, fields)),
  ),
  // Each decision checks its own permission: a lone approver needs to check, all others to propose.
  ...formAt('/batch/:batchId/decide/:decision', 'see', (visit, fields, isPosted) =>
    answerDecide(context, visit, fields, isPosted),
  ),
  viewAt('GET', '/batch/:batchId/decide/:decision/again/:again', 'see', (visit, fields) =>
    answerDecide(context, visit, fields, false),
  ),
  viewAt('POST', '/batch/:batchId/file/:kind/:number', 'reveal', (visit, fields) =>
    answerFile(context, visit, fields),
  ),
];
