/** What telling people outside needs of the journal: each notice is kept before it is delivered. */
import type { AlarmEvent } from './rules/journal-notices.ts';
import type { DeliveryResult, DueNotice, NoticeChannel, NoticeDraft } from './rules/notice.ts';

/** Where notices wait until they are delivered. */
export interface DeliveryStore {
  /** Notices whose next try is due, the oldest first; of one channel when given. */
  dueNotices(nowMs: number, limit: number, channel?: NoticeChannel): Promise<readonly DueNotice[]>;
  /** When the next try of any falls due; of one channel when given. */
  nextNoticeAtMs(channel?: NoticeChannel): Promise<number | undefined>;
  recordDelivery(seq: number, channel: NoticeChannel, result: DeliveryResult): Promise<void>;
}

/** Days with open critical breaks. */
export interface CriticalBreakDay {
  /** YYYYMMDD. */
  readonly date: string;
  readonly breaks: number;
}

export interface NoticeStore extends DeliveryStore {
  /**
   * Keeps a notice for each channel, durably; one whose key is known is left alone.
   * @param delivered channels among them that have it already
   */
  addNotice(
    notice: NoticeDraft,
    channels: readonly NoticeChannel[],
    delivered?: readonly NoticeChannel[],
  ): Promise<void>;
  /** Notices that a channel has not delivered, and that are still tried. */
  countNotices(): Promise<number>;
  /** The latest whose key begins so. */
  lastNotice(keyBeginning: string): Promise<Pick<NoticeDraft, 'kind' | 'atMs' | 'body'> | undefined>;
  /** Alarms of rows after an event, the oldest first. */
  alarmsAfter(eventSeq: number, limit: number): Promise<readonly AlarmEvent[]>;
  /** Rows that bear an alarm. */
  countAlarmRows(): Promise<number>;
  criticalBreakDays(): Promise<readonly CriticalBreakDay[]>;
}
