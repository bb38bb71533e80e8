/** Notices of changes of users and of proposals about them: one for each, by the first process that finds it. */
import { readToldSeq } from '../../notify/rules/journal-notices.ts';
import {
  describePersonNotice,
  describeProposalNotice,
  personsSubject,
} from '../../notify/rules/person-notices.ts';
import type { PersonStore } from '../../review/ports.ts';
import { journalFactKinds } from '../../review/rules/chain.ts';
import { proposalStatuses } from '../../review/rules/proposal.ts';
import type { NoticeBoard } from './notifier.ts';

/** Kinds without a notice of their own: an approval is told with what it releases, the others only in the history. */
const unreportedKinds: ReadonlySet<string> = new Set([
  ...journalFactKinds,
  'approval-signed',
  'revealed',
  'noted',
  'uploaded',
  'signed-in',
  'sign-in-failed',
  'refused',
]);

/** Events read at a time. */
const pageSize = 500;

/** The latest proposals that are looked through. */
const proposalsMax = 50;
const newest = Number.MAX_SAFE_INTEGER;

/** A proposal that was applied is told by the change itself. */
const toldStatuses = proposalStatuses.filter((status) => status !== 'applied');

type NoticeReader = Pick<PersonStore, 'persons' | 'personEvents' | 'personProposals'>;

export class PersonNotices {
  readonly #store: NoticeReader;
  readonly #board: NoticeBoard;
  readonly #toldProposals = new Set<string>();
  #toldSeq: number | undefined;

  constructor(store: NoticeReader, board: NoticeBoard) {
    this.#store = store;
    this.#board = board;
  }

  /** Sends notices of new events; an earlier process may have sent some. */
  async notify(): Promise<void> {
    const board = this.#board;
    if (!board.isListenedTo) return;
    this.#toldSeq ??= readToldSeq(await board.lastNotice(personsSubject));
    for (;;) {
      const page = await this.#store.personEvents(this.#toldSeq, pageSize);
      if (page.length === 0) break;
      const { people } = await this.#store.persons();
      for (const event of page) {
        if (!unreportedKinds.has(event.kind))
          await board.add(describePersonNotice(board.scene, event, people));
        this.#toldSeq = event.seq;
      }
    }
    for (const proposal of await this.#store.personProposals(toldStatuses, newest, proposalsMax, 'notices')) {
      const notice = describeProposalNotice(board.scene, proposal);
      // The journal keeps a notice once; the set saves the writes.
      if (!this.#toldProposals.has(notice.key)) await board.add(notice);
      this.#toldProposals.add(notice.key);
    }
  }
}
