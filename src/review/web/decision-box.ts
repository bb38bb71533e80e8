/** The box of the decision, the only part in which the pages of a maker and a checker differ. */
import { showBaht, showCount } from '../../core/figures.ts';
import { bahtOf, type Message, message } from '../../core/message.ts';
import { sayMoment } from '../../core/moments.ts';
import { zeroSatang } from '../../core/money.ts';
import { showText } from '../../core/outgoing-text.ts';
import type { Batch } from '../../core/ports.ts';
import type { Proposal } from '../ports.ts';
import type { Judged } from '../review.ts';
import { openProposalStatuses } from '../rules/proposal.ts';
import { paidOf, pays } from '../rules/proposal-figures.ts';
import type { Waiting } from './approval-panel.ts';
import { describeWhat, type FiguredDecision, sayFiles } from './figures-panel.ts';
import { html, type Html, type Part } from './html.ts';
import { csrfField, postButton, sealOf } from './layout.ts';
import { fullStop, whyOf } from './parts.ts';
import { type ApprovalWay, enrolFirst } from './signing-page.ts';
import type { Fields, ProvedVisit } from './view.ts';

/** The limit of a note, in characters. */
export const noteLengthMax = 2_000;

/** The label of the button that approves: with the sum that is then paid, without rows that stay held all the same. */
function labelOf(
  { decision, figures, totalSatang }: Proposal,
  way: 'sign' | 'approve' | 'unsigned',
  waiting: Waiting | undefined,
): Message {
  const sum = waiting?.figures.toPay.amountSatang ?? paidOf({ figures, totalSatang }).amountSatang;
  if (!pays(decision) || sum === null || sum === zeroSatang || figures.of !== 'payouts')
    return message(plainLabels[way]);
  return message(payLabels[way], { amount: showBaht(sum) });
}

const plainLabels = {
  sign: 'approval.sign',
  approve: 'proposal.approve',
  unsigned: 'passkey.approve-unsigned',
} as const;
const payLabels = {
  sign: 'approval.sign-and-pay',
  approve: 'approval.approve-and-pay',
  unsigned: 'approval.approve-and-pay-unsigned',
} as const;

/** The only form that approves; it posts the digest of the displayed list. */
const approveForm = (
  visit: ProvedVisit,
  proposal: Proposal,
  waiting: Waiting | undefined,
  way: 'approve' | 'unsigned',
): Html =>
  html`<form method="post" action="/proposal/${proposal.proposalId}/approve" class="approve">
    ${csrfField(visit)}
    <input type="hidden" name="seen" value="${proposal.digest}" />
    <button class="${way === 'approve' ? 'main full' : 'full'}">
      ${visit.say(labelOf(proposal, way, waiting))}
    </button>
  </form>`;

/** The link to the page for signing. */
const signLink = ({ say }: ProvedVisit, proposal: Proposal, waiting: Waiting | undefined): Html =>
  html`<p class="approve">
    <a class="button main full" href="/proposal/${proposal.proposalId}/sign"
      >${say(labelOf(proposal, 'sign', waiting))}</a
    >
  </p>`;

type ApproveForm = (visit: ProvedVisit, proposal: Proposal, waiting: Waiting | undefined) => Part;

const approveForms: Readonly<Record<ApprovalWay, ApproveForm>> = {
  plain: (visit, proposal, waiting) => approveForm(visit, proposal, waiting, 'approve'),
  sign: signLink,
  either: (visit, proposal, waiting) => [
    signLink(visit, proposal, waiting),
    approveForm(visit, proposal, waiting, 'unsigned'),
  ],
  'no-key': enrolFirst,
};

/** The field of a target that its maker is to leave out. */
const withoutField = (key: string): string => `without-${key}`;

/** The keys of the targets that a checker wants left out. */
export const readWithout = (fields: Fields): readonly string[] =>
  Object.keys(fields).flatMap((name) =>
    /^without-.{1,200}$/.test(name) ? [name.slice('without-'.length)] : [],
  );

const sendBackId = 'send-back';

/** Ticks an item of a list to be left out, once the proposal is sent back. */
export const withoutBox = ({ say }: ProvedVisit, key: string): Html =>
  html`<span class="pick"
    ><label
      ><input type="checkbox" name="${withoutField(key)}" value="1" form="${sendBackId}" />
      <small>${say('again.back-without')}</small></label
    ></span
  >`;

