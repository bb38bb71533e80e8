/** Waiting items other than payouts, above the payouts of the queue: displayed, taken, and decided on one by one. */
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { showBaht, showCount } from '../../core/figures.ts';
import { bahtOf, sayCode } from '../../core/message.ts';
import { sayAge, sayDate, sayMoment } from '../../core/moments.ts';
import { showText } from '../../core/outgoing-text.ts';
import type { ReviewContext } from '../context.ts';
import { figureWhole } from '../freeze.ts';
import { type OwnersContext, takeItem } from '../owners.ts';
import { can } from '../rules/people.ts';
import type { Target } from '../rules/proposal.ts';
import {
  type Asker,
  type OwnedItem,
  type Owner,
  type Queue,
  type QueueOption,
  queueKinds,
} from '../rules/queue.ts';
import { type Decision, otherDecisions } from '../rules/terms.ts';
import { deciderOf } from '../verdict.ts';
import { answerDecision, type DecideForm, decidePage } from './decide-form.ts';
import { html, type Html, type Part } from './html.ts';
import { describeWhat, type FiguredDecision, figuresPanel, totalOfFigures } from './figures-panel.ts';
import { plainPage, postButton } from './layout.ts';
import { factList, moneyTag, whyOf } from './parts.ts';
import type { ReadReview } from './payout-page.ts';
import type { Answer, Fields, Page, ProvedVisit, View } from './view.ts';
import { sayWhy } from './words.ts';

/** @param limit the number of items of each kind */
export type ReadQueue = (asker: Asker, limit: number) => Promise<Queue>;

export interface QueueItemsContext {
  readonly store: OwnersContext['journal'];
  readonly readReview: ReadReview;
  readonly readQueue: ReadQueue;
}

/** The path of a dropped file of decisions. */
export const decisionFilePath = '/queue/file';

/** The number of items of a kind on the page. */
const itemsOfKind = 20;
/** The number of items among which the decided one is looked up. */
const itemsMax = 10_000;

/** The owner of an item, and the button that changes the owner. */
export function ownerOf(
  visit: ProvedVisit,
  { kind, key }: { readonly kind: OwnedItem['kind'] | 'payout'; readonly key: string },
  owner: Owner | undefined,
): Part {
  const { say, person } = visit;
  const isOwn = owner?.personId === person.personId;
  const what = isOwn ? 'given-back' : 'taken';
  const label = say(isOwn ? 'queue.give-back' : 'queue.take-it');
  return html`${owner && html`<small>${say('queue.owner')}: ${owner.person}</small>`}
  ${can(person, 'take').allowed && postButton(visit, '/queue/take', label, { kind, key, what })}`;
}

/** Decisions with a form here; the others have their own view, or a command in the shell. */
const decidedHere: readonly string[] = [
  ...otherDecisions.filter(
    (name) => !['approve-batch', 'accept-statement', 'adopt-statement'].includes(name),
  ),
  'acknowledge',
];

function optionOf(visit: ProvedVisit, item: OwnedItem, option: QueueOption): Html {
  const { decision, whyNot } = option;
  const label = visit.say(option.label);
  if (whyNot !== undefined) return html`<li class="off">${label} <small>${whyOf(visit, whyNot)}</small></li>`;
  const { kind, key, version } = item;
  if (kind === 'decisions')
    return html`<li>${postButton(visit, decisionFilePath, label, { key }, 'plain')}</li>`;
  if (kind === 'registration')
    return html`<li><a class="button" href="/registration/${key}/decide/${decision}">${label}</a></li>`;
  if (!decidedHere.includes(decision)) return html`<li>${placeOf(visit, item, label)}</li>`;
  return html`<li>${postButton(visit, '/queue/item', label, { kind, key, version, decision }, 'plain')}</li>`;
}

