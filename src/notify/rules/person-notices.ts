/** Notices of changes of users: each is reported, so that no user gains rights unseen. */
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { inEnglish } from '../../core/message.ts';
import { showText } from '../../core/outgoing-text.ts';
import type { PersonEvent } from '../../review/rules/chain.ts';
import type { Person } from '../../review/rules/people.ts';
import { describePersonEvent, severityOf } from '../../review/rules/person-words.ts';
import { draftNotice, type NoticeScene } from './notice-body.ts';
import type { NoticeDraft } from './notice.ts';

export const personsSubject = 'people:';

const remedies = {
  critical:
    'Ask who did it, and why: if no person did, disable the user, and change who may write to the journal',
  high: 'Ask whether it was the user: if so, an admin lets the user try again; if not, another person guesses the password',
} as const;

export function describePersonNotice(
  scene: NoticeScene,
  event: PersonEvent,
  people: readonly Person[],
): NoticeDraft {
  const severity = severityOf(event);
  const { seq, kind, atMs } = event;
  return draftNotice(
    scene,
    { kind: 'people', batchId: null, key: `${personsSubject}${seq}` },
    {
      ...(severity === null ? {} : { severity }),
      eventSeq: seq,
      happenedAt: formatBangkokDateTime(atMs),
      reasonCode: kind,
      reason: showText(inEnglish(describePersonEvent(event, people))),
      remedy: severity === null ? null : remedies[severity],
      commands: [paydropCommand(scene.place, 'user', 'list')],
    },
  );
}