/** Sends the proposal back with a row to be left out: a person who leaves it out cannot check, so its maker does. */
function backWithout(visit: ProvedVisit, { proposalId }: Proposal, waiting: Waiting | undefined): Part {
  const { say } = visit;
  const [like] = waiting === undefined || waiting.isChanged ? [] : waiting.figures.like.first;
  if (like === undefined) return undefined;
  const id = like.payoutId;
  const note = say(message('approval.without', { id }));
  const label = say(message('approval.back-without', { id }));
  const fields = { note, [withoutField(String(like.seq))]: '1' };
  return postButton(visit, `/proposal/${proposalId}/send-back`, label, fields, 'full');
}

/** @param back the form's path, the maker, the files in words, and whether the form was sent without its text */
export function sendBackForm(
  visit: ProvedVisit,
  back: {
    readonly path: string;
    readonly maker: string;
    readonly file: string | undefined;
    readonly isComplaint: boolean;
  },
): Html {
  const { say } = visit;
  const { path, maker, file, isComplaint } = back;
  return html`<details ${isComplaint && 'open'}>
    <summary>${say(message('approval.send-back-to', { person: maker }))}</summary>
    <form method="post" action="${path}" id="${sendBackId}">
      ${csrfField(visit)}
      <label for="note"><small>${say('approval.send-back-what')}</small></label>
      <textarea id="note" name="note" rows="3" maxlength="${noteLengthMax}" required></textarea>
      <button class="full">
        ${file === undefined ? say('proposal.send-back') : say(message('approval.send-back', { file }))}
      </button>
    </form>
  </details>`;
}

const filesBehind = (files: string | undefined): string => (files === undefined ? '' : `, ${files}`);

/** The number of reasons that are named; the others are counted. */
const whysShownMax = 5;

/** The most frequent reasons against rows, each with their number. */
export function whysList(visit: ProvedVisit, whyNot: Judged['whyNot']): Html {
  const rest = whyNot.slice(whysShownMax).reduce((sum, [, rows]) => sum + rows, 0);
  return html`<ul>
    ${whyNot.slice(0, whysShownMax).map(([why, rows]) => html`<li>${showCount(rows)} × ${whyOf(visit, why)}</li>`)}
    ${rest > 0 && html`<li>${visit.say(message('decide.and-more', { count: showCount(rest) }))}</li>`}
  </ul>`;
}

const countCannot = ({ whyNot }: Judged): number => whyNot.reduce((sum, [, count]) => sum + count, 0);

/** The line over all items: the number that can be carried out now, and the reasons against the rest. */
export function judgedLine(
  visit: ProvedVisit,
  { items, kind }: Pick<Proposal, 'items' | 'kind'>,
  judged: Judged | undefined,
): Part {
  const { say } = visit;
  if (judged === undefined) return undefined;
  const { possible, amountSatang, whyNot } = judged;
  const isOfMoney = kind === 'payout';
  if (whyNot.length === 0 && items === 1) return undefined;
  const cannot = countCannot(judged);
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
        ${whysList(visit, whyNot)}
      </div>`
    }`;
}

/** The items that an approval does not carry out. */
function refusedThen(visit: ProvedVisit, judged: Judged | undefined): Part {
  const cannot = judged === undefined ? 0 : countCannot(judged);
  return cannot > 0 && visit.say(message('proposal.refused-then', { count: showCount(cannot) }));
}

export interface Verdicts {
  readonly whyNot: { readonly approve: Message | undefined; readonly sendBack: Message | undefined };
  readonly way: ApprovalWay;
  readonly judged: Judged | undefined;
  readonly waiting: Waiting | undefined;
  /** The passkey of the visitor, in words. */
  readonly key: Part;
  /** True for a form that was sent without its text. */
  readonly isComplaint: boolean;
}

