/** Signs an approval with a passkey: displays the whole text, and the button that asks the key. */
import { message, type Message } from '../../core/message.ts';
import { showText } from '../../core/outgoing-text.ts';
import type { ReviewContext } from '../context.ts';
import { askForSignature, listUsable } from '../passkeys.ts';
import type { Proposal } from '../ports.ts';
import { showKey } from '../rules/passkey.ts';
import { approveSigned, readMatter, type SigningScene } from '../signed-approval.ts';
import { findWhyNotCheck } from '../verdict.ts';
import { figuresOf, hero } from './figures-panel.ts';
import { html, Html, type Part } from './html.ts';
import { plainPage, problems } from './layout.ts';
import { momentOf } from './parts.ts';
import {
  askPasskey,
  type PasskeyPageContext,
  scriptPaths,
  signerOf,
  signingContextOf,
} from './passkeys-page.ts';
import { type Answer, type Fields, type ProvedVisit, type View, viewAt } from './view.ts';

export interface SigningPageContext extends PasskeyPageContext {
  readonly readReview: () => Promise<ReviewContext>;
  readonly scene: SigningScene;
}

/** The ways in which a person may approve: without a signature, with one, either, or not before they have a key. */
export type ApprovalWay = 'plain' | 'sign' | 'either' | 'no-key';

export async function findApprovalWay(
  page: SigningPageContext,
  { signing }: Pick<ReviewContext, 'signing'>,
  { person }: ProvedVisit,
): Promise<ApprovalWay> {
  const context = await signingContextOf(page);
  const hasKey = listUsable(await context.store.persons(), person, context).length > 0;
  if (signing !== undefined) return hasKey ? 'sign' : 'no-key';
  return hasKey ? 'either' : 'plain';
}

export const enrolFirst = ({ say }: ProvedVisit): Html =>
  html`<p>
    <b>${say('passkey.signature-required')}</b><br /><a href="/passkeys">${say('passkey.enrol-first')}</a>
  </p>`;

/** The signatures: signer, moment and key. */
export async function signaturesOf(
  page: SigningPageContext,
  visit: ProvedVisit,
  proposal: Proposal,
): Promise<Part> {
  const { store } = await page.readPersons();
  const signatures = await store.signaturesOf(proposal.proposalId);
  const { people, passkeys } = await store.persons();
  const ofApproval = signatures.findLast(({ personId }) => personId === proposal.checkerId);
  const key = passkeys.find(({ credentialId }) => credentialId === ofApproval?.credentialId);
  if (ofApproval === undefined || key === undefined) return undefined;
  const name = people.find(({ personId }) => personId === ofApproval.personId)?.displayName;
  return html`${name}, ${momentOf(visit, ofApproval.signedAtMs)}, ${visit.say('passkey.key-digits')}
    <span class="mono">${showKey(key)}</span>`;
}

/** The passkey of the visitor: "Your passkey: “laptop”, key ab12 cd34". */
export async function describeKey(page: SigningPageContext, { say, person }: ProvedVisit): Promise<Part> {
  const context = await signingContextOf(page);
  const [key] = listUsable(await context.store.persons(), person, context);
  return (
    key &&
    html`<br />${say(message('approval.your-passkey', { label: showText(key.label), key: showKey(key) }))}`
  );
}

/** The texts of the kept signatures, byte for byte; undefined without one. */
export async function signedTextsOf(page: SigningPageContext, { proposalId }: Proposal): Promise<Part> {
  const { store } = await page.readPersons();
  const signatures = await store.signaturesOf(proposalId);
  return signatures.length === 0
    ? undefined
    : signatures.map(({ text }) => html`<pre class="signed" lang="en" tabindex="0">${inLines(text)}</pre>`);
}

const readId = ({ id = '' }: Fields): number => (/^\d{1,15}$/.test(id) ? Number(id) : 0);

/** Shows the signed text byte for byte, line by line, because the gate for outgoing text removes newlines. */
const inLines = (text: string): Part =>
  text.split('\n').map((line, place) => (place === 0 ? line : Html.join(['\n', ''], [line])));

async function signPage(
  page: SigningPageContext,
  visit: ProvedVisit,
  fields: Fields,
  complaint?: Message,
): Promise<Answer> {
  const { say } = visit;
  const review = await page.readReview();
  const proposal = await review.journal.proposal(readId(fields));
  if (proposal === undefined) return plainPage(visit, 404, say('page.not-found'), '', '/proposals');
  const { proposalId } = proposal;
  const back = `/proposal/${proposalId}`;
  const context = await signingContextOf(page);
  const whyNot = await findWhyNotCheck(review, proposal, visit.proved);
  const asked =
    whyNot === undefined
      ? await askForSignature(context, signerOf(visit), await readMatter(review, page.scene, proposal))
      : { why: whyNot };
  if ('why' in asked)
    return plainPage(visit, 409, say('proposal.cannot-approve'), complaint ?? asked.why, back);
  const { text, options } = asked;
  const rest = html`<div class="bts">
    <button class="main">${say('passkey.sign-with-passkey')}</button>
    <a class="button" href="${back}">${say('passkey.back-to-list')}</a>
  </div>`;
  return {
    title: say('passkey.sign-title'),
    status: complaint === undefined ? 200 : 409,
    scripts: scriptPaths(),
    body: html`${complaint !== undefined && problems(visit, [{ field: 'text', text: complaint }])}
      <div class="bread"><a href="${back}">${say('passkey.back-to-list')}</a></div>
      ${hero(visit, proposal, { small: `${say('proposal.maker')} ${proposal.maker}`, figures: figuresOf(visit, proposal), isTitle: true })}
      <h2 id="text">${say('passkey.signed-text')}</h2>
      <p>${say('passkey.signed-text-why')}</p>
      <pre class="signed" lang="en" tabindex="0">${inLines(text)}</pre>
      ${askPasskey(visit, context.place, { action: `${back}/sign`, asks: 'sign', options, rest })}`,
  };
}

async function answerSigned(page: SigningPageContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const review = await page.readReview();
  const context = await signingContextOf(page);
  const proposalId = readId(fields);
  const { answer = '' } = fields;
  const checked = await approveSigned(review, context, signerOf(visit), proposalId, answer);
  return checked.kind === 'refused'
    ? signPage(page, visit, fields, checked.why)
    : { goTo: `/proposal/${proposalId}` };
}

const answers = [
  ['GET', signPage],
  ['POST', answerSigned],
] as const;

export const makeSigningViews = (page: SigningPageContext): readonly View[] =>
  answers.map(([method, answer]) =>
    viewAt(method, '/proposal/:id/sign', 'check', (visit, fields) => answer(page, visit, fields)),
  );
