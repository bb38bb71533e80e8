/** Notices of direct-debit registrations: a batch that has come to rest, alarms, unknown callbacks. */
import { message } from '../../core/message.ts';
import { formatBangkokDateTime } from '../../core/bangkok-time.ts';
import { paydropCommand } from '../../core/command-line.ts';
import { showCount } from '../../core/figures.ts';
import { showMessageIfAny, showText } from '../../core/outgoing-text.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { CallbackRecord } from '../../registration/rules/change.ts';
import type { RegistrationRow } from '../../registration/rules/registration-batch.ts';
import {
  describeRegistrationReason,
  readRegistrationCell,
  remedyOfRegistration,
} from '../../registration/rules/report-rows.ts';
import { type RegistrationSummary, renderRegistrationTotals } from '../../registration/rules/summary.ts';
import { draftNotice, draftOfBatch, type NoticeScene } from './notice-body.ts';
import type { NoticeDraft } from './notice.ts';

/** A batch of registrations as it stands, with the absolute paths of its reports. */
interface RegistrationNews {
  readonly summary: RegistrationSummary;
  readonly reports: readonly string[];
}

/**
 * A batch of registrations has come to its end, again after later callbacks.
 * @param eventSeq the latest event that its reports show: the same state is reported once
 */
export const describeRegistrationsDone = (
  scene: NoticeScene,
  news: RegistrationNews,
  eventSeq: number,
): NoticeDraft => describeBatch(scene, news, 'registrations-done', String(eventSeq));

/** A batch of registrations waits for a person. @param sinceMs when it was halted: each stop is reported once */
export const describeRegistrationsHalted = (
  scene: NoticeScene,
  news: RegistrationNews,
  sinceMs: number,
): NoticeDraft =>
  describeBatch(scene, news, 'registrations-halted', `${news.summary.batch.reasonCode ?? ''}:${sinceMs}`);

function describeBatch(
  scene: NoticeScene,
  { summary, reports }: RegistrationNews,
  kind: 'registrations-done' | 'registrations-halted',
  mark: string,
): NoticeDraft {
  const { batch, exitCode } = summary;
  return draftOfBatch(scene, { summary, reports }, kind, mark, {
    reason:
      batch.reason === null
        ? message(`notice.${kind}`)
        : message(`notice.${kind}-why`, { why: batch.reason }),
    remedy: batch.remedy === null && exitCode !== 0 ? message('notice.look-at-exceptions') : batch.remedy,
    byStatus: renderRegistrationTotals(summary.totals),
    awaitedRows: summary.awaitedRows,
    commands: [paydropCommand(scene.place, 'status', batch.batchId)],
  });
}

// ---------------------------------------------------------------- alarms

/** Items named of many. */
const namedMax = 5;

export const registrationAlarmsSubject = 'registration-alarm:';

/** Registrations that bear an alarm, the newest first, and their number. */
interface RegistrationAlarms {
  readonly rows: number;
  readonly first: readonly RegistrationRow[];
}

const newestAtMs = ({ first }: RegistrationAlarms): number =>
  Math.max(0, ...first.map(({ settledAtMs }) => settledAtMs ?? 0));

/** Whether there are alarms that the last notice did not report; alarms that people have cleared are no news. */
export function isNewsOfRegistrationAlarms(
  alarms: RegistrationAlarms,
  last: Pick<NoticeDraft, 'atMs' | 'body'> | undefined,
): boolean {
  if (alarms.rows === 0) return false;
  return last === undefined || alarms.rows > Number(last.body['rows']) || newestAtMs(alarms) > last.atMs;
}

/** The bank has contradicted an ended registration, or reports one that paydrop believed it did not have. */
export function describeRegistrationAlarms(scene: NoticeScene, alarms: RegistrationAlarms): NoticeDraft {
  const { rows } = alarms;
  const first = alarms.first.slice(0, namedMax);
  const key = `${registrationAlarmsSubject}${rows}:${newestAtMs(alarms)}:${scene.nowMs}`;
  const [head] = first;
  return draftNotice(
    scene,
    { kind: 'registration-alarm', batchId: null, key },
    {
      rows,
      reasonCode: head === undefined ? null : showText(describeRegistrationReason(head)[0]),
      reason: message(rows === 1 ? 'notice.registration-alarm' : 'notice.registration-alarms', {
        count: showCount(rows),
      }),
      remedy: head === undefined ? null : remedyOfRegistration(head),
      firstRows: first.map((row) => ({
        batchId: row.batchId,
        rowNo: row.rowNo,
        registrationId: showText(readRegistrationCell(row, 'registrationId')),
        accountNo: maskDigits(readRegistrationCell(row, 'accountNo')),
        status: row.status,
        reason: showMessageIfAny(describeRegistrationReason(row)[1], scene.language) ?? '',
      })),
      commands: [paydropCommand(scene.place, 'list', '--registrations', '--alarms')],
    },
  );
}

// ---------------------------------------------------------------- unknown callbacks

export const unknownCallbacksSubject = 'unknown-callbacks:';

/** Callbacks for no known registration, the latest first, and their number. */
interface UnknownCallbacks {
  readonly count: number;
  readonly latest: readonly (Pick<CallbackRecord, 'callback' | 'receivedAtMs'> & { readonly id: number })[];
}

/** Least time between two notices: a caller with a key can call any number of times. */
const restMs = 3_600_000;

/** Whether a callback has come that the last notice did not count. */
export function isNewsOfUnknownCallbacks(
  { latest }: UnknownCallbacks,
  last: Pick<NoticeDraft, 'atMs' | 'body'> | undefined,
  nowMs: number,
): boolean {
  const [newest] = latest;
  if (newest === undefined) return false;
  if (last === undefined) return true;
  return newest.id > Number(last.body['latestId']) && nowMs - last.atMs >= restMs;
}

/** The bank reports registrations that paydrop has not made. */
export function describeUnknownCallbacks(
  scene: NoticeScene,
  { count, latest }: UnknownCallbacks,
): NoticeDraft {
  const latestId = latest[0]?.id ?? 0;
  return draftNotice(
    scene,
    { kind: 'unknown-callbacks', batchId: null, key: `${unknownCallbacksSubject}${latestId}` },
    {
      callbacks: count,
      latestId,
      reasonCode: 'unknown-callbacks',
      reason: message(count === 1 ? 'notice.unknown-callback' : 'notice.unknown-callbacks', {
        count: showCount(count),
      }),
      remedy: message('notice.explain-callbacks'),
      latest: latest.slice(0, namedMax).map(({ callback: { identity, outcome }, receivedAtMs }) => ({
        receivedAt: formatBangkokDateTime(receivedAtMs),
        vendorId: showText(identity.vendorId),
        companyId: showText(identity.companyId),
        accountNo: maskDigits(identity.accountNo),
        outcome,
      })),
      commands: [paydropCommand(scene.place, 'status', '--registrations')],
    },
  );
}
