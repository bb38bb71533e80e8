/** A proposal about people, for admins: its facts, the verdict on it, and the secrets that its approval shows once. */
import { type Message, message, sayCode } from '../../../core/message.ts';
import { sayMoment } from '../../../core/moments.ts';
import { showText } from '../../../core/outgoing-text.ts';
import { type ChangeOutcome, confirmChange, findChange, sendBackChange } from '../../people.ts';
import type { PersonsKept } from '../../ports.ts';
import { showKey } from '../../rules/passkey.ts';
import {
  decideConfirmation,
  decideRequest,
  type KnownPersons,
  type PersonProposal,
  subjectOf,
} from '../../rules/person-request.ts';
import { describeRequest } from '../../rules/person-words.ts';
import { whyNotOpen, whyNotWithdraw } from '../../rules/proposal.ts';
import type { Verdict } from '../../verdict.ts';
import { sendBackForm } from '../decision-box.ts';
import { html, type Html, type Part } from '../html.ts';
import { plainPage, postButton, problems } from '../layout.ts';
import { capital, factList, fullStop, momentOf, whyOf } from '../parts.ts';
import type { UserPageContext } from '../passkeys-page.ts';
import type { Answer, Page, ProvedVisit } from '../view.ts';

/** The proposal about people with a number, for an admin; to others the number is unknown. */
export async function findPersonProposal(
  { readPersons }: UserPageContext,
  { person }: ProvedVisit,
  proposalId: number,
): Promise<PersonProposal | undefined> {
  const found = await findChange(await readPersons(), proposalId, person);
  return 'why' in found ? undefined : found.proposal;
}

/** The change in a sentence: "Add dao as a checker". */
const titleOf = ({ say }: ProvedVisit, proposal: PersonProposal): string =>
  capital(say(describeRequest(proposal)));

/** The reason why one admin is not enough. */
function whyTwo(known: KnownPersons, { figures: { request }, makerId }: PersonProposal): Message | undefined {
  const maker = known.people.find(({ personId }) => personId === makerId) ?? null;
  const verdict = decideRequest(request, maker, known);
  return verdict.kind === 'waits' ? verdict.why : undefined;
}

/** The facts that a second admin compares. */
function factsOf(visit: ProvedVisit, { people, passkeys }: PersonsKept, proposal: PersonProposal): Html {
  const { say, language } = visit;
  const { figures, maker, madeAtMs, checker, checkedAtMs, checkNote, why } = proposal;
  const { request } = figures;
  const subject = people.find(({ personId }) => personId === subjectOf(request));
  const key =
    request.kind === 'confirm-passkey'
      ? passkeys.find(({ credentialId }) => credentialId === request.credentialId)
      : undefined;
  return factList([
    [say('user.full-name'), request.kind === 'add' ? request.displayName : subject?.displayName],
    [say('user.role'), 'role' in request && sayCode(language, `role.${request.role}`)],
    [
      say('passkey.key-digits'),
      key && html`<span class="mono">${showKey(key)}</span> <small>${say('passkey.confirm-key-why')}</small>`,
    ],
    [say('proposal.maker'), html`${maker}, ${momentOf(visit, madeAtMs)}`],
    [
      say('proposal.checker'),
      checker !== null && checkedAtMs !== null && html`${checker}, ${momentOf(visit, checkedAtMs)}`,
    ],
    [say('decide.why-note'), why === null ? checkNote !== null && showText(checkNote) : whyOf(visit, why)],
  ]);
}

const isOpen = (proposal: PersonProposal, nowMs: number): boolean =>
  whyNotOpen(proposal, nowMs) === undefined;

/** The end of a proposal. */
function banner({ language, nowMs }: ProvedVisit, proposal: PersonProposal): Part {
  if (isOpen(proposal, nowMs)) return undefined;
  const status = proposal.status === 'proposed' ? 'expired' : proposal.status;
  const look =
    status === 'stale' || status === 'expired' ? 'problems' : status === 'applied' ? 'done' : 'done notice';
  return html`<p class="${look}" role="status" tabindex="-1" autofocus>
    <b>${sayCode(language, `proposal-status.${status}`)}</b>
  </p>`;
}

function verdictCard(visit: ProvedVisit, known: KnownPersons, proposal: PersonProposal): Part {
  const { say, language, person, nowMs } = visit;
  const { proposalId, figures, digest, maker, makerId, madeAtMs, expiresAtMs } = proposal;
  if (!isOpen(proposal, nowMs)) return undefined;
  const verdict = decideConfirmation(proposal, person, known, nowMs);
  const isOwn = makerId === person.personId;
  const by = message('approval.proposed-by', { person: maker, moment: sayMoment(language, madeAtMs) });
  const isKey = figures.request.kind === 'confirm-passkey';
  const label = say(isKey ? 'passkey.confirm-key' : 'proposal.approve');
  const path = `/proposal/${proposalId}`;
  return html`<aside class="card sign" aria-labelledby="your-decision">
    <h2 id="your-decision">${say('proposal.your-decision')}</h2>
    <div class="why"><small>${say(by)}</small></div>
    ${
      verdict.kind === 'applies'
        ? html`<p>${say('proposal.you-approve')}: <b>${titleOf(visit, proposal)}</b>${fullStop(visit)}</p>
            ${postButton(visit, `${path}/approve`, label, { seen: digest }, 'main full')}`
        : html`<p>
            <b>${say('proposal.cannot-approve')}</b
            ><br />${isOwn ? say('proposal.own-proposal') : whyOf(visit, verdict.why)}
          </p>`
    }
    ${
      isOwn
        ? postButton(visit, `${path}/withdraw`, say('proposal.withdraw'), {}, 'full')
        : sendBackForm(visit, { path: `${path}/send-back`, maker, file: undefined, isComplaint: false })
    }
    <p class="small">
      ${say(message('approval.lapses', { moment: sayMoment(language, expiresAtMs) }))}${fullStop(visit)}
    </p>
  </aside>`;
}

