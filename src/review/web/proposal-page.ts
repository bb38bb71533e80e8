/** One proposal: its facts, the verdict on it, and its exact list. */
import { showCount } from '../../core/figures.ts';
import { bahtOf, type Message, message, sayCode } from '../../core/message.ts';
import { zeroSatang } from '../../core/money.ts';
import { changedSince } from '../batch-target.ts';
import { printable, showText } from '../../core/outgoing-text.ts';
import type { PersonStore, Proposal } from '../ports.ts';
import { locateEvidence } from '../evidence-files.ts';
import { type FiguresContext, readApprovalFigures } from '../approve-batch.ts';
import type { ReviewContext } from '../context.ts';
import { recordReveal } from '../reveal.ts';
import { type Judged, judgeProposal } from '../review.ts';
import type { ApprovalFigures } from '../rules/approval-figures.ts';
import { can } from '../rules/people.ts';
import { type EvidenceFile, openProposalStatuses, whyNotWithdraw } from '../rules/proposal.ts';
import { nameOfDecision } from '../rules/terms.ts';
import { deciderOf, findWhyNotCheck, giveVerdict, type Verdict } from '../verdict.ts';
import { approvalNotes, effectOfProposal, proposalPanel, sayFiles } from './figures-panel.ts';
import { type ItemsReader, itemRow, itemTable } from './proposals-page.ts';
import { html, type Html, type Part } from './html.ts';
import { csrfField, plainPage, postButton, problems } from './layout.ts';
import { factList, fullStop, momentOf, whyOf } from './parts.ts';
import type { ReadReview } from './payout-page.ts';
import {
  type ApprovalWay,
  enrolFirst,
  findApprovalWay,
  signaturesOf,
  signLink,
  type SigningPageContext,
} from './signing-page.ts';
import type { Answer, Fields, ProvedVisit, View } from './view.ts';

interface ProposalsPageContext {
  readonly store: ItemsReader & Pick<PersonStore, 'persons' | 'editPersons'> & FiguresContext['journal'];
  /** Judges the part of an open proposal that can be carried out. */
  readonly judge: Judge;
  readonly readReview: ReadReview;
  readonly signing: SigningPageContext;
  readonly evidenceFolder?: string | undefined;
}

const itemsOnPage = 50;
const noteLengthMax = 2_000;

const isOpen = ({ status }: Proposal): boolean => openProposalStatuses.includes(status);

/** The state of the proposal, and the next step. */
function banner(visit: ProvedVisit, proposal: Proposal, refused: number): Html {
  const { say, language } = visit;
  const { status, expiresAtMs, checkNote, items } = proposal;
  const next: Part =
    status === 'proposed'
      ? html`${say('proposal.after-proposing')} ${momentOf(visit, expiresAtMs)}${fullStop(visit)}`
      : status === 'applied' &&
        say(
          message('proposal.after-applied', {
            count: showCount(items - refused),
            all: showCount(items),
            refused: showCount(refused),
          }),
        );
  const isBad = status === 'stale' || status === 'expired' || refused > 0;
  const look = isBad ? 'problems' : status === 'applied' ? 'done' : 'done notice';
  return html`<div class="${look}" role="status" tabindex="-1" autofocus>
    <b>${sayCode(language, `proposal-status.${status}`)}${fullStop(visit)}</b> ${next}
    ${checkNote !== null && showText(checkNote)}
  </div>`;
}

/** Tells whether a text hides a whole number, which is displayed only on a recorded request. */
const hidesNumber = (text: string | null): boolean => text !== null && showText(text) !== printable(text);

/** The evidence file, downloaded only on request and never displayed: its content is foreign. */
const fileOf = (visit: ProvedVisit, proposalId: number, { name, sha256, bytes }: EvidenceFile): Html =>
  html`${showText(name)} <small>${showCount(bytes)} B, SHA-256 <code>${sha256}</code></small> ${
      can(visit.person, 'reveal').allowed &&
      postButton(visit, `/proposal/${proposalId}/evidence-file`, visit.say('decide.open-evidence'), {}, '')
    }`;

