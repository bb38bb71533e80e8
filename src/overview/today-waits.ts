/** The first groups of the queue on which a person can act. */
import { entriesFor } from '../attention/attention-list.ts';
import type { Attention, AttentionEntry } from '../attention/rules/entry.ts';
import type { OwnedItem } from '../attention/rules/items.ts';
import { formatBangkokTime } from '../core/bangkok-time.ts';
import { showCount } from '../core/figures.ts';
import { bahtOf, message, type PlainCode } from '../core/message.ts';
import { can } from '../review/rules/people.ts';
import { countOf, groupPath, placeOf, signOf, subjectOf } from '../review/web/attention-parts.ts';
import { html, type Html, type Part } from '../review/web/html.ts';
import { ageOf, whyOf } from '../review/web/parts.ts';
import type { ReadItems } from '../review/web/queue-items.ts';
import type { ProvedVisit } from '../review/web/view.ts';

/** The items behind an entry. */
const itemsOf = ({ rows, args }: AttentionEntry, items: readonly OwnedItem[]): readonly OwnedItem[] =>
  rows.of !== 'items'
    ? []
    : items.filter(
        ({ kind, key }) =>
          kind === rows.kind &&
          (rows.keys?.includes(key) ?? true) &&
          (kind !== 'break' || key.startsWith(String(args['day']))),
      );

/** True of an entry that this person can end. A batch can always be cancelled: that alone does not wait for anyone. */
function waitsFor({ person }: ProvedVisit, entry: AttentionEntry, items: readonly OwnedItem[]): boolean {
  if (entry.code === 'sent-back') return true;
  if (entry.rows.of !== 'items') return can(person, 'propose').allowed;
  const [main] = entry.decisions;
  return itemsOf(entry, items).some(({ kind, options }) =>
    options.some(
      ({ decision, whyNot }) =>
        whyNot === undefined && (decision === main || (kind !== 'batch' && kind !== 'payer')),
    ),
  );
}

/** Items of each kind whose decisions are looked at. */
const itemsOfKind = 100;

/** Everything on which this person can act, the most urgent first. */
export async function listWaiting(
  visit: ProvedVisit,
  attention: Attention,
  readItems: ReadItems,
): Promise<readonly AttentionEntry[]> {
  const entries = entriesFor(attention, visit.person);
  const kinds = new Set(entries.flatMap(({ rows }) => (rows.of === 'items' ? [rows.kind] : [])));
  const items = await readItems(visit.person, itemsOfKind, [...kinds]);
  return entries.filter((entry) => waitsFor(visit, entry, items));
}

function buttonOf({ code, rows }: AttentionEntry): PlainCode {
  if (code === 'proposal' || code === 'batch-approval') return 'today.check';
  if (code === 'sent-back') return 'today.correct';
  return rows.of === 'payouts' ? 'today.decide' : 'today.open';
}

/** One thing is decided on its own page, a group on the page of the group. */
function hrefOf(entry: AttentionEntry): string {
  if (entry.code === 'batch-approval') return `/batch/${entry.args['batch']}/decide/approve-batch`;
  const isGroup = entry.code === 'batch-halted' || entry.code === 'batch-held';
  return (isGroup ? undefined : placeOf(entry)) ?? groupPath(entry);
}

function waitingLine(visit: ProvedVisit, entry: AttentionEntry): Html {
  const { say } = visit;
  const { code, reason, amountSatang, sinceMs } = entry;
  const count = countOf(entry);
  // The name of a proposal says its figures.
  const isNamed = code === 'proposal' || code === 'sent-back';
  const figures = isNamed
    ? ''
    : [
        ...(count === undefined ? [] : [say(count)]),
        // A sum without any amount that can be read is not shown.
        ...(amountSatang === null || amountSatang === 0n ? [] : [say(bahtOf(amountSatang))]),
      ].join(' · ');
  const href = hrefOf(entry);
  return html`<li>
    ${signOf(entry)}
    <a href="${href}"
      ><b>${subjectOf(visit, entry)}</b><small>${figures === '' ? whyOf(visit, reason) : figures}</small></a
    >
    <small class="n ag">${sinceMs !== null && ageOf(visit, sinceMs)}</small>
    <a class="b sm" href="${href}" tabindex="-1" aria-hidden="true">${say(buttonOf(entry))}</a>
  </li>`;
}

/** Changes of people that a second admin confirms. */
const changesLine = ({ say }: ProvedVisit, changes: number): Html =>
  html`<li>
    <span class="sg link" aria-hidden="true">›</span>
    <a href="/proposals"><b>${say(message('today.changes-for-admin', { count: showCount(changes) }))}</b></a>
    <small class="n ag"></small>
    <a class="b sm" href="/proposals" tabindex="-1" aria-hidden="true">${say('today.open')}</a>
  </li>`;

/** Groups shown. */
const groupsShown = 6;

/** @param changes the number of proposals about people that this admin may read */
export function waitsSection(visit: ProvedVisit, waiting: readonly AttentionEntry[], changes: number): Html {
  const { say, nowMs } = visit;
  const time = formatBangkokTime(nowMs).slice(0, 'HH:mm'.length);
  const forAdmin: Part = changes > 0 && changesLine(visit, changes);
  return html`<section class="card">
    <div class="hd">
      <h2>${say('today.waits-for-you')}</h2>
      <a href="/queue">${say('today.whole-queue')}</a>
    </div>
    ${
      waiting.length === 0 && forAdmin === false
        ? html`<p>${say(message('today.nothing-for-you', { time }))}</p>`
        : html`<ul class="todo">
            ${waiting.slice(0, groupsShown).map((entry) => waitingLine(visit, entry))} ${forAdmin}
          </ul>`
    }
  </section>`;
}
