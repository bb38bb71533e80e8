/** Notices to be sent, and the signals that senders are handed. */
import type { NoticeScene } from '../../src/notify/rules/notice-body.ts';
import type { DueNotice } from '../../src/notify/rules/notice.ts';
import { noonMs } from './core-fixtures.ts';

/** Where notices of tests come from. */
export const noticeScene: NoticeScene = {
  journalId: 'journal-1',
  isSandbox: false,
  nowMs: noonMs,
  machine: 'pay-1',
  dataDir: '/srv/paydrop',
  place: { settingsPath: '/etc/paydrop.yaml' },
};

export const never = new AbortController().signal;

export function makeNotice(changes: Partial<DueNotice> = {}): DueNotice {
  const { seq = 1 } = changes;
  return {
    seq,
    key: `batch-done:4K7Q2M9XWD:${seq}`,
    kind: 'batch-done',
    batchId: '4K7Q2M9XWD',
    atMs: noonMs,
    channel: 'webhook',
    tries: 0,
    body: { id: `id-${seq}`, kind: 'batch-done', file: 'เงินเดือน.csv', amount: '1.50', exitCode: 3 },
    ...changes,
  };
}