function facts(visit: ProvedVisit, proposal: Proposal, signatures: Part, isRevealed: boolean): Html {
  const { say } = visit;
  const { note, evidence, evidenceFile, maker, madeAtMs, checker, checkedAtMs } = proposal;
  const show = (text: string) => (isRevealed ? text : showText(text));
  return factList([
    [say('decide.effect'), effectOfProposal(visit, proposal)],
    [say('decide.why-note'), show(note)],
    [say('payout.evidence'), evidence === null ? undefined : show(evidence)],
    [
      say('decide.evidence-file'),
      evidenceFile ? fileOf(visit, proposal.proposalId, evidenceFile) : undefined,
    ],
    [say('proposal.maker'), html`${maker}, ${momentOf(visit, madeAtMs)}`],
    [
      say('proposal.checker'),
      checker !== null && checkedAtMs !== null && html`${checker}, ${momentOf(visit, checkedAtMs)}`,
    ],
    [say('passkey.signed-by'), signatures],
    [say('proposal.list-digest'), html`<code>${proposal.digest}</code>`],
  ]);
}

/** The only form that approves; it posts the digest of the displayed list. */
const approveForm = (visit: ProvedVisit, { proposalId, digest }: Proposal, isFirst: boolean): Html =>
  html`<form method="post" action="/proposal/${proposalId}/approve" class="approve">
    ${csrfField(visit)}
    <input type="hidden" name="seen" value="${digest}" />
    <button ${isFirst && html`class="main"`}>
      ${visit.say(isFirst ? 'proposal.approve' : 'passkey.approve-unsigned')}
    </button>
    <small>${visit.say('proposal.approve-exactly')}</small>
  </form>`;

const approveForms: Readonly<Record<ApprovalWay, (visit: ProvedVisit, proposal: Proposal) => Part>> = {
  plain: (visit, proposal) => approveForm(visit, proposal, true),
  sign: signLink,
  either: (visit, proposal) => [signLink(visit, proposal), approveForm(visit, proposal, false)],
  'no-key': enrolFirst,
};

const sendBackForm = (visit: ProvedVisit, { proposalId }: Proposal): Html => {
  const { say } = visit;
  return html`<form method="post" action="/proposal/${proposalId}/send-back">
    ${csrfField(visit)}
    <div class="field">
      <label for="note">${say('proposal.send-back-why')}</label>
      <textarea id="note" name="note" rows="2" maxlength="${noteLengthMax}" required></textarea>
    </div>
    <button>${say('proposal.send-back')}</button>
  </form>`;
};

const filesBehind = (files: string | undefined): string => (files === undefined ? '' : `, ${files}`);

/** The number of reasons that are named; the others are counted. */
const whysShownMax = 5;

const countCannot = ({ whyNot }: Judged): number => whyNot.reduce((sum, [, count]) => sum + count, 0);

/** The line over all items: the number that can be carried out now, and the reasons against the rest. */
function judgedLine(visit: ProvedVisit, { items, kind }: Proposal, judged: Judged | undefined): Part {
  const { say } = visit;
  if (judged === undefined) return undefined;
  const { possible, amountSatang, whyNot } = judged;
  const isOfMoney = kind === 'payout';
  if (whyNot.length === 0 && items === 1) return undefined;
  const cannot = countCannot(judged);
  const rest = whyNot.slice(whysShownMax).reduce((sum, [, count]) => sum + count, 0);
  return html`<p class="judged">
      <b>${say(message('proposal.can-go-on', { count: showCount(possible), all: showCount(items) }))}</b>${
        isOfMoney && `, ${say(bahtOf(amountSatang))}`
      }
    </p>
    ${
      cannot > 0 &&
      html`<div class="cannot">
        <b class="tag alarm"
          ><span aria-hidden="true">!</span>
          ${say(message('proposal.cannot-go-on', { count: showCount(cannot) }))}</b
        >
        <ul>
          ${whyNot
            .slice(0, whysShownMax)
            .map(([why, count]) => html`<li>${showCount(count)} × ${whyOf(visit, why)}</li>`)}
          ${rest > 0 && html`<li>${say(message('decide.and-more', { count: showCount(rest) }))}</li>`}
        </ul>
      </div>`
    }`;
}

