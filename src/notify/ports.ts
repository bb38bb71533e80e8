/** The journal as notices use it: each notice is kept before it is delivered. */
import type { AlarmEvent } from './rules/journal-notices.ts';
import type { DeliveryResult, DueNotice, NoticeChannel, NoticeDraft } from './rules/notice.ts';

/** Keeps notices until they are delivered. */
export interface DeliveryStore {
  /** Notices whose next try is due, the oldest first; of one channel when given. */
  dueNotices(nowMs: number, limit: number, channel?: NoticeChannel): Promise<readonly DueNotice[]>;
  /** When the next try of any notice falls due; of one channel when given. */
  nextNoticeAtMs(channel?: NoticeChannel): Promise<number | undefined>;
  recordDelivery(seq: number, channel: NoticeChannel, result: DeliveryResult): Promise<void>;
}

export interface NoticeStore extends DeliveryStore {
  /**
   * Keeps a notice for each channel, durably; a notice with a known key is left alone.
   * @param delivered channels that have it already
   */
  addNotice(
    notice: NoticeDraft,
    channels: readonly NoticeChannel[],
    delivered?: readonly NoticeChannel[],
  ): Promise<void>;
  /** Notices that a channel has not delivered, and that are still tried. */
  countNotices(): Promise<number>;
  /** The latest notice whose key has this beginning. */
  lastNotice(keyBeginning: string): Promise<Pick<NoticeDraft, 'kind' | 'atMs' | 'body'> | undefined>;
  /** Alarms of rows after an event, the oldest first. */
  alarmsAfter(eventSeq: number, limit: number): Promise<readonly AlarmEvent[]>;
  /** Rows that bear an alarm. */
  countAlarmRows(): Promise<number>;
}
