/** The rows of the groups of the queue: payouts and other items, displayed, searched, taken and decided on. */
import { showBaht } from '../../core/figures.ts';
import { bahtOf, sayCode } from '../../core/message.ts';
import { sayDate, sayMoment } from '../../core/moments.ts';
import { showText } from '../../core/outgoing-text.ts';
import { showLastDigits } from '../../core/proxy-id.ts';
import type { ResultRow } from '../../core/ports.ts';
import type { FoundPayout } from '../../payout/ports.ts';
import { placeInTime } from '../../payout/rules/search.ts';
import type { Attention } from '../../attention/rules/entry.ts';
import type { OwnedItem, QueueOption } from '../../attention/rules/items.ts';
import type { ReviewContext } from '../context.ts';
import { figureWhole } from '../freeze.ts';
import { type OwnersContext, takeItem } from '../owners.ts';
import { can } from '../rules/people.ts';
import type { Target } from '../rules/proposal.ts';
import { type Asker, type Owner, type QueueKind, queueKinds } from '../rules/queue.ts';
import { type Decision, describeAct, otherDecisions } from '../rules/terms.ts';
import { deciderOf } from '../verdict.ts';
import { answerDecision, type DecideForm, decidePage } from './decide-form.ts';
import { html, type Html, type Part } from './html.ts';
import { describeWhat, type FiguredDecision, figuresPanel, totalOfFigures } from './figures-panel.ts';
import { keptMark } from './kept-posts.ts';
import { csrfField, plainPage, postButton } from './layout.ts';
import { ageOf, factList, moneyTag, reasonOf, whyOf } from './parts.ts';
import type { ReadReview } from './payout-page.ts';
import {
  type Answer,
  type Fields,
  formAt,
  type Page,
  type ProvedVisit,
  sayWhy,
  type View,
  viewAt,
} from './view.ts';

/** @param limit the number of items of each kind */
export type ReadItems = (
  asker: Asker,
  limit: number,
  kinds: readonly QueueKind[],
) => Promise<readonly OwnedItem[]>;

export interface QueueItemsContext {
  readonly store: OwnersContext['journal'];
  readonly readReview: ReadReview;
  readonly readItems: ReadItems;
  readonly readAttention: () => Promise<Attention>;
}

/** The path of a dropped file of decisions. */
export const decisionFilePath = '/queue/file';

/** The number of items among which the decided one is looked up. */
const itemsMax = 10_000;

/** The owner of an item, and the button that changes the owner. */
export function ownerOf(
  visit: ProvedVisit,
  { kind, key }: { readonly kind: OwnedItem['kind'] | 'group'; readonly key: string },
  owner: Owner | undefined,
): Part {
  const { say, person } = visit;
  const isOwn = owner?.personId === person.personId;
  const what = isOwn ? 'given-back' : 'taken';
  const label = say(isOwn ? 'queue.give-back' : 'queue.take-it');
  return html`${owner && html`<small>${say('queue.owner')}: ${owner.person}</small>`}
  ${can(person, 'take').allowed && postButton(visit, '/queue/take', label, { kind, key, what, back: visit.path })}`;
}

/** The form of one item; a GET returns kept text, and leads to the queue without any. */
const itemPath = '/queue/item';

/** Decisions with a form here; the others have their own view, or a command in the shell. */
const decidedHere: readonly string[] = [
  ...otherDecisions.filter(
    (name) => !['approve-batch', 'accept-statement', 'adopt-statement'].includes(name),
  ),
  'acknowledge',
];

function optionOf(visit: ProvedVisit, item: OwnedItem, option: QueueOption, isMain: boolean): Html {
  const { decision, whyNot } = option;
  const label = visit.say(option.label);
  if (whyNot !== undefined) return html`<li class="off">${label} <small>${whyOf(visit, whyNot)}</small></li>`;
  const { kind, key, version } = item;
  if (kind === 'decisions')
    return html`<li>${postButton(visit, decisionFilePath, label, { key }, 'plain')}</li>`;
  if (kind === 'registration')
    return html`<li><a class="button" href="/registration/${key}">${label}</a></li>`;
  const look = isMain ? 'main' : 'plain';
  if (!decidedHere.includes(decision)) return html`<li>${decidePlaceOf(visit, item, label, look)}</li>`;
  return html`<li>${postButton(visit, itemPath, label, { kind, key, version, decision }, look)}</li>`;
}

