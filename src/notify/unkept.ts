/**
 * Notices that the journal does not take, on a full disk or while its database is away. They are kept in memory and
 * delivered from there, and move into the journal as soon as it takes them. A process that ends earlier has tried each at
 * least once.
 */
import type { DeliveryStore, NoticeStore } from './ports.ts';
import type { DueNotice, NoticeChannel, NoticeDraft, NoticeSender } from './rules/notice.ts';

/** Most notices kept in memory while the journal takes none. */
const unkeptMax = 10_000;

interface Unkept {
  readonly notice: NoticeDraft;
  readonly channels: readonly NoticeChannel[];
  readonly delivered: Set<NoticeChannel>;
  /** Tries by channel that has not delivered it yet. */
  readonly waiting: Map<NoticeChannel, { tries: number; nextAtMs: number }>;
  /** Channels through which it is being sent. */
  readonly underWay: Set<NoticeChannel>;
  /** True once the journal has not taken it: it is sent from here, and stays due here even while the journal is asked. */
  isRefused: boolean;
}

export class UnkeptNotices implements DeliveryStore {
  readonly #notices = new Map<number, Unkept>();
  readonly #isJournalAway: () => boolean;
  #seq = 0;

  /** @param isJournalAway true while the journal is known to take nothing: it is not asked then */
  constructor(isJournalAway: () => boolean = () => false) {
    this.#isJournalAway = isJournalAway;
  }

  add(notice: NoticeDraft, channels: readonly NoticeChannel[]): void {
    if (this.#notices.size >= unkeptMax) return;
    this.#seq += 1;
    const waiting = channels.map((channel) => [channel, { tries: 0, nextAtMs: notice.atMs }] as const);
    const place = { delivered: new Set<NoticeChannel>(), underWay: new Set<NoticeChannel>() };
    this.#notices.set(this.#seq, { notice, channels, waiting: new Map(waiting), isRefused: false, ...place });
  }

  /** The latest notice whose key has this beginning. */
  last(keyBeginning: string): NoticeDraft | undefined {
    return [...this.#notices.values()].findLast(({ notice }) => notice.key.startsWith(keyBeginning))?.notice;
  }

  /**
   * Moves notices into the journal, in their order, until it refuses one. A notice that is being sent stays until that is
   * over: the journal would have it sent again.
   * @returns how many it has taken
   * @throws what the journal throws
   */
  async moveInto(journal: Pick<NoticeStore, 'addNotice'>): Promise<number> {
    let moved = 0;
    if (this.#isJournalAway()) {
      this.refuse();
      return moved;
    }
    try {
      for (const [seq, { notice, channels, delivered, underWay }] of this.#notices) {
        if (underWay.size > 0) continue;
        await journal.addNotice(notice, channels, [...delivered]);
        this.#notices.delete(seq);
        moved += 1;
      }
      return moved;
    } catch (error) {
      this.refuse();
      throw error;
    }
  }

  /** Notes that no journal takes these notices now: they are sent from memory. */
  refuse(): void {
    for (const unkept of this.#notices.values()) unkept.isRefused = true;
  }

  dueNotices: DeliveryStore['dueNotices'] = async (nowMs, limit, wanted) => {
    const due: DueNotice[] = [];
    for (const [seq, { notice, waiting, underWay, isRefused }] of this.#notices)
      for (const [channel, { tries, nextAtMs }] of waiting)
        if (isRefused && (wanted ?? channel) === channel && nextAtMs <= nowMs && due.length < limit) {
          underWay.add(channel);
          due.push({ ...notice, seq, channel, tries });
        }
    return due;
  };

  nextNoticeAtMs: DeliveryStore['nextNoticeAtMs'] = async (wanted) => {
    const refused = [...this.#notices.values()].filter(({ isRefused }) => isRefused);
    const moments = refused.flatMap(({ waiting }) =>
      [...waiting].flatMap(([channel, { nextAtMs }]) => ((wanted ?? channel) === channel ? [nextAtMs] : [])),
    );
    return moments.length === 0 ? undefined : Math.min(...moments);
  };

  recordDelivery: DeliveryStore['recordDelivery'] = async (seq, channel, result) => {
    const unkept = this.#notices.get(seq);
    if (unkept === undefined) return;
    unkept.underWay.delete(channel);
    const tries = (unkept.waiting.get(channel)?.tries ?? 0) + 1;
    unkept.waiting.delete(channel);
    if (result.kind === 'later') unkept.waiting.set(channel, { tries, nextAtMs: result.nextAtMs });
    else unkept.delivered.add(channel);
  };
}

// ---------------------------------------------------------------- sent once

/** Most sent notices that are remembered. */
const sentMax = 10_000;

/**
 * A channel that gets each notice once from this process: a notice that was sent from memory, and that the journal took
 * late, is only recorded when it comes from there.
 */
export function sendOnce({ channel, send }: NoticeSender): NoticeSender {
  const sends = new Map<string, ReturnType<NoticeSender['send']>>();
  const sendNow: NoticeSender['send'] = async (notice, stop) => {
    let isSent = false;
    try {
      const sent = await send(notice, stop);
      isSent = sent.ok;
      return sent;
    } finally {
      if (!isSent) sends.delete(notice.key);
    }
  };
  return {
    channel,
    send: (notice, stop) => {
      const sending = sends.get(notice.key) ?? sendNow(notice, stop);
      sends.set(notice.key, sending);
      const [oldest] = sends.keys();
      if (oldest !== undefined && sends.size > sentMax) sends.delete(oldest);
      return sending;
    },
  };
}
