/** The body of a notice. */
import { createHash } from 'node:crypto';
import { formatBangkokDate, formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { formatBaht } from '../../core/money.ts';
import type { Language } from '../../core/language.ts';
import { type CommandPlace, paydropCommand } from '../../core/command-line.ts';
import type { FileRejection } from '../../core/payout-file.ts';
import type { Batch } from '../../core/ports.ts';
import { showMessage, showMessageIfAny, showText, showTextIfAny } from '../../core/outgoing-text.ts';
import { counted, type Listed, listed, type Message, message, type PlainCode } from '../../core/message.ts';
import type { BatchSummary } from '../../reports/rules/summary.ts';
import type { FileKindName } from '../../watch/rules/drop-folder.ts';
import { describeOthers } from '../../watch/rules/file-growth.ts';
import type { HealthReason } from '../../watch/rules/health.ts';
import { type NoticeDraft, type NoticeKind, type NoticeSeverity, noticeSeverities } from './notice.ts';

/** Place and time of a notice. */
export interface NoticeScene {
  /** Id that tells two journals apart: the same bytes are the same batch in both. */
  readonly journalId: string;
  readonly isSandbox: boolean;
  readonly nowMs: number;
  /** Origin of the notice, as `paydrop status` names it. */
  readonly machine: string;
  /** Absolute. */
  readonly dataDir: string;
  /** Place in the commands to paste. */
  readonly place: CommandPlace;
  /** Language of `reason` and `remedy`; English when left out. */
  readonly language?: Language;
}

/** A batch of either kind as it stands, with the absolute paths of its reports. */
interface AnyNews {
  readonly summary: Pick<BatchSummary, 'alarmRows' | 'exitCode'> & {
    readonly batch: Pick<Batch, 'batchId' | 'fileName' | 'status' | 'reasonCode' | 'rows'>;
    readonly holds: readonly { readonly hold: string; readonly rows: number }[];
  };
  readonly reports: readonly string[];
}

interface BatchNews extends AnyNews {
  readonly summary: BatchSummary;
}

/** A file that was not sent at all. */
export interface RejectedFile {
  /** Key of this very file: the item of the watcher, or the hash of its bytes. */
  readonly fileKey: string;
  readonly fileName: string;
  readonly kind: FileKindName | 'decisions';
  /** The absolute path at which it ends. */
  readonly path: string;
  /** The batch that its bytes are, or were read into; null when there is none. */
  readonly batchId: string | null;
  readonly rejection: FileRejection;
  /** Absolute path of the file with the reason; empty when there is no such file. */
  readonly reports: readonly string[];
}

const usageExitCode = 2;
const fileRejectedExitCode = 5;
const exceptionsExitCode = 3;

/**
 * A batch has come to its end, again after rows were tried again or settled late.
 * @param eventSeq the latest event that its reports show: the same state is reported once
 */
export function describeBatchDone(scene: NoticeScene, news: BatchNews, eventSeq: number): NoticeDraft {
  return describeBatch(scene, news, 'batch-done', String(eventSeq));
}

/** A batch waits for a person. @param sinceMs when it was halted: each stop is reported once */
export function describeBatchHalted(scene: NoticeScene, news: BatchNews, sinceMs: number): NoticeDraft {
  const { reasonCode } = news.summary.batch;
  return describeBatch(scene, news, 'batch-halted', `${reasonCode ?? ''}:${sinceMs}`);
}

/** An error keeps a batch from progressing: told once a day for each text. @param found as health says it */
export function describeBatchFailing(
  scene: NoticeScene,
  batchId: string,
  fileName: string | undefined,
  { text, remedy, command }: HealthReason,
): NoticeDraft {
  const mark = createHash('sha256').update(showMessage(text)).digest('hex').slice(0, 16);
  const key = `batch-failing:${batchId}:${mark}:${formatBangkokDate(scene.nowMs)}`;
  return draftNotice(
    scene,
    { kind: 'batch-failing', batchId, key },
    {
      file: showTextIfAny(fileName ?? null),
      status: 'failing',
      reasonCode: 'batch-failing',
      reason: text,
      remedy,
      exitCode: exceptionsExitCode,
      commands: [command, paydropCommand(scene.place, 'status', batchId)],
      reports: [],
    },
  );
}

/** A batch has had transfers in doubt for too long: told once a day. */
export function describeInDoubt(scene: NoticeScene, news: BatchNews, oldestInDoubtAtMs: number): NoticeDraft {
  const oldestInDoubtAt = formatBangkokDateTime(oldestInDoubtAtMs);
  const [today, day] = [scene.nowMs, oldestInDoubtAtMs].map(formatBangkokDate);
  // A day's statement comes once that day is over.
  const reconcile = paydropCommand(scene.place, 'reconcile', '--date', oldestInDoubtAt.slice(0, 10));
  const byStatement = news.summary.totals.reduce((sum, one) => sum + (one.byStatement?.rows ?? 0), 0);
  // An inquiry does nothing for these.
  const isInVain = byStatement > 0 && byStatement === news.summary.inDoubtRows;
  const { batchId } = news.summary.batch;
  const verb = isInVain ? 'status' : 'settle';
  return describeBatch(scene, news, 'in-doubt', today ?? '', {
    typed: [
      ...(isInVain && day !== today ? [] : [paydropCommand(scene.place, verb, batchId)]),
      ...(day === today ? [] : [reconcile]),
    ],
    facts: {
      oldestInDoubtAt,
      ...(isInVain ? { remedy: message('notice.settled-by-statement') } : {}),
    },
  });
}

/** Advice about a rejected file; the rows of a batch's file are in that batch. */
const rejectedKinds = {
  'in-batch': {
    remedy: 'notice.rows-stand-in-batch',
    typeFirst: ({ batchId }: RejectedFile) => ['status', batchId ?? ''],
  },
  payout: {
    remedy: 'notice.correct-payouts',
    typeFirst: ({ path }: RejectedFile) => ['check', path],
  },
  registration: {
    remedy: 'notice.correct-registrations',
    typeFirst: ({ path }: RejectedFile) => ['check', path],
  },
  decisions: {
    remedy: 'notice.correct-decisions',
    typeFirst: () => ['decide', '--waiting'],
  },
} as const satisfies Readonly<
  Record<
    RejectedFile['kind'] | 'in-batch',
    { readonly remedy: PlainCode; readonly typeFirst: (file: RejectedFile) => readonly string[] }
  >
>;

/** A file was rejected as a whole. */
export function describeFileRejected(scene: NoticeScene, file: RejectedFile): NoticeDraft {
  const { code, line, column } = file.rejection;
  const { batchId, fileKey, path } = file;
  const happening = { kind: 'file-rejected', batchId, key: `file-rejected:${fileKey}` } as const;
  const { remedy, typeFirst } = rejectedKinds[batchId === null ? file.kind : 'in-batch'];
  // The notice file-grown of the same file says the same.
  const isGrown = batchId !== null && code === 'changed-after-reading';
  const grownKind = file.kind === 'registration' ? file.kind : undefined;
  return draftNotice(scene, happening, {
    file: showText(file.fileName),
    path: showText(path),
    status: 'rejected',
    reasonCode: code,
    reason: message('notice.file-rejected', { why: file.rejection.message }),
    line,
    column: showTextIfAny(column),
    remedy: isGrown
      ? message('notice.drop-whole-file', { others: describeOthers(batchId, grownKind) })
      : message(remedy),
    exitCode: fileRejectedExitCode,
    commands: [paydropCommand(scene.place, ...typeFirst(file))],
    reports: file.reports,
  });
}

/**
 * Nothing is sent, since the journal is missing, or is not the one that worked here before. No journal can keep this
 * notice; tries of one day have the same id.
 * @param path of the journal's file, absolute
 */
export function describeJournalRefused(scene: NoticeScene, path: string, why: string): NoticeDraft {
  const key = `journal-refused::${formatBangkokDate(scene.nowMs)}`;
  return draftNotice(
    scene,
    { kind: 'journal-refused', batchId: null, key },
    {
      file: showText(path),
      status: 'refused',
      reasonCode: 'journal-refused',
      reason: message('notice.journal-refused', { why }),
      remedy: message('notice.find-journal'),
      exitCode: usageExitCode,
      commands: [paydropCommand(scene.place, 'config')],
      reports: [],
    },
  );
}

/** Rows added to a file after it had been read, and not paid. */
interface GrownFile extends Pick<RejectedFile, 'fileKey' | 'fileName' | 'reports'> {
  readonly batchId: string;
  readonly reason: Message;
  readonly remedy: Message;
  /** Null where they cannot be told from the rows that were read. */
  readonly rows: number | null;
  readonly amount: string | null;
  /** The first of them. */
  readonly payoutIds: readonly string[];
}

/** A file was written to after its rows had been read: reported once for each state of the file. */
export function describeFileGrown(scene: NoticeScene, file: GrownFile): NoticeDraft {
  const { batchId } = file;
  const key = `file-grown:${batchId}:${file.fileKey}`;
  return draftNotice(
    scene,
    { kind: 'file-grown', batchId, key },
    {
      file: showText(file.fileName),
      reasonCode: 'file-grown',
      reason: file.reason,
      remedy: file.remedy,
      rowsNotPaid: file.rows,
      amountNotPaid: file.amount,
      payoutIds: file.payoutIds.map((one) => showText(one)),
      commands: [paydropCommand(scene.place, 'status', batchId)],
      exitCode: exceptionsExitCode,
      reports: file.reports,
    },
  );
}

/** Texts about a batch, by kind: the event, the remedy where the batch has none, and the command. */
const batchKinds = {
  'batch-done': { remedy: 'notice.look-at-exceptions', verb: 'status' },
  'batch-halted': { remedy: 'notice.remove-cause', verb: 'status' },
  'in-doubt': { remedy: 'notice.settle-them', verb: 'settle' },
} as const;

interface BatchMore {
  /** The command that a person types; the verb of the kind where left out. */
  readonly typed?: readonly string[];
  readonly facts?: object;
}

function describeBatch(
  scene: NoticeScene,
  { summary, reports }: BatchNews,
  kind: keyof typeof batchKinds,
  mark: string,
  { typed, facts = {} }: BatchMore = {},
): NoticeDraft {
  const { batch } = summary;
  const { remedy, verb } = batchKinds[kind];
  const isInOrder = summary.exitCode === 0;
  return draftOfBatch(scene, { summary, reports }, kind, mark, {
    reason:
      batch.reason === null
        ? message('notice.counts', { what: message(`notice.${kind}`), counts: countByStatus(summary) })
        : message(`notice.${kind}-why`, { why: batch.reason }),
    remedy: batch.remedy === null ? (isInOrder ? null : message(remedy)) : leadIn(kind, batch.remedy),
    amount: formatBaht(batch.totalSatang),
    byStatus: renderByStatus(summary),
    inDoubtRows: summary.inDoubtRows,
    ...facts,
    commands: typed ?? [paydropCommand(scene.place, verb, batch.batchId)],
  });
}

/** A notice about a batch of either kind. @param own what its kind alone says */
export const draftOfBatch = (
  scene: NoticeScene,
  { summary, reports }: AnyNews,
  kind: NoticeKind & (`batch-${string}` | 'in-doubt' | `registrations-${string}`),
  mark: string,
  own: NoticeFacts,
): NoticeDraft => {
  const { batch, exitCode } = summary;
  const { batchId } = batch;
  return draftNotice(
    scene,
    { kind, batchId, key: `${kind}:${batchId}:${mark}` },
    {
      ...(kind.endsWith('-done') && exitCode !== 0 ? { severity: 'high' } : {}),
      file: showText(batch.fileName),
      status: batch.status,
      reasonCode: batch.reasonCode,
      rows: batch.rows,
      holds: Object.fromEntries(summary.holds.map(({ hold, rows }) => [hold, rows])),
      alarms: summary.alarmRows,
      ...own,
      exitCode,
      reports,
    },
  );
};

/** The remedy of a batch; doubts are settled before anything else. */
const leadIn = (kind: keyof typeof batchKinds, remedy: Message): Message =>
  kind === 'in-doubt' ? message('notice.settle-them-first', { remedy }) : remedy;

/** `2 rows paid, 1 row held`. */
const countByStatus = ({ totals }: BatchSummary): Listed =>
  listed(totals.map(({ status, rows }) => message(`notice-rows.${status}`, { rows: counted(rows, 'row') })));

function renderByStatus({ totals }: BatchSummary): object {
  return Object.fromEntries(
    totals.map(({ status, rows, amountSatang }) => [status, { rows, amount: formatBaht(amountSatang) }]),
  );
}

/** Identity of an event: the same event has the same key. */
type Happening = Pick<NoticeDraft, 'kind' | 'batchId' | 'key'>;

/** Facts of a notice besides its origin, time and kind; a file's name is among them. */
export interface NoticeFacts {
  /** Left out where it is that of the kind. */
  readonly severity?: NoticeSeverity;
  readonly reason: Message;
  /** Null where nothing needs to be done. */
  readonly remedy: Message | null;
  /** Commands to paste, in the order to type them; "paydrop status" where there are none. */
  readonly commands: readonly string[];
  readonly [name: string]: unknown;
}

/** Makes a notice. Each has its severity, its machine, the reason, and commands to type. */
export function draftNotice(
  { journalId, isSandbox, nowMs, machine, dataDir, place, language }: NoticeScene,
  { kind, batchId, key }: Happening,
  facts: NoticeFacts,
): NoticeDraft {
  const id = computeId(journalId, key);
  const at = formatBangkokDateTime(nowMs);
  const head = { id, kind, severity: noticeSeverities[kind], at, machine, dataDir, isSandbox, batchId };
  // paydrop's own paths are not masked.
  const own = [paydropCommand(place).replace(/^paydrop/, ''), dataDir];
  const commands = facts.commands.filter((command) => isPasteable(command, own));
  const status = paydropCommand(place, 'status');
  const reason = showMessage(facts.reason, language);
  const remedy = showMessageIfAny(facts.remedy, language);
  const body = { ...head, ...facts, reason, remedy, commands: commands.length === 0 ? [status] : commands };
  return { key, kind, batchId, atMs: nowMs, body };
}

/** False for a command with a name that must not leave: masked, it would fail. */
function isPasteable(command: string, own: readonly string[]): boolean {
  let foreign = command;
  for (const known of own) if (known !== '') foreign = foreign.replaceAll(known, '');
  return showText(foreign) === foreign;
}

const idCharacters = 32;

/** Id by which a receiver recognises a notice that comes twice. */
function computeId(journalId: string, key: string): string {
  const encoded = JSON.stringify(['paydrop-notice', 1, journalId, key]);
  return createHash('sha256').update(encoded, 'utf8').digest('hex').slice(0, idCharacters);
}