/** The link to the view that decides on an item. */
function decidePlaceOf(
  { say, person }: ProvedVisit,
  { kind, key }: OwnedItem,
  label: string,
  look: 'main' | 'plain',
): Part {
  if (kind === 'proposal') return html`<a class="button ${look}" href="/proposal/${key}">${label}</a>`;
  if (kind === 'batch')
    return html`<a class="button ${look}" href="/batch/${key}/decide/approve-batch"
      >${can(person, 'check').allowed ? label : say('queue.propose-to-pay')}</a
    >`;
  return html`${label} <small>${say('queue.in-shell')}</small>`;
}

/** The title of an item; a day in the reader's calendar. */
function titleOf(visit: ProvedVisit, { kind, key, title }: OwnedItem): Part {
  if (kind === 'day') return sayDate(visit.language, key);
  return kind === 'registration'
    ? html`<a class="open" href="/registration/${key}">${showText(sayWhy(visit.language, title).text)}</a>`
    : whyOf(visit, title);
}

/** A registration moves no money, and of a break the bank and the journal say different things. */
const movedOf = (visit: ProvedVisit, { kind, moneyMoved }: OwnedItem): Part =>
  kind === 'registration' || kind === 'callback' || kind === 'break'
    ? undefined
    : moneyTag(visit, moneyMoved);

/** An item with its decisions; the impossible ones are folded. @param isOneOfMany its group does not say it all */
export function itemCard(visit: ProvedVisit, item: OwnedItem, isOneOfMany: boolean): Html {
  const { say } = visit;
  const { amountSatang, reason, options, sinceMs, owner } = item;
  const possible = options.filter(({ whyNot }) => whyNot === undefined);
  const impossible = options.filter(({ whyNot }) => whyNot !== undefined);
  const list = (some: readonly QueueOption[], className: string) =>
    html`<ul class="options ${className}">
      ${some.map((one, place) => optionOf(visit, item, one, !isOneOfMany && place === 0))}
    </ul>`;
  return html`<div class="act">
    ${
      isOneOfMany &&
      html`<div class="hd">
          <h3>${titleOf(visit, item)}</h3>
          <small
            >${amountSatang !== null && showBaht(amountSatang)} ${movedOf(visit, item)}
            ${ageOf(visit, sinceMs)}</small
          >
        </div>
        <p>${whyOf(visit, reason)}</p>
        ${ownerOf(visit, item, owner)}`
    }
    ${possible.length > 0 && list(possible, 'bts')}
    ${
      impossible.length > 0 &&
      html`<details class="small">
        <summary>${say('payout.not-possible')} (${impossible.length})</summary>
        ${list(impossible, '')}
      </details>`
    }
  </div>`;
}

// ---------------------------------------------------------------- posted forms

const readKind = (fields: Fields) => queueKinds.find((kind) => kind === fields['kind']);

/** Only an existing item can have an owner, so that a forged form writes nothing into the journal. */
async function isThere(
  { readReview, readItems, readAttention }: QueueItemsContext,
  { person }: ProvedVisit,
  kind: OwnedItem['kind'] | 'payout' | 'group',
  key: string,
): Promise<boolean> {
  if (kind === 'group') return (await readAttention()).entries.some((entry) => entry.key === key);
  if (kind === 'payout' || kind === 'registration') {
    if (!/^[1-9]\d{0,14}$/.test(key)) return false;
    const { journal } = await readReview();
    const seq = Number(key);
    return (
      (await (kind === 'payout' ? journal.history(seq) : journal.registrationHistory(seq))) !== undefined
    );
  }
  const items = await readItems(person, itemsMax, [kind]);
  return items.some((one) => one.kind === kind && one.key === key);
}

