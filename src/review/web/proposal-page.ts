/** One proposal: its facts, the verdict on it, and its exact list. */
import { showCount } from '../../core/figures.ts';
import { listed, type Message, message, sayCode } from '../../core/message.ts';
import { sayMoment } from '../../core/moments.ts';
import { zeroSatang } from '../../core/money.ts';
import { changedSince } from '../batch-target.ts';
import { printable, showText } from '../../core/outgoing-text.ts';
import type { PersonStore, Proposal, ProposalItem, QueueStore } from '../ports.ts';
import { locateEvidence } from '../evidence-files.ts';
import type { ReviewContext } from '../context.ts';
import { recordReveal } from '../reveal.ts';
import { type Judged, judgeProposal } from '../review.ts';
import { payerKeyOf } from '../rules/batch-decisions.ts';
import { can } from '../rules/people.ts';
import { type EvidenceFile, openProposalStatuses, whyNotWithdraw } from '../rules/proposal.ts';
import { countedOf, describeCounted } from '../rules/proposal-figures.ts';
import { describeEffect } from '../rules/terms.ts';
import { deciderOf, findWhyNotCheck, giveVerdict, listForCheck, type Verdict } from '../verdict.ts';
import {
  approvalCards,
  type ApprovalReader,
  auditorsCard,
  readWaiting,
  type Waiting,
} from './approval-panel.ts';
import {
  describeWhat,
  figuresOf,
  filesCard,
  headlineOf,
  hero,
  largestCard,
  sizesCard,
} from './figures-panel.ts';
import { noteLengthMax, readWithout, verdictCard, type Verdicts, withoutBox } from './decision-box.ts';
import { type ItemsReader, itemPages, itemRow, linesTable, listMax, outcomeOf } from './proposals-page.ts';
import { answerPersonVerdict, findPersonProposal, personProposalPage } from './proposed/person-page.ts';
import { isTwoSided, readTwoSided, twoSidedTable } from './proposed/break-sides.ts';
import { html, type Html, type Part } from './html.ts';
import { plainPage, postButton, problems } from './layout.ts';
import { capital, factList, fullStop, momentOf, whyOf } from './parts.ts';
import type { ReadReview } from './payout-page.ts';
import {
  describeKey,
  findApprovalWay,
  signaturesOf,
  signedTextsOf,
  type SigningPageContext,
} from './signing-page.ts';
import { type Answer, type Fields, type ProvedVisit, type View, viewAt } from './view.ts';

interface ProposalsPageContext {
  readonly store: ItemsReader &
    Pick<PersonStore, 'persons' | 'editPersons'> &
    Pick<QueueStore, 'addReviewNote'> &
    ApprovalReader;
  /** Judges the part of an open proposal that can be carried out. */
  readonly judge: Judge;
  readonly readReview: ReadReview;
  readonly signing: SigningPageContext;
  readonly evidenceFolder?: string | undefined;
}

const itemsOnPage = 50;

const isOpen = ({ status }: Proposal): boolean => openProposalStatuses.includes(status);

/** The number of people who are named. */
const namedMax = 3;

/** The people who can decide on a proposal, by name. */
async function listCheckers(review: ReviewContext, proposal: Proposal): Promise<readonly string[]> {
  const { people } = await review.journal.persons();
  const names: string[] = [];
  for (const person of people.filter((one) => can(one, 'check').allowed)) {
    const why = await findWhyNotCheck(review, proposal, { person, proof: 'session' }, 'send-back');
    if (why === undefined) names.push(person.displayName);
  }
  return names;
}

/** "Next: 2 more wait for you", with the way there. */
function nextLink({ say }: ProvedVisit, others: readonly Proposal[]): Part {
  const [next] = others;
  if (next === undefined) return undefined;
  const words =
    others.length === 1
      ? say('approval.next.one')
      : say(message('approval.next.many', { count: showCount(others.length) }));
  return html`<a class="button" href="/proposal/${next.proposalId}">${words}</a>`;
}

interface BannerFacts {
  readonly refused: number;
  readonly checkers: readonly string[];
  /** The page on which a proposal that was sent back is corrected; undefined without one. */
  readonly againPath: string | undefined;
  /** Other proposals that wait for the visitor. */
  readonly others: readonly Proposal[];
}

