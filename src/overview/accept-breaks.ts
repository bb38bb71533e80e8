/** Accepts breaks of a day: one, or several that a person ticks. */
import { counted, message, type PlainCode } from '../core/message.ts';
import { sayDate } from '../core/moments.ts';
import { sumSatang } from '../core/money.ts';
import type { BreakRecord } from '../reconcile/rules/types.ts';
import { breakTargetOf } from '../review/queue-target.ts';
import { describeAct } from '../review/rules/terms.ts';
import { answerDecision, type DecideForm, decidePage } from '../review/web/decide-form.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { keptMark } from '../review/web/kept-posts.ts';
import { csrfField, plainPage } from '../review/web/layout.ts';
import { capital, dataTable, whyOf } from '../review/web/parts.ts';
import type { Answer, Fields, Page, ProvedVisit } from '../review/web/view.ts';
import {
  breaksShown,
  isHigh,
  markOf,
  nameOf,
  placeOf,
  readDate,
  type ReconciliationContext,
  signOf,
} from './reconciliation-day.ts';
import { showDifference, transferOf } from '../review/web/proposed/break-sides.ts';
import { sidesOfBreak } from './rules/day-sides.ts';

const pickMark = 'pick-';

const readMarks = (fields: Fields): ReadonlySet<string> =>
  new Set(
    Object.keys(fields).flatMap((name) => (name.startsWith(pickMark) ? [name.slice(pickMark.length)] : [])),
  );

/** @param withBox true where the break can be ticked */
function breakRow(visit: ProvedVisit, record: BreakRecord, withBox: boolean): Html {
  const { say } = visit;
  const [sign, className] = signOf(isHigh(record));
  const name = capital(say(nameOf(record.kind)));
  const mark = markOf(record);
  return html`<tr>
    ${
      withBox &&
      html`<td class="pick">
        <label
          ><input type="checkbox" name="${pickMark}${mark}" value="1" /><span class="hidden"
            >${name}</span
          ></label
        >
      </td>`
    }
    <td data-head="${say('payout.payout')}">
      <b class="${className}"><span aria-hidden="true">${sign}</span> ${name}</b>
      <small>${transferOf(record)}</small>
    </td>
    <td class="number" data-head="${say('reconciliation.ours-minus-bank')}">
      ${showDifference(sidesOfBreak(record).differenceSatang)}
    </td>
    <td class="why" data-head="${say('payout.why')}">${whyOf(visit, record.reason)}</td>
  </tr>`;
}

const breakTable = (visit: ProvedVisit, records: readonly BreakRecord[], withBox: boolean): Html =>
  dataTable(
    visit,
    [...(withBox ? ([''] as const) : []), 'payout.payout', 'reconciliation.ours-minus-bank', 'payout.why'],
    records.map((record) => breakRow(visit, record, withBox)),
    ['reconciliation.ours-minus-bank'],
  );

/** The list with boxes; breaks that wait for a check are left out. */
function choosePage(
  visit: ProvedVisit,
  date: string,
  records: readonly BreakRecord[],
  problem?: { readonly text: PlainCode; readonly status: number },
): Page {
  const { say, language } = visit;
  const title = say(message('reconciliation.accept-which', { day: sayDate(language, date) }));
  const path = `/reconciliation/${date}`;
  return {
    title,
    status: problem?.status ?? 200,
    body: html`${problem && html`<div class="problems" role="alert" tabindex="-1" autofocus><p>${say(problem.text)}</p></div>`}
      <h1>${title}</h1>
      <form method="post" action="${path}/accept">
        ${csrfField(visit)} ${breakTable(visit, records, true)}
        <div class="buttons">
          <button class="main">${say('reconciliation.accept-chosen')}</button>
          <a class="button" href="${path}">${say('decide.not-done')}</a>
        </div>
      </form>`,
  };
}

function formOf(visit: ProvedVisit, date: string, records: readonly BreakRecord[]): DecideForm {
  const { say, language } = visit;
  const day = sayDate(language, date);
  const satang = sumSatang(records.map((record) => sidesOfBreak(record).differenceSatang));
  const what = message('reconciliation.accepted-what', {
    breaks: counted(records.length, 'open-break'),
    day,
    sum: showDifference(satang),
  });
  const names = new Map(records.map((record) => [breakTargetOf(record).key, record]));
  const path = `/reconciliation/${date}`;
  return {
    decision: 'accept-break',
    path: `${path}/accept`,
    back: path,
    targets: records.map(breakTargetOf),
    what: say(what),
    act: describeAct('accept-break', what),
    shown: breakTable(visit, records, false),
    hidden: Object.fromEntries(records.map((record) => [`${pickMark}${markOf(record)}`, '1'])),
    nameTarget: ({ key }): Part => {
      const record = names.get(key);
      return record && transferOf(record);
    },
  };
}

/** The list with boxes, then the form for those that are ticked, then the decision. */
export async function answerAccept(
  { store, readReview }: ReconciliationContext,
  visit: ProvedVisit,
  fields: Fields,
  isPosted: boolean,
): Promise<Answer> {
  const date = readDate(fields);
  const all = date === undefined ? [] : await store.openBreaks(date, breaksShown);
  const keys = all.map((record) => breakTargetOf(record).key);
  const waiting = new Set(
    keys.length === 0 ? [] : (await store.openItems('break', keys)).map(({ key }) => key),
  );
  const records = all.filter((record) => !waiting.has(breakTargetOf(record).key));
  if (date === undefined || records.length === 0)
    return plainPage(
      visit,
      404,
      visit.say('page.not-found'),
      visit.say('queue.waits-no-more'),
      '/reconciliation',
    );
  if (!isPosted && fields[keptMark] === undefined) return choosePage(visit, date, records);
  const marks = readMarks(fields);
  const chosen = records.filter((record) => marks.has(markOf(record)));
  if (marks.size === 0)
    return choosePage(visit, date, records, { text: 'reconciliation.choose-one', status: 422 });
  if (chosen.length < marks.size)
    return choosePage(visit, date, records, { text: 'reconciliation.breaks-changed', status: 409 });
  const review = await readReview();
  const form = formOf(visit, date, chosen);
  if (!isPosted || fields['note'] === undefined) return decidePage(visit, review, form, fields);
  const answer = await answerDecision(visit, review, form, fields);
  const [first] = chosen;
  // Back to the line in its day, which says that it waits for a check.
  return 'goTo' in answer && first !== undefined
    ? { goTo: `/reconciliation/${date}#${placeOf(first)}` }
    : answer;
}