/** The page of a proposal that is not about payments: about people, for an admin, or unknown. */
export async function personProposalPage(
  page: UserPageContext,
  visit: ProvedVisit,
  proposalId: number | undefined,
  complaint?: { readonly status: number; readonly field: string; readonly text: Message },
): Promise<Page> {
  const { say } = visit;
  const proposal = await findPersonProposal(page, visit, proposalId ?? 0);
  if (proposal === undefined) return plainPage(visit, 404, say('page.not-found'), '', '/proposals');
  const { store, restoredAtMs } = await page.readPersons();
  const kept = await store.persons();
  const known = { ...kept, restoredAtMs };
  const title = titleOf(visit, proposal);
  const two = isOpen(proposal, visit.nowMs) ? whyTwo(known, proposal) : undefined;
  return {
    title,
    status: complaint?.status ?? 200,
    body: html`<div class="bread"><a href="/proposals">${say('page.proposals')}</a></div>
      ${complaint === undefined ? banner(visit, proposal) : problems(visit, [complaint])}
      <div class="ap">
        <div class="col">
          <section class="card hero" aria-labelledby="headline">
            <h1 id="headline">${title}</h1>
            ${two && html`<p class="small">${capital(say(two))}${fullStop(visit)}</p>`}
          </section>
          <section class="card">${factsOf(visit, kept, proposal)}</section>
        </div>
        <div>${verdictCard(visit, known, proposal)}</div>
      </div>`,
  };
}

// ---------------------------------------------------------------- what is carried out

/** Shows a secret once, and in no address: it is part of the answer to the form. */
function secretCard(
  { say }: ProvedVisit,
  label: 'user.first-half' | 'user.second-half' | 'user.one-time',
  secret: string,
): Html {
  return html`<div class="card secret">
    <p>${say(label)}</p>
    <p><output class="secret mono">${secret}</output></p>
    <p>${say('user.hand-over')} ${label === 'user.first-half' && say('user.other-half')}</p>
  </div>`;
}

/** The page after a change was proposed or carried out. */
export function outcomePage(visit: ProvedVisit, outcome: Exclude<ChangeOutcome, { kind: 'refused' }>): Page {
  const { say } = visit;
  const title = say(outcome.kind === 'waits' ? 'user.change-waits' : 'user.change-done');
  const { firstHalf } = outcome.kind === 'waits' ? outcome : {};
  const password = outcome.kind === 'done' ? outcome.oneTimePassword : undefined;
  return {
    title,
    body: html`<p class="done" role="status" tabindex="-1" autofocus><b>${title}</b></p>
      <h1>${title}</h1>
      ${outcome.kind === 'waits' && html`<p>${whyOf(visit, outcome.why)}</p>`}
      ${outcome.kind === 'done' && outcome.person && html`<p><b>${outcome.person.name}</b> ${outcome.person.displayName}</p>`}
      ${firstHalf !== undefined && secretCard(visit, 'user.first-half', firstHalf)}
      ${password && secretCard(visit, password.isHalf ? 'user.second-half' : 'user.one-time', password.text)}
      <p>
        ${outcome.kind === 'waits' && html`<a class="button" href="/proposal/${outcome.proposalId}">${say('today.open')}</a>`}
        <a class="button" href="/people">${say('user.back-to-people')}</a>
      </p>`,
  };
}

/** Carries out an admin's verdict on a proposal about people. */
export async function answerPersonVerdict(
  page: UserPageContext,
  visit: ProvedVisit,
  proposal: PersonProposal,
  verdict: Verdict,
  { note, seen }: { readonly note: string; readonly seen: string | undefined },
): Promise<Answer> {
  const { proposalId, digest } = proposal;
  const context = await page.readPersons();
  const refuse = async (text: Message): Promise<Page> =>
    personProposalPage(page, visit, proposalId, { status: 409, field: 'list', text });
  if (verdict === 'approve') {
    if (seen !== digest) return refuse(message('proposal.not-seen'));
    const outcome = await confirmChange(context, proposalId, visit.proved);
    if (outcome.kind === 'refused') return refuse(outcome.why);
    await page.onChange();
    return outcomePage(visit, outcome);
  }
  const why =
    (verdict === 'withdraw' ? whyNotWithdraw(proposal, visit.person, context.nowMs) : undefined) ??
    (await sendBackChange(context, proposalId, visit.proved, note));
  if (why !== undefined) return refuse(why);
  await page.onChange();
  return { goTo: `/proposal/${proposalId}` };
}