/** The items that an approval does not carry out. */
function refusedThen(visit: ProvedVisit, judged: Judged | undefined): Part {
  const cannot = judged === undefined ? 0 : countCannot(judged);
  return cannot > 0 && visit.say(message('proposal.refused-then', { count: showCount(cannot) }));
}

function verdictCard(
  visit: ProvedVisit,
  proposal: Proposal,
  whyNot: { readonly approve: Message | undefined; readonly sendBack: Message | undefined },
  way: ApprovalWay,
  judged: Judged | undefined,
): Part {
  const { say, person, nowMs, proved } = visit;
  if (!isOpen(proposal)) return undefined;
  const isOwn = proposal.makerId === person.personId;
  const reason = isOwn ? say('proposal.own-proposal') : whyOf(visit, whyNot.approve);
  const canWithdraw = whyNotWithdraw(proposal, deciderOf(proved), nowMs) === undefined;
  return html`<section class="card first decision" aria-labelledby="your-decision">
    <h2 id="your-decision">${say('proposal.your-decision')}</h2>
    <blockquote>
      <small>${proposal.maker}</small>
      <p>${showText(proposal.note)}</p>
    </blockquote>
    ${judgedLine(visit, proposal, judged)}
    ${
      whyNot.approve === undefined
        ? html`<p>
              ${say('proposal.you-approve')}: <b>${effectOfProposal(visit, proposal)}</b>${filesBehind(
                sayFiles(visit, proposal.figures),
              )}${fullStop(visit)}
              ${refusedThen(visit, judged)}
            </p>
            ${approveForms[way](visit, proposal)}`
        : html`<p><b>${say('proposal.cannot-approve')}</b><br />${reason}</p>`
    }
    ${whyNot.sendBack === undefined && sendBackForm(visit, proposal)}
    ${canWithdraw && postButton(visit, `/proposal/${proposal.proposalId}/withdraw`, say('proposal.withdraw'), {}, '')}
  </section>`;
}

const readId = (fields: Fields, name: string): number | undefined =>
  /^\d{1,15}$/.test(fields[name] ?? '') ? Number(fields[name]) : undefined;

interface ProposalView {
  readonly isRevealed?: boolean;
  readonly complaint?: { readonly status: number; readonly field: string; readonly text: Message };
}

async function proposalPage(
  context: ProposalsPageContext,
  visit: ProvedVisit,
  fields: Fields,
  { isRevealed = false, complaint }: ProposalView = {},
): Promise<Answer> {
  const { say, language } = visit;
  const review = await context.readReview();
  const proposalId = readId(fields, 'id');
  const proposal = proposalId === undefined ? undefined : await review.journal.proposal(proposalId);
  if (proposal === undefined) return plainPage(visit, 404, say('page.not-found'), '', '/proposals');
  const after = readId(fields, 'after') ?? 0;
  const items = await review.journal.proposalItems(proposal.proposalId, after, itemsOnPage);
  const rows = await Promise.all(
    items.map(async (item) => itemRow(context.store, visit, item, isRevealed, proposal.figures)),
  );
  const whyNot = {
    approve: await findWhyNotCheck(review, proposal, visit.proved),
    sendBack: await findWhyNotCheck(review, proposal, visit.proved, 'send-back'),
  };
  const title = `${say('payout.proposal-word')} ${proposal.proposalId}: ${sayCode(language, nameOfDecision(proposal.decision, proposal.kind))}`;
  const isCorrecting = items.some(
    ({ correction }) => typeof (correction?.accountNo ?? correction?.proxyNo) === 'string',
  );
  const isHiding = isCorrecting || hidesNumber(proposal.note) || hidesNumber(proposal.evidence);
  const canReveal = isHiding && !isRevealed && can(visit.person, 'reveal').allowed;
  const path = `/proposal/${proposal.proposalId}${after > 0 ? `/after/${after}` : ''}`;
  const refused = await countRefused(review, proposal);
  // Revealed numbers are displayed once.
  const live = (name: string) => !isRevealed && html`data-live="${name}"`;
  const way = await findApprovalWay(context.signing, review, visit);
  const panel = await proposalPanel(context.store, visit, proposal);
  const waiting = await readWaitingFigures(context, review, proposal);
  const judged = await judgeShown(context, review, visit, proposal, waiting);
  const signatures = await signaturesOf(context.signing, visit, proposal);
  return {
    title,
    status: complaint?.status ?? 200,
    body: html`${complaint === undefined ? html`<div ${live('outcome')}>${banner(visit, proposal, refused)}</div>` : problems(visit, [complaint])}
      <h1>${title}</h1>
      <div class="columns">
        <div ${live('facts')}>
          ${panel} ${approvalNotes(visit, waiting)}
          <section class="card">${facts(visit, proposal, signatures, isRevealed)}</section>
        </div>
        <div class="first" ${live('verdict')}>${verdictCard(visit, proposal, whyNot, way, judged)}</div>
      </div>
      ${isRevealed && html`<p role="status">${say('payout.revealed')}</p>`}
      ${canReveal && postButton(visit, `${path}/reveal`, say('proposal.reveal-numbers'), {}, '')}
      <div ${live('list')}>${itemTable(visit, proposal, { items, rows, after })}</div>`,
  };
}

