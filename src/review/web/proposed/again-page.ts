/** Corrects a proposal that was sent back, and proposes it again: its text, evidence and items stay. */
import { joined, message, type Message, verbatim } from '../../../core/message.ts';
import { showBaht, showCount } from '../../../core/figures.ts';
import { zeroSatang } from '../../../core/money.ts';
import type { PayoutHistory } from '../../../payout/ports.ts';
import { unsentStatuses } from '../../../payout/rules/operator.ts';
import type { ReviewContext } from '../../context.ts';
import { locateEvidence } from '../../evidence-files.ts';
import type { Proposal, ProposalItem } from '../../ports.ts';
import { decide, judgeTargets } from '../../review.ts';
import { describeTarget } from '../../rules/batch-decisions.ts';
import { describeProposed } from '../../rules/proposal-figures.ts';
import type { EvidenceFile, Target } from '../../rules/proposal.ts';
import { describeAct, describeEffect, nameOfDecision } from '../../rules/terms.ts';
import { deciderOf } from '../../verdict.ts';
import {
  aboveForm,
  decideBox,
  type DecisionBox,
  decisionBox,
  formId,
  makeDecideFileView,
  noTrouble,
  type Trouble,
} from '../decide-form.ts';
import { judgedLine, sentBackWords } from '../decision-box.ts';
import { describeWhat, type FiguredDecision, figuresPanel } from '../figures-panel.ts';
import { html, type Html, type Part } from '../html.ts';
import { plainPage, postButton } from '../layout.ts';
import { decisionCard, whyOf } from '../parts.ts';
import type { ReadReview } from '../payout-page.ts';
import { describeItem, type ItemsReader } from '../proposals-page.ts';
import {
  type Answer,
  type Fields,
  type Page,
  type PageViews,
  type ProvedVisit,
  type SentFile,
  viewAt,
} from '../view.ts';

interface AgainContext {
  readonly store: ItemsReader;
  readonly readReview: ReadReview;
  readonly evidenceFolder: string | undefined;
}

/** The number of items that are displayed. */
const itemsShownMax = 50;

/** The field that leaves an item out. */
const outField = (itemNo: number): string => `out-${itemNo}`;

/** A proposal that was sent back, as it would be now. */
interface Again {
  readonly proposal: Proposal;
  readonly items: readonly ProposalItem[];
  /** The numbers of the items that the maker leaves out. */
  readonly out: ReadonlySet<number>;
  /** The reasons against items that are left out because they are impossible, by key. */
  readonly impossible: ReadonlyMap<string, Message>;
  readonly figured: FiguredDecision;
  readonly judged: Part;
  readonly keptFile: EvidenceFile | undefined;
}

/** The proposal of this person that was sent back. */
export async function findSentBack(
  { journal }: ReviewContext,
  { person }: ProvedVisit,
  id: string | undefined,
): Promise<Proposal | undefined> {
  if (!/^\d{1,15}$/.test(id ?? '')) return undefined;
  const proposal = await journal.proposal(Number(id));
  const isOwn = proposal?.makerId === person.personId && proposal.status === 'sent-back';
  return isOwn ? proposal : undefined;
}

/** The keys of the targets that the checker wants left out. */
async function readToLeaveOut(
  { journal }: ReviewContext,
  { proposalId }: Proposal,
): Promise<ReadonlySet<string>> {
  const notes = await journal.reviewNotes('proposal', [String(proposalId)]);
  return new Set(notes.filter(({ what }) => what === 'noted').map(({ version }) => version));
}

/** The item as it is proposed again; a correction of one row is typed into the form. */
function targetOf({ kind, key, version, note, correction }: ProposalItem, isOnly: boolean): Target {
  const { was: _, ...own } = correction ?? { proxyNo: null, amount: null };
  const kept = correction === undefined || isOnly ? {} : { correction: own };
  return { kind, key, version, ...(note === undefined ? {} : { note }), ...kept };
}

