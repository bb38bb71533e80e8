/** How an entry of the attention list is named on a page, and where it is decided. */
import { type AttentionEntry, sectionOf } from '../../attention/rules/entry.ts';
import { counted, type Message, message } from '../../core/message.ts';
import { sayDate } from '../../core/moments.ts';
import { html, type Html, type Part } from './html.ts';
import { type ProvedVisit, sayWhy } from './view.ts';

/** The page of a group. */
export const groupPath = ({ key }: Pick<AttentionEntry, 'key'>): string =>
  `/queue/${encodeURIComponent(key)}`;

/** The sign of an entry, so that colour alone never carries the meaning. */
export function signOf(entry: AttentionEntry): Html {
  const section = sectionOf(entry);
  if (section === 'sent-back') return html`<span class="sg link" aria-hidden="true">↩</span>`;
  if (section === 'check') return html`<span class="sg link" aria-hidden="true">›</span>`;
  if (entry.severity === 'alarm') return html`<span class="sg bad" aria-hidden="true">!</span>`;
  if (entry.severity === 'doubt') return html`<span class="sg ask" aria-hidden="true">?</span>`;
  const isStopped = entry.code === 'held' || entry.code.startsWith('batch');
  return html`<span class="sg no" aria-hidden="true">${isStopped ? '‖' : '×'}</span>`;
}

/** A heading; a day in the reader's calendar. */
export function subjectOf({ language }: ProvedVisit, { subject, args }: AttentionEntry): Part {
  const { day } = args;
  const inCalendar: Message =
    typeof day === 'string'
      ? { ...subject, args: { ...subject.args, day: sayDate(language, day) } }
      : subject;
  return sayWhy(language, inCalendar).text;
}

/** "27 payouts", "4 open breaks", "nothing waits for it alone"; nothing for an entry that is one thing. */
export function countOf({ count, rows, code }: AttentionEntry): Message | undefined {
  if (rows.of === 'payouts') return counted(count, 'payout');
  if (rows.of === 'registrations') return counted(count, 'registration');
  if (rows.of !== 'items' || code === 'proposal' || code === 'sent-back') return undefined;
  const thing = {
    break: 'open-break',
    file: 'file',
    decisions: 'file',
    day: undefined,
    callback: undefined,
  } as const;
  if (count === 0) return message('queue.none-behind');
  const named = rows.kind in thing ? thing[rows.kind as keyof typeof thing] : 'payout';
  return named && counted(count, named);
}

/** The place where an entry that is one thing is looked at whole. */
export function placeOf({ rows, args, code }: AttentionEntry): string | undefined {
  const [key] = rows.of === 'items' ? (rows.keys ?? []) : [];
  if (typeof args['batch'] === 'string') return `/batch/${args['batch']}`;
  if (typeof args['day'] === 'string') return `/reconciliation/${args['day']}`;
  if (code === 'proposal' || code === 'sent-back') return key === undefined ? undefined : `/proposal/${key}`;
  return undefined;
}
