/** Chooses rows of the queue for one decision: a box in each row, and a bar below the table. */
import { showCount } from '../../core/figures.ts';
import type { ResultRow } from '../../core/ports.ts';
import { can } from '../rules/people.ts';
import { html, type Html, type Part } from './html.ts';
import { csrfField } from './layout.ts';
import type { ProvedVisit } from './view.ts';

/** The id of the form below the table, to which the boxes in the table belong: forms cannot be nested. */
const formId = 'choice';

const mayChoose = ({ person }: ProvedVisit): boolean => can(person, 'propose').allowed;

export const choiceHead = (visit: ProvedVisit): Part =>
  mayChoose(visit) && html`<th scope="col"><span class="hidden">${visit.say('decide.choose')}</span></th>`;

/** A box; its value is the displayed version. */
export const choiceCell = (visit: ProvedVisit, { seq, version, cells, amountSatang }: ResultRow): Part =>
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

/** @param asked the present filter, which defines "all that match" */
export const choiceBar = (
  visit: ProvedVisit,
  asked: Readonly<Record<string, string>>,
  matching: number,
): Part =>
  mayChoose(visit) &&
  matching > 0 &&
  html`<form method="post" action="/decide" id="${formId}" class="bar">
    ${csrfField(visit)}
    ${Object.entries(asked).map(
      ([name, value]): Html => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <span
      class="chosen"
      data-chosen="${visit.say('decide.selected')}"
      data-baht="${visit.say('payout.baht')}"
    ></span>
    <button class="main">${visit.say('decide.decide-on-chosen')}</button>
    <button name="all" value="1">${visit.say('decide.decide-on-all')} (${showCount(matching)})</button>
  </form>`;