/** The next step, by the state of the proposal. */
function nextOf(visit: ProvedVisit, proposal: Proposal, { refused, checkers }: BannerFacts): Part {
  const { say } = visit;
  const { status, items, expiresAtMs } = proposal;
  if (status === 'applied' && items === 1 && refused === 0) return undefined;
  if (status === 'applied')
    return say(
      message('proposal.after-applied', {
        count: showCount(items - refused),
        all: showCount(items),
        refused: showCount(refused),
      }),
    );
  if (status !== 'proposed' || proposal.people === 1) return undefined;
  const named = listed(checkers.slice(0, namedMax), 'orName');
  const who =
    checkers.length === 0
      ? say('approval.no-checker')
      : say(message('approval.can-approve', { people: named }));
  const lapses = say(message('approval.lapses', { moment: sayMoment(visit.language, expiresAtMs) }));
  return html`${who}${fullStop(visit)} ${lapses}${fullStop(visit)}`;
}

/** The state of the proposal, and the next step; a proposal that waits for the visitor's check has its box alone. */
function banner(visit: ProvedVisit, proposal: Proposal, known: BannerFacts): Part {
  const { say, language, nowMs, person, proved } = visit;
  const { status, checkNote, proposalId, makerId } = proposal;
  const isOwn = makerId === person.personId;
  if (status === 'proposed' && !isOwn) return undefined;
  const isBad = status === 'stale' || status === 'expired' || known.refused > 0;
  const look = isBad ? 'problems' : status === 'applied' ? 'done' : 'done notice';
  const canWithdraw = whyNotWithdraw(proposal, deciderOf(proved), nowMs) === undefined;
  const headline =
    status === 'proposed'
      ? say(message('approval.proposed', { what: { within: headlineOf(proposal) } }))
      : sayCode(language, `proposal-status.${status}`);
  return html`<div class="${look}" role="status" tabindex="-1" autofocus>
    <b>${headline}${fullStop(visit)}</b> ${nextOf(visit, proposal, known)}
    ${checkNote !== null && showText(checkNote)}
    <div class="buttons">
      ${canWithdraw && postButton(visit, `/proposal/${proposalId}/withdraw`, say('proposal.withdraw'), {}, '')}
      ${
        isOwn &&
        known.againPath !== undefined &&
        html`<a class="button main" href="${known.againPath}">${say('approval.correct-again')}</a>`
      }
      ${nextLink(visit, known.others)}
    </div>
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

/** The effect, of a correction with the sum before it. */
function effectOf(proposal: Proposal): Message {
  const { decision, kind, figures } = proposal;
  const { wasSatang } = figures;
  const what =
    wasSatang === null
      ? describeWhat(proposal)
      : describeCounted(countedOf({ figures, totalSatang: wasSatang }));
  return describeEffect(decision, what, kind);
}

/** The halt that an open proposal ends: why its batch or its account is halted now. */
async function haltOf(
  { journal }: ReviewContext,
  visit: ProvedVisit,
  { decision, kind, status }: Proposal,
  [item]: readonly ProposalItem[],
): Promise<Part> {
  if (item === undefined || !openProposalStatuses.includes(status)) return undefined;
  const { key } = item;
  if (decision === 'resume-payer') {
    const halt = (await journal.payerHalts()).find((one) => payerKeyOf(one) === key);
    return halt && html`${whyOf(visit, halt.reason, halt.code)} (${halt.code})`;
  }
  if (decision !== 'resume-batch') return undefined;
  const batch = kind === 'batch' ? await journal.batch(key) : await journal.registrationBatch(key);
  if (!batch?.reason) return undefined;
  return html`${whyOf(visit, batch.reason, batch.reasonCode)} (${batch.reasonCode ?? ''})`;
}

function facts(
  visit: ProvedVisit,
  proposal: Proposal,
  halt: Part,
  signatures: Part,
  isRevealed: boolean,
): Html {
  const { say } = visit;
  const { note, evidence, evidenceFile, maker, madeAtMs, checker, checkedAtMs } = proposal;
  const show = (text: string) => (isRevealed ? text : showText(text));
  return factList([
    [say('proposal.why-halted'), halt],
    [say('decide.effect'), say(effectOf(proposal))],
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
  ]);
}

const readId = (fields: Fields, name: string): number | undefined =>
  /^\d{1,15}$/.test(fields[name] ?? '') ? Number(fields[name]) : undefined;

interface ProposalView {
  readonly isRevealed?: boolean;
  readonly complaint?: { readonly status: number; readonly field: string; readonly text: Message };
}

/** The cards before the button: figures as they were counted, and what is unusual now. */
async function lookCards(
  context: ProposalsPageContext,
  visit: ProvedVisit,
  proposal: Proposal,
  { waiting, batchId }: { readonly waiting: Waiting | undefined; readonly batchId: string | undefined },
): Promise<Part> {
  const { store } = context;
  const { figures } = proposal;
  if (batchId !== undefined) return approvalCards(store, visit, proposal, { waiting, batchId });
  return [
    hero(visit, proposal, { small: undefined, figures: figuresOf(visit, proposal), isTitle: true }),
    filesCard(visit, figures),
    sizesCard(visit, figures),
    await largestCard(store, visit, figures, undefined),
  ];
}

/** Hides and reveals the whole numbers of a proposal. */
function revealOf(
  visit: ProvedVisit,
  { note, evidence }: Proposal,
  items: readonly ProposalItem[],
  isRevealed: boolean,
  path: string,
): Part {
  const { say } = visit;
  if (isRevealed) return html`<p role="status">${say('payout.revealed')}</p>`;
  const isCorrecting = items.some(
    ({ correction }) => typeof (correction?.accountNo ?? correction?.proxyNo) === 'string',
  );
  const isHiding = isCorrecting || hidesNumber(note) || hidesNumber(evidence);
  const canReveal = isHiding && can(visit.person, 'reveal').allowed;
  return canReveal && postButton(visit, `${path}/reveal`, say('proposal.reveal-numbers'), {}, '');
}

/** The place of a proposal among those that wait for the visitor. */
function breadOf({ say }: ProvedVisit, others: readonly Proposal[], isMine: boolean): Html {
  const waiting = others.length + (isMine ? 1 : 0);
  const [next] = others;
  return html`<div class="bread">
    <a href="/proposals">${say('page.proposals')}</a>
    ${waiting > 0 && html`· ${say(message('approval.wait-for-you', { count: showCount(waiting) }))}`}
    ${isMine && next !== undefined && html`· <a href="/proposal/${next.proposalId}">${say('approval.next')}</a>`}
  </div>`;
}

/** The displayed items; breaks and statements with both sides, and the sums over all of them. */
async function itemsList(
  { store }: ProposalsPageContext,
  visit: ProvedVisit,
  review: ReviewContext,
  proposal: Proposal,
  shown: { readonly items: readonly ProposalItem[]; readonly isRevealed: boolean; readonly canTick: boolean },
): Promise<Html> {
  const { items, isRevealed, canTick } = shown;
  const tickOf = ({ key }: ProposalItem): Part => canTick && withoutBox(visit, key);
  if (isTwoSided(proposal)) {
    const all = await review.journal.proposalItems(proposal.proposalId, 0, proposal.items);
    const outcomes = new Map(items.map((item) => [item.itemNo, outcomeOf(visit, item, tickOf(item))]));
    return twoSidedTable(visit, await readTwoSided(review, proposal, all), outcomes);
  }
  const rows = items.map(async (item) =>
    itemRow(store, visit, item, isRevealed, proposal.figures, tickOf(item)),
  );
  return linesTable(visit, proposal, await Promise.all(rows));
}

async function proposalPage(
  context: ProposalsPageContext,
  visit: ProvedVisit,
  fields: Fields,
  { isRevealed = false, complaint }: ProposalView = {},
): Promise<Answer> {
  const { say } = visit;
  const review = await context.readReview();
  const proposalId = readId(fields, 'id');
  const proposal = proposalId === undefined ? undefined : await review.journal.proposal(proposalId);
  if (proposal === undefined) return personProposalPage(context.signing, visit, proposalId, complaint);
  const after = readId(fields, 'after') ?? 0;
  const items = await review.journal.proposalItems(proposal.proposalId, after, itemsOnPage);
  const whyNot = {
    approve: await findWhyNotCheck(review, proposal, visit.proved),
    sendBack: await findWhyNotCheck(review, proposal, visit.proved, 'send-back'),
  };
  const canTick = isOpen(proposal) && proposal.items > 1 && whyNot.sendBack === undefined;
  const list = await itemsList(context, visit, review, proposal, { items, isRevealed, canTick });
  const path = `/proposal/${proposal.proposalId}${after > 0 ? `/after/${after}` : ''}`;
  // Revealed numbers are displayed once.
  const live = (name: string) => !isRevealed && html`data-live="${name}"`;
  const batchId = proposal.decision === 'approve-batch' ? items[0]?.key : undefined;
  const waiting = await readWaitingRows(context, review, proposal);
  const open = await review.journal.proposals(openProposalStatuses, Number.MAX_SAFE_INTEGER, listMax);
  const waitingForMe = await listForCheck(review, visit.proved, open);
  const others = waitingForMe.filter((one) => one.proposalId !== proposalId);
  const isMine = isOpen(proposal) && whyNot.sendBack === undefined;
  const facted = {
    refused: await countRefused(review, proposal),
    againPath: againPathOf(proposal, items),
    checkers: isOpen(proposal) ? await listCheckers(review, proposal) : [],
    others,
  };
  const verdicts: Verdicts = {
    whyNot,
    way: await findApprovalWay(context.signing, review, visit),
    judged: await judgeShown(context, review, visit, proposal, waiting),
    waiting,
    key: await describeKey(context.signing, visit),
    isComplaint: complaint?.field === 'note',
  };
  const halt = await haltOf(review, visit, proposal, items);
  const signatures = await signaturesOf(context.signing, visit, proposal);
  const cards = await lookCards(context, visit, proposal, { waiting, batchId });
  const texts = await signedTextsOf(context.signing, proposal);
  return {
    title: capital(say(headlineOf(proposal))),
    status: complaint?.status ?? 200,
    body: html`${breadOf(visit, others, isMine)}
      ${complaint === undefined ? html`<div ${live('outcome')}>${banner(visit, proposal, facted)}</div>` : problems(visit, [complaint])}
      <div class="ap">
        <div class="col" ${live('facts')}>
          ${cards} ${batchId === undefined && itemPages(visit, proposal, { items, after }, list)}
          <section class="card">${facts(visit, proposal, halt, signatures, isRevealed)}</section>
          ${revealOf(visit, proposal, items, isRevealed, path)}
          ${auditorsCard(visit, proposal.figures, [
            [say('proposal.list-digest'), html`<code>${proposal.digest}</code>`],
            [say('passkey.signed-text'), texts ?? say('approval.text-at-signing')],
          ])}
        </div>
        <div ${live('verdict')}>${verdictCard(visit, proposal, verdicts)}</div>
      </div>`,
  };
}

/** The page on which its maker corrects a proposal that was sent back. */
function againPathOf(
  { proposalId, status, decision }: Proposal,
  [item]: readonly ProposalItem[],
): string | undefined {
  if (status !== 'sent-back' || item === undefined) return undefined;
  return decision === 'approve-batch'
    ? `/batch/${item.key}/decide/${decision}/again/${proposalId}`
    : `/proposal/${proposalId}/again`;
}

/** Reads the batch of an open approval as it is now. */
async function readWaitingRows(
  { store }: ProposalsPageContext,
  review: ReviewContext,
  proposal: Proposal,
): Promise<Waiting | undefined> {
  if (proposal.decision !== 'approve-batch' || !isOpen(proposal)) return undefined;
  const [item] = await review.journal.proposalItems(proposal.proposalId, 0, 1);
  const batch = item && (await review.journal.batch(item.key));
  return batch && readWaiting(store, review, batch, item.version);
}

/** Judges all items of a list; for a batch that waits for approval, whether it is still the proposed one. */
async function judgeShown(
  { judge }: ProposalsPageContext,
  review: ReviewContext,
  visit: ProvedVisit,
  proposal: Proposal,
  waiting: Waiting | undefined,
): Promise<Judged | undefined> {
  const { kind, decision } = proposal;
  if (!isOpen(proposal)) return undefined;
  if (kind === 'payout' || kind === 'registration') return judge(review, visit, proposal);
  const isChanged = decision === 'approve-batch' && waiting?.isChanged !== false;
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

/** Notes what the maker is to leave out: those boxes are ticked when the proposal is corrected. */
async function noteWithout(
  { store }: ProposalsPageContext,
  { clock }: ReviewContext,
  { proved }: ProvedVisit,
  proposalId: number,
  fields: Fields,
): Promise<void> {
  const { personId, name: person } = deciderOf(proved);
  const noted = {
    kind: 'proposal',
    key: String(proposalId),
    what: 'noted',
    personId,
    person,
    note: '',
  } as const;
  // The note has no field for a target: its version bears the key.
  for (const version of readWithout(fields).slice(0, itemsOnPage))
    await store.addReviewNote({ ...noted, version, atMs: clock.now() });
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
  const change = await findPersonProposal(context.signing, visit, proposalId);
  if (change !== undefined)
    return answerPersonVerdict(context.signing, visit, change, verdict, { note, seen });
  const terms = { note: note === '' ? null : note, ...(seen === undefined ? {} : { seen }) };
  const review = await context.readReview();
  const checked = await giveVerdict(review, proposalId, verdict, visit.proved, terms);
  if (checked.kind === 'sent-back') await noteWithout(context, review, visit, proposalId, fields);
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
      viewAt('GET', path, 'see', (visit, fields) => proposalPage(context, visit, fields)),
      viewAt('POST', `${path}/reveal`, 'reveal', (visit, fields) => answerReveal(context, visit, fields)),
    ]),
    viewAt('POST', '/proposal/:id/evidence-file', 'reveal', (visit, fields) =>
      answerEvidence(context, visit, fields),
    ),
    ...verdicts.map(([verdict, action]) =>
      viewAt('POST', `/proposal/:id/${verdict}`, action, (visit, fields) =>
        answerVerdict(context, verdict, visit, fields),
      ),
    ),
  ];
}