/** The targets of the items that are not left out. */
const targetsOf = ({ items, out, impossible }: Pick<Again, 'items' | 'out' | 'impossible'>): Target[] =>
  items
    .filter(({ itemNo, key }) => !out.has(itemNo) && !impossible.has(key))
    .map((item) => targetOf(item, items.length === 1));

async function keptFileOf(
  { evidenceFolder }: AgainContext,
  { evidenceFile }: Proposal,
): Promise<EvidenceFile | undefined> {
  if (!evidenceFile || evidenceFolder === undefined) return undefined;
  return (await locateEvidence(evidenceFolder, evidenceFile)) === undefined ? undefined : evidenceFile;
}

async function readAgain(
  context: AgainContext,
  visit: ProvedVisit,
  review: ReviewContext,
  proposal: Proposal,
  fields: Fields,
): Promise<Again> {
  const { proposalId, decision, kind } = proposal;
  const items = await review.journal.proposalItems(proposalId, 0, proposal.items);
  const asked = fields['said'] === undefined ? await readToLeaveOut(review, proposal) : new Set<string>();
  const isOut = ({ itemNo, key }: ProposalItem): boolean =>
    asked.has(key) || fields[outField(itemNo)] !== undefined;
  const out = new Set(items.filter(isOut).map(({ itemNo }) => itemNo));
  const kept = items.filter(({ itemNo }) => !out.has(itemNo));
  const { impossible, figures, ...judged } = await judgeTargets(review, decision, kept);
  return {
    proposal,
    items,
    out,
    impossible,
    figured: { decision, kind, figures, totalSatang: judged.amountSatang },
    judged: judgedLine(visit, { items: kept.length, kind }, judged),
    keptFile: await keptFileOf(context, proposal),
  };
}

/** The items that the form leaves out, as the sentence of its button counts them. */
const saidOf = ({ out }: Again): string => [...out].join(' ');

function boxOf(visit: ProvedVisit, context: AgainContext, again: Again): DecisionBox {
  const { say } = visit;
  const { proposal, items, figured, judged, impossible, keptFile } = again;
  const { proposalId, decision } = proposal;
  const targets = targetsOf(again);
  const counted = describeProposed(figured);
  const [only] = items.length === 1 ? items : [];
  const isNamed = only !== undefined && only.kind !== 'payout' && only.kind !== 'registration';
  const [why = message('again.all-left-out')] = impossible.values();
  const path = `/proposal/${proposalId}/again`;
  return {
    path,
    page: path,
    choices: [
      {
        decision,
        targets,
        what: isNamed
          ? `${say(describeTarget(only.kind, only.key))}: ${say(describeWhat(figured))}`
          : say(counted),
        act: describeAct(decision, isNamed ? describeWhat(figured) : counted),
        aside: judged,
        whyNot: targets.length === 0 ? why : undefined,
      },
    ],
    hidden: { said: saidOf(again), decision },
    evidenceFolder: context.evidenceFolder,
    keptFile,
    leaveOutPath: undefined,
    nameTarget: (target) =>
      target.kind === 'payout' || target.kind === 'registration'
        ? html`<a href="/${target.kind}/${target.key}">${target.key}</a>`
        : say(describeTarget(target.kind, target.key)),
  };
}

