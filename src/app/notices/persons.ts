/** Notices of changes of users: one for each event, by the first process that finds it. */
import { readToldSeq } from '../../notify/rules/journal-notices.ts';
import { describePersonNotice, personsSubject } from '../../notify/rules/person-notices.ts';
import type { PersonStore } from '../../review/ports.ts';
import { journalFactKinds } from '../../review/rules/chain.ts';
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

export class PersonNotices {
  readonly #store: Pick<PersonStore, 'persons' | 'personEvents'>;
  readonly #board: NoticeBoard;
  #toldSeq: number | undefined;

  constructor(store: Pick<PersonStore, 'persons' | 'personEvents'>, board: NoticeBoard) {
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
      if (page.length === 0) return;
      const { people } = await this.#store.persons();
      for (const event of page) {
        if (!unreportedKinds.has(event.kind))
          await board.add(describePersonNotice(board.scene, event, people));
        this.#toldSeq = event.seq;
      }
    }
  }
}
