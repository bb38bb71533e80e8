/** Notices of changes of people: each event once, by whoever comes first. */
import { readToldSeq } from '../../notify/rules/journal-notices.ts';
import { describePersonNotice, personsSubject } from '../../notify/rules/person-notices.ts';
import type { PersonStore } from '../../review/ports.ts';
import { journalFactKinds } from '../../review/rules/chain.ts';
import type { NoticeBoard } from './notifier.ts';

/** An approval is told with what it lets go on; each of the others stands in the history of its person alone. */
const untold: ReadonlySet<string> = new Set([
  ...journalFactKinds,
  'approval-signed',
  'revealed',
  'noted',
  'uploaded',
  'signed-in',
  'sign-in-failed',
  'refused',
]);

/** Events that are read at a time. */
const pageSize = 500;

export class PersonNotices {
  readonly #store: Pick<PersonStore, 'persons' | 'personEvents'>;
  readonly #board: NoticeBoard;
  #toldSeq: number | undefined;

  constructor(store: Pick<PersonStore, 'persons' | 'personEvents'>, board: NoticeBoard) {
    this.#store = store;
    this.#board = board;
  }

  /** Tells what was not told yet; an earlier process may have told of some. */
  async notify(): Promise<void> {
    const board = this.#board;
    if (!board.isListenedTo) return;
    this.#toldSeq ??= readToldSeq(await board.lastNotice(personsSubject));
    for (;;) {
      const page = await this.#store.personEvents(this.#toldSeq, pageSize);
      if (page.length === 0) return;
      const { people } = await this.#store.persons();
      for (const event of page) {
        if (!untold.has(event.kind)) await board.add(describePersonNotice(board.scene, event, people));
        this.#toldSeq = event.seq;
      }
    }
  }
}