/** The items, first those that are left out; a ticked one is left out once the form is sent. */
async function itemsCard(context: AgainContext, visit: ProvedVisit, again: Again): Promise<Part> {
  const { say } = visit;
  const { proposal, items, out, impossible } = again;
  const rank = ({ itemNo, key }: ProposalItem): number => (out.has(itemNo) ? 0 : impossible.has(key) ? 1 : 2);
  const sorted = items.toSorted((one, other) => rank(one) - rank(other));
  const rows: Html[] = [];
  for (const item of sorted.slice(0, itemsShownMax)) {
    const { itemNo, key } = item;
    const [name, amount, whose, state] = await describeItem(
      context.store,
      visit,
      item,
      false,
      proposal.figures,
    );
    rows.push(
      html`<tr>
        <td class="pick">
          <label
            ><input
              type="checkbox"
              name="${outField(itemNo)}"
              value="1"
              form="${formId}"
              ${out.has(itemNo) && 'checked'}
            /><span class="hidden">${say('again.leave-out')} ${itemNo}</span></label
          >
        </td>
        <td data-head="${say('proposal.the-list')}">${itemNo}. ${name} ${whose}</td>
        <td class="number" data-head="${say('payout.amount')}">${amount}</td>
        <td class="why" data-head="${say('payout.status')}">${whyOf(visit, impossible.get(key)) ?? state}</td>
      </tr>`,
    );
  }
  const unseen = sorted.slice(itemsShownMax);
  return html`<section class="card" aria-labelledby="items">
    <h2 id="items">${say('proposal.the-list')}</h2>
    <p>${say('again.leave-out-hint')}</p>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">${say('again.leave-out')}</th>
          <th scope="col">${say('proposal.the-list')}</th>
          <th scope="col" class="number">${say('payout.amount')}</th>
          <th scope="col">${say('payout.status')}</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${unseen.length > 0 && html`<p>${say(message('decide.and-more', { count: showCount(unseen.length) }))}</p>`}
    ${unseen.filter(({ itemNo }) => out.has(itemNo)).map(({ itemNo }) => html`<input type="hidden" name="${outField(itemNo)}" value="1" form="${formId}" />`)}
  </section>`;
}

/** The values of the form at first: those of the proposal. */
function fieldsOf({ proposal, items }: Again): Fields {
  const { note, evidence, decision } = proposal;
  const [only] = items.length === 1 ? items : [];
  const { proxyNo, amount, accountNo } = only?.correction ?? {};
  return {
    note,
    evidence: evidence ?? '',
    decision,
    proxyNo: proxyNo ?? '',
    amount: amount ?? '',
    accountNo: accountNo ?? '',
  };
}

async function againPage(
  context: AgainContext,
  visit: ProvedVisit,
  review: ReviewContext,
  again: Again,
  fields: Fields,
  trouble: Trouble = noTrouble,
): Promise<Page> {
  const { say } = visit;
  const { proposal, items, figured } = again;
  const { proposalId, decision, kind } = proposal;
  const box = boxOf(visit, context, again);
  return {
    title: say('approval.correct-again'),
    status: trouble.status,
    body: html`<div class="bread">
        <a href="/proposal/${proposalId}">${say('payout.proposal-word')} ${proposalId}</a>
      </div>
      ${aboveForm(visit, box, fields, trouble)}
      <h1>${say('approval.correct-again')}: ${say(nameOfDecision(decision, kind))}</h1>
      <div class="ap">
        <div class="col">
          ${await figuresPanel(context.store, visit, figured)}
          ${items.length > 1 && (await itemsCard(context, visit, again))}
        </div>
        <div>
          ${decisionCard(visit, { openProposal: undefined }, [
            sentBackWords(visit, proposal),
            decisionBox(visit, review, box, fields, trouble),
          ])}
        </div>
      </div>`,
  };
}

async function answerAgain(
  context: AgainContext,
  visit: ProvedVisit,
  fields: Fields,
  posted: { readonly file: SentFile | undefined } | undefined,
): Promise<Answer> {
  const review = await context.readReview();
  const proposal = await findSentBack(review, visit, fields['id']);
  if (proposal === undefined || proposal.decision === 'approve-batch')
    return plainPage(visit, 404, visit.say('page.not-found'), visit.say('again.gone'), '/proposals');
  const again = await readAgain(context, visit, review, proposal, fields);
  if (posted === undefined)
    return againPage(context, visit, review, again, { ...fieldsOf(again), ...fields });
  if (fields['said'] !== saidOf(again)) {
    const objections = [{ why: message('again.counted-anew') }];
    return againPage(context, visit, review, again, fields, { ...noTrouble, objections });
  }
  const box = boxOf(visit, context, again);
  const outcome = await decideBox(visit, review, box, fields, posted.file);
  return 'goTo' in outcome ? outcome : againPage(context, visit, review, again, fields, outcome);
}

