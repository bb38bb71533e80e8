/** What a notice says. */
import { createHash } from 'node:crypto';
import { formatBangkokDate, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht } from '../../core/money.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import { showText, showTextIfAny } from '../../core/outgoing-text.ts';
import type { BatchSummary } from '../../reports/rules/summary.ts';
import type { NoticeDraft, NoticeKind } from './notice.ts';

/** Where and when something happened. */
export interface NoticeScene {
  /** Two journals tell of their batches apart, though the same bytes are the same batch in both. */
  readonly journalId: string;
  readonly isSandbox: boolean;
  readonly nowMs: number;
}

/** A batch as it stands, with the absolute paths of its reports. */
export interface BatchNews {
  readonly summary: BatchSummary;
  readonly reports: readonly string[];
}

/** A file of which nothing was sent. */
export interface RejectedFile {
  /** Names this very file: the item of the watcher, or the hash of its bytes. */
  readonly fileKey: string;
  readonly fileName: string;
  /** Of the batch that its bytes are; null when it is none. */
  readonly batchId: string | null;
  readonly rejection: FileRejection;
  readonly remedy: string | null;
  /** Absolute path of the file with the reason; none when there is no such file. */
  readonly reports: readonly string[];
}

const usageExitCode = 2;
const fileRejectedExitCode = 5;
const exceptionsExitCode = 3;

/**
 * A batch has come to its end, again after rows were tried again or settled late.
 * @param eventSeq the latest event that its reports show: the same state is told once
 */
export function describeBatchDone(scene: NoticeScene, news: BatchNews, eventSeq: number): NoticeDraft {
  return describeBatch(scene, news, 'batch-done', String(eventSeq));
}

/** A batch waits for a person. @param sinceMs when it was halted: each stop is told once */
export function describeBatchHalted(scene: NoticeScene, news: BatchNews, sinceMs: number): NoticeDraft {
  const { reasonCode } = news.summary.batch;
  return describeBatch(scene, news, 'batch-halted', `${reasonCode ?? ''}:${sinceMs}`);
}

/** A batch has had transfers in doubt for too long: told once a day. */
export function describeInDoubt(scene: NoticeScene, news: BatchNews, oldestInDoubtAtMs: number): NoticeDraft {
  const oldestInDoubtAt = formatBangkokDateTime(oldestInDoubtAtMs);
  return describeBatch(scene, news, 'in-doubt', formatBangkokDate(scene.nowMs), { oldestInDoubtAt });
}

/** A file was rejected as a whole. */
export function describeFileRejected(scene: NoticeScene, file: RejectedFile): NoticeDraft {
  const { code, message, line, column } = file.rejection;
  return draft(scene, { kind: 'file-rejected', batchId: file.batchId, mark: file.fileKey }, file.fileName, {
    status: 'rejected',
    reasonCode: code,
    reason: showText(message),
    line,
    column: showTextIfAny(column),
    remedy: showTextIfAny(file.remedy),
    exitCode: fileRejectedExitCode,
    reports: file.reports,
  });
}

/**
 * Nothing is sent, since the journal is not there, or is not what worked here before. It has no place in a journal;
 * tries of one day have the same id.
 * @param path of the journal's file, absolute
 */
export function describeJournalRefused(
  scene: Omit<NoticeScene, 'journalId'>,
  path: string,
  message: string,
): NoticeDraft {
  const happening = { kind: 'journal-refused', batchId: null, mark: formatBangkokDate(scene.nowMs) } as const;
  return draft({ ...scene, journalId: path }, happening, path, {
    status: 'refused',
    reasonCode: 'journal-refused',
    reason: showText(message),
    remedy: null,
    exitCode: usageExitCode,
    reports: [],
  });
}

/** What was added to a file after its rows had been read, and not paid. */
export interface GrownFile extends Pick<RejectedFile, 'fileKey' | 'fileName' | 'reports'> {
  readonly batchId: string;
  readonly reason: string;
  readonly remedy: string;
  /** Null where they cannot be told from those that were read. */
  readonly rows: number | null;
  readonly amount: string | null;
  /** The first of them. */
  readonly payoutIds: readonly string[];
}

/** Somebody wrote to a file after its rows had been read: told once for each state of the file. */
export function describeFileGrown(scene: NoticeScene, file: GrownFile): NoticeDraft {
  return draft(scene, { kind: 'file-grown', batchId: file.batchId, mark: file.fileKey }, file.fileName, {
    severity: 'critical',
    reasonCode: 'file-grown',
    reason: showText(file.reason),
    remedy: showTextIfAny(file.remedy),
    rowsNotPaid: file.rows,
    amountNotPaid: file.amount,
    payoutIds: file.payoutIds.map((one) => showText(one)),
    exitCode: exceptionsExitCode,
    reports: file.reports,
  });
}

function describeBatch(
  scene: NoticeScene,
  { summary, reports }: BatchNews,
  kind: Exclude<NoticeKind, 'file-rejected' | 'journal-refused' | 'file-grown'>,
  mark: string,
  more: object = {},
): NoticeDraft {
  const { batch } = summary;
  return draft(scene, { kind, batchId: batch.batchId, mark }, batch.fileName, {
    status: batch.status,
    reasonCode: batch.reasonCode,
    reason: showTextIfAny(batch.reason),
    remedy: showTextIfAny(batch.remedy),
    rows: batch.rows,
    amount: formatBaht(batch.totalSatang),
    byStatus: renderByStatus(summary),
    holds: Object.fromEntries(summary.holds.map(({ hold, rows }) => [hold, rows])),
    alarms: summary.alarmRows,
    inDoubtRows: summary.inDoubtRows,
    ...more,
    exitCode: summary.exitCode,
    reports,
  });
}

function renderByStatus({ totals }: BatchSummary): object {
  return Object.fromEntries(
    totals.map(({ status, rows, amountSatang }) => [status, { rows, amount: formatBaht(amountSatang) }]),
  );
}

interface Happening {
  readonly kind: NoticeKind;
  readonly batchId: string | null;
  /** Tells it apart from another of its kind, of the same batch. */
  readonly mark: string;
}

function draft(
  { journalId, isSandbox, nowMs }: NoticeScene,
  { kind, batchId, mark }: Happening,
  file: string,
  facts: object,
): NoticeDraft {
  const key = kind === 'file-rejected' ? `${kind}:${mark}` : `${kind}:${batchId ?? ''}:${mark}`;
  const id = computeId(journalId, key);
  const at = formatBangkokDateTime(nowMs);
  return {
    key,
    kind,
    batchId,
    atMs: nowMs,
    body: { id, kind, at, isSandbox, batchId, file: showText(file), ...facts },
  };
}

const idCharacters = 32;

/** What the receiver knows a notice by when it comes twice. */
function computeId(journalId: string, key: string): string {
  const encoded = JSON.stringify(['paydrop-notice', 1, journalId, key]);
  return createHash('sha256').update(encoded, 'utf8').digest('hex').slice(0, idCharacters);
}
