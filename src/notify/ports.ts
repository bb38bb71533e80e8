/** What telling people outside needs of the journal: each notice is kept before it is delivered. */
import type { DeliveryResult, DueNotice, NoticeChannel, NoticeDraft } from './rules/notice.ts';

export interface NoticeStore {
  /** Keeps a notice for each channel, durably; one whose key is known is left alone. */
  addNotice(notice: NoticeDraft, channels: readonly NoticeChannel[]): Promise<void>;
  /** Notices whose next try is due, the oldest first; of one channel when given. */
  dueNotices(nowMs: number, limit: number, channel?: NoticeChannel): Promise<readonly DueNotice[]>;
  /** When the next try of any falls due; of one channel when given. */
  nextNoticeAtMs(channel?: NoticeChannel): Promise<number | undefined>;
  /** Notices that a channel has not delivered, and that are still tried. */
  countNotices(): Promise<number>;
  recordDelivery(seq: number, channel: NoticeChannel, result: DeliveryResult): Promise<void>;
}