// ---------------------------------------------------------------- rows of a batch that is proposed again

/** A row that the checker wants left out, in words. */
const nameRow = ({ row }: PayoutHistory): Message =>
  message('money.counted', {
    count: verbatim(row.cells.payoutId.trim()),
    amount: showBaht(row.amountSatang ?? zeroSatang),
  });

/**
 * The rows that the checker wants left out of a batch: each is cancelled before the others are proposed; undefined when
 * none of them waits.
 */
export async function leaveOutPart(
  visit: ProvedVisit,
  review: ReviewContext,
  proposal: Proposal,
): Promise<Part> {
  const { say } = visit;
  const rows: Html[] = [];
  for (const key of await readToLeaveOut(review, proposal)) {
    const history = await review.journal.history(Number(key));
    if (history === undefined || !unsentStatuses.includes(history.row.status)) continue;
    const { version } = history.row;
    const what = nameRow(history);
    const path = `/proposal/${proposal.proposalId}/leave-out`;
    const label = say(message('again.leave-out-row', { what }));
    rows.push(
      html`<p><a href="/payout/${key}">${say(what)}</a></p>
        <p class="effect"><b>${say('decide.effect')}:</b> ${say(describeEffect('cancel', what, 'payout'))}</p>
        ${postButton(visit, path, label, { key, version: String(version) }, 'main full')}`,
    );
  }
  return rows.length > 0 && rows;
}

/** Leaves a row out of the batch that is proposed again: the maker cancels it, as the checker has asked. */
async function answerLeaveOut(
  { readReview }: AgainContext,
  visit: ProvedVisit,
  fields: Fields,
): Promise<Answer> {
  const { key = '', version = '', id } = fields;
  const review = await readReview();
  const proposal = await findSentBack(review, visit, id);
  const isAsked = proposal !== undefined && (await readToLeaveOut(review, proposal)).has(key);
  const [item] = isAsked ? await review.journal.proposalItems(proposal.proposalId, 0, 1) : [];
  if (proposal === undefined || item === undefined)
    return plainPage(visit, 404, visit.say('page.not-found'), visit.say('again.gone'), '/proposals');
  const back = `/batch/${item.key}/decide/${proposal.decision}/again/${proposal.proposalId}`;
  const target = { kind: 'payout', key, version } as const;
  const wish = {
    decision: 'cancel',
    targets: [target],
    note: proposal.checkNote ?? '',
    evidence: null,
  } as const;
  const left = await decide(review, deciderOf(visit.proved), [wish]);
  if (left.kind === 'proposed') return { goTo: back };
  const why = joined(left.objections.map((one) => one.why));
  return plainPage(visit, 409, visit.say('payout.not-possible'), whyOf(visit, why), back);
}

/** @returns the views, with the form that brings an evidence file where files are kept */
export function makeAgainViews(context: AgainContext): PageViews {
  const path = '/proposal/:id/again';
  const fileView = makeDecideFileView(
    path,
    async (visit, file, fields) => answerAgain(context, visit, fields, { file }),
    itemsShownMax,
  );
  return {
    views: [
      viewAt('GET', path, 'propose', (visit, fields) => answerAgain(context, visit, fields, undefined)),
      viewAt('POST', path, 'propose', (visit, fields) =>
        answerAgain(context, visit, fields, { file: undefined }),
      ),
      viewAt('POST', '/proposal/:id/leave-out', 'propose', (visit, fields) =>
        answerLeaveOut(context, visit, fields),
      ),
    ],
    fileViews: context.evidenceFolder === undefined ? [] : [fileView],
  };
}