/** The box of the decision: the only part in which the pages of maker and checker differ. */
export function verdictCard(visit: ProvedVisit, proposal: Proposal, verdicts: Verdicts): Part {
  const { say, person, language } = visit;
  const { whyNot, way, judged, waiting, key, isComplaint } = verdicts;
  if (!openProposalStatuses.includes(proposal.status)) return undefined;
  const { proposalId, maker, madeAtMs, makerId, expiresAtMs, note } = proposal;
  const path = `/proposal/${proposalId}/send-back`;
  const file = sayFiles(visit, proposal.figures);
  const isOwn = makerId === person.personId;
  const reason = isOwn ? say('proposal.own-proposal') : whyOf(visit, whyNot.approve);
  const by = message('approval.proposed-by', { person: maker, moment: sayMoment(language, madeAtMs) });
  return html`<aside class="card sign" aria-labelledby="your-decision">
    <h2 id="your-decision">${say('proposal.your-decision')}</h2>
    <div class="why">
      <small>${say(by)}</small>
      <p>“${showText(note)}”</p>
    </div>
    ${judgedLine(visit, proposal, judged)}
    ${
      whyNot.approve === undefined
        ? html`<p>
              ${say(way === 'plain' ? 'proposal.you-approve' : 'approval.you-sign')}:
              <b>${say(describeWhat(proposal))}</b>${filesBehind(file)}${fullStop(visit)}
              ${refusedThen(visit, judged)}
            </p>
            ${approveForms[way](visit, proposal, waiting)}`
        : html`<p><b>${say('proposal.cannot-approve')}</b><br />${reason}</p>`
    }
    ${whyNot.sendBack === undefined && [backWithout(visit, proposal, waiting), sendBackForm(visit, { path, maker, file, isComplaint })]}
    <p class="small">
      ${say(message('approval.lapses', { moment: sayMoment(language, expiresAtMs) }))}${fullStop(visit)}
      ${key}
    </p>
    <div class="print">${say('approval.approved-by-line')}</div>
  </aside>`;
}

export interface ToPropose {
  readonly figured: FiguredDecision;
  readonly version: string;
  readonly note: string;
  /** The proposal that was sent back, whose words stay; undefined for a first one. */
  readonly again: Proposal | undefined;
  /** The rows that the checker wants left out, with their buttons. */
  readonly leaveOut: Part;
  /** Undefined before the form is sent. */
  readonly refused?: { readonly status: number; readonly text: Message };
}

// ---------------------------------------------------------------- the maker's

/** The words of the checker who sent a proposal back. */
export function sentBackWords(
  { say, language }: ProvedVisit,
  { checker, checkedAtMs, checkNote }: Proposal,
): Html {
  const moment = sayMoment(language, checkedAtMs ?? 0);
  return html`<div class="why">
    <small>${say(message('approval.sent-back-by', { person: checker ?? '?', moment }))}</small>
    <p>“${showText(checkNote ?? '')}”</p>
  </div>`;
}

/** The form that proposes to pay a batch, under the sentence about what it pays. */
function proposeForm(
  visit: ProvedVisit,
  batch: Batch,
  { figured, version, note, again, refused }: ToPropose,
  isAlone: boolean,
): Html {
  const { say } = visit;
  const { amountSatang } = paidOf(figured);
  const file = showText(batch.fileName);
  const path = `/batch/${batch.batchId}/decide/approve-batch`;
  const alone =
    amountSatang === null
      ? message('proposal.approve')
      : message('approval.approve-and-pay', { amount: showBaht(amountSatang) });
  const label = isAlone ? alone : message('approval.propose-to-pay', { file });
  return html`<p>
      ${say(isAlone ? 'proposal.you-approve' : 'approval.you-propose')}: <b>${say(describeWhat(figured))}</b>,
      ${file}${fullStop(visit)}
    </p>
    <form method="post" action="${path}">
      ${csrfField(visit)} ${sealOf(visit, path)} <input type="hidden" name="version" value="${version}" />
      ${again && html`<input type="hidden" name="again" value="${again.proposalId}" />`}
      <label for="note">${say('decide.why-note')} ${!isAlone && say('decide.checker-reads')}</label>
      <textarea
        id="note"
        name="note"
        rows="3"
        maxlength="${noteLengthMax}"
        required
        ${refused !== undefined && html`aria-invalid="true"`}
      >
${note}</textarea>
      <button class="main full">${say(label)}</button>
    </form>
    <p class="small">${say(isAlone ? 'payout.one-is-enough' : 'payout.second')}</p>`;
}

/** The maker's box: the only part in which the pages of maker and checker differ. */
export function proposeCard(
  visit: ProvedVisit,
  { batch, people }: { readonly batch: Batch; readonly people: 1 | 2 | undefined },
  toPropose: ToPropose,
): Html {
  const { say } = visit;
  const { again, leaveOut } = toPropose;
  const form = proposeForm(visit, batch, toPropose, people === 1);
  return html`<aside class="card sign" aria-labelledby="your-decision">
    <h2 id="your-decision">${say('proposal.your-decision')}</h2>
    ${again !== undefined && sentBackWords(visit, again)}
    ${
      leaveOut
        ? html`${leaveOut}
            <details>
              <summary>${say('again.with-them')}</summary>
              ${form}
            </details>`
        : form
    }
    <a class="button full" href="/batch/${batch.batchId}">${say('decide.not-done')}</a>
  </aside>`;
}
