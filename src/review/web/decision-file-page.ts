/** A dropped file of decisions: a maker reads its decisions, and proposes them as their own or discards the file. */
import { showCount } from '../../core/figures.ts';
import { bahtOf, type Message, message } from '../../core/message.ts';
import type { Decider } from '../rules/proposal.ts';
import type { OwnedItem } from '../../attention/rules/items.ts';
import { deciderOf } from '../verdict.ts';
import { html, type Html } from './html.ts';
import { csrfField, plainPage, postButton } from './layout.ts';
import { factList, whyOf } from './parts.ts';
import { decisionFilePath, type ReadItems } from './queue-items.ts';
import { type Answer, type Fields, type Page, type ProvedVisit, type View, viewAt } from './view.ts';

/** The outcome of a confirmation: objections, each with its place in the file, or the numbers of the proposals. */
export type FileConfirmed =
  | { readonly kind: 'proposed'; readonly proposalIds: readonly number[] }
  | { readonly kind: 'refused'; readonly objections: readonly Message[] };

export interface DecisionFileContext {
  readonly readItems: ReadItems;
  /** @param version SHA-256 (hex) of the file that was displayed */
  readonly confirm: (key: string, version: string, maker: Decider) => Promise<FileConfirmed>;
  /** @returns the reason for a refusal; undefined once discarded */
  readonly discard: (key: string, maker: Decider, note: string) => Promise<Message | undefined>;
}

const itemsMax = 1_000;
const noteMax = 2_000;
/** The number of objections that are displayed. */
const objectionsShown = 50;

const objectionsBox = (visit: ProvedVisit, objections: readonly Message[]): Html =>
  html`<div class="problems" role="alert" tabindex="-1" autofocus>
    <h2>${visit.say('decision-file.file-not-possible')}</h2>
    <ul>
      ${objections.slice(0, objectionsShown).map((one) => html`<li>${whyOf(visit, one)}</li>`)}
    </ul>
    ${
      objections.length > objectionsShown &&
      html`<p>
        ${visit.say(message('decide.and-more', { count: showCount(objections.length - objectionsShown) }))}
      </p>`
    }
  </div>`;

function filePage(visit: ProvedVisit, item: OwnedItem, objections: readonly Message[] = []): Page {
  const { say } = visit;
  const { key, version, title, amountSatang, reason } = item;
  return {
    title: say('decision-file.decision-file'),
    status: objections.length === 0 ? 200 : 409,
    body: html`${objections.length > 0 && objectionsBox(visit, objections)}
      <h1>${say('decision-file.decision-file')}</h1>
      <div class="columns">
        <section class="card">
          ${factList([
            [say('decision-file.decision-file'), whyOf(visit, title)],
            [say('decision-file.asks-for'), whyOf(visit, reason)],
            [say('payout.amount'), amountSatang === null ? undefined : say(bahtOf(amountSatang))],
            ['SHA-256', html`<code>${version}</code>`],
          ])}
        </section>
        <section class="card decision">
          <p>${say('decision-file.confirm-file-hint')}</p>
          ${postButton(visit, `${decisionFilePath}/confirm`, say('decision.confirm-file'), { key, version }, 'main')}
          <form method="post" action="${decisionFilePath}/discard">
            ${csrfField(visit)}<input type="hidden" name="key" value="${key}" />
            <div class="field">
              <label for="note">${say('decide.why-note')}</label>
              <textarea id="note" name="note" rows="2" maxlength="${noteMax}" required></textarea>
            </div>
            <button>${say('decision-file.discard-file')}</button>
          </form>
          <p><a href="/queue">${say('decide.not-done')}</a></p>
        </section>
      </div>`,
  };
}

async function answerFile(
  { readItems, confirm, discard }: DecisionFileContext,
  visit: ProvedVisit,
  { key = '', version = '', note = '' }: Fields,
  what: 'look' | 'confirm' | 'discard',
): Promise<Answer> {
  const items = await readItems(visit.person, itemsMax, ['decisions']);
  const item = items.find((one) => one.key === key);
  if (item === undefined)
    return plainPage(visit, 404, visit.say('page.not-found'), visit.say('queue.waits-no-more'));
  if (what === 'look') return filePage(visit, item);
  const maker = deciderOf(visit.proved);
  if (what === 'discard') {
    const text = note.trim().slice(0, noteMax);
    const why = text === '' ? message('decide.missing-why') : await discard(key, maker, text);
    return why === undefined ? { goTo: '/queue' } : filePage(visit, item, [why]);
  }
  const end = await confirm(key, version, maker);
  if (end.kind === 'refused') return filePage(visit, item, end.objections);
  const [only, ...others] = end.proposalIds;
  return { goTo: only === undefined || others.length > 0 ? '/proposals' : `/proposal/${only}` };
}

export const makeDecisionFileViews = (context: DecisionFileContext): readonly View[] =>
  (['look', 'confirm', 'discard'] as const).map((what) =>
    viewAt(
      'POST',
      what === 'look' ? decisionFilePath : `${decisionFilePath}/${what}`,
      'propose',
      (visit, fields) => answerFile(context, visit, fields, what),
    ),
  );