/** Reads the waiting figures of the batch while they are still the proposed ones; unusual facts are as of now. */
async function readWaitingFigures(
  { store }: ProposalsPageContext,
  review: ReviewContext,
  proposal: Proposal,
): Promise<ApprovalFigures | undefined> {
  if (proposal.decision !== 'approve-batch' || !isOpen(proposal)) return undefined;
  const [item] = await review.journal.proposalItems(proposal.proposalId, 0, 1);
  const figures = item && (await readApprovalFigures({ ...review, journal: store }, item.key));
  return figures?.digest === item?.version ? figures : undefined;
}

/** Judges all items of a list; for a batch that waits for approval, whether it is still the proposed one. */
async function judgeShown(
  { judge }: ProposalsPageContext,
  review: ReviewContext,
  visit: ProvedVisit,
  proposal: Proposal,
  waiting: ApprovalFigures | undefined,
): Promise<Judged | undefined> {
  const { kind, decision } = proposal;
  if (!isOpen(proposal)) return undefined;
  if (kind === 'payout' || kind === 'registration') return judge(review, visit, proposal);
  const isChanged = decision === 'approve-batch' && waiting === undefined;
  return isChanged ? { possible: 0, amountSatang: zeroSatang, whyNot: [[changedSince, 1]] } : undefined;
}

/** Examines all items of a proposal. */
type Judge = (review: ReviewContext, visit: ProvedVisit, proposal: Proposal) => Promise<Judged>;

/** The limit of kept judgements. */
const judgedMax = 20;

/** Keeps each judgement until the journal changes: thousands of rows take a second. */
function makeJudge(): Judge {
  const kept = new Map<number, { readonly mark: string; readonly judged: Promise<Judged> }>();
  return async (review, { mark }, proposal) => {
    const { proposalId } = proposal;
    const known = kept.get(proposalId);
    if (known?.mark === mark) return known.judged;
    const judged = judgeProposal(review, proposal);
    kept.delete(proposalId);
    kept.set(proposalId, { mark, judged });
    for (const [oldest] of [...kept].slice(0, -judgedMax)) kept.delete(oldest);
    return judged;
  };
}

/** Counts the refused items of an applied proposal; other statuses say it themselves. */
async function countRefused(
  { journal }: Awaited<ReturnType<ReadReview>>,
  { proposalId, status }: Proposal,
): Promise<number> {
  if (status !== 'applied') return 0;
  let refused = 0;
  for (let after = 0; ;) {
    const items = await journal.proposalItems(proposalId, after, 1_000);
    refused += items.filter((item) => item.status === 'refused').length;
    if (items.length < 1_000) return refused;
    after = items.at(-1)?.itemNo ?? after;
  }
}

