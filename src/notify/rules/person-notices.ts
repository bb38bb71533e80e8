/** Notices of changes of users: each is reported, so that no user gains rights unseen. */
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { message } from '../../core/message.ts';
import type { PersonEvent } from '../../review/rules/chain.ts';
import type { Person } from '../../review/rules/people.ts';
import type { PersonProposal } from '../../review/rules/person-request.ts';
import { describePersonEvent, describeRequest, severityOf } from '../../review/rules/person-words.ts';
import { draftNotice, type NoticeScene } from './notice-body.ts';
import type { NoticeDraft } from './notice.ts';

export const personsSubject = 'people:';

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
      reason: describePersonEvent(event, people),
      remedy: severity === null ? null : message(`notice.person-${severity}`),
      commands: [paydropCommand(scene.place, 'user', 'list')],
    },
  );
}

/** A proposal about users that waits, or ended without a change. */
export function describeProposalNotice(scene: NoticeScene, proposal: PersonProposal): NoticeDraft {
  const { proposalId, status, maker, madeAtMs, endedAtMs } = proposal;
  return draftNotice(
    scene,
    { kind: 'people', batchId: null, key: `proposal-about-people:${proposalId}:${status}` },
    {
      happenedAt: formatBangkokDateTime(endedAtMs ?? madeAtMs),
      reasonCode: `change-${status}`,
      reason: message('notice.person-proposal', {
        id: String(proposalId),
        name: maker,
        wanted: describeRequest(proposal),
        status: message(`proposal-is.${status}`),
      }),
      remedy: null,
      commands: [paydropCommand(scene.place, 'user', 'list')],
    },
  );
}
