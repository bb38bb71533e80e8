/** What a notice says. */
import { createHash } from 'node:crypto';
import { formatBangkokDate, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht } from '../../core/money.ts';
import type { Language } from '../../core/language.ts';
import { type CommandPlace, paydropCommand } from '../../core/command-line.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import { showText, showTextIfAny } from '../../core/outgoing-text.ts';
import type { BatchSummary } from '../../reports/rules/summary.ts';
import { sayInThai } from './notices-th.ts';
import type { NoticeDraft } from './notice.ts';

/** Where and when something happened. */
export interface NoticeScene {
  /** Two journals tell of their batches apart, though the same bytes are the same batch in both. */
  readonly journalId: string;
  readonly isSandbox: boolean;
  readonly nowMs: number;
  /** For the commands to paste. */
  readonly place: CommandPlace;
  /** Of `reason` and `remedy`; English when it is left out. */
  readonly language?: Language;
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
  /** Where it lies now; left out where nobody knows. */
  readonly path?: string | undefined;
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
  const { batchId, fileKey } = file;
  const happening = { kind: 'file-rejected', batchId, key: `file-rejected:${fileKey}` } as const;
  return draftNotice(scene, happening, {
    file: showText(file.fileName),
    status: 'rejected',
    reasonCode: code,
    reason: showText(message),
    line,
    column: showTextIfAny(column),
    remedy: showTextIfAny(file.remedy),
    exitCode: fileRejectedExitCode,
    commands: [showText(paydropCommand(scene.place, 'check', file.path ?? file.fileName))],
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
  const key = `journal-refused::${formatBangkokDate(scene.nowMs)}`;
  return draftNotice(
    { ...scene, journalId: path },
    { kind: 'journal-refused', batchId: null, key },
    {
      file: showText(path),
      status: 'refused',
      reasonCode: 'journal-refused',
      reason: showText(message),
      remedy: null,
      exitCode: usageExitCode,
      commands: [paydropCommand(scene.place, 'config')],
      reports: [],
    },
  );
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
  const { batchId } = file;
  const key = `file-grown:${batchId}:${file.fileKey}`;
  return draftNotice(
    scene,
    { kind: 'file-grown', batchId, key },
    {
      file: showText(file.fileName),
      severity: 'critical',
      reasonCode: 'file-grown',
      reason: showText(file.reason),
      remedy: showTextIfAny(file.remedy),
      rowsNotPaid: file.rows,
      amountNotPaid: file.amount,
      payoutIds: file.payoutIds.map((one) => showText(one)),
      commands: [paydropCommand(scene.place, 'status', batchId)],
      exitCode: exceptionsExitCode,
      reports: file.reports,
    },
  );
}

/** What a person types first. */
const batchVerbs = { 'batch-done': 'status', 'batch-halted': 'status', 'in-doubt': 'settle' } as const;

function describeBatch(
  scene: NoticeScene,
  { summary, reports }: BatchNews,
  kind: keyof typeof batchVerbs,
  mark: string,
  more: object = {},
): NoticeDraft {
  const { batch } = summary;
  const { batchId } = batch;
  return draftNotice(
    scene,
    { kind, batchId, key: `${kind}:${batchId}:${mark}` },
    {
      file: showText(batch.fileName),
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
      commands: [paydropCommand(scene.place, batchVerbs[kind], batchId)],
      reports,
    },
  );
}

function renderByStatus({ totals }: BatchSummary): object {
  return Object.fromEntries(
    totals.map(({ status, rows, amountSatang }) => [status, { rows, amount: formatBaht(amountSatang) }]),
  );
}

/** The same happening has the same key. */
type Happening = Pick<NoticeDraft, 'kind' | 'batchId' | 'key'>;

/** @param facts what is said beside who, when and what kind; a file's name is among them */
export function draftNotice(
  { journalId, isSandbox, nowMs, language }: NoticeScene,
  { kind, batchId, key }: Happening,
  facts: object,
): NoticeDraft {
  const id = computeId(journalId, key);
  const at = formatBangkokDateTime(nowMs);
  const body = { id, kind, at, isSandbox, batchId, ...facts };
  return { key, kind, batchId, atMs: nowMs, body: language === 'th' ? sayInThai(kind, body) : body };
}

const idCharacters = 32;

/** What the receiver knows a notice by when it comes twice. */
function computeId(journalId: string, key: string): string {
  const encoded = JSON.stringify(['paydrop-notice', 1, journalId, key]);
  return createHash('sha256').update(encoded, 'utf8').digest('hex').slice(0, idCharacters);
}