async function answerReveal(
  context: ProposalsPageContext,
  visit: ProvedVisit,
  fields: Fields,
): Promise<Answer> {
  const { clock, journal } = await context.readReview();
  const proposalId = readId(fields, 'id');
  // An unknown proposal shows nothing, and so records nothing.
  if (proposalId !== undefined && (await journal.proposal(proposalId)) !== undefined) {
    const looked = { what: 'payee-numbers', proposal: proposalId } as const;
    const after = readId(fields, 'after') ?? 0;
    await recordReveal(context.store, clock, visit.proved, { ...looked, after });
  }
  return proposalPage(context, visit, fields, { isRevealed: true });
}

/** Sends the evidence file and records the person: the file may contain numbers. */
async function answerEvidence(
  { store, readReview, evidenceFolder }: ProposalsPageContext,
  visit: ProvedVisit,
  fields: Fields,
): Promise<Answer> {
  const { clock, journal } = await readReview();
  const proposalId = readId(fields, 'id');
  const file = proposalId === undefined ? undefined : (await journal.proposal(proposalId))?.evidenceFile;
  if (proposalId === undefined || !file || evidenceFolder === undefined)
    return plainPage(visit, 404, visit.say('page.not-found'), '', '/proposals');
  const path = await locateEvidence(evidenceFolder, file);
  if (path === undefined)
    return plainPage(
      visit,
      404,
      visit.say('payout.evidence'),
      visit.say('decide.evidence-gone'),
      `/proposal/${proposalId}`,
    );
  await recordReveal(store, clock, visit.proved, { what: 'evidence-file', proposal: proposalId });
  return { file: { path, name: file.name, type: 'application/octet-stream' } };
}

/** Carries out a person's verdict, after checking the permission and the proposal again. */
async function answerVerdict(
  context: ProposalsPageContext,
  verdict: Verdict,
  visit: ProvedVisit,
  fields: Fields,
): Promise<Answer> {
  const { say } = visit;
  const proposalId = readId(fields, 'id');
  if (proposalId === undefined) return plainPage(visit, 404, say('page.not-found'), '', '/proposals');
  const note = (fields['note'] ?? '').trim().slice(0, noteLengthMax);
  if (verdict === 'send-back' && note === '') {
    const complaint = { status: 422, field: 'note', text: message('proposal.missing-send-back-why') };
    return proposalPage(context, visit, fields, { complaint });
  }
  const seen = fields['seen'];
  if (verdict === 'approve' && seen === undefined) {
    const complaint = { status: 422, field: 'list', text: message('proposal.look-again') };
    return proposalPage(context, visit, fields, { complaint });
  }
  const terms = { note: note === '' ? null : note, ...(seen === undefined ? {} : { seen }) };
  const review = await context.readReview();
  const checked = await giveVerdict(review, proposalId, verdict, visit.proved, terms);
  if (checked.kind !== 'refused') return { goTo: `/proposal/${proposalId}` };
  const complaint = { status: 409, field: 'list', text: checked.why };
  return proposalPage(context, visit, fields, { complaint });
}

const verdicts = [
  ['approve', 'check'],
  ['send-back', 'check'],
  ['withdraw', 'propose'],
] as const;

export function makeProposalViews(page: Omit<ProposalsPageContext, 'judge'>): readonly View[] {
  const context = { ...page, judge: makeJudge() };
  return [
    ...(['/proposal/:id', '/proposal/:id/after/:after'] as const).flatMap((path): readonly View[] => [
      {
        method: 'GET',
        path,
        action: 'see',
        answer: async (visit, fields) => proposalPage(context, visit, fields),
      },
      {
        method: 'POST',
        path: `${path}/reveal`,
        action: 'reveal',
        answer: async (visit, fields) => answerReveal(context, visit, fields),
      },
    ]),
    {
      method: 'POST',
      path: '/proposal/:id/evidence-file',
      action: 'reveal',
      answer: async (visit, fields) => answerEvidence(context, visit, fields),
    },
    ...verdicts.map(([verdict, action]): View => ({
      method: 'POST',
      path: `/proposal/:id/${verdict}`,
      action,
      answer: async (visit, fields) => answerVerdict(context, verdict, visit, fields),
    })),
  ];
}