/** The link to the view that decides on an item. */
function placeOf({ say }: ProvedVisit, { kind, key }: OwnedItem, label: string): Part {
  if (kind === 'proposal') return html`<a class="button" href="/proposal/${key}">${label}</a>`;
  if (kind === 'batch' || kind === 'doubt') return html`<a class="button" href="/batch/${key}">${label}</a>`;
  return html`${label} <small>${say('queue.in-shell')}</small>`;
}

const ageOf = ({ language, nowMs }: ProvedVisit, sinceMs: number): Html =>
  html`<time datetime="${formatBangkokDateTime(sinceMs)}" title="${sayMoment(language, sinceMs)}"
    >${sayAge(language, nowMs - sinceMs)}</time
  >`;

/** The title of an item; a day in the reader's calendar. */
function titleOf(visit: ProvedVisit, { kind, key, title }: OwnedItem): Part {
  if (kind === 'day') return sayDate(visit.language, key);
  return kind === 'registration'
    ? html`<a class="open" href="/registration/${key}">${showText(sayWhy(visit.language, title).text)}</a>`
    : whyOf(visit, title);
}

/** A registration moves no money. */
const movedOf = (visit: ProvedVisit, { kind, moneyMoved }: OwnedItem): Part =>
  kind === 'registration' || kind === 'callback' ? undefined : moneyTag(visit, moneyMoved);

function itemRow(visit: ProvedVisit, item: OwnedItem): Html {
  const { say, language } = visit;
  const { kind, amountSatang, reason, remedy, options, sinceMs, owner } = item;
  return html`<tr>
    <td data-head="${say('queue.waits')}">
      <b>${sayCode(language, `queue-kind.${kind}`)}</b> <small>${titleOf(visit, item)}</small>
    </td>
    <td class="number" data-head="${say('payout.amount')}">
      ${amountSatang !== null && showBaht(amountSatang)}
    </td>
    <td data-head="${say('payout.money')}">${movedOf(visit, item)}</td>
    <td class="why" data-head="${say('payout.why')}">
      ${whyOf(visit, reason)} <small>${whyOf(visit, remedy)}</small>
    </td>
    <td data-head="${say('payout.decisions')}">
      <ul class="options">
        ${options.map((one) => optionOf(visit, item, one))}
      </ul>
    </td>
    <td class="mono" data-head="${say('payout.age')}">
      ${ageOf(visit, sinceMs)} ${ownerOf(visit, item, owner)}
    </td>
  </tr>`;
}

/** Returns nothing where only payouts wait. */
export async function itemsSection({ readQueue }: QueueItemsContext, visit: ProvedVisit): Promise<Part> {
  const { say, language } = visit;
  const { items, totals } = await readQueue(visit.person, itemsOfKind);
  if (totals.length === 0) return undefined;
  const heads = [
    say('queue.waits'),
    say('payout.amount'),
    say('payout.money'),
    `${say('payout.why')}, ${say('payout.remedy')}`,
    say('payout.decisions'),
    say('payout.age'),
  ];
  return html`<section class="others" aria-labelledby="others">
    <h2 id="others">${say('queue.others')}</h2>
    <p>
      ${totals.map((one) => `${sayCode(language, `queue-kind.${one.kind}`)}: ${showCount(one.items)}`).join(' · ')}
    </p>
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${items.map((item) => itemRow(visit, item))}
      </tbody>
    </table>
  </section>`;
}

// ---------------------------------------------------------------- posted forms

const readKind = (fields: Fields) => queueKinds.find((kind) => kind === fields['kind']);

/** Only an existing item can have an owner, so that a forged form writes nothing into the journal. */
async function isThere(
  { readReview, readQueue }: QueueItemsContext,
  { person }: ProvedVisit,
  kind: OwnedItem['kind'] | 'payout',
  key: string,
): Promise<boolean> {
  if (kind === 'payout' || kind === 'registration') {
    if (!/^[1-9]\d{0,14}$/.test(key)) return false;
    const { journal } = await readReview();
    const seq = Number(key);
    return (
      (await (kind === 'payout' ? journal.history(seq) : journal.registrationHistory(seq))) !== undefined
    );
  }
  const { items } = await readQueue(person, itemsMax);
  return items.some((one) => one.kind === kind && one.key === key);
}

