/** Notices of the head of a day: kept outside, it shows whether the journal was rewritten since. */
import { message } from '../../core/message.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { showText } from '../../core/outgoing-text.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import type { DayHead } from '../../evidence/rules/day-head.ts';
import { draftNotice, type NoticeScene } from './notice-body.ts';
import { sayDay } from './journal-notices.ts';
import type { NoticeDraft } from './notice.ts';

/** @param path absolute, of the file in the outbox */
export function describeDayHead(scene: NoticeScene, head: DayHead, path: string): NoticeDraft {
  const { number, date, stretches, text, hash } = head;
  const { payouts, people, proposals } = stretches;
  return draftNotice(
    scene,
    { kind: 'day-head', batchId: null, key: `day-head:${number}:${hash}` },
    {
      day: showDate(date),
      head: hash,
      lines: text
        .trimEnd()
        .split('\n')
        .map((line) => showText(line)),
      events: { payouts: payouts.events, people: people.events, proposals: proposals.events },
      reason: message('notice.day-head', { day: sayDay(scene, date) }),
      remedy: null,
      commands: [paydropCommand(scene.place, 'audit')],
      reports: [path],
    },
  );
}