/** Pages on which something is taken. */
const backTo = /^\/(?:queue|payout)\/[\w.%~-]+$/;

async function answerTake(context: QueueItemsContext, visit: ProvedVisit, fields: Fields): Promise<Answer> {
  const { store, readReview } = context;
  const kind = (['payout', 'group'] as const).find((one) => one === fields['kind']) ?? readKind(fields);
  const what = fields['what'] === 'given-back' ? 'given-back' : 'taken';
  const key = fields['key'] ?? '';
  if (kind === undefined) return plainPage(visit, 404, visit.say('page.not-found'), '');
  if (what === 'taken' && !(await isThere(context, visit, kind, key))) return gone(visit);
  const { clock } = await readReview();
  const why = await takeItem({ journal: store, clock }, { kind, key }, what, deciderOf(visit.proved));
  return why === undefined
    ? { goTo: backTo.test(fields['back'] ?? '') ? (fields['back'] ?? '') : '/queue' }
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

/** Answers a click with the form, and a filled-in form that is posted with the decision. */
async function answerItem(
  context: QueueItemsContext,
  visit: ProvedVisit,
  fields: Fields,
  isPosted: boolean,
): Promise<Answer> {
  if (!isPosted && fields[keptMark] === undefined) return { goTo: '/queue' };
  const { kind = '', key = '', version = '', decision = '' } = fields;
  const of = readKind(fields);
  const items = of === undefined ? [] : await context.readItems(visit.person, itemsMax, [of]);
  const item = items.find((one) => one.key === key);
  const option = item?.options.find((one) => one.decision === decision);
  if (item === undefined || option === undefined || !decidedHere.includes(decision)) return gone(visit);
  if (option.whyNot !== undefined)
    return plainPage(visit, 409, visit.say('payout.not-possible'), whyOf(visit, option.whyNot));
  const target = { kind, key, version } as Target;
  const { title } = item;
  const named = kind === 'day' ? sayDate(visit.language, key) : sayWhy(visit.language, title).text;
  const review = await context.readReview();
  const panel = await countItem(review, decision as Decision, target);
  const form: DecideForm = {
    decision: decision as Decision,
    path: itemPath,
    back: '/queue',
    targets: [target],
    what: panel === undefined ? showText(named) : `${showText(named)}: ${visit.say(describeWhat(panel))}`,
    act: describeAct(decision as Decision, panel === undefined ? showText(named) : describeWhat(panel)),
    shown: [shownOf(visit, item), panel && (await figuresPanel(review.journal, visit, panel))],
    hidden: { kind, key, version, decision },
    nameTarget: () => showText(named),
  };
  return isPosted && fields['note'] !== undefined
    ? answerDecision(visit, review, form, fields)
    : decidePage(visit, review, form, fields);
}

const gone = (visit: ProvedVisit): Page =>
  plainPage(visit, 404, visit.say('page.not-found'), visit.say('queue.waits-no-more'));

// ---------------------------------------------------------------- payouts that wait

export const empty = ({ say, language, nowMs }: ProvedVisit): Html =>
  html`<div class="empty">
    <p><b>${say('queue.nothing-waits')}</b></p>
    <p>${say('queue.shown')} ${sayMoment(language, nowMs)}</p>
  </div>`;

/** The owner of a row, and the button that changes the owner, of a form that all rows share. */
function ownerOfRow({ say, person }: ProvedVisit, key: string, owner: Owner | undefined): Part {
  const isOwn = owner?.personId === person.personId;
  return html`${owner && html`<small>${say('queue.owner')}: ${owner.person}</small>`}
  ${
    can(person, 'take').allowed &&
    html`<button class="quiet" form="${isOwn ? 'given-back' : 'taken'}" name="key" value="${key}">
      ${say(isOwn ? 'queue.give-back' : 'queue.take-it')}
    </button>`
  }`;
}

/** The forms of the buttons of the rows. */
const ownerForms = (visit: ProvedVisit): readonly Html[] =>
  ['taken', 'given-back'].map(
    (what) =>
      html`<form method="post" action="/queue/take" id="${what}" class="inline">
        ${csrfField(visit)}<input type="hidden" name="kind" value="payout" /><input
          type="hidden"
          name="what"
          value="${what}"
        /><input type="hidden" name="back" value="${visit.path}" />
      </form>`,
  );

/** Rows of one group. @param isAlike the heading of the group says why each of them waits */
export const groupTable = (
  visit: ProvedVisit,
  found: readonly FoundPayout[],
  owners: ReadonlyMap<string, Owner>,
  isAlike: boolean,
): Html =>
  html`<table class="rows">
      <thead>
        <tr>
          ${choiceHead(visit)}
          <th scope="col">${visit.say('payout.payee')}</th>
          <th scope="col" class="number">${visit.say('payout.amount')}</th>
          <th scope="col">${visit.say('payout.age')}, ${visit.say('queue.owner')}</th>
        </tr>
      </thead>
      <tbody>
        ${found.map((one) => groupRow(visit, one, owners, isAlike))}
      </tbody>
    </table>
    ${ownerForms(visit)}`;

function groupRow(
  visit: ProvedVisit,
  { row, batch }: FoundPayout,
  owners: ReadonlyMap<string, Owner>,
  isAlike: boolean,
): Html {
  const { say } = visit;
  const { cells, instruction } = row;
  const placedMs = placeInTime(row, batch);
  const key = String(row.seq);
  return html`<tr>
    ${choiceCell(visit, row)}
    <td class="w">
      <a class="open" href="/payout/${row.seq}"><span class="name">${cells.payoutId.trim()}</span></a>
      ${showText((instruction ?? cells).payeeName ?? '')}
      <small
        >${showLastDigits(instruction?.proxyNo ?? cells.proxyNo)} ·
        <a href="/batch/${batch.batchId}">${showText(batch.fileName)}</a>, ${say('payout.row')}
        ${row.rowNo}</small
      >
      ${!isAlike && html`<small>${reasonOf(visit, row)}</small>`}
    </td>
    <td class="number">${row.amountSatang === null ? showText(cells.amount) : showBaht(row.amountSatang)}</td>
    <td class="mono">${ageOf(visit, placedMs)} ${ownerOfRow(visit, key, owners.get(key))}</td>
  </tr>`;
}

/** The id of the form below the table, to which the boxes in the table belong: forms cannot be nested. */
const formId = 'choice';

const mayChoose = ({ person }: ProvedVisit): boolean => can(person, 'propose').allowed;

const choiceHead = (visit: ProvedVisit): Part =>
  mayChoose(visit) && html`<th scope="col"><span class="hidden">${visit.say('decide.choose')}</span></th>`;

/** A box; its value is the displayed version. */
const choiceCell = (visit: ProvedVisit, { seq, version, cells, amountSatang }: ResultRow): Part =>
  mayChoose(visit) &&
  html`<td class="pick">
    <label
      ><input
        type="checkbox"
        form="${formId}"
        name="pick-${seq}"
        value="${version}"
        data-satang="${String(amountSatang ?? 0)}"
      /><span class="hidden">${visit.say('decide.choose')} ${cells.payoutId.trim()}</span></label
    >
  </td>`;

/** @param decision the likeliest one, which the form of the chosen rows begins with */
export const choiceBar = (visit: ProvedVisit, decision: Decision | undefined): Part =>
  mayChoose(visit) &&
  html`<form method="post" action="/decide" id="${formId}" class="bar">
    ${csrfField(visit)}
    ${decision !== undefined && html`<input type="hidden" name="decision" value="${decision}" />`}
    <span
      class="chosen"
      data-chosen="${visit.say('decide.selected')}"
      data-baht="${visit.say('payout.baht')}"
    ></span>
    <button class="main">${visit.say('decide.decide-on-chosen')}</button>
  </form>`;

export const makeQueueItemViews = (context: QueueItemsContext): readonly View[] => [
  viewAt('POST', '/queue/take', 'take', (visit, fields) => answerTake(context, visit, fields)),
  ...formAt(itemPath, 'propose', (visit, fields, isPosted) => answerItem(context, visit, fields, isPosted)),
];