async function answerTake(context: QueueItemsContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { store, readReview } = context;
  const kind = fields['kind'] === 'payout' ? 'payout' : readKind(fields);
  const what = fields['what'] === 'given-back' ? 'given-back' : 'taken';
  const key = fields['key'] ?? '';
  if (kind === undefined) return plainPage(visit, 404, visit.say('page.not-found'), '');
  if (what === 'taken' && !(await isThere(context, visit, kind, key))) return gone(visit);
  const { clock } = await readReview();
  const why = await takeItem({ journal: store, clock }, { kind, key }, what, deciderOf(visit.proved));
  return why === undefined
    ? { goTo: '/queue' }
    : plainPage(visit, 409, visit.say('payout.not-possible'), why);
}

const shownOf = (visit: ProvedVisit, item: OwnedItem): Html => {
  const { kind, amountSatang, reason, remedy } = item;
  return factList([
    [
      visit.say('queue.waits'),
      html`${sayCode(visit.language, `queue-kind.${kind}`)}, ${titleOf(visit, item)}`,
    ],
    [visit.say('payout.amount'), amountSatang === null ? undefined : visit.say(bahtOf(amountSatang))],
    [visit.say('payout.money'), movedOf(visit, item)],
    [visit.say('payout.why'), whyOf(visit, reason)],
    [visit.say('payout.remedy'), whyOf(visit, remedy)],
  ]);
};

/** Counts the decision's present effect on an account; undefined for targets without rows. */
async function countItem(
  review: ReviewContext,
  decision: Decision,
  target: Target,
): Promise<FiguredDecision | undefined> {
  const figures = await figureWhole(review, decision, target);
  if (figures.of === 'others') return undefined;
  return { decision, kind: target.kind, figures, totalSatang: totalOfFigures(figures) };
}

/** Answers a click with the form, and a filled-in form with the decision. */
async function answerItem(context: QueueItemsContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { kind = '', key = '', version = '', decision = '' } = fields;
  const { items } = await context.readQueue(visit.person, itemsMax);
  const item = items.find((one) => one.kind === kind && one.key === key);
  const option = item?.options.find((one) => one.decision === decision);
  if (item === undefined || option === undefined || !decidedHere.includes(decision)) return gone(visit);
  if (option.whyNot !== undefined)
    return plainPage(visit, 409, visit.say('payout.not-possible'), whyOf(visit, option.whyNot));
  // A batch in doubt is decided on as a batch.
  const target = { kind: kind === 'doubt' ? 'batch' : kind, key, version } as Target;
  const { title } = item;
  const named = kind === 'day' ? sayDate(visit.language, key) : sayWhy(visit.language, title).text;
  const review = await context.readReview();
  const panel = await countItem(review, decision as Decision, target);
  const form: DecideForm = {
    decision: decision as Decision,
    path: '/queue/item',
    back: '/queue',
    targets: [target],
    what: panel === undefined ? showText(named) : `${showText(named)}: ${visit.say(describeWhat(panel))}`,
    shown: [shownOf(visit, item), panel && (await figuresPanel(review.journal, visit, panel))],
    hidden: { kind, key, version, decision },
    nameTarget: () => showText(named),
  };
  return fields['note'] === undefined
    ? decidePage(visit, review, form)
    : answerDecision(visit, review, form, fields);
}

const gone = (visit: ProvedVisit): Page =>
  plainPage(visit, 404, visit.say('page.not-found'), visit.say('queue.waits-no-more'));

export const makeQueueItemViews = (context: QueueItemsContext): readonly View[] => [
  {
    method: 'POST',
    path: '/queue/take',
    action: 'take',
    answer: async (visit, fields) => answerTake(context, visit, fields),
  },
  {
    method: 'POST',
    path: '/queue/item',
    action: 'propose',
    answer: async (visit, fields) => answerItem(context, visit, fields),
  },
];
